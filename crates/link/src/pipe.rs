//! One direction of a link: what becomes of each packet, and when it is due at the other end. Pure: the time is handed in.

use std::collections::VecDeque;

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use velo_model::Link;

use crate::log::Fate;
use crate::tun::MTU;

/// The queue before a slow rate has room for so many packets at least.
const LEAST_ROOM: usize = 64;
/// The most bytes on their way in a direction, whatever rate and round-trip time are.
const MOST_HELD: usize = 64 << 20;

/// A direction.
#[derive(Debug)]
pub(crate) struct Pipe {
    link: Link,
    /// How long what waits may take to be sent.
    room_ns: u64,
    random: ChaCha8Rng,
    /// When all that was taken will have been sent.
    sent_at_ns: u64,
    /// In the order in which they are due.
    held: VecDeque<Held>,
    held_bytes: usize,
}

#[derive(Debug)]
struct Held {
    due_ns: u64,
    packet: Box<[u8]>,
}

impl Pipe {
    /// `direction`: another one for each direction of a link, so that they lose different packets.
    pub(crate) fn new(link: &Link, seed: u64, direction: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(direction);
        let least_ns = link.sending_ns((LEAST_ROOM * MTU) as u64);
        Self {
            link: *link,
            room_ns: link.rtt_ns.max(least_ns),
            random,
            sent_at_ns: 0,
            held: VecDeque::new(),
            held_bytes: 0,
        }
    }

    /// Takes a packet, and says what becomes of it.
    pub(crate) fn take(&mut self, now_ns: u64, packet: &[u8]) -> Fate {
        if self.is_lost() {
            return Fate::Lost;
        }
        // What is on its way already, or being sent, is not in the queue.
        let waits_ns = self.sent_at_ns.saturating_sub(now_ns);
        if waits_ns > self.room_ns || self.held_bytes + packet.len() > MOST_HELD {
            return Fate::Overflowed;
        }
        self.sent_at_ns =
            self.sent_at_ns.max(now_ns).saturating_add(self.link.sending_ns(packet.len() as u64));
        let due_ns = self.sent_at_ns.saturating_add(self.link.one_way_ns());
        self.held_bytes += packet.len();
        self.held.push_back(Held { due_ns, packet: packet.into() });
        Fate::Held { due_ns }
    }

