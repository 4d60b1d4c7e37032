//! The engine against servers that do one thing each, on the loopback interface. Nothing here depends on how fast the
//! machine is: counts are compared with what the server itself counted.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use velo_load::{
    Arrivals, BodyChecker, BodyExpect, DriverChoice, Endpoint, Expect, Generator, Limits, Live, Mix, Order,
    RequestSpec, Schedule, Shape, Spacing, Target, TargetId, Template, Toss, WindowReport, WindowSettings,
};

const MS: u64 = 1_000_000;

/// Answers requests of one connection; `false` closes it.
type Answer = fn(&mut TcpStream, u64) -> std::io::Result<bool>;

/// A server that hands each request, counted over all connections, to `answer`.
fn serve(answer: Answer) -> (SocketAddr, Arc<AtomicU64>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let served = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&served);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let counter = Arc::clone(&counter);
            // A client that goes away ends its connection's thread.
            thread::spawn(move || connection(stream, answer, &counter));
        }
    });
    (address, served)
}

fn connection(mut stream: TcpStream, answer: Answer, counter: &AtomicU64) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut received = Vec::new();
    let mut buffer = [0; 1024];
    loop {
        while let Some(at) = received.windows(4).position(|four| four == b"\r\n\r\n") {
            received.drain(..at + 4);
            if !answer(&mut stream, counter.fetch_add(1, Ordering::SeqCst))? {
                return stream.shutdown(std::net::Shutdown::Both);
            }
        }
        let got = stream.read(&mut buffer)?;
        if got == 0 {
            return Ok(());
        }
        received.extend_from_slice(&buffer[..got]);
    }
}

struct IsHello;

impl BodyChecker for IsHello {
    fn check(&self, _request: usize, _values: &[u64], body: &[u8]) -> Result<Option<Toss>, String> {
        if body == b"hello" { Ok(None) } else { Err("not hello".to_owned()) }
    }
}

