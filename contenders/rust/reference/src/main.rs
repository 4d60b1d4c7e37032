//! The lab's reference server: the least work that a correct HTTP/1.1 server can do for a request. One event
//! loop for each CPU, one read and one write for all the requests that a read brought.
#![forbid(unsafe_code)]

mod bet;
mod http;
mod json;
mod users;
#[cfg(feature = "wrong-answers")]
mod wrong;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::env;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::mem;
use std::net::{SocketAddr, ToSocketAddrs};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process;
use std::thread;
use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{self, AddressFamily, RecvFlags, SendFlags, Shutdown, SocketFlags, SocketType, sockopt};
use rustix::process::{Resource, getrlimit, setrlimit};

use bet::Coin;
use http::{Session, Sources, Status};
use users::Users;

const READ_SIZE: usize = 64 * 1024;
const BACKLOG: i32 = 4096;
/// What is still read from a client that was refused: an early reset could take its answer with it.
const DRAIN_LIMIT: usize = 1024 * 1024;

const LISTENER: u64 = u64::MAX;
const INTEREST: EventFlags =
    EventFlags::IN.union(EventFlags::OUT).union(EventFlags::RDHUP).union(EventFlags::ET);
const ENDING: EventFlags = EventFlags::RDHUP.union(EventFlags::HUP).union(EventFlags::ERR);

fn main() {
    if let Err(error) = serve() {
        eprintln!("reference-server: {error}");
        process::exit(1);
    }
}

fn serve() -> io::Result<()> {
    let host = variable("HOST")?;
    let port: u16 = number("PORT")?;
    let cores: usize = number("CORES")?;
    let address = (host.as_str(), port)
        .to_socket_addrs()?
        .next()
        .ok_or_else(|| io::Error::other("HOST has no address"))?;
    // Only one workload needs it: without it that one is answered with an error.
    let user_file = PathBuf::from(env::var_os("DATA_DIR").unwrap_or_default()).join("user.json");
    raise_file_limit()?;
    #[cfg(feature = "wrong-answers")]
    wrong::report_at_end_of_input();

    // All listen before the first one answers, or a connection could go to a queue that is not there yet.
    let workers =
        (0..cores.max(1)).map(|_| Worker::new(address, &user_file)).collect::<io::Result<Vec<_>>>()?;
    let threads: Vec<_> = workers.into_iter().map(|worker| thread::spawn(move || worker.run())).collect();
    for thread in threads {
        thread.join().map_err(|_| io::Error::other("a worker panicked"))??;
    }
    Ok(())
}

fn variable(name: &str) -> io::Result<String> {
    env::var(name).map_err(|error| io::Error::other(format!("{name}: {error}")))
}

fn number<T: std::str::FromStr>(name: &str) -> io::Result<T> {
    variable(name)?.parse().map_err(|_| io::Error::other(format!("{name} is not a number in range")))
}

fn raise_file_limit() -> io::Result<()> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    Ok(setrlimit(Resource::Nofile, limit)?)
}

struct Worker {
    epoll: OwnedFd,
    listener: OwnedFd,
    /// By file descriptor.
    connections: Vec<Option<Connection>>,
    shared: Shared,
}

/// What a worker's connections take turns with.
struct Shared {
    input: Box<[u8]>,
    output: Vec<u8>,
    sources: Sources,
    /// When a connection's answer is due, the first on top. Those of connections that ended stay until then.
    timers: BinaryHeap<Reverse<(Instant, usize)>>,
}

struct Connection {
    socket: OwnedFd,
    session: Session,
    /// The start of a request whose rest has not come yet.
    input: Vec<u8>,
    /// Answers that the socket did not take yet. Nothing is read until they are gone.
    output: Vec<u8>,
    /// Bytes that may still be thrown away, once the connection was shut down.
    drain: Option<usize>,
    /// When the answer is due that is waited for. Nothing is read until then.
    due: Option<Instant>,
    /// Whether something came meanwhile.
    missed: bool,
}

enum Next {
    Wait,
    /// There may be more to do now: ask for a fresh event, behind those of the other connections.
    Again,
    Close,
}