    fn is_lost(&mut self) -> bool {
        if self.link.loss <= 0.0 {
            return false;
        }
        // 53 bits are what a fraction holds.
        let drawn = (self.random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        drawn < self.link.loss
    }

    /// When the next packet is due.
    pub(crate) fn next_due_ns(&self) -> Option<u64> {
        self.held.front().map(|held| held.due_ns)
    }

    /// A packet that is due, with when it was.
    pub(crate) fn due(&mut self, now_ns: u64) -> Option<(u64, Box<[u8]>)> {
        self.next_due_ns().filter(|due_ns| *due_ns <= now_ns)?;
        let held = self.held.pop_front()?;
        self.held_bytes -= held.packet.len();
        Some((held.due_ns, held.packet))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn link(text: &str) -> Link {
        text.parse().expect("a link")
    }

    fn pipe(text: &str) -> Pipe {
        Pipe::new(&link(text), 7, 0)
    }

    #[test]
    fn a_packet_takes_half_of_the_round_trip_and_its_sending() {
        let mut pipe = pipe("rtt=20ms,rate=100mbit");
        assert_eq!(pipe.take(1_000, &[0; 1_500]), Fate::Held { due_ns: 10_121_000 });
        // The next one waits until that one has been sent, and not until it has arrived.
        assert_eq!(pipe.take(2_000, &[1; 150]), Fate::Held { due_ns: 10_133_000 });
        assert_eq!(pipe.next_due_ns(), Some(10_121_000));
        assert_eq!(pipe.due(10_120_999), None);
        assert_eq!(
            pipe.due(10_121_000).map(|(due_ns, packet)| (due_ns, packet.len())),
            Some((10_121_000, 1_500))
        );
        assert_eq!(pipe.due(10_121_000), None);
        assert_eq!(pipe.due(u64::MAX).map(|(_, packet)| packet[0]), Some(1));
        assert_eq!((pipe.next_due_ns(), pipe.held_bytes), (None, 0));
    }

    #[test]
    fn without_a_rate_none_waits_for_another() {
        let mut pipe = pipe("rtt=20ms");
        for at in [0, 0, 5] {
            assert_eq!(pipe.take(at, &[0; 1_500]), Fate::Held { due_ns: at + 10_000_000 });
        }
    }

    #[test]
    fn a_full_queue_drops_and_has_room_again() {
        // 12 ms for a packet; 64 of them are more than the round-trip time.
        let mut pipe = pipe("rtt=20ms,rate=1mbit");
        let taken = (0..100).filter(|_| pipe.take(0, &[0; 1_500]) != Fate::Overflowed).count();
        assert_eq!(taken, 65, "64 wait, and one is being sent");
        assert_eq!(pipe.take(11_000_000, &[0; 1_500]), Fate::Overflowed);
        assert!(matches!(pipe.take(12_000_000, &[0; 1_500]), Fate::Held { .. }));
    }

    #[test]
    fn memory_is_bounded() {
        let mut pipe = pipe("rtt=10s");
        let taken = (0..60_000).filter(|_| pipe.take(0, &[0; 1_500]) != Fate::Overflowed).count();
        assert_eq!(taken, MOST_HELD / 1_500);
    }

    #[test]
    fn losses_repeat_with_the_seed_and_differ_by_direction() {
        let fates = |seed, direction| {
            let mut pipe = Pipe::new(&link("loss=10%"), seed, direction);
            (0..1_000).map(|at| pipe.take(at, &[0]) == Fate::Lost).collect::<Vec<_>>()
        };
        let first = fates(7, 0);
        assert_eq!(first, fates(7, 0));
        assert_ne!(first, fates(7, 1));
        assert_ne!(first, fates(8, 0));
    }

    /// Chi-square with one degree of freedom: above 23.9 once in a million; the seed makes it the same each time.
    #[test]
    fn as_many_are_lost_as_was_asked() {
        for (text, share) in [("loss=0.1%", 0.001), ("loss=1%", 0.01), ("loss=50%", 0.5)] {
            let mut pipe = pipe(text);
            let packets = 200_000;
            let lost = (0..packets).filter(|at| pipe.take(*at, &[0]) == Fate::Lost).count() as f64;
            while pipe.due(u64::MAX).is_some() {}
            let expected = packets as f64 * share;
            let chi_square = (lost - expected).powi(2) / expected
                + (lost - expected).powi(2) / (packets as f64 - expected);
            assert!(chi_square < 23.9, "{text}: {lost} of {packets}, chi-square {chi_square}");
        }
        let mut pipe = pipe("rtt=1ms");
        assert!((0..1_000).all(|at| pipe.take(at, &[0]) != Fate::Lost));
    }

    proptest! {
        #[test]
        fn packets_come_in_order_and_never_early(
            rtt_ms in 0u64..50, rate in proptest::option::of(1_000u64..1_000_000_000),
            steps in prop::collection::vec((0u64..1_000_000, 1usize..1_500), 1..100),
        ) {
            let link = Link { rtt_ns: rtt_ms * 1_000_000, rate_bits_per_s: rate, loss: 0.0 };
            let mut pipe = Pipe::new(&link, 1, 0);
            let (mut now_ns, mut last_ns, mut taken) = (0, 0, 0);
            for (step, bytes) in steps {
                now_ns += step;
                if let Fate::Held { due_ns } = pipe.take(now_ns, &vec![0; bytes]) {
                    taken += 1;
                    prop_assert!(due_ns >= now_ns + link.one_way_ns() + link.sending_ns(bytes as u64));
                    prop_assert!(due_ns >= last_ns);
                    last_ns = due_ns;
                }
            }
            let mut out = 0;
            while pipe.due(u64::MAX).is_some() { out += 1; }
            prop_assert_eq!((out, pipe.held_bytes), (taken, 0));
        }
    }
}
