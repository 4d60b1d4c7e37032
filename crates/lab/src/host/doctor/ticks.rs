use super::files;

/// The first line of `/proc/stat`, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ticks {
    all: u64,
    idle: u64,
    steal: u64,
}

pub(super) fn read() -> Option<Ticks> {
    ticks_in(&files::text("/proc/stat")?)
}

/// The shares of all CPUs' time that others than this process used, and that the hypervisor took. `own_ticks` is
/// what this process used.
pub(super) fn shares(before: Ticks, after: Ticks, own_ticks: u64) -> (Option<f64>, Option<f64>) {
    let (Some(all), Some(idle), Some(steal)) = (
        after.all.checked_sub(before.all).filter(|&all| all > 0),
        after.idle.checked_sub(before.idle),
        after.steal.checked_sub(before.steal),
    ) else {
        return (None, None);
    };
    let busy = all.saturating_sub(idle).saturating_sub(steal).saturating_sub(own_ticks);
    (Some(busy as f64 / all as f64), Some(steal as f64 / all as f64))
}

/// Guest time is part of user time, so only the first eight fields are summed.
fn ticks_in(stat: &str) -> Option<Ticks> {
    let line = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let fields: Vec<u64> =
        line.split_ascii_whitespace().map_while(|field| field.parse().ok()).take(8).collect();
    let all = fields.iter().try_fold(0_u64, |sum, field| sum.checked_add(*field))?;
    let idle = fields.get(3)?.checked_add(fields.get(4).copied().unwrap_or(0))?;
    Some(Ticks { all, idle, steal: fields.get(7).copied().unwrap_or(0) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STAT: &str =
        "cpu  52132 50 20336 260505 1311 0 7307 65 0 0\ncpu0 29971 7 8086 129044 70 0 4389 30 0 0\n";

    #[test]
    fn ticks_are_summed_without_guests() {
        let ticks = ticks_in(STAT).expect("ticks");
        assert_eq!(ticks, Ticks { all: 341_706, idle: 261_816, steal: 65 });
        assert_eq!(ticks_in("cpu  1 2 3 4 5 6 7 8 900 1000\n").map(|ticks| ticks.all), Some(36));
    }

    #[test]
    fn an_old_kernels_line_is_read_and_an_odd_one_is_not() {
        assert_eq!(ticks_in("cpu  1 2 3 4\n"), Some(Ticks { all: 10, idle: 4, steal: 0 }));
        for odd in ["", "cpu", "cpu ", "cpu  1 2 3", "cpu  x", "cpu0 1 2 3 4", "intr 5"] {
            assert_eq!(ticks_in(odd), None, "{odd}");
        }
        assert_eq!(ticks_in("cpu  18446744073709551615 1 1 1\n"), None);
    }

    #[test]
    fn shares_leave_out_idle_steal_and_oneself() {
        let before = Ticks { all: 1000, idle: 500, steal: 10 };
        let after = Ticks { all: 1200, idle: 600, steal: 20 };
        assert_eq!(shares(before, after, 40), (Some(50.0 / 200.0), Some(10.0 / 200.0)));
    }

    #[test]
    fn counters_that_stand_still_or_run_backwards_give_no_share() {
        let ticks = Ticks { all: 1000, idle: 500, steal: 10 };
        assert_eq!(shares(ticks, ticks, 0), (None, None));
        assert_eq!(shares(ticks, Ticks { all: 1100, idle: 400, steal: 10 }, 0), (None, None));
    }

    proptest! {
        #[test]
        fn odd_content_gives_an_answer(text in ".{0,200}", numbers in prop::collection::vec(any::<u64>(), 0..12)) {
            let line: Vec<String> = numbers.iter().map(u64::to_string).collect();
            ticks_in(&text);
            ticks_in(&format!("cpu  {}", line.join(" ")));
        }
    }
}
