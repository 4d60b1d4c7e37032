use std::collections::VecDeque;
use std::io;
use std::net::IpAddr;

use rustix::io::Errno;

use super::requests::{BEFORE_ID, SHORTEST_BET};
use crate::driver::{Chunk, Driver, Event};
use crate::target::Endpoint;

/// The server of a case.
#[derive(Debug, Clone, Copy)]
pub(super) enum Answers {
    Coin,
    ChunkedCoin,
    Http2Coin,
    GrpcCoin,
    User,
}

/// How its answers come.
#[derive(Debug, Clone, Copy)]
pub(super) enum Delivery {
    Whole,
    ByteByByte,
}

/// Answers every request as soon as it is sent, from memory that is kept; a wait hands out a few answers at once, as the
/// kernel does under load.
pub(super) struct InMemory {
    now_ns: u64,
    answers: Answers,
    delivery: Delivery,
    /// Connections with something to tell, the oldest first.
    ready: VecDeque<usize>,
    /// How many of them the last wait has told of.
    told: usize,
    slots: Vec<Slot>,
    /// Bets so far, of which every other is won.
    answered: usize,
}

#[derive(Default)]
struct Slot {
    is_open: bool,
    answer: Vec<u8>,
    /// How much of the answer was handed out.
    at: usize,
}

/// What a wait tells of at most.
const BATCH: usize = 8;
/// From one event to the next: as at 200,000 answers a second.
const EVENT_NS: u64 = 5_000;

const WIN: &str = concat!(
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n",
    "{\"win\": true}"
);
const LOSS: &str = concat!(
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n",
    "{\"win\": false}"
);
const CHUNKED_WIN: &str = concat!(
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
    "7\r\n{\"win\":\r\n6\r\n true}\r\n0\r\n\r\n"
);
const CHUNKED_LOSS: &str = concat!(
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
    "7\r\n{\"win\":\r\n7\r\n false}\r\n0\r\n\r\n"
);
const USER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ";

impl InMemory {
    pub(super) fn new(answers: Answers, delivery: Delivery) -> Self {
        Self {
            now_ns: 1_000_000_000,
            answers,
            delivery,
            ready: VecDeque::new(),
            told: 0,
            slots: Vec::new(),
            answered: 0,
        }
    }
}

/// SETTINGS, empty.
const SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
const PREFACE: usize = 24;
/// Status 200 and the content type and length, each of a known name, as frames whose streams are to be filled in.
const HTTP2_WIN: &[u8] = b"\0\0\x19\x01\x04\0\0\0\0\x88\x0f\x10\x10application/json\x0f\x0d\x0213\0\0\x0d\0\x01\0\0\0\0{\"win\": true}";
const HTTP2_LOSS: &[u8] =
    b"\0\0\x19\x01\x04\0\0\0\0\x88\x0f\x10\x10application/json\x0f\x0d\x0214\0\0\x0e\0\x01\0\0\0\0{\"win\": false}";
/// Where the second frame of these begins.
const HTTP2_BODY: usize = 9 + 0x19;

/// Head, message and trailers, whose streams are to be filled in as well.
const GRPC_WIN: &[u8] = b"\0\0\x14\x01\x04\0\0\0\0\x88\x0f\x10\x10application/grpc\0\0\x07\0\0\0\0\0\0\0\0\0\0\x02\x08\x01\0\0\x0f\x01\x05\0\0\0\0\0\x0bgrpc-status\x010";
const GRPC_LOSS: &[u8] = b"\0\0\x14\x01\x04\0\0\0\0\x88\x0f\x10\x10application/grpc\0\0\x07\0\0\0\0\0\0\0\0\0\0\x02\x08\0\0\0\x0f\x01\x05\0\0\0\0\0\x0bgrpc-status\x010";
/// Where the frames behind the first begin.
const GRPC_MESSAGE: usize = 9 + 0x14;
const GRPC_TRAILERS: usize = GRPC_MESSAGE + 9 + 7;

/// The answers of a server over HTTP/2.
#[derive(Clone, Copy)]
struct Framed {
    win: &'static [u8],
    loss: &'static [u8],
    /// Where each frame begins.
    frames: &'static [usize],
}

const HTTP2: Framed = Framed { win: HTTP2_WIN, loss: HTTP2_LOSS, frames: &[0, HTTP2_BODY] };
const GRPC: Framed = Framed { win: GRPC_WIN, loss: GRPC_LOSS, frames: &[0, GRPC_MESSAGE, GRPC_TRAILERS] };

