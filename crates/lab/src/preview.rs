//! What a run would do, as far as that is known before anything is built or started.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use velo_model::{Contender, PartyRole, Role, Workload};
use velo_record::Placement;

use crate::LabError;
use crate::build::builder;
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
    /// Contenders that were never built here, those that share a build counted once.
    pub never_built: usize,
    /// How long building those takes, as a rule of thumb: it hangs on what they download.
    pub building: Duration,
}

/// A contender of a run that has not been started.
#[derive(Debug, Clone)]
pub struct Previewed {
    /// The contender.
    pub contender: Contender,
    /// Why it would be skipped. A fetch or a build that fails is not known yet.
    pub skipped: Option<Missing>,
}

/// Of a contender's first build, downloads included, on one CPU: the published stacks took this on average.
const FIRST_BUILD: Duration = Duration::from_secs(30);

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
    let never_built = never_built(&options.cache_dir, &contenders);
    let building = FIRST_BUILD * never_built.div_ceil(builder::workers(never_built)) as u32;
    Ok(Preview { placement, workloads, contenders, expected, calls, never_built, building })
}

fn never_built(cache_dir: &Path, contenders: &[Previewed]) -> usize {
    let built = contenders.iter().filter(|one| one.skipped.is_none() && one.contender.runs_at.is_none());
    let folders: BTreeSet<PathBuf> = built.map(|one| builder::folder(cache_dir, &one.contender)).collect();
    folders.iter().filter(|folder| !folder.exists()).count()
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

#[cfg(test)]
mod tests {
    use super::*;
    use velo_model::ContenderName;

    fn previewed(name: &str) -> Previewed {
        let name = ContenderName::new(name).unwrap();
        let running = Contender::running(name, String::new(), Vec::new());
        Previewed { contender: Contender { runs_at: None, ..running }, skipped: None }
    }

    #[test]
    fn what_is_built_for_the_first_time_is_counted() {
        let dir = tempfile::tempdir().unwrap();
        let mut variant = previewed("go/gin-json");
        variant.contender.variant_of = Some(ContenderName::new("go/gin").unwrap());
        let mut external = previewed("go/far");
        external.contender.runs_at = Some("http://127.0.0.1:3000".to_owned());
        let mut skipped = previewed("go/old");
        skipped.skipped = Some(Missing { reason: String::new(), cure: String::new() });
        let all = [previewed("go/gin"), variant, previewed("js/fastify"), external, skipped];
        assert_eq!(never_built(dir.path(), &all), 2, "a variant shares the build");
        std::fs::create_dir_all(builder::folder(dir.path(), &all[0].contender)).unwrap();
        assert_eq!(never_built(dir.path(), &all), 1);
    }
}
