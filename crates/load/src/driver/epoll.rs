use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::{Timespec, epoll};

pub(crate) const NAME: &str = "epoll";

/// Tells which sockets have something to say. Edge-triggered: a socket is told of once for each change, so its
/// reader must take all there is.
pub(crate) struct Poller {
    epoll: OwnedFd,
    events: Vec<epoll::Event>,
}

const BATCH: usize = 256;

impl Poller {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { epoll: epoll::create(epoll::CreateFlags::CLOEXEC)?, events: Vec::with_capacity(BATCH) })
    }

    /// Watches a socket until it is closed.
    pub(crate) fn add(&self, socket: impl AsFd, token: u64) -> io::Result<()> {
        let flags =
            epoll::EventFlags::IN | epoll::EventFlags::OUT | epoll::EventFlags::RDHUP | epoll::EventFlags::ET;
        Ok(epoll::add(&self.epoll, socket, epoll::EventData::new_u64(token), flags)?)
    }

    /// Waits until a socket is ready or the time is over; says how many are.
    pub(crate) fn wait(&mut self, timeout: Duration) -> io::Result<usize> {
        self.events.clear();
        let timeout =
            Timespec { tv_sec: timeout.as_secs().min(3600) as i64, tv_nsec: timeout.subsec_nanos().into() };
        match epoll::wait(&self.epoll, rustix::buffer::spare_capacity(&mut self.events), Some(&timeout)) {
            Ok(_) => Ok(self.events.len()),
            Err(rustix::io::Errno::INTR) => Ok(0),
            Err(error) => Err(error.into()),
        }
    }

    /// The token of a ready socket, by its place in the last answer, and whether the other side has closed: that is
    /// told of once, so the socket must then be read to its end.
    pub(crate) fn ready(&self, index: usize) -> (u64, bool) {
        let event = self.events[index];
        let closed = epoll::EventFlags::RDHUP | epoll::EventFlags::HUP | epoll::EventFlags::ERR;
        let flags = event.flags;
        (event.data.u64(), flags.intersects(closed))
    }
}
