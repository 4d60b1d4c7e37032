//! The floor: a client that only sends and receives. One request in flight on each connection, epoll edge-triggered, as
//! cheap as two system calls per request can be. Whatever one read brings it takes for one whole answer; the server's
//! count shows whether that was so.

use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};

use crate::Outcome;

const TIMER: u64 = u64::MAX;
/// How long the last answers are waited for.
const DRAIN: Timespec = Timespec { tv_sec: 2, tv_nsec: 0 };

/// Loads for so long, waits for the last answers, and returns how many came.
pub(crate) fn load(
    address: SocketAddr,
    connections: usize,
    duration: Duration,
    request: &[u8],
) -> Outcome<u64> {
    let epoll = epoll::create(CreateFlags::CLOEXEC)?;
    let sockets = (0..connections).map(|_| connect(address)).collect::<std::io::Result<Vec<_>>>()?;
    for (key, socket) in (0..).zip(&sockets) {
        epoll::add(
            &epoll,
            socket,
            EventData::new_u64(key),
            EventFlags::IN | EventFlags::RDHUP | EventFlags::ET,
        )?;
    }
    // A timer, so that no clock is read.
    let timer = timer(duration)?;
    epoll::add(&epoll, &timer, EventData::new_u64(TIMER), EventFlags::IN)?;
    for socket in &sockets {
        send_all(socket, request)?;
    }
    let mut buffer = vec![0; 16 * 1024];
    let mut events = Vec::with_capacity(512);
    let (mut answers, mut in_flight, mut sending) = (0, sockets.len(), true);
    while in_flight > 0 {
        let wait = if sending { None } else { Some(&DRAIN) };
        match epoll::wait(&epoll, spare_capacity(&mut events), wait) {
            Ok(0) => return Err(format!("{in_flight} requests got no answer").into()),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        for event in events.drain(..) {
            let key = event.data.u64();
            if key == TIMER {
                sending = false;
                epoll::delete(&epoll, &timer)?;
                continue;
            }
            let socket = &sockets[key as usize];
            match recv(socket, &mut buffer[..], RecvFlags::empty()) {
                Ok((0, _)) => return Err("the server closed a connection".into()),
                Ok(_) => answers += 1,
                Err(Errno::AGAIN) => continue,
                Err(error) => return Err(error.into()),
            }
            if sending {
                send_all(socket, request)?;
            } else {
                in_flight -= 1;
            }
        }
    }
    Ok(answers)
}

/// `velo-bench --floor ADDRESS CONNECTIONS SECONDS FILE`.
pub(crate) fn main(arguments: &[&str]) -> Outcome<()> {
    let [address, connections, seconds, file] = arguments else {
        return Err("usage: velo-bench --floor ADDRESS CONNECTIONS SECONDS FILE".into());
    };
    let request = std::fs::read(file).map_err(|error| format!("{file}: {error}"))?;
    let answers =
        load(address.parse()?, connections.parse()?, Duration::from_secs(seconds.parse()?), &request)?;
    Ok(writeln!(std::io::stdout(), "{answers} requests")?)
}

fn connect(address: SocketAddr) -> std::io::Result<OwnedFd> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_nonblocking(true)?;
    Ok(stream.into())
}

fn timer(duration: Duration) -> Result<OwnedFd, Errno> {
    let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC)?;
    let value = Timespec { tv_sec: duration.as_secs() as i64, tv_nsec: i64::from(duration.subsec_nanos()) };
    let once = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value: value };
    timerfd_settime(&timer, TimerfdTimerFlags::empty(), &once)?;
    Ok(timer)
}

fn send_all(socket: impl AsFd, request: &[u8]) -> Outcome<()> {
    if send(socket, request, SendFlags::NOSIGNAL)? == request.len() {
        return Ok(());
    }
    Err("a socket did not take a whole request".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::net::TcpListener;

    #[test]
    fn counts_the_answers_that_a_server_gave() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = std::thread::spawn(move || {
            let serve = |mut stream: TcpStream| {
                std::thread::spawn(move || {
                    let (mut request, mut answered) = ([0; 4], 0);
                    while stream.read_exact(&mut request).is_ok() {
                        stream.write_all(b"answer").unwrap();
                        answered += 1;
                    }
                    answered
                })
            };
            let threads: Vec<_> = (0..3).map(|_| serve(listener.accept().unwrap().0)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum::<u64>()
        });
        let answers = load(address, 3, Duration::from_millis(20), b"ask!").unwrap();
        assert!(answers >= 3);
        assert_eq!(answers, server.join().unwrap());
    }
}
