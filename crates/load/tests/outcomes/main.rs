//! Whatever a server does and however it is loaded: each request that was sent has one outcome, and the counts that tell of it
//! agree with each other and with what the server did. Nothing here depends on how fast the machine is.

mod http1;
mod http2;
mod server;

use std::net::SocketAddr;
use std::sync::Arc;

use proptest::prelude::*;
use velo_load::{
    Arrivals, BodyChecker, BodyExpect, Connect, DriverChoice, Expect, Generator, Limits, Mix, Order,
    Outcomes, Part, Protocol, RequestSpec, Schedule, Shape, Spacing, Target, Template, Think, Toss, WhenFull,
    WindowReport, WindowSettings,
};

use server::{BODY, Conduct, Deed, Log};

const MS: u64 = 1_000_000;
const TIMEOUT_NS: u64 = 400 * MS;

/// A load, and the server that it meets.
#[derive(Debug, Clone)]
struct Case {
    driver: DriverChoice,
    schedule: Schedule,
    when_full: WhenFull,
    connections: u32,
    /// Requests at once on a connection.
    pipelining: u32,
    requests_per_connection: Option<u32>,
    most_requests: Option<u64>,
    settling_ns: u64,
    is_burst: bool,
    connect: Connect,
    conduct: Conduct,
}

fn schedules() -> impl Strategy<Value = Schedule> {
    let open = |shape: Shape, spacing: Spacing, seed: u64| Schedule::Open(Arrivals { shape, spacing, seed });
    let spacing = prop_oneof![Just(Spacing::Even), Just(Spacing::Poisson)];
    let shape = prop_oneof![
        (50.0..2000.0).prop_map(|per_s| Shape::Constant { per_s }),
        (0.0..1000.0, 50.0..2000.0).prop_map(|(from_per_s, to_per_s)| Shape::Ramp {
            from_per_s,
            to_per_s,
            over_ns: 100 * MS
        }),
    ];
    prop_oneof![
        Just(Schedule::Closed { think: Think::None }),
        (1..30u64).prop_map(|ms| Schedule::Closed { think: Think::Constant { ns: ms * MS } }),
        (shape, spacing, any::<u64>()).prop_map(move |(shape, spacing, seed)| open(shape, spacing, seed)),
    ]
}

fn cases(most_pipelined: u32) -> impl Strategy<Value = Case> {
    let load = (
        prop_oneof![Just(DriverChoice::Epoll), Just(DriverChoice::IoUring)],
        schedules(),
        prop_oneof![Just(WhenFull::Queue), Just(WhenFull::Drop)],
        1..6u32,
        1..=most_pipelined,
    );
    let bounds = (
        prop::option::weighted(0.3, 1..20u32),
        prop::option::weighted(0.3, 1..200u64),
        prop_oneof![Just(0), Just(40 * MS)],
        any::<bool>(),
        prop_oneof![Just(Connect::Ahead), Just(Connect::OnDemand)],
    );
    (load, bounds, server::conducts()).prop_map(|(load, bounds, conduct)| {
        let (driver, schedule, when_full, connections, pipelining) = load;
        let (requests_per_connection, most_requests, settling_ns, is_burst, connect) = bounds;
        // A burst has a number of requests, and all are due at once.
        let is_burst =
            is_burst && most_requests.is_some() && schedule == Schedule::Closed { think: Think::None };
        let settling_ns = if is_burst { 0 } else { settling_ns };
        Case {
            driver,
            schedule,
            when_full,
            connections,
            pipelining,
            requests_per_connection,
            most_requests,
            settling_ns,
            is_burst,
            connect,
            conduct,
        }
    })
}

struct IsBody;

impl BodyChecker for IsBody {
    fn check(&self, _: usize, _: &[u64], body: &[u8]) -> Result<Option<Toss>, String> {
        if body == BODY { Ok(None) } else { Err("another body".to_owned()) }
    }
}

fn request(name: &str, path: &str) -> RequestSpec {
    RequestSpec {
        name: name.into(),
        weight: 1,
        method: "GET".into(),
        path: Template(vec![Part::Bytes(path.as_bytes().to_vec())]),
        headers: vec![],
        body: None,
        slots: vec![],
        expect: Expect {
            status: 200.into(),
            content_type: None,
            headers: vec![],
            body: BodyExpect::Checked,
            not_before_ms: None,
        },
    }
}

impl Case {
    fn run(&self, protocol: Protocol, address: SocketAddr) -> WindowReport {
        let requests = vec![request("one", "/one"), request("other", "/other")];
        let mix = Mix::for_protocol(requests, Order::Weighted, "velo.test", protocol).unwrap();
        let plans: Vec<(Arc<Mix>, Arc<dyn BodyChecker>)> = vec![(Arc::new(mix), Arc::new(IsBody))];
        let (endpoints, limits) = (vec![address.into()], Limits::default());
        let mut generator = Generator::new(&[0], self.driver).unwrap();
        let target = Target { endpoints, tls: None, sources: vec![], plans, limits, seed: 1 };
        let target = generator.add(&target).unwrap();
        let settings = WindowSettings {
            settling_ns: self.settling_ns,
            drain_limit_ns: 20_000 * MS,
            schedule: self.schedule.clone(),
            when_full: self.when_full,
            most_requests: self.most_requests,
            pipelining: self.pipelining,
            requests_per_connection: self.requests_per_connection,
            is_burst: self.is_burst,
            connect: self.connect,
            ..WindowSettings::closed_loop(self.connections, 100 * MS, TIMEOUT_NS)
        };
        let report = generator.window(target, &settings, None, &Arc::default()).unwrap();
        generator.remove(target);
        report
    }
}

