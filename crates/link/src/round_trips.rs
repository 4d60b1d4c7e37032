//! How often somebody had to wait for the other side of a link.

use std::collections::{HashMap, VecDeque};

use crate::log::{Fate, PassedPacket, Way};

/// The round trips that what the load received last had to wait for, over all connections together.
///
/// A packet *may depend* on each packet of the same connection that had arrived at its sender when it came to the link. The
/// longest chain of packets that may depend on one another, each in the direction opposite to the one before, ends in a packet
/// from the contender; half of its length is the number of round trips. Links of the chain may be of any kind, bare
/// acknowledgements too, so that the rounds of a slow start count; its last one must carry something: bytes, or the answer to a
/// packet that opens a connection. Connections that are opened one after the other have their round trips added up; what they do
/// at the same time counts once.
///
/// So opening a connection is one round trip, a request on an open one is one, a new connection with one request is two, and
/// three with TLS 1.3 in between. A round trip counts too many when the contender takes longer for an answer than the link for a
/// round trip, while something else arrives: the round-trip time should be longer than the contender's own.
///
/// `packets`: in the order in which they came to the link, as [`Passed::packets`](crate::Passed::packets) has them.
pub fn round_trips(packets: &[PassedPacket]) -> u32 {
    // Who opens a connection may have waited for all that the ones before it brought.
    let mut flows: HashMap<(u16, u16), Flow> = HashMap::new();
    let mut brought: Vec<Arrival> = Vec::new();
    let mut longest = 0;
    for packet in packets {
        let Some(ports) = packet.ports else { continue };
        let flow = flows.entry(ports).or_insert_with(|| Flow {
            base: brought
                .iter()
                .filter(|earlier| earlier.at_ns <= packet.at_ns)
                .map(|earlier| earlier.length)
                .max()
                .unwrap_or(0),
            ..Flow::default()
        });
        let length = flow.length_before(packet) + 1;
        if let Fate::Held { due_ns } = packet.fate {
            let arrival = Arrival { at_ns: due_ns, length };
            flow.arriving(packet.way).push(arrival);
            if packet.way == Way::Down && packet.carries() {
                brought.push(arrival);
                longest = longest.max(length);
            }
        }
    }
    longest.div_ceil(2)
}

#[derive(Debug, Clone, Copy)]
struct Arrival {
    at_ns: u64,
    length: u32,
}

/// A connection.
#[derive(Debug, Default)]
struct Flow {
    /// The chain that had come to its end when the connection began.
    base: u32,
    up: Arriving,
    down: Arriving,
}

/// What is on its way in a direction, and the longest chain that has arrived.
#[derive(Debug, Default)]
struct Arriving {
    arrived: u32,
    /// In the order in which it arrives.
    coming: VecDeque<Arrival>,
}

impl Arriving {
    fn push(&mut self, arrival: Arrival) {
        self.coming.push_back(arrival);
    }

    fn longest_at(&mut self, now_ns: u64) -> u32 {
        while let Some(arrival) = self.coming.front().filter(|arrival| arrival.at_ns <= now_ns) {
            self.arrived = self.arrived.max(arrival.length);
            self.coming.pop_front();
        }
        self.arrived
    }
}

impl Flow {
    fn arriving(&mut self, way: Way) -> &mut Arriving {
        match way {
            Way::Up => &mut self.up,
            Way::Down => &mut self.down,
        }
    }

    /// The longest chain that a packet may depend on.
    fn length_before(&mut self, packet: &PassedPacket) -> u32 {
        match packet.way {
            Way::Up => self.down.longest_at(packet.at_ns).max(self.base),
            Way::Down => self.up.longest_at(packet.at_ns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// Over a link of 20 ms: one that comes at a time in ms, with bytes or to open a connection.
    fn packet(port: u16, at_ms: u64, way: Way, payload: u16, syn: bool) -> PassedPacket {
        let at_ns = at_ms * MS;
        PassedPacket {
            at_ns,
            way,
            fate: Fate::Held { due_ns: at_ns + 10 * MS },
            bytes: 40 + payload,
            ports: Some((port, 80)),
            payload,
            syn,
            fin: false,
            rst: false,
        }
    }

    fn up(at_ms: u64, payload: u16) -> PassedPacket {
        packet(1, at_ms, Way::Up, payload, false)
    }

    fn down(at_ms: u64, payload: u16) -> PassedPacket {
        packet(1, at_ms, Way::Down, payload, false)
    }

    fn opening(port: u16, at_ms: u64) -> [PassedPacket; 3] {
        [
            packet(port, at_ms, Way::Up, 0, true),
            packet(port, at_ms + 10, Way::Down, 0, true),
            packet(port, at_ms + 20, Way::Up, 0, false),
        ]
    }

    #[test]
    fn a_connection_is_one_and_each_request_one_more() {
        assert_eq!(round_trips(&[]), 0);
        assert_eq!(round_trips(&opening(1, 0)), 1);
        let request = [up(20, 100), down(30, 0), down(31, 500), up(41, 0)];
        assert_eq!(round_trips(&[&opening(1, 0)[..], &request].concat()), 2);
        assert_eq!(round_trips(&request), 1, "on a connection that was open");
        // TLS 1.3: a flight each way, then the request with the last of the client's.
        let tls = [
            up(20, 300),
            down(30, 1_400),
            down(30, 900),
            up(40, 80),
            up(40, 200),
            down(50, 250),
            down(51, 500),
        ];
        assert_eq!(round_trips(&[&opening(1, 0)[..], &tls].concat()), 3);
    }

    #[test]
    fn what_is_only_said_in_between_is_no_round_trip() {
        // HTTP/2's settings are acknowledged while the answer is on its way.
        let http2 = [up(0, 200), down(10, 40), down(11, 500), up(20, 9)];
        assert_eq!(round_trips(&http2), 1);
        // Nobody waited for an answer.
        assert_eq!(round_trips(&[up(0, 100), down(10, 0)]), 0);
    }

    #[test]
    fn the_rounds_of_a_slow_start_count() {
        let rounds = [up(0, 100), down(10, 1_448), up(20, 0), down(30, 1_448), up(40, 0), down(50, 1_448)];
        assert_eq!(round_trips(&rounds), 3);
    }

    #[test]
    fn what_was_lost_caused_nothing() {
        let mut lost = opening(1, 0);
        lost[0].fate = Fate::Lost;
        let again = [packet(1, 1_000, Way::Up, 0, true), packet(1, 1_010, Way::Down, 0, true)];
        assert_eq!(round_trips(&[&lost[..1], &again].concat()), 1);
    }

    #[test]
    fn connections_add_up_one_after_the_other_and_not_side_by_side() {
        let second = opening(2, 50);
        assert_eq!(round_trips(&[&opening(1, 0)[..], &second].concat()), 2);
        let mut both = [opening(1, 0), opening(2, 1)].concat();
        both.sort_by_key(|packet| packet.at_ns);
        assert_eq!(round_trips(&both), 1);
        let udp = PassedPacket { ports: None, ..up(0, 10) };
        assert_eq!(round_trips(&[udp]), 0);
    }
}
