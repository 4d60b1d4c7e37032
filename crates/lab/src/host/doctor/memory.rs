use velo_record::Pressure;

use super::files;

/// A member of `/proc/meminfo`, in bytes.
pub(super) fn bytes(meminfo: &str, key: &str) -> Option<u64> {
    let (number, unit) = files::value(meminfo, key)?.split_once(' ')?;
    number.parse::<u64>().ok().filter(|_| unit == "kB")?.checked_mul(1024)
}

pub(super) fn swap_used_bytes(meminfo: &str) -> Option<u64> {
    bytes(meminfo, "SwapTotal")?.checked_sub(bytes(meminfo, "SwapFree")?)
}

/// The word in brackets of `always [madvise] never`.
pub(super) fn chosen(choices: &str) -> Option<String> {
    let (_, rest) = choices.split_once('[')?;
    let (word, _) = rest.split_once(']')?;
    let is_word = !word.is_empty() && word.len() < 32 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    is_word.then(|| word.to_owned())
}

/// Reads `/proc/pressure`.
pub(super) fn pressure() -> Pressure {
    let share = |name| share_in(&files::text(format!("/proc/pressure/{name}"))?);
    Pressure { cpu_share: share("cpu"), memory_share: share("memory"), io_share: share("io") }
}

/// `some avg10=14.00 avg60=...`, a percentage.
fn share_in(text: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.starts_with("some "))?;
    let percent: f64 = line.split(' ').find_map(|field| field.strip_prefix("avg10="))?.parse().ok()?;
    (0.0..=100.0).contains(&percent).then_some(percent / 100.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn memory_is_read_in_bytes() {
        let text = "MemTotal:       24684084 kB\nSwapTotal:          8192 kB\nSwapFree:           1024 kB\n\
                    HugePages_Total:       0\n";
        assert_eq!(bytes(text, "MemTotal"), Some(24_684_084 * 1024));
        assert_eq!(swap_used_bytes(text), Some(7 * 1024 * 1024));
        assert_eq!(bytes(text, "HugePages_Total"), None);
        assert_eq!(bytes("MemTotal: 18446744073709551615 kB", "MemTotal"), None);
        assert_eq!(swap_used_bytes("SwapTotal: 1 kB\nSwapFree: 2 kB\n"), None);
    }

    #[test]
    fn the_choice_is_in_brackets() {
        assert_eq!(chosen("always [madvise] never").as_deref(), Some("madvise"));
        for odd in ["", "always", "[", "[]", "]a[", "[a b]", "always [never"] {
            assert_eq!(chosen(odd), None, "{odd}");
        }
    }

    #[test]
    fn pressure_is_a_share() {
        assert_eq!(
            share_in("some avg10=14.00 avg60=34.15 avg300=34.97 total=1\nfull avg10=0.00"),
            Some(0.14)
        );
        for odd in ["", "some", "some avg10=x", "some avg10=-1", "some avg10=NaN", "full avg10=1.00"] {
            assert_eq!(share_in(odd), None, "{odd}");
        }
    }

    proptest! {
        #[test]
        fn odd_content_gives_an_answer(text in ".{0,200}") {
            bytes(&text, "MemTotal");
            swap_used_bytes(&text);
            chosen(&text);
            share_in(&text);
        }
    }
}
