//! What the kernel counts of connections that had to wait for a place.

use std::fs;

/// Counts since the machine's start, of all programs that share the network of the calling thread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct NetworkCounts {
    /// Connections turned away because a queue of those to be accepted was full.
    pub(crate) listen_overflows: Option<u64>,
    /// First packets of a connection that were sent again.
    pub(crate) syn_retransmits: Option<u64>,
}

impl NetworkCounts {
    pub(crate) fn read() -> Self {
        parse(&fs::read_to_string("/proc/thread-self/net/netstat").unwrap_or_default())
    }

    /// What has been counted since.
    pub(crate) fn since(self, before: Self) -> Self {
        let more =
            |now: Option<u64>, then: Option<u64>| now.zip(then).map(|(now, then)| now.saturating_sub(then));
        Self {
            listen_overflows: more(self.listen_overflows, before.listen_overflows),
            syn_retransmits: more(self.syn_retransmits, before.syn_retransmits),
        }
    }
}

/// Pairs of lines, `TcpExt: NAME NAME` and `TcpExt: 1 2`.
fn parse(text: &str) -> NetworkCounts {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("TcpExt:"));
    let (names, values) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let value = |wanted: &str| {
        let mut pairs = names.split_ascii_whitespace().zip(values.split_ascii_whitespace());
        pairs.find(|(name, _)| *name == wanted)?.1.parse().ok()
    };
    NetworkCounts { listen_overflows: value("ListenOverflows"), syn_retransmits: value("TCPSynRetrans") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_found_by_name() {
        let text = "TcpExt: SyncookiesSent ListenOverflows ListenDrops TCPSynRetrans\nTcpExt: 9 3 4 17\n\
                    IpExt: ListenOverflows\nIpExt: 5\n";
        let found = NetworkCounts { listen_overflows: Some(3), syn_retransmits: Some(17) };
        assert_eq!(parse(text), found);
        assert_eq!(parse("TcpExt: ListenOverflows\nTcpExt: x\n"), NetworkCounts::default());
        assert_eq!(parse(""), NetworkCounts::default());
        let later = NetworkCounts { listen_overflows: Some(5), syn_retransmits: None };
        assert_eq!(later.since(found), NetworkCounts { listen_overflows: Some(2), syn_retransmits: None });
    }
}