/// Appends the answers to frames: SETTINGS to the first, and a coin's to each that ends a request.
fn answer_framed(framed: Framed, mut frames: &[u8], answered: &mut usize, answer: &mut Vec<u8>) {
    if frames.starts_with(b"PRI") {
        frames = &frames[PREFACE..];
        answer.extend_from_slice(&SETTINGS);
    }
    while let Some((&[a, b, c, kind, flags, stream @ ..], rest)) = frames.split_first_chunk::<9>() {
        let length = u32::from_be_bytes([0, a, b, c]) as usize;
        // DATA or HEADERS that are the last of their stream.
        if kind < 2 && flags & 1 == 1 {
            *answered += 1;
            let start = answer.len();
            answer.extend_from_slice(if answered.is_multiple_of(2) { framed.loss } else { framed.win });
            for at in framed.frames {
                answer[start + at + 5..start + at + 9].copy_from_slice(&stream);
            }
        }
        frames = rest.get(length..).unwrap_or_default();
    }
}

/// Appends the answer to a request for a user.
fn answer_user(request: &[u8], answer: &mut Vec<u8>) {
    let id = request.strip_prefix(BEFORE_ID).unwrap_or_default();
    let digits = id.iter().take_while(|b| b.is_ascii_digit()).count();
    answer.extend_from_slice(USER);
    // Ids have at most six digits.
    answer.push(b'0' + digits as u8);
    answer.extend_from_slice(b"\r\n\r\n");
    answer.extend_from_slice(&id[..digits]);
}

impl Driver for InMemory {
    const NAME: &'static str = "memory";

    fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn reserve(&mut self, connections: usize) -> io::Result<()> {
        self.slots.resize_with(connections, Slot::default);
        self.ready.reserve(connections);
        Ok(())
    }

    fn connect(&mut self, connection: usize, _: &Endpoint, _: Option<IpAddr>) -> Result<(), Errno> {
        self.ready.push_back(connection);
        Ok(())
    }

    fn send(&mut self, connection: usize, bytes: &[u8]) {
        let slot = &mut self.slots[connection];
        if slot.at == slot.answer.len() {
            slot.answer.clear();
            slot.at = 0;
            self.ready.push_back(connection);
        }
        match self.answers {
            Answers::Coin | Answers::ChunkedCoin => {
                // A pipeline has several bets, of which each is one byte longer at most.
                for _ in 0..bytes.len() / SHORTEST_BET.len() {
                    self.answered += 1;
                    let answer = match (self.answers, self.answered % 2) {
                        (Answers::ChunkedCoin, 0) => CHUNKED_LOSS,
                        (Answers::ChunkedCoin, _) => CHUNKED_WIN,
                        (_, 0) => LOSS,
                        _ => WIN,
                    };
                    slot.answer.extend_from_slice(answer.as_bytes());
                }
            }
            Answers::Http2Coin => answer_framed(HTTP2, bytes, &mut self.answered, &mut slot.answer),
            Answers::GrpcCoin => answer_framed(GRPC, bytes, &mut self.answered, &mut slot.answer),
            Answers::User => answer_user(bytes, &mut slot.answer),
        }
    }

    fn close(&mut self, connection: usize, _: bool) {
        self.slots[connection] = Slot::default();
        self.ready.retain(|&other| other != connection);
    }

    fn wait(&mut self, until_ns: u64) -> io::Result<()> {
        self.told = self.ready.len().min(BATCH);
        if self.told == 0 {
            self.now_ns = self.now_ns.max(until_ns);
        }
        Ok(())
    }

    fn note_arrivals(&mut self, _: bool) {}

    fn sleep(&mut self, until_ns: u64) -> io::Result<bool> {
        self.now_ns = self.now_ns.max(until_ns);
        Ok(true)
    }

    fn next(&mut self) -> Option<Event> {
        self.told = self.told.checked_sub(1)?;
        let connection = self.ready.pop_front()?;
        self.now_ns += EVENT_NS;
        let slot = &mut self.slots[connection];
        if !slot.is_open {
            slot.is_open = true;
            return Some(Event::Connected(connection));
        }
        let left = slot.answer.len() - slot.at;
        let length = match self.delivery {
            Delivery::Whole => left,
            Delivery::ByteByByte => 1,
        };
        if length < left {
            self.ready.push_back(connection);
        }
        let chunk =
            Chunk { place: connection as u32, start: 0, length: length as u32, came_ns: None, more: false };
        Some(Event::Received(connection, chunk))
    }

    fn bytes(&self, chunk: Chunk) -> &[u8] {
        let slot = &self.slots[chunk.place as usize];
        &slot.answer[slot.at..][..chunk.length as usize]
    }

    fn release(&mut self, chunk: Chunk) {
        self.slots[chunk.place as usize].at += chunk.length as usize;
    }
}
