use velo_record::{BusyProcess, Canary, CpuAccounting, HardwareCounters, HostFacts, Pressure, ToolchainFact};

use super::*;

fn quiet() -> (HostFacts, More) {
    let facts = HostFacts {
        irq_time_apart: Some(false),
        hostname: "host".to_owned(),
        cpu_model: Some("Some CPU".to_owned()),
        cpus: 4,
        usable_cpus: Some(4),
        threads_per_core: Some(1),
        kernel: "6.1.0".to_owned(),
        memory_bytes: Some(8 << 30),
        swap_used_bytes: Some(0),
        transparent_huge_pages: Some("madvise".to_owned()),
        governor: Some("performance".to_owned()),
        turbo: Some(true),
        frequency_allowed_khz: Some(3_400_000),
        frequency_possible_khz: Some(3_400_000),
        throttled_before: Some(0),
        clock_source: Some("tsc".to_owned()),
        open_files_limit: Some(1024),
        open_files_hard_limit: Some(1 << 20),
        local_ports: Some(28_232),
        port_reuse: Some(2),
        accept_backlog: Some(4096),
        loopback_mtu_bytes: Some(65_536),
        uptime_s: Some(90_000),
        busy_share_before: Some(0.006),
        steal_share_before: Some(0.0),
        pressure_before: Pressure { cpu_share: Some(0.01), memory_share: Some(0.0), io_share: Some(0.0) },
        hardware_counters: HardwareCounters::Counting,
        canary: vec![Canary { cpu: 0, duration_ns: 1_000_000 }, Canary { cpu: 1, duration_ns: 1_100_000 }],
        ..HostFacts::default()
    };
    let more = More { accounting: CpuAccounting::CgroupV2, swapped_pages: Some(0), shared_core: None };
    (facts, more)
}

fn found(checks: &[Check], name: &str) -> Check {
    checks.iter().find(|check| check.name == name).cloned().expect("the line is there")
}

/// The line `name` of a quiet machine with one thing changed.
fn changed(name: &str, change: impl Fn(&mut HostFacts, &mut More)) -> Check {
    let (mut facts, mut more) = quiet();
    change(&mut facts, &mut more);
    found(&of_machine(&facts, &more), name)
}

#[test]
fn a_quiet_machine_is_ok_everywhere() {
    let (facts, more) = quiet();
    for check in of_machine(&facts, &more) {
        assert_eq!((check.state, &check.advice), (CheckState::Ok, &None), "{check:?}");
    }
}

#[test]
fn nothing_readable_is_unknown_and_never_a_pass() {
    let facts = HostFacts { cpus: 4, ..HostFacts::default() };
    let more = More { swapped_pages: None, ..quiet().1 };
    let checks = of_machine(&facts, &more);
    for name in ["memory", "governor", "clock", "steal", "others", "ports", "counters"] {
        assert_eq!(found(&checks, name).state, CheckState::Unknown, "{name}");
    }
    for name in ["pressure", "throttling", "loopback", "uptime", "canary", "cores"] {
        assert!(checks.iter().all(|check| check.name != name), "{name} is not shown");
    }
}

#[test]
fn one_cpu_is_unfit_and_two_are_small() {
    let check = changed("CPU", |facts, _| facts.usable_cpus = Some(1));
    assert_eq!(check.state, CheckState::Unfit);
    assert!(check.found.contains("1 of them for velo"), "{check:?}");
    assert_eq!(changed("CPU", |facts, _| facts.usable_cpus = Some(2)).state, CheckState::Note);
}

#[test]
fn a_quota_holds_back_only_where_it_is_less_than_the_cpus() {
    let check = changed("CPU", |facts, _| facts.cpu_quota = Some(1.5));
    assert_eq!(check.state, CheckState::Warning);
    assert!(check.found.contains("limited to the time of 1.5"), "{check:?}");
    assert_eq!(changed("CPU", |facts, _| facts.cpu_quota = Some(4.0)).state, CheckState::Ok);
}

#[test]
fn threads_of_one_core_are_warned_of() {
    let check = changed("cores", |_, more| more.shared_core = Some((2, 6)));
    assert_eq!(check.state, CheckState::Warning);
    assert_eq!(check.found, "CPU 2 would serve and CPU 6 load, on one core");
}