fn hello() -> RequestSpec {
    RequestSpec {
        name: "hello".into(),
        weight: 1,
        method: "GET".into(),
        path: Template(vec![velo_load::Part::Bytes(b"/".to_vec())]),
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

struct Load {
    generator: Generator,
    target: TargetId,
}

impl Load {
    fn on(address: SocketAddr, driver: DriverChoice) -> Self {
        Self::at(vec![address.into()], driver)
    }

    fn at(endpoints: Vec<Endpoint>, driver: DriverChoice) -> Self {
        Self::with(endpoints, driver, hello())
    }

    fn with(endpoints: Vec<Endpoint>, driver: DriverChoice, request: RequestSpec) -> Self {
        let mix = Arc::new(Mix::new(vec![request], Order::Weighted, "test").unwrap());
        let limits = Limits { head_bytes: 4096, body_bytes: 4096, interim: 8 };
        let mut generator = Generator::new(&[0], driver).unwrap();
        let plans: Vec<(Arc<Mix>, Arc<dyn BodyChecker>)> = vec![(mix, Arc::new(IsHello))];
        let target =
            generator.add(&Target { endpoints, tls: None, sources: vec![], plans, limits, seed: 1 }).unwrap();
        Self { generator, target }
    }

    fn window(&mut self, connections: u32, duration_ms: u64, drain_ms: u64, timeout_ms: u64) -> WindowReport {
        let settings = WindowSettings {
            drain_limit_ns: drain_ms * MS,
            ..WindowSettings::closed_loop(connections, duration_ms * MS, timeout_ms * MS)
        };
        let report = self.generator.window(self.target, &settings, None, &Arc::default()).unwrap();
        let tally = &report.tally;
        assert_eq!(tally.in_flight_request_ns, tally.clipped_service_ns, "Little's law, exactly");
        report
    }
}

fn answered(report: &WindowReport) -> u64 {
    report.tally.all().correct
}

const HELLO: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

fn every_answer_is_counted_once(driver: DriverChoice) {
    let (address, served) = serve(|stream, _| stream.write_all(HELLO).map(|()| true));
    let report = Load::on(address, driver).window(8, 100, 2000, 2000);
    assert_eq!(answered(&report), served.load(Ordering::SeqCst));
    assert_eq!(
        report.tally.completions.iter().map(|&n| u64::from(n)).sum::<u64>(),
        report.tally.outcomes.correct
    );
    assert_eq!((report.tally.established, report.tally.reconnects, report.tally.carried), (8, 0, 0));
}

fn an_answer_cut_short_together_with_the_end_of_the_connection_is_truncated(driver: DriverChoice) {
    let (address, served) = serve(|stream, n| {
        if n % 10 == 3 {
            stream.write_all(&HELLO[..HELLO.len() - 2])?;
            return Ok(false);
        }
        stream.write_all(HELLO).map(|()| true)
    });
    let report = Load::on(address, driver).window(8, 100, 2000, 2000);
    let outcomes = report.tally.all();
    assert!(outcomes.truncated > 0 && outcomes.timeout == 0, "{outcomes:?}");
    assert_eq!(answered(&report) + outcomes.truncated, served.load(Ordering::SeqCst));
}

fn byte_by_byte_with_hints_before_and_chunks_after(driver: DriverChoice) {
    let (address, _) = serve(|stream, _| {
        let text = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n\
            HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=\"y\"\r\nhe\r\n3\r\nllo\r\n0\r\nT: u\r\n\r\n";
        for byte in text {
            stream.write_all(&[*byte])?;
        }
        Ok(true)
    });
    let report = Load::on(address, driver).window(4, 100, 2000, 2000);
    assert!(answered(&report) > 0);
    assert_eq!(report.tally.outcomes.wrong_answer, 0, "{:?}", report.tally.wrong_examples);
}

fn http_1_0_and_connection_close_are_answers_and_reconnects(driver: DriverChoice) {
    let (address, served) = serve(|stream, n| {
        let text: &[u8] = if n.is_multiple_of(2) {
            b"HTTP/1.0 200 OK\r\n\r\nhello"
        } else {
            b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello"
        };
        stream.write_all(text).map(|()| false)
    });
    let mut load = Load::on(address, driver);
    let settings =
        WindowSettings { most_requests: Some(40), ..WindowSettings::closed_loop(4, u64::MAX, 20_000 * MS) };
    let report = load.generator.window(load.target, &settings, None, &Arc::default()).unwrap();
    assert_eq!(answered(&report), served.load(Ordering::SeqCst));
    assert!(report.tally.reconnects > 0);
    assert_eq!(report.tally.outcomes.closed_by_server, 0);
}

fn garbage_endless_heads_and_endless_bodies_are_wrong_answers(driver: DriverChoice) {
    let servers: [Answer; 3] = [
        |stream, _| stream.write_all(b"SSH-2.0-OpenSSH_9.2\r\n").map(|()| true),
        |stream, _| loop {
            stream.write_all(&[b"HTTP/1.1 200 OK\r\nX: ".as_slice(), &[b'a'; 3000]].concat())?;
        },
        |stream, _| {
            stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")?;
            loop {
                stream.write_all(b"5\r\nhello\r\n")?;
            }
        },
    ];
    for answer in servers {
        let report = Load::on(serve(answer).0, driver).window(2, 50, 2000, 2000);
        let outcomes = report.tally.outcomes;
        assert!(outcomes.wrong_answer > 0 && outcomes.correct == 0, "{outcomes:?}");
        assert!(!report.tally.wrong_examples.is_empty());
    }
}

fn a_second_answer_is_a_wrong_one(driver: DriverChoice) {
    let (address, _) = serve(|stream, _| stream.write_all(&HELLO.repeat(2)).map(|()| true));
    let report = Load::on(address, driver).window(2, 50, 2000, 2000);
    assert!(report.tally.outcomes.wrong_answer > 0);
}

fn a_silent_server_costs_one_timeout_a_connection(driver: DriverChoice) {
    let (address, _) = serve(|_, _| Ok(true));
    let report = Load::on(address, driver).window(5, 50, 2000, 200);
    assert_eq!(report.tally.all().timeout, 5);
    assert_eq!(answered(&report), 0);
}

fn a_closed_port_is_refused_without_spinning(driver: DriverChoice) {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let report = Load::on(address, driver).window(4, 300, 100, 2000);
    let errors = report.tally.outcomes.connect_error;
    // Pauses double from 1 ms to 50 ms: at most about a dozen tries a connection in 300 ms.
    assert!((4..=4 * 14).contains(&errors), "{errors}");
    assert_eq!(answered(&report), 0);
}

fn what_is_in_flight_at_the_end_is_taken_over_by_the_next_window(driver: DriverChoice) {
    let (address, served) = serve(|stream, _| {
        thread::sleep(Duration::from_millis(120));
        stream.write_all(HELLO).map(|()| true)
    });
    let mut load = Load::on(address, driver);
    let first = load.window(6, 40, 5, 5000);
    assert_eq!((first.tally.carried, answered(&first)), (6, 0));
    let mut answers = 0;
    for _ in 0..6 {
        let report = load.window(6, 40, 5, 5000);
        answers += answered(&report);
        assert!(report.tally.service_time.is_empty(), "a request taken over has no service time");
        assert_eq!(report.tally.outcomes.closed_by_server, 0);
    }
    let last = load.window(6, 10, 5000, 5000);
    assert_eq!(last.tally.carried, 0);
    assert_eq!(answers + answered(&last), served.load(Ordering::SeqCst));
}

fn a_window_ends_soon_after_it_is_told_to(driver: DriverChoice) {
    let (address, _) = serve(|stream, _| stream.write_all(HELLO).map(|()| true));
    let mut load = Load::on(address, driver);
    let stop = Arc::new(AtomicBool::new(false));
    let (told, began) = (Arc::clone(&stop), Instant::now());
    let teller = thread::spawn(move || {
        thread::sleep(Duration::from_millis(100));
        told.store(true, Ordering::SeqCst);
    });
    let settings = WindowSettings::closed_loop(2, 60_000 * MS, 1000 * MS);
    let result = load.generator.window(load.target, &settings, None, &stop);
    teller.join().unwrap();
    assert!(result.unwrap().interrupted);
    assert!(began.elapsed() < Duration::from_secs(30));
}

fn a_fixed_count_is_sent_and_answered_exactly(driver: DriverChoice) {
    let (address, served) = serve(|stream, number| {
        stream.write_all(if number % 10 == 3 {
            b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhullo"
        } else {
            HELLO
        })?;
        Ok(true)
    });
    let mut load = Load::on(address, driver);
    let settings =
        WindowSettings { most_requests: Some(3000), ..WindowSettings::closed_loop(7, u64::MAX, 2000 * MS) };
    let report = load.generator.window(load.target, &settings, None, &Arc::default()).unwrap();
    let tally = &report.tally;
    assert_eq!((tally.outcomes.correct, tally.outcomes.wrong_answer), (2700, 300));
    assert_eq!((tally.sent, served.load(Ordering::SeqCst)), (3000, 3000));
    assert_eq!(tally.statuses, [(200, 3000)].into());
}

fn pipelines_and_short_lived_connections_count_exactly(driver: DriverChoice) {
    for (pipelining, requests_per_connection) in [(16, None), (1, Some(1)), (1, Some(7)), (8, Some(20))] {
        let (address, served) = serve(|stream, _| stream.write_all(HELLO).map(|()| true));
        let mut load = Load::on(address, driver);
        let settings = WindowSettings {
            most_requests: Some(2000),
            pipelining,
            requests_per_connection,
            ..WindowSettings::closed_loop(5, u64::MAX, 2000 * MS)
        };
        let report = load.generator.window(load.target, &settings, None, &Arc::default()).unwrap();
        assert_eq!((report.tally.outcomes.correct, report.tally.sent), (2000, 2000));
        assert_eq!(served.load(Ordering::SeqCst), 2000);
        if let Some(each) = requests_per_connection {
            let opened = report.tally.connect_time.count();
            assert!(opened >= 2000 / u64::from(each), "{opened} connections of {each} requests");
        }
    }
}

fn an_open_loop_offers_what_its_schedule_says(driver: DriverChoice) {
    let (address, served) = serve(|stream, _| stream.write_all(HELLO).map(|()| true));
    let mut load = Load::on(address, driver);
    let shape = Shape::Constant { per_s: 2000.0 };
    let settings = WindowSettings {
        schedule: Schedule::Open(Arrivals { shape, spacing: Spacing::Even, seed: 1 }),
        ..WindowSettings::closed_loop(8, 250 * MS, 2000 * MS)
    };
    let report = load.generator.window(load.target, &settings, None, &Arc::default()).unwrap();
    let tally = &report.tally;
    assert_eq!((tally.offered, tally.outcomes.correct + tally.outcomes.dropped), (500, 500));
    assert_eq!(tally.sent, served.load(Ordering::SeqCst));
    assert_eq!((tally.response_time.count(), tally.send_lag.count()), (tally.sent, tally.sent));
}

fn closed_and_open_windows_take_turns_on_the_same_connections(driver: DriverChoice) {
    let (address, served) = serve(|stream, _| stream.write_all(HELLO).map(|()| true));
    let mut load = Load::on(address, driver);
    let mut sent = 0;
    for turn in 0..6 {
        let report = if turn % 2 == 0 {
            load.window(8, 50, 2000, 2000)
        } else {
            let shape = Shape::Constant { per_s: 5000.0 };
            let settings = WindowSettings {
                schedule: Schedule::Open(Arrivals { shape, spacing: Spacing::Poisson, seed: 1 }),
                drain_limit_ns: 2000 * MS,
                ..WindowSettings::closed_loop(8, 100 * MS, 2000 * MS)
            };
            load.generator.window(load.target, &settings, None, &Arc::default()).unwrap()
        };
        let tally = &report.tally;
        assert_eq!(answered(&report), tally.sent, "turn {turn}");
        assert_eq!(
            (tally.in_flight_request_ns, tally.reconnects),
            (tally.clipped_service_ns, 0),
            "turn {turn}"
        );
        assert!(tally.response_time.max_ns() >= tally.service_time.max_ns(), "turn {turn}");
        sent += tally.sent;
    }
    assert_eq!(sent, served.load(Ordering::SeqCst));
}

fn a_large_request_reaches_a_slow_reader_whole(driver: DriverChoice) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    const BODY: usize = 3 << 20;
    let reader = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        for _ in 0..3 {
            let (mut seen, mut left) = (Vec::new(), usize::MAX);
            let mut buffer = vec![0; 64 * 1024];
            while seen.len() < left {
                thread::sleep(Duration::from_millis(1));
                let got = stream.read(&mut buffer).unwrap();
                assert!(got > 0, "the request is whole before the connection ends");
                seen.extend_from_slice(&buffer[..got]);
                if let Some(head) = seen.windows(4).position(|four| four == b"\r\n\r\n") {
                    left = head + 4 + BODY;
                }
            }
            assert!(seen.ends_with(&[b'x'; BODY]));
            stream.write_all(HELLO).unwrap();
        }
    });
    let request = RequestSpec {
        method: "POST".into(),
        body: Some(Template(vec![velo_load::Part::Bytes(vec![b'x'; BODY])])),
        ..hello()
    };
    let mut load = Load::with(vec![address.into()], driver, request);
    let settings =
        WindowSettings { most_requests: Some(3), ..WindowSettings::closed_loop(1, u64::MAX, 20_000 * MS) };
    let report = load.generator.window(load.target, &settings, None, &Arc::default()).unwrap();
    reader.join().unwrap();
    assert_eq!(report.tally.outcomes.correct, 3);
    assert!(report.tally.sent_bytes > 3 * BODY as u64);
}

