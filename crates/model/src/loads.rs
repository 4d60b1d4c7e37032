//! The loads of a workload: where it asks for so many connections for each CPU, for connections that are kept and others that are
//! not, for each of its requests alone, or for each of the files that clients fetch, one workload for each.

use crate::{Download, Workload};

impl Workload {
    /// The workload as it is, or one for each of its loads. The first keeps its name, its claims and its table.
    ///
    /// `cores` are the contender's CPUs, which [`connections_per_core`](crate::LoadSettings::connections_per_core) is for each of.
    pub fn loads(&self, cores: u32) -> Vec<Workload> {
        let per_core = self.load.connections_per_core.iter().map(|&per_core| {
            let mut load = self.clone();
            load.load.connections = per_core.saturating_mul(cores).clamp(1, 65_535);
            (load, format!("{per_core}-per-core"))
        });
        let by_core: Vec<_> = per_core.collect();
        let by_turns = self.load.requests_per_connection_each.iter().map(|&requests| {
            let mut load = self.clone();
            load.load.requests_per_connection = requests;
            let name = requests.map_or("kept".to_owned(), |requests| format!("{requests}-per-connection"));
            (load, name)
        });
        let is_sent = |request: &usize| self.requests[*request].weight > 0;
        let each = if self.load.each_request { 0..self.requests.len() } else { 0..0 };
        let by_request =
            each.filter(is_sent).map(|request| (only(self, request), self.requests[request].name.clone()));
        let several = if self.downloads.len() > 1 { self.downloads.as_slice() } else { &[] };
        let by_download = several.iter().map(|download| (only_file(self, download), download.name.clone()));
        // The definition has several of one of them at most.
        let loads: Vec<_> =
            by_core.into_iter().chain(by_turns).chain(by_request).chain(by_download).collect();
        if loads.is_empty() {
            return vec![self.clone()];
        }
        let named = |(number, (mut load, name)): (usize, (Workload, String))| {
            load.load.connections_per_core.clear();
            load.load.requests_per_connection_each.clear();
            load.load.each_request = false;
            load.load_of = Some(self.name.clone());
            if number > 0 {
                load.name = format!("{}-{name}", self.name);
                load.published.clear();
                load.claims.clear();
                load.task = None;
                load.bursts.clear();
                load.calls.clear();
            }
            load
        };
        loads.into_iter().enumerate().map(named).collect()
    }
}

fn only_file(workload: &Workload, download: &Download) -> Workload {
    let question = format!("{} ({})", workload.question, download.name);
    Workload { question, downloads: vec![download.clone()], ..workload.clone() }
}

/// Cases and calls go on naming requests by their number, so the others stay, and are not sent.
fn only(workload: &Workload, request: usize) -> Workload {
    let mut load = workload.clone();
    load.question = format!("{} ({} alone)", workload.question, workload.requests[request].name);
    let of_calls = load.grpc.as_mut().map(|grpc| &mut grpc.requests);
    for requests in [Some(&mut load.requests), of_calls].into_iter().flatten() {
        for (_, other) in requests.iter_mut().enumerate().filter(|(number, _)| *number != request) {
            other.weight = 0;
        }
    }
    load
}
