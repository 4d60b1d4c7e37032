//! Requests off a connection.

use std::io::{self, Read};

/// What the server needs to know of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) is_head: bool,
    pub(super) path: String,
    pub(super) is_http10: bool,
    /// The client expects the connection to stay.
    pub(super) keep_alive: bool,
}

/// Reads requests, pipelined ones too.
#[derive(Debug, Default)]
pub(super) struct Reader {
    received: Vec<u8>,
}

/// Head and body of a request; whoever sends more is no load generator.
const MOST_BYTES: usize = 4 * 1024 * 1024;

impl Reader {
    /// The next request that is there whole; `None` when the connection has ended.
    pub(super) fn next(&mut self, stream: &mut impl Read) -> io::Result<Option<Request>> {
        let mut buffer = [0; 16 * 1024];
        loop {
            if let Some((request, length)) = parse(&self.received)? {
                self.received.drain(..length);
                return Ok(Some(request));
            }
            if self.received.len() > MOST_BYTES {
                return Err(io::Error::other("a request of over 4 MiB"));
            }
            match stream.read(&mut buffer) {
                Ok(0) => return Ok(None),
                Ok(got) => self.received.extend_from_slice(&buffer[..got]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

fn parse(bytes: &[u8]) -> io::Result<Option<(Request, usize)>> {
    let Some(head_end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { return Ok(None) };
    let malformed = || io::Error::other("not an HTTP/1 request");
    let head = std::str::from_utf8(&bytes[..head_end]).map_err(|_| malformed())?;
    let mut lines = head.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(path), Some(version)) = (words.next(), words.next(), words.next()) else {
        return Err(malformed());
    };
    let is_http10 = version == "HTTP/1.0";
    let (mut length, mut keep_alive) = (0, !is_http10);
    for line in lines {
        let (name, value) = line.split_once(':').ok_or_else(malformed)?;
        let value = value.trim();
        if name.eq_ignore_ascii_case("content-length") {
            length = value.parse::<usize>().map_err(|_| malformed())?;
        } else if name.eq_ignore_ascii_case("connection") {
            keep_alive = match value.to_ascii_lowercase().as_str() {
                "close" => false,
                "keep-alive" => true,
                _ => keep_alive,
            };
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            return Err(io::Error::other("chunked requests are not understood"));
        }
    }
    let whole = head_end + 4 + length.min(MOST_BYTES);
    let request = Request { is_head: method == "HEAD", path: path.to_owned(), is_http10, keep_alive };
    Ok((bytes.len() >= whole).then_some((request, whole)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipelined_requests_with_bodies_come_one_by_one() {
        let bytes = b"POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nxyzHEAD /b HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\nGET";
        let (mut reader, mut stream) = (Reader::default(), &bytes[..]);
        let first = reader.next(&mut stream).unwrap().unwrap();
        assert_eq!((first.path.as_str(), first.is_head, first.keep_alive), ("/a", false, true));
        let second = reader.next(&mut stream).unwrap().unwrap();
        assert_eq!((second.path.as_str(), second.is_head, second.is_http10), ("/b", true, true));
        assert!(second.keep_alive);
        assert_eq!(reader.next(&mut stream).unwrap(), None, "half a request is none");
    }

    #[test]
    fn what_is_no_request_is_an_error() {
        for bytes in [&b"\r\n\r\n"[..], b"GET /\r\n\r\n", b"GET / HTTP/1.1\r\nno colon\r\n\r\n"] {
            assert!(Reader::default().next(&mut &bytes[..]).is_err(), "{bytes:?}");
        }
    }
}
