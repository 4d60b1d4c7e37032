//! A connection's place in its stream of frames.

use std::collections::VecDeque;

use crate::answers::{Answer, BAD_REQUEST, BODY_TOO_LARGE};
use crate::limits::BODY_LIMIT;
use crate::routes::{Route, percent_decode};
use crate::sources::{Made, Sources};
use crate::text;

use super::block::{Block, JSON, TEXT};
use super::frame::{self, Code, END_HEADERS, END_STREAM, HEADER, Header, MOST_PAYLOAD, MOST_WINDOW, PREFACE};
use super::grpc::{self, Reply};
use super::head::{Asks, Head};
use super::rendered::Parts;
use super::requests::Requests;
use super::sender::{Outgoing, Sender, widen};
use super::streams::{Reading, State, Stream, Streams};

/// Requests that a client may have under way.
const MOST_STREAMS: usize = 1000;
/// More than any body may have, so that a stream's window never has to be widened.
const STREAM_WINDOW: usize = 2 * BODY_LIMIT;
const CONNECTION_WINDOW: i64 = 1 << 24;
/// Of bodies that have not come to their end.
const MOST_BUFFERED: usize = 1 << 22;
/// A header block as it comes.
const MOST_BLOCK: usize = 16 * 1024;
const MOST_CONTINUATIONS: usize = 32;
/// How much of a body that is not wanted is still read, and for how long.
const DRAIN_LIMIT: usize = 1024 * 1024;
const DRAIN_MILLISECONDS: u16 = 100;
/// Frames that ask for nothing, between two requests.
const MOST_IDLE_FRAMES: u32 = 10_000;
/// Waits that a client may have begun, those included whose requests it has taken back.
const MOST_WAITS: usize = 4 * MOST_STREAMS;
/// Once so much is to be sent, bodies wait until it is.
const OUTPUT_LIMIT: usize = 64 * 1024;

// What the server begins with: its settings, and a wider window for the connection.
const SETTINGS: [(u16, u32); 3] =
    [(0x3, MOST_STREAMS as u32), (0x4, STREAM_WINDOW as u32), (0x6, crate::limits::HEAD_LIMIT as u32)];
const DEFAULT_WINDOW: i64 = 65_535;

/// `:status: 100`.
const CONTINUE: &[u8] = b"\x08\x03100";

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Status {
    Open,
    /// The server has said that it ends the connection, and nothing is left to be sent.
    Ended,
}

/// Why a frame is not taken.
enum Violation {
    Connection(Code),
    Stream(Code),
}

use Violation::Connection as Ends;

impl From<super::hpack::Malformed> for Violation {
    fn from(_: super::hpack::Malformed) -> Violation {
        Ends(Code::CompressionError)
    }
}

pub struct Session {
    status: Status,
    has_preface: bool,
    has_settings: bool,
    requests: Requests,
    streams: Streams,
    /// How many of them have an answer that the windows did not take.
    sending: usize,
    sender: Sender,
    /// The last stream that the client has begun.
    last: u32,
    /// Those that came after this one are not looked at, once the server has said that it ends.
    last_served: Option<u32>,
    /// Streams that the server has reset: what the client sent before it knew is ignored.
    reset: VecDeque<u32>,
    /// A header block whose end has not come.
    open_block: Option<OpenBlock>,
    /// What the client may still send.
    window: i64,
    buffered: usize,
    idle_frames: u32,
    /// Whether the output's limit kept something back.
    has_more: bool,
    new_waits: Vec<(u32, u16)>,
    waits: usize,
}

struct OpenBlock {
    stream: u32,
    flags: u8,
    bytes: Vec<u8>,
    continuations: usize,
}

impl Session {
    pub fn new() -> Session {
        Session {
            status: Status::Open,
            has_preface: false,
            has_settings: false,
            requests: Requests::new(),
            streams: Streams::default(),
            sending: 0,
            sender: Sender::new(),
            last: 0,
            last_served: None,
            reset: VecDeque::new(),
            open_block: None,
            window: CONNECTION_WINDOW,
            buffered: 0,
            idle_frames: 0,
            has_more: false,
            new_waits: Vec::new(),
            waits: 0,
        }
    }

