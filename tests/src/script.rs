//! A server for both workloads that answers as it should, until it does not.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use velo_load::Rng;

use crate::{users, wait};

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
}

impl Fault {
    /// All of them by name.
    pub const ALL: [(&'static str, Self); 19] = [
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
    ];
}

/// A process answers this many requests as it should first: more than the conformance cases ask, so that it
/// passes them and is caught under load or not at all.
const HONEST_REQUESTS: u64 = 300;

/// Serves until the process ends.
///
/// # Errors
/// When it cannot listen.
pub fn serve(address: &str, fault: Fault) -> io::Result<()> {
    let listener = TcpListener::bind(address)?;
    let served = Arc::new(AtomicU64::new(0));
    for (number, stream) in listener.incoming().enumerate() {
        let (stream, served) = (stream?, Arc::clone(&served));
        thread::spawn(move || {
            // A client that goes away is no concern of the server.
            let _ = connection(stream, fault, number as u64, &served);
        });
    }
    Ok(())
}

fn connection(mut stream: TcpStream, fault: Fault, number: u64, served: &AtomicU64) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut random = Rng::new(number);
    let mut received = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        while let Some((request, length)) = parse(&received) {
            received.drain(..length);
            let count = served.fetch_add(1, Ordering::Relaxed);
            let active = if count < HONEST_REQUESTS { Fault::None } else { fault };
            if !answer(&mut stream, &request, active, number, count, &mut random)? {
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

struct Request {
    line: String,
    body: String,
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
    Some((Request { line, body }, head + 4 + length))
}

/// False when the connection is to be closed.
fn answer(
    stream: &mut TcpStream,
    request: &Request,
    fault: Fault,
    number: u64,
    count: u64,
    random: &mut Rng,
) -> io::Result<bool> {
    let (status, kind, mut body) = respond(request, fault, random);
    let mut status = status;
    match fault {
        Fault::WrongBody if count.is_multiple_of(1000) => body = "{\"win\": \"perhaps\"}".to_owned(),
        Fault::Errors if count.is_multiple_of(10) => status = "500 Internal Server Error",
        Fault::SilentConnections if number.is_multiple_of(8) => {
            thread::sleep(Duration::from_secs(3600));
            return Ok(false);
        }
        Fault::RandomClose if random.below(50) == 0 => return Ok(false),
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

fn respond(request: &Request, fault: Fault, random: &mut Rng) -> (&'static str, &'static str, String) {
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
                Fault::OncePerSecond => bet == seconds().is_multiple_of(2),
                _ => bet == (random.below(2) == 1),
            };
            ("200 OK", "application/json", format!("{{\"win\": {win}}}"))
        }
        ("GET", path) if path.starts_with("/wait/") => wait::respond(&path["/wait/".len()..], fault),
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
