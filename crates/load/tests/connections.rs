//! Connections from window to window: a used target is given more of them, and those of a target that is removed end at
//! once, as the server sees it. The tests take turns, because they look at what the whole process has open.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use velo_load::{
    Arrivals, BodyChecker, BodyExpect, DriverChoice, Expect, Generator, Limits, Mix, Order, Part,
    RequestSpec, Schedule, Shape, Spacing, Target, TargetId, Template, Toss, WindowReport, WindowSettings,
};

const MS: u64 = 1_000_000;
const HELLO: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
/// What is to happen at once has this long before it counts as not happening.
const SOON: Duration = Duration::from_secs(20);

static TURN: Mutex<()> = Mutex::new(());

struct NoChecker;

impl BodyChecker for NoChecker {
    fn check(&self, _: usize, _: &[u64], _: &[u8]) -> Result<Option<Toss>, String> {
        Err("no body is checked by this".to_owned())
    }
}

/// A server that answers everything, and tells of each connection that it saw the end of.
struct Server {
    address: SocketAddr,
    served: Arc<AtomicU64>,
    ended: mpsc::Receiver<()>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        // Many connect at once.
        rustix::net::listen(&listener, 4096).expect("a longer queue");
        let address = listener.local_addr().expect("an address");
        let served = Arc::new(AtomicU64::new(0));
        let (tell, ended) = mpsc::channel();
        let count = Arc::clone(&served);
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let (tell, count) = (tell.clone(), Arc::clone(&count));
                thread::Builder::new()
                    .stack_size(64 * 1024)
                    .spawn(move || {
                        answer(&mut stream, &count);
                        drop(stream);
                        // A test that is over does not ask.
                        let _ = tell.send(());
                    })
                    .expect("a thread");
            }
        });
        Self { address, served, ended }
    }

    fn has_seen_the_end_of(&self, connections: u32) {
        for number in 0..connections {
            let seen = self.ended.recv_timeout(SOON);
            assert!(seen.is_ok(), "{number} of {connections} connections have ended");
        }
        assert!(self.ended.try_recv().is_err(), "more connections have ended than there were");
    }
}

fn answer(stream: &mut TcpStream, served: &AtomicU64) {
    let mut buffer = [0; 1024];
    // A request comes in one piece, because only one is under way.
    while let Ok(1..) = stream.read(&mut buffer) {
        served.fetch_add(1, Ordering::SeqCst);
        if stream.write_all(HELLO).is_err() {
            return;
        }
    }
}

fn add(generator: &mut Generator, address: SocketAddr) -> TargetId {
    let request = RequestSpec {
        name: "hello".into(),
        weight: 1,
        method: "GET".into(),
        path: Template(vec![Part::Bytes(b"/".to_vec())]),
        headers: vec![],
        body: None,
        slots: vec![],
        expect: Expect {
            status: 200.into(),
            content_type: None,
            headers: vec![],
            body: BodyExpect::Exact(Template(vec![Part::Bytes(b"hello".to_vec())])),
            not_before_ms: None,
        },
    };
    let mix = Arc::new(Mix::new(vec![request], Order::Weighted, "velo").expect("a mix"));
    let plans: Vec<(Arc<Mix>, Arc<dyn BodyChecker>)> = vec![(mix, Arc::new(NoChecker))];
    let limits = Limits { head_bytes: 4096, body_bytes: 4096, interim: 8 };
    let endpoints = vec![address.into()];
    generator
        .add(&Target { endpoints, tls: None, sources: vec![], plans, limits, seed: 1 })
        .expect("a target")
}

fn window(generator: &mut Generator, id: TargetId, settings: &WindowSettings) -> WindowReport {
    generator.window(id, settings, None, &Arc::default()).expect("a window")
}

fn so_many_requests(requests: u64, connections: u32) -> WindowSettings {
    WindowSettings {
        most_requests: Some(requests),
        ..WindowSettings::closed_loop(connections, 600_000 * MS, 60_000 * MS)
    }
}

/// What this process has open, by what it is.
fn open_files(of: &str) -> usize {
    let names = std::fs::read_dir("/proc/self/fd").expect("proc");
    let is_such = |path: std::path::PathBuf| {
        std::fs::read_link(path).is_ok_and(|link| link.to_string_lossy().contains(of))
    };
    names.flatten().filter(|entry| is_such(entry.path())).count()
}

