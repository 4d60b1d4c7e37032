//! A run to write and read.

use std::collections::BTreeMap;
use std::path::Path;

use velo_model::{Class, Contender, ContenderName, PartyRole, Role, Workload};
use velo_record::{
    BuildRecord, BusyProcess, CallAgreed, CallBlock, CallRecord, Canary, CaseRecord, CoinCounts,
    ConnectionCounts, ContenderRecord, ContenderState, CostQuestion, Costs, CpuAccounting, EncodedHistogram,
    FORMAT, GroupRate, HostFacts, HostWindow, Identity, LaunchRecord, Look, Outcomes, PacedWindow, Party,
    Placement, Plan, PlannedTime, Purpose, RatePurpose, RequestCounts, RunFile, RunState, Settings, Stage,
    StopRecord, Timings, ToolchainFact, WarmUpRecord, Window,
};
use velo_spec::read;
use velo_stats::Histogram;

pub(crate) fn name(text: &str) -> ContenderName {
    ContenderName::new(text).expect("a name")
}

/// A run with the repository's own workloads and a contender in each state.
pub(crate) fn run_file() -> RunFile {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let workloads = read::workloads(&root).expect("the repository's workloads");
    let workloads: Vec<Workload> = workloads.iter().flat_map(|workload| workload.loads(1)).collect();
    let states = [
        ContenderState::Pending,
        ContenderState::Measured,
        ContenderState::Skipped {
            reason: "thin is missing".to_owned(),
            cure: Some("apt-get install thin".to_owned()),
        },
        ContenderState::Excluded {
            stage: Stage::Verify,
            reason: "broken JSON got 500".to_owned(),
            log: Some("logs/ruby-rack-thin.stderr".to_owned()),
        },
    ];
    let names = ["go/gin", "go/net-http", "ruby/rack-puma", "ruby/rack-thin"];
    RunFile {
        format: FORMAT,
        state: RunState::Running,
        started_at: "2026-11-21T10:31:02Z".to_owned(),
        ended_at: None,
        command: vec!["run".to_owned(), "coin".to_owned()],
        identity: Identity {
            velo: "0.1.0".to_owned(),
            driver: "epoll".to_owned(),
            build: "release".to_owned(),
            workload_hashes: workloads.iter().map(|workload| workload.hash.clone()).collect(),
        },
        settings: Settings {
            seed: u64::MAX,
            budget_ns: 180_000_000_000,
            precision: Some(0.02),
            latency_budget_ns: None,
            quick: false,
            as_published: false,
            timeout_ns: 5_000_000_000,
            memory_limit_bytes: None,
            overrides: vec![],
            cost: Some(CostQuestion {
                target_rps: Some(20_000.0),
                users: Some(10_000),
                calls_per_user_per_year: Some(1_000),
                ..CostQuestion::default()
            }),
        },
        host: HostFacts {
            hostname: "desk".to_owned(),
            cpus: 2,
            busy_share_before: Some(0.006),
            toolchains: vec![ToolchainFact { name: "go".to_owned(), version: None }],
            canary: vec![Canary { cpu: 0, duration_ns: 1_000_000 }],
            ..HostFacts::default()
        },
        placement: Placement::new([(PartyRole::Contender, vec![0]), (PartyRole::Generator, vec![1])]),
        cpu_accounting: CpuAccounting::CgroupV2,
        environment: BTreeMap::from([("LANG".to_owned(), "C.UTF-8".to_owned())]),
        build_environment: vec!["CARGO_HOME".to_owned()],
        workloads,
        contenders: states.into_iter().zip(names).map(|(state, text)| contender(text, state)).collect(),
        costs: Some(Costs { launch_ns: 20_000_000_000, ..Costs::default() }),
        plan: Some(Plan {
            launches: 5,
            blocks: 10,
            expected_ns: 160_000_000_000,
            time: PlannedTime { counted_ns: 60_000_000_000, ..PlannedTime::default() },
            needed_budget_s: None,
            not_ranked: None,
            looks: vec![Look { launch: 5, level: 0.05 }],
            proof_pairs: 10,
            common_rates: vec![GroupRate {
                workload: "coin".to_owned(),
                rate_per_s: 2_450.5,
                contenders: names.iter().map(|text| name(text)).collect(),
            }],
            expected_precision: None,
            full_every: 1,
            left_out: vec![],
        }),
        ended_by: None,
        timings: Timings::default(),
        calls_left_out: Vec::new(),
        calls: Vec::new(),
    }
}

