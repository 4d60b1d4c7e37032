//! The machine, and what others did to it while it measured.

use schemars::JsonSchema;
use serde::Serialize;
use velo_record::{RunFile, Window, WindowKind};

use crate::verdict::{Check, Kind, Verdict};
use crate::words::percent;

/// A window in which at least this share of the CPUs' time was stolen is disturbed.
pub(crate) const STEAL: f64 = 0.01;
/// A window in which others used at least this share of the CPUs' time is disturbed.
pub(crate) const OTHERS: f64 = 0.05;

/// The host in short.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HostSummary {
    /// The host's name.
    pub hostname: String,
    /// The CPU's model.
    pub cpu_model: Option<String>,
    /// CPUs online.
    pub cpus: u32,
    /// The hypervisor, where one is seen.
    pub virtualisation: Option<String>,
    /// The kernel's release.
    pub kernel: String,
    /// The contenders' CPUs.
    pub server_cpus: Vec<u32>,
    /// The generator's CPUs.
    pub load_cpus: Vec<u32>,
    /// The share of CPU time stolen, mean over counted windows.
    pub steal_share: Option<f64>,
    /// The share of CPU time used by others, mean over counted windows.
    pub others_share: Option<f64>,
    /// Counted windows.
    pub windows: u64,
    /// Those with steal or others above the bounds. None is dropped.
    pub disturbed_windows: u64,
}

pub(crate) fn summarise(file: &RunFile, windows: &[Window]) -> HostSummary {
    let counted = || windows.iter().filter(|window| window.kind == WindowKind::Block);
    HostSummary {
        hostname: file.host.hostname.clone(),
        cpu_model: file.host.cpu_model.clone(),
        cpus: file.host.cpus,
        virtualisation: file.host.virtualisation.clone(),
        kernel: file.host.kernel.clone(),
        server_cpus: file.placement.server_cpus.clone(),
        load_cpus: file.placement.load_cpus.clone(),
        steal_share: mean(counted().filter_map(|window| window.host.steal_share)),
        others_share: mean(counted().filter_map(|window| window.host.others_share)),
        windows: counted().count() as u64,
        disturbed_windows: counted().filter(|window| is_disturbed(window)).count() as u64,
    }
}

fn is_disturbed(window: &Window) -> bool {
    window.host.steal_share.is_some_and(|share| share >= STEAL)
        || window.host.others_share.is_some_and(|share| share >= OTHERS)
}

fn mean(shares: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) =
        shares.filter(|share| share.is_finite()).fold((0.0, 0.0), |(sum, n), share| (sum + share, n + 1.0));
    let mean = sum / n;
    mean.is_finite().then_some(mean)
}

pub(crate) fn verdict(host: &HostSummary) -> Option<Verdict> {
    (host.disturbed_windows > 0).then(|| {
        let share = host.disturbed_windows as f64 / host.windows as f64;
        let words = format!(
            "the host was disturbed in {} of {} windows ({}): steal of {} or others of {} and more; none was dropped",
            host.disturbed_windows,
            host.windows,
            percent(share),
            percent(STEAL),
            percent(OTHERS)
        );
        Verdict::new(if share > 0.5 { Kind::Warning } else { Kind::Hint }, Check::Host, words).of(share, 0.5)
    })
}