impl Worker {
    fn new(address: SocketAddr, user_file: &Path) -> io::Result<Worker> {
        let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let listener = net::socket_with(family, SocketType::STREAM, flags, None)?;
        sockopt::set_socket_reuseaddr(&listener, true)?;
        sockopt::set_socket_reuseport(&listener, true)?;
        // Accepted sockets inherit it.
        sockopt::set_tcp_nodelay(&listener, true)?;
        net::bind(&listener, &address)?;
        net::listen(&listener, BACKLOG)?;

        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        epoll::add(&epoll, &listener, EventData::new_u64(LISTENER), EventFlags::IN)?;
        Ok(Worker {
            epoll,
            listener,
            connections: Vec::new(),
            shared: Shared {
                input: vec![0; READ_SIZE].into_boxed_slice(),
                output: Vec::with_capacity(READ_SIZE),
                sources: Sources {
                    coin: Coin::new(RandomState::new().hash_one(0)),
                    users: Users::new(user_file.to_owned()),
                },
                timers: BinaryHeap::new(),
            },
        })
    }

    fn run(mut self) -> io::Result<()> {
        let mut events = Vec::with_capacity(512);
        loop {
            let timeout = self.end_waits();
            match epoll::wait(&self.epoll, spare_capacity(&mut events), timeout.as_ref()) {
                Err(Errno::INTR) => continue,
                result => result?,
            };
            for event in events.drain(..) {
                let flags = event.flags;
                match event.data.u64() {
                    LISTENER => self.accept(),
                    key => self.advance(key as usize, |connection, shared| connection.drive(flags, shared)),
                }
            }
        }
    }

    /// Gives the answers that are due. The result is how long none will be; while nobody waits, no clock is read.
    fn end_waits(&mut self) -> Option<Timespec> {
        if self.shared.timers.is_empty() {
            return None;
        }
        let now = Instant::now();
        while let Some(&Reverse((due, key))) = self.shared.timers.peek() {
            if due > now {
                return Timespec::try_from(due - now).ok();
            }
            self.shared.timers.pop();
            self.advance(key, |connection, shared| connection.end_wait(due, shared));
        }
        None
    }

    fn accept(&mut self) {
        // Any error leaves the rest in the queue: the listener is level-triggered and reports them again.
        while let Ok(socket) = net::accept_with(&self.listener, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC)
        {
            let key = socket.as_raw_fd() as usize;
            if epoll::add(&self.epoll, &socket, EventData::new_u64(key as u64), INTEREST).is_err() {
                continue;
            }
            if key >= self.connections.len() {
                self.connections.resize_with(key + 1, || None);
            }
            self.connections[key] = Some(Connection::new(socket));
        }
    }

    /// An event may be older than the connection that has its number now: then there is nothing to read, and
    /// no harm. A timer may be too: then it is not due.
    fn advance(&mut self, key: usize, step: impl FnOnce(&mut Connection, &mut Shared) -> Next) {
        let Some(slot) = self.connections.get_mut(key) else { return };
        let Some(connection) = slot else { return };
        let close = match step(connection, &mut self.shared) {
            Next::Wait => false,
            Next::Again => {
                epoll::modify(&self.epoll, &connection.socket, EventData::new_u64(key as u64), INTEREST)
                    .is_err()
            }
            Next::Close => true,
        };
        if close {
            *slot = None;
        }
    }
}

impl Connection {
    fn new(socket: OwnedFd) -> Connection {
        Connection {
            socket,
            session: Session::new(),
            input: Vec::new(),
            output: Vec::new(),
            drain: None,
            due: None,
            missed: false,
        }
    }

    fn drive(&mut self, flags: EventFlags, shared: &mut Shared) -> Next {
        if !self.output.is_empty() {
            return self.flush();
        }
        if !flags.intersects(EventFlags::IN | ENDING) {
            return Next::Wait;
        }
        if self.due.is_some() {
            // A client that is gone waits for nothing; one that only says no more does.
            if flags.intersects(EventFlags::HUP | EventFlags::ERR) {
                return Next::Close;
            }
            self.missed = true;
            return Next::Wait;
        }
        let received = match net::recv(&self.socket, &mut *shared.input, RecvFlags::empty()) {
            Ok((0, _)) => return Next::Close,
            Ok((received, _)) => received,
            Err(Errno::AGAIN) => return Next::Wait,
            Err(Errno::INTR) => return Next::Again,
            Err(_) => return Next::Close,
        };
        // A short read has emptied the socket, unless its end was already on the way.
        let next = if received == READ_SIZE || flags.intersects(ENDING) { Next::Again } else { Next::Wait };
        if let Some(left) = &mut self.drain {
            return match left.checked_sub(received) {
                Some(less) => {
                    *left = less;
                    next
                }
                None => Next::Close,
            };
        }

        self.answer(received, shared);
        self.send(next, shared)
    }