    pub fn status(&self) -> Status {
        self.status
    }

    /// Whether [`Session::send_more`] has something to do at once.
    pub fn has_more(&self) -> bool {
        self.has_more
    }

    /// Streams for which something is due so many milliseconds after they came: each is told once.
    pub fn new_waits(&mut self) -> impl Iterator<Item = (u32, u16)> {
        self.new_waits.drain(..)
    }

    /// Answers every complete request in `input`, and returns how many bytes are dealt with. The next call's input must
    /// begin with the bytes that are not: less than a frame.
    pub fn serve(&mut self, input: &[u8], sources: &mut Sources, output: &mut Vec<u8>) -> usize {
        let mut used = 0;
        if !self.has_preface {
            if input.len() < PREFACE.len() && PREFACE.starts_with(input) {
                return 0;
            }
            begin(output);
            if !input.starts_with(PREFACE) {
                self.break_off(Code::ProtocolError, output);
                return input.len();
            }
            self.has_preface = true;
            used = PREFACE.len();
        }
        while self.status == Status::Open {
            let Some((header, rest)) = input[used..].split_first_chunk::<HEADER>() else { break };
            let header = Header::parse(header);
            if header.length > MOST_PAYLOAD {
                self.break_off(Code::FrameSizeError, output);
                break;
            }
            let Some(payload) = rest.get(..header.length) else { break };
            used += HEADER + header.length;
            match self.take(&header, payload, sources, output) {
                Ok(()) => {}
                Err(Violation::Stream(code)) => self.reset(header.stream, code, output),
                Err(Ends(code)) => self.break_off(code, output),
            }
        }
        if self.status == Status::Ended {
            return input.len();
        }
        self.send_more(output);
        used
    }

    /// Sends what windows and the output's limit kept back.
    pub fn send_more(&mut self, output: &mut Vec<u8>) {
        self.has_more = false;
        if self.sending > 0 && self.status == Status::Open {
            let (sender, sending, has_more) = (&mut self.sender, &mut self.sending, &mut self.has_more);
            self.streams.retain_mut(|stream| {
                let State::Sends(outgoing) = &mut stream.state else { return true };
                let is_sent = sender.resume(stream.id, &mut stream.window, outgoing, OUTPUT_LIMIT, output);
                *sending -= usize::from(is_sent);
                *has_more |= !is_sent && sender.room(stream.window) > 0;
                !is_sent
            });
        }
        self.end_if_done();
    }

    /// The time of a stream has come that [`Session::new_waits`] told. Its client may have taken it back.
    pub fn end_wait(&mut self, id: u32, output: &mut Vec<u8>) {
        self.waits = self.waits.saturating_sub(1);
        if self.status == Status::Ended {
            return;
        }
        let Some(place) = self.streams.find(id) else { return };
        match self.streams.at(place) {
            Some(&mut Stream { state: State::Waits(milliseconds), window, .. }) => {
                self.streams.take(place);
                self.answer_waited(id, window, milliseconds, output);
            }
            Some(Stream { state: State::Drains(_), .. }) => self.reset(id, Code::NoError, output),
            _ => return,
        }
        self.end_if_done();
    }

    /// The server ends: requests that have come are answered, and no others.
    pub fn end(&mut self, output: &mut Vec<u8>) {
        if self.status == Status::Open && self.last_served.is_none() {
            if !self.has_preface {
                begin(output);
            }
            frame::write_go_away(output, self.last, Code::NoError);
            self.last_served = Some(self.last);
            self.end_if_done();
        }
    }

    fn end_if_done(&mut self) {
        if self.last_served.is_some() && self.streams.is_empty() {
            self.status = Status::Ended;
        }
    }

