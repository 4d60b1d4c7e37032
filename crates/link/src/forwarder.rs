//! The thread that holds packets for their time.

use std::io;
use std::net::Ipv4Addr;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::event::{epoll, eventfd};
use rustix::io::Errno;
use rustix::time::{
    ClockId, Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, clock_gettime,
    timerfd_create, timerfd_settime,
};

use crate::log::{Log, PassedPacket, Way};
use crate::packet::{self, Place};
use crate::pipe::Pipe;
use crate::tun::Tun;

/// What the forwarder tells, and how it is told to end.
#[derive(Debug)]
pub(crate) struct Shared {
    log: Mutex<Log>,
    /// CPU time of its thread, told each time before it sleeps.
    pub(crate) cpu_ns: AtomicU64,
    pub(crate) end: OwnedFd,
}

impl Shared {
    pub(crate) fn new(logged: usize) -> io::Result<Self> {
        let end = eventfd(0, rustix::event::EventfdFlags::CLOEXEC | rustix::event::EventfdFlags::NONBLOCK)?;
        Ok(Self { log: Mutex::new(Log::new(logged)), cpu_ns: AtomicU64::new(0), end })
    }

    pub(crate) fn log(&self) -> MutexGuard<'_, Log> {
        // Counts are whole between any two lines that change them.
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Which address stands for the contender at the near end, where that is not the one at which it listens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Called {
    pub(crate) by: Ipv4Addr,
}

/// All that the thread has.
#[derive(Debug)]
pub(crate) struct Forwarder {
    near: Tun,
    far: Tun,
    up: Pipe,
    down: Pipe,
    called: Option<Called>,
    shared: Arc<Shared>,
    epoll: OwnedFd,
    timer: OwnedFd,
    armed_ns: u64,
}

/// What an event is of.
const NEAR: u64 = 0;
const FAR: u64 = 1;
const TIMER: u64 = 2;
const END: u64 = 3;
/// Packets read from one side before the other side has its turn.
const BATCH: usize = 64;

impl Forwarder {
    pub(crate) fn new(
        (near, far): (Tun, Tun),
        (up, down): (Pipe, Pipe),
        called: Option<Called>,
        shared: Arc<Shared>,
    ) -> io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let timer =
            timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK)?;
        let add = |of: &OwnedFd, token: u64, flags: epoll::EventFlags| {
            epoll::add(&epoll, of, epoll::EventData::new_u64(token), flags)
        };
        add(&near.descriptor, NEAR, epoll::EventFlags::IN)?;
        add(&far.descriptor, FAR, epoll::EventFlags::IN)?;
        // Edge-triggered: it is told of once each time it fires, and need not be read.
        add(&timer, TIMER, epoll::EventFlags::IN | epoll::EventFlags::ET)?;
        add(&shared.end, END, epoll::EventFlags::IN)?;
        Ok(Self { near, far, up, down, called, shared, epoll, timer, armed_ns: 0 })
    }

    /// Forwards until it is told to end, or a device is gone.
    pub(crate) fn run(mut self) -> io::Result<()> {
        let mut events = Vec::with_capacity(8);
        let mut buffer = vec![0; 1 << 16];
        loop {
            self.shared.cpu_ns.store(nanoseconds(clock_gettime(ClockId::ThreadCPUTime)), Ordering::Relaxed);
            events.clear();
            match epoll::wait(&self.epoll, rustix::buffer::spare_capacity(&mut events), None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            for event in &events {
                match event.data.u64() {
                    NEAR => self.take(Way::Up, &mut buffer)?,
                    FAR => self.take(Way::Down, &mut buffer)?,
                    END => return Ok(()),
                    _ => {}
                }
            }
            self.deliver()?;
            self.arm()?;
        }
    }

    /// Takes packets that came from one side.
    fn take(&mut self, way: Way, buffer: &mut [u8]) -> io::Result<()> {
        for _ in 0..BATCH {
            let from = match way {
                Way::Up => &self.near,
                Way::Down => &self.far,
            };
            let length = match rustix::io::read(&from.descriptor, &mut *buffer) {
                Ok(length) => length,
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            };
            let whole = &mut buffer[..length];
            let Some(seen) = packet::read(whole) else { continue };
            let pipe = match way {
                Way::Up => &mut self.up,
                Way::Down => &mut self.down,
            };
            if let Some(called) = self.called {
                match way {
                    Way::Up => {
                        packet::readdress(whole, Place::Destination, called.by, Ipv4Addr::LOCALHOST);
                    }
                    Way::Down => packet::readdress(whole, Place::Source, Ipv4Addr::LOCALHOST, called.by),
                }
            }
            let at_ns = monotonic_ns();
            let ports = seen.ports.map(|(source, destination)| match way {
                Way::Up => (source, destination),
                Way::Down => (destination, source),
            });
            let passed = PassedPacket {
                at_ns,
                way,
                fate: pipe.take(at_ns, whole),
                bytes: u16::try_from(length).unwrap_or(u16::MAX),
                ports,
                payload: seen.payload,
                syn: seen.syn,
                fin: seen.fin,
                rst: seen.rst,
            };
            self.shared.log().came(passed);
        }
        Ok(())
    }

    /// Hands over what is due.
    fn deliver(&mut self) -> io::Result<()> {
        let parts = [(Way::Up, &mut self.up, &self.far), (Way::Down, &mut self.down, &self.near)];
        for (way, pipe, to) in parts {
            if pipe.next_due_ns().is_none() {
                continue;
            }
            while let Some((due_ns, packet)) = pipe.due(monotonic_ns()) {
                let late_ns = monotonic_ns().saturating_sub(due_ns);
                match rustix::io::write(&to.descriptor, &packet) {
                    Ok(_) => self.shared.log().delivered(way, late_ns),
                    // The kernel has no memory for it: as any device may lose a packet.
                    Err(Errno::NOBUFS | Errno::NOMEM | Errno::AGAIN | Errno::INVAL) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Ok(())
    }

    /// Sees to it that it is woken when the next packet is due.
    fn arm(&mut self) -> io::Result<()> {
        let next = [self.up.next_due_ns(), self.down.next_due_ns()].into_iter().flatten().min();
        let Some(next_ns) = next.filter(|next_ns| *next_ns != self.armed_ns) else { return Ok(()) };
        self.armed_ns = next_ns;
        let at = Timespec {
            tv_sec: (next_ns / 1_000_000_000) as i64,
            // OK because it is below a billion. At 0 the timer would be switched off.
            tv_nsec: (next_ns % 1_000_000_000).max(1) as _,
        };
        let once = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value: at };
        timerfd_settime(&self.timer, TimerfdTimerFlags::ABSTIME, &once)?;
        Ok(())
    }
}

fn monotonic_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::Monotonic))
}

fn nanoseconds(time: Timespec) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
