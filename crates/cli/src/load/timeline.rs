//! A load part by part, in bounded memory however long it is.

use velo_record::LoadMoment;

/// More parts than a picture can show.
const MOST: usize = 1_000;

/// What was seen up to now.
#[derive(Debug, Default)]
pub(super) struct Timeline {
    pub(super) moments: Vec<LoadMoment>,
    /// Failures since the load began.
    failed: u64,
    /// The least that a part lasts.
    least_ns: u64,
}

impl Timeline {
    /// A part that ends so long after the beginning of the load. `failed`: failures since that beginning.
    pub(super) fn push(&mut self, at_ns: u64, correct_per_s: f64, failed: u64) {
        let part = LoadMoment { at_ns, correct_per_s, failed: failed.saturating_sub(self.failed) };
        self.failed = failed;
        let last = self.moments.len().checked_sub(1);
        let before_ns = |index: usize| index.checked_sub(1).map_or(0, |before| self.moments[before].at_ns);
        match last {
            Some(last) if self.moments[last].at_ns - before_ns(last) < self.least_ns => {
                self.moments[last] = joined(before_ns(last), self.moments[last], part);
            }
            _ => self.moments.push(part),
        }
        if self.moments.len() > MOST {
            self.halve();
        }
    }

    /// Joins each two neighbours.
    fn halve(&mut self) {
        self.least_ns = self.moments.last().map_or(0, |last| 2 * last.at_ns / self.moments.len() as u64);
        let mut from_ns = 0;
        let pairs = self.moments.chunks(2).map(|pair| {
            let part = if let &[one, two] = pair { joined(from_ns, one, two) } else { pair[0] };
            from_ns = part.at_ns;
            part
        });
        self.moments = pairs.collect();
    }
}

/// Two parts as one; the first begins at `from_ns`.
fn joined(from_ns: u64, one: LoadMoment, two: LoadMoment) -> LoadMoment {
    let (first_ns, second_ns) = (one.at_ns.saturating_sub(from_ns), two.at_ns.saturating_sub(one.at_ns));
    let answers = one.correct_per_s * first_ns as f64 + two.correct_per_s * second_ns as f64;
    LoadMoment {
        at_ns: two.at_ns,
        correct_per_s: answers / (first_ns + second_ns).max(1) as f64,
        failed: one.failed.saturating_add(two.failed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    #[test]
    fn failures_are_those_of_each_part() {
        let mut timeline = Timeline::default();
        timeline.push(S, 1_000.0, 3);
        timeline.push(2 * S, 900.0, 3);
        timeline.push(3 * S, 800.0, 10);
        let failed: Vec<u64> = timeline.moments.iter().map(|part| part.failed).collect();
        assert_eq!(failed, [3, 0, 7]);
    }

    #[test]
    fn a_long_load_keeps_its_sums_in_few_parts() {
        let mut timeline = Timeline::default();
        let seconds = 10_000_u64;
        let mut answers = 0.0;
        for second in 1..=seconds {
            let per_s = 1_000.0 + (second % 10) as f64;
            answers += per_s;
            timeline.push(second * S, per_s, second * 2);
        }
        let parts = &timeline.moments;
        assert!((MOST / 3..=MOST).contains(&parts.len()), "{} parts", parts.len());
        assert_eq!(parts.last().map(|part| part.at_ns), Some(seconds * S));
        assert_eq!(parts.iter().map(|part| part.failed).sum::<u64>(), 2 * seconds);
        let starts = std::iter::once(0).chain(parts.iter().map(|part| part.at_ns));
        let sum: f64 = parts
            .iter()
            .zip(starts)
            .map(|(part, from)| part.correct_per_s * (part.at_ns - from) as f64 / 1e9)
            .sum();
        assert!((sum / answers - 1.0).abs() < 1e-9, "{sum} of {answers}");
    }
}
