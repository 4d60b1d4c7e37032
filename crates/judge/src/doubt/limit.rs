//! Who was the limit: which of the parties, or something that was not seen.

use std::collections::BTreeSet;

use serde::Serialize;
use velo_model::PartyRole;
use velo_record::{Placement, Window};

use crate::doubt::proof::{Proof, ProofFound};
use crate::measure::busy::{busy_share, share};
use crate::measure::figures::median_over;
use crate::measure::taken::TakenShares;

/// A generator that is at least this busy may be the limit, as may any other party but the contender.
pub const GENERATOR_BUSY: f64 = 0.85;
/// A contender that uses at least this share of the CPU time it could use is at its limit.
pub(crate) const SERVER_BUSY: f64 = 0.90;
/// A thread that used at least this share of a CPU counts as busy.
const BUSY_THREAD: f64 = 0.50;
/// A contender that uses at least this share of a CPU without load burns time, so its being busy proves nothing.
pub(crate) const IDLE_CPU: f64 = 0.05;

/// Which parties limited a row, and by which figures (medians over its counted windows).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LimitFinding {
    /// The parties that were at their limit; only where that is the contender alone is goodput its own. None: nobody was seen to
    /// be; it was the path, locks, waiting, or a figure is missing.
    pub at_limit: Vec<PartyRole>,
    /// How busy each party was.
    pub parties: Vec<PartyShare>,
    /// True when one process of the contender was at its limit while its siblings waited.
    pub uneven: bool,
    /// The share of a CPU that the busiest of several processes used, where that is all it could.
    pub busiest_process_share: Option<f64>,
    /// The share of a CPU that the contender used without load.
    pub idle_cpu_share: Option<f64>,
    /// What slowing the generator showed, where that was tried.
    pub proof: Option<Proof>,
}

/// How busy a party was.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PartyShare {
    /// What it does in the measurement.
    pub role: PartyRole,
    /// The share of its CPUs' time that it used, of what others and the hypervisor left of it; of the contender, that its busy threads
    /// could use.
    pub busy_share: Option<f64>,
}

impl PartyShare {
    /// From which share on it is at its limit.
    pub(crate) fn bound(self) -> f64 {
        if self.role == PartyRole::Contender { SERVER_BUSY } else { GENERATOR_BUSY }
    }
}

/// Finds the limit of a row from its counted windows and from what slowing the generator showed.
pub(crate) fn find(
    blocks: &[&Window],
    placement: &Placement,
    idle_cpu_share: Option<f64>,
    proof: Option<Proof>,
) -> LimitFinding {
    // What was taken is nobody's idling.
    let taken = TakenShares::over(blocks.iter().copied(), placement).unwrap_or_default();
    // Another party counts where its CPU time within windows is known, which that of a link is not.
    let seen = blocks.iter().flat_map(|window| &window.parties).filter(|party| party.cpu_ns.is_some());
    let always = [PartyRole::Generator, PartyRole::Contender];
    let roles: BTreeSet<PartyRole> = always.into_iter().chain(seen.map(|party| party.role)).collect();
    let share_of = |role| {
        let busy_share = median_over(blocks, |window| busy_share(window, role, placement));
        PartyShare { role, busy_share: busy_share.map(|share| share / taken.left(role)) }
    };
    let parties = roles.into_iter().map(share_of).collect();
    let busiest =
        median_over(blocks, busiest_of_several).map(|share| share / taken.left(PartyRole::Contender));
    conclude(parties, [busiest, idle_cpu_share], proof)
}

fn conclude(
    parties: Vec<PartyShare>,
    [busiest_process_share, idle_cpu_share]: [Option<f64>; 2],
    proof: Option<Proof>,
) -> LimitFinding {
    let mut finding = LimitFinding {
        at_limit: Vec::new(),
        parties,
        uneven: false,
        busiest_process_share,
        idle_cpu_share,
        proof,
    };
    finding.uneven = finding.busy_share(PartyRole::Contender).is_some_and(|busy| busy < SERVER_BUSY)
        && busiest_process_share.is_some_and(|busy| busy >= SERVER_BUSY);
    finding.at_limit = finding.by_cpu_time();
    // An effect that was seen outweighs what CPU times say; that none was seen only confirms them.
    let is_accused = finding.proof.as_ref().is_some_and(|proof| proof.found == ProofFound::GeneratorMatters);
    if is_accused && !finding.is_at_limit(PartyRole::Generator) {
        finding.at_limit.retain(|role| *role != PartyRole::Contender);
        finding.at_limit.insert(0, PartyRole::Generator);
    }
    finding
}