    /// Sends what is in the shared output.
    fn send(&mut self, next: Next, shared: &Shared) -> Next {
        if shared.output.is_empty() {
            return self.finish(next);
        }
        let sent = match net::send(&self.socket, &shared.output, SendFlags::NOSIGNAL) {
            Ok(sent) => sent,
            Err(Errno::AGAIN | Errno::INTR) => 0,
            Err(_) => return Next::Close,
        };
        if sent < shared.output.len() {
            self.output.extend_from_slice(&shared.output[sent..]);
            return Next::Again;
        }
        self.finish(next)
    }

    /// Puts the answers to what has just been received into the shared output.
    fn answer(&mut self, received: usize, shared: &mut Shared) {
        shared.output.clear();
        let new = &shared.input[..received];
        if self.input.is_empty() {
            let used = self.session.serve(new, &mut shared.sources, &mut shared.output);
            self.input.extend_from_slice(&new[used..]);
        } else {
            self.input.extend_from_slice(new);
            self.answer_kept(shared);
        }
        self.begin_wait(shared);
    }

    fn answer_kept(&mut self, shared: &mut Shared) {
        let used = self.session.serve(&self.input, &mut shared.sources, &mut shared.output);
        self.input.drain(..used);
        if self.input.is_empty() {
            self.input = Vec::new();
        }
    }

    /// The time begins after the request was read, so no answer is early.
    fn begin_wait(&mut self, shared: &mut Shared) {
        if let Status::Waits(milliseconds) = self.session.status() {
            let due = Instant::now() + Duration::from_millis(milliseconds.into());
            self.due = Some(due);
            shared.timers.push(Reverse((due, self.socket.as_raw_fd() as usize)));
        }
    }

    /// Gives the answer that was due at that time, and those to what had come behind its request.
    fn end_wait(&mut self, due: Instant, shared: &mut Shared) -> Next {
        if self.due != Some(due) {
            return Next::Wait;
        }
        self.due = None;
        shared.output.clear();
        self.session.end_wait(&mut shared.output);
        if !self.input.is_empty() {
            self.answer_kept(shared);
            self.begin_wait(shared);
        }
        if !self.output.is_empty() {
            // The socket is still full of earlier answers and tells when it is not.
            self.output.extend_from_slice(&shared.output);
            return Next::Wait;
        }
        let next = if mem::take(&mut self.missed) { Next::Again } else { Next::Wait };
        self.send(next, shared)
    }

    fn flush(&mut self) -> Next {
        match net::send(&self.socket, &self.output, SendFlags::NOSIGNAL) {
            Ok(sent) if sent == self.output.len() => {
                self.output = Vec::new();
                // What came in the meantime was announced before anyone listened.
                self.finish(Next::Again)
            }
            Ok(sent) => {
                self.output.drain(..sent);
                Next::Wait
            }
            Err(Errno::AGAIN) => Next::Wait,
            Err(Errno::INTR) => Next::Again,
            Err(_) => Next::Close,
        }
    }

    /// After all answers are sent.
    fn finish(&mut self, next: Next) -> Next {
        match self.session.status() {
            Status::Open => next,
            Status::Waits(_) => {
                self.missed |= matches!(next, Next::Again);
                Next::Wait
            }
            Status::Done => Next::Close,
            Status::Broken => {
                // Closing with unread bytes would reset the connection and could take the answer with it.
                self.drain = Some(DRAIN_LIMIT);
                match net::shutdown(&self.socket, Shutdown::Write) {
                    Ok(()) => Next::Again,
                    Err(_) => Next::Close,
                }
            }
        }
    }
}
