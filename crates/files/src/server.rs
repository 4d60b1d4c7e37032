//! The server: a thread that accepts, one for each connection, and what it sent of each file.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};
use velo_model::Manner;

use crate::answer::{After, Order, answer, end, status_with};
use crate::head::{NoRequest, Pending};

/// More connections at once are closed as soon as they are there.
const MOST_CONNECTIONS: usize = 256;
/// A connection on which nothing happens for so long is closed.
const IDLE: Duration = Duration::from_secs(120);
/// How long a client is waited for that has been told the end.
const PATIENCE: Duration = Duration::from_secs(60);

/// A file that may be asked for, and in which manner it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The file.
    pub file: PathBuf,
    /// How it is sent.
    pub manner: Manner,
    /// The path at which the same file is sent whole: where a redirect leads.
    pub plain: String,
}

/// What clients a server is for, and what they get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Serving {
    /// Clients are measured: what is sent for an offer is noted until it is taken, and each answer is the whole file.
    Measured,
    /// Somebody's own client: parts of files are sent where they are asked for, and nothing is noted.
    InParts,
}

/// What a path stands for; `None`: nothing, and the answer is 404.
pub type Source = dyn Fn(&str) -> Option<Offer> + Send + Sync;

/// What was sent for one path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sent {
    /// Requests.
    pub requests: u32,
    /// Bytes of bodies that were given to the kernel.
    pub bytes: u64,
    /// When the first request had been read.
    pub first_request: Option<Instant>,
    /// Before this, no client can have had the last byte of the last answer that was sent whole.
    pub before_last: Option<Instant>,
    /// CPU time that the answers took the server.
    pub cpu_ns: u64,
}

/// Serves files until it is dropped.
pub struct FileServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

impl fmt::Debug for FileServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileServer").field("address", &self.address).finish_non_exhaustive()
    }
}

struct Shared {
    serving: Serving,
    source: Box<Source>,
    state: Mutex<State>,
    is_over: AtomicBool,
}

#[derive(Default)]
struct State {
    sent: HashMap<String, Sent>,
    /// By a number, so that each removes itself.
    connections: HashMap<u64, TcpStream>,
    last_number: u64,
    threads: Vec<JoinHandle<()>>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // What a panicking thread leaves is a count that is too low, which is seen.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FileServer {
    /// Starts on an address; port 0 takes a free one. `cpus`: those that its threads run on; empty: any.
    ///
    /// # Errors
    /// When the address is taken or no thread can be started.
    pub fn start(
        address: SocketAddr,
        cpus: &[u32],
        serving: Serving,
        source: Box<Source>,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            serving,
            source,
            state: Mutex::new(State::default()),
            is_over: AtomicBool::new(false),
        });
        let (of_thread, cpus) = (Arc::clone(&shared), cpus.to_vec());
        let accept = move || {
            keep_on(&cpus);
            accept_all(&listener, &of_thread);
        };
        let acceptor = std::thread::Builder::new().name("files".to_owned()).spawn(accept)?;
        Ok(Self { address, shared, acceptor: Some(acceptor) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What was sent for a path so far.
    pub fn sent(&self, path: &str) -> Sent {
        self.shared.state().sent.get(path).copied().unwrap_or_default()
    }

    /// What was sent for a path, which is then forgotten.
    pub fn take(&self, path: &str) -> Sent {
        self.shared.state().sent.remove(path).unwrap_or_default()
    }

    fn close_connections(&self) {
        for connection in self.shared.state().connections.values() {
            // One that is closed already needs no closing.
            let _ = connection.shutdown(Shutdown::Both);
        }
    }
}

impl Drop for FileServer {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        // The acceptor waits for a connection.
        drop(TcpStream::connect_timeout(&self.address, Duration::from_secs(1)));
        if let Some(acceptor) = self.acceptor.take() {
            // A thread that has panicked is over too.
            let _ = acceptor.join();
        }
        self.close_connections();
        let threads = std::mem::take(&mut self.shared.state().threads);
        for thread in threads {
            let _ = thread.join();
        }
    }
}

fn keep_on(cpus: &[u32]) {
    if cpus.is_empty() {
        return;
    }
    let mut set = CpuSet::new();
    for &cpu in cpus {
        set.set(cpu as usize);
    }
    // Where it may not choose, it runs anywhere.
    let _ = sched_setaffinity(None, &set);
}