    fn break_off(&mut self, code: Code, output: &mut Vec<u8>) {
        frame::write_go_away(output, self.last, code);
        self.status = Status::Ended;
    }

    fn reset(&mut self, id: u32, code: Code, output: &mut Vec<u8>) {
        if let Some(place) = self.streams.find(id) {
            self.forget(place);
        }
        frame::write_reset(output, id, code);
        if self.reset.len() == MOST_STREAMS {
            self.reset.pop_front();
        }
        self.reset.push_back(id);
    }

    /// Takes a stream away.
    fn forget(&mut self, place: usize) {
        match self.streams.take(place).map(|stream| stream.state) {
            Some(State::Reads(reading)) => self.buffered -= reading.body.len(),
            Some(State::Sends(_)) => self.sending -= 1,
            Some(State::Waits(_) | State::Drains(_)) | None => {}
        }
    }

    fn take(
        &mut self,
        header: &Header,
        payload: &[u8],
        sources: &mut Sources,
        output: &mut Vec<u8>,
    ) -> Result<(), Violation> {
        let is_continued = self.open_block.as_ref().map(|block| block.stream);
        if is_continued.is_some_and(|id| header.kind != frame::CONTINUATION || header.stream != id)
            || (!self.has_settings && header.kind != frame::SETTINGS)
        {
            return Err(Ends(Code::ProtocolError));
        }
        match header.kind {
            frame::HEADERS => return self.take_headers(header, payload, sources, output),
            frame::CONTINUATION => return self.take_continuation(header, payload, sources, output),
            frame::DATA if !payload.is_empty() => return self.take_data(header, payload, sources, output),
            frame::WINDOW_UPDATE => return self.take_window_update(header, payload),
            _ => {}
        }
        self.idle_frames += 1;
        if self.idle_frames > MOST_IDLE_FRAMES {
            return Err(Ends(Code::EnhanceYourCalm));
        }
        match header.kind {
            frame::DATA => self.take_data(header, payload, sources, output),
            frame::SETTINGS => self.take_settings(header, payload, output),
            frame::PING => take_ping(header, payload, output),
            frame::RST_STREAM => self.take_reset(header, payload),
            frame::PRIORITY => match (header.stream, payload.len()) {
                (0, _) => Err(Ends(Code::ProtocolError)),
                (_, 5) => Ok(()),
                _ => Err(Ends(Code::FrameSizeError)),
            },
            frame::GOAWAY if header.stream != 0 => Err(Ends(Code::ProtocolError)),
            frame::GOAWAY if payload.len() < 8 => Err(Ends(Code::FrameSizeError)),
            frame::PUSH_PROMISE => Err(Ends(Code::ProtocolError)),
            // A client that goes gets the answers to what it asked before; unknown frames are ignored.
            _ => Ok(()),
        }
    }

    fn take_headers(
        &mut self,
        header: &Header,
        payload: &[u8],
        sources: &mut Sources,
        output: &mut Vec<u8>,
    ) -> Result<(), Violation> {
        if header.stream % 2 == 0 {
            return Err(Ends(Code::ProtocolError));
        }
        let mut block = frame::unpadded(header, payload).ok_or(Ends(Code::ProtocolError))?;
        if header.has(frame::WITH_PRIORITY) {
            block = block.get(5..).ok_or(Ends(Code::FrameSizeError))?;
        }
        if header.has(END_HEADERS) {
            return self.take_block(header.stream, header.flags, block, sources, output);
        }
        let (stream, flags, bytes) = (header.stream, header.flags, block.to_vec());
        self.open_block = Some(OpenBlock { stream, flags, bytes, continuations: 0 });
        Ok(())
    }

