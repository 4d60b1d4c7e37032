//! Who was the limit: the contender, the generator, both, or something that was not seen.

use schemars::JsonSchema;
use serde::Serialize;
use velo_model::PartyRole;
use velo_record::{Placement, Window};

use crate::doubt::proof::{Proof, ProofFound};
use crate::measure::figures::median_over;

/// A generator that is at least this busy may be the limit.
pub(crate) const GENERATOR_BUSY: f64 = 0.85;
/// A contender that uses at least this share of the CPU time it could use is at its limit.
pub(crate) const SERVER_BUSY: f64 = 0.90;
/// A thread that used at least this share of a CPU counts as busy.
const BUSY_THREAD: f64 = 0.50;
/// A contender that uses at least this share of a CPU without load burns time, so its being busy proves nothing.
pub(crate) const IDLE_CPU: f64 = 0.05;

/// Which side limited the goodput.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// The contender: only then is goodput its own.
    Server,
    /// The generator.
    Client,
    /// Both were busy.
    Both,
    /// Neither was seen to be: the path, locks, waiting, or a figure is missing.
    Unknown,
}

/// Which side limited a row, and by which figures (medians over its counted windows).
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LimitFinding {
    /// Which side.
    pub limit: Limit,
    /// The share of its CPUs' time that the generator used.
    pub generator_busy_share: Option<f64>,
    /// The share that the contender used of the CPU time that its busy threads could use.
    pub server_busy_share: Option<f64>,
    /// True when one process was at its limit while its siblings waited.
    pub uneven: bool,
    /// The share of a CPU that the busiest of several processes used, where that is all it could.
    pub busiest_process_share: Option<f64>,
    /// The share of a CPU that the contender used without load.
    pub idle_cpu_share: Option<f64>,
    /// What slowing the generator showed, where that was tried.
    pub proof: Option<Proof>,
}

/// Finds the limit of a row from its counted windows and from what slowing the generator showed.
pub(crate) fn find(
    blocks: &[&Window],
    placement: &Placement,
    idle_cpu_share: Option<f64>,
    proof: Option<Proof>,
) -> LimitFinding {
    let generator = median_over(blocks, |window| generator_busy(window, placement));
    let server = median_over(blocks, |window| server_busy(window, placement));
    let busiest = median_over(blocks, busiest_of_several);
    conclude([generator, server, busiest, idle_cpu_share], proof)
}

fn conclude(
    [generator, server, busiest, idle_cpu_share]: [Option<f64>; 4],
    proof: Option<Proof>,
) -> LimitFinding {
    let uneven =
        server.is_some_and(|busy| busy < SERVER_BUSY) && busiest.is_some_and(|busy| busy >= SERVER_BUSY);
    let mut finding = LimitFinding {
        limit: Limit::Unknown,
        generator_busy_share: generator,
        server_busy_share: server,
        uneven,
        busiest_process_share: busiest,
        idle_cpu_share,
        proof,
    };
    let limit = finding.by_cpu_time();
    // An effect that was seen outweighs what CPU times say; that none was seen only confirms them.
    let is_accused = finding.proof.as_ref().is_some_and(|proof| proof.found == ProofFound::GeneratorMatters);
    finding.limit = match limit {
        Limit::Server | Limit::Unknown if is_accused => Limit::Client,
        limit => limit,
    };
    finding
}

impl LimitFinding {
    /// Which side CPU times point at.
    pub(crate) fn by_cpu_time(&self) -> Limit {
        let Some((generator, _)) = self.generator_busy_share.zip(self.server_busy_share) else {
            return Limit::Unknown;
        };
        match (generator >= GENERATOR_BUSY, self.is_busy()) {
            (true, true) => Limit::Both,
            (true, false) => Limit::Client,
            (false, true) if self.spins().is_none() => Limit::Server,
            (false, _) => Limit::Unknown,
        }
    }

    /// The CPU time that it burns without load, where that is so much that being busy proves nothing.
    pub(crate) fn spins(&self) -> Option<f64> {
        self.idle_cpu_share.filter(|idle| idle.is_nan() || *idle >= IDLE_CPU)
    }

    /// Whether the contender used what it could.
    pub(crate) fn is_busy(&self) -> bool {
        self.uneven || self.server_busy_share.is_some_and(|busy| busy >= SERVER_BUSY)
    }
}

/// The share of its CPUs' time that the generator used in a window.
pub(crate) fn generator_busy(window: &Window, placement: &Placement) -> Option<f64> {
    let used = window.cpu_ns(PartyRole::Generator)? as f64;
    share(used, window.duration_ns as f64 * placement.cpus(PartyRole::Generator).len() as f64)
}

fn server_busy(window: &Window, placement: &Placement) -> Option<f64> {
    let cpus = placement.cpus(PartyRole::Contender).len().max(1) as f64;
    // A contender that can use one thread only is at its limit when that thread is.
    let busy_threads = window.party(PartyRole::Contender)?.busy_threads;
    let usable = busy_threads.map_or(cpus, |threads| f64::from(threads.max(1)).min(cpus));
    share(window.cpu_ns(PartyRole::Contender)? as f64, window.duration_ns as f64 * usable)
}

/// The share of a CPU that the busiest of several processes used, unless it must hold more than one of the busy
/// threads: then one CPU is not its limit.
fn busiest_of_several(window: &Window) -> Option<f64> {
    let contender = window.party(PartyRole::Contender)?;
    let processes = &contender.cpu_by_process_ns;
    let busiest = *processes.iter().max()? as f64;
    // A process's own time is read before settling and after draining.
    let stretch_ns = window.loaded_ns() as f64;
    let siblings_ns = processes.iter().map(|cpu| *cpu as f64).sum::<f64>() - busiest;
    let other_threads = f64::from(contender.busy_threads.unwrap_or(1).saturating_sub(1));
    let is_one_thread = siblings_ns >= other_threads * BUSY_THREAD * stretch_ns;
    (processes.len() > 1 && is_one_thread).then(|| share(busiest, stretch_ns)).flatten()
}

