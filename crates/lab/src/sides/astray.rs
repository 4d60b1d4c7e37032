//! A contender that listens, but not where it was told to.

use std::net::SocketAddr;
use std::time::Duration;

use crate::host::network::Network;
use crate::process::listening::{listeners, reaches};
use crate::sides::started::Started;

/// Between two looks; the first one is after the first of them.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// One that has listened elsewhere alone for so long, and did nothing meanwhile, is not on its way.
const CLEAR_AFTER: Duration = Duration::from_secs(3);
/// So much of a CPU is nothing.
const AT_REST: f64 = 0.05;

/// Watches a contender that does not answer yet.
#[derive(Debug)]
pub(crate) struct Astray {
    expected: SocketAddr,
    network: Network,
    next_look: Duration,
    /// Where it listens instead, since when, and the CPU time that it had used then.
    elsewhere: Option<Elsewhere>,
}

#[derive(Debug)]
struct Elsewhere {
    at: Vec<SocketAddr>,
    since: Duration,
    cpu_ns: Option<u64>,
}

impl Astray {
    pub(crate) fn new(expected: SocketAddr, network: Network) -> Self {
        Self { expected, network, next_look: LOOK_EVERY, elsewhere: None }
    }

    /// Looks now and then. In one line why it will not answer, once that is clear.
    pub(crate) fn look(&mut self, started: &Started) -> Option<String> {
        let now = started.began.elapsed();
        if now < self.next_look {
            return None;
        }
        self.next_look = now + LOOK_EVERY;
        let pids = started.pids();
        // Where they cannot be looked for nobody is seen to be elsewhere.
        let at = self.network.at_contenders(|| listeners(&pids)).unwrap_or_default();
        self.seen(now, at, started.cage.cpu_ns())
    }

    /// Where it listens instead, in words, as far as was seen.
    pub(crate) fn words(&self) -> Option<String> {
        let elsewhere = self.elsewhere.as_ref()?;
        let at: Vec<String> = elsewhere.at.iter().map(ToString::to_string).collect();
        Some(format!(
            "it listens on {}, expected {} as HOST and PORT in its environment say",
            at.join(" and "),
            self.expected
        ))
    }

    fn seen(&mut self, now: Duration, at: Vec<SocketAddr>, cpu_ns: Option<u64>) -> Option<String> {
        if at.is_empty() || at.iter().any(|at| reaches(*at, self.expected)) {
            self.elsewhere = None;
            return None;
        }
        let rests = |since: &Elsewhere| {
            let used = cpu_ns?.checked_sub(since.cpu_ns?)?;
            Some(used as f64 <= AT_REST * (now - since.since).as_nanos() as f64)
        };
        match &self.elsewhere {
            Some(elsewhere) if elsewhere.at == at && rests(elsewhere) == Some(true) => {
                let is_clear = now - elsewhere.since >= CLEAR_AFTER;
                is_clear.then(|| self.words()).flatten()
            }
            _ => {
                self.elsewhere = Some(Elsewhere { at, since: now, cpu_ns });
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(addresses: &[&str]) -> Vec<SocketAddr> {
        addresses.iter().map(|address| address.parse().unwrap()).collect()
    }

    const MS: u64 = 1_000_000;

    fn astray() -> Astray {
        Astray::new("127.0.0.1:45001".parse().unwrap(), Network::default())
    }

    fn looks(
        astray: &mut Astray,
        addresses: &[&str],
        cpu_ms_a_look: u64,
        until_ms: u64,
    ) -> Option<(u64, String)> {
        (1..=until_ms / 500).find_map(|look| {
            let now = Duration::from_millis(look * 500);
            let words = astray.seen(now, at(addresses), Some(look * cpu_ms_a_look * MS))?;
            Some((look * 500, words))
        })
    }

    #[test]
    fn one_that_rests_elsewhere_is_named_with_both_addresses() {
        let (after_ms, words) = looks(&mut astray(), &["0.0.0.0:8080", "[::]:9090"], 1, 60_000).unwrap();
        assert_eq!(after_ms, 3_500);
        assert_eq!(
            words,
            "it listens on 0.0.0.0:8080 and [::]:9090, expected 127.0.0.1:45001 as HOST and PORT in its environment say"
        );
        let other_address = looks(&mut astray(), &["[::1]:45001"], 1, 60_000).unwrap().1;
        assert!(other_address.starts_with("it listens on [::1]:45001, expected 127.0.0.1:45001"));
    }

    #[test]
    fn one_that_still_works_or_comes_to_the_right_place_is_waited_for() {
        let mut busy = astray();
        assert_eq!(looks(&mut busy, &["127.0.0.1:8080"], 100, 60_000), None, "it compiles, say");
        assert!(busy.words().is_some(), "at its limit that is told all the same");
        for right in ["127.0.0.1:45001", "0.0.0.0:45001", "[::]:45001"] {
            let mut both = astray();
            assert_eq!(looks(&mut both, &["127.0.0.1:8080", right], 0, 60_000), None, "{right}");
            assert_eq!(both.words(), None);
        }
        assert_eq!(looks(&mut astray(), &[], 0, 60_000), None, "it does not listen yet");
    }

    #[test]
    fn without_its_cpu_time_or_with_new_places_nothing_is_clear() {
        let mut unknown = astray();
        let mut moving = astray();
        for look in 1..100 {
            let now = Duration::from_millis(look * 500);
            assert_eq!(unknown.seen(now, at(&["127.0.0.1:80"]), None), None);
            assert_eq!(moving.seen(now, at(&[&format!("127.0.0.1:{look}")]), Some(0)), None);
        }
        assert!(unknown.words().is_some());
    }
}
