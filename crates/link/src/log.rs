//! What passed: counts of all of it, and the last packets one by one.

use std::collections::VecDeque;

use velo_model::LinkWay;

/// A direction of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Way {
    /// From the load to the contender.
    Up,
    /// From the contender to the load.
    Down,
}

/// What became of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It was held until it was due at the other end.
    Held {
        /// When that was, as [`PassedPacket::at_ns`].
        due_ns: u64,
    },
    /// Lost at random, as was asked.
    Lost,
    /// Lost because the queue of the rate was full.
    Overflowed,
}

/// A packet that came to the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassedPacket {
    /// When it came, on the monotonic clock (`CLOCK_MONOTONIC`).
    pub at_ns: u64,
    /// Where it was going.
    pub way: Way,
    /// What became of it.
    pub fate: Fate,
    /// The whole IP packet.
    pub bytes: u16,
    /// TCP's port at the load's end and at the contender's: which connection; `None` of what is not TCP.
    pub ports: Option<(u16, u16)>,
    /// Bytes that it carries behind TCP's header.
    pub payload: u16,
    /// It opens a connection.
    pub syn: bool,
    /// It ends a direction of a connection.
    pub fin: bool,
    /// It breaks a connection off.
    pub rst: bool,
}

impl PassedPacket {
    /// Whether it is more than an acknowledgement: it has bytes, or opens a connection.
    pub fn carries(&self) -> bool {
        self.syn || self.payload > 0
    }
}

/// From which lateness on a packet is *very late*.
const VERY_LATE_NS: u64 = 1_000_000;

/// A place in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark(u64);

/// What passed since a mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passed {
    /// In the order in which they came to the link.
    pub packets: Vec<PassedPacket>,
    /// Packets that came after the mark and are no longer there, because more followed than the log holds.
    pub missed: u64,
}

impl Passed {
    /// Those of the connection that was opened first since the mark; all, where none was. So what still ends a connection before it
    /// is told apart.
    pub fn of_the_opened(mut self) -> Self {
        let opening = self.packets.iter().find(|packet| packet.syn && packet.way == Way::Up);
        if let Some(ports) = opening.and_then(|packet| packet.ports) {
            self.packets.retain(|packet| packet.ports == Some(ports));
        }
        self
    }

    /// Bytes of whole IP packets that came from one side, those that were lost too.
    pub fn bytes(&self, way: Way) -> u64 {
        self.packets.iter().filter(|packet| packet.way == way).map(|packet| u64::from(packet.bytes)).sum()
    }
}

/// The log, as long as it is.
#[derive(Debug)]
pub(crate) struct Log {
    capacity: usize,
    packets: VecDeque<PassedPacket>,
    /// How many have left it.
    forgotten: u64,
    pub(crate) up: LinkWay,
    pub(crate) down: LinkWay,
}

