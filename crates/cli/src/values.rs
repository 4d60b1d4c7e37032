//! Values of flags: times, shares, prices and lists of CPUs.

use jiff::{SignedDuration, Span};
use std::time::Duration;
use velo_judge::planning::Size;

/// Longer than this is a slip of the finger.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 3600);
const MOST_CPUS: usize = 1024;

/// `90s`, `3m`, `1m30s`, `1.5h`, and `90` for seconds: above 0 and at most a week.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let expected = "expected a time, as in 90s, 3m or 1m30s; a plain number is seconds";
    let seconds =
        (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| format!("{text}s"));
    let text = seconds.as_deref().unwrap_or(text);
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

/// A time as a clock shows it: `2:40`, `1:02:40`; rounded up to whole seconds.
pub(crate) fn clock(duration: Duration) -> String {
    let seconds = duration.as_nanos().div_ceil(1_000_000_000);
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn listed(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// `8x12`: launches, and blocks of each.
pub(crate) fn plan(text: &str) -> Result<Size, String> {
    let number = |text: &str| text.parse::<u64>().ok();
    let size = text.split_once('x').and_then(|(launches, blocks)| Some((number(launches)?, number(blocks)?)));
    size.and_then(|(launches, blocks)| Size::new(launches, blocks))
        .ok_or_else(|| "expected 1 to 40 launches and 1 to 100 blocks of each, as in 8x12".to_owned())
}

/// A seed: `0` to `18446744073709551615`.
pub(crate) fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("expected a whole number from 0 to {}", u64::MAX))
}

/// `1 contender`, `2 contenders`.
pub(crate) fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// The same for words with a plural of their own.
pub(crate) fn count_of(number: u32, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// `2%`, `0.5 %`: above 0 and at most 50 %, as a share.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let expected = || "expected a percentage above 0 and at most 50 %, as in 2%".to_owned();
    let number = text.strip_suffix('%').ok_or_else(expected)?.trim_end();
    let percent = decimal(number).ok_or_else(expected)?;
    if percent > 0.0 && percent <= 50.0 { Ok(percent / 100.0) } else { Err(expected()) }
}

/// A share as it is typed: `2 %`.
pub(crate) fn percent(share: f64) -> String {
    // Three digits, so that 0.02 is not 2.0000000000000004.
    format!("{} %", (share * 1e5).round() / 1e3)
}

/// `512M`, `2G`: bytes, in units of 1024, from 1M to 1024G.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    const UNITS: [(char, u64); 3] = [('K', 1 << 10), ('M', 1 << 20), ('G', 1 << 30)];
    let expected = || "expected a size from 1M to 1024G, as in 512M or 2G".to_owned();
    let found = UNITS.iter().find_map(|(unit, size)| Some((text.strip_suffix(*unit)?, *size)));
    let (number, unit) = found.ok_or_else(expected)?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let bytes = number.parse::<u64>().ok().filter(|_| is_number).and_then(|number| number.checked_mul(unit));
    bytes.filter(|bytes| (1 << 20..=1 << 40).contains(bytes)).ok_or_else(expected)
}

/// What a core costs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Price {
    pub(crate) amount: f64,
    pub(crate) currency: Option<String>,
}

/// `0.04`, `0.04EUR`, `0.04 USD`: an amount, and what it is in.
pub(crate) fn price(text: &str) -> Result<Price, String> {
    let expected = || "expected an amount, and what it is in if you like, as in 0.04 or 0.04EUR".to_owned();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (amount, currency) = text.split_at(digits);
    let currency = currency.trim();
    if currency.len() > 8 || !currency.chars().all(char::is_alphabetic) {
        return Err(expected());
    }
    let amount = decimal(amount).ok_or_else(expected)?;
    Ok(Price { amount, currency: (!currency.is_empty()).then(|| currency.to_owned()) })
}

