use std::path::PathBuf;

use velo_record::{ContenderRecord, ContenderState, RunFile, TaskIteration, TaskProcess};
use velo_spec::{Class, Contender, ContenderName, Digest, TaskSettings, TextTemplate};
use velo_stats::SplitMix64;

use super::{Noise, contender_name};

const PROCESSES: u32 = 10;
const ITERATIONS: u32 = 40;
/// What two pipes and a start add to the program's own time.
const PIPES_NS: u64 = 60_000;
const START_NS: u64 = 80_000_000;
const FILE_BYTES: u64 = 1_200_000;

/// A task with known times.
#[derive(Debug, Clone)]
pub struct SimulatedTask {
    /// Its name.
    pub name: ContenderName,
    /// The contender that it is a variant of.
    pub variant_of: Option<ContenderName>,
    /// The first iteration of a process.
    pub cold_ns: f64,
    /// All others.
    pub steady_ns: f64,
}

impl SimulatedTask {
    /// A task with these times.
    ///
    /// # Panics
    /// When the name is not `<language>/<name>`.
    pub fn new(name: &str, cold_ns: f64, steady_ns: f64) -> Self {
        Self { name: contender_name(name), variant_of: None, cold_ns, steady_ns }
    }

    /// The same as a variant of another.
    ///
    /// # Panics
    /// When the name is not `<language>/<name>`.
    #[must_use]
    pub fn variant_of(mut self, contender: &str) -> Self {
        self.variant_of = Some(contender_name(contender));
        self
    }

    /// Adds tasks to a run's first workload: 10 processes of 40 iterations, with 1 % of noise between processes, 1 % within
    /// them, and 3 % that hits all tasks of a round alike.
    ///
    /// # Panics
    /// When the run has no workload.
    pub fn add(tasks: &[Self], file: &mut RunFile, seed: u64) {
        let workload = file.workloads.first_mut().expect("a simulated run has a workload");
        workload.task = Some(TaskSettings {
            request: 0,
            input: TextTemplate { parts: Vec::new() },
            output: Digest::Sha512(TextTemplate { parts: Vec::new() }),
            iterations: ITERATIONS,
        });
        let workload = workload.name.clone();
        let mut noise = Noise(SplitMix64::new(seed));
        let rounds: Vec<f64> = (0..PROCESSES).map(|_| 1.0 + 0.03 * noise.next()).collect();
        for task in tasks {
            let processes = (1..=PROCESSES).zip(&rounds).map(|(number, round)| {
                let factor = round * (1.0 + 0.01 * noise.next());
                task.process(&workload, number, factor, &mut noise)
            });
            let processes = processes.collect();
            file.contenders.push(task.record(&workload, processes));
        }
    }

    fn process(&self, workload: &str, process: u32, factor: f64, noise: &mut Noise) -> TaskProcess {
        let iterations = (0..ITERATIONS).map(|number| {
            let (ns, more_ns) = if number == 0 { (self.cold_ns, START_NS) } else { (self.steady_ns, 0) };
            let own_ns = (ns * factor * (1.0 + 0.01 * noise.next())) as u64;
            TaskIteration { own_ns, outside_ns: own_ns + PIPES_NS + more_ns }
        });
        let iterations: Vec<TaskIteration> = iterations.collect();
        TaskProcess {
            workload: workload.to_owned(),
            process,
            cpu_ns: Some(iterations.iter().map(|iteration| iteration.own_ns).sum()),
            iterations,
            wrong_answers: 0,
            wrong_examples: Vec::new(),
            memory_peak_bytes: Some(21_000_000),
            file_bytes: FILE_BYTES,
            read_bytes: Some(u64::from(ITERATIONS) * FILE_BYTES + 3_000_000),
            others_share: Some(0.01),
            steal_share: Some(0.0),
            ended_early: None,
        }
    }

    fn record(&self, workload: &str, tasks: Vec<TaskProcess>) -> ContenderRecord {
        ContenderRecord {
            manifest: Contender {
                name: self.name.clone(),
                variant_of: self.variant_of.clone(),
                is_task: true,
                dir: PathBuf::new(),
                runs_at: None,
                class: Class::Raw,
                raw: None,
                workloads: vec![workload.to_owned()],
                toolchain: Vec::new(),
                debian: Vec::new(),
                fetch: None,
                build: None,
                start: "exec ./program".to_owned(),
                version: "./program --version".to_owned(),
                ready_seconds: 20,
            },
            twin_of: None,
            state: ContenderState::Measured,
            version: Some("1.0".to_owned()),
            notes: None,
            toolchains: Vec::new(),
            build: None,
            left_by_build: Vec::new(),
            cases: Vec::new(),
            idle_cpu_share: None,
            launches: Vec::new(),
            tasks,
        }
    }
}
