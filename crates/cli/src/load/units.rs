//! Times, rates, counts and sizes as they are typed.

use std::time::Duration;

use crate::values;

/// More requests a second than any machine makes: a slip of the finger.
const HIGHEST_RATE_PER_S: f64 = 1e9;

/// `10`, `1.5`: seconds; else with its unit, as in `500ms` or `1m30s`.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let read = if plain { values::duration(&format!("{text}s")) } else { values::duration(text) };
    read.map_err(|expected| {
        if expected.starts_with("expected a number with its unit") {
            "expected seconds, or a number with its unit, as in 10, 500ms or 1m30s".to_owned()
        } else {
            expected
        }
    })
}

/// The length of a load. Other tools have their body behind the same letter.
pub(crate) fn load_time(text: &str) -> Result<Duration, String> {
    time(text).map_err(|expected| {
        if text.starts_with(['{', '[', '"', '@', '<']) || text.contains('=') {
            "-d is the duration here, as in wrk\n  a body (curl, hey and oha: -d) is --body TEXT or --body @FILE"
                .to_owned()
        } else {
            expected
        }
    })
}

/// `5000`, `5k`, `1.5M`, `300/m`, `10/s`: requests per second, at least 0.
pub(crate) fn rate(text: &str) -> Result<f64, String> {
    let expected =
        || "expected requests per second, as in 5000 or 5k, or with a unit, as in 300/m".to_owned();
    let (number, per) = text.split_once('/').unwrap_or((text, "s"));
    let seconds = match per.trim() {
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(expected()),
    };
    let per_s = scaled(number.trim()).ok_or_else(expected)? / seconds;
    if per_s > HIGHEST_RATE_PER_S { Err("expected at most 1,000M".to_owned()) } else { Ok(per_s) }
}

/// A rate above 0.
pub(crate) fn positive_rate(text: &str) -> Result<f64, String> {
    rate(text).and_then(
        |per_s| {
            if per_s > 0.0 { Ok(per_s) } else { Err("expected a rate above 0".to_owned()) }
        },
    )
}

/// `1000`, `10k`, `2M`: a whole number above 0.
pub(crate) fn count(text: &str) -> Result<u64, String> {
    const MOST: f64 = 1e15;
    let expected = || "expected a whole number above 0, as in 1000 or 10k".to_owned();
    let number = scaled(text).ok_or_else(expected)?;
    if !(1.0..=MOST).contains(&number) || number.fract() != 0.0 {
        return Err(expected());
    }
    Ok(number as u64)
}

/// Bytes: `65536`, `64k`, `1M`, where k is 1,024.
pub(crate) fn size(text: &str) -> Result<usize, String> {
    const MOST: usize = 1 << 40;
    let expected = || "expected bytes, as in 65536, 64k or 1M (k is 1,024), at most 1,024G".to_owned();
    let text = text.strip_suffix("iB").or_else(|| text.strip_suffix('B')).unwrap_or(text);
    let (number, unit) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (&text[..text.len() - 1], 1 << 10),
        Some(b'M' | b'm') => (&text[..text.len() - 1], 1 << 20),
        Some(b'G' | b'g') => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1),
    };
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(expected());
    }
    let bytes = number.parse::<usize>().ok().and_then(|number| number.checked_mul(unit));
    bytes.filter(|bytes| (1..=MOST).contains(bytes)).ok_or_else(expected)
}

/// A decimal number with `k` or `M` behind it, at least 0.
fn scaled(text: &str) -> Option<f64> {
    let (number, scale) = match text.as_bytes().last()? {
        b'k' | b'K' => (&text[..text.len() - 1], 1e3),
        b'm' | b'M' => (&text[..text.len() - 1], 1e6),
        _ => (text, 1.0),
    };
    let digits = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let number: f64 = if digits { number.parse().ok()? } else { return None };
    Some(number * scale).filter(|number| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_time_without_a_unit_is_in_seconds() {
        for (text, milliseconds) in
            [("10", 10_000), ("2s", 2_000), ("1m", 60_000), ("0.5", 500), ("250ms", 250)]
        {
            assert_eq!(time(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for odd in ["", "0", "-1", ".", "1.2.3", "ten", "8d"] {
            assert!(time(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn a_body_behind_the_letter_of_the_duration_is_explained() {
        for body in ["{\"a\":1}", "@body.json", "a=b", "[1]"] {
            assert!(load_time(body).expect_err("no time").contains("--body"), "{body}");
        }
        assert!(!load_time("ten").expect_err("no time").contains("--body"));
    }

    #[test]
    fn rates_are_read_per_second() {
        for (text, per_s) in [
            ("5000", 5000.0),
            ("5k", 5000.0),
            ("1.5M", 1.5e6),
            ("300/m", 5.0),
            ("10/s", 10.0),
            ("36/h", 0.01),
            ("0", 0.0),
        ] {
            assert_eq!(rate(text), Ok(per_s), "{text}");
        }
        for odd in ["", "k", "-1", "5x", "1e3", "10/d", "inf", "NaN", "5000M"] {
            assert!(rate(odd).is_err(), "{odd}");
        }
        assert!(positive_rate("0").is_err());
    }

    #[test]
    fn counts_are_whole_and_sizes_are_binary() {
        assert_eq!(count("10k"), Ok(10_000));
        assert_eq!(count("1.5k"), Ok(1_500));
        assert!(count("0").is_err() && count("1.5").is_err() && count("-3").is_err());
        assert_eq!(size("64k"), Ok(65_536));
        assert_eq!(size("1MiB"), Ok(1_048_576));
        assert_eq!(size("4096"), Ok(4096));
        assert!(
            size("0").is_err() && size("").is_err() && size("1.5M").is_err() && size("9999999G").is_err()
        );
    }

    proptest! {
        #[test]
        fn any_text_gets_an_answer(text in "[0-9kMG./smh]{0,12}|.{0,30}") {
            if let Ok(per_s) = rate(&text) {
                prop_assert!(per_s.is_finite() && per_s >= 0.0);
            }
            if let Ok(number) = count(&text) {
                prop_assert!(number > 0);
            }
            let _ = size(&text);
            let _ = load_time(&text);
        }
    }
}
