//! Numbered requests through servers that stop reading for a while, so that sockets fill: each request comes once, whole,
//! and in order on its connection, whatever moves the bytes.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::sync::mpsc;
use std::sync::{Arc, atomic::AtomicBool};
use std::thread;
use std::time::Duration;

use proptest::prelude::*;
use rcgen::{CertificateParams, KeyPair};
use rustix::net::sockopt::set_socket_recv_buffer_size;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use velo_load::{
    Arrivals, BodyChecker, BodyExpect, DriverChoice, Endpoint, Expect, Generator, Limits, Mix, Order, Part,
    RequestSpec, Schedule, Shape, Slot, Spacing, Target, Template, Think, TlsOptions, TlsSettings, Toss,
    Trust, WindowReport, WindowSettings,
};

const MS: u64 = 1_000_000;
const HOST: &str = "velo.test";
/// The first stall, and those that follow after every so many requests.
const STALL: Duration = Duration::from_millis(150);
const SHORT_STALL: Duration = Duration::from_millis(10);
const BETWEEN_STALLS: usize = 100;
/// The kernel takes the least that it allows.
const RECEIVE_BUFFER_BYTES: usize = 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Transport {
    Tcp,
    Unix,
    Tls,
}

#[derive(Debug, Clone, Copy)]
enum Pacing {
    Closed,
    Thinking,
    Open,
}

#[derive(Debug, Clone, Copy)]
struct Case {
    transport: Transport,
    pacing: Pacing,
    connections: u32,
    depth: u32,
    requests: u64,
    /// How much longer a request is than it needs to be.
    padding: usize,
}

struct NoChecker;

impl BodyChecker for NoChecker {
    fn check(&self, _: usize, _: &[u64], _: &[u8]) -> Result<Option<Toss>, String> {
        Err("no body is checked by this".to_owned())
    }
}

/// Reads requests with stalls, answers each with its number, and says which numbers came in which order. Panics when
/// something else comes.
fn serve(mut stream: impl Read + Write, padding: usize) -> Vec<u64> {
    let (mut numbers, mut received, mut buffer) = (Vec::new(), Vec::new(), vec![0; 64 * 1024]);
    loop {
        if numbers.is_empty() && received.is_empty() {
            thread::sleep(STALL);
        }
        let Ok(got @ 1..) = stream.read(&mut buffer) else { break };
        received.extend_from_slice(&buffer[..got]);
        let mut at = 0;
        while let Some(end) = received[at..].windows(4).position(|four| four == b"\r\n\r\n") {
            let head = &received[at..at + end + 4];
            at += end + 4;
            let number = number_of(head, padding);
            numbers.push(number);
            let body = number.to_string();
            let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
            stream.write_all(answer.as_bytes()).expect("the client stays");
            stream.flush().expect("the client stays");
            if numbers.len() % BETWEEN_STALLS == 0 {
                thread::sleep(SHORT_STALL);
            }
        }
        received.drain(..at);
    }
    assert!(received.is_empty(), "a request was cut: {}", String::from_utf8_lossy(&received));
    numbers
}

fn number_of(head: &[u8], padding: usize) -> u64 {
    let text = String::from_utf8_lossy(head);
    let number = text
        .strip_prefix("GET /")
        .and_then(|rest| rest.split_once(' '))
        .and_then(|(number, _)| number.parse().ok())
        .unwrap_or_else(|| panic!("not a request: {text:.80}"));
    assert_eq!(
        text,
        format!("GET /{number} HTTP/1.1\r\nHost: velo\r\nX: {}\r\n\r\n", filling(number, padding))
    );
    number
}

/// What fills a request is its own, so that one that was overwritten in the middle is seen.
fn filling(number: u64, padding: usize) -> String {
    number.to_string().repeat(padding / number.to_string().len())
}

