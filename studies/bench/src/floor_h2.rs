//! The floor over HTTP/2: a client that sends requests of which it knows each byte beforehand, and counts the frames that end a stream.
//! It checks no answer, decodes no head, keeps nothing of a stream and reads no clock; epoll, one read and one write for what came together.

use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::OwnedFd;

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use rustix::time::Timespec;

use velo_tests::faults_h2::wire::{
    ACK, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADER_BYTES, HEADERS, INITIAL_WINDOW_SIZE, PING, PREFACE,
    RST_STREAM, SETTINGS, header, settings, window_update,
};

use crate::Outcome;

const BUFFER_BYTES: usize = 256 * 1024;
/// So large that none has to be opened again; what is received is counted against it.
const WINDOW: u32 = (1 << 30) - 1;
const FIRST_WINDOW: u32 = 65_535;
/// How long an answer is waited for.
const PATIENCE: Timespec = Timespec { tv_sec: 5, tv_nsec: 0 };

/// What the client asks for.
pub(crate) struct Load<'a> {
    pub(crate) address: SocketAddr,
    pub(crate) connections: usize,
    pub(crate) streams: usize,
    pub(crate) requests: u64,
    pub(crate) path: &'a str,
}

/// Sends all requests and returns when each has its answer.
///
/// # Errors
/// Where there are fewer requests than connections, a connection cannot be made or ends, a stream is reset, or no answer comes for 5 s.
pub(crate) fn load(load: &Load<'_>) -> Outcome<()> {
    if load.streams == 0 || load.requests < load.connections as u64 {
        return Err("each connection needs a stream and a request".into());
    }
    let epoll = epoll::create(CreateFlags::CLOEXEC)?;
    let (mut unsent, mut answered) = (load.requests, 0);
    let mut connections = Vec::with_capacity(load.connections);
    for key in 0..load.connections {
        let mut connection = Connection::open(load)?;
        epoll::add(
            &epoll,
            &connection.socket,
            EventData::new_u64(key as u64),
            EventFlags::IN | EventFlags::RDHUP,
        )?;
        let first = unsent.min(load.streams as u64);
        connection.ask(first);
        unsent -= first;
        connection.flush()?;
        connections.push(connection);
    }
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut events = Vec::with_capacity(load.connections);
    while answered < load.requests {
        match epoll::wait(&epoll, spare_capacity(&mut events), Some(&PATIENCE)) {
            Ok(0) => return Err(format!("{} requests got no answer", load.requests - answered).into()),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        for event in events.drain(..) {
            let connection = &mut connections[event.data.u64() as usize];
            let ended = connection.receive(&mut buffer)?;
            answered += ended;
            let more = ended.min(unsent);
            unsent -= more;
            connection.ask(more);
            connection.flush()?;
        }
    }
    Ok(())
}

/// `velo-bench --floor-h2 ADDRESS CONNECTIONS STREAMS REQUESTS PATH`.
pub(crate) fn main(arguments: &[&str]) -> Outcome<()> {
    let [address, connections, streams, requests, path] = arguments else {
        return Err("usage: velo-bench --floor-h2 ADDRESS CONNECTIONS STREAMS REQUESTS PATH".into());
    };
    let asked = Load {
        address: address.parse()?,
        connections: connections.parse()?,
        streams: streams.parse()?,
        requests: requests.parse()?,
        path,
    };
    load(&asked)?;
    Ok(writeln!(std::io::stdout(), "{requests} requests")?)
}

struct Connection {
    socket: OwnedFd,
    next_stream: u32,
    out: Vec<u8>,
    /// The begin of a frame that has not come whole.
    kept: Vec<u8>,
    received: u64,
}

impl Connection {
    fn open(load: &Load<'_>) -> Outcome<Self> {
        let stream = TcpStream::connect(load.address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        let mut out = PREFACE.to_vec();
        out.extend(settings(&[(INITIAL_WINDOW_SIZE, WINDOW)]));
        out.extend(window_update(0, WINDOW - FIRST_WINDOW));
        // GET and http of the static table; path and authority are put into the table of the connection, where later requests find them.
        let authority = load.address.to_string();
        let mut block = vec![0x82, 0x86];
        for (index, text) in [(0x44, load.path), (0x41, authority.as_str())] {
            let length = u8::try_from(text.len()).ok().filter(|length| *length < 127);
            block.extend([index, length.ok_or("the path and the address may have at most 126 bytes")?]);
            block.extend(text.as_bytes());
        }
        frame(&mut out, HEADERS, END_STREAM | END_HEADERS, 1, &block);
        Ok(Self { socket: stream.into(), next_stream: 1, out, kept: Vec::new(), received: 0 })
    }

    /// Writes so many requests behind what is to be sent. The first of a connection is already there.
    fn ask(&mut self, requests: u64) {
        for _ in 0..requests {
            if self.next_stream > 1 {
                frame(
                    &mut self.out,
                    HEADERS,
                    END_STREAM | END_HEADERS,
                    self.next_stream,
                    &[0x82, 0x86, 0xbf, 0xbe],
                );
            }
            self.next_stream += 2;
        }
    }

    fn flush(&mut self) -> Outcome<()> {
        if self.out.is_empty() {
            return Ok(());
        }
        if send(&self.socket, &self.out, SendFlags::NOSIGNAL)? != self.out.len() {
            return Err("a socket did not take all requests".into());
        }
        self.out.clear();
        Ok(())
    }

    /// One read; how many streams ended in it.
    fn receive(&mut self, buffer: &mut [u8]) -> Outcome<u64> {
        let kept = self.kept.len();
        buffer[..kept].copy_from_slice(&self.kept);
        let count = match recv(&self.socket, &mut buffer[kept..], RecvFlags::empty()) {
            Ok((0, _)) => return Err("the server closed a connection".into()),
            Ok((count, _)) => count,
            Err(Errno::AGAIN) => return Ok(0),
            Err(error) => return Err(error.into()),
        };
        self.received += count as u64;
        if self.received >= u64::from(WINDOW) {
            return Err(
                "more was received on a connection than its window of 1 GiB: ask for fewer requests".into()
            );
        }
        let (mut ended, mut rest) = (0, &buffer[..kept + count]);
        while let Some((header, tail)) = rest.split_first_chunk::<HEADER_BYTES>() {
            let length = u32::from_be_bytes([0, header[0], header[1], header[2]]) as usize;
            let Some((payload, tail)) = tail.split_at_checked(length) else { break };
            match (header[3], header[4]) {
                (DATA | HEADERS, flags) => ended += u64::from(flags & END_STREAM),
                (SETTINGS, 0) => frame(&mut self.out, SETTINGS, ACK, 0, &[]),
                (PING, 0) => frame(&mut self.out, PING, ACK, 0, payload),
                (RST_STREAM | GOAWAY, _) => {
                    return Err("the server refused a stream or the connection".into());
                }
                _ => {}
            }
            rest = tail;
        }
        // A server that keeps to the settings sends frames of at most 16 KiB.
        if rest.len() > BUFFER_BYTES / 2 {
            return Err("a frame is longer than was allowed".into());
        }
        self.kept.clear();
        self.kept.extend_from_slice(rest);
        Ok(ended)
    }
}

fn frame(out: &mut Vec<u8>, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
    out.extend(header(payload.len(), kind, flags, stream));
    out.extend_from_slice(payload);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// Answers each stream of `connections` connections with an empty 204, and returns how many there were.
    async fn serve(listener: tokio::net::TcpListener, connections: usize) -> u64 {
        let mut served = Vec::new();
        for _ in 0..connections {
            let (socket, _) = listener.accept().await.unwrap();
            served.push(tokio::spawn(async move {
                let mut connection = h2::server::handshake(socket).await.unwrap();
                let mut answered = 0;
                while let Some(Ok((request, mut respond))) = connection.accept().await {
                    assert_eq!((request.uri().path(), request.method()), ("/f.txt", &http::Method::GET));
                    let mut body = respond.send_response(http::Response::new(()), false).unwrap();
                    body.send_data(bytes::Bytes::from_static(b"answer"), true).unwrap();
                    answered += 1;
                }
                answered
            }));
        }
        let mut answered = 0;
        for connection in served {
            answered += connection.await.unwrap();
        }
        answered
    }

    #[test]
    fn asks_another_implementation_for_exactly_so_many() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        listener.set_nonblocking(true).unwrap();
        let server = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async { serve(tokio::net::TcpListener::from_std(listener).unwrap(), 3).await })
        });
        load(&Load { address, connections: 3, streams: 7, requests: 1000, path: "/f.txt" }).unwrap();
        assert_eq!(server.join().unwrap(), 1000);
    }
}
