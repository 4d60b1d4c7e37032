//! Whole courses of launches on a machine that is made up, in a time of its own: what is measured in which order, and what
//! becomes of it when something goes wrong.

mod disturbed;
mod gates;
mod launches;
mod liars;
mod looks;
mod machine;
mod servings;
mod stopping;
mod tasks;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use velo_fixtures::{Simulated, Simulation};
use velo_model::{
    BodyExpectation, Burst, ContenderName, Expectation, Request, Statuses, TextTemplate, Workload,
};
use velo_record::{
    BuildRecord, ContenderRecord, ContenderState, Placement, RatePurpose, RunFile, RunWriter, Window,
    WindowKind,
};

use self::machine::world::{Model, World};
use crate::LabError;
use crate::build::builder::Built;
use crate::course::measure::measure;
use crate::course::rig::Rig;
use crate::options::{RunOptions, TurnOrder};
use crate::prepare::context::Context;
use crate::prepare::verify::{Passed, Verified};
use crate::progress::{Event, Progress, Stop};
use crate::sides::origin::Origin;

/// A run to be measured on a made-up machine.
struct Course {
    world: World,
    stop: Stop,
    options: RunOptions,
    file: RunFile,
    passed: Passed,
    events: Events,
}

/// What came of it.
struct Outcome {
    /// The run as it lies on disk.
    file: RunFile,
    /// Its windows as they lie on disk.
    windows: Vec<Window>,
    events: Vec<Event>,
    failed: Option<LabError>,
    world: World,
    /// The time that the measuring took.
    took: Duration,
}

/// Tells one kind of event from the others.
type IsMeant = fn(&Event) -> bool;

/// Keeps all events, and may ask the run to end at one.
#[derive(Default)]
struct Events {
    all: Vec<Event>,
    stop_at: Option<(IsMeant, Stop)>,
}

impl Progress for Events {
    fn event(&mut self, event: &Event) {
        self.all.push(event.clone());
        if let Some((is_meant, stop)) = &self.stop_at
            && is_meant(event)
        {
            stop.flag().store(true, std::sync::atomic::Ordering::Relaxed);
        }
    }
}

const SECOND: Duration = Duration::from_secs(1);

fn name(text: &str) -> ContenderName {
    ContenderName::new(text).expect("a name")
}

fn built() -> Built {
    Built {
        dir: PathBuf::new(),
        search_path: None,
        version: "1".to_owned(),
        toolchains: Vec::new(),
        record: BuildRecord { content_hash: String::new(), cached: true, duration_ns: 1 },
    }
}

pub(crate) fn request() -> Request {
    Request {
        name: "get".to_owned(),
        weight: 1,
        method: "GET".to_owned(),
        path: TextTemplate::fixed("/"),
        headers: Vec::new(),
        body: None,
        slots: Vec::new(),
        expect: Expectation {
            status: Statuses::successes(),
            content_type: None,
            headers: Vec::new(),
            body: BodyExpectation::Any,
            not_before_ms: None,
        },
    }
}

/// One that asks for that.
pub(crate) fn workload() -> Workload {
    let mut workload = Simulation::new(vec![Simulated::new("go/a", 1000.0)]).run().0.workloads.remove(0);
    workload.requests = vec![request()];
    workload
}

/// So many requests at once over twenty connections.
fn burst(requests: u32, each_launch: bool) -> Burst {
    Burst { request: 0, requests, connections: 20, each_launch, contenders: Vec::new() }
}

impl Course {
    /// Of servers that have passed all checks.
    fn new(models: &[(&str, Model)]) -> Self {
        let simulated = models.iter().map(|(name, model)| Simulated::new(name, model.per_s)).collect();
        let mut file = Simulation::new(simulated).run().0;
        (file.plan, file.ended_by, file.ended_at) = (None, None, None);
        for workload in &mut file.workloads {
            workload.requests = vec![request()];
            workload.load.connections = 8;
        }
        for record in &mut file.contenders {
            (record.state, record.launches) = (ContenderState::Pending, Vec::new());
        }
        let stop = Stop::default();
        let world = World::new(models.iter().map(|(text, model)| (name(text), model.clone())), &stop);
        let verified =
            |record| Verified { record, origin: Origin::Built(built()), stop_ns: 5_000_000, processes: 1 };
        let passed = Passed { servers: (0..models.len()).map(verified).collect(), tasks: Vec::new() };
        let options = RunOptions {
            workloads: Vec::new(),
            contenders: Vec::new(),
            out_dir: PathBuf::new(),
            cache_dir: PathBuf::new(),
            seed: 7,
            budget: 25 * SECOND,
            size: None,
            precision: None,
            gate: None,
            varies_layout: false,
            latency: None,
            curve: false,
            full: false,
            single_calls: crate::options::SingleCalls::Yes,
            schedule: TurnOrder::Blocks,
            strict: false,
            cost: None,
            quick: false,
            as_published: false,
            timeout: 5 * SECOND,
            needs_link: false,
            memory_limit_bytes: None,
            download_dir: None,
            warm_up: None,
            equal_rate_per_s: None,
            placement: Placement::default(),
            external: Default::default(),
            overrides: Vec::new(),
            command: Vec::new(),
        };
        Self { world, stop, options, file, passed, events: Events::default() }
    }

