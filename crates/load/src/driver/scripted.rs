//! A driver without sockets, in a time of its own: what it is told to do happens exactly then, so that what the loop makes
//! of it can be known to the nanosecond.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::io;
use std::net::IpAddr;

use rustix::io::Errno;

use super::border::{Chunk, Driver, Event};
use crate::target::Endpoint;

/// What is told of after a wait at most, as with epoll.
const MOST_TOLD: usize = 256;

/// What a server says to a request, and when.
type Script = dyn FnMut(Request<'_>) -> Vec<(u64, Said)>;

/// What a server does: connections take `connect_ns`; a request is answered as the script says.
pub(crate) struct Scripted {
    now_ns: u64,
    /// What has happened by then is told of.
    seen_ns: u64,
    /// How much was told since the last wait.
    told: usize,
    pub(crate) connect_ns: u64,
    pub(crate) refuses: bool,
    /// How.
    pub(crate) refusal: Errno,
    /// Refusing ends then.
    pub(crate) accepts_from_ns: u64,
    /// What is said when a connection is opened.
    pub(crate) greeting: Option<Vec<u8>>,
    /// The server ends a connection on which it was asked nothing for so long, with these words.
    pub(crate) idle_timer: Option<(u64, &'static [u8])>,
    /// How much longer a sleep takes than it should.
    pub(crate) oversleeps_ns: u64,
    /// The generator is stopped meanwhile, and its wait ends without a word when it goes on.
    pub(crate) stopped: std::ops::Range<u64>,
    script: Box<Script>,
    /// What will happen: time, order, connection, its socket's number.
    coming: BinaryHeap<Reverse<(u64, u64, usize, u32)>>,
    said: HashMap<u64, Said>,
    order: u64,
    sockets: Vec<u32>,
    /// Requests sent on each connection.
    asked: Vec<u64>,
    chunk: Vec<u8>,
    notes_arrivals: bool,
    /// How often it was waited for something to happen.
    pub(crate) waits: u64,
    /// Requests as they were sent: when, on which connection.
    pub(crate) sent: Vec<(u64, usize)>,
}

/// Bytes that were sent.
pub(crate) struct Request<'a> {
    pub(crate) at_ns: u64,
    pub(crate) bytes: &'a [u8],
}

/// What comes from the server.
#[derive(Debug, Clone)]
pub(crate) enum Said {
    Bytes(Vec<u8>),
    End,
    #[doc(hidden)]
    Connected,
    /// The idle timer ends a connection on which no more was asked.
    #[doc(hidden)]
    TimedOut {
        asked: u64,
    },
    #[doc(hidden)]
    Refused,
}

impl Scripted {
    pub(crate) fn new(script: impl FnMut(Request<'_>) -> Vec<(u64, Said)> + 'static) -> Self {
        Self {
            now_ns: 1_000_000_000,
            seen_ns: 1_000_000_000,
            told: 0,
            connect_ns: 0,
            refuses: false,
            refusal: Errno::CONNREFUSED,
            accepts_from_ns: u64::MAX,
            greeting: None,
            idle_timer: None,
            oversleeps_ns: 0,
            stopped: 0..0,
            script: Box::new(script),
            coming: BinaryHeap::new(),
            said: HashMap::new(),
            order: 0,
            sockets: Vec::new(),
            asked: Vec::new(),
            chunk: Vec::new(),
            notes_arrivals: false,
            waits: 0,
            sent: Vec::new(),
        }
    }

    fn comes(&mut self, at_ns: u64, connection: usize, said: Said) {
        self.order += 1;
        self.said.insert(self.order, said);
        self.coming.push(Reverse((at_ns, self.order, connection, self.sockets[connection])));
    }

    fn start_idle_timer(&mut self, from_ns: u64, connection: usize) {
        if let Some((idle_ns, _)) = self.idle_timer {
            let asked = self.asked[connection];
            self.comes(from_ns + idle_ns, connection, Said::TimedOut { asked });
        }
    }
}

impl Driver for Scripted {
    const NAME: &'static str = "scripted";

    fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn reserve(&mut self, connections: usize) -> io::Result<()> {
        self.sockets.resize(self.sockets.len().max(connections), 0);
        self.asked.resize(self.sockets.len(), 0);
        Ok(())
    }

    fn connect(&mut self, connection: usize, _: &Endpoint, _: Option<IpAddr>) -> Result<(), Errno> {
        let refuses = self.refuses && self.now_ns < self.accepts_from_ns;
        let said = if refuses { Said::Refused } else { Said::Connected };
        self.comes(self.now_ns + self.connect_ns, connection, said);
        self.start_idle_timer(self.now_ns + self.connect_ns, connection);
        if let Some(greeting) = &self.greeting {
            self.comes(self.now_ns + self.connect_ns, connection, Said::Bytes(greeting.clone()));
        }
        Ok(())
    }

    fn send(&mut self, connection: usize, bytes: &[u8]) {
        self.sent.push((self.now_ns, connection));
        self.asked[connection] += 1;
        self.start_idle_timer(self.now_ns, connection);
        for (at_ns, said) in (self.script)(Request { at_ns: self.now_ns, bytes }) {
            self.comes(at_ns, connection, said);
        }
    }

    fn close(&mut self, connection: usize, _: bool) {
        self.sockets[connection] += 1;
    }

    fn wait(&mut self, until_ns: u64) -> io::Result<()> {
        self.waits += 1;
        let next_ns = self.coming.peek().map_or(u64::MAX, |entry| entry.0.0);
        let before_ns = self.now_ns;
        self.now_ns = before_ns.max(next_ns.min(until_ns));
        (self.seen_ns, self.told) = (self.now_ns, 0);
        if before_ns < self.stopped.start && self.now_ns >= self.stopped.start {
            (self.seen_ns, self.now_ns) = (self.stopped.start - 1, self.stopped.end);
        }
        Ok(())
    }

    fn note_arrivals(&mut self, on: bool) {
        self.notes_arrivals = on;
    }

    fn sleep(&mut self, until_ns: u64) -> io::Result<bool> {
        self.now_ns = self.now_ns.max(until_ns + self.oversleeps_ns);
        Ok(true)
    }

    fn spin(&mut self, until_ns: u64) {
        self.now_ns = self.now_ns.max(until_ns);
    }

    fn next(&mut self) -> Option<Event> {
        if self.told == MOST_TOLD {
            return None;
        }
        loop {
            self.coming.peek().filter(|entry| entry.0.0 <= self.seen_ns)?;
            let Reverse((at_ns, order, connection, socket)) = self.coming.pop()?;
            let mut said = self.said.remove(&order)?;
            if socket != self.sockets[connection] {
                continue;
            }
            if let (Said::TimedOut { asked }, Some((_, words))) = (&said, self.idle_timer) {
                if *asked != self.asked[connection] {
                    continue;
                }
                said = Said::End;
                if !words.is_empty() {
                    self.comes(at_ns, connection, said);
                    said = Said::Bytes(words.to_vec());
                }
            }
            self.told += 1;
            return Some(match said {
                Said::Connected => Event::Connected(connection),
                Said::Refused => Event::Failed(connection, self.refusal),
                Said::End | Said::TimedOut { .. } => Event::Ended(connection),
                Said::Bytes(bytes) => {
                    let is_more = |entry: &Reverse<(u64, u64, usize, u32)>| {
                        entry.0.0 <= self.seen_ns && (entry.0.2, entry.0.3) == (connection, socket)
                    };
                    let more = self.coming.iter().any(is_more);
                    let length = bytes.len() as u32;
                    self.chunk = bytes;
                    let came_ns = self.notes_arrivals.then_some(at_ns);
                    Event::Received(connection, Chunk { place: 0, start: 0, length, came_ns, more })
                }
            });
        }
    }

    fn bytes(&self, chunk: Chunk) -> &[u8] {
        &self.chunk[..chunk.length as usize]
    }

    fn release(&mut self, _: Chunk) {}
}
