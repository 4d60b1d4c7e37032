use hdrhistogram::serialization::{Deserializer, Serializer, V2Serializer};

/// The greatest value kept apart, 2,000,000 s in nanoseconds; longer ones count as this. That is beyond the longest load with the longest
/// timeout that can be asked for, so no duration that is measured is cut.
const HIGHEST_NS: u64 = 2_000_000_000_000_000;
/// The same of files that were written earlier.
const EARLIER_HIGHEST_NS: u64 = 100_000_000_000;
/// Three significant digits: a value is kept to within 0.1 %.
const DIGITS: u8 = 3;

/// A histogram of durations in nanoseconds, exact to three significant digits from 1 ns to 2,000,000 s (23 days).
///
/// Longer durations are counted as that. Merging loses nothing, up to 4,294,967,295 samples of one value. One without
/// samples takes no memory, one with any about 168 KiB.
#[derive(Debug, Clone)]
pub struct Histogram(Option<Box<Counts>>);

type Counts = hdrhistogram::Histogram<u32>;

fn no_counts() -> Counts {
    counts_up_to(HIGHEST_NS)
}

fn counts_up_to(highest_ns: u64) -> Counts {
    // OK because all bounds that are asked for are within hdrhistogram's documented ranges.
    Counts::new_with_bounds(1, highest_ns, DIGITS).expect("bounds are valid")
}

fn encoded(counts: &Counts) -> Vec<u8> {
    let mut bytes = Vec::new();
    // OK because writing to a Vec cannot fail and the counts fit the encoding.
    V2Serializer::new().serialize(counts, &mut bytes).expect("a Vec takes all bytes");
    bytes
}

impl PartialEq for Histogram {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(own), Some(others)) => own == others,
            _ => self.is_empty() && other.is_empty(),
        }
    }
}

/// Why bytes are not a histogram.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistogramError(String);

impl std::fmt::Display for HistogramError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "not a histogram: {}", self.0)
    }
}

impl std::error::Error for HistogramError {}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Histogram {
    /// An empty one.
    pub fn new() -> Self {
        Self(None)
    }

    fn counts(&mut self) -> &mut Counts {
        self.0.get_or_insert_with(|| Box::new(no_counts()))
    }

    /// What hdrhistogram's own writers take.
    pub(crate) fn with_counts<T>(&self, write: impl FnOnce(&Counts) -> T) -> T {
        match &self.0 {
            Some(counts) => write(counts),
            None => write(&no_counts()),
        }
    }

    /// Counts one duration.
    #[inline]
    pub fn record(&mut self, ns: u64) {
        // The buckets reach further than the bound that they were made for.
        self.counts().saturating_record(ns.min(HIGHEST_NS));
    }

    /// Counts one duration many times.
    pub fn record_many(&mut self, ns: u64, times: u64) {
        let times = u32::try_from(times).unwrap_or(u32::MAX);
        if times > 0 {
            self.counts().saturating_record_n(ns.min(HIGHEST_NS), times);
        }
    }

    /// Adds all of another.
    pub fn merge(&mut self, other: &Self) {
        match (&mut self.0, &other.0) {
            // OK because both have the same bounds, which is all that this can fail on.
            (Some(own), Some(others)) => own.add(&**others).expect("same bounds"),
            (None, Some(others)) => self.0 = Some(others.clone()),
            (_, None) => {}
        }
    }