fn share(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doubt::proof::ProofFound;
    use velo_fixtures::{Simulated, Simulation, contender_mut};

    fn limit(generator: f64, server: f64) -> Limit {
        by_shares(generator, server, None, 0.0).limit
    }

    fn by_shares(generator: f64, server: f64, busiest: Option<f64>, idle: f64) -> LimitFinding {
        conclude([Some(generator), Some(server), busiest, Some(idle)], None)
    }

    #[test]
    fn the_bounds_are_those_of_the_method() {
        assert_eq!(limit(0.849, 0.90), Limit::Server);
        assert_eq!(limit(0.85, 0.90), Limit::Both);
        assert_eq!(limit(0.85, 0.899), Limit::Client);
        assert_eq!(limit(0.849, 0.899), Limit::Unknown);
    }

    #[test]
    fn a_contender_that_spins_without_load_proves_nothing() {
        let limit_of = |idle| by_shares(0.5, 1.0, None, idle).limit;
        assert_eq!(limit_of(0.05), Limit::Unknown);
        assert_eq!(limit_of(0.049), Limit::Server);
        assert_eq!(limit_of(f64::NAN), Limit::Unknown);
    }

    #[test]
    fn one_full_process_beside_idle_siblings_is_the_servers_limit() {
        let finding = by_shares(0.5, 0.7, Some(0.98), 0.0);
        assert_eq!((finding.limit, finding.uneven), (Limit::Server, true));
        assert_eq!(finding.in_words(), "one process was busy 98 % while its siblings waited");
    }

    #[test]
    fn several_busy_threads_of_one_process_are_not_uneven() {
        let (_, mut windows) = Simulation::new(vec![Simulated::new("go/net-http", 40_000.0)]).run();
        let mut window = windows.swap_remove(1);
        let stretch = window.loaded_ns();
        contender_mut(&mut window).cpu_ns = Some(window.duration_ns * 14 / 10);
        let placement = Placement::new([(PartyRole::Contender, vec![0, 1]), (PartyRole::Generator, vec![2])]);
        let mut uneven = |busy_threads: u32, hundredths: [u64; 2]| {
            contender_mut(&mut window).busy_threads = Some(busy_threads);
            contender_mut(&mut window).cpu_by_process_ns = hundredths.map(|of| stretch * of / 100).to_vec();
            find(&[&window], &placement, Some(0.0), None).uneven
        };
        assert!(uneven(2, [95, 52]), "two workers");
        assert!(!uneven(2, [140, 1]), "a program and the shell that started it");
        assert!(!uneven(2, [85, 55]), "none is at its limit");
    }

    fn proof(found: ProofFound) -> Proof {
        Proof {
            slowed_ns: 500,
            pairs: 10,
            ratio: Some(0.939),
            low: Some(0.92),
            high: Some(0.96),
            fall_if_limit: Some(0.1),
            found,
        }
    }

    #[test]
    fn a_generator_that_matters_is_the_limit_whatever_cpu_times_say() {
        let shares = |limit| match limit {
            Limit::Server => ([0.5, 1.0], "the contender was busy 100 %, the generator 50 %"),
            Limit::Client => ([0.9, 0.5], "the generator was busy 90 %"),
            Limit::Both => ([0.9, 1.0], "the generator was busy 90 %, the contender 100 %"),
            Limit::Unknown => {
                ([0.5, 0.6], "neither side was the limit: the contender was busy 60 %, the generator 50 %")
            }
        };
        let prove = |limit, found| {
            let ([generator, server], words) = shares(limit);
            let plain = by_shares(generator, server, None, 0.0);
            assert_eq!((plain.limit, plain.in_words().as_str()), (limit, words));
            let shares = [Some(generator), Some(server), None, Some(0.0)];
            let finding = conclude(shares, Some(proof(found)));
            (finding.limit, finding.in_words().replace(words, "by CPU time"))
        };
        let cost = "slowing the generator by 0.5 µs a request cost 6.1 %";
        for limit in [Limit::Server, Limit::Unknown] {
            assert_eq!(prove(limit, ProofFound::GeneratorMatters), (Limit::Client, cost.to_owned()));
        }
        for limit in [Limit::Client, Limit::Both] {
            assert_eq!(prove(limit, ProofFound::GeneratorMatters), (limit, format!("by CPU time; {cost}")));
            assert_eq!(prove(limit, ProofFound::GeneratorDoesNotMatter), (limit, "by CPU time".to_owned()));
        }
        let (limit, words) = prove(Limit::Server, ProofFound::GeneratorDoesNotMatter);
        assert_eq!(limit, Limit::Server);
        assert_eq!(words, "by CPU time; slowing the generator by 0.5 µs a request did not cost 2.0 %");
        assert_eq!(prove(Limit::Server, ProofFound::Unresolved), (Limit::Server, "by CPU time".to_owned()));
    }

    #[test]
    fn what_is_missing_is_named() {
        assert_eq!(
            conclude([None, Some(1.0), None, None], None).in_words(),
            "the generator's CPU time is not known"
        );
        assert_eq!(
            conclude([Some(0.1), None, None, None], None).in_words(),
            "the contender's CPU time is not known"
        );
    }
}