impl LimitFinding {
    /// Which parties CPU times point at.
    pub(crate) fn by_cpu_time(&self) -> Vec<PartyRole> {
        if self.parties.iter().any(|party| party.busy_share.is_none()) {
            return Vec::new();
        }
        let is_busy = |party: &&PartyShare| match party.role {
            PartyRole::Contender => self.is_busy(),
            _ => party.busy_share.is_some_and(|busy| busy >= party.bound()),
        };
        let busy: Vec<PartyRole> = self.parties.iter().filter(is_busy).map(|party| party.role).collect();
        if busy == [PartyRole::Contender] && self.spins().is_some() { Vec::new() } else { busy }
    }

    /// Whether the contender alone was the limit, so that goodput is its own.
    pub fn is_contenders(&self) -> bool {
        self.at_limit == [PartyRole::Contender]
    }

    /// Whether a party was at its limit.
    pub fn is_at_limit(&self, role: PartyRole) -> bool {
        self.at_limit.contains(&role)
    }

    /// The share of the CPU time that it could use, that a party used.
    pub fn busy_share(&self, role: PartyRole) -> Option<f64> {
        self.parties.iter().find(|party| party.role == role)?.busy_share
    }

    /// The CPU time that it burns without load, where that is so much that being busy proves nothing.
    pub(crate) fn spins(&self) -> Option<f64> {
        self.idle_cpu_share.filter(|idle| idle.is_nan() || *idle >= IDLE_CPU)
    }

