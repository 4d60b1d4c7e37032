//! The loads of a workload, a workload for each.

use std::iter::once;

use crate::{Download, LoadSettings, Workload};

impl Workload {
    /// One workload for each of its loads. The first keeps its name, its claims and its table.
    ///
    /// `cores` are the contender's CPUs, which [`connections_per_core`](LoadSettings::connections_per_core) is for each of.
    pub fn loads(&self, cores: u32) -> Vec<Workload> {
        let load_of = if self.further.is_empty() { self.load_of.clone() } else { Some(self.name.clone()) };
        let first = Workload { load_of, further: Vec::new(), ..self.clone() };
        let further = self.further.iter().map(|load| Workload {
            name: format!("{}-{}", self.name, load.name),
            load: load.settings.clone(),
            download: load.download.clone(),
            published: Vec::new(),
            claims: Vec::new(),
            task: None,
            bursts: Vec::new(),
            calls: Vec::new(),
            ..first.clone()
        });
        let mut loads: Vec<Workload> = once(first.clone()).chain(further).collect();
        for load in &mut loads {
            if let Some(per_core) = load.load.connections_per_core.take() {
                load.load.connections = per_core.saturating_mul(cores).clamp(1, 65_535);
            }
            if let Some(request) = load.load.request.take() {
                send_only(load, request);
            }
            if let Some(download) = load.download.as_ref().filter(|_| !self.further.is_empty()) {
                load.question = format!("{} ({})", load.question, download.name);
            }
        }
        loads
    }

    /// The settings of each of its loads, the first one's first.
    pub fn load_settings(&self) -> impl Iterator<Item = &LoadSettings> {
        once(&self.load).chain(self.further.iter().map(|load| &load.settings))
    }

    /// The same, to be changed.
    pub fn load_settings_mut(&mut self) -> impl Iterator<Item = &mut LoadSettings> {
        once(&mut self.load).chain(self.further.iter_mut().map(|load| &mut load.settings))
    }

    /// What clients fetch in each of its loads; nothing where servers are compared.
    pub fn downloads(&self) -> impl Iterator<Item = &Download> {
        self.download.iter().chain(self.further.iter().filter_map(|load| load.download.as_ref()))
    }
}

/// Cases and calls go on naming requests by their number, so the others stay, and are not sent.
fn send_only(load: &mut Workload, request: usize) {
    load.question = format!("{} ({} alone)", load.question, load.requests[request].name);
    load.in_order = false;
    let of_calls = load.grpc.as_mut().map(|grpc| &mut grpc.requests);
    for requests in [Some(&mut load.requests), of_calls].into_iter().flatten() {
        for (number, one) in requests.iter_mut().enumerate() {
            one.weight = u32::from(number == request);
        }
    }
}
