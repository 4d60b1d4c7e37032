use std::io;
use std::net::IpAddr;
use std::os::fd::OwnedFd;

use rustix::event::{Timespec, epoll};
use rustix::io::Errno;
use rustix::net::{self, RecvFlags, SendFlags};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime,
};

use super::arrival::{self, CONTROL_BYTES, Clocks};
use super::border::{Chunk, Driver, Event};
use super::clock::{monotonic_ns, sleep_until};
use super::socket;
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
    timer: OwnedFd,
    armed_until_ns: u64,
    /// While the kernel notes when bytes come.
    clocks: Option<Clocks>,
    control: [u8; CONTROL_BYTES],
    /// Sockets with bytes that they would not take yet.
    blocked: usize,
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
/// The timer's token: that of a connection whose number is beyond every other.
const TIMER: u64 = u64::MAX;
const LONGEST_WAIT_NS: u64 = 3600 * 1_000_000_000;
const BUFFER_BYTES: usize = 64 * 1024;

impl Epoll {
    pub(crate) fn new() -> io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let timer =
            timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK)?;
        // Edge-triggered: it is told of once each time it fires, and need not be read.
        let flags = epoll::EventFlags::IN | epoll::EventFlags::ET;
        epoll::add(&epoll, &timer, epoll::EventData::new_u64(TIMER), flags)?;
        Ok(Self {
            epoll,
            events: Vec::with_capacity(BATCH),
            next: 0,
            reading: None,
            slots: Vec::new(),
            buffer: vec![0; BUFFER_BYTES].into_boxed_slice(),
            timer,
            armed_until_ns: 0,
            clocks: None,
            control: [0; CONTROL_BYTES],
            blocked: 0,
        })
    }

    /// Lets the timer fire then, unless it fires before. It stays armed over many waits: a timeout of each wait would be
    /// programmed and cancelled each time, which in a virtual machine costs more than the request.
    fn arm(&mut self, until_ns: u64, now_ns: u64) -> io::Result<()> {
        if self.armed_until_ns > now_ns && self.armed_until_ns <= until_ns {
            return Ok(());
        }
        let never = Timespec { tv_sec: 0, tv_nsec: 0 };
        let value = Timespec {
            tv_sec: (until_ns / 1_000_000_000) as i64,
            tv_nsec: (until_ns % 1_000_000_000) as i64,
        };
        let once = Itimerspec { it_interval: never, it_value: value };
        timerfd_settime(&self.timer, TimerfdTimerFlags::ABSTIME, &once)?;
        self.armed_until_ns = until_ns;
        Ok(())
    }

    fn read(&mut self, reading: Reading) -> Option<Event> {
        let slot = &self.slots[reading.connection];
        let socket = slot.socket.as_ref().filter(|_| slot.generation == reading.generation)?;
        loop {
            let result = match &self.clocks {
                None => net::recv(socket, &mut self.buffer[..], RecvFlags::empty())
                    .map(|(received, _)| (received, None)),
                Some(clocks) => arrival::receive(socket, &mut self.buffer, &mut self.control)
                    .map(|(received, told)| (received, clocks.came_ns(&self.control[..told]))),
            };
            match result {
                Ok((0, _)) => return Some(Event::Ended(reading.connection)),
                Ok((received, came_ns)) => {
                    // A short read has emptied the socket; what comes later is told of anew.
                    let more = received == self.buffer.len() || reading.to_the_end;
                    self.reading = more.then_some(Reading { again: true, ..reading });
                    let chunk = Chunk { place: 0, start: 0, length: received as u32, came_ns, more };
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
        let closed = epoll::EventFlags::RDHUP | epoll::EventFlags::HUP | epoll::EventFlags::ERR;
        let reading = Reading { connection, generation, to_the_end: flags.intersects(closed), again: false };
        if slot.connecting {
            // The bits of epoll are those of poll.
            return match socket::outcome(socket, flags.bits())? {
                Ok(()) => {
                    slot.connecting = false;
                    // What came in the same event is told of once, so it is read next.
                    self.reading = flags.intersects(closed | epoll::EventFlags::IN).then_some(reading);
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
            self.blocked -= 1;
            self.send(connection, &rest);
        }
        self.read(reading)
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
        if self.clocks.is_some() {
            arrival::note(&socket, true);
        }
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
            Ok(sent) => {
                slot.unsent.extend_from_slice(&bytes[sent..]);
                self.blocked += 1;
            }
            Err(Errno::AGAIN | Errno::INTR) => {
                slot.unsent.extend_from_slice(bytes);
                self.blocked += usize::from(!bytes.is_empty());
            }
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
        self.blocked -= usize::from(!slot.unsent.is_empty());
        slot.unsent.clear();
        slot.generation = slot.generation.wrapping_add(1);
    }

    fn wait(&mut self, until_ns: u64) -> io::Result<()> {
        self.events.clear();
        self.next = 0;
        let now_ns = self.now_ns();
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let timeout = if until_ns <= now_ns {
            Some(&at_once)
        } else {
            self.arm(until_ns.min(now_ns + LONGEST_WAIT_NS), now_ns)?;
            None
        };
        match epoll::wait(&self.epoll, rustix::buffer::spare_capacity(&mut self.events), timeout) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if let Some(clocks) = &mut self.clocks {
            clocks.compare();
        }
        Ok(())
    }

    fn note_arrivals(&mut self, on: bool) {
        if on == self.clocks.is_some() {
            return;
        }
        self.clocks = on.then(Clocks::default);
        for socket in self.slots.iter().filter_map(|slot| slot.socket.as_ref()) {
            arrival::note(socket, on);
        }
    }

    fn sleep(&mut self, until_ns: u64) -> io::Result<bool> {
        if self.blocked > 0 {
            return Ok(false);
        }
        sleep_until(until_ns);
        Ok(true)
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
