//! The head of a request: its method and path, read with a bound.

use std::io::{self, Read};

use crate::part::Conditions;

/// A longer head is nobody's request for a file.
const LONGEST: usize = 16 * 1024;
const MOST_HEADERS: usize = 100;

/// What was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) path: String,
    pub(crate) is_head: bool,
    /// The client wants the connection closed after the answer.
    pub(crate) closes: bool,
    pub(crate) conditions: Conditions,
}

/// Why there is no request to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoRequest {
    /// The connection ended, or does not work.
    Ended,
    /// It is no HTTP/1.1, too long, or asks for something else than a file.
    Refused,
}

/// The bytes of a connection that are not answered yet.
#[derive(Debug, Default)]
pub(crate) struct Pending(Vec<u8>);

impl Pending {
    /// Reads to the end of a head.
    pub(crate) fn read(&mut self, connection: &mut impl Read) -> Result<Asked, NoRequest> {
        loop {
            if let Some((asked, bytes)) = parse(&self.0)? {
                self.0.drain(..bytes);
                return Ok(asked);
            }
            if self.0.len() > LONGEST {
                return Err(NoRequest::Refused);
            }
            let mut piece = [0; 4096];
            match connection.read(&mut piece) {
                Ok(0) => return Err(NoRequest::Ended),
                Ok(count) => self.0.extend_from_slice(&piece[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Err(NoRequest::Ended),
            }
        }
    }
}

/// A request and how many bytes its head takes; `None`: it has not ended yet.
fn parse(bytes: &[u8]) -> Result<Option<(Asked, usize)>, NoRequest> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let length = match request.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(_) => return Err(NoRequest::Refused),
    };
    let is_head = match request.method {
        Some("GET") => false,
        Some("HEAD") => true,
        _ => return Err(NoRequest::Refused),
    };
    let has_body = |header: &&httparse::Header<'_>| {
        header.name.eq_ignore_ascii_case("transfer-encoding")
            || (header.name.eq_ignore_ascii_case("content-length") && header.value != b"0")
    };
    if request.headers.iter().find(has_body).is_some() {
        return Err(NoRequest::Refused);
    }
    let says_close = request.headers.iter().any(|header| {
        header.name.eq_ignore_ascii_case("connection") && header.value.eq_ignore_ascii_case(b"close")
    });
    let closes = says_close || request.version == Some(0);
    let text = |name: &str| {
        let header = request.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name))?;
        str::from_utf8(header.value).ok().map(str::to_owned)
    };
    let conditions = Conditions {
        range: text("range"),
        if_range: text("if-range"),
        if_none_match: text("if-none-match"),
        if_modified_since: text("if-modified-since"),
    };
    let path = request.path.unwrap_or_default();
    // Some clients send the whole address, as they would to a proxy.
    let path =
        path.strip_prefix("http://").and_then(|rest| rest.find('/').map(|at| &rest[at..])).unwrap_or(path);
    Ok(Some((Asked { path: path.to_owned(), is_head, closes, conditions }, length)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(mut bytes: &[u8]) -> Result<Asked, NoRequest> {
        Pending::default().read(&mut bytes)
    }

    #[test]
    fn a_request_is_a_method_and_a_path() {
        let asked = |path: &str, is_head, closes, range: Option<&str>| {
            let conditions = Conditions { range: range.map(str::to_owned), ..Conditions::default() };
            Asked { path: path.to_owned(), is_head, closes, conditions }
        };
        let found = read(b"GET /a/b HTTP/1.1\r\nHost: x\r\nrange: bytes=1-\r\n\r\n").unwrap();
        assert_eq!(found, asked("/a/b", false, false, Some("bytes=1-")));
        let found = read(b"HEAD http://x:1/a HTTP/1.1\r\nConnection: Close\r\nRange: \xff\r\n\r\n").unwrap();
        assert_eq!(found, asked("/a", true, true, None));
        assert!(read(b"GET / HTTP/1.0\r\n\r\n").unwrap().closes);
    }

    #[test]
    fn two_requests_may_come_at_once() {
        let mut bytes = &b"GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n"[..];
        let mut pending = Pending::default();
        assert_eq!(pending.read(&mut bytes).unwrap().path, "/1");
        assert_eq!(pending.read(&mut bytes).unwrap().path, "/2");
        assert_eq!(pending.read(&mut bytes), Err(NoRequest::Ended));
    }

    #[test]
    fn others_are_refused() {
        assert_eq!(read(b"POST / HTTP/1.1\r\n\r\n"), Err(NoRequest::Refused));
        assert_eq!(read(b"GET / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"), Err(NoRequest::Refused));
        assert_eq!(read(b"\x16\x03\x01\r\n\r\n"), Err(NoRequest::Refused));
        let endless = [b"GET / HTTP/1.1\r\nA: ".to_vec(), vec![b'a'; 100_000]].concat();
        assert_eq!(read(&endless), Err(NoRequest::Refused));
        assert_eq!(read(b"GET / HT"), Err(NoRequest::Ended));
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_much(bytes in proptest::collection::vec(any::<u8>(), 0..2_000)) {
            let _ = read(&bytes);
        }
    }
}
