//! One connection of the server.

use std::collections::{BTreeSet, VecDeque};
use std::io::{self, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use super::fault::Fault;
use super::grpc;
use super::http2::{self, Asked};
use super::reader::{Event, Reader};
use super::reply::{Reply, Then};
use super::server::Shared;
use super::truth::Fate;
use super::windows::{Receiving, Sending};
use super::wire::{
    ACK, INITIAL_WINDOW_SIZE, MAX_CONCURRENT_STREAMS, MAX_FRAME_SIZE, NO_ERROR, PAYLOAD_BYTES, PING,
    SETTINGS, data_bytes, frame, go_away, settings, window_update,
};

/// How long a client may keep its side open after the server has ended its own.
const LINGER: Duration = Duration::from_secs(5);
/// How long a first request is waited for by a server that does not speak HTTP/2.
const FIRST_REQUEST: Duration = Duration::from_millis(500);
/// How long the server looks whether a client that may send one request sends more.
const WATCH: Duration = Duration::from_millis(2);
/// How long a client may send none.
const NO_STREAMS: Duration = Duration::from_millis(300);
const STREAMS_AFTER: u32 = 100;
/// So many requests of a connection are answered where it is then left in order.
const REQUESTS_BEFORE_GO_AWAY: u64 = 100;
/// The sizes that windows get in turn.
const WINDOW_SIZES: [u32; 4] = [1_000, 0, 70_000, 100];
const WINDOW_CHANGES_EVERY: u64 = 10;
/// More than an answer that breaks no rule has.
const MOST_ANSWER_BYTES: usize = 1_000;
/// What a body may always go on by.
const LEAST_WINDOW: i64 = 700;

/// Answers until the connection has ended; dropping the stream after that closes it.
pub(super) fn serve(shared: &Shared, stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut connection = Connection::new(shared, stream);
    if !connection.begin()? {
        return Ok(());
    }
    while let Some(stream) = connection.request()? {
        if connection.answer(stream)? == Then::Ends {
            return connection.end();
        }
    }
    Ok(())
}

struct Connection<'a> {
    shared: &'a Shared,
    stream: &'a TcpStream,
    fault: Fault,
    reader: Reader,
    sending: Sending,
    receiving: Receiving,
    /// The largest payload that the client takes.
    frame_bytes: usize,
    /// Read whole and not answered yet.
    waiting: VecDeque<u32>,
    /// Begun and not answered yet.
    open: BTreeSet<u32>,
    /// How many the client may have open, as it knows; and what it will know once it confirms settings.
    limit: Option<u32>,
    unconfirmed_limits: VecDeque<Option<u32>>,
    /// Requests so far.
    requests: u64,
    /// The stream answered last.
    before: Option<u32>,
    is_leaving: bool,
    has_ended: bool,
}

impl<'a> Connection<'a> {
    fn new(shared: &'a Shared, stream: &'a TcpStream) -> Self {
        Self {
            shared,
            stream,
            fault: shared.fault,
            reader: Reader::default(),
            sending: Sending::new(),
            receiving: Receiving::new(),
            frame_bytes: PAYLOAD_BYTES,
            waiting: VecDeque::new(),
            open: BTreeSet::new(),
            limit: None,
            unconfirmed_limits: VecDeque::new(),
            requests: 0,
            before: None,
            is_leaving: false,
            has_ended: false,
        }
    }

    /// Exchanges the beginnings. `false` where there is nothing to go on with.
    fn begin(&mut self) -> io::Result<bool> {
        let mut stream = self.stream;
        if !self.reader.preface(&mut stream)? {
            self.shared.update(|truth| truth.other_protocols += 1);
            return Ok(false);
        }
        if self.fault == Fault::Http1Answer {
            // It comes in place of the server's settings. Clients that wait for those get it without having asked.
            self.read_for(FIRST_REQUEST, true)?;
            if self.waiting.is_empty() {
                self.waiting.push_back(0);
            }
            return Ok(true);
        }
        let first = match self.fault {
            Fault::ZeroWindow => Some((INITIAL_WINDOW_SIZE, 0)),
            Fault::WindowChanges => Some((INITIAL_WINDOW_SIZE, WINDOW_SIZES[3])),
            Fault::OneStreamAtOnce => Some((MAX_CONCURRENT_STREAMS, 1)),
            _ => None,
        };
        self.set(first)?;
        Ok(true)
    }

