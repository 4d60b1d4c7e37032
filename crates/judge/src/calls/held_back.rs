//! Where Nagle's algorithm meets a delayed acknowledgement: one side does not write on before the other acknowledges, and that one
//! waits for something to send along with it.

/// Linux holds an acknowledgement back for 40 ms at least. Below this a wait is something else.
const LEAST_NS: f64 = 35e6;
/// And above this, which leaves room for a handshake's own work.
const MOST_NS: f64 = 55e6;

/// Of one contender's calls under all conditions: by how much each lasts as long as a delayed acknowledgement more than explained.
///
/// `rests`: what remains of each whole call without its round trips, in nanoseconds. The contender's own work is in the shortest of
/// them; what is longer than that by about 40 ms has waited for an acknowledgement.
pub(super) fn held_back_ns(rests: &[f64]) -> Vec<Option<f64>> {
    let shortest = rests.iter().copied().fold(f64::INFINITY, f64::min).max(0.0);
    rests.iter().map(|rest| Some(rest - shortest).filter(|ns| (LEAST_NS..=MOST_NS).contains(ns))).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn forty_milliseconds_more_than_elsewhere_are_an_acknowledgement() {
        assert_eq!(held_back_ns(&[1e6, 41e6, 3e6]), [None, Some(40e6), None]);
        assert_eq!(held_back_ns(&[50e6, 52e6]), [None, None], "a contender that takes that long anyway");
        assert_eq!(held_back_ns(&[41e6]), [None], "with nothing to hold it against");
        assert_eq!(held_back_ns(&[1e6, 101e6, 21e6]), [None, None, None], "a round trip, or anything else");
        assert_eq!(held_back_ns(&[-1e6, 41e6]), [None, Some(41e6)], "round trips that are counted too often");
        assert!(held_back_ns(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn any_times_get_an_answer_each(rests in prop::collection::vec(any::<f64>(), 0..20)) {
            prop_assert_eq!(held_back_ns(&rests).len(), rests.len());
        }
    }
}
