//! The engine over HTTP/2 against a server of another make, on the loopback interface. Nothing here depends on how fast the machine
//! is: counts are compared with what the server itself counted.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use bytes::Bytes;
use h2::server::{Builder, Connection, SendResponse};
use http::{Request, Response};
use tokio::net::{TcpListener, TcpStream};
use velo_load::{
    Arrivals, BodyChecker, BodyExpect, DriverChoice, Expect, Generator, HeaderExpect, Limits, Mix, Order,
    Part, Protocol, RequestSpec, Schedule, Shape, Slot, Spacing, Target, Template, Toss, WindowReport,
    WindowSettings,
};

const MS: u64 = 1_000_000;

/// What the server counted.
#[derive(Default)]
struct Counts {
    connections: AtomicU64,
    requests: AtomicU64,
    answers: AtomicU64,
    resets: AtomicU64,
    body_bytes: AtomicU64,
    open: AtomicU64,
    most_open: AtomicU64,
}

/// What a server does.
#[derive(Clone, Copy)]
struct Ways {
    builder: fn(&mut Builder),
    /// Before a request is answered: how many there were on its connection.
    between: fn(&mut Connection<TcpStream, Bytes>, u64),
    body: fn(&str) -> Option<Bytes>,
}

const WAYS: Ways =
    Ways { builder: |_| {}, between: |_, _| {}, body: |path| Some(Bytes::from(path.to_owned())) };

/// A server that answers with the path, unless it has other ways.
fn serve(ways: Ways) -> (SocketAddr, Arc<Counts>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    listener.set_nonblocking(true).unwrap();
    let counts = Arc::new(Counts::default());
    let own = Arc::clone(&counts);
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let listener = TcpListener::from_std(listener).unwrap();
            while let Ok((stream, _)) = listener.accept().await {
                own.connections.fetch_add(1, SeqCst);
                // A client that goes away ends its connection's task.
                tokio::spawn(connection(stream, ways, Arc::clone(&own)));
            }
        });
    });
    (address, counts)
}

async fn connection(stream: TcpStream, ways: Ways, counts: Arc<Counts>) -> Result<(), h2::Error> {
    let _ = stream.set_nodelay(true);
    let mut builder = Builder::new();
    (ways.builder)(&mut builder);
    let mut connection = builder.handshake(stream).await?;
    let mut number = 0;
    while let Some(accepted) = connection.accept().await {
        let (request, respond) = accepted?;
        number += 1;
        (ways.between)(&mut connection, number);
        tokio::spawn(answer(request, respond, ways, Arc::clone(&counts)));
    }
    Ok(())
}

async fn answer(
    request: Request<h2::RecvStream>,
    mut respond: SendResponse<Bytes>,
    ways: Ways,
    counts: Arc<Counts>,
) -> Result<(), h2::Error> {
    counts.requests.fetch_add(1, SeqCst);
    let open = counts.open.fetch_add(1, SeqCst) + 1;
    counts.most_open.fetch_max(open, SeqCst);
    let path = request.uri().path().to_owned();
    let mut body = request.into_body();
    while let Some(piece) = body.data().await {
        let piece = piece?;
        counts.body_bytes.fetch_add(piece.len() as u64, SeqCst);
        body.flow_control().release_capacity(piece.len())?;
    }
    let Some(answer) = (ways.body)(&path) else {
        let reset = std::future::poll_fn(|context| respond.poll_reset(context)).await;
        counts.resets.fetch_add(u64::from(reset.is_ok()), SeqCst);
        counts.open.fetch_sub(1, SeqCst);
        return Ok(());
    };
    tokio::task::yield_now().await;
    let head = Response::builder().header("x-path", &path).header("content-length", answer.len());
    counts.open.fetch_sub(1, SeqCst);
    let mut stream = respond.send_response(head.body(()).unwrap(), answer.is_empty())?;
    if !answer.is_empty() {
        stream.send_data(answer, true)?;
    }
    counts.answers.fetch_add(1, SeqCst);
    Ok(())
}

struct Anything;

impl BodyChecker for Anything {
    fn check(&self, _: usize, _: &[u64], _: &[u8]) -> Result<Option<Toss>, String> {
        Ok(None)
    }
}

fn bytes(text: &str) -> Part {
    Part::Bytes(text.as_bytes().to_vec())
}

/// A path with a number, answered with the path in body and header.
fn numbered() -> RequestSpec {
    let path = Template(vec![bytes("/user/"), Part::Slot(0)]);
    RequestSpec {
        name: "user".into(),
        weight: 1,
        method: "GET".into(),
        path: path.clone(),
        headers: vec![("Accept".into(), Template(vec![bytes("*/*")]))],
        body: None,
        slots: vec![Slot::Int { min: 1, max: 99_999 }],
        expect: Expect {
            status: 200.into(),
            content_type: None,
            headers: vec![HeaderExpect { name: "X-Path".into(), value: None }],
            body: BodyExpect::Exact(path),
            not_before_ms: None,
        },
    }
}

