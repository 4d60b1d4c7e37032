//! Sockets: bytes are moved, and what happened to a connection is told as an [`Event`].
//!
//! The border is one of completions, so that readiness (epoll) and completion (io_uring) serve the same loop. The clock
//! belongs to it as well: a driver without sockets runs in a time of its own.

mod arrival;
mod choice;
mod epoll;
#[cfg(test)]
pub(crate) mod scripted;
mod socket;
mod uring;

use std::io;
use std::net::IpAddr;

use rustix::io::Errno;

use crate::target::Endpoint;

pub use choice::DriverChoice;
pub(crate) use choice::Opened;
pub(crate) use epoll::Epoll;
pub(crate) use uring::Uring;

/// Moves the bytes of numbered connections, which have at most one socket at a time.
pub(crate) trait Driver {
    /// The name in results.
    const NAME: &'static str;

    /// Nanoseconds on a clock that never goes back.
    fn now_ns(&self) -> u64;

    /// Makes room for connections numbered from 0.
    fn reserve(&mut self, connections: usize) -> io::Result<()>;

    /// Opens a socket for a connection that has none. [`Event::Connected`] tells of success and [`Event::Failed`] of failure,
    /// unless the error is known at once.
    fn connect(
        &mut self,
        connection: usize,
        endpoint: &Endpoint,
        source: Option<IpAddr>,
    ) -> Result<(), Errno>;

    /// Sends all of the bytes, in order, now or as the socket takes them.
    fn send(&mut self, connection: usize, bytes: &[u8]);

    /// Closes the socket; nothing more is told of it. With `reset` the other side is told to forget the connection, which
    /// leaves no port waiting.
    fn close(&mut self, connection: usize, reset: bool);

    /// Sends what has been gathered and waits until something has happened, `until_ns` at the latest.
    fn wait(&mut self, until_ns: u64) -> io::Result<()>;

    /// Lets the kernel note when bytes come ([`Chunk::came_ns`]), or not, on all sockets from now on.
    fn note_arrivals(&mut self, on: bool);

    /// Sends what has been gathered and sleeps until then, whatever happens: what comes meanwhile costs no wake-up and is told of
    /// after the next wait. Says `false` and does not sleep while bytes are left that a socket would not take yet.
    fn sleep(&mut self, until_ns: u64) -> io::Result<bool>;

    /// Lets the time pass until then without sleeping.
    fn spin(&mut self, until_ns: u64) {
        while self.now_ns() < until_ns {
            std::hint::spin_loop();
        }
    }

    /// What has happened, one at a time; the chunk of a reception must be released before the next is asked for.
    fn next(&mut self) -> Option<Event>;

    /// The bytes of a chunk.
    fn bytes(&self, chunk: Chunk) -> &[u8];

    /// Gives a chunk's memory back.
    fn release(&mut self, chunk: Chunk);
}

/// What happened to a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Event {
    /// It is open.
    Connected(usize),
    /// It could not be opened and has no socket any more.
    Failed(usize, Errno),
    /// Bytes have come.
    Received(usize, Chunk),
    /// No more has come after a chunk that promised it.
    Quiet(usize),
    /// The other side has ended it, or it broke; it is still to be closed.
    Ended(usize),
}

/// Received bytes, wherever the driver keeps them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chunk {
    pub(crate) place: u32,
    pub(crate) start: u32,
    pub(crate) length: u32,
    /// When its last bytes came, where the kernel noted it: on the driver's clock.
    pub(crate) came_ns: Option<u64>,
    /// Another event of this connection is there already: more bytes, its end, or [`Event::Quiet`].
    pub(crate) more: bool,
}

