//! Values of flags: times and lists of CPUs.

use jiff::{SignedDuration, Span};
use std::time::Duration;

/// Longer than this is a slip of the finger.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 3600);
const MOST_CPUS: usize = 1024;

/// `90s`, `3m`, `1m30s`, `1.5h`: above 0 and at most a week.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let expected = "expected a number with its unit, as in 90s, 3m or 1m30s";
    let parsed: SignedDuration = text.parse().map_err(|_| {
        // jiff's own words name its grammar, which is wider than what anybody types here.
        if text.parse::<Span>().is_ok() {
            format!("calendar units have no fixed length: {expected}")
        } else {
            expected.to_owned()
        }
    })?;
    match Duration::try_from(parsed) {
        Ok(duration) if duration.is_zero() => Err("expected more than 0".to_owned()),
        Ok(duration) if duration > LONGEST => Err("expected a week at most".to_owned()),
        Ok(duration) => Ok(duration),
        Err(_) => Err("expected more than 0".to_owned()),
    }
}

/// A time as a person types it: `1m30s`.
pub(crate) fn shown(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, _) => format!("{}s", duration.as_secs_f64()),
        (0, minutes, 0) => format!("{minutes}m"),
        (0, minutes, seconds) => format!("{minutes}m{seconds}s"),
        (hours, 0, 0) => format!("{hours}h"),
        (hours, minutes, 0) => format!("{hours}h{minutes}m"),
        (hours, minutes, seconds) => format!("{hours}h{minutes}m{seconds}s"),
    }
}

/// A time that was measured, in words: `240 ms`, `3.2 s`, `41 s`, `2 min 40 s`.
pub(crate) fn shown_roughly(duration: Duration) -> String {
    match duration.as_millis() {
        0..1_000 => format!("{} ms", duration.as_millis()),
        1_000..9_950 => format!("{:.1} s", duration.as_secs_f64()),
        9_950..119_500 => format!("{:.0} s", duration.as_secs_f64()),
        _ => {
            let seconds = duration.as_secs_f64().round() as u64;
            format!("{} min {} s", seconds / 60, seconds % 60)
        }
    }
}

/// A time as a clock shows it: `2:40`, `1:02:40`; rounded up to whole seconds.
pub(crate) fn clock(duration: Duration) -> String {
    let seconds = duration.as_nanos().div_ceil(1_000_000_000);
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

/// `1 contender`, `2 contenders`.
pub(crate) fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// CPUs as the kernel writes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cpus(pub(crate) Vec<u32>);

/// `0`, `0-3`, `0-3,8`: sorted, each once.
pub(crate) fn cpus(text: &str) -> Result<Cpus, String> {
    let expected = || "expected CPUs as in 0, 0-3 or 0-3,8".to_owned();
    let mut cpus = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<u32>().map_err(|_| expected());
        let (first, last) = (number(first)?, number(last)?);
        if first > last || last as usize >= MOST_CPUS {
            return Err(expected());
        }
        cpus.extend(first..=last);
        if cpus.len() > MOST_CPUS {
            return Err(expected());
        }
    }
    cpus.sort_unstable();
    cpus.dedup();
    Ok(Cpus(cpus))
}

/// CPUs in words: `CPU 0`, `CPUs 0-2,5`.
pub(crate) fn cpus_in_words(cpus: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &cpu in cpus {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(cpu) => *last = cpu,
            _ => ranges.push((cpu, cpu)),
        }
    }
    let shown: Vec<String> = ranges
        .iter()
        .map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") })
        .collect();
    format!("CPU{} {}", if cpus.len() == 1 { "" } else { "s" }, shown.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        for (text, milliseconds) in [
            ("3m", 180_000),
            ("90s", 90_000),
            ("1m30s", 90_000),
            ("1m 30s", 90_000),
            ("250ms", 250),
            ("1.5h", 5_400_000),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for odd in ["", "3", "m", "-3m", "0s", "8d", "200h", "1 month", "three minutes", "3m3", "1e9s"] {
            assert!(duration(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn a_time_shown_is_a_time_read() {
        for text in ["45s", "3m", "1m30s", "1h", "1h5m", "1h0m7s", "0.25s"] {
            assert_eq!(shown(duration(text).expect("a time")), text);
        }
        for (milliseconds, text) in [
            (240, "240 ms"),
            (3_240, "3.2 s"),
            (9_960, "10 s"),
            (41_000, "41 s"),
            (119_800, "2 min 0 s"),
            (160_400, "2 min 40 s"),
        ] {
            assert_eq!(shown_roughly(Duration::from_millis(milliseconds)), text);
        }
        assert_eq!(clock(Duration::from_millis(159_500)), "2:40");
        assert_eq!(clock(Duration::from_secs(3_760)), "1:02:40");
        assert_eq!(clock(Duration::ZERO), "0:00");
    }

    #[test]
    fn cpus_are_read_as_the_kernel_writes_them() {
        assert_eq!(cpus("0"), Ok(Cpus(vec![0])));
        assert_eq!(cpus("8,0-2,1"), Ok(Cpus(vec![0, 1, 2, 8])));
        for odd in ["", "a", "2-1", "0-", "0,", "-1", "0-4000000000", "5000"] {
            assert!(cpus(odd).is_err(), "{odd}");
        }
        assert_eq!(cpus_in_words(&[0]), "CPU 0");
        assert_eq!(cpus_in_words(&[0, 1, 2, 5]), "CPUs 0-2,5");
    }

    proptest! {
        #[test]
        fn any_text_gets_an_answer(text in "[0-9a-z,. -]{0,20}|.{0,40}") {
            if let Ok(duration) = duration(&text) {
                prop_assert!(duration > Duration::ZERO && duration <= LONGEST);
            }
            if let Ok(Cpus(cpus)) = cpus(&text) {
                prop_assert!(!cpus.is_empty() && cpus.is_sorted());
            }
        }
    }
}
