//! A server for both workloads that answers as it should, until it does not.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_setaffinity};
use velo_load::Rng;

use crate::{echo, users, wait};

/// What the server does wrong, once it has answered some requests as it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// Every bet wins.
    AlwaysWins,
    /// Every draw is true.
    AlwaysTrue,
    /// The draw changes once a second.
    OncePerSecond,
    /// One body in a thousand is not the answer.
    WrongBody,
    /// `/user/{id}` always answers the same.
    ConstantId,
    /// Status 200 and half of the body.
    Truncated,
    /// Each answer twice.
    Double,
    /// Chunks without end.
    Endless,
    /// One connection in eight gets no more answers.
    SilentConnections,
    /// One connection in fifty is closed instead of answered.
    RandomClose,
    /// The process ends.
    Dies,
    /// SIGTERM changes nothing.
    IgnoresSigterm,
    /// Another process appears.
    Forks,
    /// One answer in ten has status 500.
    Errors,
    /// The file of users is read once and kept.
    KeepsFile,
    /// The file is read for each request, but what counts is what was read first.
    KeepsUsers,
    /// Every password has the hash of the first one.
    KeepsHash,
    /// What is to wait waits half of it.
    TooEarly,
    /// A connection is served to its end before the next one is accepted, and hardly any may wait for that.
    OneAtATime,
    /// Its threads give themselves all CPUs, and two of them spin while it is asked.
    LeavesCpus,
    /// The draws of each connection are two of one kind, two of the other, and so on.
    TwoAndTwo,
    /// What is to be multiplied by 2, 3 or 4 is always doubled.
    EchoIgnoresE,
    /// Numbers below 0 are taken for those above it.
    EchoDropsSign,
    /// The name of the last request, of whichever connection: right as long as there is one at a time.
    EchoSharesName,
    /// What an unhandled error says stands far behind in a long page.
    EchoLeaks,
}

impl Fault {
    /// All of them by name.
    pub const ALL: [(&'static str, Self); 26] = [
        ("none", Self::None),
        ("always-wins", Self::AlwaysWins),
        ("always-true", Self::AlwaysTrue),
        ("once-per-second", Self::OncePerSecond),
        ("wrong-body", Self::WrongBody),
        ("constant-id", Self::ConstantId),
        ("truncated", Self::Truncated),
        ("double", Self::Double),
        ("endless", Self::Endless),
        ("silent-connections", Self::SilentConnections),
        ("random-close", Self::RandomClose),
        ("dies", Self::Dies),
        ("ignores-sigterm", Self::IgnoresSigterm),
        ("forks", Self::Forks),
        ("errors", Self::Errors),
        ("keeps-file", Self::KeepsFile),
        ("keeps-users", Self::KeepsUsers),
        ("keeps-hash", Self::KeepsHash),
        ("too-early", Self::TooEarly),
        ("one-at-a-time", Self::OneAtATime),
        ("leaves-cpus", Self::LeavesCpus),
        ("two-and-two", Self::TwoAndTwo),
        ("echo-ignores-e", Self::EchoIgnoresE),
        ("echo-drops-sign", Self::EchoDropsSign),
        ("echo-shares-name", Self::EchoSharesName),
        ("echo-leaks", Self::EchoLeaks),
    ];
}

/// A process answers this many requests as it should first: more than the conformance cases ask, so that it
/// passes them and is caught under load or not at all.
const HONEST_REQUESTS: u64 = 300;

/// The same of this fault. A wrong sum is what conformance cases are there for: only the request that shows that it is up is answered
/// rightly.
fn honest_requests(fault: Fault) -> u64 {
    match fault {
        Fault::EchoIgnoresE | Fault::EchoDropsSign => 1,
        Fault::EchoLeaks => 0,
        // A hash takes its time: on a busy machine a launch has no more than some hundred requests.
        Fault::KeepsFile | Fault::KeepsUsers | Fault::KeepsHash => 100,
        _ => HONEST_REQUESTS,
    }
}

/// Serves until the process ends.
///
/// # Errors
/// When it cannot listen.
pub fn serve(address: &str, fault: Fault) -> io::Result<()> {
    let listener = TcpListener::bind(address)?;
    let served = Arc::new(Served::new());
    if fault == Fault::OneAtATime {
        // The standard library lets 128 wait.
        rustix::net::listen(&listener, 1)?;
    }
    for (number, stream) in listener.incoming().enumerate() {
        let (stream, served) = (stream?, Arc::clone(&served));
        if fault == Fault::OneAtATime {
            // A client that goes away is no concern of the server.
            let _ = connection(stream, fault, number as u64, &served);
            continue;
        }
        thread::spawn(move || {
            // A client that goes away is no concern of the server.
            let _ = connection(stream, fault, number as u64, &served);
        });
    }
    Ok(())
}

/// What all connections have in common.
struct Served {
    requests: AtomicU64,
    /// Differs from start to start: a coin that begins anew like the last time is no fair one.
    seed: u64,
}

impl Served {
    fn new() -> Self {
        Self { requests: AtomicU64::new(0), seed: RandomState::new().build_hasher().finish() }
    }
}

fn connection(mut stream: TcpStream, fault: Fault, number: u64, served: &Served) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut random = Rng::new(served.seed.wrapping_add(number));
    let mut received = Vec::new();
    let mut turn = 0;
    let mut buffer = [0; 4096];
    loop {
        while let Some((request, length)) = parse(&received) {
            received.drain(..length);
            let count = served.requests.fetch_add(1, Ordering::Relaxed);
            turn += 1;
            let active = if count < honest_requests(fault) { Fault::None } else { fault };
            let goes_on = answer(&mut stream, &request, active, [number, count, turn], &mut random)?;
            if !goes_on || request.closes {
                return stream.shutdown(Shutdown::Both);
            }
        }
        let got = stream.read(&mut buffer)?;
        if got == 0 {
            return Ok(());
        }
        received.extend_from_slice(&buffer[..got]);
    }
}

