//! One event loop: its listener, its connections and when their answers are due.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use rustix::buffer::spare_capacity;
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::event::{EventfdFlags, eventfd};
use rustix::io::Errno;
use rustix::net::{self, AddressFamily, SocketFlags, SocketType, sockopt};
use rustls::ServerConfig;

use crate::bet::Coin;
use crate::connection::{Connection, Next, READ_SIZE, Shared};
use crate::sources::Sources;
use crate::users::Users;

const BACKLOG: i32 = 4096;

const LISTENER: u64 = u64::MAX;
const END: u64 = u64::MAX - 1;
const INTEREST: EventFlags =
    EventFlags::IN.union(EventFlags::OUT).union(EventFlags::RDHUP).union(EventFlags::ET);

pub struct Worker {
    epoll: OwnedFd,
    /// Gone once the server ends.
    listener: Option<OwnedFd>,
    end: Arc<OwnedFd>,
    /// By file descriptor.
    connections: Vec<Option<Connection>>,
    accepted: u64,
    shared: Shared,
}

impl Worker {
    pub fn new(address: SocketAddr, user_file: &Path, tls: Option<Arc<ServerConfig>>) -> io::Result<Worker> {
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
        let end = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
        epoll::add(&epoll, &*end, EventData::new_u64(END), EventFlags::IN | EventFlags::ET)?;
        Ok(Worker {
            epoll,
            listener: Some(listener),
            end,
            connections: Vec::new(),
            accepted: 0,
            shared: Shared {
                input: vec![0; READ_SIZE].into_boxed_slice(),
                plain: Vec::new(),
                output: Vec::with_capacity(READ_SIZE),
                sources: Sources {
                    coin: Coin::new(RandomState::new().hash_one(0)),
                    users: Users::new(user_file.to_owned()),
                    echo: Vec::new(),
                },
                timers: BinaryHeap::new(),
                tls,
            },
        })
    }

    /// Whoever writes a number to it makes the worker end.
    pub fn end_event(&self) -> Arc<OwnedFd> {
        Arc::clone(&self.end)
    }

    /// Serves until it is to end and no connection is left.
    pub fn run(mut self) -> io::Result<()> {
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
                    END => self.end(),
                    key => self.advance(key as usize, |connection, shared| connection.drive(flags, shared)),
                }
            }
            if self.listener.is_none() && self.connections.iter().all(Option::is_none) {
                return Ok(());
            }
        }
    }

    /// Gives the answers that are due. The result is how long none will be; while nobody waits, no clock is read.
    fn end_waits(&mut self) -> Option<Timespec> {
        if self.shared.timers.is_empty() {
            return None;
        }
        let now = Instant::now();
        while let Some(&Reverse(timer)) = self.shared.timers.peek() {
            if timer.due > now {
                return Timespec::try_from(timer.due - now).ok();
            }
            self.shared.timers.pop();
            self.advance(timer.key, |connection, shared| connection.end_wait(timer, shared));
        }
        None
    }

    fn accept(&mut self) {
        // Any error leaves the rest in the queue: the listener is level-triggered and reports them again.
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        while let Some(Ok(socket)) = self.listener.as_ref().map(|listener| net::accept_with(listener, flags))
        {
            let key = socket.as_raw_fd() as usize;
            if epoll::add(&self.epoll, &socket, EventData::new_u64(key as u64), INTEREST).is_err() {
                continue;
            }
            if key >= self.connections.len() {
                self.connections.resize_with(key + 1, || None);
            }
            self.connections[key] = Some(Connection::new(socket, self.accepted));
            self.accepted += 1;
        }
    }

    /// An event may be older than the connection that has its number now: then there is nothing to read, and
    /// no harm.
    fn advance(&mut self, key: usize, step: impl FnOnce(&mut Connection, &mut Shared) -> Next) {
        let Some(slot) = self.connections.get_mut(key) else { return };
        let Some(connection) = slot else { return };
        let close = match step(connection, &mut self.shared) {
            Next::Wait => false,
            Next::Again => {
                epoll::modify(&self.epoll, connection.socket(), EventData::new_u64(key as u64), INTEREST)
                    .is_err()
            }
            Next::Close => true,
        };
        if close {
            *slot = None;
        }
    }

    fn end(&mut self) {
        self.listener = None;
        for key in 0..self.connections.len() {
            self.advance(key, Connection::end);
        }
    }
}