    /// Whether the contender used what it could.
    pub(crate) fn is_busy(&self) -> bool {
        self.uneven || self.busy_share(PartyRole::Contender).is_some_and(|busy| busy >= SERVER_BUSY)
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doubt::proof::ProofFound;
    use velo_fixtures::{Simulated, Simulation, contender_mut};
    use velo_record::Party;

    const GENERATOR: PartyRole = PartyRole::Generator;
    const CONTENDER: PartyRole = PartyRole::Contender;

    fn two(generator: Option<f64>, contender: Option<f64>) -> Vec<PartyShare> {
        let share = |role, busy_share| PartyShare { role, busy_share };
        vec![share(GENERATOR, generator), share(CONTENDER, contender)]
    }

    fn limit(generator: f64, server: f64) -> Vec<PartyRole> {
        by_shares(generator, server, None, 0.0).at_limit
    }

    fn by_shares(generator: f64, server: f64, busiest: Option<f64>, idle: f64) -> LimitFinding {
        conclude(two(Some(generator), Some(server)), [busiest, Some(idle)], None)
    }

    #[test]
    fn the_bounds_are_those_of_the_method() {
        assert_eq!(limit(0.849, 0.90), [CONTENDER]);
        assert_eq!(limit(0.85, 0.90), [GENERATOR, CONTENDER]);
        assert_eq!(limit(0.85, 0.899), [GENERATOR]);
        assert_eq!(limit(0.849, 0.899), []);
    }

    #[test]
    fn a_contender_that_spins_without_load_proves_nothing() {
        let limit_of = |idle| by_shares(0.5, 1.0, None, idle).at_limit;
        assert_eq!(limit_of(0.05), []);
        assert_eq!(limit_of(0.049), [CONTENDER]);
        assert_eq!(limit_of(f64::NAN), []);
    }

    #[test]
    fn one_full_process_beside_idle_siblings_is_the_servers_limit() {
        let finding = by_shares(0.5, 0.7, Some(0.98), 0.0);
        assert!(finding.is_contenders() && finding.uneven);
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
        let shares = |limit: &[PartyRole]| match limit {
            [PartyRole::Contender] => ([0.5, 1.0], "the contender was busy 100 %, the generator 50 %"),
            [PartyRole::Generator] => ([0.9, 0.5], "the generator was busy 90 %"),
            [] => ([0.5, 0.6], "neither side was the limit: the contender was busy 60 %, the generator 50 %"),
            _ => ([0.9, 1.0], "the generator was busy 90 %, the contender 100 %"),
        };
        let prove = |limit: &[PartyRole], found| {
            let ([generator, server], words) = shares(limit);
            let plain = by_shares(generator, server, None, 0.0);
            assert_eq!((plain.at_limit.as_slice(), plain.in_words().as_str()), (limit, words));
            let shares = two(Some(generator), Some(server));
            let finding = conclude(shares, [None, Some(0.0)], Some(proof(found)));
            (finding.at_limit.clone(), finding.in_words().replace(words, "by CPU time"))
        };
        let by_cpu_time = |words: &str| format!("by CPU time{words}");
        let cost = "slowing the generator by 0.5 µs a request cost 6.1 %";
        for limit in [&[CONTENDER][..], &[]] {
            assert_eq!(prove(limit, ProofFound::GeneratorMatters), (vec![GENERATOR], cost.to_owned()));
        }
        for limit in [&[GENERATOR][..], &[GENERATOR, CONTENDER]] {
            let costs = by_cpu_time(&format!("; {cost}"));
            assert_eq!(prove(limit, ProofFound::GeneratorMatters), (limit.to_vec(), costs));
            assert_eq!(prove(limit, ProofFound::GeneratorDoesNotMatter), (limit.to_vec(), by_cpu_time("")));
        }
        let (limit, words) = prove(&[CONTENDER], ProofFound::GeneratorDoesNotMatter);
        assert_eq!(limit, [CONTENDER]);
        assert_eq!(words, "by CPU time; slowing the generator by 0.5 µs a request did not cost 2.0 %");
        assert_eq!(prove(&[CONTENDER], ProofFound::Unresolved), (vec![CONTENDER], by_cpu_time("")));
    }

    #[test]
    fn what_is_missing_is_named() {
        assert_eq!(
            conclude(two(None, Some(1.0)), [None, None], None).in_words(),
            "the generator's CPU time is not known"
        );
        assert_eq!(
            conclude(two(Some(0.1), None), [None, None], None).in_words(),
            "the contender's CPU time is not known"
        );
    }

    /// A contender that used 80 % of its CPU's time, and was left 82 % of it.
    #[test]
    fn what_others_took_is_nobodys_idling() {
        let (_, mut windows) = Simulation::new(vec![Simulated::new("go/net-http", 40_000.0)]).run();
        let mut window = windows.swap_remove(1);
        let placement = Placement::new([(CONTENDER, vec![0]), (GENERATOR, vec![1])]);
        let tenth = window.duration_ns / 10;
        contender_mut(&mut window).cpu_ns = Some(8 * tenth);
        velo_fixtures::generator_mut(&mut window).cpu_ns = Some(4 * tenth);
        let mut found = |server: i64, load: i64| {
            window.host.others_elapsed_ns = Some(10 * tenth);
            window.host.taken_server_ns = Some(server * tenth as i64 / 10);
            window.host.taken_load_ns = Some(load * tenth as i64 / 10);
            find(&[&window], &placement, Some(0.0), None)
        };
        assert_eq!(found(0, 0).at_limit, []);
        assert_eq!(found(18, 0).at_limit, [CONTENDER]);
        assert_eq!(
            found(18, 60).at_limit,
            [GENERATOR, CONTENDER],
            "all that was left was used on either side"
        );
    }

    #[test]
    fn any_party_can_be_the_limit() {
        let (_, mut windows) = Simulation::new(vec![Simulated::new("go/net-http", 40_000.0)]).run();
        let mut window = windows.swap_remove(1);
        let placement =
            Placement::new([(CONTENDER, vec![0]), (GENERATOR, vec![1]), (PartyRole::FileServer, vec![2, 3])]);
        let duration_ns = window.duration_ns;
        window.parties.push(Party::new(PartyRole::FileServer));
        let mut found = |hundredths: [u64; 3]| {
            for (party, of) in window.parties.iter_mut().zip(hundredths) {
                party.cpu_ns = Some(duration_ns * of / 100);
            }
            let finding = find(&[&window], &placement, Some(0.0), None);
            (finding.at_limit.clone(), finding.in_words())
        };
        let words = |words: &str| words.to_owned();
        assert_eq!(
            found([20, 50, 180]),
            (vec![PartyRole::FileServer], words("the file server was busy 90 %"))
        );
        assert_eq!(
            found([20, 95, 180]),
            (
                vec![CONTENDER, PartyRole::FileServer],
                words("the contender was busy 95 %, the file server 90 %")
            )
        );
        assert_eq!(
            found([20, 95, 100]),
            (vec![CONTENDER], words("the contender was busy 95 %, the generator 20 %, the file server 50 %"))
        );
        assert_eq!(
            found([20, 50, 100]),
            (
                vec![],
                words(
                    "no party was the limit: the contender was busy 50 %, the generator 20 %, the file server 50 %"
                )
            )
        );
    }
}