/// A server of the case; what its connections saw, each when it ended.
fn server(case: Case, expected: u32) -> (Endpoint, Option<Arc<TlsSettings>>, mpsc::Receiver<Vec<u64>>) {
    let (seen, told) = mpsc::channel();
    let tell = move |seen: mpsc::Sender<Vec<u64>>, stream: Box<dyn ReadWrite + Send>| {
        thread::spawn(move || seen.send(serve(stream, case.padding)));
    };
    if case.transport == Transport::Unix {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("socket");
        let listener = UnixListener::bind(&path).expect("a socket");
        thread::spawn(move || {
            let _folder = folder;
            for stream in listener.incoming().flatten().take(expected as usize) {
                tell(seen.clone(), Box::new(stream));
            }
        });
        return (Endpoint::Unix(path), None, told);
    }
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    // Sockets inherit it.
    set_socket_recv_buffer_size(&listener, RECEIVE_BUFFER_BYTES).expect("a buffer");
    let address = listener.local_addr().expect("an address");
    let tls = (case.transport == Transport::Tls).then(identity);
    let settings = tls.as_ref().map(|(_, pem)| {
        let options = TlsOptions { trust: Trust::Pem(pem.clone()), ..TlsOptions::new(HOST) };
        Arc::new(TlsSettings::new(options).expect("settings"))
    });
    thread::spawn(move || {
        for stream in listener.incoming().flatten().take(expected as usize) {
            stream.set_nodelay(true).expect("a socket");
            match &tls {
                None => tell(seen.clone(), Box::new(stream)),
                Some((config, _)) => {
                    let session = ServerConnection::new(Arc::clone(config)).expect("a session");
                    tell(seen.clone(), Box::new(StreamOwned::new(session, stream)));
                }
            }
        }
    });
    (address.into(), settings, told)
}

trait ReadWrite: Read + Write {}
impl<S: Read + Write> ReadWrite for S {}

fn identity() -> (Arc<ServerConfig>, Vec<u8>) {
    let key = KeyPair::generate().expect("a key");
    let certificate = CertificateParams::new([HOST.to_owned()]).and_then(|params| params.self_signed(&key));
    let certificate = certificate.expect("a certificate");
    let private = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| {
            builder.with_no_client_auth().with_single_cert(vec![certificate.der().clone()], private)
        });
    (Arc::new(config.expect("a configuration")), certificate.pem().into_bytes())
}

fn request(padding: usize) -> RequestSpec {
    // The choices of how long a number is are as many as there are numbers, so the filling is made of the slot itself.
    let mut filling = Vec::new();
    filling.extend((0..padding).map(|_| Part::Slot(0)));
    RequestSpec {
        name: "numbered".into(),
        weight: 1,
        method: "GET".into(),
        path: Template(vec![Part::Bytes(b"/".to_vec()), Part::Slot(0)]),
        headers: vec![("X".into(), Template(filling))],
        body: None,
        slots: vec![Slot::Counter { first: FIRST }],
        expect: Expect {
            status: 200.into(),
            content_type: None,
            headers: vec![],
            body: BodyExpect::Exact(Template(vec![Part::Slot(0)])),
            not_before_ms: None,
        },
    }
}

/// All numbers have five digits.
const FIRST: u64 = 10_000;
const DIGITS: usize = 5;

