//! HdrHistogram's log of intervals, which its viewers and the other HdrHistogram libraries read.

use std::time::{Duration, UNIX_EPOCH};

use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};

use crate::Histogram;

/// The greatest value beside each histogram is written in milliseconds, as the Java library does.
const MAX_VALUE_DIVISOR: f64 = 1e6;

/// A histogram of an interval.
#[derive(Debug, Clone, Copy)]
pub struct LogInterval<'a> {
    /// What the histogram is of; one with a comma, a blank or a line break is left out.
    pub tag: &'a str,
    /// When the interval began, since the log's start.
    pub start_ns: u64,
    /// How long it was.
    pub length_ns: u64,
    /// What was counted in it.
    pub histogram: &'a Histogram,
}

/// Writes a log in format 1.3: base64 of zlib of the V2 encoding, values in nanoseconds. `started_at` is the log's start
/// since the Unix epoch; `comment` is one line.
pub fn interval_log(comment: &str, started_at: Option<Duration>, intervals: &[LogInterval<'_>]) -> String {
    let mut bytes = Vec::new();
    let mut serializer = V2DeflateSerializer::new();
    let mut builder = IntervalLogWriterBuilder::new();
    builder.add_comment(comment).add_comment("[Histogram log format version 1.3]");
    if let Some(start) = started_at.and_then(|since| UNIX_EPOCH.checked_add(since)) {
        builder.with_start_time(start);
    }
    builder.with_max_value_divisor(MAX_VALUE_DIVISOR);
    // OK because writing to a Vec cannot fail.
    let mut log = builder.begin_log_with(&mut bytes, &mut serializer).expect("a Vec takes all bytes");
    for LogInterval { tag, start_ns, length_ns, histogram } in intervals {
        let (start, length) = (Duration::from_nanos(*start_ns), Duration::from_nanos(*length_ns));
        // OK because writing to a Vec cannot fail and the counts fit the encoding.
        histogram
            .with_counts(|counts| log.write_histogram(counts, start, length, Tag::new(tag)))
            .expect("a Vec takes all bytes");
    }
    // OK because every part is text: numbers, base64, and what came as text.
    String::from_utf8(bytes).expect("a log is text")
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use hdrhistogram::serialization::Deserializer;
    use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
    use proptest::prelude::*;

    use super::*;

    fn of(values: &[u64]) -> Histogram {
        let mut histogram = Histogram::new();
        values.iter().for_each(|value| histogram.record(*value));
        histogram
    }

    #[test]
    fn a_log_has_its_head_and_a_line_for_each_histogram() {
        let one = of(&[1_500_000]);
        let interval = |tag| LogInterval { tag, start_ns: 0, length_ns: 10_000_000_000, histogram: &one };
        let started_at = Some(Duration::new(1_700_000_000, 500_000_000));
        let log = interval_log("velo", started_at, &[interval("response"), interval("no tag")]);
        let lines: Vec<&str> = log.lines().collect();
        let head = [
            "#velo",
            "#[Histogram log format version 1.3]",
            "#[StartTime: 1700000000.500 (seconds since epoch)]",
            "#[MaxValueDivisor: 1000000.000]",
        ];
        assert_eq!(lines[..4], head);
        assert!(lines[4].starts_with("Tag=response,0.000,10.000,1.500,HISTFAAAA"), "{}", lines[4]);
        assert!(lines[5].starts_with("0.000,10.000,1.500,HISTFAAAA"), "{}", lines[5]);
        assert_eq!(lines.len(), 6);
    }

    proptest! {
        /// The oracle is hdrhistogram's own reader.
        #[test]
        fn every_histogram_is_read_as_it_was(
            values in prop::collection::vec(prop::collection::vec(any::<u64>(), 0..50), 0..4),
            started_ns: u64,
            start_ns: u64,
        ) {
            let histograms: Vec<Histogram> = values.iter().map(|values| of(values)).collect();
            let intervals: Vec<LogInterval<'_>> = histograms
                .iter()
                .map(|histogram| LogInterval { tag: "service", start_ns, length_ns: start_ns / 3, histogram })
                .collect();
            let log = interval_log("", Some(Duration::from_nanos(started_ns)), &intervals);
            let mut read: Vec<hdrhistogram::Histogram<u32>> = Vec::new();
            for entry in IntervalLogIterator::new(log.as_bytes()) {
                if let LogEntry::Interval(interval) = entry.expect("an entry") {
                    prop_assert_eq!(interval.tag().map(|tag| tag.as_str()), Some("service"));
                    let bytes = STANDARD.decode(interval.encoded_histogram()).expect("base64");
                    read.push(Deserializer::new().deserialize(&mut &bytes[..]).expect("a histogram"));
                }
            }
            let written: Vec<_> = histograms.iter().map(|one| one.with_counts(Clone::clone)).collect();
            prop_assert_eq!(read, written);
        }
    }
}
