//! What each side may send, kept exactly: changed settings hold from where the client confirms them.

use std::collections::{BTreeMap, VecDeque};

/// What a window is until somebody says otherwise.
pub(super) const DEFAULT: i64 = 65_535;

/// What the client's windows let the server send.
#[derive(Debug)]
pub(super) struct Sending {
    connection: i64,
    initial: i64,
    /// What was added to streams that are not answered yet.
    more: BTreeMap<u32, i64>,
}

impl Sending {
    pub(super) fn new() -> Self {
        Self { connection: DEFAULT, initial: DEFAULT, more: BTreeMap::new() }
    }

    pub(super) fn set_initial(&mut self, initial: u32) {
        self.initial = initial.into();
    }

    pub(super) fn widen(&mut self, stream: u32, more: u32) {
        if stream == 0 {
            self.connection += i64::from(more);
        } else {
            *self.more.entry(stream).or_default() += i64::from(more);
        }
    }

    /// Whether a body fits, which then counts as sent. The stream gets no other one.
    pub(super) fn take(&mut self, stream: u32, bytes: usize) -> bool {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        let of_stream = self.initial + self.more.get(&stream).copied().unwrap_or_default();
        let fits = bytes <= self.connection && bytes <= of_stream;
        if fits {
            self.connection -= bytes;
            self.more.remove(&stream);
        }
        fits
    }
}

/// What the server's windows let the client send.
#[derive(Debug)]
pub(super) struct Receiving {
    /// As the client knows it.
    initial: i64,
    /// By streams whose bodies are under way.
    streams: BTreeMap<u32, i64>,
    /// Settings that were sent and are not confirmed: the new size, where they have one.
    unconfirmed: VecDeque<Option<i64>>,
}

impl Receiving {
    pub(super) fn new() -> Self {
        Self { initial: DEFAULT, streams: BTreeMap::new(), unconfirmed: VecDeque::new() }
    }

    /// Settings were sent.
    pub(super) fn sent(&mut self, initial: Option<u32>) {
        self.unconfirmed.push_back(initial.map(i64::from));
    }

    /// The oldest ones that were not are confirmed.
    pub(super) fn confirmed(&mut self) {
        let Some(Some(initial)) = self.unconfirmed.pop_front() else { return };
        let more = initial - self.initial;
        self.initial = initial;
        self.streams.values_mut().for_each(|window| *window += more);
    }

    pub(super) fn begin(&mut self, stream: u32) {
        self.streams.insert(stream, self.initial);
    }

    pub(super) fn end(&mut self, stream: u32) {
        self.streams.remove(&stream);
    }

    /// A part of a body came: whether it was allowed. An empty one always is.
    pub(super) fn take(&mut self, stream: u32, bytes: usize) -> bool {
        let Some(window) = self.streams.get_mut(&stream) else { return true };
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        let fits = bytes == 0 || bytes <= *window;
        *window -= bytes;
        fits
    }

    /// A window was made wider.
    pub(super) fn add(&mut self, stream: u32, more: u32) {
        if let Some(window) = self.streams.get_mut(&stream) {
            *window += i64::from(more);
        }
    }

    /// Makes every window at least so wide, and says by how much each grew.
    pub(super) fn widen(&mut self, least: i64) -> Vec<(u32, u32)> {
        // What was sent and is not confirmed may still make it smaller.
        let settled = self.unconfirmed.iter().flatten().copied().chain([self.initial]).min();
        let loss = self.initial - settled.unwrap_or(self.initial);
        let mut grown = Vec::new();
        for (stream, window) in &mut self.streams {
            let more = least + loss - *window;
            if more > 0 {
                *window += more;
                grown.push((*stream, u32::try_from(more).expect("windows are below 2^31")));
            }
        }
        grown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_sent_where_both_windows_take_them() {
        let mut sending = Sending::new();
        sending.set_initial(10);
        assert!(sending.take(1, 10) && !sending.take(3, 11));
        sending.widen(3, 1);
        assert!(sending.take(3, 11));
        sending.set_initial(100_000);
        assert!(!sending.take(5, 65_515));
        sending.widen(0, 1);
        assert!(sending.take(5, 65_515) && !sending.take(7, 1));
    }

    #[test]
    fn a_smaller_window_holds_from_where_it_is_confirmed() {
        let mut receiving = Receiving::new();
        receiving.begin(1);
        receiving.sent(Some(100));
        receiving.sent(None);
        assert!(receiving.take(1, 1_000));
        receiving.confirmed();
        assert!(!receiving.take(1, 1) && receiving.take(1, 0));
        receiving.begin(3);
        assert!(receiving.take(3, 100) && !receiving.take(3, 1));
        // 65,535 - 1,000 - 65,435 - 1, and 100 - 100 - 1.
        assert_eq!(receiving.widen(50), [(1, 951), (3, 51)]);
        assert!(receiving.take(1, 50) && receiving.take(3, 50));
        receiving.end(1);
        receiving.sent(Some(0));
        // It will lose 100 when it hears of the new size.
        assert_eq!(receiving.widen(50), [(3, 150)]);
        receiving.confirmed();
        receiving.confirmed();
        assert!(receiving.take(3, 50) && !receiving.take(3, 1));
    }
}