    /// A quick look: two launches of few windows.
    fn quick(mut self) -> Self {
        self.options.quick = true;
        self
    }

    fn workload(&mut self) -> &mut Workload {
        &mut self.file.workloads[0]
    }

    /// Another workload, of which all contenders are asked the same.
    fn add_load(&mut self, name: &str) {
        let other = Workload { name: name.to_owned(), ..self.workload().clone() };
        for record in &mut self.file.contenders {
            record.manifest.workloads.push(other.name.clone());
        }
        self.file.workloads.push(other);
    }

    /// The run is asked to end at the first such event.
    fn stop_at(&mut self, is_meant: IsMeant) {
        self.events.stop_at = Some((is_meant, self.stop.clone()));
    }

    fn run(self) -> Outcome {
        let Self { world, stop, options, file, passed, mut events } = self;
        // In memory where that can be had: runs wait for the disk often.
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder");
        let writer = RunWriter::create(dir.path(), &file).expect("a run's folder");
        let began = crate::clock::Clock::now(&world);
        let (pad, clock) = (Box::new(world.clone()), Rc::new(world.clone()));
        let log_dir = dir.path().join("logs");
        let mut context =
            Context::new(&[], &file.workloads, (pad, clock), log_dir, options.seed, &mut events, &stop)
                .expect("a folder for logs");
        context.records.clone_from(&file.contenders);
        let sides = (Box::new(world.clone()) as _, Rc::new(world.clone()) as _);
        let (file, failed) = measure(Rig::new(&options, context, file, writer, sides), passed);
        let on_disk = velo_record::read_run(dir.path()).expect("a run that can be read");
        assert_eq!(on_disk.file, file, "what is returned is what lies on disk");
        assert!(!on_disk.incomplete_tail);
        assert_eq!(world.running(), 0, "nothing that was started runs on");
        assert!(failed.is_some() || world.abandoned() == 0, "all that was started is ended in order");
        let took = crate::clock::Clock::since(&world, began);
        Outcome { file, windows: on_disk.windows, events: events.all, failed, world, took }
    }
}

impl Outcome {
    fn record(&self, text: &str) -> &ContenderRecord {
        let found = self.file.contenders.iter().find(|record| record.manifest.name == name(text));
        found.expect("it is in the record")
    }

    /// Why a contender was excluded.
    fn excluded(&self, text: &str) -> Option<&str> {
        match &self.record(text).state {
            ContenderState::Excluded { reason, .. } => Some(reason),
            _ => None,
        }
    }

    /// The windows of blocks, in the order in which they were measured.
    fn counted(&self) -> Vec<&Window> {
        self.windows.iter().filter(|window| is_goodput(window) || is_equal_work(window)).collect()
    }

    /// Who was measured in a block's windows of goodput.
    fn block(&self, launch: u32, block: u32) -> Vec<String> {
        let meant = |window: &&Window| is_goodput(window) && (window.launch, window.block) == (launch, block);
        self.windows.iter().filter(meant).map(|window| window.contender.to_string()).collect()
    }

    /// Launches in which a contender has windows.
    fn launches_of(&self, text: &str) -> BTreeSet<u32> {
        let own = self.windows.iter().filter(|window| window.contender == name(text));
        own.map(|window| window.launch).collect()
    }
}

fn is_goodput(window: &Window) -> bool {
    window.kind() == WindowKind::Block
}

fn is_equal_work(window: &Window) -> bool {
    purpose(window) == Some(RatePurpose::CommonRate) && window.block > 0
}

fn purpose(window: &Window) -> Option<RatePurpose> {
    window.paced().map(|paced| paced.purpose)
}
