//! What the host did beside contender and generator.

use std::collections::VecDeque;
use std::fs;
use std::time::{Duration, Instant};

use velo_record::HostWindow;

/// The kernel counts CPU time of the whole host in hundredths of a second, so shares are taken over at least this.
const STRETCH: Duration = Duration::from_secs(1);

/// A moment of the host.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Moment {
    at: Instant,
    busy_ns: u64,
    steal_ns: u64,
    /// CPU time of contenders and of `velo` itself.
    own_ns: u64,
    pressure_us: Option<u64>,
}

/// Follows the host from window to window.
#[derive(Debug)]
pub(crate) struct HostSampler {
    moments: VecDeque<Moment>,
    tick_ns: u64,
}

impl HostSampler {
    pub(crate) fn new() -> Self {
        let per_second = rustix::param::clock_ticks_per_second().max(1);
        Self { moments: VecDeque::new(), tick_ns: 1_000_000_000 / per_second }
    }

    /// Forgets what was; what happens until the next sample is not looked at.
    pub(crate) fn restart(&mut self) {
        self.moments.clear();
    }

    /// Takes a sample at a window's end and says what the host did over the last second or a little more.
    pub(crate) fn sample(&mut self, contenders_cpu_ns: u64) -> HostWindow {
        let text = fs::read_to_string("/proc/stat").unwrap_or_default();
        let Some((busy_ticks, steal_ticks, cpus)) = parse_stat(&text) else { return HostWindow::default() };
        let now = Moment {
            at: Instant::now(),
            busy_ns: busy_ticks * self.tick_ns,
            steal_ns: steal_ticks * self.tick_ns,
            own_ns: contenders_cpu_ns + own_cpu_ns(),
            pressure_us: fs::read_to_string("/proc/pressure/cpu").ok().as_deref().and_then(parse_pressure),
        };
        while self.moments.len() > 1 && now.at - self.moments[1].at >= STRETCH {
            self.moments.pop_front();
        }
        let window = self.moments.front().map(|then| share(then, &now, cpus)).unwrap_or_default();
        self.moments.push_back(now);
        window
    }
}

fn share(then: &Moment, now: &Moment, cpus: u64) -> HostWindow {
    let elapsed = now.at - then.at;
    if elapsed < STRETCH {
        return HostWindow::default();
    }
    let all_ns = elapsed.as_nanos() as f64 * cpus.max(1) as f64;
    let busy_ns = now.busy_ns.saturating_sub(then.busy_ns);
    let own_ns = now.own_ns.saturating_sub(then.own_ns);
    let pressure = then.pressure_us.zip(now.pressure_us);
    HostWindow {
        canary: Vec::new(),
        steal_share: Some(now.steal_ns.saturating_sub(then.steal_ns) as f64 / all_ns),
        others_share: Some(busy_ns.saturating_sub(own_ns) as f64 / all_ns),
        cpu_pressure_share: pressure
            .map(|(then, now)| now.saturating_sub(then) as f64 / elapsed.as_micros() as f64),
    }
}

fn own_cpu_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Busy and stolen ticks of all CPUs, and how many CPUs: user, nice, system, irq and softirq are busy; idle, iowait
/// and steal are not; guest time is inside user (proc(5)).
fn parse_stat(text: &str) -> Option<(u64, u64, u64)> {
    let mut fields = text.lines().find_map(|line| line.strip_prefix("cpu "))?.split_ascii_whitespace();
    let mut field = || fields.next().and_then(|field| field.parse::<u64>().ok());
    let (user, nice, system) = (field()?, field()?, field()?);
    let (_idle, _iowait, irq, softirq) = (field()?, field()?, field()?, field()?);
    let steal = field().unwrap_or(0);
    let is_cpu = |line: &&str| {
        line.strip_prefix("cpu").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let cpus = text.lines().filter(is_cpu).count() as u64;
    let busy = [user, nice, system, irq, softirq].into_iter().try_fold(0u64, u64::checked_add)?;
    Some((busy, steal, cpus))
}

/// Microseconds in which some task waited for a CPU.
fn parse_pressure(text: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with("some"))?;
    line.split_ascii_whitespace().find_map(|field| field.strip_prefix("total="))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proc_texts_are_read() {
        let text =
            "cpu  10 1 5 900 7 2 3 4 0 0\ncpu0 5 0 0 0 0 0 0 0 0 0\ncpu1 5 0 0 0 0 0 0 0 0 0\nintr 9\n";
        assert_eq!(parse_stat(text), Some((21, 4, 2)));
        assert_eq!(parse_stat("cpu  1 2"), None);
        assert_eq!(
            parse_pressure("some avg10=0.00 avg60=0.02 total=2718687\nfull total=0\n"),
            Some(2_718_687)
        );
    }

    #[test]
    fn shares_are_of_all_cpus_over_the_stretch() {
        let at = Instant::now();
        let then = Moment { at, busy_ns: 0, steal_ns: 0, own_ns: 0, pressure_us: Some(0) };
        let now = Moment {
            at: at + Duration::from_secs(2),
            busy_ns: 3_000_000_000,
            steal_ns: 40_000_000,
            own_ns: 2_800_000_000,
            pressure_us: Some(500_000),
        };
        let window = share(&then, &now, 2);
        assert_eq!(window.others_share, Some(0.05));
        assert_eq!(window.steal_share, Some(0.01));
        assert_eq!(window.cpu_pressure_share, Some(0.25));
        assert_eq!(
            share(&then, &Moment { at: at + Duration::from_millis(10), ..now }, 2),
            HostWindow::default()
        );
    }
}
