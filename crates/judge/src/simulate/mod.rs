//! Simulated runs with known effects: the ground truth for judging. Nothing is measured here.
//!
//! A simulated contender serves at a rate of its own, up to what the generator can send; its CPU time follows from
//! the rate. Noise between launches and between blocks is drawn from a seed.

mod bursts;
mod open_loop;
mod tasks;

pub use bursts::SimulatedBurst;
pub use open_loop::SimulatedOpenLoop;
pub use tasks::SimulatedTask;

use std::path::PathBuf;

use velo_record::{
    CoinCounts, ConnectionCounts, ContenderRecord, ContenderState, CpuAccounting, EncodedHistogram, EndedBy,
    HostFacts, HostWindow, Identity, LaunchRecord, Outcomes, Placement, Plan, RunFile, RunState,
    ServerWindow, Settings, StopRecord, Timings, WarmUpRecord, Window, WindowKind,
};
use velo_spec::{
    Class, Contender, ContenderName, LoadSettings, PublishedFigure, PublishedRow, Source, Workload,
};
use velo_stats::{Histogram, SplitMix64};

const WINDOW_NS: u64 = 50_000_000;
/// A contender's CPU time is read so long before and after what is counted, in all.
const SETTLING_NS: u64 = 11_000_000;
const CONNECTIONS: u32 = 64;
/// CPU time that the simulated generator needs for a request.
const GENERATOR_NS: f64 = 5_000.0;

/// A run to be simulated.
#[derive(Debug, Clone)]
pub struct Simulation {
    /// Draws all noise.
    pub seed: u64,
    /// Launches of every contender.
    pub launches: u32,
    /// Blocks in each launch.
    pub blocks: u32,
    /// Half-width of the noise between launches, relative, even within it.
    pub noise_of_launches: f64,
    /// Half-width of the noise between windows, relative, even within it.
    pub noise_of_windows: f64,
    /// Half-width of what the machine does to all windows of a block alike.
    pub drift_of_blocks: f64,
    /// The workloads, each answered by all contenders; the first contender is the baseline.
    pub workloads: Vec<String>,
    /// The contenders.
    pub contenders: Vec<Simulated>,
}

/// A contender with a known rate.
#[derive(Debug, Clone)]
pub struct Simulated {
    /// Its name.
    pub name: ContenderName,
    /// Its class.
    pub class: Class,
    /// The raw contender that it stands on.
    pub raw: Option<ContenderName>,
    /// Correct responses per second that its CPU allows.
    pub rate_per_s: f64,
    /// Whether it tosses a fair coin.
    pub coin: bool,
    /// The contender that it is the same program as: the control.
    pub twin_of: Option<ContenderName>,
}

impl Simulated {
    /// A raw contender that serves at a rate.
    ///
    /// # Panics
    /// When the name is not `<language>/<name>`.
    pub fn new(name: &str, rate_per_s: f64) -> Self {
        Self {
            name: contender_name(name),
            class: Class::Raw,
            raw: None,
            rate_per_s,
            coin: false,
            twin_of: None,
        }
    }

    /// The same as a framework on a raw contender.
    ///
    /// # Panics
    /// When the name is not `<language>/<name>`.
    #[must_use]
    pub fn on(mut self, raw: &str) -> Self {
        self.class = Class::Framework;
        self.raw = Some(contender_name(raw));
        self
    }

    /// The same with another class.
    #[must_use]
    pub fn class(mut self, class: Class) -> Self {
        self.class = class;
        self
    }

    /// The same as the twin of another.
    ///
    /// # Panics
    /// When the name is not `<language>/<name>`.
    #[must_use]
    pub fn twin_of(mut self, contender: &str) -> Self {
        self.twin_of = Some(contender_name(contender));
        self
    }

    /// The same with a fair coin.
    #[must_use]
    pub fn coin(mut self) -> Self {
        self.coin = true;
        self
    }
}

fn contender_name(name: &str) -> ContenderName {
    ContenderName::new(name).expect("a simulated contender's name is `<language>/<name>`")
}

impl Simulation {
    /// A run of one workload, `coin`, in 5 launches of 10 blocks with 1 % of noise.
    pub fn new(contenders: Vec<Simulated>) -> Self {
        Self {
            seed: 7341,
            launches: 5,
            blocks: 10,
            noise_of_launches: 0.005,
            noise_of_windows: 0.01,
            drift_of_blocks: 0.0,
            workloads: vec!["coin".to_owned()],
            contenders,
        }
    }

