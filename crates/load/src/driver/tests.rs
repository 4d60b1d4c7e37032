use std::io::Write as _;
use std::net::{SocketAddr, TcpListener};
use std::ops::Range;
use std::thread;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{self, AddressFamily, SocketType};

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

fn a_connection_that_is_refused_fails(mut driver: impl Driver) {
    // Bound and not listening: nobody else can have the port meanwhile.
    let bound = net::socket(AddressFamily::INET, SocketType::STREAM, None).expect("a socket");
    net::bind(&bound, &SocketAddr::from(([127, 0, 0, 1], 0))).expect("a port");
    let address = SocketAddr::try_from(net::getsockname(&bound).expect("its name")).expect("an address");
    let endpoint = address.into();
    driver.reserve(1).expect("room");
    for _ in 0..2 {
        let refused = match driver.connect(0, &endpoint, None) {
            Ok(()) => matches!(event(&mut driver), Event::Failed(0, Errno::CONNREFUSED)),
            Err(error) => error == Errno::CONNREFUSED,
        };
        assert!(refused);
    }
}

/// Tries io_uring, or says that this kernel gives none.
fn with_io_uring(test: impl FnOnce(Uring)) {
    match Uring::new() {
        Ok(driver) => test(driver),
        Err(error) => eprintln!("left out: this kernel gives no io_uring: {error}"),
    }
}

#[test]
fn epoll_tells_of_a_connection_that_is_refused() {
    a_connection_that_is_refused_fails(Epoll::new().expect("epoll"));
}

#[test]
fn io_uring_tells_of_a_connection_that_is_refused() {
    with_io_uring(a_connection_that_is_refused_fails);
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
    with_io_uring(arrivals_are_noted_while_that_is_wanted);
}

#[test]
fn io_uring_tells_of_what_comes_together_with_the_connection() {
    with_io_uring(what_comes_together_with_the_connection_is_told_of);
}
