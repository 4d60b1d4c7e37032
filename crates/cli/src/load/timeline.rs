//! A load part by part, in bounded memory however long it is.

use velo_record::{EncodedHistogram, LoadMoment};
use velo_stats::Histogram;

/// More parts than a picture can show.
const MOST: usize = 1_000;
/// Shorter parts would have too few answers for percentiles of their own. Less than a second, so that parts of about one stay apart.
const LEAST_NS: u64 = 900_000_000;

/// What was seen up to now.
#[derive(Debug, Default)]
pub(super) struct Timeline {
    parts: Vec<Part>,
    /// The least that a part lasts, where that is more than [`LEAST_NS`].
    least_ns: u64,
}

#[derive(Debug, Clone)]
struct Part {
    moment: LoadMoment,
    /// The times of its answers, encoded: a histogram as such takes more memory than all of these.
    times: EncodedHistogram,
}

impl Timeline {
    /// A part behind those before, with the times of its answers.
    pub(super) fn push(&mut self, moment: LoadMoment, times: &Histogram) {
        let part = Part::of(moment, times);
        let least_ns = self.least_ns.max(LEAST_NS);
        let before_ns = self.parts.iter().rev().nth(1).map_or(0, |before| before.moment.at_ns);
        match self.parts.last_mut() {
            Some(last) if last.moment.at_ns.saturating_sub(before_ns) < least_ns => {
                *last = joined(before_ns, last, &part);
            }
            _ => self.parts.push(part),
        }
        if self.parts.len() > MOST {
            self.halve();
        }
    }

    /// The parts in their order.
    pub(super) fn moments(&self) -> Vec<LoadMoment> {
        self.parts.iter().map(|part| part.moment).collect()
    }

    /// Joins each two neighbours.
    fn halve(&mut self) {
        let last_ns = self.parts.last().map_or(0, |last| last.moment.at_ns);
        self.least_ns = 2 * last_ns / self.parts.len() as u64;
        let mut from_ns = 0;
        let pairs = self.parts.chunks(2).map(|pair| {
            let part = if let [one, two] = pair { joined(from_ns, one, two) } else { pair[0].clone() };
            from_ns = part.moment.at_ns;
            part
        });
        self.parts = pairs.collect();
    }
}

impl Part {
    fn of(moment: LoadMoment, times: &Histogram) -> Self {
        let (p50_ns, p99_ns) = (times.quantile_ns(0.5), times.quantile_ns(0.99));
        Self { moment: LoadMoment { p50_ns, p99_ns, ..moment }, times: EncodedHistogram::new(times) }
    }

    fn times(&self) -> Histogram {
        // OK because it was encoded here.
        self.times.decode().unwrap_or_default()
    }
}

/// Two parts as one; the first begins at `from_ns`.
fn joined(from_ns: u64, first: &Part, second: &Part) -> Part {
    let (one, two) = (&first.moment, &second.moment);
    let (first_ns, second_ns) = (one.at_ns.saturating_sub(from_ns), two.at_ns.saturating_sub(one.at_ns));
    let mean = |one: f64, two: f64| {
        (one * first_ns as f64 + two * second_ns as f64) / (first_ns + second_ns).max(1) as f64
    };
    let mean_of = |one: Option<f64>, two: Option<f64>| one.zip(two).map(|(one, two)| mean(one, two));
    let mut times = first.times();
    times.merge(&second.times());
    let moment = LoadMoment {
        at_ns: two.at_ns,
        correct_per_s: mean(one.correct_per_s, two.correct_per_s),
        failed: one.failed.saturating_add(two.failed),
        offered_per_s: mean_of(one.offered_per_s, two.offered_per_s),
        sent_per_s: mean_of(one.sent_per_s, two.sent_per_s),
        ..LoadMoment::default()
    };
    Part::of(moment, &times)
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn times(ns: u64, samples: u64) -> Histogram {
        let mut times = Histogram::new();
        times.record_many(ns, samples);
        times
    }

    #[test]
    fn a_part_has_the_percentiles_of_its_answers_and_none_without() {
        let mut timeline = Timeline::default();
        for (second, samples) in [(1, 2_000), (2, 500), (3, 0)] {
            let moment = LoadMoment { at_ns: second * S, ..LoadMoment::default() };
            timeline.push(moment, &times(second * 1_000, samples));
        }
        let near = |found: Option<u64>, ns: u64| found.is_some_and(|found| found.abs_diff(ns) <= ns / 1_000);
        let parts = timeline.moments();
        assert!(near(parts[0].p50_ns, 1_000) && near(parts[0].p99_ns, 1_000), "{parts:?}");
        assert!(near(parts[1].p50_ns, 2_000) && parts[1].p99_ns.is_none(), "too few beyond: {parts:?}");
        assert_eq!((parts[2].p50_ns, parts[2].p99_ns), (None, None));
    }

    #[test]
    fn parts_that_are_too_short_are_one() {
        let mut timeline = Timeline::default();
        for (half, sent_per_s) in [(1, 100.0), (2, 300.0), (3, 50.0)] {
            let moment = LoadMoment {
                at_ns: half * S / 2,
                correct_per_s: sent_per_s / 2.0,
                failed: half,
                offered_per_s: Some(400.0),
                sent_per_s: Some(sent_per_s),
                ..LoadMoment::default()
            };
            timeline.push(moment, &times(half * 1_000, 1_500));
        }
        let parts = timeline.moments();
        assert_eq!(parts.iter().map(|part| part.at_ns).collect::<Vec<_>>(), [S, 3 * S / 2]);
        let rates = (parts[0].correct_per_s, parts[0].offered_per_s, parts[0].sent_per_s, parts[0].failed);
        assert_eq!(rates, (100.0, Some(400.0), Some(200.0), 3));
        assert!(parts[0].p99_ns.is_some_and(|p99| p99.abs_diff(2_000) <= 2), "of both: {parts:?}");
    }

    #[test]
    fn a_long_load_keeps_its_sums_in_few_parts() {
        let mut timeline = Timeline::default();
        let seconds = 10_000_u64;
        let mut answers = 0.0;
        for second in 1..=seconds {
            let per_s = 1_000.0 + (second % 10) as f64;
            answers += per_s;
            let moment =
                LoadMoment { at_ns: second * S, correct_per_s: per_s, failed: 2, ..LoadMoment::default() };
            timeline.push(moment, &Histogram::new());
        }
        let parts = timeline.moments();
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