    /// The run as it would be left on disk.
    pub fn run(&self) -> (RunFile, Vec<Window>) {
        let mut noise = Noise(SplitMix64::new(self.seed));
        let mut windows = Vec::new();
        for launch in 1..=self.launches {
            let of_launch: Vec<f64> =
                self.contenders.iter().map(|_| 1.0 + self.noise_of_launches * noise.next()).collect();
            for workload in &self.workloads {
                for block in 0..=self.blocks {
                    let drift = 1.0 + self.drift_of_blocks * noise.next();
                    for (position, contender) in self.contenders.iter().enumerate() {
                        let own = 1.0 + self.noise_of_windows * noise.next();
                        let rate = contender.rate_per_s * of_launch[position] * drift * own;
                        let mut window = window(contender, workload, rate, &mut noise);
                        (window.launch, window.block) = (launch, block);
                        window.position = position as u32 + 1;
                        window.started_ns = windows.len() as u64 * 2 * WINDOW_NS;
                        // Block 0 stands for what comes before the blocks.
                        window.kind = if block == 0 { WindowKind::Cold } else { WindowKind::Block };
                        windows.push(window);
                    }
                }
            }
        }
        (self.file(), windows)
    }

    fn file(&self) -> RunFile {
        RunFile {
            format: velo_record::FORMAT,
            state: RunState::Complete,
            started_at: "2026-11-21T10:31:02Z".to_owned(),
            ended_at: Some("2026-11-21T10:33:42Z".to_owned()),
            command: [vec!["run".to_owned()], self.workloads.clone()].concat(),
            identity: Identity {
                velo: "0.1.0".to_owned(),
                driver: "epoll".to_owned(),
                build: "release".to_owned(),
                workload_hashes: self.workloads.iter().map(|_| "0".repeat(64)).collect(),
            },
            settings: Settings {
                seed: self.seed,
                budget_ns: 180_000_000_000,
                precision: None,
                latency_budget_ns: None,
                quick: false,
                as_published: false,
                timeout_ns: 5_000_000_000,
                memory_limit_bytes: None,
                overrides: Vec::new(),
                cost: None,
            },
            host: HostFacts {
                hostname: "simulated".to_owned(),
                cpu_model: Some("Simulated CPU".to_owned()),
                cpus: 2,
                kernel: "6.1.0".to_owned(),
                ..HostFacts::default()
            },
            placement: Placement { server_cpus: vec![0], load_cpus: vec![1] },
            cpu_accounting: CpuAccounting::CgroupV2,
            environment: std::collections::BTreeMap::new(),
            build_environment: Vec::new(),
            workloads: self.workloads.iter().map(|name| self.workload(name)).collect(),
            contenders: self.contenders.iter().map(|contender| self.record(contender)).collect(),
            plan: Some(Plan {
                launches: self.launches,
                blocks: self.blocks,
                expected_ns: 160_000_000_000,
                needed_budget_s: None,
                not_ranked: None,
                looks: Vec::new(),
                proof_pairs: 0,
                equal_work: Vec::new(),
                left_out: Vec::new(),
            }),
            ended_by: Some(EndedBy::Plan),
            timings: Timings {
                build_ns: 41_000_000_000,
                verify_ns: 3_000_000_000,
                measure_ns: 160_000_000_000,
            },
        }
    }

    fn workload(&self, name: &str) -> Workload {
        Workload {
            name: name.to_owned(),
            question: "POST a bet, the server tosses a coin".to_owned(),
            source: Source {
                title: "Testa o croce".to_owned(),
                author: "carlok".to_owned(),
                year: 2020,
                command: "wrk -t12 -c400 -d120s".to_owned(),
                machine: "4 vCPU".to_owned(),
                notes: Vec::new(),
            },
            baseline: self
                .contenders
                .first()
                .map_or_else(|| contender_name("no/baseline"), |first| first.name.clone()),
            default: self.contenders.iter().map(|contender| contender.name.clone()).collect(),
            load: LoadSettings {
                connections: CONNECTIONS,
                connections_per_core: Vec::new(),
                rate_per_s: None,
                budget_s: None,
                warm_up_s: None,
                as_published: None,
            },
            load_of: None,
            in_order: false,
            tables: Vec::new(),
            data: Vec::new(),
            bursts: Vec::new(),
            task: None,
            requests: Vec::new(),
            cases: Vec::new(),
            published: self
                .contenders
                .iter()
                .filter(|contender| contender.class != Class::Reference)
                .map(|contender| PublishedRow {
                    row: contender.name.short().to_owned(),
                    contender: Some(contender.name.clone()),
                    figure: PublishedFigure::RequestsPerS(contender.rate_per_s.round()),
                })
                .collect(),
            claims: Vec::new(),
            hash: "0".repeat(64),
        }
    }

