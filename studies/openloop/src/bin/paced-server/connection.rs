use std::os::fd::OwnedFd;

use rustix::event::epoll::EventFlags;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};

use crate::frames::{self, PREFACE};

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n";
/// What a client of HTTP/1.0 needs to be told.
const KEPT: &[u8] = b"Connection: keep-alive\r\n";
const END_OF_HEAD: &[u8] = b"\r\n";
const BODY: &[u8] = b"ok";
/// The longest head of a request.
const LONGEST_HEAD: usize = 16 << 10;
/// Unsent answers beyond which no request is taken.
const MOST_UNSENT: usize = 64 << 10;

/// A client's connection.
pub(crate) struct Connection {
    pub(crate) socket: OwnedFd,
    /// What it is watched for.
    pub(crate) watched: EventFlags,
    /// Tells it from others that had its place before.
    pub(crate) number: u64,
    /// The request whose answer is to be sent later; the next one waits for that.
    pub(crate) later: Option<Request>,
    received: Vec<u8>,
    taken: usize,
    body_left: usize,
    unsent: Vec<u8>,
    closes: bool,
    /// It speaks HTTP/2, and has said so.
    is_http2: bool,
    has_begun: bool,
}

/// What matters of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Request {
    is_head: bool,
    is_old: bool,
    closes: bool,
    body_bytes: usize,
    /// Of HTTP/2.
    stream: u32,
}

/// The connection is to be closed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Over;

impl Connection {
    pub(crate) fn new(socket: OwnedFd, number: u64, is_http2: bool) -> Self {
        Self {
            socket,
            watched: EventFlags::IN,
            number,
            later: None,
            received: Vec::new(),
            taken: 0,
            body_left: 0,
            unsent: Vec::new(),
            closes: false,
            is_http2,
            has_begun: false,
        }
    }

    /// Reads what there is, up to the size of the buffer.
    pub(crate) fn receive(&mut self, buffer: &mut [u8]) -> Result<(), Over> {
        match recv(&self.socket, &mut *buffer, RecvFlags::empty()) {
            Ok((0, _)) => Err(Over),
            Ok((got, _)) => {
                self.received.extend_from_slice(&buffer[..got]);
                Ok(())
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(()),
            Err(_) => Err(Over),
        }
    }

    /// Takes the next request, unless an answer has to leave first.
    pub(crate) fn next_request(&mut self) -> Result<Option<Request>, Over> {
        if self.is_http2 {
            return self.next_stream();
        }
        let body = self.body_left.min(self.received.len() - self.taken);
        self.body_left -= body;
        self.taken += body;
        let rest = &self.received[self.taken..];
        if self.later.is_some() || self.closes || self.unsent.len() > MOST_UNSENT {
            return Ok(None);
        }
        let Some(head_bytes) = rest.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4) else {
            let too_long = rest.len() > LONGEST_HEAD;
            self.received.drain(..std::mem::take(&mut self.taken));
            return if too_long { Err(Over) } else { Ok(None) };
        };
        let request = understand(&rest[..head_bytes]).ok_or(Over)?;
        self.taken += head_bytes;
        self.body_left = request.body_bytes;
        Ok(Some(request))
    }

    /// The same over HTTP/2: the requests of a connection are answered one after the other as well.
    fn next_stream(&mut self) -> Result<Option<Request>, Over> {
        if self.later.is_some() || self.unsent.len() > MOST_UNSENT {
            return Ok(None);
        }
        if !self.has_begun && self.received.len() >= PREFACE.len() {
            if !self.received.starts_with(PREFACE) {
                return Err(Over);
            }
            self.has_begun = true;
            self.taken = PREFACE.len();
            frames::begin(&mut self.unsent);
        }
        while self.has_begun
            && let Some(taken) =
                frames::take(&self.received[self.taken..], &mut self.unsent).map_err(|_| Over)?
        {
            self.taken += taken.bytes;
            if let Some(stream) = taken.request {
                return Ok(Some(Request { stream, ..Request::default() }));
            }
        }
        self.received.drain(..std::mem::take(&mut self.taken));
        Ok(None)
    }

    /// Puts the answer behind what is to be sent.
    pub(crate) fn answer(&mut self, request: Request) {
        if self.is_http2 {
            return frames::answer(request.stream, BODY, &mut self.unsent);
        }
        let kept = if request.is_old && !request.closes { KEPT } else { &[] };
        let body = if request.is_head { &[] } else { BODY };
        for part in [HEAD, kept, END_OF_HEAD, body] {
            self.unsent.extend_from_slice(part);
        }
        self.closes |= request.closes;
    }

