//! What a run would do, as far as that is known before anything is built or started.

use std::time::Duration;

use velo_model::{Contender, PartyRole, Role, Workload};
use velo_record::Placement;

use crate::LabError;
use crate::course::calls::will_take;
use crate::course::fix_plan::CURVE_WINDOW;
use crate::course::lane::CURVE_POINTS;
use crate::host::placement;
use crate::host::toolchain::{self, Missing};
use crate::options::{RunOptions, SingleCalls};
use crate::prepare::speech;

/// A run that has not been started.
#[derive(Debug, Clone)]
pub struct Preview {
    /// Which CPUs serve and which load.
    pub placement: Placement,
    /// The workloads as they would be used: one for each of their loads.
    pub workloads: Vec<Workload>,
    /// Who would take part, in the order asked for.
    pub contenders: Vec<Previewed>,
    /// How long measuring would take, in addition to building and verifying; without bursts, tasks and single calls. `None`: only
    /// the first launch shows it.
    pub expected: Option<Duration>,
    /// How long single calls would take at least. `None`: there would be none.
    pub calls: Option<Duration>,
}

/// A contender of a run that has not been started.
#[derive(Debug, Clone)]
pub struct Previewed {
    /// The contender.
    pub contender: Contender,
    /// Why it would be skipped. A fetch or a build that fails is not known yet.
    pub skipped: Option<Missing>,
}

/// Looks at a run without starting it: only toolchains are asked for their versions.
///
/// # Errors
/// When the host is unfit.
pub fn preview(options: &RunOptions) -> Result<Preview, LabError> {
    let placement = placement::choose(&options.placement)?;
    let workloads = crate::run::workloads(options, placement.cpus(PartyRole::Contender).len());
    let protocol = speech::of(&workloads);
    let contenders: Vec<Previewed> = options
        .contenders
        .iter()
        .map(|contender| Previewed {
            contender: contender.clone(),
            skipped: speech::missing(contender, protocol).or_else(|| toolchain::missing(contender)),
        })
        .collect();
    let expected = expected(options, &workloads, &contenders);
    let calls = calls(options, &workloads, &contenders);
    Ok(Preview { placement, workloads, contenders, expected, calls })
}

fn calls(options: &RunOptions, workloads: &[Workload], contenders: &[Previewed]) -> Option<Duration> {
    let called = contenders.iter().filter(|one| one.skipped.is_none() && one.contender.role == Role::Server);
    let called: Vec<&Contender> = called.map(|one| &one.contender).collect();
    let expected = || will_take(options, workloads, &called);
    (options.single_calls != SingleCalls::No).then(expected).filter(|expected| !expected.is_zero())
}

fn expected(options: &RunOptions, workloads: &[Workload], contenders: &[Previewed]) -> Option<Duration> {
    let taking_part = |workload: &Workload| {
        let serves = |one: &&Previewed| {
            one.skipped.is_none() && one.contender.role == Role::Server && workload.is_for(&one.contender)
        };
        contenders.iter().filter(serves).count() as u32
    };
    if options.as_published {
        let windows = workloads.iter().filter_map(|workload| {
            let seconds = workload.load.as_published.as_ref()?.seconds;
            Some(Duration::from_secs(seconds.into()) * taking_part(workload))
        });
        return Some(windows.sum());
    }
    if options.quick {
        return None;
    }
    let tracks: u32 = workloads.iter().map(taking_part).sum();
    let curve = if options.curve { CURVE_WINDOW * CURVE_POINTS * tracks } else { Duration::ZERO };
    Some(options.budget + options.latency.unwrap_or_default() + curve)
}
