//! The bytes of the bare client: its requests, and what every answer must be.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use crate::Outcome;
use crate::protocol::Protocol;

/// One connection's bytes.
pub(crate) struct Wire {
    protocol: Protocol,
    request: Vec<u8>,
    /// The stream of the request that was made last.
    stream: u32,
}

const FRAME_BYTES: usize = 9;
/// Frames as they stand on the wire: SETTINGS with nothing in it, and its acknowledgement.
const SETTINGS: [u8; FRAME_BYTES] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
const SETTINGS_ACK: [u8; FRAME_BYTES] = [0, 0, 0, 4, 1, 0, 0, 0, 0];
/// GET, http, and the path /, all from HPACK's static table; then :authority as a literal that is not kept.
const BLOCK: [u8; 4] = [0x82, 0x86, 0x84, 0x01];

impl Wire {
    /// Begins to speak on a connection that waits.
    pub(crate) fn begin(protocol: Protocol, socket: &mut TcpStream) -> Outcome<Self> {
        let host = socket.peer_addr()?.to_string();
        if protocol == Protocol::Http1 {
            let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n").into_bytes();
            return Ok(Self { protocol, request, stream: 0 });
        }
        socket.write_all(&[&b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..], &SETTINGS].concat())?;
        let mut said = [0; 2 * FRAME_BYTES];
        socket.read_exact(&mut said)?;
        if said != *[SETTINGS, SETTINGS_ACK].concat() {
            return Err(format!("the server began with {said:x?}").into());
        }
        socket.write_all(&SETTINGS_ACK)?;
        let block = [&BLOCK[..], &[host.len() as u8], host.as_bytes()].concat();
        // END_STREAM and END_HEADERS.
        let request = [&[0, 0, block.len() as u8, 1, 5, 0, 0, 0, 0], &block[..]].concat();
        Ok(Self { protocol, request, stream: u32::MAX })
    }

    pub(crate) fn request(&mut self) -> &[u8] {
        if self.protocol == Protocol::H2c {
            self.stream = self.stream.wrapping_add(2);
            self.request[FRAME_BYTES - 4..FRAME_BYTES].copy_from_slice(&self.stream.to_be_bytes());
        }
        &self.request
    }

    /// Whether this is the whole answer to the last request.
    pub(crate) fn is_answer(&self, answer: &[u8]) -> bool {
        match self.protocol {
            Protocol::Http1 => answer.starts_with(b"HTTP/1.1 200 ") && answer.ends_with(b"\r\n\r\nok"),
            Protocol::H2c => {
                let [a, b, c, d] = self.stream.to_be_bytes();
                answer == [0, 0, 1, 1, 4, a, b, c, d, 0x88, 0, 0, 2, 0, 1, a, b, c, d, b'o', b'k']
            }
        }
    }
}