    /// Takes all of another away again, which must have been counted here before.
    pub fn take_back(&mut self, other: &Self) {
        if let (Some(own), Some(others)) = (&mut self.0, &other.0) {
            // Counted anew, since `subtract` keeps the least value that is not zero when a zero was counted too.
            let mut left = no_counts();
            for recorded in own.iter_recorded() {
                let value = recorded.value_iterated_to();
                let count = recorded.count_at_value().saturating_sub(others.count_at(value));
                if count > 0 {
                    // OK because the value is one that the same bounds have taken before.
                    left.record_n(value, count).expect("same bounds");
                }
            }
            **own = left;
        }
    }

    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        if let Some(counts) = &mut self.0 {
            counts.reset();
        }
    }

    /// How many were counted.
    pub fn count(&self) -> u64 {
        self.0.as_ref().map_or(0, |counts| counts.len())
    }

    /// Whether none was.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// The quantile `q` in `[0, 1]`: the smallest value v such that at least ceil(q * n) samples are <= v, to within
    /// 0.1 % above it. `None` when there are no samples, or when `q` is above 0.5 and fewer than 10 lie beyond it.
    pub fn quantile_ns(&self, q: f64) -> Option<u64> {
        self.quantile_with_beyond(q, 10)
    }

    /// The same however few lie beyond: what these samples have, which says little of others.
    pub fn quantile_of_few_ns(&self, q: f64) -> Option<u64> {
        self.quantile_with_beyond(q, 0)
    }

    /// The same with another number of samples that must lie beyond one above 0.5.
    pub(crate) fn quantile_with_beyond(&self, q: f64, beyond: u64) -> Option<u64> {
        let n = self.count();
        if n == 0 || !(0.0..=1.0).contains(&q) {
            return None;
        }
        let rank = rank(q, n);
        if q > 0.5 && n - rank < beyond {
            return None;
        }
        // Half a sample below the rank, so that rounding inside hdrhistogram cannot reach the next one.
        self.0.as_ref().map(|counts| counts.value_at_quantile((rank as f64 - 0.5) / n as f64))
    }

    /// The greatest duration.
    pub fn max_ns(&self) -> Option<u64> {
        self.0.as_ref().filter(|counts| !counts.is_empty()).map(|counts| counts.max())
    }

    /// The mean.
    pub fn mean_ns(&self) -> Option<f64> {
        self.0.as_ref().filter(|counts| !counts.is_empty()).map(|counts| counts.mean())
    }

    /// What was counted, by rising duration: each duration as it is kept, and how often. At most 43,008 of them.
    pub fn recorded(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let values = self.0.iter().flat_map(|counts| counts.iter_recorded());
        values.map(|value| (value.value_iterated_to(), value.count_at_value().into()))
    }

    /// The same durations, each longer by this, to within 0.1 %.
    #[must_use]
    pub fn later_by(&self, ns: u64) -> Self {
        let mut later = Self::new();
        for (value_ns, times) in self.recorded() {
            later.record_many(value_ns.saturating_add(ns), times);
        }
        later
    }

    /// HdrHistogram's V2 encoding.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.with_counts(encoded)
    }

    /// Reads HdrHistogram's V2 encoding of a histogram with this type's bounds, or with those to 100 s that it had before.
    ///
    /// # Errors
    /// When the bytes are anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, HistogramError> {
        let earlier = encoded(&counts_up_to(EARLIER_HIGHEST_NS));
        let is_earlier = bytes.get(BOUNDS) == earlier.get(BOUNDS);
        check_encoding(bytes, &if is_earlier { earlier } else { Self::new().to_bytes() })?;
        let mut reader = bytes;
        let read: Counts = Deserializer::new()
            .deserialize(&mut reader)
            .map_err(|error| HistogramError(error.to_string()))?;
        if !is_earlier {
            return Ok(Self(Some(Box::new(read))));
        }
        let mut counts = no_counts();
        counts.add(&read).map_err(|error| HistogramError(error.to_string()))?;
        Ok(Self(Some(Box::new(counts))))
    }
}

/// ceil(q * n), from 1 to n. 0.07 * 100 is 7.000000000000001 in binary: a product that is whole but for rounding counts
/// as whole.
fn rank(q: f64, n: u64) -> u64 {
    let product = q * n as f64;
    let whole = product.round();
    let rank = if (product - whole).abs() <= product * 1e-12 { whole } else { product.ceil() };
    (rank as u64).clamp(1, n)
}

/// Cookie, payload length, normalizing offset, digits, lowest, highest, ratio.
const HEADER_BYTES: usize = 40;
const PAYLOAD_LENGTH: std::ops::Range<usize> = 4..8;
/// Digits, lowest and highest.
const BOUNDS: std::ops::Range<usize> = 12..32;

