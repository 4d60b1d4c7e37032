//! Whether the kernel keeps the time of interrupts apart from that of tasks.

use std::fs::File;
use std::io::Read;

use flate2::read::GzDecoder;

use super::files;

const OPTION: &str = "CONFIG_IRQ_TIME_ACCOUNTING";
/// No configuration of a kernel is longer.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// What tells it.
#[derive(Debug, Clone, Copy, Default)]
struct Signs<'a> {
    /// The kernel's configuration.
    config: Option<&'a str>,
    /// `/proc/pressure/irq` can be read: only a kernel that was built with the option has it, since Linux 6.1.
    has_irq_pressure: bool,
    /// The kernel's command line.
    command_line: &'a str,
    /// The clock source.
    clock_source: &'a str,
}

/// `None` when neither the kernel's configuration nor anything else tells.
pub(super) fn time_apart(release: &str) -> Option<bool> {
    let config = config(release);
    apart(Signs {
        config: config.as_deref(),
        has_irq_pressure: files::text("/proc/pressure/irq").is_some(),
        command_line: &files::text("/proc/cmdline").unwrap_or_default(),
        clock_source: &files::line("/sys/devices/system/clocksource/clocksource0/current_clocksource")
            .unwrap_or_default(),
    })
}

fn apart(signs: Signs<'_>) -> Option<bool> {
    let built = match signs.config.map(|config| files::value(config, OPTION) == Some("y")) {
        Some(built) => built,
        None if signs.has_irq_pressure => true,
        None => return None,
    };
    // On x86 it is switched off with a time stamp counter that cannot be trusted, which is then no clock either.
    let is_switched_off = signs.command_line.split_ascii_whitespace().any(|word| {
        word.strip_prefix("tsc=")
            .is_some_and(|how| how.split(',').any(|how| how == "noirqtime" || how == "unstable"))
    });
    let has_poor_clock = matches!(signs.clock_source, "hpet" | "acpi_pm" | "jiffies" | "refined-jiffies");
    Some(built && !is_switched_off && !has_poor_clock)
}

/// The configuration that the running kernel was built with, where it is to be had.
fn config(release: &str) -> Option<String> {
    let beside = [format!("/boot/config-{release}"), format!("/lib/modules/{release}/config")];
    let text = packed("/proc/config.gz").or_else(|| beside.into_iter().find_map(files::text))?;
    text.contains("CONFIG_").then_some(text)
}

fn packed(path: &str) -> Option<String> {
    let mut bytes = Vec::new();
    GzDecoder::new(File::open(path).ok()?).take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_tells_and_the_command_line_may_switch_it_off() {
        let on = Signs {
            config: Some("CONFIG_HZ=250\nCONFIG_IRQ_TIME_ACCOUNTING=y\n"),
            clock_source: "tsc",
            ..Signs::default()
        };
        assert_eq!(apart(on), Some(true));
        let off = "CONFIG_TICK_CPU_ACCOUNTING=y\n# CONFIG_IRQ_TIME_ACCOUNTING is not set\n";
        assert_eq!(apart(Signs { config: Some(off), ..on }), Some(false));
        assert_eq!(apart(Signs { command_line: "quiet tsc=noirqtime", ..on }), Some(false));
        assert_eq!(apart(Signs { command_line: "tsc=reliable", ..on }), Some(true));
        assert_eq!(apart(Signs { clock_source: "hpet", ..on }), Some(false));
        assert_eq!(apart(Signs { clock_source: "kvm-clock", ..on }), Some(true));
    }

    #[test]
    fn without_a_configuration_pressure_tells_or_nothing_does() {
        assert_eq!(apart(Signs { has_irq_pressure: true, ..Signs::default() }), Some(true));
        assert_eq!(apart(Signs::default()), None);
    }
}