fn removing_a_target_ends_its_connections_at_once(driver: DriverChoice) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let server = Server::start();
    let mut generator = Generator::new(&[0], driver).expect("a generator");
    let (sockets, rings) = (open_files("socket:"), open_files("[io_uring]"));
    for _ in 0..40 {
        let id = add(&mut generator, server.address);
        let report = window(&mut generator, id, &so_many_requests(20, 5));
        assert_eq!((report.tally.outcomes.correct, report.tally.established), (20, 5));
        generator.remove(id);
        server.has_seen_the_end_of(5);
        assert_eq!((open_files("socket:"), open_files("[io_uring]")), (sockets, rings));
    }
    // Those of targets that are still there end with the generator.
    for _ in 0..3 {
        let id = add(&mut generator, server.address);
        window(&mut generator, id, &so_many_requests(20, 5));
    }
    drop(generator);
    server.has_seen_the_end_of(15);
    assert_eq!((open_files("socket:"), open_files("[io_uring]")), (sockets, rings));
}

fn a_used_target_is_given_more_connections(driver: DriverChoice) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let limit = getrlimit(Resource::Nofile);
    // Both ends are in this process.
    let wanted = limit.maximum.map_or(8192, |most| most.min(8192));
    if limit.current.is_some_and(|current| current < wanted) {
        setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), ..limit }).expect("within the limit");
    }
    let server = Server::start();
    let sockets = open_files("socket:");
    let mut generator = Generator::new(&[0], driver).expect("a generator");
    let id = add(&mut generator, server.address);
    let mut sent = 0;
    let steps = [64, 200, 700, 1400].into_iter().filter(|&connections| u64::from(connections) * 3 < wanted);
    for (turn, connections) in steps.enumerate() {
        let mut settings = so_many_requests(u64::from(connections) * 4, connections);
        if turn % 2 == 1 {
            // The kernel notes when answers come, which is another kind of reception.
            let shape = Shape::Constant { per_s: 20_000.0 };
            settings.schedule = Schedule::Open(Arrivals { shape, spacing: Spacing::Even, seed: 1 });
        }
        let report = window(&mut generator, id, &settings);
        assert_eq!(report.tally.outcomes.correct, u64::from(connections) * 4, "{:?}", report.tally.outcomes);
        sent += report.tally.sent;
    }
    assert_eq!(server.served.load(Ordering::SeqCst), sent);
    drop(generator);
    let began = Instant::now();
    while open_files("socket:") > sockets {
        assert!(began.elapsed() < SOON, "{} sockets are left", open_files("socket:") - sockets);
        thread::sleep(Duration::from_millis(5));
    }
}

/// What one window keeps open the next one may not keep any longer.
fn connections_that_were_kept_are_closed_where_each_request_has_its_own(driver: DriverChoice) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let server = Server::start();
    let mut generator = Generator::new(&[0], driver).expect("a generator");
    let id = add(&mut generator, server.address);
    for _ in 0..3 {
        let kept = window(&mut generator, id, &so_many_requests(20, 5));
        assert_eq!((kept.tally.outcomes.correct, kept.tally.established), (20, 5));
        let alone = WindowSettings { requests_per_connection: Some(1), ..so_many_requests(20, 5) };
        let alone = window(&mut generator, id, &alone);
        assert_eq!((alone.tally.outcomes.correct, alone.tally.established), (20, 0));
        assert_eq!(alone.tally.connect_time.count(), 20, "each request has its own");
        // The five that were kept, and twenty.
        server.has_seen_the_end_of(25);
    }
    drop(generator);
}

/// Asking opens a ring for a moment, which is for no other test to see.
fn kernel_gives_io_uring() -> bool {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    DriverChoice::Auto.name(64) == "io_uring"
}

/// Each test with each driver; a kernel that gives no io_uring says so and leaves those out.
macro_rules! with_both_drivers {
    ($($name:ident),* $(,)?) => {
        mod epoll {
            $(#[test] fn $name() { super::$name(super::DriverChoice::Epoll); })*
        }
        mod io_uring {
            $(#[test] fn $name() {
                if super::kernel_gives_io_uring() {
                    super::$name(super::DriverChoice::IoUring);
                } else {
                    eprintln!("left out: this kernel gives no io_uring");
                }
            })*
        }
    };
}

with_both_drivers!(
    removing_a_target_ends_its_connections_at_once,
    a_used_target_is_given_more_connections,
    connections_that_were_kept_are_closed_where_each_request_has_its_own,
);
