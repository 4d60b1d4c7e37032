//! Answers that never change, as bytes for each protocol.

use crate::http2::rendered::Frames;

/// An answer that is the same for every request.
pub struct Answer {
    /// Over HTTP/1.1 in two parts: a `Connection` field goes between them where one is needed.
    pub line: &'static str,
    pub rest: &'static str,
    /// Over HTTP/2.
    pub frames: Frames,
}

impl Answer {
    const fn new(
        line: &'static str,
        rest: &'static str,
        block: &'static [u8],
        body: &'static [u8],
    ) -> Answer {
        Answer { line, rest, frames: Frames::new(block, body) }
    }

    /// Without a body. The block begins with the status; its `content-length` is added here.
    const fn empty(line: &'static str, block: &'static [u8]) -> Answer {
        Answer::new(line, "Content-Length: 0\r\n\r\n", block, b"")
    }
}

// Blocks: 0x88 is `:status: 200` and so on in the static table, 0x08 a status that is not there; 0x0f 0x0d stands for
// `content-length`, 0x0f 0x10 for `content-type`, 0x0f 0x07 for `allow`, none of them to be inserted by the client.
pub static OK: Answer = Answer::empty("HTTP/1.1 200 OK\r\n", b"\x88\x0f\x0d\x010");
pub static WIN: Answer = Answer::new(
    "HTTP/1.1 200 OK\r\n",
    "Content-Type: application/json\r\nContent-Length: 12\r\n\r\n{\"win\":true}",
    b"\x88\x0f\x10\x10application/json\x0f\x0d\x0212",
    b"{\"win\":true}",
);
pub static LOSE: Answer = Answer::new(
    "HTTP/1.1 200 OK\r\n",
    "Content-Type: application/json\r\nContent-Length: 13\r\n\r\n{\"win\":false}",
    b"\x88\x0f\x10\x10application/json\x0f\x0d\x0213",
    b"{\"win\":false}",
);
pub static BAD_REQUEST: Answer = Answer::empty("HTTP/1.1 400 Bad Request\r\n", b"\x8c\x0f\x0d\x010");
pub static NOT_FOUND: Answer = Answer::empty("HTTP/1.1 404 Not Found\r\n", b"\x8d\x0f\x0d\x010");
pub static ONLY_GET: Answer = Answer::new(
    "HTTP/1.1 405 Method Not Allowed\r\n",
    "Allow: GET\r\nContent-Length: 0\r\n\r\n",
    b"\x08\x03405\x0f\x07\x03GET\x0f\x0d\x010",
    b"",
);
pub static ONLY_POST: Answer = Answer::new(
    "HTTP/1.1 405 Method Not Allowed\r\n",
    "Allow: POST\r\nContent-Length: 0\r\n\r\n",
    b"\x08\x03405\x0f\x07\x04POST\x0f\x0d\x010",
    b"",
);
pub static ONLY_PUT: Answer = Answer::new(
    "HTTP/1.1 405 Method Not Allowed\r\n",
    "Allow: PUT\r\nContent-Length: 0\r\n\r\n",
    b"\x08\x03405\x0f\x07\x03PUT\x0f\x0d\x010",
    b"",
);
pub static BODY_TOO_LARGE: Answer =
    Answer::empty("HTTP/1.1 413 Content Too Large\r\n", b"\x08\x03413\x0f\x0d\x010");
pub static EXPECTATION_FAILED: Answer =
    Answer::empty("HTTP/1.1 417 Expectation Failed\r\n", b"\x08\x03417\x0f\x0d\x010");
pub static HEAD_TOO_LARGE: Answer =
    Answer::empty("HTTP/1.1 431 Request Header Fields Too Large\r\n", b"\x08\x03431\x0f\x0d\x010");
pub static SERVER_ERROR: Answer =
    Answer::empty("HTTP/1.1 500 Internal Server Error\r\n", b"\x8e\x0f\x0d\x010");
pub static NOT_IMPLEMENTED: Answer =
    Answer::empty("HTTP/1.1 501 Not Implemented\r\n", b"\x08\x03501\x0f\x0d\x010");
pub static VERSION_NOT_SUPPORTED: Answer =
    Answer::empty("HTTP/1.1 505 HTTP Version Not Supported\r\n", b"\x08\x03505\x0f\x0d\x010");

#[cfg(test)]
pub static ALL: [&Answer; 14] = [
    &OK,
    &WIN,
    &LOSE,
    &BAD_REQUEST,
    &NOT_FOUND,
    &ONLY_GET,
    &ONLY_POST,
    &ONLY_PUT,
    &BODY_TOO_LARGE,
    &EXPECTATION_FAILED,
    &HEAD_TOO_LARGE,
    &SERVER_ERROR,
    &NOT_IMPLEMENTED,
    &VERSION_NOT_SUPPORTED,
];

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn lengths_are_right() {
        for answer in ALL {
            assert!(answer.line.ends_with("\r\n"));
            let (head, body) = answer.rest.split_once("\r\n\r\n").expect("a head has an end");
            assert!(head.ends_with(&format!("Content-Length: {}", body.len())), "{}", answer.rest);
        }
    }
}