    fn take_continuation(
        &mut self,
        header: &Header,
        payload: &[u8],
        sources: &mut Sources,
        output: &mut Vec<u8>,
    ) -> Result<(), Violation> {
        let block = self.open_block.as_mut().ok_or(Ends(Code::ProtocolError))?;
        block.bytes.extend_from_slice(payload);
        block.continuations += 1;
        if block.bytes.len() > MOST_BLOCK || block.continuations > MOST_CONTINUATIONS {
            return Err(Ends(Code::EnhanceYourCalm));
        }
        match self.open_block.take_if(|_| header.has(END_HEADERS)) {
            Some(block) => self.take_block(block.stream, block.flags, &block.bytes, sources, output),
            None => Ok(()),
        }
    }

    fn take_block(
        &mut self,
        id: u32,
        flags: u8,
        block: &[u8],
        sources: &mut Sources,
        output: &mut Vec<u8>,
    ) -> Result<(), Violation> {
        let is_end = flags & END_STREAM != 0;
        if id <= self.last {
            return self.take_trailers(id, is_end, block, sources, output);
        }
        self.last = id;
        self.idle_frames = 0;
        let head = self.requests.read(block)?;
        if self.last_served.is_some() {
            return Ok(());
        }
        let head = head.map_err(|_| Violation::Stream(Code::ProtocolError))?;
        let window = self.sender.initial();
        if is_end {
            if head.length.unwrap_or(0) > 0 {
                return Err(Violation::Stream(Code::ProtocolError));
            }
            match head.asks {
                Asks::Route(Route::User { start, end }) => {
                    let user = &self.requests.path()[start..end];
                    let left = answer_user(&mut self.sender, id, window, user, output);
                    self.keep(id, window, left);
                    return Ok(());
                }
                Asks::Route(Route::Echo { start, end }) => {
                    let query = &self.requests.path()[start..end];
                    let left = answer_echo(&mut self.sender, id, window, sources.echo_body(query), output);
                    self.keep(id, window, left);
                    return Ok(());
                }
                _ => {}
            }
            return self.answer(id, window, &head, b"", b"", sources, output);
        }
        if self.streams.len() >= MOST_STREAMS {
            return Err(Violation::Stream(Code::RefusedStream));
        }
        if let (true, Asks::Route(Route::Fixed(answer))) = (head.is_refused, head.asks) {
            self.refuse(id, window, answer, output);
            return Ok(());
        }
        if head.expects_continue {
            self.sender.head(id, CONTINUE, 0, output);
        }
        let part = match head.asks {
            Asks::Route(Route::User { start, end } | Route::Echo { start, end }) => {
                self.requests.path()[start..end].to_vec()
            }
            _ => Vec::new(),
        };
        let reading = Reading { head, part, body: Vec::new(), received: 0 };
        self.streams.insert(Stream { id, state: State::Reads(Box::new(reading)), window });
        Ok(())
    }

    /// Answers before the body has come to its end. What still comes of it is thrown away for a moment, because clients
    /// lose the answer where their stream is reset at once; then it is reset, because they wait for that.
    fn refuse(&mut self, id: u32, window: i64, answer: &'static Answer, output: &mut Vec<u8>) {
        let left = self.sender.send_fixed(id, window, &answer.frames, output);
        self.keep(id, window, left);
        if self.waits >= MOST_WAITS {
            return self.reset(id, Code::NoError, output);
        }
        self.waits += 1;
        self.new_waits.push((id, DRAIN_MILLISECONDS));
        self.streams.insert(Stream { id, state: State::Drains(DRAIN_LIMIT), window });
    }

    fn take_trailers(
        &mut self,
        id: u32,
        is_end: bool,
        block: &[u8],
        sources: &mut Sources,
        output: &mut Vec<u8>,
    ) -> Result<(), Violation> {
        let are_trailers = self.requests.read_trailers(block)?;
        let Some(place) = self.open_stream(id)? else { return Ok(()) };
        if !is_end || !are_trailers {
            return Err(Violation::Stream(Code::ProtocolError));
        }
        self.take_end(place, b"", sources, output)
    }

