//! Who was the limit, and what slowing the generator showed.

use crate::doubt::limit::{Limit, LimitFinding};
use crate::doubt::proof::{FALL, Proof, ProofFound};
use crate::words::percent;

impl LimitFinding {
    fn accusation(&self) -> Option<String> {
        self.proof.as_ref()?.accusation()
    }

    /// `the generator was busy 97 %`.
    pub fn in_words(&self) -> String {
        let limit = self.by_cpu_time();
        let confirmation = self.proof.as_ref().and_then(Proof::confirmation);
        match (self.accusation(), confirmation) {
            (Some(accusation), _) if matches!(limit, Limit::Server | Limit::Unknown) => accusation,
            (Some(accusation), _) => format!("{}; {accusation}", self.cpu_times_in_words()),
            (None, Some(confirmation)) if limit == Limit::Server => {
                format!("{}; {confirmation}", self.cpu_times_in_words())
            }
            _ => self.cpu_times_in_words(),
        }
    }

    fn cpu_times_in_words(&self) -> String {
        let Some((generator, server)) = self.generator_busy_share.zip(self.server_busy_share) else {
            let whose =
                if self.generator_busy_share.is_none() { "the generator's" } else { "the contender's" };
            return format!("{whose} CPU time is not known");
        };
        let uneven = self.busiest_process_share.filter(|_| self.uneven);
        let (generator, server) = (percent(generator), percent(uneven.unwrap_or(server)));
        match (self.by_cpu_time(), self.spins()) {
            (Limit::Both, _) => format!("the generator was busy {generator}, the contender {server}"),
            (Limit::Client, _) => format!("the generator was busy {generator}"),
            (Limit::Server, _) if uneven.is_some() => {
                format!("one process was busy {server} while its siblings waited")
            }
            (Limit::Server, _) => format!("the contender was busy {server}, the generator {generator}"),
            (Limit::Unknown, Some(idle)) if self.is_busy() => {
                format!("it used {} of a CPU without load, so busy does not mean limited", percent(idle))
            }
            (Limit::Unknown, _) => {
                format!(
                    "neither side was the limit: the contender was busy {server}, the generator {generator}"
                )
            }
        }
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
