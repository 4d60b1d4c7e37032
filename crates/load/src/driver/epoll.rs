use std::io;
use std::net::IpAddr;
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::event::{Timespec, epoll};
use rustix::io::Errno;
use rustix::net::{self, RecvFlags, SendFlags};

use super::{Chunk, Driver, Event, monotonic_ns, socket};
use crate::target::Endpoint;

/// Readiness, edge-triggered: a socket is told of once for each change, so all that there is must be read then.
pub(crate) struct Epoll {
    epoll: OwnedFd,
    events: Vec<epoll::Event>,
    next: usize,
    /// The socket under the last event, while there may be more in it.
    reading: Option<Reading>,
    slots: Vec<Slot>,
    buffer: Box<[u8]>,
    /// Whether waits may end between two milliseconds, which a kernel before 5.11 cannot do.
    is_precise: bool,
}

#[derive(Debug, Default)]
struct Slot {
    socket: Option<OwnedFd>,
    connecting: bool,
    /// What the socket would not take yet.
    unsent: Vec<u8>,
    /// Tells the events of this socket from those of the ones before it.
    generation: u32,
}

#[derive(Debug, Clone, Copy)]
struct Reading {
    connection: usize,
    generation: u32,
    /// The other side has closed, which is told of once: read to the end.
    to_the_end: bool,
    /// Something was read already.
    again: bool,
}

const BATCH: usize = 256;
const BUFFER_BYTES: usize = 64 * 1024;

impl Epoll {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            epoll: epoll::create(epoll::CreateFlags::CLOEXEC)?,
            events: Vec::with_capacity(BATCH),
            next: 0,
            reading: None,
            slots: Vec::new(),
            buffer: vec![0; BUFFER_BYTES].into_boxed_slice(),
            is_precise: true,
        })
    }

    fn wait_for(&mut self, left_ns: u64) -> Result<(), Errno> {
        let (seconds, ns) = ((left_ns / 1_000_000_000).min(3600), left_ns % 1_000_000_000);
        if self.is_precise {
            let timeout = libc::timespec { tv_sec: seconds as libc::time_t, tv_nsec: ns as libc::c_long };
            // SAFETY: `epoll_pwait2` writes at most BATCH events, for which there is room, and reads the timeout; an
            // event of rustix is the kernel's.
            let ready = unsafe {
                libc::syscall(
                    libc::SYS_epoll_pwait2,
                    self.epoll.as_raw_fd(),
                    self.events.as_mut_ptr(),
                    BATCH,
                    &raw const timeout,
                    std::ptr::null::<libc::sigset_t>(),
                    0_usize,
                )
            };
            if let Ok(ready) = usize::try_from(ready) {
                // SAFETY: the kernel has written so many.
                unsafe { self.events.set_len(ready) };
                return Ok(());
            }
            match std::io::Error::last_os_error().raw_os_error() {
                Some(libc::ENOSYS | libc::EPERM) => self.is_precise = false,
                error => return Err(Errno::from_raw_os_error(error.unwrap_or(libc::EIO))),
            }
        }
        let timeout = Timespec { tv_sec: seconds as i64, tv_nsec: ns as i64 };
        epoll::wait(&self.epoll, rustix::buffer::spare_capacity(&mut self.events), Some(&timeout)).map(drop)
    }

    fn read(&mut self, reading: Reading) -> Option<Event> {
        let slot = &self.slots[reading.connection];
        let socket = slot.socket.as_ref().filter(|_| slot.generation == reading.generation)?;
        loop {
            match net::recv(socket, &mut self.buffer[..], RecvFlags::empty()) {
                Ok((0, _)) => return Some(Event::Ended(reading.connection)),
                Ok((received, _)) => {
                    // A short read has emptied the socket; what comes later is told of anew.
                    let more = received == self.buffer.len() || reading.to_the_end;
                    self.reading = more.then_some(Reading { again: true, ..reading });
                    let chunk = Chunk { place: 0, length: received as u32, more };
                    return Some(Event::Received(reading.connection, chunk));
                }
                Err(Errno::AGAIN) => return reading.again.then_some(Event::Quiet(reading.connection)),
                Err(Errno::INTR) => {}
                Err(_) => return Some(Event::Ended(reading.connection)),
            }
        }
    }

    fn ready(&mut self, connection: usize, generation: u32, flags: epoll::EventFlags) -> Option<Event> {
        let slot = self.slots.get_mut(connection).filter(|slot| slot.generation == generation)?;
        let socket = slot.socket.as_ref()?;
        if slot.connecting {
            return match socket::outcome(socket)? {
                Ok(()) => {
                    slot.connecting = false;
                    Some(Event::Connected(connection))
                }
                Err(error) => {
                    self.close(connection, false);
                    Some(Event::Failed(connection, error))
                }
            };
        }
        if !slot.unsent.is_empty() {
            let rest = std::mem::take(&mut slot.unsent);
            self.send(connection, &rest);
        }
        let closed = epoll::EventFlags::RDHUP | epoll::EventFlags::HUP | epoll::EventFlags::ERR;
        self.read(Reading { connection, generation, to_the_end: flags.intersects(closed), again: false })
    }
}

