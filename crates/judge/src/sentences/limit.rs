//! Who was the limit, and what slowing the generator showed.

use velo_model::PartyRole;

use crate::doubt::limit::{LimitFinding, PartyShare};
use crate::doubt::proof::{FALL, Proof, ProofFound};
use crate::words::percent;

impl LimitFinding {
    fn accusation(&self) -> Option<String> {
        self.proof.as_ref()?.accusation()
    }

    /// `the generator was busy 97 %`.
    pub fn in_words(&self) -> String {
        let limit = self.by_cpu_time();
        let is_contenders = limit == [PartyRole::Contender];
        let confirmation = self.proof.as_ref().and_then(Proof::confirmation);
        match (self.accusation(), confirmation) {
            (Some(accusation), _) if limit.is_empty() || is_contenders => accusation,
            (Some(accusation), _) => format!("{}; {accusation}", self.cpu_times_in_words()),
            (None, Some(confirmation)) if is_contenders => {
                format!("{}; {confirmation}", self.cpu_times_in_words())
            }
            _ => self.cpu_times_in_words(),
        }
    }

    fn cpu_times_in_words(&self) -> String {
        if let Some(party) = self.parties.iter().find(|party| party.busy_share.is_none()) {
            return format!("the {}'s CPU time is not known", party.role);
        }
        let limit = self.by_cpu_time();
        match (limit.as_slice(), self.spins()) {
            ([], Some(idle)) if self.is_busy() => {
                format!("it used {} of a CPU without load, so busy does not mean limited", percent(idle))
            }
            ([], _) => {
                let nobody = if self.parties.len() == 2 { "neither side" } else { "no party" };
                format!("{nobody} was the limit: {}", self.busy_in_words(|_| true))
            }
            ([PartyRole::Contender], _) if self.uneven => {
                let busiest = percent(self.busiest_process_share.unwrap_or(f64::NAN));
                format!("one process was busy {busiest} while its siblings waited")
            }
            ([PartyRole::Contender], _) => self.busy_in_words(|_| true),
            (limit, _) => self.busy_in_words(|party| limit.contains(&party.role)),
        }
    }

    /// `the contender was busy 60 %, the generator 50 %`: where the generator is not named for being the limit, the contender first.
    fn busy_in_words(&self, is_named: impl Fn(&PartyShare) -> bool) -> String {
        let mut named: Vec<&PartyShare> = self.parties.iter().filter(|party| is_named(party)).collect();
        if !self.by_cpu_time().contains(&PartyRole::Generator) {
            named.sort_by_key(|party| party.role != PartyRole::Contender);
        }
        let words = named.iter().enumerate().map(|(place, party)| {
            let uneven = self.busiest_process_share.filter(|_| self.uneven);
            let own = uneven.filter(|_| party.role == PartyRole::Contender).or(party.busy_share);
            let was_busy = if place == 0 { "was busy " } else { "" };
            format!("the {} {was_busy}{}", party.role, percent(own.unwrap_or(f64::NAN)))
        });
        words.collect::<Vec<_>>().join(", ")
    }
}

impl Proof {
    /// `slowing the generator by 0.5 µs a request cost 6.1 %`; `None` unless that was what was found.
    fn accusation(&self) -> Option<String> {
        (self.found == ProofFound::GeneratorMatters).then(|| {
            let cost = percent(1.0 - self.ratio.unwrap_or(f64::NAN));
            format!("slowing the generator by {} a request cost {cost}", self.slowed_words())
        })
    }

    /// What is added to a finding that CPU times gave.
    fn confirmation(&self) -> Option<String> {
        (self.found == ProofFound::GeneratorDoesNotMatter).then(|| {
            let fall = percent(FALL);
            format!("slowing the generator by {} a request did not cost {fall}", self.slowed_words())
        })
    }

    fn slowed_words(&self) -> String {
        format!("{} µs", self.slowed_ns as f64 / 1e3)
    }
}