/// hdrhistogram's reader allocates whatever the header declares and overflows on a run of 2^63 zeros, so both are
/// checked before it sees them. `empty` is an encoded histogram with the right bounds.
fn check_encoding(bytes: &[u8], empty: &[u8]) -> Result<(), HistogramError> {
    let refused = |why: &str| Err(HistogramError(why.to_owned()));
    let (Some(header), Some(right)) = (bytes.get(..HEADER_BYTES), empty.get(..HEADER_BYTES)) else {
        return refused("shorter than a header");
    };
    if header[..PAYLOAD_LENGTH.start] != right[..PAYLOAD_LENGTH.start]
        || header[PAYLOAD_LENGTH.end..] != right[PAYLOAD_LENGTH.end..]
    {
        return refused("not HdrHistogram V2 from 1 ns to 2,000,000 s with three digits");
    }
    let payload = &bytes[HEADER_BYTES..];
    let declared =
        header[PAYLOAD_LENGTH].iter().fold(0_usize, |length, byte| (length << 8) | usize::from(*byte));
    if declared != payload.len() {
        return refused("not as long as it says");
    }
    let mut rest = payload;
    while !rest.is_empty() {
        let Some((number, behind)) = zig_zag_leb128(rest) else { return refused("ends inside a number") };
        // A negative number is a run of that many empty buckets.
        if number < -i64::from(u32::MAX) || number > i64::from(u32::MAX) {
            return refused("a count beyond 4,294,967,295");
        }
        rest = behind;
    }
    Ok(())
}