fn load(case: Case, driver: DriverChoice) -> (WindowReport, Vec<Vec<u64>>) {
    let (endpoint, tls, told) = server(case, case.connections);
    let mix =
        Arc::new(Mix::new(vec![request(case.padding / DIGITS)], Order::Weighted, "velo").expect("a mix"));
    let plans: Vec<(Arc<Mix>, Arc<dyn BodyChecker>)> = vec![(mix, Arc::new(NoChecker))];
    let limits = Limits { head_bytes: 4096, body_bytes: 4096, interim: 8 };
    let target = Target { endpoints: vec![endpoint], tls, sources: vec![], plans, limits, seed: 1 };
    let mut generator = Generator::new(&[0], driver).expect("a generator");
    let id = generator.add(&target).expect("a target");
    let schedule = match case.pacing {
        Pacing::Closed => Schedule::Closed { think: Think::None },
        Pacing::Thinking => Schedule::Closed { think: Think::Constant { ns: MS } },
        Pacing::Open => {
            let shape = Shape::Constant { per_s: 20_000.0 };
            Schedule::Open(Arrivals { shape, spacing: Spacing::Even, seed: 1 })
        }
    };
    let settings = WindowSettings {
        schedule,
        pipelining: case.depth,
        most_requests: Some(case.requests),
        ..WindowSettings::closed_loop(case.connections, 600_000 * MS, 60_000 * MS)
    };
    let report = generator.window(id, &settings, None, &Arc::new(AtomicBool::new(false))).expect("a window");
    drop(generator);
    let seen = (0..case.connections).map(|_| told.recv_timeout(Duration::from_secs(60)));
    (report, seen.collect::<Result<_, _>>().expect("each connection's thread ends, and without a panic"))
}

fn each_request_comes_once(case: Case, driver: DriverChoice) {
    let (report, seen) = load(case, driver);
    for numbers in &seen {
        assert!(numbers.is_sorted(), "{case:?}: not in order");
    }
    let mut all = seen.concat();
    all.sort_unstable();
    assert_eq!(all, (FIRST..FIRST + case.requests).collect::<Vec<_>>(), "{case:?}");
    let tally = &report.tally;
    assert_eq!(tally.outcomes.correct, case.requests, "{case:?}: {:?}", tally.wrong_examples);
    assert_eq!(tally.sent, case.requests);
}

fn with_each_transport(driver: DriverChoice, pacing: Pacing, depth: u32, padding: usize) {
    for transport in [Transport::Tcp, Transport::Unix, Transport::Tls] {
        let requests = u64::from(depth * 2).clamp(300, 2400);
        each_request_comes_once(Case { transport, pacing, connections: 2, depth, requests, padding }, driver);
    }
}

fn one_at_a_time(driver: DriverChoice) {
    with_each_transport(driver, Pacing::Closed, 1, 7000);
    with_each_transport(driver, Pacing::Open, 1, 20_000);
}

fn a_deep_pipeline_of_an_open_loop(driver: DriverChoice) {
    with_each_transport(driver, Pacing::Open, 1000, 7000);
    with_each_transport(driver, Pacing::Open, 600, 50);
}

fn a_deep_pipeline_with_pauses(driver: DriverChoice) {
    with_each_transport(driver, Pacing::Thinking, 1000, 4000);
}

fn a_deep_pipeline_of_a_closed_loop(driver: DriverChoice) {
    with_each_transport(driver, Pacing::Closed, 1000, 7000);
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
    one_at_a_time,
    a_deep_pipeline_of_an_open_loop,
    a_deep_pipeline_with_pauses,
    a_deep_pipeline_of_a_closed_loop,
);

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 4, ..ProptestConfig::default() })]

    #[test]
    fn any_depth_length_and_pace(
        transport in prop::sample::select(vec![Transport::Tcp, Transport::Unix, Transport::Tls]),
        pacing in prop::sample::select(vec![Pacing::Closed, Pacing::Thinking, Pacing::Open]),
        connections in 1u32..5,
        depth in prop_oneof![Just(1u32), 2u32..20, 20u32..1000],
        padding in prop_oneof![10usize..200, 200usize..9000],
        driver in prop::sample::select(vec![DriverChoice::Epoll, DriverChoice::IoUring]),
    ) {
        let requests = u64::from(depth * connections).clamp(100, 1500);
        if driver == DriverChoice::Epoll || DriverChoice::Auto.name(64) == "io_uring" {
            each_request_comes_once(Case { transport, pacing, connections, depth, requests, padding }, driver);
        }
    }
}
