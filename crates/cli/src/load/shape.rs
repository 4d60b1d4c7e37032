//! How a rate goes over time, as it is typed.

use std::io::BufRead as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use velo_load::{Shape, Step, Think};

use super::units::{count, positive_rate, rate, time};
use velo_request::Problem;
use velo_request::text as files;

const MOST_STEPS: usize = 10_000;
/// An offset beyond a week is a slip of the finger.
const LAST_OFFSET_S: f64 = 7.0 * 24.0 * 3600.0;

/// `5000`, `5k`, `300/m`. Others have "quiet" behind the same letter, so that the URL comes next.
pub(crate) fn constant(text: &str) -> Result<Shape, String> {
    if text.contains("://") {
        return Err("-q is the rate, as in hey and oha; quiet (ab, k6: -q) is --quiet".to_owned());
    }
    positive_rate(text).map(|per_s| Shape::Constant { per_s })
}

/// `100..5000 over 30s`.
pub(crate) fn ramp(text: &str) -> Result<Shape, String> {
    let expected = || "expected FROM..TO over TIME, as in '100..5000 over 30s'".to_owned();
    let (rates, over) = text.split_once(" over ").ok_or_else(expected)?;
    let (from, to) = rates.split_once("..").ok_or_else(expected)?;
    let (from_per_s, to_per_s) = (rate(from.trim())?, rate(to.trim())?);
    if from_per_s == 0.0 && to_per_s == 0.0 {
        return Err("expected a rate above 0 at one end".to_owned());
    }
    Ok(Shape::Ramp { from_per_s, to_per_s, over_ns: nanoseconds(time(over.trim())?) })
}

/// `100:10s,200:10s`.
pub(crate) fn steps(text: &str) -> Result<Shape, String> {
    let expected = || "expected RATE:TIME,RATE:TIME,..., as in '100:10s,200:10s'".to_owned();
    let step = |step: &str| {
        let (per_s, lasting) = step.split_once(':').ok_or_else(expected)?;
        Ok(Step { per_s: rate(per_s.trim())?, for_ns: nanoseconds(time(lasting.trim())?) })
    };
    let steps = text.split(',').map(step).collect::<Result<Vec<_>, String>>()?;
    if steps.len() > MOST_STEPS || steps.iter().all(|step| step.per_s == 0.0) {
        return Err(format!("expected at most {MOST_STEPS} steps, one of a rate above 0"));
    }
    Ok(Shape::Steps(steps))
}

/// `100,2000 at 10s for 2s`.
pub(crate) fn spike(text: &str) -> Result<Shape, String> {
    let expected = || "expected BASE,PEAK at TIME for TIME, as in '100,2000 at 10s for 2s'".to_owned();
    let (rates, when) = text.split_once(" at ").ok_or_else(expected)?;
    let (base, peak) = rates.split_once(',').ok_or_else(expected)?;
    let (from, lasting) = when.split_once(" for ").ok_or_else(expected)?;
    Ok(Shape::Spike {
        base_per_s: rate(base.trim())?,
        peak_per_s: positive_rate(peak.trim())?,
        from_ns: nanoseconds(time(from.trim())?),
        for_ns: nanoseconds(time(lasting.trim())?),
    })
}

/// `50 every 1s`.
pub(crate) fn burst(text: &str) -> Result<Shape, String> {
    const MOST: u64 = 1_000_000;
    let expected = || "expected N every TIME, as in '50 every 1s'".to_owned();
    let (requests, every) = text.split_once(" every ").ok_or_else(expected)?;
    let requests = count(requests.trim())?;
    match u32::try_from(requests) {
        Ok(requests) if u64::from(requests) <= MOST => {
            Ok(Shape::Burst { requests, every_ns: nanoseconds(time(every.trim())?) })
        }
        _ => Err("expected at most 1,000,000 requests at once".to_owned()),
    }
}

/// `20ms`, or `exp:20ms` for an exponentially distributed pause of this mean.
pub(crate) fn think(text: &str) -> Result<Think, String> {
    match text.strip_prefix("exp:") {
        Some(mean) => Ok(Think::Exponential { mean_ns: nanoseconds(time(mean)?) }),
        None => Ok(Think::Constant { ns: nanoseconds(time(text)?) }),
    }
}