/// Digits with a point at most, so neither `inf` nor `1e9` nor a sign.
fn decimal(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if plain { text.parse().ok().filter(|number: &f64| number.is_finite()) } else { None }
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
            ("60", 60_000),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for odd in ["", "0", "m", "-3m", "0s", "8d", "200h", "1 month", "three minutes", "3m3", "1e9s"] {
            assert!(duration(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn a_plan_is_launches_and_blocks() {
        assert_eq!(plan("8x12").ok(), Size::new(8, 12));
        for odd in ["", "8", "x", "8x", "x12", "0x5", "5x0", "41x5", "5x101", "8 x 12", "-1x5", "8x12x3"] {
            assert!(plan(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn a_time_shown_is_a_time_read() {
        for text in ["45s", "3m", "1m30s", "1h", "1h5m", "1h0m7s", "0.25s"] {
            assert_eq!(shown(duration(text).expect("a time")), text);
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

    #[test]
    fn lists_are_sentences() {
        assert_eq!([listed(&[]), listed(&["a"]), listed(&["a", "b", "c"])], ["", "a", "a, b and c"]);
    }

    #[test]
    fn seeds_are_whole_numbers() {
        assert_eq!((seed("0"), seed("18446744073709551615")), (Ok(0), Ok(u64::MAX)));
        for odd in ["", "x", "-1", "1.5", "18446744073709551616"] {
            assert!(seed(odd).expect_err("no seed").starts_with("expected a whole number"), "{odd}");
        }
    }

    #[test]
    fn shares_are_percentages() {
        assert_eq!(share("2%"), Ok(0.02));
        assert_eq!(share("0.5 %"), Ok(0.005));
        assert_eq!(share("50%"), Ok(0.5));
        for odd in ["", "%", "2", "0.02", "0%", "51%", "-1%", "1e1%", "inf%", "two%", "2%%"] {
            assert!(share(odd).is_err(), "{odd}");
        }
        assert_eq!((percent(0.02), percent(0.005)), ("2 %".to_owned(), "0.5 %".to_owned()));
    }

    #[test]
    fn sizes_have_a_unit() {
        assert_eq!(size("512M"), Ok(512 << 20));
        assert_eq!(size("2G"), Ok(2 << 30));
        assert_eq!(size("1024K"), Ok(1 << 20));
        assert_eq!(size("1024G"), Ok(1 << 40));
        for odd in [
            "",
            "M",
            "512",
            "1023K",
            "0G",
            "1025G",
            "+1G",
            "-1G",
            "1.5G",
            "1 G",
            "1g",
            "99999999999999999999G",
        ] {
            assert!(size(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn prices_may_say_what_they_are_in() {
        let priced =
            |amount, currency: Option<&str>| Ok(Price { amount, currency: currency.map(str::to_owned) });
        assert_eq!(price("0.04"), priced(0.04, None));
        assert_eq!(price("0.04EUR"), priced(0.04, Some("EUR")));
        assert_eq!(price("3 USD"), priced(3.0, Some("USD")));
        assert_eq!(price("0"), priced(0.0, None));
        for odd in ["", "EUR", "-1", "1.2.3", "1 EUR/h", "1 verylongname", "1e5", "."] {
            assert!(price(odd).is_err(), "{odd}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_share_or_a_price_or_neither(text in "[0-9.%a-zA-Z ]{0,12}|.{0,40}") {
            if let Ok(share) = share(&text) {
                prop_assert!(share > 0.0 && share <= 0.5);
            }
            if let Ok(Price { amount, .. }) = price(&text) {
                prop_assert!(amount >= 0.0);
            }
        }

        #[test]
        fn any_text_gets_an_answer(text in "[0-9a-z,. -]{0,20}|.{0,40}") {
            if let Ok(bytes) = size(&text) {
                prop_assert!(bytes >= 1 << 20);
            }
            if let Ok(duration) = duration(&text) {
                prop_assert!(duration > Duration::ZERO && duration <= LONGEST);
            }
            if let Ok(Cpus(cpus)) = cpus(&text) {
                prop_assert!(!cpus.is_empty() && cpus.is_sorted());
            }
        }
    }
}
