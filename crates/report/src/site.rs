//! Many runs as a static site: pages of tables, links and small pictures, without a script and without anything from
//! elsewhere.
//!
//! Runs are added one by one; of each only what tables and trends need is kept. Nothing is read or written here: the pages
//! are handed out as paths and texts.

mod chart;
mod contender;
mod entry;
mod figures;
mod group;
mod html;
mod index;
mod layout;
mod left_out;
mod map;
mod measure;
mod names;
mod run;
mod runs;
mod scale;
mod series;
mod style;
mod table;
mod workload;

use velo_judge::Judgement;
use velo_record::RunFile;

use self::left_out::LeftOut;
use self::map::Map;
use self::names::Names;
use self::run::SiteRun;

/// No more runs than these are on a site.
pub const MOST_RUNS: usize = 500;
/// No more contenders than these have a page; others are in no table and no trend.
pub const MOST_CONTENDERS: usize = 300;
/// No more workloads than these have a page.
pub const MOST_WORKLOADS: usize = 100;

/// A site of many runs.
#[derive(Debug, Default)]
pub struct Site {
    runs: Vec<SiteRun>,
    ids: Names,
    map: Map,
    runs_left_out: LeftOut,
}

/// A file of the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteFile {
    /// Where it lies in the site's folder: parts of `a-z`, `0-9`, `.` and `-` with `/` between, none of them hidden.
    pub path: String,
    /// What it holds.
    pub text: String,
}

impl Site {
    /// A site without runs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether there is no room for another run.
    pub fn is_full(&self) -> bool {
        self.runs.len() >= MOST_RUNS
    }

    /// Adds a judged run; `folder` is the name of its folder. The path at which its own page belongs, or `None` when the site
    /// is full and the run is left out. What comes first has room first, so the newest runs should.
    pub fn add(&mut self, folder: &str, file: &RunFile, judgement: &Judgement) -> Option<String> {
        if self.is_full() {
            self.leave_out(folder);
            return None;
        }
        let id = self.ids.take(folder, "run");
        let run = SiteRun::of(id, file, judgement, &mut self.map);
        let path = run.path();
        self.runs.push(run);
        Some(path)
    }

    /// Names a run for which there is no room.
    pub fn leave_out(&mut self, folder: &str) {
        self.runs_left_out.add(folder);
    }

    /// The names of the runs, in the order in which they were added.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.runs.iter().map(|run| run.id.as_str())
    }

    /// What had no room, a sentence each.
    pub fn notes(&self) -> Vec<String> {
        [
            self.runs_left_out.sentence("run", "runs", MOST_RUNS),
            self.map.contenders_left_out.sentence("contender", "contenders", MOST_CONTENDERS),
            self.map.workloads_left_out.sentence("workload", "workloads", MOST_WORKLOADS),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// All pages but those of the runs, made one by one as they are asked for.
    pub fn files(&self) -> impl Iterator<Item = SiteFile> {
        let mut runs: Vec<&SiteRun> = self.runs.iter().collect();
        // The newest first; those without a date come last.
        runs.sort_by(|a, b| b.started_at.cmp(&a.started_at).then_with(|| b.id.cmp(&a.id)));
        let index = index::page(&runs, &self.map, &self.notes());
        let of_workloads = runs.clone();
        let workloads = self
            .map
            .workloads()
            .map(move |(name, path)| workload::page(name, path, &of_workloads, &self.map));
        let contenders =
            self.map.contenders().map(move |(name, path)| contender::page(name, path, &runs, &self.map));
        std::iter::once(index).chain(workloads).chain(contenders)
    }
}