fn load(
    address: SocketAddr,
    driver: DriverChoice,
    spec: RequestSpec,
    settings: &WindowSettings,
) -> WindowReport {
    let protocol = Protocol::Http2 { is_https: false };
    let mix = Arc::new(Mix::for_protocol(vec![spec], Order::Weighted, "test", protocol).unwrap());
    let plans: Vec<(Arc<Mix>, Arc<dyn BodyChecker>)> = vec![(mix, Arc::new(Anything))];
    let mut generator = Generator::new(&[0], driver).unwrap();
    let limits = Limits::default();
    let target =
        Target { endpoints: vec![address.into()], tls: None, sources: vec![], plans, limits, seed: 1 };
    let target = generator.add(&target).unwrap();
    let report = generator.window(target, settings, None, &Arc::default()).unwrap();
    let tally = &report.tally;
    assert_eq!(tally.in_flight_request_ns, tally.clipped_service_ns, "Little's law, exactly");
    report
}

/// So many requests in a closed loop, with so many streams on each connection.
fn count(connections: u32, streams: u32, requests: u64) -> WindowSettings {
    WindowSettings {
        pipelining: streams,
        most_requests: Some(requests),
        ..WindowSettings::closed_loop(connections, 20_000 * MS, 5_000 * MS)
    }
}

fn all_correct(report: &WindowReport, requests: u64, counts: &Counts) {
    let outcomes = report.tally.outcomes;
    assert_eq!(
        (outcomes.correct, report.tally.sent),
        (requests, requests),
        "{outcomes:?} {:?}",
        report.tally.wrong_examples
    );
    assert_eq!((counts.requests.load(SeqCst), counts.answers.load(SeqCst)), (requests, requests));
    assert_eq!((report.tally.reconnects, report.tally.carried), (0, 0));
}

fn a_closed_loop_counts_what_the_server_counts(driver: DriverChoice) {
    for streams in [1, 2, 32, 200] {
        let (address, counts) = serve(WAYS);
        let report = load(address, driver, numbered(), &count(4, streams, 3000));
        all_correct(&report, 3000, &counts);
        assert_eq!(counts.connections.load(SeqCst), 4);
        assert_eq!(report.tally.statuses.get(&200), Some(&3000));
    }
}

fn a_window_by_the_clock_counts_what_the_server_counts(driver: DriverChoice) {
    let (address, counts) = serve(WAYS);
    let settings = WindowSettings { pipelining: 8, ..WindowSettings::closed_loop(3, 100 * MS, 5_000 * MS) };
    let tally = load(address, driver, numbered(), &settings).tally;
    assert_eq!(tally.outcomes.failed(), 0, "{:?} {:?}", tally.outcomes, tally.wrong_examples);
    assert_eq!(tally.all().correct, counts.answers.load(SeqCst));
    assert_eq!(tally.sent, counts.requests.load(SeqCst));
}

fn an_open_loop_counts_what_the_server_counts(driver: DriverChoice) {
    let (address, counts) = serve(WAYS);
    let shape = Shape::Constant { per_s: 2000.0 };
    let settings = WindowSettings {
        schedule: Schedule::Open(Arrivals { shape, spacing: Spacing::Poisson, seed: 1 }),
        ..count(2, 16, 600)
    };
    all_correct(&load(address, driver, numbered(), &settings), 600, &counts);
}

fn no_more_streams_are_open_than_the_server_takes(driver: DriverChoice) {
    let ways = Ways {
        builder: |builder| {
            let _ = builder.max_concurrent_streams(3);
        },
        ..WAYS
    };
    let (address, counts) = serve(ways);
    let report = load(address, driver, numbered(), &count(1, 32, 1000));
    all_correct(&report, 1000, &counts);
    assert!(counts.most_open.load(SeqCst) <= 3);
    assert_eq!(report.tally.fewest_streams, Some(3));
}

fn bodies_larger_than_the_windows_arrive_whole(driver: DriverChoice) {
    const BODY: usize = 200_000;
    let ways = Ways {
        builder: |builder| {
            let _ = builder.initial_window_size(10_000).initial_connection_window_size(70_000);
        },
        ..WAYS
    };
    let (address, counts) = serve(ways);
    let body = Some(Template(vec![bytes(&"b".repeat(BODY))]));
    let spec = RequestSpec { method: "POST".into(), body, ..numbered() };
    let report = load(address, driver, spec, &count(2, 4, 40));
    all_correct(&report, 40, &counts);
    assert_eq!(counts.body_bytes.load(SeqCst), 40 * BODY as u64);
}

