//! What a site keeps of a run: enough for every table and trend, and little enough for hundreds of them.

use std::collections::BTreeSet;

use jiff::Timestamp;
use velo_judge::{JudgedWorkload, Judgement};
use velo_model::{Figure, PartyRole};
use velo_record::{RunFile, RunState};

use super::entry::{Entry, entries};
use super::map::Map;
use super::measure::Measure;
use crate::section;
use crate::section::calls::{self, WholeCalls, whole_calls};
use crate::text::clean;

/// The name of a run's page whose charts and tables can be switched, beside the one that is read without a script.
pub(super) const SWITCHED: &str = "page.html";

/// A run on the site. All text is clean.
#[derive(Debug)]
pub(super) struct SiteRun {
    /// The name of its folder on the site.
    pub(super) id: String,
    /// When it began; `None` where that cannot be read.
    pub(super) started_at: Option<Timestamp>,
    /// The same in words: `2026-11-21 10:31`.
    pub(super) date: String,
    pub(super) hostname: String,
    pub(super) host: Host,
    pub(super) setting: Setting,
    /// What measured: `velo 0.1.0, epoll`.
    pub(super) generator: String,
    pub(super) state: State,
    /// How many contenders it was about, measured or not.
    pub(super) contenders: usize,
    /// Those that the site has room for.
    pub(super) workloads: Vec<SiteWorkload>,
}

/// A workload of a run.
#[derive(Debug)]
pub(super) struct SiteWorkload {
    pub(super) name: String,
    pub(super) question: String,
    pub(super) hash: String,
    /// How it was loaded.
    pub(super) load: String,
    pub(super) answer: Option<String>,
    /// Servers first, then tasks, each with the best first.
    pub(super) entries: Vec<Entry>,
    /// Single calls, where there were any.
    pub(super) calls: Vec<WholeCalls>,
    /// What is to be known of them.
    pub(super) call_notes: Vec<String>,
}

/// What must be the same for figures of two runs to be held against one another, as far as the machine goes. The kernel may
/// be another one: that it changes is one of the things that a trend shows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Host {
    pub(super) cpu_model: String,
    pub(super) cpus: u32,
}

/// The same, as far as the settings of a run go.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Setting {
    pub(super) server_cpus: usize,
    pub(super) load_cpus: usize,
    pub(super) memory_limit_bytes: Option<u64>,
    pub(super) overrides: Vec<String>,
}

/// What kind of a run it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Complete,
    Quick,
    AsPublished,
    Debug,
    Stopped,
    NotEnded,
}

impl State {
    fn of(file: &RunFile) -> Self {
        match file.state {
            RunState::Interrupted => Self::Stopped,
            RunState::Running => Self::NotEnded,
            RunState::Complete if file.settings.quick => Self::Quick,
            RunState::Complete if file.settings.as_published => Self::AsPublished,
            RunState::Complete if file.identity.build == "debug" => Self::Debug,
            RunState::Complete => Self::Complete,
        }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Quick => "quick look",
            Self::AsPublished => "as published",
            Self::Debug => "debug build",
            Self::Stopped => "partial: it was stopped",
            Self::NotEnded => "partial: it did not end",
        }
    }
}

impl SiteRun {
    /// What is kept of a judged run under this name; contenders and workloads are given their pages.
    pub(super) fn of(id: String, file: &RunFile, judgement: &Judgement, map: &mut Map) -> Self {
        let started_at: Option<Timestamp> = file.started_at.parse().ok();
        let is_own = |record: &&velo_record::ContenderRecord| record.twin_of.is_none();
        Self {
            id,
            started_at,
            date: started_at.map_or_else(|| or(&file.started_at, "no date"), minute),
            hostname: or(&file.host.hostname, "unknown"),
            host: Host {
                cpu_model: or(file.host.cpu_model.as_deref().unwrap_or_default(), "unknown CPU"),
                cpus: file.host.cpus,
            },
            setting: Setting {
                server_cpus: file.placement.cpus(PartyRole::Contender).len(),
                load_cpus: file.placement.cpus(PartyRole::Generator).len(),
                memory_limit_bytes: file.settings.memory_limit_bytes,
                overrides: file.settings.overrides.iter().map(|text| clean(text)).collect(),
            },
            generator: clean(&format!("velo {}, {}", file.identity.velo, file.identity.driver)),
            state: State::of(file),
            contenders: file.contenders.iter().filter(is_own).count(),
            workloads: workloads(file, judgement, map),
        }
    }

    /// Where its own page lies.
    pub(super) fn path(&self) -> String {
        format!("runs/{}/index.html", self.id)
    }

    /// Where the page lies whose charts and tables can be switched.
    pub(super) fn path_of_switched(&self) -> String {
        format!("runs/{}/{SWITCHED}", self.id)
    }

    /// A workload by its name.
    pub(super) fn workload(&self, name: &str) -> Option<&SiteWorkload> {
        self.workloads.iter().find(|workload| workload.name == name)
    }

    /// Whether its figures may stand in a trend.
    pub(super) fn is_in_trends(&self) -> bool {
        self.state == State::Complete && self.started_at.is_some()
    }
}

