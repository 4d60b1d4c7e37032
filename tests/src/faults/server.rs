//! The server.

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};

use super::connection;
use super::fault::Fault;
use super::socket::Reserved;
use super::truth::Truth;

/// How much of a fault there is, where that may be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tuning {
    /// [`Fault::Delay`] strikes every so-manieth request.
    pub delay_every: u64,
    /// How long it delays an answer.
    pub delay: Duration,
    /// From the beginning of one [`Fault::Freeze`] to the next; the first comes after this time.
    pub freeze_every: Duration,
    /// How long everything stands still.
    pub freeze: Duration,
    /// Of each connection with [`Fault::Bandwidth`].
    pub bytes_per_s: u64,
    /// How long the server is away in [`Fault::Outage`].
    pub outage: Duration,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            delay_every: 50,
            delay: Duration::from_millis(5),
            freeze_every: Duration::from_millis(2_500),
            freeze: Duration::from_millis(200),
            bytes_per_s: 1_000_000,
            outage: Duration::from_secs(1),
        }
    }
}

/// A server with one fault, on a thread for each connection.
#[derive(Debug)]
pub struct FaultServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

/// What the threads share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) fault: Fault,
    pub(super) tuning: Tuning,
    started: Instant,
    truth: Mutex<Truth>,
    connections: Mutex<Connections>,
    none_left: Condvar,
    /// The outage that was due has begun, or the server ends.
    died: Condvar,
    /// Wakes the acceptor.
    wake: OwnedFd,
}

#[derive(Debug, Default)]
struct Connections {
    open: HashMap<u64, Arc<TcpStream>>,
    outage_due: bool,
    /// It has died once; what was under way then got no answer.
    dead: bool,
    ending: bool,
}

/// How long connections may take to end once everything is shut down.
const ENDING: Duration = Duration::from_secs(5);

impl FaultServer {
    /// Serves on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// When it cannot listen.
    pub fn start(fault: Fault) -> io::Result<Self> {
        Self::start_at((Ipv4Addr::LOCALHOST, 0).into(), fault, Tuning::default())
    }