fn windows_that_change_meanwhile_are_obeyed(driver: DriverChoice) {
    const BODY: usize = 50_000;
    let ways = Ways {
        builder: |builder| {
            let _ = builder.initial_window_size(25_000);
        },
        between: |connection, number| {
            // Refused while an earlier change is not acknowledged. A change to less than half would stop this server: it opens a
            // window again only when more has come.
            let _ = connection.set_initial_window_size(if number % 2 == 0 { 20_000 } else { 30_000 });
        },
        ..WAYS
    };
    let (address, counts) = serve(ways);
    let body = Some(Template(vec![bytes(&"b".repeat(BODY))]));
    let spec = RequestSpec { method: "POST".into(), body, ..numbered() };
    let report = load(address, driver, spec, &count(1, 4, 60));
    all_correct(&report, 60, &counts);
    assert_eq!(counts.body_bytes.load(SeqCst), 60 * BODY as u64);
}

fn large_answers_arrive_whole(driver: DriverChoice) {
    let ways = Ways { body: |_| Some(Bytes::from(vec![b'x'; 700_000])), ..WAYS };
    let (address, counts) = serve(ways);
    let mut spec = numbered();
    spec.expect.body = BodyExpect::Length { min: 700_000, max: 700_000 };
    all_correct(&load(address, driver, spec, &count(2, 8, 60)), 60, &counts);
}

fn a_server_that_says_good_bye_gets_new_connections(driver: DriverChoice) {
    let ways = Ways {
        between: |connection, number| {
            if number == 50 {
                connection.graceful_shutdown();
            }
        },
        ..WAYS
    };
    let (address, counts) = serve(ways);
    let tally = load(address, driver, numbered(), &count(2, 8, 1000)).tally;
    // Whatever it did not take any more it has said so of.
    let outcomes = tally.outcomes;
    assert_eq!(outcomes.requests(), 1000, "{outcomes:?}");
    assert_eq!(outcomes.correct, counts.answers.load(SeqCst), "{outcomes:?} {:?}", tally.wrong_examples);
    assert_eq!(outcomes.correct + outcomes.refused, 1000, "{outcomes:?}");
    assert!(tally.reconnects >= 10, "{}", tally.reconnects);
    assert_eq!(tally.reconnects + 2, counts.connections.load(SeqCst));
}

fn what_is_not_answered_in_time_is_cancelled_alone(driver: DriverChoice) {
    let ways = Ways { body: |path| (!path.ends_with('7')).then(|| Bytes::from(path.to_owned())), ..WAYS };
    let (address, counts) = serve(ways);
    let settings = WindowSettings { timeout_ns: 300 * MS, ..count(1, 16, 400) };
    let tally = load(address, driver, numbered(), &settings).tally;
    let outcomes = tally.outcomes;
    assert_eq!((outcomes.correct + outcomes.timeout, tally.reconnects), (400, 0), "{outcomes:?}");
    assert!(outcomes.timeout > 0 && outcomes.correct > 0, "{outcomes:?}");
    // The server is told of all but those that were given up when the window was over.
    let resets = counts.resets.load(SeqCst);
    assert!(resets > 0 && resets <= outcomes.timeout, "{resets} of {}", outcomes.timeout);
}

fn connections_of_a_few_requests_each(driver: DriverChoice) {
    let (address, counts) = serve(WAYS);
    let settings = WindowSettings { requests_per_connection: Some(10), ..count(2, 4, 200) };
    let tally = load(address, driver, numbered(), &settings).tally;
    assert_eq!(tally.outcomes.correct, 200, "{:?} {:?}", tally.outcomes, tally.wrong_examples);
    assert_eq!(counts.answers.load(SeqCst), 200);
    assert!((20..=22).contains(&counts.connections.load(SeqCst)));
}

fn a_server_of_http_1_is_recognised(driver: DriverChoice) {
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        }
    });
    let tally = load(address, driver, numbered(), &count(1, 4, 20)).tally;
    assert_eq!((tally.outcomes.correct, tally.outcomes.requests()), (0, 20), "{:?}", tally.outcomes);
    let said = tally.wrong_examples.join("\n");
    assert!(said.contains("does not speak HTTP/2"), "{said}");
}

/// Each test with each driver; a kernel that gives no io_uring says so and leaves those out.
macro_rules! with_both_drivers {
    ($($name:ident),* $(,)?) => {
        mod epoll {
            $(#[test] fn $name() { super::$name(super::DriverChoice::Epoll); })*
        }
        mod io_uring {
            $(#[test] fn $name() {
                if super::DriverChoice::Auto.name(64) == "io_uring" {
                    super::$name(super::DriverChoice::IoUring);
                } else {
                    eprintln!("left out: this kernel gives no io_uring");
                }
            })*
        }
    };
}

with_both_drivers!(
    a_closed_loop_counts_what_the_server_counts,
    a_window_by_the_clock_counts_what_the_server_counts,
    an_open_loop_counts_what_the_server_counts,
    no_more_streams_are_open_than_the_server_takes,
    bodies_larger_than_the_windows_arrive_whole,
    windows_that_change_meanwhile_are_obeyed,
    large_answers_arrive_whole,
    a_server_that_says_good_bye_gets_new_connections,
    what_is_not_answered_in_time_is_cancelled_alone,
    connections_of_a_few_requests_each,
    a_server_of_http_1_is_recognised,
);