    /// Sends settings.
    fn set(&mut self, setting: Option<(u16, u32)>) -> io::Result<()> {
        let of = |number| setting.filter(|(id, _)| *id == number).map(|(_, value)| value);
        self.receiving.sent(of(INITIAL_WINDOW_SIZE));
        self.unconfirmed_limits.push_back(of(MAX_CONCURRENT_STREAMS));
        self.write(&settings(setting.as_slice()))
    }

    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let mut stream = self.stream;
        if self.fault == Fault::ByteByByte {
            return bytes.chunks(1).try_for_each(|byte| stream.write_all(byte));
        }
        stream.write_all(bytes)
    }

    /// The next request that was read whole; `None` at the end of the connection.
    fn request(&mut self) -> io::Result<Option<u32>> {
        loop {
            if let Some(stream) = self.waiting.pop_front() {
                return Ok(Some(stream));
            }
            if !self.read()? {
                return Ok(None);
            }
        }
    }

    /// Reads a frame; `false` at the end of the connection.
    fn read(&mut self) -> io::Result<bool> {
        let mut stream = self.stream;
        match self.reader.next(&mut stream)? {
            None => {
                self.has_ended = true;
                Ok(false)
            }
            Some(event) => self.take(&event).map(|()| true),
        }
    }

    /// Reads for a while, until the first request where that is enough, and answers nothing.
    fn read_for(&mut self, time: Duration, one_is_enough: bool) -> io::Result<()> {
        let end = Instant::now() + time;
        let outcome = loop {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() || self.has_ended || (one_is_enough && !self.waiting.is_empty()) {
                break Ok(());
            }
            self.stream.set_read_timeout(Some(left))?;
            match self.read() {
                Ok(_) => {}
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                }
                Err(error) => break Err(error),
            }
        };
        self.stream.set_read_timeout(None)?;
        outcome
    }

    fn take(&mut self, event: &Event) -> io::Result<()> {
        match *event {
            Event::Head { stream, is_end } => {
                // A head on a stream that is open already is one of trailers.
                if self.open.insert(stream) {
                    self.shared.update(|truth| truth.begun += 1);
                    self.receiving.begin(stream);
                    if self.limit.is_some_and(|limit| self.open.len() > limit as usize) {
                        self.shared.update(|truth| truth.over_limit += 1);
                    }
                }
                if is_end {
                    self.whole(stream);
                } else {
                    self.keep_bodies_going()?;
                }
            }
            Event::Data { stream, bytes, is_end } => {
                let allowed = self.receiving.take(stream, bytes);
                self.shared.update(|truth| {
                    truth.body_bytes += bytes as u64;
                    truth.window_violations += u64::from(!allowed);
                });
                if is_end {
                    self.whole(stream);
                }
                self.give_back(stream, bytes, is_end)?;
            }
            Event::Settings(ref values) => {
                for (id, value) in values {
                    match *id {
                        INITIAL_WINDOW_SIZE => self.sending.set_initial(*value),
                        MAX_FRAME_SIZE => self.frame_bytes = *value as usize,
                        _ => {}
                    }
                }
                if self.fault != Fault::Http1Answer {
                    self.write(&frame(SETTINGS, ACK, 0, b""))?;
                }
            }
            Event::SettingsAck => {
                self.shared.update(|truth| truth.settings_acks += 1);
                self.receiving.confirmed();
                if let Some(Some(limit)) = self.unconfirmed_limits.pop_front() {
                    self.limit = Some(limit);
                }
                self.keep_bodies_going()?;
            }
            Event::Ping(payload) if self.fault != Fault::Http1Answer => {
                self.write(&frame(PING, ACK, 0, &payload))?;
            }
            Event::Pong => self.shared.update(|truth| truth.pongs += 1),
            Event::WindowUpdate { stream, more } => self.sending.widen(stream, more),
            Event::Reset { stream, code } => {
                self.shared.update(|truth| *truth.client_resets.entry(code).or_default() += 1);
                // What was read whole keeps its place, so that it has a fate.
                if !self.waiting.contains(&stream) {
                    self.open.remove(&stream);
                }
                self.receiving.end(stream);
            }
            Event::GoAway { code } => {
                self.shared.update(|truth| *truth.client_go_aways.entry(code).or_default() += 1);
            }
            Event::Ping(_) | Event::Other => {}
        }
        Ok(())
    }

    fn whole(&mut self, stream: u32) {
        self.receiving.end(stream);
        self.shared.update(|truth| truth.requests += 1);
        self.waiting.push_back(stream);
    }

    /// Widens the windows by what came.
    fn give_back(&mut self, stream: u32, bytes: usize, is_end: bool) -> io::Result<()> {
        let more = u32::try_from(bytes).unwrap_or(0);
        match self.fault {
            Fault::ZeroWindow | Fault::NoWindowUpdate | Fault::Http1Answer => Ok(()),
            _ if more == 0 => Ok(()),
            Fault::WindowChanges => {
                self.write(&window_update(0, more))?;
                self.keep_bodies_going()
            }
            _ if is_end => self.write(&window_update(0, more)),
            _ => {
                self.receiving.add(stream, more);
                self.write(&[window_update(0, more), window_update(stream, more)].concat())
            }
        }
    }

    /// However small the windows are made, bodies come to their ends.
    fn keep_bodies_going(&mut self) -> io::Result<()> {
        if self.fault != Fault::WindowChanges {
            return Ok(());
        }
        let grown = self.receiving.widen(LEAST_WINDOW);
        let updates: Vec<u8> =
            grown.into_iter().flat_map(|(stream, more)| window_update(stream, more)).collect();
        self.write(&updates)
    }

    fn answer(&mut self, stream: u32) -> io::Result<Then> {
        let number = self.shared.next_number();
        self.requests += 1;
        if self.is_leaving {
            self.shared.update(|truth| truth.count(Fate::Refused));
            self.open.remove(&stream);
            return Ok(Then::Stays);
        }
        self.prepare(stream, number)?;
        let asked = Asked { stream, number, before: self.before, frame_bytes: self.frame_bytes };
        let reply = if self.fault.is_grpc() {
            grpc::reply(self.fault, stream, number)
        } else {
            http2::reply(self.fault, &asked)
        };
        let (bytes, fate, status, then) = match reply {
            Reply::Endless { start, block } => {
                self.shared.update(|truth| truth.count(Fate::Endless));
                self.write(&start)?;
                loop {
                    self.write(&block)?;
                }
            }
            Reply::Whole { bytes, fate, status, then } => (bytes, fate, status, then),
        };
        // What is longer than an answer does not care for windows.
        while bytes.len() <= MOST_ANSWER_BYTES && !self.sending.take(stream, data_bytes(&bytes)) {
            if !self.read()? {
                self.shared.update(|truth| truth.count(Fate::Undelivered));
                return Ok(Then::Ends);
            }
        }
        let sent = self.write(&bytes);
        // A request that was never read has no fate.
        let is_request = stream != 0;
        self.shared.update(|truth| {
            if is_request {
                truth.count(if sent.is_ok() { fate } else { Fate::Undelivered });
            }
            if sent.is_ok() {
                truth.interim += if self.fault == Fault::InterimAnswers { 2 } else { 0 };
                if let Some(status) = status {
                    *truth.statuses.entry(status).or_default() += 1;
                }
            }
        });
        sent?;
        self.open.remove(&stream);
        self.before = Some(stream);
        if self.fault == Fault::NoStreamsForAWhile && self.fault.strikes(number) {
            self.read_for(NO_STREAMS, false)?;
            self.set(Some((MAX_CONCURRENT_STREAMS, STREAMS_AFTER)))?;
        }
        Ok(then)
    }

    /// What comes before an answer.
    fn prepare(&mut self, stream: u32, number: u64) -> io::Result<()> {
        match self.fault {
            Fault::OneStreamAtOnce => self.read_for(WATCH, false),
            Fault::NoStreamsForAWhile if self.fault.strikes(number) => {
                self.set(Some((MAX_CONCURRENT_STREAMS, 0)))
            }
            Fault::WindowChanges if number.is_multiple_of(WINDOW_CHANGES_EVERY) => {
                let turn = number / WINDOW_CHANGES_EVERY % WINDOW_SIZES.len() as u64;
                let size = WINDOW_SIZES[usize::try_from(turn).unwrap_or(0)];
                self.set(Some((INITIAL_WINDOW_SIZE, size)))?;
                self.keep_bodies_going()
            }
            Fault::GracefulGoAway if self.requests >= REQUESTS_BEFORE_GO_AWAY => {
                self.is_leaving = true;
                // Those with smaller numbers were begun before it, and may still be on their way to be read whole.
                self.write(&go_away(stream, NO_ERROR))
            }
            _ => Ok(()),
        }
    }

    /// Ends the server's side, and reads what still comes, so that it is known and nothing is reset.
    fn end(&mut self) -> io::Result<()> {
        self.stream.shutdown(Shutdown::Write)?;
        self.shared.update(|truth| truth.closes += 1);
        self.stream.set_read_timeout(Some(LINGER))?;
        loop {
            while self.waiting.pop_front().is_some() {
                self.shared.update(|truth| truth.count(Fate::AfterClose));
            }
            let mut stream = self.stream;
            match self.reader.next(&mut stream)? {
                None => return Ok(()),
                Some(Event::Head { stream, is_end }) => {
                    self.shared.update(|truth| truth.begun += u64::from(self.open.insert(stream)));
                    if is_end {
                        self.whole(stream);
                    }
                }
                Some(Event::Data { stream, is_end: true, .. }) => self.whole(stream),
                Some(Event::GoAway { code }) => {
                    self.shared.update(|truth| *truth.client_go_aways.entry(code).or_default() += 1);
                }
                Some(_) => {}
            }
        }
    }
}