fn workloads(file: &RunFile, judgement: &Judgement, map: &mut Map) -> Vec<SiteWorkload> {
    let mut workloads: Vec<SiteWorkload> = Vec::new();
    let mut known = BTreeSet::new();
    for judged in section::sections(judgement) {
        let name = or(&judged.name, "no name");
        // A file that somebody made up may hold one twice.
        if known.insert(name.clone()) && map.admit_workload(&name) {
            workloads.push(workload(name, judged, file, judgement, map));
        }
    }
    workloads
}

fn workload(
    name: String,
    judged: &JudgedWorkload,
    file: &RunFile,
    judgement: &Judgement,
    map: &mut Map,
) -> SiteWorkload {
    let hash = file.workload(&judged.name).map(|workload| clean(&workload.hash)).unwrap_or_default();
    let mut entries = entries(judged);
    entries.retain(|entry| map.admit_contender(&entry.contender));
    SiteWorkload {
        name,
        question: clean(&judged.question),
        hash,
        load: match section::has_servers(judged) {
            true => section::load(judged),
            false if judged.tasks.is_some() => "tasks alone".to_owned(),
            false => "single calls alone".to_owned(),
        },
        answer: section::answer::answer(judgement, judged),
        entries,
        calls: whole_calls(judged),
        call_notes: calls::notes(judged),
    }
}

impl SiteWorkload {
    /// What ranked its servers; `None` where none was ranked.
    pub(super) fn ranked_by(&self) -> Option<Measure> {
        let is_ranked_by = |measure: &Measure| {
            self.entries.iter().any(|entry| measure.is_of(entry) && measure.rank(entry).is_some())
        };
        let of_cost = Measure::Beside { of: Figure::CpuAtOneRate, load: None };
        [Measure::Goodput, of_cost].into_iter().find(is_ranked_by)
    }

    /// What else ranks its servers, each under a load of its own.
    pub(super) fn ranked_beside(&self) -> Vec<Measure> {
        let mut found: Vec<Measure> = Vec::new();
        for measure in self.entries.iter().flat_map(Measure::beside) {
            let has_own_load = matches!(measure, Measure::Beside { load: Some(_), .. });
            if has_own_load && !found.contains(&measure) {
                found.push(measure);
            }
        }
        found
    }

    /// How many contenders it ranks, then how many it has a figure of.
    pub(super) fn width(&self) -> (usize, usize) {
        let of_servers = self.ranked_by().unwrap_or(Measure::Goodput);
        let of = |has: &dyn Fn(Measure, &Entry) -> bool| {
            let has = |entry: &&Entry| has(if entry.is_task { Measure::Steady } else { of_servers }, entry);
            self.entries.iter().filter(|entry| !entry.is_reference).filter(has).count()
        };
        (
            of(&|measure, entry| measure.rank(entry).is_some()),
            of(&|measure, entry| measure.figure(entry).is_some()),
        )
    }
}

/// Clean text; where nothing is left of it the words that stand for that.
fn or(text: &str, nothing: &str) -> String {
    match clean(text) {
        empty if empty.is_empty() => nothing.to_owned(),
        text => text,
    }
}

/// `2026-11-21`.
pub(super) fn day(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d").to_string()
}

/// `2026-11-21 10:31`.
pub(super) fn minute(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use velo_fixtures::{Simulated, Simulation};
    use velo_judge::judge;

    #[test]
    fn dates_are_words_of_one_length() {
        let at: Timestamp = "2026-11-21T10:31:02Z".parse().unwrap();
        assert_eq!((day(at), minute(at)), ("2026-11-21".to_owned(), "2026-11-21 10:31".to_owned()));
    }

    #[test]
    fn only_whole_runs_are_in_trends() {
        let simulation =
            Simulation { blocks: 1, ..Simulation::new(vec![Simulated::new("go/gin", 40_000.0)]) };
        let (file, windows) = simulation.run();
        let of = |change: &dyn Fn(&mut RunFile)| {
            let mut file = file.clone();
            change(&mut file);
            SiteRun::of("a".to_owned(), &file, &judge(&file, &windows), &mut Map::default())
        };
        assert!(of(&|_| ()).is_in_trends());
        for (change, words) in [
            (&(|file: &mut RunFile| file.settings.quick = true) as &dyn Fn(&mut RunFile), "quick look"),
            (&|file| file.settings.as_published = true, "as published"),
            (&|file| file.state = RunState::Interrupted, "partial: it was stopped"),
            (&|file| file.state = RunState::Running, "partial: it did not end"),
            (&|file| file.identity.build = "debug".to_owned(), "debug build"),
            (&|file| file.started_at = "yesterday".to_owned(), "complete"),
        ] {
            let run = of(change);
            assert_eq!((run.is_in_trends(), run.state.words()), (false, words));
        }
        assert_eq!(of(&|file| file.started_at = "yesterday".to_owned()).date, "yesterday");
        assert_eq!(of(&|file| file.started_at.clear()).date, "no date");
    }
}