fn a_unix_socket_and_ipv6_are_addresses_like_others(driver: DriverChoice) {
    let dir = std::env::temp_dir().join(format!("velo-load-{}-{driver:?}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let path = dir.join("socket");
    let unix = std::os::unix::net::UnixListener::bind(&path).unwrap();
    thread::spawn(move || {
        for mut stream in unix.incoming().flatten() {
            thread::spawn(move || {
                let mut buffer = [0; 1024];
                while stream.read(&mut buffer).is_ok_and(|got| got > 0) && stream.write_all(HELLO).is_ok() {}
            });
        }
    });
    let settings =
        WindowSettings { most_requests: Some(500), ..WindowSettings::closed_loop(4, u64::MAX, 2000 * MS) };
    let mut endpoints = vec![vec![Endpoint::Unix(path)]];
    if let Ok(listener) = TcpListener::bind("[::1]:0") {
        endpoints.push(vec![listener.local_addr().unwrap().into()]);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                thread::spawn(move || {
                    connection(stream, |stream, _| stream.write_all(HELLO).map(|()| true), &AtomicU64::new(0))
                });
            }
        });
    }
    for endpoints in endpoints {
        let mut load = Load::at(endpoints, driver);
        let report = load.generator.window(load.target, &settings, None, &Arc::default()).unwrap();
        assert_eq!((report.tally.outcomes.correct, report.tally.established), (500, 4));
    }
    std::fs::remove_dir_all(&dir).unwrap();
}