    /// Where a stream is whose client may still send; `None` where what it sends is ignored.
    fn open_stream(&mut self, id: u32) -> Result<Option<usize>, Violation> {
        if let Some(place) = self.streams.find(id) {
            return match self.streams.at(place).map(|stream| &stream.state) {
                Some(State::Reads(_) | State::Drains(_)) => Ok(Some(place)),
                _ => Err(Violation::Stream(Code::StreamClosed)),
            };
        }
        if id > self.last || id % 2 == 0 {
            return Err(Ends(Code::ProtocolError));
        }
        if self.last_served.is_some_and(|last| id > last) || self.reset.contains(&id) {
            return Ok(None);
        }
        Err(Ends(Code::StreamClosed))
    }

    fn take_data(
        &mut self,
        header: &Header,
        payload: &[u8],
        sources: &mut Sources,
        output: &mut Vec<u8>,
    ) -> Result<(), Violation> {
        self.window -= payload.len() as i64;
        if self.window < 0 {
            return Err(Ends(Code::FlowControlError));
        }
        if self.window < CONNECTION_WINDOW / 2 {
            frame::write_window_update(output, 0, (CONNECTION_WINDOW - self.window) as u32);
            self.window = CONNECTION_WINDOW;
        }
        let data = frame::unpadded(header, payload).ok_or(Ends(Code::ProtocolError))?;
        let Some(place) = self.open_stream(header.stream)? else { return Ok(()) };
        let Some(stream) = self.streams.at(place) else { return Ok(()) };
        let reading = match &mut stream.state {
            State::Reads(reading) => reading,
            State::Drains(_) if header.has(END_STREAM) => return self.take_end(place, b"", sources, output),
            State::Drains(left) if *left < payload.len() => return Err(Violation::Stream(Code::NoError)),
            State::Drains(left) => {
                *left -= payload.len();
                if !payload.is_empty() {
                    frame::write_window_update(output, header.stream, payload.len() as u32);
                }
                return Ok(());
            }
            State::Waits(_) | State::Sends(_) => return Ok(()),
        };
        reading.received += payload.len();
        if reading.received > STREAM_WINDOW {
            return Err(Violation::Stream(Code::FlowControlError));
        }
        let length = reading.body.len() + data.len();
        if header.has(END_STREAM) && length <= BODY_LIMIT {
            return self.take_end(place, data, sources, output);
        }
        if length > BODY_LIMIT {
            let window = stream.window;
            self.forget(place);
            if header.has(END_STREAM) {
                let left = self.sender.send_fixed(header.stream, window, &BODY_TOO_LARGE.frames, output);
                self.keep(header.stream, window, left);
            } else {
                self.refuse(header.stream, window, &BODY_TOO_LARGE, output);
            }
            return Ok(());
        }
        reading.body.extend_from_slice(data);
        self.buffered += data.len();
        if self.buffered > MOST_BUFFERED {
            return Err(Violation::Stream(Code::EnhanceYourCalm));
        }
        Ok(())
    }

    /// A body has come to its end, of which this is the last part.
    fn take_end(
        &mut self,
        place: usize,
        last: &[u8],
        sources: &mut Sources,
        output: &mut Vec<u8>,
    ) -> Result<(), Violation> {
        let Some(Stream { id, state: State::Reads(mut reading), window }) = self.streams.take(place) else {
            return Ok(());
        };
        self.buffered -= reading.body.len();
        // Most bodies come in one piece, which is not copied.
        let body = if reading.body.is_empty() {
            last
        } else {
            reading.body.extend_from_slice(last);
            &reading.body
        };
        if reading.head.length.is_some_and(|length| length != body.len()) {
            return Err(Violation::Stream(Code::ProtocolError));
        }
        self.answer(id, window, &reading.head, &reading.part, body, sources, output)
    }

