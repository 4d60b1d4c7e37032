use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::process::setpriority_process;
use rustix::thread::{CpuSet, sched_setaffinity, set_current_timer_slack};
use velo_model::{Link, LinkWay};

use crate::address::{self, Pair};
use crate::forwarder::{Called, Forwarder, Shared};

use crate::log::{Mark, Passed};
use crate::pipe::Pipe;
use crate::tun::{Tun, loopback_up};
use crate::{LinkError, Namespace};

/// Where the load's end of a link lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Near {
    /// In a network namespace of its own: this machine's own is not touched, and needs no rights in it. What connects must be in
    /// there: [`LinkHandle::connect`], [`LinkHandle::near`].
    #[default]
    Apart,
    /// In the caller's: any program there reaches the contender at [`LinkHandle::address`]. Needs root.
    Here,
}

/// How a link is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where the load's end lies.
    pub near: Near,
    /// The seed of random loss.
    pub seed: u64,
    /// The CPUs of the thread that forwards; empty: any.
    pub cpus: Vec<u32>,
    /// How many packets the log holds, of about 60 bytes each; 0: it only counts.
    pub logged: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { near: Near::Apart, seed: 1, cpus: Vec::new(), logged: 1 << 16 }
    }
}

/// A link that is open until this is dropped.
#[derive(Debug)]
pub struct LinkHandle {
    link: Link,
    near: Namespace,
    far: Namespace,
    address: Ipv4Addr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl LinkHandle {
    /// Opens a link. Without root, [`obtain_rights`](crate::obtain_rights) must have been called before.
    ///
    /// # Errors
    /// When the kernel lacks what a link needs, or this process may not.
    pub fn open(link: &Link, options: &Options) -> Result<Self, LinkError> {
        Self::open_to(far_end()?, 0, link, options)
    }

    /// Opens links that lead to one far end: what listens there is reached over each of them, from a near end of its own. So one
    /// contender can be called over several distances while it lives.
    ///
    /// # Errors
    /// As [`LinkHandle::open`], and when there are more than 256.
    pub fn open_all(links: &[Link], options: &Options) -> Result<Vec<Self>, LinkError> {
        if links.is_empty() {
            return Ok(Vec::new());
        }
        let far = far_end()?;
        let open = |(number, link)| {
            let number = u8::try_from(number).map_err(|_| LinkError::NoAddress)?;
            let far = far.try_clone().map_err(LinkError::not_here(NO_NAMESPACE))?;
            Self::open_to(far, number, link, options)
        };
        links.iter().enumerate().map(open).collect()
    }

    /// `number`: another one for each link of a far end.
    fn open_to(far: Namespace, number: u8, link: &Link, options: &Options) -> Result<Self, LinkError> {
        let (near, pair) = match options.near {
            Near::Apart => {
                let near = Namespace::new().map_err(LinkError::not_here(NO_NAMESPACE))?;
                (near, address::pair(number))
            }
            Near::Here => {
                let table = std::fs::read_to_string("/proc/thread-self/net/route").unwrap_or_default();
                let from = std::process::id().to_le_bytes()[0];
                let pair = address::free_pair(&table, from).ok_or(LinkError::NoAddress)?;
                (Namespace::current().map_err(LinkError::not_here(NO_NAMESPACE))?, pair)
            }
        };
        let (address, tuns) = devices(options.near, &near, (&far, number), pair)?;
        let called = (options.near == Near::Here).then_some(Called { by: address });
        let thread = LinkError::Thread;
        let shared = Arc::new(Shared::new(options.logged).map_err(thread)?);
        let pipes = (Pipe::new(link, options.seed, 0), Pipe::new(link, options.seed, 1));
        let forwarder = Forwarder::new(tuns, pipes, called, Arc::clone(&shared)).map_err(thread)?;
        let cpus = options.cpus.clone();
        let thread = thread::Builder::new()
            .name("link".to_owned())
            .spawn(move || {
                settle(&cpus);
                forwarder.run()
            })
            .map_err(thread)?;
        Ok(Self { link: *link, near, far, address, shared, thread: Some(thread) })
    }

    /// What was asked for.
    pub fn link(&self) -> &Link {
        &self.link
    }

    /// The address at which the load's side reaches what listens on `127.0.0.1` in the far namespace, on the same port:
    /// `127.0.0.1` with [`Near::Apart`].
    pub fn address(&self) -> IpAddr {
        self.address.into()
    }

    /// The namespace that connections are made from. Threads that are started within it belong to it.
    pub fn near(&self) -> &Namespace {
        &self.near
    }

    /// The namespace of the contender.
    pub fn far(&self) -> &Namespace {
        &self.far
    }

    /// Connects over the link.
    ///
    /// # Errors
    /// As [`TcpStream::connect_timeout`].
    pub fn connect(&self, port: u16, timeout: Duration) -> io::Result<TcpStream> {
        let address = SocketAddr::new(self.address(), port);
        self.near.within(|| TcpStream::connect_timeout(&address, timeout))?
    }

    /// What came to it so far, from the load and from the contender.
    pub fn counts(&self) -> (LinkWay, LinkWay) {
        let log = self.shared.log();
        (log.up, log.down)
    }

    /// The CPU time of the thread that forwards, up to when it last went to sleep. It is in that of this process, and in no
    /// contender's.
    pub fn cpu_ns(&self) -> u64 {
        self.shared.cpu_ns.load(Ordering::Relaxed)
    }

    /// The end of the log as it is now.
    pub fn mark(&self) -> Mark {
        self.shared.log().mark()
    }

    /// The packets that came since a mark.
    pub fn since(&self, mark: Mark) -> Passed {
        self.shared.log().since(mark)
    }

    /// Whether it still forwards. It does until it is dropped, unless somebody takes a device away.
    pub fn is_open(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }
}

impl Drop for LinkHandle {
    fn drop(&mut self) {
        // It is a counter of which any value but 0 means the same.
        let _ = rustix::io::write(&self.shared.end, &1u64.to_ne_bytes());
        if let Some(thread) = self.thread.take() {
            // How it ended matters to nobody any more.
            let _ = thread.join();
        }
    }
}

const NO_NAMESPACE: &str = "a network namespace is refused";

/// A far end to which nothing leads yet.
fn far_end() -> Result<Namespace, LinkError> {
    let far = Namespace::new().map_err(LinkError::not_here(NO_NAMESPACE))?;
    let is_up = far.within(loopback_up).flatten();
    is_up.map_err(LinkError::not_here("a loopback device cannot be set up"))?;
    Ok(far)
}

/// The devices of both ends, and the address that the near one calls the far one by.
fn devices(
    place: Near,
    near: &Namespace,
    (far, number): (&Namespace, u8),
    (own, peer): Pair,
) -> Result<(Ipv4Addr, (Tun, Tun)), LinkError> {
    let within = |place: &Namespace, name: &str, own, peer, takes_loopback| {
        let tun = place.within(|| Tun::new(name)).flatten();
        let tun = tun.map_err(LinkError::not_here("a TUN device is refused"))?;
        let is_up = place.within(|| tun.set_up(own, peer, takes_loopback)).flatten();
        is_up.map_err(LinkError::not_here("a TUN device cannot be set up"))?;
        Ok(tun)
    };
    let far_tun = within(far, &format!("velo{number}"), peer, own, true)?;
    let (name, address) = match place {
        // Its loopback device stays down, so that the whole of 127.0.0.1 is at the other end.
        Near::Apart => ("velo0", Ipv4Addr::LOCALHOST),
        Near::Here => ("velo%d", peer),
    };
    let near_tun = within(near, name, own, address, place == Near::Apart)?;
    Ok((address, (near_tun, far_tun)))
}

/// How much the thread is preferred to others, where that is allowed: a wire does not wait for a CPU.
const NICE: i32 = -15;

/// Keeps the calling thread on CPUs, prefers it, and has it woken within a microsecond of its time instead of 50.
fn settle(cpus: &[u32]) {
    let mut set = CpuSet::new();
    for cpu in cpus.iter().filter(|cpu| (**cpu as usize) < CpuSet::MAX_CPU) {
        set.set(*cpu as usize);
    }
    if !cpus.is_empty() {
        // Where it may not be kept there it is elsewhere, and no less right.
        let _ = sched_setaffinity(None, &set);
    }
    // Where one of these is refused packets are later, which is counted. Of threads each has a niceness of its own.
    let _ = setpriority_process(None, NICE);
    let _ = set_current_timer_slack(NonZeroU64::new(1));
}