pub(crate) fn monotonic_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn sleep_until(until_ns: u64) {
    let until = rustix::time::Timespec {
        tv_sec: (until_ns / 1_000_000_000) as i64,
        tv_nsec: (until_ns % 1_000_000_000) as i64,
    };
    // A signal ends it early, and the loop looks at the clock anyway.
    let _ = rustix::thread::clock_nanosleep_absolute(rustix::time::ClockId::Monotonic, &until);
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::net::TcpListener;
    use std::ops::Range;
    use std::thread;
    use std::time::Duration;

    use super::*;

    const MS: u64 = 1_000_000;

    fn event(driver: &mut impl Driver) -> Event {
        for _ in 0..1000 {
            if let Some(event) = driver.next() {
                return event;
            }
            let until_ns = driver.now_ns() + 20 * MS;
            driver.wait(until_ns).expect("a wait");
        }
        panic!("nothing happens");
    }

    /// Has a byte come, lie for a while, and be read: between when it was sent, and when it came by its note.
    fn byte(driver: &mut impl Driver, peer: &mut impl std::io::Write) -> (Range<u64>, Option<u64>) {
        let before_ns = driver.now_ns();
        peer.write_all(b"x").expect("a connection");
        let sent_ns = before_ns..driver.now_ns();
        thread::sleep(Duration::from_millis(20));
        loop {
            if let Event::Received(0, chunk) = event(driver) {
                assert_eq!(driver.bytes(chunk), b"x");
                driver.release(chunk);
                return (sent_ns, chunk.came_ns);
            }
        }
    }

    fn arrivals_are_noted_while_that_is_wanted(mut driver: impl Driver) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        driver.reserve(1).expect("room");
        driver.connect(0, &listener.local_addr().unwrap().into(), None).expect("a server");
        assert!(matches!(event(&mut driver), Event::Connected(0)));
        let (mut peer, _) = listener.accept().expect("a connection");
        for _ in 0..2 {
            assert_eq!(byte(&mut driver, &mut peer).1, None);
            driver.note_arrivals(true);
            // The kernel begins to note somewhat after it was asked for the first time.
            let noted = (0..500).find_map(|_| match byte(&mut driver, &mut peer) {
                (sent_ns, Some(came_ns)) => Some((sent_ns, came_ns)),
                (_, None) => None,
            });
            let (sent_ns, came_ns) = noted.expect("a note");
            // The two clocks are not read at the same moment.
            let about = sent_ns.start - 5 * MS..sent_ns.end + 5 * MS;
            assert!(about.contains(&came_ns), "{came_ns} {sent_ns:?}");
            driver.note_arrivals(false);
        }
    }

    fn what_comes_together_with_the_connection_is_told_of(mut driver: impl Driver) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        driver.reserve(1).expect("room");
        for says in [&b"early"[..], b""] {
            driver.connect(0, &listener.local_addr().unwrap().into(), None).expect("a server");
            let (mut peer, _) = listener.accept().expect("a connection");
            peer.write_all(says).expect("a connection");
            drop(peer);
            // All of it has come when the driver looks for the first time.
            thread::sleep(Duration::from_millis(20));
            assert!(matches!(event(&mut driver), Event::Connected(0)));
            if !says.is_empty() {
                let Event::Received(0, chunk) = event(&mut driver) else { panic!("it is not told of") };
                assert_eq!(driver.bytes(chunk), says);
                driver.release(chunk);
            }
            assert!(matches!(event(&mut driver), Event::Ended(0)));
            driver.close(0, false);
        }
    }

    #[test]
    fn epoll_notes_arrivals() {
        arrivals_are_noted_while_that_is_wanted(Epoll::new().expect("epoll"));
    }

    #[test]
    fn epoll_tells_of_what_comes_together_with_the_connection() {
        what_comes_together_with_the_connection_is_told_of(Epoll::new().expect("epoll"));
    }

    #[test]
    fn io_uring_notes_arrivals() {
        match Uring::new() {
            Ok(driver) => arrivals_are_noted_while_that_is_wanted(driver),
            Err(error) => eprintln!("left out: this kernel gives no io_uring: {error}"),
        }
    }

    #[test]
    fn io_uring_tells_of_what_comes_together_with_the_connection() {
        match Uring::new() {
            Ok(driver) => what_comes_together_with_the_connection_is_told_of(driver),
            Err(error) => eprintln!("left out: this kernel gives no io_uring: {error}"),
        }
    }
}
