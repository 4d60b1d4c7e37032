use velo_stats::Histogram;

/// A histogram of times that often come many in a row alike: requests that were sent together and answered together. Such a row is
/// counted and recorded when it ends.
#[derive(Debug, Default)]
pub(super) struct Repeated {
    recorded: Histogram,
    row_ns: u64,
    row: u64,
}

impl Repeated {
    #[inline]
    pub(super) fn record(&mut self, ns: u64) {
        if ns == self.row_ns {
            self.row += 1;
            return;
        }
        self.recorded.record_many(self.row_ns, self.row);
        (self.row_ns, self.row) = (ns, 1);
    }

    /// Adds all that was recorded to another histogram.
    pub(super) fn add_to(&self, sum: &mut Histogram) {
        sum.merge(&self.recorded);
        sum.record_many(self.row_ns, self.row);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn rows_are_recorded_as_what_they_are_of(times in proptest::collection::vec(0u64..4, 0..40)) {
            let (mut repeated, mut plain, mut sum) = (Repeated::default(), Histogram::new(), Histogram::new());
            for ns in times {
                repeated.record(ns);
                plain.record(ns);
            }
            repeated.add_to(&mut sum);
            prop_assert_eq!(sum, plain);
        }
    }
}
