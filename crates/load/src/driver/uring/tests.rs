use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt::set_socket_recv_buffer_size;

use super::state::File;
use super::*;
use crate::driver::{Driver, Event};

const MS: u64 = 1_000_000;
const SOON: Duration = Duration::from_secs(20);

/// A driver; `None`, and said, where this kernel gives none.
fn driver() -> Option<Uring> {
    Uring::new().inspect_err(|error| eprintln!("left out: this kernel gives no io_uring: {error}")).ok()
}

fn event(driver: &mut Uring) -> Event {
    for _ in 0..1000 {
        if let Some(event) = driver.next() {
            return event;
        }
        driver.wait(driver.now_ns() + 20 * MS).expect("a wait");
    }
    panic!("nothing happens");
}

fn connect(driver: &mut Uring, connection: usize, listener: &TcpListener) -> TcpStream {
    driver.connect(connection, &listener.local_addr().unwrap().into(), None).expect("a server");
    assert!(matches!(event(driver), Event::Connected(it) if it == connection));
    let (peer, _) = listener.accept().expect("a connection");
    peer.set_read_timeout(Some(SOON)).expect("a socket");
    peer
}

fn echoes(driver: &mut Uring, connection: usize, peer: &mut TcpStream) {
    driver.send(connection, b"ping");
    driver.wait(0).expect("a wait");
    let mut buffer = [0; 4];
    peer.read_exact(&mut buffer).expect("what was sent");
    assert_eq!(&buffer, b"ping");
    peer.write_all(b"pong").expect("a connection");
    let Event::Received(it, chunk) = event(driver) else { panic!("not what was sent") };
    assert_eq!((it, driver.bytes(chunk)), (connection, &b"pong"[..]));
    driver.release(chunk);
}

/// Whether a connection has ended for its other side, which reads nothing.
fn ends(peer: &TcpStream) -> bool {
    let mut watched = [PollFd::new(peer, PollFlags::HUP | PollFlags::RDHUP)];
    let timeout = Timespec { tv_sec: SOON.as_secs() as i64, tv_nsec: 0 };
    poll(&mut watched, Some(&timeout)).expect("a poll") == 1
}

#[test]
fn connections_beyond_the_table_work_like_those_in_it() {
    for notes in [false, true] {
        let Some(mut driver) = driver() else { return };
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        driver.make_table(3);
        driver.note_arrivals(notes);
        let mut peers = Vec::new();
        for room in [2, 3, 7] {
            driver.reserve(room).expect("room");
            while peers.len() < room {
                peers.push(connect(&mut driver, peers.len(), &listener));
            }
            for (connection, peer) in peers.iter_mut().enumerate() {
                echoes(&mut driver, connection, peer);
            }
        }
        for (connection, reset) in [(0, true), (1, false), (5, true), (6, false)] {
            driver.close(connection, reset);
            assert!(ends(&peers[connection]), "{connection}");
            let outcome = peers[connection].read(&mut [0]).map_err(|error| error.kind());
            assert_eq!(outcome, if reset { Err(ErrorKind::ConnectionReset) } else { Ok(0) }, "{connection}");
            peers[connection] = connect(&mut driver, connection, &listener);
        }
        for (connection, peer) in peers.iter_mut().enumerate() {
            echoes(&mut driver, connection, peer);
        }
        drop(driver);
        assert!(peers.iter().all(ends));
    }
}

#[test]
fn a_socket_that_sends_again_is_in_the_table() {
    let Some(mut driver) = driver() else { return };
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    driver.reserve(1).expect("room");
    for reset in [false, true, false] {
        let mut peer = connect(&mut driver, 0, &listener);
        for is_in_table in [false, true, true] {
            echoes(&mut driver, 0, &mut peer);
            assert_eq!(matches!(driver.slots[0].file, File::Table(0)), is_in_table);
        }
        driver.close(0, reset);
        assert!(ends(&peer));
    }
}

#[test]
fn a_connection_that_the_other_side_ended_is_closed_by_closing_its_socket() {
    let Some(mut driver) = driver() else { return };
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    driver.reserve(1).expect("room");
    for _ in 0..3 {
        let mut peer = connect(&mut driver, 0, &listener);
        echoes(&mut driver, 0, &mut peer);
        peer.shutdown(Shutdown::Write).expect("a connection");
        assert!(matches!(event(&mut driver), Event::Ended(0)));
        driver.close(0, false);
        assert_eq!(peer.read(&mut [0]).expect("the end"), 0);
    }
}

#[test]
fn a_connection_is_reset_while_its_socket_is_full() {
    for bytes in [1000, 100_000] {
        let Some(mut driver) = driver() else { return };
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        set_socket_recv_buffer_size(&listener, 4096).expect("a buffer");
        driver.reserve(1).expect("room");
        let peer = connect(&mut driver, 0, &listener);
        // Far more than the kernel keeps for a socket.
        for _ in 0..32_000_000 / bytes {
            driver.send(0, &vec![b'x'; bytes]);
            driver.wait(0).expect("a wait");
        }
        assert!(driver.sends.are_under_way());
        driver.close(0, true);
        assert!(ends(&peer));
        // Its memory is given back, and the next socket gets none of the bytes.
        let mut peer = connect(&mut driver, 0, &listener);
        echoes(&mut driver, 0, &mut peer);
        assert!(!driver.sends.are_under_way());
    }
}

/// Lets a test use a driver on a thread that is not its own, where the kernel refuses it.
struct Elsewhere<'a>(&'a mut Uring);

// SAFETY: the thread that it goes to has ended before the driver is used again.
unsafe impl Send for Elsewhere<'_> {}

impl Elsewhere<'_> {
    fn driver(&mut self) -> &mut Uring {
        self.0
    }
}

#[test]
fn a_ring_that_takes_no_entries_is_given_up() {
    let Some(mut driver) = driver() else { return };
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    // The second connection is known by its descriptor, which the next socket may get.
    driver.make_table(1);
    driver.reserve(2000).expect("room");
    let peers = [0, 1].map(|connection| connect(&mut driver, connection, &listener));
    let mut elsewhere = Elsewhere(&mut driver);
    thread::scope(|scope| {
        scope.spawn(move || {
            let driver = elsewhere.driver();
            driver.send(0, b"old");
            driver.send(1, b"old");
            driver.wait(0).expect_err("a ring of another thread");
            driver.close(0, false);
            driver.close(1, false);
            // More than the ring has room for: it does not wait for that.
            for connection in 0..2000 {
                driver.connect(connection, &listener.local_addr().unwrap().into(), None).expect("a server");
                if connection > 1 {
                    driver.close(connection, false);
                }
            }
            let mut others = listener.incoming().flatten();
            let mut others = [others.next(), others.next()].map(|other| other.expect("a connection"));
            // Nothing that was for the old sockets comes to the new ones, also on a thread that may enter the ring.
            driver.wait(0).expect_err("a ring that was given up");
            driver.close(0, false);
            driver.close(1, false);
            for other in &mut others {
                other.set_read_timeout(Some(SOON)).expect("a socket");
                assert_eq!(other.read(&mut [0; 8]).expect("the end"), 0);
            }
        });
    });
    driver.wait(0).expect_err("a ring that was given up");
    assert!(driver.sleep(0).is_err() && driver.reserve(3000).is_err());
    drop(driver);
    for mut peer in peers {
        assert_eq!(peer.read(&mut [0; 8]).expect("the end"), 0);
    }
}