fn all_addresses_are_used_in_turn(driver: DriverChoice) {
    let (first, at_first) = serve(|stream, _| stream.write_all(HELLO).map(|()| true));
    let (second, at_second) = serve(|stream, _| stream.write_all(HELLO).map(|()| true));
    let mut load = Load::at(vec![first.into(), second.into()], driver);
    let report = load.window(6, 50, 2000, 2000);
    let (first, second) = (at_first.load(Ordering::SeqCst), at_second.load(Ordering::SeqCst));
    assert!(first > 0 && second > 0);
    assert_eq!(answered(&report), first + second);
}

fn those_who_look_on_see_counts_that_grow(driver: DriverChoice) {
    let (address, _) = serve(|stream, _| stream.write_all(HELLO).map(|()| true));
    let mut load = Load::on(address, driver);
    let live = Arc::new(Live::default());
    let settings = WindowSettings {
        live: Some(Arc::clone(&live)),
        ..WindowSettings::closed_loop(4, 600 * MS, 2000 * MS)
    };
    let looker = thread::spawn(move || {
        let mut seen = Vec::new();
        for _ in 0..4 {
            live.ask();
            thread::sleep(Duration::from_millis(100));
            let tally = live.tally();
            assert_eq!(tally.service_time.count(), tally.outcomes.correct);
            seen.push(tally.outcomes.correct);
        }
        seen
    });
    let report = load.generator.window(load.target, &settings, None, &Arc::default()).unwrap();
    let seen = looker.join().unwrap();
    assert!(seen.is_sorted() && seen[3] > 0 && seen[3] <= report.tally.outcomes.correct, "{seen:?}");
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
    every_answer_is_counted_once,
    an_answer_cut_short_together_with_the_end_of_the_connection_is_truncated,
    byte_by_byte_with_hints_before_and_chunks_after,
    http_1_0_and_connection_close_are_answers_and_reconnects,
    garbage_endless_heads_and_endless_bodies_are_wrong_answers,
    a_second_answer_is_a_wrong_one,
    a_silent_server_costs_one_timeout_a_connection,
    a_closed_port_is_refused_without_spinning,
    what_is_in_flight_at_the_end_is_taken_over_by_the_next_window,
    a_window_ends_soon_after_it_is_told_to,
    a_fixed_count_is_sent_and_answered_exactly,
    pipelines_and_short_lived_connections_count_exactly,
    an_open_loop_offers_what_its_schedule_says,
    closed_and_open_windows_take_turns_on_the_same_connections,
    a_large_request_reaches_a_slow_reader_whole,
    a_unix_socket_and_ipv6_are_addresses_like_others,
    all_addresses_are_used_in_turn,
    those_who_look_on_see_counts_that_grow,
);