impl Driver for Epoll {
    const NAME: &'static str = "epoll";

    fn now_ns(&self) -> u64 {
        monotonic_ns()
    }

    fn reserve(&mut self, connections: usize) -> io::Result<()> {
        self.slots.resize_with(self.slots.len().max(connections), Slot::default);
        Ok(())
    }

    fn connect(
        &mut self,
        connection: usize,
        endpoint: &Endpoint,
        source: Option<IpAddr>,
    ) -> Result<(), Errno> {
        let (socket, _) = socket::begin(endpoint, source)?;
        let slot = &mut self.slots[connection];
        let token = u64::from(slot.generation) << 32 | connection as u64;
        // A connection that is there at once is writable at once, and told of like the others.
        let flags =
            epoll::EventFlags::IN | epoll::EventFlags::OUT | epoll::EventFlags::RDHUP | epoll::EventFlags::ET;
        epoll::add(&self.epoll, &socket, epoll::EventData::new_u64(token), flags)?;
        slot.socket = Some(socket);
        slot.connecting = true;
        Ok(())
    }

    fn send(&mut self, connection: usize, bytes: &[u8]) {
        let slot = &mut self.slots[connection];
        let Some(socket) = &slot.socket else { return };
        if !slot.unsent.is_empty() {
            slot.unsent.extend_from_slice(bytes);
            return;
        }
        match net::send(socket, bytes, SendFlags::NOSIGNAL) {
            Ok(sent) if sent == bytes.len() => {}
            Ok(sent) => slot.unsent.extend_from_slice(&bytes[sent..]),
            Err(Errno::AGAIN | Errno::INTR) => slot.unsent.extend_from_slice(bytes),
            // A broken connection is told of when it is read, after what had come before it broke.
            Err(_) => {}
        }
    }

    fn close(&mut self, connection: usize, reset: bool) {
        let slot = &mut self.slots[connection];
        if let Some(socket) = slot.socket.take()
            && reset
        {
            socket::reset_on_close(&socket);
        }
        slot.connecting = false;
        slot.unsent.clear();
        slot.generation = slot.generation.wrapping_add(1);
    }

    fn wait(&mut self, until_ns: u64) -> io::Result<()> {
        self.events.clear();
        self.next = 0;
        let left_ns = until_ns.saturating_sub(self.now_ns());
        match self.wait_for(left_ns) {
            Ok(()) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn next(&mut self) -> Option<Event> {
        if let Some(reading) = self.reading.take()
            && let Some(event) = self.read(reading)
        {
            return Some(event);
        }
        while let Some(&event) = self.events.get(self.next) {
            self.next += 1;
            let token = event.data.u64();
            let (connection, generation) = ((token & 0xffff_ffff) as usize, (token >> 32) as u32);
            if let Some(event) = self.ready(connection, generation, event.flags) {
                return Some(event);
            }
        }
        None
    }

    fn bytes(&self, chunk: Chunk) -> &[u8] {
        &self.buffer[..chunk.length as usize]
    }

    fn release(&mut self, _: Chunk) {}
}
