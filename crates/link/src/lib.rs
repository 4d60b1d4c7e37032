//! A link with distance: the contender runs in a network namespace of its own, and each packet to and from it is held for its
//! time.
//!
//! ```text
//!   near namespace                                           far namespace
//!   velo0 198.18.0.1  <- TUN ->  forwarder  <- TUN ->  velo0 198.18.0.2
//!   127.0.0.1 leads to the link  (a thread)            lo 127.0.0.1: the contender listens here
//! ```
//!
//! Both ends are namespaces without a name: a descriptor holds each of them and processes live in the far one. The TUN devices
//! are not persistent. So nothing outlives the process that opened the link, however that ends. The contender needs to know
//! nothing of it: it listens on `127.0.0.1`, as without a link, and is connected to at `127.0.0.1`.
//!
//! # What a packet goes through
//! In each direction: it is lost at random with [`Link::loss`](velo_model::Link); else it waits for those before it and is sent at
//! the rate, in a queue that holds what the rate sends in the round-trip time, and is lost when that is full; then it is on its
//! way for half of the round-trip time. Devices have an MTU of 1,500 bytes and no offloads, so that the forwarder sees what would
//! be on a wire: whole IPv4 packets of at most 1,500 bytes, whose bytes are what the rate is counted over (no Ethernet around
//! them). Nothing but IPv4 passes.
//!
//! # What it costs
//! The forwarder is a thread of this process, told of by [`LinkHandle::cpu_ns`]. It sleeps in `epoll` until a packet comes or the
//! next one is due (`timerfd`), and never spins. Whatever the kernel does to take a packet in, at either end, is done in its time
//! and not in that of contender or generator, much as it is the sender's over loopback: CPU time per request over a link does not
//! compare with that without one.
//!
//! # The log
//! What passed is kept in a ring ([`LinkHandle::mark`], [`LinkHandle::since`]), and [`round_trips`] counts how often somebody had
//! to wait for the other side. Packets of different calls are told apart by marks, so calls that are counted must not overlap.
//!
//! # One call, counted
//! ```no_run
//! use std::net::TcpListener;
//! use std::time::Duration;
//! use velo_link::{LinkHandle, Options, Way, obtain_rights, round_trips};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! obtain_rights()?; // first of all, while there is one thread
//! let link = LinkHandle::open(&"rtt=20ms,rate=100mbit".parse()?, &Options::default())?;
//! // A server in this process; another program enters with `link.far().enter()` between fork and exec.
//! let listener = link.far().within(|| TcpListener::bind("127.0.0.1:3000"))??;
//! let mark = link.mark();
//! let stream = link.connect(3000, Duration::from_secs(5))?;
//! let passed = link.since(mark);
//! let (up, down) = (passed.bytes(Way::Up), passed.bytes(Way::Down));
//! println!("{} round trips, {up} bytes there, {down} back", round_trips(&passed.packets));
//! # Ok(())
//! # }
//! ```
//! A generator that is to load over the link is started with `link.near().within(...)`: the threads that it starts, and the sockets
//! that those open, stay at that end.

mod address;
mod error;
mod forwarder;
mod handle;
mod log;
mod namespace;
mod packet;
mod pipe;
mod rights;
mod round_trips;
mod tun;

pub use error::LinkError;
pub use handle::{LinkHandle, Near, Options};
pub use log::{Fate, Mark, Passed, PassedPacket, Way};
pub use namespace::Namespace;
pub use rights::{Rights, obtain_rights};
pub use round_trips::round_trips;
pub use velo_model::LinkWay;