    /// Sends as much as the socket takes.
    pub(crate) fn flush(&mut self) -> Result<(), Over> {
        if !self.unsent.is_empty() {
            match send(&self.socket, &self.unsent, SendFlags::NOSIGNAL) {
                Ok(sent) => drop(self.unsent.drain(..sent)),
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(_) => return Err(Over),
            }
        }
        if self.closes && self.unsent.is_empty() { Err(Over) } else { Ok(()) }
    }

    /// What it has to be watched for now.
    pub(crate) fn wants(&self) -> EventFlags {
        if !self.unsent.is_empty() {
            EventFlags::OUT
        } else if self.later.is_some() && self.received.len() > self.taken {
            // A client that sends on meanwhile is not read further.
            EventFlags::empty()
        } else {
            EventFlags::IN
        }
    }
}

/// Reads a head with its empty line. `None` when it cannot be answered.
fn understand(head: &[u8]) -> Option<Request> {
    let mut lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let start = lines.next()?;
    let is_old = start.ends_with(b" HTTP/1.0");
    if !is_old && !start.ends_with(b" HTTP/1.1") {
        return None;
    }
    let is_head = start.starts_with(b"HEAD ");
    let mut request = Request { is_head, is_old, closes: is_old, body_bytes: 0, stream: 0 };
    for line in lines.filter(|line| !line.is_empty()) {
        let colon = line.iter().position(|byte| *byte == b':')?;
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        if name.eq_ignore_ascii_case(b"content-length") {
            request.body_bytes = std::str::from_utf8(value).ok()?.parse().ok()?;
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            return None;
        } else if name.eq_ignore_ascii_case(b"connection") {
            request.closes = (is_old && !value.eq_ignore_ascii_case(b"keep-alive"))
                || value.eq_ignore_ascii_case(b"close");
        }
    }
    Some(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(is_head: bool, closes: bool, body_bytes: usize) -> Option<Request> {
        Some(Request { is_head, is_old: false, closes, body_bytes, stream: 0 })
    }

    fn old(closes: bool) -> Option<Request> {
        Some(Request { is_head: false, is_old: true, closes, body_bytes: 0, stream: 0 })
    }

    #[test]
    fn heads_are_understood() {
        assert_eq!(understand(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"), request(false, false, 0));
        assert_eq!(understand(b"HEAD /x?y HTTP/1.1\r\nconnection:  Close \r\n\r\n"), request(true, true, 0));
        assert_eq!(understand(b"POST / HTTP/1.1\r\nCONTENT-LENGTH: 13\r\n\r\n"), request(false, false, 13));
        assert_eq!(understand(b"GET / HTTP/1.0\r\n\r\n"), old(true));
        assert_eq!(understand(b"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"), old(false));
        for bad in [
            &b"\r\n\r\n"[..],
            b"GET / HTTP/2\r\n\r\n",
            b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
            b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        ] {
            assert_eq!(understand(bad), None, "{}", bad.escape_ascii());
        }
    }

    #[test]
    fn requests_are_taken_one_after_the_other_from_any_cuts() {
        let stream = b"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhelloGET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nConnection: close\r\n\r\n";
        for cut in 0..stream.len() {
            let (left, right) = rustix::net::socketpair(
                rustix::net::AddressFamily::UNIX,
                rustix::net::SocketType::STREAM,
                rustix::net::SocketFlags::NONBLOCK,
                None,
            )
            .expect("a pair of sockets");
            let mut connection = Connection::new(left, 0, false);
            let mut requests = Vec::new();
            for part in [&stream[..cut], &stream[cut..]] {
                if part.is_empty() {
                    continue;
                }
                send(&right, part, SendFlags::empty()).expect("room");
                connection.receive(&mut [0; 1024]).expect("open");
                while let Some(request) = connection.next_request().expect("good requests") {
                    connection.answer(request);
                    requests.push(request);
                }
            }
            let expected = [request(false, false, 5), request(false, false, 0), request(false, true, 0)];
            assert_eq!(requests, expected.map(|request| request.expect("a request")), "cut at {cut}");
            assert_eq!(connection.flush(), Err(Over), "the last request asked for it");
            let mut answers = [0; 1024];
            let (got, _) = recv(&right, &mut answers[..], RecvFlags::empty()).expect("answers");
            assert_eq!(answers[..got], *[HEAD, END_OF_HEAD, BODY].concat().repeat(3));
        }
    }
}