    #[allow(clippy::too_many_arguments, reason = "a request has that many parts")]
    fn answer(
        &mut self,
        id: u32,
        window: i64,
        head: &Head,
        part: &[u8],
        body: &[u8],
        sources: &mut Sources,
        output: &mut Vec<u8>,
    ) -> Result<(), Violation> {
        let route = match head.asks {
            Asks::Route(route) => route,
            Asks::Call(method) => {
                let left = match grpc::answer(method, body) {
                    Reply::Fixed(frames) => self.sender.send_fixed(id, window, frames, output),
                    Reply::Messages { message, times } => {
                        let body = message.as_ref();
                        let parts = Parts { block: grpc::HEAD, body, times, trailers: grpc::TRAILERS };
                        self.sender.send(id, window, &parts, output)
                    }
                };
                self.keep(id, window, left);
                return Ok(());
            }
        };
        let answer = match route {
            Route::Fixed(answer) => answer,
            Route::Coin => sources.coin_answer(body),
            Route::User { .. } => {
                let left = answer_user(&mut self.sender, id, window, part, output);
                self.keep(id, window, left);
                return Ok(());
            }
            Route::Echo { .. } => {
                let left = answer_echo(&mut self.sender, id, window, sources.echo_body(part), output);
                self.keep(id, window, left);
                return Ok(());
            }
            Route::Wait(0) => {
                self.answer_waited(id, window, 0, output);
                return Ok(());
            }
            Route::Wait(milliseconds) => {
                if self.waits >= MOST_WAITS {
                    return Err(Violation::Stream(Code::EnhanceYourCalm));
                }
                self.waits += 1;
                self.new_waits.push((id, milliseconds));
                self.streams.insert(Stream { id, state: State::Waits(milliseconds), window });
                return Ok(());
            }
            Route::Password(user) => match sources.hash_answer(user, body) {
                Made::Fixed(answer) => answer,
                Made::Hash(hash) => {
                    let mut body = Vec::with_capacity(text::HASH_BODY_LENGTH);
                    text::write_hash(&mut body, &hash);
                    let block = Block::new(&JSON, body.len());
                    let left = self.sender.send(id, window, &Parts::new(block.bytes(), &body), output);
                    self.keep(id, window, left);
                    return Ok(());
                }
            },
        };
        let left = self.sender.send_fixed(id, window, &answer.frames, output);
        self.keep(id, window, left);
        Ok(())
    }

    fn answer_waited(&mut self, id: u32, window: i64, milliseconds: u16, output: &mut Vec<u8>) {
        let mut body = Vec::with_capacity(text::waited_length(milliseconds));
        text::write_waited(&mut body, milliseconds);
        let block = Block::new(&TEXT, body.len());
        let left = self.sender.send(id, window, &Parts::new(block.bytes(), &body), output);
        self.keep(id, window, left);
    }

    /// Keeps what the windows did not take of an answer.
    fn keep(&mut self, id: u32, window: i64, left: Option<Outgoing>) {
        if let Some(outgoing) = left {
            self.sending += 1;
            self.streams.insert(Stream { id, state: State::Sends(Box::new(outgoing)), window });
        }
    }
}

