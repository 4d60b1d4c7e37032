//! Runs that are added one by one, and the pages that they make.

use velo_judge::{Judgement, WorkloadDetail};
use velo_record::RunFile;

use super::file::SiteFile;
use super::left_out::LeftOut;
use super::limits::{MOST_CONTENDERS, MOST_RUNS, MOST_WORKLOADS};
use super::map::{INDEX, Map};
use super::names::Names;
use super::run::SiteRun;
use super::{contender, index, layout, workload};
use crate::section;

/// A site of many runs.
#[derive(Debug, Default)]
pub struct Site {
    /// With a slash at its end.
    address: Option<String>,
    runs: Vec<SiteRun>,
    ids: Names,
    map: Map,
    runs_left_out: LeftOut,
}

impl Site {
    /// A site without runs.
    pub fn new() -> Self {
        Self::default()
    }

    /// A site without runs that will be at an address, such as `https://example.org/velo/`: others can show what is behind a link to one
    /// of its pages.
    pub fn at(address: &str) -> Self {
        Self { address: Some(format!("{}/", address.trim_end_matches('/'))), ..Self::default() }
    }

    /// Whether there is no room for another run.
    pub fn is_full(&self) -> bool {
        self.runs.len() >= MOST_RUNS
    }

    /// Adds a judged run; `folder` is the name of its folder. Its own pages, the one that is read without a script and the one that
    /// `velo report` makes, or `None` when the site is full and the run is left out. What comes first has room first, so the newest
    /// runs should.
    pub fn add(
        &mut self,
        folder: &str,
        file: &RunFile,
        judgement: &Judgement,
        detail: Vec<WorkloadDetail>,
    ) -> Option<[SiteFile; 2]> {
        if self.is_full() {
            self.leave_out(folder);
            return None;
        }
        let id = self.ids.take(folder, "run");
        let run = SiteRun::of(id, file, judgement, &mut self.map);
        let document = layout::run(&run.path(), &section::run::document(judgement), self.address.as_deref());
        let switched = SiteFile { path: run.path_of_switched(), text: crate::page(file, judgement, detail) };
        self.runs.push(run);
        Some([document, switched])
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
        let address = self.address.as_deref();
        let index = index::document(&runs, &self.map, &self.notes());
        let index = layout::page(INDEX, &index, address);
        let of_workloads = runs.clone();
        let workloads = self.map.workloads().map(move |(name, path)| {
            let document = workload::document(name, path, &of_workloads, &self.map);
            layout::page(path, &document, address)
        });
        let contenders = self.map.contenders().map(move |(name, path)| {
            let document = contender::document(name, path, &runs, &self.map);
            layout::page(path, &document, address)
        });
        std::iter::once(index).chain(workloads).chain(contenders)
    }
}
