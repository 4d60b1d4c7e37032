//! Budgets as they are typed, and the part of one that is planned.

/// The share of a budget that is planned. The rest is for what the first launch cannot show: the last block of a launch waits
/// for every answer (2.4 s with puma), and machines get slower.
const PLANNED_SHARE: f64 = 0.97;
/// What is typed after `--budget` is a multiple of so many seconds.
pub(super) const STEP_S: u64 = 10;

/// The part of a budget that may be planned.
pub fn plannable_ns(budget_ns: u64) -> u64 {
    (budget_ns as f64 * PLANNED_SHARE) as u64
}

/// The budget that has room for a cost, in seconds, rounded up to what a person would type.
pub fn budget_for_s(cost_ns: u64) -> u64 {
    as_typed_ns(cost_ns as f64 / PLANNED_SHARE) / 1_000_000_000
}

/// A budget of at least so many nanoseconds as it would be typed.
pub(crate) fn as_typed_ns(needed_ns: f64) -> u64 {
    const STEP_NS: u64 = STEP_S * 1_000_000_000;
    ((needed_ns / STEP_NS as f64).ceil() as u64).saturating_mul(STEP_NS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn budgets_are_typed_in_tens_of_seconds() {
        assert_eq!(budget_for_s(320_000_000_000), 330);
        assert_eq!(as_typed_ns(10e9), 10_000_000_000);
        assert_eq!(as_typed_ns(10e9 + 1.0), 20_000_000_000);
        assert_eq!((as_typed_ns(-1.0), as_typed_ns(f64::NAN)), (0, 0));
    }

    proptest! {
        #[test]
        fn a_budget_has_room_for_what_it_is_for(cost_ns in 0_u64..1 << 50) {
            // A nanosecond or two are lost in the product.
            prop_assert!(plannable_ns(budget_for_s(cost_ns) * 1_000_000_000) + 2 >= cost_ns);
        }
    }
}