/// One time a line, in seconds or with a unit, ascending; empty lines and those that begin with `#` are skipped.
pub(crate) fn offsets(path: &Path) -> Result<Shape, Problem> {
    let bytes = files::read(path)?;
    let mut offsets: Vec<u64> = Vec::new();
    for (index, line) in bytes.lines().enumerate() {
        let place = |what: &str| {
            Problem::new(
                format!("line {}: {what}", index + 1),
                "expected one time a line from the start, ascending, as in 0.25 or 250ms",
            )
        };
        let line = line.map_err(|_| place("not UTF-8"))?;
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let offset = offset(line)
            .ok_or_else(|| place(&format!("`{}` is no time", files::excerpt(line.as_bytes()))))?;
        if offsets.last().is_some_and(|&last| offset < last) {
            return Err(place("earlier than the time before it"));
        }
        offsets.push(offset);
    }
    if offsets.is_empty() {
        return Err(Problem::new("holds no time", "expected one time a line, as in 0.25 or 250ms"));
    }
    Ok(Shape::Offsets(Arc::from(offsets)))
}

fn offset(text: &str) -> Option<u64> {
    if text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        let seconds: f64 = text.parse().ok()?;
        return (seconds <= LAST_OFFSET_S).then(|| (seconds * 1e9).round() as u64);
    }
    time(text).ok().map(nanoseconds)
}

/// A time that has passed [`time`], which bounds it.
pub(crate) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const S: u64 = 1_000_000_000;

    #[test]
    fn shapes_are_read_as_their_help_says() {
        assert_eq!(
            ramp("100..5k over 30s"),
            Ok(Shape::Ramp { from_per_s: 100.0, to_per_s: 5000.0, over_ns: 30 * S })
        );
        assert_eq!(
            steps("100:10s, 0:500ms"),
            Ok(Shape::Steps(vec![Step { per_s: 100.0, for_ns: 10 * S }, Step { per_s: 0.0, for_ns: S / 2 }]))
        );
        assert_eq!(
            spike("100,2000 at 10s for 2s"),
            Ok(Shape::Spike { base_per_s: 100.0, peak_per_s: 2000.0, from_ns: 10 * S, for_ns: 2 * S })
        );
        assert_eq!(burst("50 every 1s"), Ok(Shape::Burst { requests: 50, every_ns: S }));
        assert_eq!(think("20ms"), Ok(Think::Constant { ns: 20_000_000 }));
        assert_eq!(think("exp:1s"), Ok(Think::Exponential { mean_ns: S }));
    }

    #[test]
    fn a_shape_half_said_is_refused_with_an_example() {
        for error in [
            ramp("100 over 30s"),
            ramp("100..200"),
            steps("100"),
            spike("100,200 at 10s"),
            spike("100 at 10s for 2s"),
            burst("50"),
        ] {
            assert!(error.as_ref().is_err_and(|text| text.contains("as in")), "{error:?}");
        }
        assert!(constant("http://h/").expect_err("a URL").contains("--quiet"));
        for error in [ramp("0..0 over 1s"), steps("0:1s"), burst("2M every 1s"), ramp("1..2 over 0s")] {
            assert!(error.is_err(), "{error:?}");
        }
    }

    #[test]
    fn offsets_are_ascending_times() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("offsets");
        let read = |text: &str| {
            std::fs::write(&path, text).expect("a file");
            offsets(&path)
        };
        assert_eq!(
            read("# a trace\n0\n0.25\n\n250ms\r\n1m\n"),
            Ok(Shape::Offsets(Arc::from([0, S / 4, S / 4, 60 * S])))
        );
        assert!(read("1\n0.5\n").expect_err("descends").what.contains("line 2: earlier"));
        assert!(read("1\nsoon\n").expect_err("no time").what.contains("line 2: `soon`"));
        assert!(read("\n").expect_err("empty").what.contains("holds no time"));
        assert!(read("1e9").is_err() && read("99999999999").is_err());
    }

    proptest! {
        #[test]
        fn any_text_gets_an_answer(text in "[0-9k.,: ]{0,10}( over | at | for | every |\\.\\.)?[0-9sm:., for]{0,12}|.{0,30}") {
            for shape in [constant(&text), ramp(&text), steps(&text), spike(&text), burst(&text)].into_iter().flatten() {
                let written = format!("{shape:?}");
                prop_assert!(!written.contains("NaN"), "{}", written);
            }
        }
    }
}
