//! The server.

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};

use super::connection;
use super::fault::Fault;
use super::truth::Truth;

/// A server with one fault, on a thread for each connection.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

/// What the threads share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) fault: Fault,
    answered: AtomicU64,
    truth: Mutex<Truth>,
    connections: Mutex<Connections>,
    none_left: Condvar,
    /// Wakes the acceptor at the end.
    wake: OwnedFd,
}

#[derive(Debug, Default)]
struct Connections {
    open: HashMap<u64, Arc<TcpStream>>,
    ending: bool,
}

/// How long connections may take to end once everything is shut down.
const ENDING: Duration = Duration::from_secs(5);

impl Server {
    /// Serves on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// When it cannot listen.
    pub fn start(fault: Fault) -> io::Result<Self> {
        Self::start_at((Ipv4Addr::LOCALHOST, 0).into(), fault)
    }

    /// Serves on an address; port 0 stands for any that is free.
    ///
    /// # Errors
    /// When it cannot listen.
    pub fn start_at(address: SocketAddr, fault: Fault) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            fault,
            answered: AtomicU64::new(0),
            truth: Mutex::default(),
            connections: Mutex::default(),
            none_left: Condvar::new(),
            wake: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
        });
        let acceptor = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.accept(&listener))
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
        self.shared.wait_until_none_left();
        self.end();
        self.truth()
    }

    fn end(&mut self) {
        let Some(acceptor) = self.acceptor.take() else { return };
        self.shared.connections().ending = true;
        // The counter is never near its limit, so the write cannot fail.
        let _ = rustix::io::write(&self.shared.wake, &1_u64.to_ne_bytes());
        // A panic there has been printed, and the truth is still to be had.
        let _ = acceptor.join();
        for stream in self.shared.connections().open.values() {
            // It may have ended by itself.
            let _ = stream.shutdown(Shutdown::Both);
        }
        self.shared.wait_until_none_left();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

impl Shared {
    /// Reads or changes the truth.
    pub(super) fn update<T>(&self, change: impl FnOnce(&mut Truth) -> T) -> T {
        change(&mut self.truth.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The number of a request that is to be answered: each gets another one, from 0.
    pub(super) fn next_number(&self) -> u64 {
        self.answered.fetch_add(1, Ordering::Relaxed)
    }

    fn connections(&self) -> MutexGuard<'_, Connections> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn accept(self: &Arc<Self>, listener: &TcpListener) {
        let mut number = 0;
        loop {
            let mut ready = [PollFd::new(listener, PollFlags::IN), PollFd::new(&self.wake, PollFlags::IN)];
            let failed = poll(&mut ready, None).is_err_and(|error| error != rustix::io::Errno::INTR);
            if failed || self.connections().ending {
                return;
            }
            if ready[0].revents().contains(PollFlags::IN)
                && let Ok((stream, _)) = listener.accept()
            {
                self.take(stream, number);
                number += 1;
            }
        }
    }

    fn take(self: &Arc<Self>, stream: TcpStream, number: u64) {
        let stream = Arc::new(stream);
        self.connections().open.insert(number, Arc::clone(&stream));
        self.update(|truth| truth.connections += 1);
        let shared = Arc::clone(self);
        let serving = thread::Builder::new().stack_size(256 * 1024).spawn(move || {
            // A client that goes away is no concern of the server; what became of its request is counted.
            let _ = connection::serve(&shared, &stream);
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

    fn wait_until_none_left(&self) {
        let connections = self.connections();
        let waited = self.none_left.wait_timeout_while(connections, ENDING, |left| !left.open.is_empty());
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }
}
