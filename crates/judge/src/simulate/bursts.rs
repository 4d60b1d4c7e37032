use velo_record::{
    BurstStrain, BurstWindow, EncodedHistogram, Outcomes, RequestCounts, RequestSpan, RunFile, Window,
    WindowKind,
};
use velo_spec::{
    BodyExpectation, Burst, ContenderName, Expectation, Request, Slot, SlotKind, Statuses, TextPart,
    TextTemplate,
};
use velo_stats::Histogram;

/// The name of the request that bursts consist of.
const REQUEST: &str = "wait";
/// What a request waits.
const WAIT_NS: u64 = 1_000_000_000;
/// Memory of a contender while nobody asks it anything.
const MEMORY_BYTES: u64 = 50_000_000;

/// Of greater bursts no request is kept by itself, as in real runs.
const MOST_SPANS: usize = 500;

/// A burst of requests that wait a second each, on a contender that serves so many at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SimulatedBurst {
    /// How many requests.
    pub requests: u32,
    /// Over how many connections.
    pub connections: u32,
    /// The first alone.
    pub first_alone: bool,
    /// It is a point of the sweep.
    pub sweep: bool,
    /// What the contender serves at a time, at most.
    pub at_a_time: u32,
    /// What it takes longer than it must, in each launch a third of this more.
    pub overhead_ns: u64,
    /// Memory for each request that waits.
    pub memory_per_request_bytes: u64,
}

impl SimulatedBurst {
    /// So many requests over 40 connections, all at once, 20 ms slower than they must be, 10 kB each.
    pub fn new(requests: u32, at_a_time: u32) -> Self {
        Self {
            requests,
            connections: 40,
            first_alone: false,
            sweep: false,
            at_a_time,
            overhead_ns: 20_000_000,
            memory_per_request_bytes: 10_000,
        }
    }

    /// The same as `ab` does it.
    #[must_use]
    pub fn as_ab(self) -> Self {
        Self { first_alone: true, ..self }
    }

    /// A point of the sweep: a request on each of so many connections.
    #[must_use]
    pub fn sweep(connections: u32, at_a_time: u32) -> Self {
        Self { connections, sweep: true, ..Self::new(connections, at_a_time) }
    }

    /// A window of it in a launch; `like` gives all that a burst does not change.
    pub fn window(&self, like: &Window, launch: u32) -> Window {
        let alone = u32::from(self.first_alone);
        let rounds = alone + (self.requests - alone).div_ceil(self.at_a_time.min(self.connections));
        let mut window = like.clone();
        (window.kind, window.launch, window.block) = (WindowKind::Burst, launch, 0);
        (window.settling_ns, window.drain_ns, window.correct_outside) = (0, 0, 0);
        window.duration_ns =
            u64::from(rounds) * WAIT_NS + self.overhead_ns + self.overhead_ns / 3 * u64::from(launch);
        window.outcomes = Outcomes { correct: self.requests.into(), ..Outcomes::default() };
        window.requests =
            vec![RequestCounts { name: REQUEST.to_owned(), correct: self.requests.into(), failed: 0 }];
        window.connections.asked = self.connections;
        window.connections.completions.clear();
        window.coin = None;
        let spans = self.spans();
        let mut answered = Histogram::new();
        spans.iter().for_each(|span| answered.record(span.done_ns));
        window.spans = if spans.len() <= MOST_SPANS { spans } else { Vec::new() };
        window.answered = Some(EncodedHistogram::new(&answered));
        let memory = (!self.first_alone).then_some(MEMORY_BYTES);
        window.burst = Some(BurstWindow {
            requests: self.requests,
            connections: self.connections,
            first_alone: self.first_alone,
            sweep: self.sweep,
            strain: BurstStrain {
                listen_overflows: Some(0),
                syn_retransmits: Some(0),
                memory_before_bytes: memory,
                memory_waiting_bytes: memory
                    .map(|bytes| bytes + self.memory_per_request_bytes * u64::from(self.requests)),
            },
        });
        window
    }

    /// Each request in time: answers come round after round, and a connection sends when it has the answer before.
    fn spans(&self) -> Vec<RequestSpan> {
        let (alone, at_a_time) = (u32::from(self.first_alone), self.at_a_time.min(self.connections).max(1));
        let done_ns = |request: u32| {
            let round = match request.checked_sub(alone) {
                Some(other) => alone + other / at_a_time + 1,
                None => 1,
            };
            u64::from(round) * WAIT_NS + self.overhead_ns
        };
        let sent_ns = |request: u32| match request.checked_sub(alone) {
            None => 0,
            Some(other) => match other.checked_sub(self.connections) {
                Some(before) => done_ns(alone + before),
                None => u64::from(alone) * WAIT_NS,
            },
        };
        let span =
            |request| RequestSpan { sent_ns: sent_ns(request), done_ns: done_ns(request), is_correct: true };
        (0..self.requests).map(span).collect()
    }

    /// A window of a contender in each of these launches; the run's first workload gets the burst when it has not got it.
    pub fn add_to(
        &self,
        file: &mut RunFile,
        windows: &mut Vec<Window>,
        contender: &ContenderName,
        launches: std::ops::RangeInclusive<u32>,
    ) {
        let Some(workload) = file.workloads.first_mut() else { return };
        if workload.requests.is_empty() {
            workload.requests.push(request());
        }
        let burst = Burst {
            request: 0,
            requests: self.requests,
            connections: self.connections,
            each_launch: launches.end() > launches.start(),
            contenders: Vec::new(),
        };
        let is_new = workload.bursts.iter().all(|one| one.requests != self.requests);
        if is_new && !self.sweep {
            workload.bursts.push(burst);
        }
        let Some(like) = windows.iter().find(|window| window.contender == *contender).cloned() else {
            return;
        };
        windows.extend(launches.map(|launch| self.window(&like, launch)));
    }
}

/// `GET /wait/1000`.
fn request() -> Request {
    let ms = WAIT_NS / 1_000_000;
    let text = |parts: &[TextPart]| TextTemplate { parts: parts.to_vec() };
    Request {
        name: REQUEST.to_owned(),
        weight: 0,
        method: "GET".to_owned(),
        path: text(&[TextPart::Literal("/wait/".to_owned()), TextPart::Slot(0)]),
        headers: Vec::new(),
        body: None,
        slots: vec![Slot { name: "ms".to_owned(), kind: SlotKind::Int { min: ms, max: ms } }],
        expect: Expectation {
            status: Statuses::successes(),
            content_type: None,
            headers: Vec::new(),
            body: BodyExpectation::Exact(text(&[TextPart::Literal("waited ".to_owned()), TextPart::Slot(0)])),
            not_before_ms: Some(0),
        },
    }
}
