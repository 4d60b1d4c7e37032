//! The engine against servers that do one thing each, on the loopback interface. Nothing here depends on how fast the
//! machine is: counts are compared with what the server itself counted.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use velo_load::{
    BodyChecker, BodyExpect, DriverChoice, Expect, Generator, Limits, Mix, Order, RequestSpec, Target,
    TargetId, Template, Toss, WindowReport, WindowSettings,
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

struct Load {
    generator: Generator,
    target: TargetId,
}

impl Load {
    fn on(address: SocketAddr) -> Self {
        let request = RequestSpec {
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
            },
        };
        let mix = Arc::new(Mix::new(vec![request], Order::Weighted, "test").unwrap());
        let limits = Limits { head_bytes: 4096, body_bytes: 4096, interim: 8 };
        let mut generator = Generator::new(&[0], DriverChoice::Auto).unwrap();
        let plans: Vec<(Arc<Mix>, Arc<dyn BodyChecker>)> = vec![(mix, Arc::new(IsHello))];
        let target = generator
            .add(&Target {
                endpoints: vec![address.into()],
                tls: None,
                sources: vec![],
                plans,
                limits,
                seed: 1,
            })
            .unwrap();
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
    report.tally.outcomes.correct + report.tally.correct_outside
}

const HELLO: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

#[test]
fn every_answer_is_counted_once() {
    let (address, served) = serve(|stream, _| stream.write_all(HELLO).map(|()| true));
    let report = Load::on(address).window(8, 100, 2000, 2000);
    assert_eq!(answered(&report), served.load(Ordering::SeqCst));
    assert_eq!(
        report.tally.completions.iter().map(|&n| u64::from(n)).sum::<u64>(),
        report.tally.outcomes.correct
    );
    assert_eq!((report.tally.established, report.tally.reconnects, report.tally.carried), (8, 0, 0));
}

#[test]
fn an_answer_cut_short_together_with_the_end_of_the_connection_is_truncated() {
    let (address, served) = serve(|stream, n| {
        if n % 10 == 3 {
            stream.write_all(&HELLO[..HELLO.len() - 2])?;
            return Ok(false);
        }
        stream.write_all(HELLO).map(|()| true)
    });
    let report = Load::on(address).window(8, 100, 2000, 2000);
    let outcomes = report.tally.outcomes;
    assert!(outcomes.truncated > 0 && outcomes.timeout == 0, "{outcomes:?}");
    assert_eq!(answered(&report) + outcomes.truncated, served.load(Ordering::SeqCst));
}

#[test]
fn byte_by_byte_with_hints_before_and_chunks_after() {
    let (address, _) = serve(|stream, _| {
        let text = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n\
            HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=\"y\"\r\nhe\r\n3\r\nllo\r\n0\r\nT: u\r\n\r\n";
        for byte in text {
            stream.write_all(&[*byte])?;
        }
        Ok(true)
    });
    let report = Load::on(address).window(4, 100, 2000, 2000);
    assert!(answered(&report) > 0);
    assert_eq!(report.tally.outcomes.wrong_answer, 0, "{:?}", report.tally.wrong_examples);
}

#[test]
fn http_1_0_and_connection_close_are_answers_and_reconnects() {
    let (address, served) = serve(|stream, n| {
        let text: &[u8] = if n.is_multiple_of(2) {
            b"HTTP/1.0 200 OK\r\n\r\nhello"
        } else {
            b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello"
        };
        stream.write_all(text).map(|()| false)
    });
    let report = Load::on(address).window(4, 100, 2000, 2000);
    assert_eq!(answered(&report), served.load(Ordering::SeqCst));
    assert!(report.tally.reconnects > 0);
    assert_eq!(report.tally.outcomes.closed_by_server, 0);
}

#[test]
fn garbage_endless_heads_and_endless_bodies_are_wrong_answers() {
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
        let report = Load::on(serve(answer).0).window(2, 50, 2000, 2000);
        let outcomes = report.tally.outcomes;
        assert!(outcomes.wrong_answer > 0 && outcomes.correct == 0, "{outcomes:?}");
        assert!(!report.tally.wrong_examples.is_empty());
    }
}

#[test]
fn a_second_answer_is_a_wrong_one() {
    let (address, _) = serve(|stream, _| stream.write_all(&HELLO.repeat(2)).map(|()| true));
    let report = Load::on(address).window(2, 50, 2000, 2000);
    assert!(report.tally.outcomes.wrong_answer > 0);
}

#[test]
fn a_silent_server_costs_one_timeout_a_connection() {
    let (address, _) = serve(|_, _| Ok(true));
    let report = Load::on(address).window(5, 50, 2000, 200);
    assert_eq!(report.tally.outcomes.timeout, 5);
    assert_eq!(answered(&report), 0);
}

#[test]
fn a_closed_port_is_refused_without_spinning() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let report = Load::on(address).window(4, 300, 100, 2000);
    let errors = report.tally.outcomes.connect_error;
    // Pauses double from 1 ms to 50 ms: at most about a dozen tries a connection in 300 ms.
    assert!((4..=4 * 14).contains(&errors), "{errors}");
    assert_eq!(answered(&report), 0);
}

#[test]
fn what_is_in_flight_at_the_end_is_taken_over_by_the_next_window() {
    let (address, served) = serve(|stream, _| {
        thread::sleep(Duration::from_millis(120));
        stream.write_all(HELLO).map(|()| true)
    });
    let mut load = Load::on(address);
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

#[test]
fn a_window_ends_soon_after_it_is_told_to() {
    let (address, _) = serve(|stream, _| stream.write_all(HELLO).map(|()| true));
    let mut load = Load::on(address);
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
