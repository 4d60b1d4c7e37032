//! The machine, and what others did to it while it measured.

use serde::Serialize;
use velo_record::{Placement, RunFile, Window};

use crate::doubt::bounds::{BUSY_HOST, DROPPED_BLOCKS_DOUBTFUL, QUIET_HOST};
use crate::doubt::finding::Finding;
use crate::doubt::verdict::{Check, Kind, Verdict};
use crate::measure::blocks::{Disturbed, DisturbedBy, SLOWER, UNFIT};
use crate::measure::cell::Cells;
use crate::measure::taken::TakenShares;

/// The host in short.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// Which CPUs each party has.
    pub placement: Placement,
    /// Whether the kernel keeps the time of interrupts apart from that of tasks, so that no contender's CPU time has it.
    pub irq_time_apart: Option<bool>,
    /// The share of CPU time stolen, mean over the windows of all blocks, those at stated rates and disturbed ones too.
    pub steal_share: Option<f64>,
    /// The share of CPU time used by others, mean over the same.
    pub others_share: Option<f64>,
    /// CPU time taken on either side, over the counted windows; `None` in runs of older versions and where a server ran already.
    pub taken: Option<TakenShares>,
    /// So much was taken that contenders are ranked by CPU time per request as well, and the answer rests on that.
    pub is_busy: bool,
    /// CPU times held what the hypervisor stole, as some kernels count it, and are corrected.
    pub is_steal_billed: bool,
    /// The launches in which a fixed piece of work took longer on some CPU than in the others.
    pub slower_launches: Vec<u32>,
    /// Windows of all blocks.
    pub windows: u64,
    /// Blocks; those of different workloads with the same number are one.
    pub blocks: u64,
    /// Blocks that the machine spoilt.
    pub disturbed_blocks: u64,
    /// By what.
    pub disturbed_by: DisturbedBy,
    /// Whether they are in the figures all the same, because most blocks are disturbed; else no window of theirs is in any
    /// estimate.
    pub counts_disturbed: bool,
}

impl HostSummary {
    /// The share of blocks that the machine spoilt; 0 without blocks.
    pub fn dropped_share(&self) -> f64 {
        self.disturbed_blocks as f64 / self.blocks.max(1) as f64
    }
}

pub(crate) fn summarise(
    file: &RunFile,
    windows: &[Window],
    disturbed: &Disturbed,
    cells: &Cells<'_>,
) -> HostSummary {
    let taken = cells.taken;
    let counted = || windows.iter().filter(|window| window.is_of_a_block());
    HostSummary {
        hostname: file.host.hostname.clone(),
        cpu_model: file.host.cpu_model.clone(),
        cpus: file.host.cpus,
        virtualisation: file.host.virtualisation.clone(),
        kernel: file.host.kernel.clone(),
        placement: file.placement.clone(),
        irq_time_apart: file.host.irq_time_apart,
        steal_share: mean(counted().filter_map(|window| window.host.steal_share)),
        others_share: mean(counted().filter_map(|window| window.host.others_share)),
        taken,
        is_busy: taken.is_some_and(|taken| taken.worse() >= BUSY_HOST),
        is_steal_billed: cells.is_steal_billed,
        slower_launches: disturbed.slower_launches.iter().copied().collect(),
        windows: counted().count() as u64,
        blocks: disturbed.blocks(),
        disturbed_blocks: disturbed.disturbed(),
        disturbed_by: disturbed.disturbed_by(),
        counts_disturbed: disturbed.is_unfit(),
    }
}

fn mean(shares: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) =
        shares.filter(|share| share.is_finite()).fold((0.0, 0.0), |(sum, n), share| (sum + share, n + 1.0));
    let mean = sum / n;
    mean.is_finite().then_some(mean)
}

/// What the machine did to the figures, as far as that is known.
pub(crate) fn verdicts(host: &HostSummary) -> impl Iterator<Item = Verdict> {
    [taken(host), disturbed(host), slower(host), billed_steal(host), unknown(host), interrupts(host)]
        .into_iter()
        .flatten()
}

/// What others took, said once for all rows.
fn taken(host: &HostSummary) -> Option<Verdict> {
    let taken = host.taken.filter(|taken| taken.worse() >= QUIET_HOST)?;
    let kind = if host.is_busy { Kind::Warning } else { Kind::Hint };
    let finding = Finding::CpuTimeTaken { taken, others: host.disturbed_by.others() };
    Some(Verdict::new(kind, Check::Host, finding).of(taken.worse(), BUSY_HOST))
}

/// A CPU that was slower in some launches than in others.
fn slower(host: &HostSummary) -> Option<Verdict> {
    let launches = host.slower_launches.clone();
    let finding = Finding::SlowerCpu { launches, longer_share: SLOWER - 1.0 };
    (!host.slower_launches.is_empty()).then(|| Verdict::new(Kind::Warning, Check::Host, finding))
}

/// What was taken out of CPU times.
fn billed_steal(host: &HostSummary) -> Option<Verdict> {
    host.is_steal_billed.then(|| Verdict::new(Kind::Hint, Check::Host, Finding::StealInCpuTimes))
}

/// A figure that is missing is no quiet host.
fn unknown(host: &HostSummary) -> Option<Verdict> {
    let (steal, others) = (host.steal_share.is_none(), host.others_share.is_none());
    ((steal || others) && host.windows > 0)
        .then(|| Verdict::new(Kind::Hint, Check::Host, Finding::OthersUnknown { steal, others }))
}

/// What CPU times leave out on some kernels.
fn interrupts(host: &HostSummary) -> Option<Verdict> {
    (host.irq_time_apart == Some(true) && host.windows > 0)
        .then(|| Verdict::new(Kind::Hint, Check::Host, Finding::InterruptsApart))
}

fn disturbed(host: &HostSummary) -> Option<Verdict> {
    (host.disturbed_blocks > 0).then(|| {
        let share = host.dropped_share();
        let finding = Finding::BlocksDisturbed {
            disturbed: host.disturbed_blocks,
            blocks: host.blocks,
            by: host.disturbed_by.clone(),
            are_counted: host.counts_disturbed,
        };
        let is_quiet = !host.counts_disturbed && share <= DROPPED_BLOCKS_DOUBTFUL;
        let kind = if is_quiet { Kind::Hint } else { Kind::Warning };
        Verdict::new(kind, Check::Host, finding).of(share, UNFIT)
    })
}