fn accept_all(listener: &TcpListener, shared: &Arc<Shared>) {
    for connection in listener.incoming() {
        if shared.is_over.load(Ordering::SeqCst) {
            return;
        }
        let Ok(connection) = connection else {
            // Such as too many open files: the next one may come through.
            std::thread::sleep(Duration::from_millis(1));
            continue;
        };
        let Ok(other) = connection.try_clone() else { continue };
        let mut state = shared.state();
        state.threads.retain(|thread| !thread.is_finished());
        if state.connections.len() >= MOST_CONNECTIONS {
            continue;
        }
        state.last_number += 1;
        let number = state.last_number;
        state.connections.insert(number, other);
        let of_thread = Arc::clone(shared);
        let serve = move || {
            serve(connection, &of_thread);
            of_thread.state().connections.remove(&number);
        };
        match std::thread::Builder::new().name("files".to_owned()).spawn(serve) {
            Ok(thread) => state.threads.push(thread),
            Err(_) => _ = state.connections.remove(&number),
        }
    }
}

/// Answers requests on a connection, one after the other.
fn serve(mut connection: TcpStream, shared: &Shared) {
    // A head and the first bytes of a body are two writes; without this the second may wait for the first to be acknowledged.
    let _ = connection.set_nodelay(true);
    let _ = connection.set_write_timeout(Some(PATIENCE));
    let mut pending = Pending::default();
    loop {
        if connection.set_read_timeout(Some(IDLE)).is_err() {
            return;
        }
        let asked = match pending.read(&mut connection) {
            Ok(asked) => asked,
            Err(NoRequest::Ended) => return,
            Err(NoRequest::Refused) => {
                let body = "expected GET or HEAD without a body\n";
                if status_with(&connection, "400 Bad Request", body, true, &mut 0).is_ok() {
                    end(&mut connection, After::Closed, Duration::from_secs(1));
                }
                return;
            }
        };
        let (read_at, cpu_before) = (Instant::now(), thread_cpu_ns());
        let (path, query) = asked.path.split_once('?').unwrap_or((&asked.path, ""));
        let offer = (shared.source)(path);
        let mut sent = Sent { requests: 1, first_request: Some(read_at), ..Sent::default() };
        let after = match &offer {
            None => {
                let body = "there is no such file\n";
                let answered =
                    status_with(&connection, "404 Not Found", body, asked.closes, &mut sent.bytes).is_ok();
                if answered && !asked.closes { After::Kept } else { After::Closed }
            }
            Some(offer) => {
                let order = Order {
                    file: &offer.file,
                    manner: offer.manner,
                    plain: if offer.manner == Manner::RedirectLoop { path } else { &offer.plain },
                    turns: query.parse().unwrap_or(0),
                    is_head: asked.is_head,
                    closes: asked.closes,
                    conditions: (shared.serving == Serving::InParts).then_some(&asked.conditions),
                    is_over: &shared.is_over,
                };
                match answer(&connection, &order) {
                    Ok(given) => {
                        (sent.bytes, sent.before_last) = (given.bytes, given.before_last);
                        given.after
                    }
                    Err(_) => After::Reset,
                }
            }
        };
        sent.cpu_ns = thread_cpu_ns().saturating_sub(cpu_before);
        if shared.serving == Serving::Measured && offer.is_some() {
            note(&mut shared.state(), path, sent);
        }
        if after != After::Kept {
            end(&mut connection, after, PATIENCE);
            return;
        }
    }
}

fn note(state: &mut State, path: &str, new: Sent) {
    let sent = state.sent.entry(path.to_owned()).or_default();
    sent.requests = sent.requests.saturating_add(1);
    sent.bytes = sent.bytes.saturating_add(new.bytes);
    sent.cpu_ns = sent.cpu_ns.saturating_add(new.cpu_ns);
    sent.first_request = sent.first_request.or(new.first_request);
    sent.before_last = new.before_last.or(sent.before_last);
}

fn thread_cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    u64::try_from(time.tv_sec).unwrap_or(0).saturating_mul(1_000_000_000).saturating_add(time.tv_nsec as u64)
}