    fn record(&self, contender: &Simulated) -> ContenderRecord {
        let launches = (1..=self.launches).map(|launch| LaunchRecord {
            launch,
            startup_ns: Some(40_000_000),
            processes: Some(1),
            threads: Some(4),
            cpus_read_back: vec![0],
            memory_steady_bytes: Some(14_200_000),
            memory_peak_bytes: Some(21_000_000),
            warm_up: self
                .workloads
                .iter()
                .map(|workload| WarmUpRecord {
                    workload: workload.clone(),
                    windows: 15,
                    requests: 30_000,
                    duration_ns: 800_000_000,
                    steady: true,
                })
                .collect(),
            ended_early: None,
            stop: Some(StopRecord { by_sigterm: true, duration_ns: 5_000_000 }),
        });
        ContenderRecord {
            manifest: Contender {
                name: contender.name.clone(),
                variant_of: None,
                is_task: false,
                dir: PathBuf::new(),
                runs_at: None,
                class: contender.class,
                raw: contender.raw.clone(),
                workloads: self.workloads.clone(),
                toolchain: Vec::new(),
                debian: Vec::new(),
                fetch: None,
                build: None,
                start: "exec ./server".to_owned(),
                version: "./server --version".to_owned(),
                ready_seconds: 20,
            },
            twin_of: contender.twin_of.clone(),
            state: ContenderState::Measured,
            version: Some("1.0.0".to_owned()),
            notes: None,
            toolchains: Vec::new(),
            build: None,
            left_by_build: Vec::new(),
            cases: Vec::new(),
            idle_cpu_share: Some(0.0),
            launches: launches.collect(),
            tasks: Vec::new(),
        }
    }
}

fn window(contender: &Simulated, workload: &str, rate: f64, noise: &mut Noise) -> Window {
    // The generator cannot send faster than one CPU allows; 2 % of it goes to the kernel's own work.
    let rate = rate.min(0.98e9 / GENERATOR_NS);
    let correct = (rate * WINDOW_NS as f64 / 1e9) as u64;
    let generator_cpu = (correct as f64 * GENERATOR_NS) as u64;
    let server_share = (rate / contender.rate_per_s.max(1.0)).min(1.0) * 0.99;
    let server_cpu = (WINDOW_NS as f64 * server_share) as u64;
    let in_flight = WINDOW_NS * u64::from(CONNECTIONS) - generator_cpu;
    let each = (correct / u64::from(CONNECTIONS)) as u32;
    let mut service_time = Histogram::new();
    for _ in 0..correct.min(200) {
        let mean = in_flight as f64 / correct.max(1) as f64;
        service_time.record((mean * (1.0 + 0.5 * noise.next())) as u64);
    }
    Window {
        contender: contender.name.clone(),
        workload: workload.to_owned(),
        launch: 0,
        block: 0,
        position: 0,
        kind: WindowKind::Block,
        started_ns: 0,
        settling_ns: 10_000_000,
        duration_ns: WINDOW_NS,
        drain_ns: 1_000_000,
        outcomes: Outcomes { correct, ..Outcomes::default() },
        correct_outside: correct / 5,
        requests: Vec::new(),
        wrong_examples: Vec::new(),
        connections: ConnectionCounts {
            asked: CONNECTIONS,
            established: CONNECTIONS,
            reopened_after_stop: 0,
            carried: 0,
            reconnects: 0,
            completions: vec![each; CONNECTIONS as usize],
        },
        in_flight_request_ns: in_flight,
        clipped_service_ns: in_flight,
        service_time: EncodedHistogram::new(&service_time),
        paced: None,
        burst: None,
        answered: None,
        spans: Vec::new(),
        data: None,
        slowed_ns: None,
        coin: contender.coin.then(|| noise.tosses(correct + correct / 5)),
        generator_cpu_ns: vec![generator_cpu],
        generator_cpu_total_ns: vec![generator_cpu + generator_cpu / 5],
        server: ServerWindow {
            cpu_ns: Some(server_cpu),
            cpu_total_ns: Some(server_cpu + server_cpu / 5),
            cpu_elapsed_ns: Some(WINDOW_NS + SETTLING_NS),
            outside_cpus: Some(Vec::new()),
            cpu_by_process_ns: vec![server_cpu],
            busy_threads: Some(1),
            context_switches: Some(correct / 10),
            instructions: None,
            cycles: None,
        },
        host: HostWindow { steal_share: Some(0.0), others_share: Some(0.01), ..HostWindow::default() },
    }
}

struct Noise(SplitMix64);

impl Noise {
    /// Even within -1 to 1.
    fn next(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn tosses(&mut self, count: u64) -> CoinCounts {
        let mut counts = CoinCounts::default();
        let mut before = std::collections::VecDeque::new();
        for _ in 0..count {
            let bits = self.0.next_u64();
            let (bet, draw) = ((bits >> 63) as usize, (bits >> 62 & 1) as usize);
            counts.draws[bet][draw] += 1;
            for (lag, earlier) in before.iter().enumerate() {
                counts.lags[lag][usize::from(*earlier == draw)] += 1;
            }
            if let Some(&last) = before.front() {
                let successive: &mut [u64; 2] = &mut counts.successive[last];
                successive[draw] += 1;
            }
            before.push_front(draw);
            before.truncate(8);
        }
        counts
    }
}