impl Log {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            packets: VecDeque::new(),
            forgotten: 0,
            up: LinkWay::default(),
            down: LinkWay::default(),
        }
    }

    fn of(&mut self, way: Way) -> &mut LinkWay {
        match way {
            Way::Up => &mut self.up,
            Way::Down => &mut self.down,
        }
    }

    /// A packet came.
    pub(crate) fn came(&mut self, packet: PassedPacket) {
        let counts = self.of(packet.way);
        counts.packets += 1;
        counts.bytes += u64::from(packet.bytes);
        match packet.fate {
            Fate::Held { .. } => {}
            Fate::Lost => counts.lost += 1,
            Fate::Overflowed => counts.overflowed += 1,
        }
        if self.packets.len() >= self.capacity {
            self.forgotten += 1;
            self.packets.pop_front();
        }
        if self.capacity > 0 {
            self.packets.push_back(packet);
        }
    }

    /// A packet was handed over, so much later than due.
    pub(crate) fn delivered(&mut self, way: Way, late_ns: u64) {
        let counts = self.of(way);
        counts.delivered += 1;
        counts.late_ns += late_ns;
        counts.very_late += u64::from(late_ns > VERY_LATE_NS);
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark(self.forgotten + self.packets.len() as u64)
    }

    pub(crate) fn since(&self, mark: Mark) -> Passed {
        let missed = self.forgotten.saturating_sub(mark.0);
        let from = usize::try_from(mark.0.saturating_sub(self.forgotten)).unwrap_or(usize::MAX);
        Passed { packets: self.packets.iter().skip(from).copied().collect(), missed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(at_ns: u64, way: Way, fate: Fate) -> PassedPacket {
        PassedPacket {
            at_ns,
            way,
            fate,
            bytes: 100,
            ports: None,
            payload: 0,
            syn: false,
            fin: false,
            rst: false,
        }
    }

    #[test]
    fn a_mark_leads_to_what_came_after_it() {
        let mut log = Log::new(3);
        let before = log.mark();
        log.came(packet(1, Way::Up, Fate::Lost));
        let mark = log.mark();
        log.came(packet(2, Way::Down, Fate::Overflowed));
        log.came(packet(3, Way::Up, Fate::Held { due_ns: 9 }));
        let times = |passed: &Passed| passed.packets.iter().map(|packet| packet.at_ns).collect::<Vec<_>>();
        let passed = log.since(mark);
        assert_eq!((times(&passed), passed.missed), (vec![2, 3], 0));
        assert_eq!((passed.bytes(Way::Up), passed.bytes(Way::Down)), (100, 100));
        // A ring of three: with the fifth packet the first two are gone, one of them after the mark.
        log.came(packet(4, Way::Up, Fate::Lost));
        log.came(packet(5, Way::Up, Fate::Lost));
        assert_eq!((times(&log.since(mark)), log.since(mark).missed), (vec![3, 4, 5], 1));
        assert_eq!(log.since(before).missed, 2);
        assert_eq!(log.since(log.mark()).packets, []);
    }

    #[test]
    fn the_end_of_a_connection_is_not_of_the_next() {
        let held = |at_ns, way| packet(at_ns, way, Fate::Held { due_ns: 9 });
        let (before, own) = (Some((40_000, 80)), Some((40_001, 80)));
        let packets = vec![
            PassedPacket { ports: before, fin: true, ..held(1, Way::Down) },
            PassedPacket { ports: own, syn: true, ..held(2, Way::Up) },
            PassedPacket { ports: before, ..held(3, Way::Up) },
            held(4, Way::Up),
            PassedPacket { ports: own, syn: true, ..held(5, Way::Down) },
            PassedPacket { ports: Some((40_002, 80)), syn: true, ..held(6, Way::Up) },
        ];
        let times = |passed: Passed| -> Vec<u64> {
            passed.of_the_opened().packets.iter().map(|packet| packet.at_ns).collect()
        };
        assert_eq!(times(Passed { packets: packets.clone(), missed: 0 }), [2, 5]);
        let nothing_opened = vec![packets[0], packets[2]];
        assert_eq!(times(Passed { packets: nothing_opened, missed: 0 }), [1, 3]);
    }

    #[test]
    fn counts_are_of_all_and_differ_between_readings() {
        let mut log = Log::new(0);
        log.came(packet(1, Way::Up, Fate::Lost));
        let earlier = log.up;
        log.came(packet(2, Way::Up, Fate::Overflowed));
        log.came(packet(3, Way::Up, Fate::Held { due_ns: 5 }));
        log.delivered(Way::Up, 7);
        log.delivered(Way::Up, 1_000_001);
        let expected = LinkWay {
            packets: 2,
            bytes: 200,
            lost: 0,
            overflowed: 1,
            delivered: 2,
            late_ns: 1_000_008,
            very_late: 1,
        };
        assert_eq!(log.up.since(&earlier), expected);
        assert_eq!((log.down, log.up.lost), (LinkWay::default(), 1));
        assert_eq!(log.since(Mark(0)).missed, 3, "a log of no length keeps none");
    }
}