fn contender(text: &str, state: ContenderState) -> ContenderRecord {
    ContenderRecord {
        manifest: Contender {
            name: name(text),
            variant_of: None,
            role: Role::Server,
            dir: std::path::PathBuf::new(),
            borrows: Vec::new(),
            runs_at: None,
            class: Class::Raw,
            raw: None,
            rest: None,
            workloads: vec!["coin".to_owned()],
            toolchain: vec![],
            debian: vec![],
            fetch: None,
            build: Some("make".to_owned()),
            start: "exec ./server".to_owned(),
            version: "./server --version".to_owned(),
            process_for_each: false,
            ready_seconds: 20,
            protocols: vec![velo_model::Protocol::Http1],
            other_protocols: None,
        },
        twin_of: Some(name("go/net-http")),
        state,
        version: Some("1.0".to_owned()),
        notes: None,
        toolchains: vec![],
        build: Some(BuildRecord { content_hash: "ab".repeat(32), cached: true, duration_ns: 7 }),
        left_by_build: Vec::new(),
        cases: vec![CaseRecord {
            workload: "coin".to_owned(),
            case: "a bet is answered".to_owned(),
            required: true,
            passed: true,
            got: "200 {\"win\":true}".to_owned(),
        }],
        idle_cpu_share: None,
        listens_on: None,
        external: None,
        log_bytes: None,
        launches: vec![LaunchRecord {
            launch: 1,
            startup_ns: Some(20_000_000),
            processes: Some(1),
            threads: Some(4),
            cpus_read_back: vec![0],
            memory_steady_bytes: Some(16 << 20),
            memory_peak_bytes: None,
            warm_up: vec![WarmUpRecord {
                workload: "coin".to_owned(),
                windows: 15,
                requests: 40_000,
                duration_ns: 750_000_000,
                steady: true,
            }],
            ended_early: None,
            stop: Some(StopRecord { by_sigterm: true, duration_ns: 3_000_000, fault: None }),
        }],
        tasks: Vec::new(),
    }
}

/// Single calls of this launch.
#[allow(dead_code)]
pub(crate) fn calls(launch: u32) -> CallBlock {
    let call = CallRecord {
        connect_ns: Some(40_000),
        handshake_ns: Some(900_000),
        first_byte_ns: 300_000,
        rest_ns: 0,
        sent_bytes: 700,
        received_bytes: 1_900,
        round_trips: 3,
        link_round_trips: Some(3),
        link_bytes: Some((1_200, 2_300)),
        segments: Some((6, 5)),
        sent_again: Some(0),
        tls: Some(CallAgreed {
            version: "TLSv1.3".to_owned(),
            is_resumed: false,
            alpn: Some("h2".to_owned()),
        }),
    };
    CallBlock {
        contender: name("go/gin"),
        workload: "coin".to_owned(),
        launch,
        condition: "h2 new tls1.3 20ms".parse().expect("a condition"),
        cold: Some(CallRecord { first_byte_ns: 9_000_000, ..call.clone() }),
        calls: vec![call; 3],
        wrong_answers: 1,
        failed: 0,
        wrong_examples: vec!["status 500".to_owned()],
        others_share: Some(0.01),
        steal_share: None,
        ended_early: None,
    }
}

/// A window of this launch and block.
pub(crate) fn window(launch: u32, block: u32) -> Window {
    let mut service_time = Histogram::new();
    (1..=1000).for_each(|place| service_time.record(place * 1013));
    Window {
        contender: name("go/gin"),
        workload: "coin".to_owned(),
        launch,
        block,
        position: 1,
        purpose: Purpose::Paced(PacedWindow {
            rate_per_s: 20_000.0,
            purpose: RatePurpose::Share { percent: 50 },
            offered: 1001,
            sent: 1001,
            response_time: EncodedHistogram::new(&service_time),
            send_lag: EncodedHistogram::new(&Histogram::new()),
        }),
        started_ns: 1_000_000_000,
        settling_ns: 10_000_000,
        duration_ns: 50_000_000,
        drain_ns: 700_000,
        outcomes: Outcomes { correct: 1000, http_error: 1, ..Outcomes::default() },
        outside: Outcomes { correct: 201, timeout: 2, ..Outcomes::default() },
        requests: vec![RequestCounts { name: "bet".to_owned(), correct: 1000, failed: 1 }],
        wrong_examples: vec!["status 500\n\"bet\"".to_owned()],
        connections: ConnectionCounts {
            asked: 64,
            established: 64,
            completions: vec![15; 64],
            ..ConnectionCounts::default()
        },
        in_flight_request_ns: 3_199_000_000,
        clipped_service_ns: 3_190_000_000,
        service_time: EncodedHistogram::new(&service_time),
        data: None,
        coin: Some(CoinCounts {
            draws: [[250, 251], [249, 250]],
            successive: [[1, 2], [3, 4]],
            lags: [[5, 6]; 8],
        }),
        parties: vec![
            Party {
                cpu_ns: Some(20_000_000),
                cpu_total_ns: Some(24_000_000),
                cpu_by_thread_ns: vec![20_000_000],
                ..Party::new(PartyRole::Generator)
            },
            Party {
                cpu_ns: Some(49_000_000),
                cpu_total_ns: Some(60_050_000),
                cpu_elapsed_ns: Some(66_000_000),
                outside_cpus: Some(vec![1]),
                cpu_by_process_ns: vec![49_000_000],
                context_switches: Some(120),
                instructions: Some(9_000_000),
                ..Party::new(PartyRole::Contender)
            },
        ],
        host: HostWindow {
            taken_server_ns: Some(-10_000_000),
            taken_load_ns: Some(20_000_000),
            stolen_server_ns: Some(10_000_000),
            steal_share: Some(0.0),
            others_share: Some(0.012),
            others_cpu_ns: Some(-4_000_000),
            others_elapsed_ns: Some(66_000_000),
            cpu_pressure_share: None,
            others: vec![BusyProcess { name: "rustc".to_owned(), cpu_share: 0.5 }],
            throttled: Some(0),
            swapped_pages: None,
            canary: vec![Canary { cpu: 1, duration_ns: 1_000_000 }],
        },
        link: None,
    }
}