/// A number of HdrHistogram's payload (LEB128 of at most nine bytes, the ninth whole; zig-zag) and what follows it.
fn zig_zag_leb128(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let mut value = 0_u64;
    for (place, byte) in bytes.iter().enumerate().take(9) {
        let last = place == 8;
        value |= u64::from(if last { *byte } else { byte & 0x7f }) << (7 * place);
        if last || byte & 0x80 == 0 {
            return Some((((value >> 1) as i64) ^ -((value & 1) as i64), &bytes[place + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(values: &[u64]) -> Histogram {
        let mut histogram = Histogram::new();
        values.iter().for_each(|value| histogram.record(*value));
        histogram
    }

    #[test]
    fn known_answers() {
        let histogram = of(&(1..=1000).collect::<Vec<u64>>());
        for (q, expected) in
            [(0.0, 1), (0.001, 1), (0.0011, 2), (0.07, 70), (0.5, 500), (0.9, 900), (0.99, 990)]
        {
            assert_eq!(histogram.quantile_ns(q), Some(expected), "{q}");
        }
        assert_eq!(histogram.count(), 1000);
        assert_eq!(histogram.max_ns(), Some(1000));
        assert_eq!(histogram.mean_ns(), Some(500.5));
    }

    #[test]
    fn too_few_beyond_is_none() {
        let histogram = of(&(1..=1000).collect::<Vec<u64>>());
        assert_eq!(histogram.quantile_ns(0.99), Some(990));
        assert_eq!(histogram.quantile_ns(0.991), None);
        assert_eq!(histogram.quantile_ns(1.0), None);
        assert_eq!(of(&[5]).quantile_ns(0.5), Some(5));
        assert_eq!(of(&[5]).quantile_ns(0.51), None);
    }

    #[test]
    fn none_without_samples_or_out_of_range() {
        assert_eq!(Histogram::new().quantile_ns(0.5), None);
        assert_eq!((Histogram::new().max_ns(), Histogram::new().mean_ns()), (None, None));
        for q in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert_eq!(of(&[1, 2, 3]).quantile_ns(q), None, "{q}");
        }
    }

    #[test]
    fn longer_than_the_bound_counts_as_the_bound() {
        let bound = of(&[HIGHEST_NS]);
        assert_eq!(of(&[HIGHEST_NS + HIGHEST_NS / 10]), bound);
        assert_eq!(of(&[u64::MAX]), bound);
        let kept = bound.max_ns().expect("a sample");
        assert!((HIGHEST_NS..HIGHEST_NS + HIGHEST_NS / 1000).contains(&kept), "{kept}");
    }

    #[test]
    fn the_longest_load_with_the_longest_timeout_is_kept_apart() {
        // A week of each, and the 150 s that a burst may take.
        for seconds in [99, 101, 150, 200, 86_400, 2 * 7 * 86_400 + 60] {
            let ns = seconds * 1_000_000_000;
            let kept = of(&[ns]).max_ns().expect("a sample");
            assert!(kept.abs_diff(ns) <= ns / 1000, "{seconds} s is kept as {kept} ns");
        }
    }

    #[test]
    fn files_with_the_bounds_of_before_are_read() {
        let mut counts = counts_up_to(EARLIER_HIGHEST_NS);
        for ns in [1, 2_000, 3_000_000, EARLIER_HIGHEST_NS] {
            counts.record_n(ns, 3).expect("within the bounds");
        }
        let read = Histogram::from_bytes(&encoded(&counts)).expect("a histogram");
        assert_eq!(read, of(&[1, 2_000, 3_000_000, EARLIER_HIGHEST_NS].repeat(3)));
        let mut sum = of(&[5]);
        sum.merge(&read);
        assert_eq!(sum.count(), 13);
        let other = encoded(&counts_up_to(EARLIER_HIGHEST_NS * 2));
        assert!(Histogram::from_bytes(&other).is_err());
    }

    #[test]
    fn clearing_forgets_everything() {
        let mut histogram = of(&[1, 2, 3]);
        histogram.clear();
        assert_eq!(histogram, Histogram::new());
    }

    #[test]
    fn hostile_bytes_are_refused() {
        let good = of(&[1, 2, 3, 1_000_000]).to_bytes();
        let with = |place: usize, bytes: &[u8]| {
            let mut changed = good.clone();
            changed[place..place + bytes.len()].copy_from_slice(bytes);
            changed
        };
        let payload = |payload: &[u8]| {
            let mut changed = good[..HEADER_BYTES].to_vec();
            changed[PAYLOAD_LENGTH].copy_from_slice(&(payload.len() as u32).to_be_bytes());
            changed.extend_from_slice(payload);
            changed
        };
        assert_eq!(Histogram::from_bytes(&payload(&[])), Ok(Histogram::new()));
        for bad in [
            vec![],
            good[..HEADER_BYTES - 1].to_vec(),
            good[..good.len() - 1].to_vec(),
            [good.as_slice(), &[0]].concat(),
            with(4, &u32::MAX.to_be_bytes()),
            with(12, &5_u32.to_be_bytes()),
            with(24, &u64::MAX.to_be_bytes()),
            // The smallest number of all, whose negation overflows.
            payload(&[0xff; 9]),
            payload(&[0xff; 8]),
            // A count for a bucket far behind the last one.
            payload(&[0xff, 0xff, 0xff, 0xff, 0x0f, 0x02]),
            payload(&[0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]),
        ] {
            assert!(Histogram::from_bytes(&bad).is_err(), "{bad:?}");
        }
    }

    fn durations() -> impl Strategy<Value = Vec<u64>> {
        // Evenly spread over the magnitudes, as durations are.
        let duration = (0..=50_u32, any::<u64>()).prop_map(|(bits, random)| random & ((1 << bits) - 1));
        prop::collection::vec(duration, 1..300)
    }

    #[test]
    fn what_is_left_knows_its_least_value_when_a_zero_was_counted_too() {
        for left in [&[0][..], &[0, 557_727_273_189_376]] {
            let mut histogram = of(&[left, &[1]].concat());
            histogram.take_back(&of(&[1]));
            assert_eq!(histogram, of(left));
        }
    }

    #[test]
    fn what_was_recorded_can_be_listed_and_moved() {
        let mut histogram = Histogram::new();
        assert_eq!(histogram.recorded().count(), 0);
        histogram.record_many(100, 3);
        histogram.record(1_000_000);
        let listed: Vec<(u64, u64)> = histogram.recorded().collect();
        assert_eq!(listed.iter().map(|(_, times)| times).collect::<Vec<_>>(), [&3, &1]);
        assert!(listed[0].0 == 100 && listed[1].0.abs_diff(1_000_000) <= 1_000, "{listed:?}");
        let later = histogram.later_by(1_000_000);
        assert_eq!(later.count(), 4);
        assert!(later.quantile_ns(0.0).unwrap().abs_diff(1_000_100) <= 1_001);
        assert!(later.max_ns().unwrap().abs_diff(2_000_000) <= 2_000);
        assert_eq!(later.later_by(u64::MAX).count(), 4, "what is too long counts as the longest");
    }

    proptest! {
        #[test]
        fn a_quantile_is_that_of_the_sorted_values(mut values in durations(), per_mille in 0..=1000_u64) {
            let histogram = of(&values);
            values.sort_unstable();
            let n = values.len() as u64;
            // ceil(q * n) in whole numbers.
            let rank = (per_mille * n).div_ceil(1000).max(1);
            let found = histogram.quantile_ns(per_mille as f64 / 1000.0);
            if per_mille > 500 && n - rank < 10 {
                prop_assert_eq!(found, None);
            } else {
                let exact = values[rank as usize - 1];
                let found = found.expect("enough samples");
                prop_assert!(exact <= found && found - exact <= exact / 1000, "{} is not {}", found, exact);
            }
        }

        #[test]
        fn mean_and_maximum_are_within_a_thousandth(values in durations()) {
            let histogram = of(&values);
            let mean = values.iter().sum::<u64>() as f64 / values.len() as f64;
            prop_assert!((histogram.mean_ns().expect("samples") - mean).abs() <= mean / 1000.0);
            let largest = *values.iter().max().expect("samples");
            let found = histogram.max_ns().expect("samples");
            prop_assert!(largest <= found && found - largest <= largest / 1000);
        }

        #[test]
        fn merging_is_recording_all(left in durations(), right in durations()) {
            let mut merged = of(&left);
            merged.merge(&of(&right));
            prop_assert_eq!(merged, of(&[left, right].concat()));
        }

        #[test]
        fn what_is_taken_back_was_never_counted(left in durations(), right in durations()) {
            let mut histogram = of(&[left.clone(), right.clone()].concat());
            histogram.take_back(&of(&right));
            let wanted = of(&left);
            prop_assert_eq!(&histogram, &wanted);
            prop_assert_eq!((histogram.count(), histogram.max_ns()), (wanted.count(), wanted.max_ns()));
            prop_assert_eq!(histogram.mean_ns(), wanted.mean_ns());
            prop_assert_eq!(histogram.quantile_ns(0.0), wanted.quantile_ns(0.0));
        }

        #[test]
        fn bytes_hold_everything(values in durations()) {
            let histogram = of(&values);
            let read = Histogram::from_bytes(&histogram.to_bytes()).expect("own bytes");
            prop_assert_eq!(&read, &histogram);
            prop_assert_eq!(read.to_bytes(), histogram.to_bytes());
        }

        #[test]
        fn any_bytes_get_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(Histogram::from_bytes(&bytes).is_err());
        }

        #[test]
        fn any_payload_gets_an_answer(payload in prop::collection::vec(any::<u8>(), 0..60)) {
            let mut bytes = Histogram::new().to_bytes()[..HEADER_BYTES].to_vec();
            bytes[PAYLOAD_LENGTH].copy_from_slice(&(payload.len() as u32).to_be_bytes());
            bytes.extend_from_slice(&payload);
            if let Ok(mut histogram) = Histogram::from_bytes(&bytes) {
                let one = histogram.clone();
                histogram.merge(&one);
                prop_assert!(histogram.mean_ns().is_none_or(f64::is_finite));
                prop_assert_eq!(histogram.quantile_ns(0.5).is_some(), !histogram.is_empty());
                prop_assert_eq!(Histogram::from_bytes(&one.to_bytes()), Ok(one));
            }
        }
    }
}
