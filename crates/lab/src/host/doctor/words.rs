//! Numbers for people.

use velo_stats::number::decimals;
pub(super) use velo_stats::number::{memory as size, percent, thousands};

pub(super) fn gigahertz(khz: u64) -> String {
    format!("{} GHz", decimals(khz as f64 / 1e6, 1))
}

pub(super) fn long_time(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// Two digits count: more would promise what half a second of load cannot tell.
pub(super) fn roughly(number: f64) -> String {
    let whole = number.round().max(0.0) as u64;
    let unit = 10_u64.pow(whole.max(1).ilog10().saturating_sub(1));
    thousands(whole.saturating_add(unit / 2) / unit * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(28_232), "28,232");
        assert_eq!(thousands(1_048_576), "1,048,576");
        assert_eq!(size(24_684_084 * 1024), "23.5 GiB");
        assert_eq!(size(512 << 20), "512 MiB");
        assert_eq!(long_time(119), "119 s");
        assert_eq!(long_time(172_800), "2 days");
        assert_eq!(gigahertz(3_400_000), "3.4 GHz");
        assert_eq!(percent(0.0061), "0.6 %");
    }

    #[test]
    fn a_rough_number_has_two_digits() {
        let cases = [(0.0, "0"), (7.4, "7"), (154_999.0, "150,000"), (155_000.0, "160,000"), (99.6, "100")];
        for (number, text) in cases {
            assert_eq!(roughly(number), text, "{number}");
        }
        assert_eq!(roughly(f64::NAN), "0");
    }
}