impl Session {
    fn take_settings(
        &mut self,
        header: &Header,
        payload: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<(), Violation> {
        if header.stream != 0 || (header.has(frame::ACK) && !self.has_settings) {
            return Err(Ends(Code::ProtocolError));
        }
        if payload.len() % 6 != 0 || (header.has(frame::ACK) && !payload.is_empty()) {
            return Err(Ends(Code::FrameSizeError));
        }
        self.has_settings = true;
        if header.has(frame::ACK) {
            return Ok(());
        }
        for setting in payload.chunks_exact(6) {
            let value = u32::from_be_bytes([setting[2], setting[3], setting[4], setting[5]]);
            match u16::from_be_bytes([setting[0], setting[1]]) {
                0x1 => self.sender.set_table(value),
                0x2 if value > 1 => return Err(Ends(Code::ProtocolError)),
                0x4 => self.set_initial_window(value)?,
                0x5 if !(16_384..=0xff_ffff).contains(&value) => return Err(Ends(Code::ProtocolError)),
                // What the server sends is below the other limits, whatever they are.
                _ => {}
            }
        }
        frame::write(output, frame::SETTINGS, frame::ACK, 0, b"");
        Ok(())
    }

    fn set_initial_window(&mut self, value: u32) -> Result<(), Violation> {
        if i64::from(value) > MOST_WINDOW {
            return Err(Ends(Code::FlowControlError));
        }
        let more = self.sender.set_initial(value.into());
        for stream in self.streams.iter_mut() {
            widen(&mut stream.window, more).map_err(|_| Ends(Code::FlowControlError))?;
        }
        Ok(())
    }

    fn take_window_update(&mut self, header: &Header, payload: &[u8]) -> Result<(), Violation> {
        let more = frame::number(payload).filter(|_| payload.len() == 4).ok_or(Ends(Code::FrameSizeError))?;
        if header.stream == 0 {
            if more == 0 {
                return Err(Ends(Code::ProtocolError));
            }
            return self.sender.widen(more).map_err(|_| Ends(Code::FlowControlError));
        }
        if self.is_idle(header.stream) {
            return Err(Ends(Code::ProtocolError));
        }
        // Without a stream the answer is on its way.
        let Some(place) = self.streams.find(header.stream) else { return Ok(()) };
        match self.streams.at(place) {
            Some(_) if more == 0 => Err(Violation::Stream(Code::ProtocolError)),
            Some(stream) => {
                widen(&mut stream.window, more.into()).map_err(|_| Violation::Stream(Code::FlowControlError))
            }
            None => Ok(()),
        }
    }

    fn take_reset(&mut self, header: &Header, payload: &[u8]) -> Result<(), Violation> {
        if header.stream == 0 || self.is_idle(header.stream) {
            return Err(Ends(Code::ProtocolError));
        }
        if payload.len() != 4 {
            return Err(Ends(Code::FrameSizeError));
        }
        if let Some(place) = self.streams.find(header.stream) {
            self.forget(place);
        }
        Ok(())
    }

    /// Whether no request has begun the stream.
    fn is_idle(&self, id: u32) -> bool {
        id > self.last || id % 2 == 0
    }
}

/// What the server says first.
fn begin(output: &mut Vec<u8>) {
    let mut settings = Vec::with_capacity(SETTINGS.len() * 6);
    for (setting, value) in SETTINGS {
        settings.extend_from_slice(&setting.to_be_bytes());
        settings.extend_from_slice(&value.to_be_bytes());
    }
    frame::write(output, frame::SETTINGS, 0, 0, &settings);
    frame::write_window_update(output, 0, (CONNECTION_WINDOW - DEFAULT_WINDOW) as u32);
}

fn take_ping(header: &Header, payload: &[u8], output: &mut Vec<u8>) -> Result<(), Violation> {
    if header.stream != 0 {
        return Err(Ends(Code::ProtocolError));
    }
    if payload.len() != 8 {
        return Err(Ends(Code::FrameSizeError));
    }
    if !header.has(frame::ACK) {
        frame::write(output, frame::PING, frame::ACK, 0, payload);
    }
    Ok(())
}

fn answer_user(
    sender: &mut Sender,
    id: u32,
    window: i64,
    user: &[u8],
    output: &mut Vec<u8>,
) -> Option<Outgoing> {
    match percent_decode(user) {
        Some(user) => {
            let block = Block::new(&TEXT, user.len());
            sender.send(id, window, &Parts::new(block.bytes(), &user), output)
        }
        None => sender.send_fixed(id, window, &BAD_REQUEST.frames, output),
    }
}

fn answer_echo(
    sender: &mut Sender,
    id: u32,
    window: i64,
    body: Option<&[u8]>,
    output: &mut Vec<u8>,
) -> Option<Outgoing> {
    match body {
        Some(body) => {
            let block = Block::new(&JSON, body.len());
            sender.send(id, window, &Parts::new(block.bytes(), body), output)
        }
        None => sender.send_fixed(id, window, &BAD_REQUEST.frames, output),
    }
}