#[test]
fn who_is_busy_is_named() {
    let busy = |name: &str, cpu_share| BusyProcess { name: name.to_owned(), cpu_share };
    let check = changed("others", |facts, _| {
        facts.busy_share_before = Some(0.41);
        facts.busiest_before = vec![busy("rustc", 0.8), busy("children of make", 0.1)];
    });
    assert_eq!(check.state, CheckState::Warning);
    assert_eq!(
        check.advice.as_deref(),
        Some(
            "intervals get wider by what they take; end the busiest, in shares of one CPU: rustc (80 %), \
             children of make (10 %)"
        )
    );
}

#[test]
fn what_makes_figures_suffer_is_a_warning() {
    let state = |name, change: fn(&mut HostFacts, &mut More)| changed(name, change).state;
    let warnings = [
        state("steal", |facts, _| facts.steal_share_before = Some(0.02)),
        state("others", |facts, _| facts.busy_share_before = Some(0.05)),
        state("governor", |facts, _| facts.governor = Some("performance, powersave".to_owned())),
        state("clock", |facts, _| facts.clock_source = Some("hpet".to_owned())),
        state("throttling", |facts, _| facts.throttled_before = Some(1)),
        state("memory", |_, more| more.swapped_pages = Some(1)),
        state("pressure", |facts, _| facts.pressure_before.memory_share = Some(0.05)),
    ];
    assert_eq!(warnings, [CheckState::Warning; 7]);
}

#[test]
fn what_is_good_to_know_is_a_note_with_something_to_do() {
    let note = |name, change: fn(&mut HostFacts, &mut More)| changed(name, change);
    let notes = [
        note("memory", |facts, _| facts.swap_used_bytes = Some(3 << 20)),
        note("memory", |facts, _| facts.transparent_huge_pages = Some("always".to_owned())),
        note("governor", |facts, _| facts.frequency_allowed_khz = Some(2_000_000)),
        note("canary", |facts, _| facts.canary[1].duration_ns = 1_300_000),
        note("pressure", |facts, _| facts.pressure_before.io_share = Some(0.5)),
        note("files", |facts, _| facts.open_files_hard_limit = Some(1024)),
        note("ports", |facts, _| facts.local_ports = Some(500)),
        note("ports", |facts, _| facts.accept_backlog = Some(128)),
        note("loopback", |facts, _| facts.loopback_mtu_bytes = Some(1500)),
        note("uptime", |facts, _| facts.uptime_s = Some(30)),
        note("CPU time", |_, more| more.accounting = CpuAccounting::Schedstat),
    ];
    for check in notes {
        assert!(check.state == CheckState::Note && check.advice.is_some(), "{check:?}");
    }
}

#[test]
fn counters_that_are_missing_say_why_and_what_to_do() {
    let missing = |reason: &str| {
        changed("counters", |facts, _| {
            facts.hardware_counters = HardwareCounters::Missing { reason: reason.to_owned() };
        })
    };
    let check = missing("this machine shows none");
    assert_eq!(check.found, "this machine shows none (instructions per request: no)");
    assert_eq!((check.state, check.advice), (CheckState::Note, None));
    let check = missing("this user may not count (kernel.perf_event_paranoid is 3)");
    assert!(check.advice.is_some_and(|advice| advice.starts_with("sysctl kernel.perf_event_paranoid=1")));
}

#[test]
fn a_missing_toolchain_comes_with_the_line_that_installs_it() {
    let (mut facts, _) = quiet();
    facts.toolchains = vec![ToolchainFact { name: "ruby".to_owned(), version: None }];
    let check = found(&of_toolchains(&facts), "ruby");
    assert_eq!(check.state, CheckState::Note);
    assert_eq!(check.advice.as_deref(), Some("apt-get install -y --no-install-recommends ruby"));
}

#[test]
fn a_ceiling_that_was_not_reached_is_a_bound() {
    let words = |ceiling| of_ceiling(ceiling).found;
    assert_eq!(
        words(Some(Ceiling { per_s: 154_321.0, is_reached: true })),
        "about 150,000 requests/s; faster stacks will read \">= x\" here"
    );
    assert!(words(Some(Ceiling { per_s: 154_321.0, is_reached: false })).starts_with("at least 150,000"));
    assert_eq!(of_ceiling(None).state, CheckState::Unknown);
}