/// All that was counted of the same requests in different places.
fn agrees(case: &Case, report: &WindowReport, log: &Log) -> Result<(), TestCaseError> {
    let tally = &report.tally;
    let all = tally.all();
    let told = format!("{all:?}\n{:?}\n{log:?}", tally.wrong_examples);

    // Each request that was sent has one outcome.
    let unsent = all.dropped + all.connect_error;
    prop_assert_eq!(outcomes_of(&all) - unsent + tally.withdrawn, tally.sent, "{}", told);
    prop_assert_eq!(tally.carried, 0, "{}", told);
    if let Some(most) = case.most_requests {
        // Those of settling are not among them, but what a closed loop has in flight when it ends.
        let in_flight = match case.schedule {
            Schedule::Closed { .. } if case.settling_ns > 0 => u64::from(case.connections * case.pipelining),
            _ => 0,
        };
        let counted = outcomes_of(&tally.outcomes) + outcomes_of(&tally.draining);
        prop_assert!(counted <= most.max(in_flight), "{}", told);
    }

    // Of the window: offered, by request, by status, by connection, by time.
    let window = &tally.outcomes;
    if matches!(case.schedule, Schedule::Open(_)) {
        prop_assert_eq!(tally.offered, outcomes_of(window), "{}", told);
    }
    let by_request = |count: fn(&velo_load::PerRequest) -> u64| tally.requests.iter().map(count).sum::<u64>();
    prop_assert_eq!(by_request(|one| one.correct), window.correct, "{}", told);
    let failed = outcomes_of(window) - window.correct - window.dropped - window.connect_error;
    prop_assert_eq!(by_request(|one| one.failed), failed, "{}", told);
    let with_status = |code: u16| tally.statuses.get(&code).copied().unwrap_or(0);
    prop_assert_eq!(with_status(200), window.correct + window.wrong_answer, "{}", told);
    prop_assert_eq!(with_status(500) + with_status(408), window.http_error, "{}", told);
    prop_assert_eq!(tally.statuses.values().sum::<u64>(), window.checked(), "{}", told);
    let completions = tally.completions.iter().map(|&count| u64::from(count)).sum::<u64>();
    prop_assert_eq!(completions, window.correct, "{}", told);
    for times in [&tally.service_time, &tally.response_time, &tally.first_byte_time] {
        prop_assert_eq!(times.count(), window.correct, "{}", told);
    }
    prop_assert_eq!(tally.in_flight_request_ns, tally.clipped_service_ns, "{}", told);

    // The server's own log: it did what was counted, and what it did and was not counted is a request whose time was over, or that
    // went down with its connection.
    let done = |deeds: &[Deed]| deeds.iter().map(|&deed| log.count(deed)).sum::<u64>();
    // A farewell that crosses with a request looks like its answer where this process had to wait for a CPU in between.
    let farewells =
        if case.conduct.idle.is_some() { all.http_error.saturating_sub(done(&[Deed::Error])) } else { 0 };
    let mut unseen = 0;
    for (deeds, counted) in [
        (&[Deed::Right, Deed::Last][..], all.correct),
        (&[Deed::Wrong], all.wrong_answer),
        (&[Deed::Error], all.http_error - farewells),
        (&[Deed::Cut], all.truncated),
    ] {
        prop_assert!(counted <= done(deeds), "{counted} of {deeds:?}: {}", told);
        unseen += done(deeds) - counted;
    }
    prop_assert!(log.requests() <= tally.sent, "{}", told);
    let unanswered = all.timeout + all.closed_by_server + all.refused + tally.withdrawn + farewells;
    prop_assert_eq!(
        unseen + done(&[Deed::Never, Deed::Close]) + tally.sent - log.requests(),
        unanswered,
        "{}",
        told
    );
    Ok(())
}

fn outcomes_of(outcomes: &Outcomes) -> u64 {
    outcomes.requests() + outcomes.dropped
}

fn has_driver(driver: DriverChoice) -> bool {
    driver != DriverChoice::IoUring || DriverChoice::Auto.name(64) == "io_uring"
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, max_shrink_iters: 20, ..ProptestConfig::default() })]

    #[test]
    fn over_http_1_each_request_has_one_outcome(case in cases(4)) {
        prop_assume!(has_driver(case.driver));
        let server = http1::Server::start(case.conduct);
        let report = case.run(Protocol::Http1, server.address());
        agrees(&case, &report, &server.finish())?;
    }

    #[test]
    fn over_http_2_each_request_has_one_outcome(case in cases(16)) {
        prop_assume!(has_driver(case.driver));
        let server = http2::Server::start(case.conduct);
        let report = case.run(Protocol::Http2 { is_https: false }, server.address());
        agrees(&case, &report, &server.finish())?;
    }
}
