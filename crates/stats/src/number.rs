//! How numbers are written, for people: the one place that rounds.

use std::time::Duration;

/// A whole number with separators between thousands: `12,481,007`.
pub fn thousands(n: u64) -> String {
    grouped(&n.to_string())
}

/// Decimal digits, after a sign or none, with separators between thousands: `-1,234`.
pub fn grouped(digits: &str) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |digits| ("-", digits));
    let mut text = String::with_capacity(sign.len() + digits.len() + digits.len() / 3);
    text.push_str(sign);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A rate per second to three significant digits: `48,100`.
pub fn rate(per_s: f64) -> String {
    if !(1e-3..1e9).contains(&per_s.abs()) && per_s != 0.0 {
        return scientific(per_s);
    }
    if per_s.abs() < 100.0 {
        return significant(per_s);
    }
    let unit = 10f64.powi(per_s.abs().log10().floor() as i32 - 2);
    thousands(((per_s.abs() / unit).round() * unit).round() as u64)
}

/// A ratio: `15.9`, `5.42`, `0.60`, `0.034`.
pub fn ratio(value: f64) -> String {
    match value.abs() {
        v if v >= 1e6 || (v < 1e-3 && v > 0.0) => scientific(value),
        v if v >= 999.5 => thousands(v.round() as u64),
        v if v >= 99.95 => format!("{value:.0}"),
        v if v >= 9.995 => format!("{value:.1}"),
        v if v >= 0.0995 || v == 0.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// A ratio's interval, in digits enough to tell its ends apart: `3.1 to 3.4`, `1.05 to 1.12`; one number where they are
/// the same so far.
pub fn ratio_range(low: f64, high: f64) -> String {
    // A wide interval needs fewer digits; near 1 all of them, as the side of it on which an end lies is the question.
    let decimals = match (low, high - low) {
        (low, _) if !(0.0995..999.5).contains(&low) => None,
        (low, _) if low < 1.995 => Some(2),
        (low, width) if low < 9.95 => Some(if width >= 0.2 { 1 } else { 2 }),
        (low, width) if low < 99.5 => Some(if width >= 2.0 { 0 } else { 1 }),
        _ => Some(0),
    };
    let end = |value: f64| match decimals {
        Some(decimals) if value < 99.95 => format!("{value:.decimals$}"),
        _ => ratio(value),
    };
    let (low, high) = (end(low), end(high));
    if low == high { low } else { format!("{low} to {high}") }
}

/// A figure as it stands, without zeros behind its point: `1 s` for `1.00 s`, `2.5` for `2.50`.
pub fn tidy(text: &str) -> String {
    let (number, unit) = text.split_at(text.find(' ').unwrap_or(text.len()));
    if !number.contains('.') || number.contains('e') {
        return text.to_owned();
    }
    format!("{}{unit}", number.trim_end_matches('0').trim_end_matches('.'))
}

/// Three significant digits, whatever the size: `0.0123`, `2.01`, `1,235`.
pub fn figure(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !(1e-6..1e9).contains(&value.abs()) {
        return scientific(value);
    }
    // The exponent after rounding: 0.9996 has one digit before the point.
    let rounded = format!("{value:.2e}");
    let exponent = rounded.rsplit_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0_i32);
    let sign = if value < 0.0 { "-" } else { "" };
    match usize::try_from(2 - exponent) {
        Ok(behind) => format!("{value:.behind$}"),
        Err(_) => format!("{sign}{}", thousands(value.abs().round() as u64)),
    }
}

/// A time to three significant digits with its unit: `20.7 µs`, `1.23 ms`.
pub fn time_ns(ns: f64) -> String {
    let (unit, size) = time_unit(ns);
    format!("{} {unit}", significant(ns / size))
}

/// Bytes in decimal units: `14 MB`, `1.4 GB`.
pub fn bytes(bytes: u64) -> String {
    let units = [("B", 1.0), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12), ("PB", 1e15), ("EB", 1e18)];
    let value = bytes as f64;
    let (unit, size) = units.iter().find(|(_, size)| value / size < 999.5).unwrap_or(&units[6]);
    let value = value / size;
    if value < 9.95 && *size > 1.0 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

/// Bits a second: `100 Mbit/s`, `1.5 Gbit/s`.
pub fn bit_rate(bits: u64) -> String {
    let units = [("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)];
    let (unit, size) = units.into_iter().find(|(_, size)| bits as f64 >= *size).unwrap_or(("bit/s", 1.0));
    format!("{} {unit}", (bits as f64 / size * 1000.0).round() / 1000.0)
}

/// A time that somebody chose: `20 ms`, `1.5 ms`.
pub fn tidy_time_ns(ns: u64) -> String {
    let (unit, size) = time_unit(ns as f64);
    format!("{} {unit}", (ns as f64 / size * 1000.0).round() / 1000.0)
}

/// Bytes as a limit is typed, in units of 1024: `512 MiB`, `2 GiB`.
pub fn binary_bytes(bytes: u64) -> String {
    let units = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    match units.iter().find(|(_, size)| bytes >= *size && bytes.is_multiple_of(*size)) {
        Some((unit, size)) => format!("{} {unit}", thousands(bytes / size)),
        None => format!("{} B", thousands(bytes)),
    }
}

/// How long something took, for a reader who waits: `41 s`, `2:40`, `1:02:40`.
pub fn lasted_ns(ns: u64) -> String {
    let s = ns / 1_000_000_000 + u64::from(ns % 1_000_000_000 >= 500_000_000);
    match (s / 3600, s / 60 % 60, s % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, minutes, s) => format!("{minutes}:{s:02}"),
        (hours, minutes, s) => format!("{hours}:{minutes:02}:{s:02}"),
    }
}

/// A budget as it is typed, to the second: `90s`, `6m`, `1m30s`.
pub fn budget(ns: u64) -> String {
    match (ns / 60_000_000_000, ns / 1_000_000_000 % 60) {
        (0 | 1, _) if !ns.is_multiple_of(60_000_000_000) => format!("{}s", ns / 1_000_000_000),
        (minutes, 0) => format!("{minutes}m"),
        (minutes, seconds) => format!("{minutes}m{seconds}s"),
    }
}

/// A share: `1.2 %`, `97 %`.
pub fn percent(share: f64) -> String {
    let value = share * 100.0;
    match value.abs() {
        v if v.is_nan() => "unknown".to_owned(),
        v if v >= 999.5 => format!("{}>999 %", if value < 0.0 { "-" } else { "" }),
        v if v >= 9.95 => format!("{value:.0} %"),
        v if v > 0.0 && v < 0.05 => "<0.1 %".to_owned(),
        _ => format!("{value:.1} %"),
    }
}

/// A share that somebody chose: `95 %`, `98.5 %`, `4 %`.
pub fn tidy_percent(share: f64) -> String {
    format!("{} %", (share * 1000.0).round() / 10.0)
}

/// A ratio as a change: `+2.4 %`, `-12 %`.
pub fn change(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    match percent.abs() {
        v if v >= 999.5 => ">+999 %".to_owned(),
        v if v >= 9.95 => format!("{percent:+.0} %"),
        v if v < 0.05 => "+0.0 %".to_owned(),
        _ => format!("{percent:+.1} %"),
    }
}

/// The ends of a ratio's interval as changes: `-12 to -8.3 %`.
pub fn change_range(low: f64, high: f64) -> String {
    format!("{} to {}", change(low).trim_end_matches(" %"), change(high))
}

/// A p-value: `0.42`, `0.031`, `0.0004`, `<0.0001`.
pub fn p_value(p: f64) -> String {
    match p {
        p if p < 0.000_1 => "<0.0001".to_owned(),
        p if p < 0.009_95 => format!("{p:.4}"),
        p if p < 0.099_5 => format!("{p:.3}"),
        _ => format!("{p:.2}"),
    }
}

fn significant(value: f64) -> String {
    match value.abs() {
        v if !(1e-3..1e6).contains(&v) && v != 0.0 => scientific(value),
        v if v >= 999.5 => thousands(v.round() as u64),
        v if v >= 99.95 => format!("{value:.0}"),
        v if v >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

fn scientific(value: f64) -> String {
    format!("{value:.2e}")
}

/// A share of which a rounded 100 or 0 would mislead: `100.0 %`, `99.6 %`.
pub fn percent_1(share: f64) -> String {
    format!("{:.1} %", (share * 100.0).clamp(0.0, 100.0))
}

/// A change as a share: `+0.4 %`, `-10.8 %`.
pub fn signed_percent(share: f64) -> String {
    format!("{:+.1} %", share * 100.0)
}

/// So many digits behind the point: `1.50`.
pub fn decimals(value: f64, places: usize) -> String {
    format!("{value:.places$}")
}

/// At least so many significant digits, all of those before the point, at most nine behind it.
pub fn digits(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    // The exponent after rounding: 0.9996 has one digit before the point.
    let rounded = format!("{value:.*e}", digits.saturating_sub(1));
    let exponent: i64 = rounded.rsplit_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    let behind = (digits as i64 - 1).saturating_sub(exponent).clamp(0, 9);
    let text = format!("{value:.*}", behind as usize);
    match text.split_once('.') {
        Some((whole, rest)) => format!("{}.{rest}", grouped(whole)),
        None => grouped(&text),
    }
}

/// A time with its unit, in so many digits: `1.41 ms`.
pub fn time_in_digits(ns: f64, precision: usize) -> String {
    let (unit, size) = time_unit(ns);
    format!("{} {unit}", digits(ns / size, precision))
}

/// A time that was measured, for a reader who waits: `240 ms`, `3.2 s`, `41 s`, `2 min 40 s`.
pub fn waited(duration: Duration) -> String {
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

/// Memory in units of 1024: `512 MiB`, `23.5 GiB`.
pub fn memory(bytes: u64) -> String {
    const MIB: u64 = 1 << 20;
    if bytes >= 1024 * MIB {
        format!("{:.1} GiB", bytes as f64 / (1024 * MIB) as f64)
    } else {
        format!("{} MiB", bytes / MIB)
    }
}

/// Six digits of a number that programs read: more nobody sees in a chart. `None` of what is no number.
pub fn six_digits(value: f64) -> Option<f64> {
    format!("{value:.5e}").parse().ok().filter(|short: &f64| short.is_finite())
}

/// The unit in which a time has at most three digits before the point, and its nanoseconds.
fn time_unit(ns: f64) -> (&'static str, f64) {
    let units = [("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];
    // 999.5 and more would be written with four digits.
    units.into_iter().find(|(_, size)| ns.abs() / size < 999.5).unwrap_or(units[3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn thousands_are_separated() {
        for (n, text) in [(0, "0"), (999, "999"), (28_232, "28,232"), (12_481_007, "12,481,007")] {
            assert_eq!(thousands(n), text);
        }
        assert_eq!(grouped("-1234"), "-1,234");
        assert_eq!(grouped("-123"), "-123");
    }

    #[test]
    fn rates() {
        for (value, text) in [
            (0.0, "0.00"),
            (3.456, "3.46"),
            (99.4, "99.4"),
            (360.4, "360"),
            (999.6, "1,000"),
            (8_869.0, "8,870"),
            (48_123.4, "48,100"),
            (171_499.9, "171,000"),
            (2_345_678.0, "2,350,000"),
            (1e300, "1.00e300"),
            (1e-9, "1.00e-9"),
        ] {
            assert_eq!(rate(value), text);
        }
    }

    #[test]
    fn figures() {
        for (value, text) in [
            (0.0, "0"),
            (0.012_34, "0.0123"),
            (0.999_6, "1.00"),
            (2.0, "2.00"),
            (27.78, "27.8"),
            (277.8, "278"),
            (1_234.6, "1,235"),
            (-1_234.6, "-1,235"),
            (1e12, "1.00e12"),
            (1e-9, "1.00e-9"),
        ] {
            assert_eq!(figure(value), text);
        }
    }

    #[test]
    fn ratios() {
        for (value, text) in [
            (15.92, "15.9"),
            (5.416, "5.42"),
            (0.604, "0.60"),
            (0.0341, "0.034"),
            (9.996, "10.0"),
            (1234.0, "1,234"),
            (1e12, "1.00e12"),
        ] {
            assert_eq!(ratio(value), text);
        }
    }

    #[test]
    fn ranges_of_ratios() {
        for (low, high, text) in [
            (3.12, 3.36, "3.1 to 3.4"),
            (1.052, 1.117, "1.05 to 1.12"),
            (0.981, 1.032, "0.98 to 1.03"),
            (9.12, 10.21, "9.1 to 10.2"),
            (5.353, 5.442, "5.35 to 5.44"),
            (5.401, 5.403, "5.40"),
            (15.2, 18.9, "15 to 19"),
            (15.2, 15.9, "15.2 to 15.9"),
            (240.0, 1_234.0, "240 to 1,234"),
            (0.003, 0.5, "0.003 to 0.50"),
            (1e7, 1e8, "1.00e7 to 1.00e8"),
        ] {
            assert_eq!(ratio_range(low, high), text);
        }
    }

    #[test]
    fn zeros_behind_the_point() {
        for (text, tidied) in [
            ("1.00 s", "1 s"),
            ("2.50", "2.5"),
            ("100 ms", "100 ms"),
            ("20,000", "20,000"),
            ("0.00 ns", "0 ns"),
            ("1.00e9", "1.00e9"),
        ] {
            assert_eq!(tidy(text), tidied);
        }
    }

    #[test]
    fn times() {
        for (value, text) in [
            (0.0, "0.00 ns"),
            (999.4, "999 ns"),
            (999.6, "1.00 µs"),
            (20_712.0, "20.7 µs"),
            (112_040.0, "112 µs"),
            (1_230_000.0, "1.23 ms"),
            (2.5e9, "2.50 s"),
            (3.6e12, "3,600 s"),
            (1e30, "1.00e21 s"),
        ] {
            assert_eq!(time_ns(value), text);
        }
    }

    #[test]
    fn the_rest() {
        assert_eq!(thousands(12_481_007), "12,481,007");
        assert_eq!(thousands(7), "7");
        assert_eq!(bytes(14_200_000), "14 MB");
        assert_eq!(bytes(1_430_000_000), "1.4 GB");
        assert_eq!(bytes(12), "12 B");
        assert_eq!(bytes(u64::MAX), "18 EB");
        assert_eq!(binary_bytes(512 << 20), "512 MiB");
        assert_eq!(binary_bytes(1536 << 20), "1,536 MiB");
        assert_eq!(binary_bytes(2 << 30), "2 GiB");
        assert_eq!(binary_bytes(1_000_001), "1,000,001 B");
        assert_eq!(lasted_ns(41_400_000_000), "41 s");
        assert_eq!(lasted_ns(160_000_000_000), "2:40");
        assert_eq!(lasted_ns(3_760_000_000_000), "1:02:40");
        assert_eq!(budget(50_000_000_000), "50s");
        assert_eq!(budget(90_000_000_000), "90s");
        assert_eq!(budget(120_000_000_000), "2m");
        assert_eq!(budget(350_000_000_000), "5m50s");
        assert_eq!(tidy_percent(0.95), "95 %");
        assert_eq!(tidy_percent(0.985), "98.5 %");
        assert_eq!(percent(0.0113), "1.1 %");
        assert_eq!(percent(0.97), "97 %");
        assert_eq!(percent(0.000_1), "<0.1 %");
        assert_eq!(percent(1e9), ">999 %");
        assert_eq!(percent(f64::NAN), "unknown");
        assert_eq!(percent_1(1.0), "100.0 %");
        assert_eq!(change(1.024), "+2.4 %");
        assert_eq!(change(0.88), "-12 %");
        assert_eq!(change(1e9), ">+999 %");
        assert_eq!(change(0.9999), "+0.0 %");
        assert_eq!(change_range(0.88, 0.917), "-12 to -8.3 %");
        assert_eq!(change_range(0.98, 1e9), "-2.0 to >+999 %");
        assert_eq!(p_value(0.423), "0.42");
        assert_eq!(p_value(0.031_2), "0.031");
        assert_eq!(p_value(0.009_96), "0.010");
        assert_eq!(p_value(0.000_38), "0.0004");
        assert_eq!(p_value(1e-9), "<0.0001");
    }

    #[test]
    fn numbers_have_the_digits_that_were_asked_for_and_none_is_lost_before_the_point() {
        for (value, precision, text) in [
            (0.0, 3, "0"),
            (0.002, 3, "0.00200"),
            (0.5, 3, "0.500"),
            (1.406, 3, "1.41"),
            (20.004, 5, "20.004"),
            (4_999.8, 3, "5,000"),
            (1_234_567.0, 3, "1,234,567"),
            (-1_234.5, 5, "-1,234.5"),
            (1e-300, 3, "0.000000000"),
        ] {
            assert_eq!(digits(value, precision), text);
        }
        assert_eq!(time_in_digits(999_600.0, 3), "1.00 ms");
        assert_eq!(time_in_digits(3.6e12, 3), "3,600 s");
    }

    #[test]
    fn what_takes_a_while_is_told_in_few_digits() {
        let of_ms = |ms| waited(Duration::from_millis(ms));
        let texts = ["240 ms", "3.2 s", "10 s", "41 s", "2 min 0 s", "2 min 40 s"];
        assert_eq!([240, 3_240, 9_960, 41_000, 119_800, 160_400].map(of_ms), texts);
        assert_eq!([512 << 20, 24_684_084 * 1024].map(memory), ["512 MiB", "23.5 GiB"]);
        assert_eq!([decimals(1.5, 2), signed_percent(-0.108)], ["1.50", "-10.8 %"]);
        assert_eq!([six_digits(1.234_567_8), six_digits(f64::NAN)], [Some(1.234_57), None]);
    }

    proptest! {
        #[test]
        fn no_number_is_long(value in any::<f64>().prop_filter("finite", |v| v.is_finite()), whole in any::<u64>()) {
            prop_assert!(rate(value.abs()).len() <= 11);
            prop_assert!(ratio(value.abs()).len() <= 9, "{}", ratio(value.abs()));
            prop_assert!(time_ns(value.abs()).len() <= 12, "{}", time_ns(value.abs()));
            prop_assert!(percent(value).len() <= 7);
            prop_assert!(change(value.abs()).len() <= 7);
            prop_assert!(bytes(whole).len() <= 8);
        }
    }
}