/// Lets this thread run wherever the kernel allows. Once, a thread that spins for milliseconds at a time is added.
fn leave_cpus() {
    static SPINNER: std::sync::Once = std::sync::Once::new();
    let widen = || {
        let mut cpus = CpuSet::new();
        (0..CpuSet::MAX_CPU).for_each(|cpu| cpus.set(cpu));
        // Where the kernel keeps it on its CPUs it stays there.
        let _ = sched_setaffinity(None, &cpus);
    };
    widen();
    SPINNER.call_once(|| {
        thread::spawn(move || {
            widen();
            let end = Instant::now() + Duration::from_secs(60);
            while Instant::now() < end {
                std::hint::spin_loop();
            }
        });
    });
}

struct Request {
    line: String,
    body: String,
    /// It says that it is its connection's last.
    closes: bool,
}

fn parse(bytes: &[u8]) -> Option<(Request, usize)> {
    let text = String::from_utf8_lossy(bytes);
    let head = text.find("\r\n\r\n")?;
    let length = text[..head]
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok())
        .unwrap_or(0);
    let body = text.get(head + 4..head + 4 + length)?.to_owned();
    let line = text.lines().next()?.to_owned();
    let closes = text[..head].lines().any(|line| line.eq_ignore_ascii_case("connection: close"));
    Some((Request { line, body, closes }, head + 4 + length))
}

/// False when the connection is to be closed.
fn answer(
    stream: &mut TcpStream,
    request: &Request,
    fault: Fault,
    [number, count, turn]: [u64; 3],
    random: &mut Rng,
) -> io::Result<bool> {
    let (status, kind, mut body) = respond(request, fault, turn, random);
    let mut status = status;
    match fault {
        Fault::WrongBody if count.is_multiple_of(1000) => body = "{\"win\": \"perhaps\"}".to_owned(),
        Fault::Errors if count.is_multiple_of(10) => status = "500 Internal Server Error",
        Fault::SilentConnections if number.is_multiple_of(8) => {
            thread::sleep(Duration::from_secs(3600));
            return Ok(false);
        }
        Fault::RandomClose if random.below(50) == 0 => return Ok(false),
        Fault::LeavesCpus => leave_cpus(),
        Fault::Dies if count > HONEST_REQUESTS + 2000 => std::process::exit(3),
        Fault::Forks if count == HONEST_REQUESTS + 2000 => {
            std::process::Command::new("sleep").arg("600").spawn()?;
        }
        Fault::Endless => {
            stream.write_all(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
            )?;
            loop {
                stream.write_all(b"10\r\n                \r\n")?;
                thread::sleep(Duration::from_millis(1));
            }
        }
        _ => {}
    }
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n", body.len());
    if fault == Fault::Truncated && count.is_multiple_of(20) {
        stream.write_all(format!("{head}{}", &body[..body.len() / 2]).as_bytes())?;
        return Ok(false);
    }
    let times = if fault == Fault::Double { 2 } else { 1 };
    stream.write_all(format!("{head}{body}").repeat(times).as_bytes())?;
    Ok(true)
}

fn respond(
    request: &Request,
    fault: Fault,
    turn: u64,
    random: &mut Rng,
) -> (&'static str, &'static str, String) {
    let text = "text/plain";
    let mut words = request.line.split(' ');
    match (words.next().unwrap_or_default(), words.next().unwrap_or_default()) {
        ("GET", "/") | ("POST", "/user") => ("200 OK", text, String::new()),
        ("GET", path) if path.starts_with("/user/") => {
            let id = if fault == Fault::ConstantId { "1" } else { &path["/user/".len()..] };
            ("200 OK", text, id.to_owned())
        }
        ("POST", "/coin") => {
            let bet = match request.body.split_whitespace().collect::<String>().as_str() {
                "{\"bet\":true}" => true,
                "{\"bet\":false}" => false,
                _ => return ("400 Bad Request", text, String::new()),
            };
            let win = match fault {
                Fault::AlwaysWins => true,
                Fault::AlwaysTrue => bet,
                Fault::TwoAndTwo => bet == (turn % 4 >= 2),
                Fault::OncePerSecond => bet == seconds().is_multiple_of(2),
                _ => bet == (random.below(2) == 1),
            };
            ("200 OK", "application/json", format!("{{\"win\": {win}}}"))
        }
        ("GET", path) if path.starts_with("/wait/") => wait::respond(&path["/wait/".len()..], fault),
        ("GET", path) if path.starts_with("/Perf/Echo?") => {
            echo::respond(&path["/Perf/Echo?".len()..], fault)
        }
        ("GET", path) if path.starts_with("/Perf/") && fault == Fault::EchoLeaks => {
            echo::operation(&path["/Perf/".len()..])
        }
        ("PUT", path) if path.starts_with("/users/") => {
            users::respond(&path["/users/".len()..], &request.body, fault)
        }
        (_, "/" | "/user" | "/coin") => ("405 Method Not Allowed", text, String::new()),
        _ => ("404 Not Found", text, String::new()),
    }
}

fn seconds() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |now| now.as_secs())
}
