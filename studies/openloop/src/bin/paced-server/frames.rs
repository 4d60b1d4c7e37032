//! HTTP/2 as far as a load of requests without bodies needs it: frames in, requests out. Fields are not looked at.

pub(crate) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const HEADER_BYTES: usize = 9;
/// The largest payload that a client may send to a server that has not said otherwise.
const LONGEST_PAYLOAD: usize = 1 << 14;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const CONTINUATION: u8 = 9;
const ACK: u8 = 1;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// What the first frame of a stream of bytes is.
pub(crate) struct Taken {
    /// The bytes that it has.
    pub(crate) bytes: usize,
    /// The stream of the request that it is, if it is one.
    pub(crate) request: Option<u32>,
}

/// A frame that cannot be answered: the connection is to be closed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unanswerable;

/// Takes a frame and appends what the protocol says to it; `None` while it is not whole.
pub(crate) fn take(input: &[u8], out: &mut Vec<u8>) -> Result<Option<Taken>, Unanswerable> {
    let Some((&[a, b, c, kind, flags, stream @ ..], rest)) = input.split_first_chunk::<HEADER_BYTES>() else {
        return Ok(None);
    };
    let length = u32::from_be_bytes([0, a, b, c]) as usize;
    if length > LONGEST_PAYLOAD {
        return Err(Unanswerable);
    }
    let Some(payload) = rest.get(..length) else { return Ok(None) };
    let mut request = None;
    match kind {
        HEADERS if flags & END_STREAM != 0 && flags & END_HEADERS != 0 => {
            request = Some(u32::from_be_bytes(stream));
        }
        // Bodies and long heads are not taken.
        HEADERS | DATA | CONTINUATION => return Err(Unanswerable),
        SETTINGS if flags & ACK == 0 => frame(SETTINGS, ACK, 0, &[], out),
        PING if flags & ACK == 0 => frame(PING, ACK, 0, payload, out),
        _ => {}
    }
    Ok(Some(Taken { bytes: HEADER_BYTES + length, request }))
}

/// What a server says first.
pub(crate) fn begin(out: &mut Vec<u8>) {
    frame(SETTINGS, 0, 0, &[], out);
}

/// An answer with status 200.
pub(crate) fn answer(stream: u32, body: &[u8], out: &mut Vec<u8>) {
    const STATUS_200: u8 = 0x88;
    frame(HEADERS, END_HEADERS, stream, &[STATUS_200], out);
    frame(DATA, END_STREAM, stream, body, out);
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&(payload.len() as u32).to_be_bytes()[1..]);
    out.extend_from_slice(&[kind, flags]);
    out.extend_from_slice(&stream.to_be_bytes());
    out.extend_from_slice(payload);
}

#[cfg(test)]
mod tests {
    use super::*;

    type Frame = Option<(usize, Option<u32>)>;

    fn taken(input: &[u8]) -> (Result<Frame, Unanswerable>, Vec<u8>) {
        let mut out = Vec::new();
        let taken = take(input, &mut out);
        (taken.map(|taken| taken.map(|taken| (taken.bytes, taken.request))), out)
    }

    #[test]
    fn frames_are_taken_whole() {
        let request = [0, 0, 1, 1, 5, 0, 0, 0, 3, 0x82];
        for cut in 0..request.len() {
            assert_eq!(taken(&request[..cut]), (Ok(None), vec![]), "{cut}");
        }
        assert_eq!(taken(&request), (Ok(Some((10, Some(3)))), vec![]));
        assert_eq!(
            taken(&[0, 0, 0, 4, 0, 0, 0, 0, 0]),
            (Ok(Some((9, None))), vec![0, 0, 0, 4, 1, 0, 0, 0, 0])
        );
        assert_eq!(taken(&[0, 0, 0, 4, 1, 0, 0, 0, 0]), (Ok(Some((9, None))), vec![]));
    }

    #[test]
    fn what_cannot_be_answered_ends_the_connection() {
        for kind in [DATA, HEADERS, CONTINUATION] {
            assert_eq!(taken(&[0, 0, 0, kind, 0, 0, 0, 0, 1]).0, Err(Unanswerable));
        }
        assert_eq!(taken(&[0, 0x40, 1, 9, 0, 0, 0, 0, 1]).0, Err(Unanswerable));
    }

    #[test]
    fn an_answer_is_a_head_and_a_body() {
        let mut out = Vec::new();
        answer(3, b"ok", &mut out);
        assert_eq!(out, [0, 0, 1, 1, 4, 0, 0, 0, 3, 0x88, 0, 0, 2, 0, 1, 0, 0, 0, 3, b'o', b'k']);
    }
}