    /// Serves on an address; port 0 stands for any that is free.
    ///
    /// # Errors
    /// When it cannot listen.
    pub fn start_at(address: SocketAddr, fault: Fault, tuning: Tuning) -> io::Result<Self> {
        let reserved = Reserved::new(address)?;
        let address = reserved.address()?;
        let shared = Arc::new(Shared {
            fault,
            tuning,
            started: Instant::now(),
            truth: Mutex::default(),
            connections: Mutex::default(),
            none_left: Condvar::new(),
            died: Condvar::new(),
            wake: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
        });
        let acceptor = {
            let shared = Arc::clone(&shared);
            if fault == Fault::ClosedPort {
                // The port stays taken and closed until the server ends.
                thread::spawn(move || {
                    shared.pause(None);
                    drop(reserved);
                })
            } else {
                let listener = reserved.listen()?;
                thread::spawn(move || shared.accept(listener, address))
            }
        };
        Ok(Self { address, shared, acceptor: Some(acceptor) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it has done so far.
    pub fn truth(&self) -> Truth {
        self.shared.update(|truth| truth.clone())
    }

    /// Waits until the clients have gone, for at most five seconds, ends what is left, and says what was done.
    pub fn finish(mut self) -> Truth {
        self.shared.wait_until_none_left(ENDING);
        self.end();
        self.truth()
    }

    fn end(&mut self) {
        let Some(acceptor) = self.acceptor.take() else { return };
        self.shared.connections().ending = true;
        self.shared.died.notify_all();
        self.shared.wake();
        // A panic there has been printed, and the truth is still to be had.
        let _ = acceptor.join();
        self.shared.shut_all_down();
        self.shared.wait_until_none_left(ENDING);
    }
}

impl Drop for FaultServer {
    fn drop(&mut self) {
        self.end();
    }
}

impl Shared {
    /// Reads or changes the truth.
    pub(super) fn update<T>(&self, change: impl FnOnce(&mut Truth) -> T) -> T {
        change(&mut self.truth.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn connections(&self) -> MutexGuard<'_, Connections> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps an answer back, where that is the fault.
    pub(super) fn hold(&self, number: u64) {
        let tuning = &self.tuning;
        match self.fault {
            Fault::Delay if (number + 1).is_multiple_of(tuning.delay_every.max(1)) => {
                thread::sleep(tuning.delay);
            }
            Fault::Freeze => thread::sleep(frozen_for(self.started.elapsed(), tuning)),
            _ => {}
        }
    }

    /// The server dies with this request: nothing is answered until it is dead, however late its thread gets a CPU.
    pub(super) fn begin_outage(&self) {
        self.connections().outage_due = true;
        self.wake();
        self.wait_until_dead();
    }

    /// Keeps a request that came behind the last one that is answered.
    pub(super) fn wait_until_dead(&self) {
        let alive = |connections: &mut Connections| !connections.dead && !connections.ending;
        let waited = self.died.wait_while(self.connections(), alive);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    fn wake(&self) {
        // The counter is never near its limit, so the write cannot fail.
        let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
    }

    /// Waits until woken, or for so long.
    fn pause(&self, limit: Option<Duration>) {
        let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
        // Whatever ends the wait, the caller looks at what there is to do.
        let _ = poll(&mut [PollFd::new(&self.wake, PollFlags::IN)], limit.as_ref());
    }

    fn calm(&self) {
        // There may be nothing to read.
        let _ = rustix::io::read(&self.wake, &mut [0; 8]);
    }

    fn accept(self: &Arc<Self>, listener: TcpListener, address: SocketAddr) {
        let mut listener = Some(listener);
        let mut number = 0;
        while let Some(open) = &listener {
            let mut ready = [PollFd::new(open, PollFlags::IN), PollFd::new(&self.wake, PollFlags::IN)];
            if poll(&mut ready, None).is_err_and(|error| error != rustix::io::Errno::INTR) {
                return;
            }
            let is_connection = ready[0].revents().contains(PollFlags::IN);
            self.calm();
            let (ending, outage_due) = {
                let mut connections = self.connections();
                (connections.ending, std::mem::take(&mut connections.outage_due))
            };
            if ending {
                return;
            }
            if outage_due {
                // Before the port is let go: somebody else's connection may get it else.
                let reserved = Reserved::new(address).ok();
                // A process that starts at this moment has the socket too until its program runs, and would go on listening.
                let _ = rustix::net::shutdown(open, rustix::net::Shutdown::Read);
                drop(listener.take());
                listener = self.outage(reserved);
            } else if is_connection && let Ok((stream, _)) = open.accept() {
                self.take(stream, number);
                number += 1;
            }
        }
    }

    /// Dies, and is back after a while. `None` when it is to end, or cannot be back. The port is closed already, so that nobody gets a
    /// new connection that is cut with the old ones.
    fn outage(&self, reserved: Option<Reserved>) -> Option<TcpListener> {
        self.shut_all_down();
        self.update(|truth| truth.outages += 1);
        self.connections().dead = true;
        self.died.notify_all();
        // Whoever asked for it may wake this thread only now.
        let back = Instant::now() + self.tuning.outage;
        loop {
            let left = back.saturating_duration_since(Instant::now());
            if self.connections().ending || left.is_zero() {
                break;
            }
            self.pause(Some(left));
            self.calm();
        }
        if self.connections().ending { None } else { reserved?.listen().ok() }
    }

    fn take(self: &Arc<Self>, stream: TcpStream, number: u64) {
        let stream = Arc::new(stream);
        self.connections().open.insert(number, Arc::clone(&stream));
        self.update(|truth| {
            truth.connections += 1;
            truth.connections_since += u64::from(truth.outages > 0);
        });
        let shared = Arc::clone(self);
        let serving = thread::Builder::new().stack_size(256 * 1024).spawn(move || {
            // A client that goes away is no concern of the server; what became of its request is counted.
            let _ = connection::serve(&shared, &stream, number);
            shared.leave(stream, number);
        });
        if serving.is_err() {
            self.connections().open.remove(&number);
        }
    }

    fn leave(&self, stream: Arc<TcpStream>, number: u64) {
        let mut connections = self.connections();
        connections.open.remove(&number);
        drop(stream);
        if connections.open.is_empty() {
            self.none_left.notify_all();
        }
    }

    fn shut_all_down(&self) {
        for stream in self.connections().open.values() {
            // It may have ended by itself.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn wait_until_none_left(&self, limit: Duration) {
        let connections = self.connections();
        let waited = self.none_left.wait_timeout_while(connections, limit, |left| !left.open.is_empty());
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }
}

/// How much longer everything stands still, so long after the start.
fn frozen_for(since_start: Duration, tuning: &Tuning) -> Duration {
    let every = tuning.freeze_every.as_nanos().max(1);
    let (rounds, into) = (since_start.as_nanos() / every, since_start.as_nanos() % every);
    if rounds == 0 {
        return Duration::ZERO;
    }
    let left = tuning.freeze.as_nanos().saturating_sub(into);
    Duration::from_nanos(u64::try_from(left).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod frozen {
    use super::*;

    #[test]
    fn it_stands_still_at_the_beginning_of_each_round_but_the_first() {
        let tuning = Tuning {
            freeze_every: Duration::from_millis(100),
            freeze: Duration::from_millis(30),
            ..Tuning::default()
        };
        for (at_ms, left_ms) in [(0, 0), (10, 0), (100, 30), (120, 10), (130, 0), (199, 0), (210, 20)] {
            let left = frozen_for(Duration::from_millis(at_ms), &tuning);
            assert_eq!(left, Duration::from_millis(left_ms), "at {at_ms} ms");
        }
    }
}
