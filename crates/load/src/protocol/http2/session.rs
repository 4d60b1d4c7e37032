use super::frame::{
    self, HEADER_BYTES, Header, LARGEST_FRAME_BYTES, LARGEST_WINDOW, PREFACE, USUAL_FRAME_BYTES,
    USUAL_WINDOW, code, flag, kind, setting,
};
use super::head::{HeadCache, HeadError, Heads};
use super::sender::Sender;
use super::streams::{Found, Streams, request};
use crate::mix::{Drawn, Mix};
use crate::protocol::session::{AtEnd, Events, Limits, RequestId, Session, Then};

/// HTTP/2 on one connection: a stream for each request, answers in any order.
#[derive(Debug, Default)]
pub(crate) struct Http2 {
    streams: Streams,
    sender: Sender,
    heads: Heads,
    /// What came of a frame that is not whole.
    held: Vec<u8>,
    /// The payload of DATA under way.
    data: Option<Data>,
    /// Fields under way, in more frames than one.
    block: Option<Block>,
    /// Bytes of DATA since the server's window was last opened.
    received: usize,
    /// The server has said how it wants to be talked to, as it must at first.
    has_settings: bool,
    /// How many streams it takes at once.
    most_streams: u32,
    /// It takes no more streams.
    is_ending: bool,
    /// Frames since the last that brought a request on.
    useless: u32,
    /// Bytes of DATA of streams given up since the last answer.
    unwanted: usize,
}

/// Payload of DATA that has not come yet.
#[derive(Debug)]
struct Data {
    /// The place of the stream; `None` where it is not looked at.
    at: Option<usize>,
    id: u32,
    left: usize,
    padding: usize,
    is_last: bool,
}

/// Fields whose last frame has not come yet.
#[derive(Debug)]
struct Block {
    stream: u32,
    is_last: bool,
    bytes: Vec<u8>,
    frames: u32,
}

/// What the connections of one worker share.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    heads: HeadCache,
    limits: Limits,
    /// The fewest streams at once that a server has said to take.
    fewest_streams: Option<u32>,
}

impl From<Limits> for Shared {
    fn from(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }
}

/// What the server may not do: the connection is of no use any more.
#[derive(Debug)]
struct Broken {
    code: u32,
    why: &'static str,
    /// The place of the stream that it did it on.
    at: Option<usize>,
    /// It did it on a stream that was given up and counted before: no request in flight is to blame.
    was_counted: bool,
}

impl Broken {
    fn new(code: u32, why: &'static str) -> Self {
        Self { code, why, at: None, was_counted: false }
    }

    fn on(at: Option<usize>, code: u32, why: &'static str) -> Self {
        Self { at, ..Self::new(code, why) }
    }

    fn of_given_up(why: &'static str) -> Self {
        Self { was_counted: true, ..Self::new(code::ENHANCE_YOUR_CALM, why) }
    }

    fn protocol(why: &'static str) -> Self {
        Self::new(code::PROTOCOL_ERROR, why)
    }
}

/// What the server is told when so many bytes have come: windows are opened seldom, and are never near their end.
const WINDOW_STEP: usize = 1 << 30;
/// So many frames in a row may bring no request on.
const MOST_USELESS: u32 = 10_000;
/// A server that was told to send no more of a stream may have so many bytes on their way: more than sockets hold.
const MOST_UNWANTED: usize = 16 << 20;
/// Fields come in so many frames at most.
const MOST_CONTINUATIONS: u32 = 64;

/// What is shared and spoken to while bytes are read.
struct Around<'a, E> {
    shared: &'a mut Shared,
    out: &'a mut Vec<u8>,
    events: &'a mut E,
}

impl Http2 {
    /// How many streams may be open at once, as far as the server has said.
    #[inline]
    fn most_streams(&self, most: usize) -> usize {
        // The first request does not wait for the server to say so; others might be refused.
        let theirs = if self.has_settings { self.most_streams as usize } else { 1 };
        most.min(theirs)
    }

    /// Reads what has come and keeps what is not whole.
    fn read<E: Events>(&mut self, mut input: &[u8], around: &mut Around<'_, E>) -> Result<(), Broken> {
        loop {
            if let Some(data) = self.data.take() {
                input = self.data(data, input, around)?;
            }
            if input.is_empty() {
                return Ok(());
            }
            if !self.held.is_empty() {
                let needed = self.needed(&self.held)?;
                let more = input.len().min(needed - self.held.len());
                self.held.extend_from_slice(&input[..more]);
                input = &input[more..];
                if self.held.len() < self.needed(&self.held)? {
                    continue;
                }
                let held = std::mem::take(&mut self.held);
                self.frame(&held, around)?;
                self.held = held;
                self.held.clear();
                continue;
            }
            if let Some(rest) = self.usual_body(input, around) {
                input = rest;
                continue;
            }
            let needed = self.needed(input)?;
            if input.len() < needed {
                self.hold(input, around);
                return Ok(());
            }
            self.frame(&input[..needed], around)?;
            input = &input[needed..];
        }
    }

    /// Takes a whole body in one frame, which most bodies are; `None` where it is anything else. What is behind it.
    #[inline]
    fn usual_body<'a, E: Events>(&mut self, input: &'a [u8], around: &mut Around<'_, E>) -> Option<&'a [u8]> {
        let (first, rest) = input.split_first_chunk::<HEADER_BYTES>()?;
        let header = Header::read(first);
        if (header.kind, header.flags) != (kind::DATA, flag::END_STREAM)
            || header.length > around.shared.limits.body_bytes.min(USUAL_FRAME_BYTES)
            || self.block.is_some()
            || self.received >= WINDOW_STEP - USUAL_FRAME_BYTES
        {
            return None;
        }
        let (bytes, rest) = rest.split_at_checked(header.length)?;
        let Found::Open(at) = self.streams.find(header.stream) else { return None };
        let stream = self.streams.get(at)?;
        let head = stream.head.as_ref()?;
        if !stream.body.is_empty()
            || head.length.is_some_and(|length| length != bytes.len())
            || has_no_body(stream.is_head, head.head.status)
        {
            return None;
        }
        self.received += bytes.len();
        self.finish(at, bytes, around);
        Some(rest)
    }

    /// How many bytes of a frame have to be there before it is looked at: of DATA those before its payload.
    #[inline]
    fn needed(&self, frame: &[u8]) -> Result<usize, Broken> {
        let Some(first) = frame.first_chunk::<HEADER_BYTES>() else { return Ok(HEADER_BYTES) };
        let header = Header::read(first);
        if !self.has_settings {
            check_preface(first, &header)?;
        }
        if header.length > USUAL_FRAME_BYTES {
            return Err(Broken::new(code::FRAME_SIZE_ERROR, "a frame larger than was allowed"));
        }
        let rest = match header.kind {
            kind::DATA => usize::from(header.has(flag::PADDED) && header.length > 0),
            _ => header.length,
        };
        Ok(HEADER_BYTES + rest)
    }

    #[cold]
    fn hold<E: Events>(&mut self, input: &[u8], around: &mut Around<'_, E>) {
        self.held.extend_from_slice(input);
        // A part of an answer has come all the same.
        let Some(first) = input.first_chunk::<HEADER_BYTES>() else { return };
        let header = Header::read(first);
        if header.kind == kind::HEADERS
            && let Found::Open(at) = self.streams.find(header.stream)
        {
            self.begins(at, around);
        }
    }

    #[inline]
    fn begins<E: Events>(&mut self, at: usize, around: &mut Around<'_, E>) {
        if let Some(stream) = self.streams.get_mut(at)
            && !stream.has_begun
        {
            stream.has_begun = true;
            around.events.first_byte(request(at));
        }
    }

    /// Takes a frame; of DATA what stands before its payload.
    #[inline]
    fn frame<E: Events>(&mut self, frame: &[u8], around: &mut Around<'_, E>) -> Result<(), Broken> {
        let Some((first, payload)) = frame.split_first_chunk::<HEADER_BYTES>() else { return Ok(()) };
        let header = Header::read(first);
        if self.block.is_some() && header.kind != kind::CONTINUATION {
            return Err(Broken::protocol("another frame in the middle of fields"));
        }
        match header.kind {
            kind::DATA => self.begin_data(&header, payload, around),
            kind::HEADERS => self.headers(&header, payload, around),
            _ => self.other_frame(&header, payload, around),
        }
    }

    #[inline(never)]
    fn other_frame<E: Events>(
        &mut self,
        header: &Header,
        payload: &[u8],
        around: &mut Around<'_, E>,
    ) -> Result<(), Broken> {
        match header.kind {
            kind::CONTINUATION => return self.continuation(header, payload, around),
            kind::SETTINGS => {
                self.settings(header, payload, around)?;
                self.counts_as_useless("SETTINGS without end")?;
            }
            kind::PING => {
                if header.stream != 0 {
                    return Err(Broken::protocol("PING on a stream"));
                }
                if payload.len() != 8 {
                    return Err(Broken::new(code::FRAME_SIZE_ERROR, "PING that has not 8 bytes"));
                }
                self.counts_as_useless("PING without end")?;
                if !header.has(flag::ACK) {
                    frame::ping_ack(payload, around.out);
                }
            }
            kind::WINDOW_UPDATE => self.window_update(header, payload, around)?,
            kind::RST_STREAM => self.rst_stream(header, payload, around)?,
            kind::GOAWAY => self.goaway(header, payload, around)?,
            kind::PUSH_PROMISE => return Err(Broken::protocol("PUSH_PROMISE, which was forbidden")),
            kind::PRIORITY => self.counts_as_useless("PRIORITY without end")?,
            _ => self.counts_as_useless("frames of unknown types without end")?,
        }
        Ok(())
    }

    fn counts_as_useless(&mut self, why: &'static str) -> Result<(), Broken> {
        self.useless += 1;
        if self.useless > MOST_USELESS {
            return Err(Broken::new(code::ENHANCE_YOUR_CALM, why));
        }
        Ok(())
    }

    // DATA

    #[inline]
    fn begin_data<E: Events>(
        &mut self,
        header: &Header,
        padding: &[u8],
        around: &mut Around<'_, E>,
    ) -> Result<(), Broken> {
        let padded = usize::from(header.has(flag::PADDED));
        let padding = padding.first().map_or(0, |&bytes| usize::from(bytes));
        let Some(left) = header.length.checked_sub(padded + padding) else {
            return Err(Broken::protocol("padding longer than its frame"));
        };
        self.received += header.length;
        if self.received >= WINDOW_STEP {
            frame::window_update(0, self.received as u32, around.out);
            self.received = 0;
        }
        let is_last = header.has(flag::END_STREAM);
        if left == 0 && !is_last {
            self.counts_as_useless("empty DATA without end")?;
        }
        let at = match self.streams.find(header.stream) {
            Found::Open(at) => Some(at),
            Found::GivenUp => {
                self.unwanted += header.length;
                if self.unwanted > MOST_UNWANTED {
                    return Err(Broken::of_given_up("DATA of streams given up without end"));
                }
                None
            }
            Found::Ended => {
                return Err(Broken::new(code::STREAM_CLOSED, "DATA on a stream that has ended"));
            }
            Found::NeverOpened => return Err(Broken::protocol("DATA on a stream that was never opened")),
        };
        let mut data = Data { at, id: header.stream, left, padding, is_last };
        if let Some(at) = at
            && let Some(stream) = self.streams.get_mut(at)
        {
            stream.received += header.length;
            if stream.received >= WINDOW_STEP && !is_last {
                frame::window_update(stream.id, stream.received as u32, around.out);
                stream.received = 0;
            }
            if stream.head.is_none() {
                data.at = None;
                self.fail(at, code::PROTOCOL_ERROR, "DATA before the head", &[], around);
            }
        }
        self.data = Some(data);
        Ok(())
    }

    /// Takes payload of DATA and says what is behind it.
    #[inline]
    fn data<'a, E: Events>(
        &mut self,
        mut data: Data,
        input: &'a [u8],
        around: &mut Around<'_, E>,
    ) -> Result<&'a [u8], Broken> {
        let (bytes, rest) = input.split_at(data.left.min(input.len()));
        data.left -= bytes.len();
        let (_, rest) = {
            let padding = if data.left == 0 { data.padding.min(rest.len()) } else { 0 };
            data.padding -= padding;
            rest.split_at(padding)
        };
        let is_whole = data.left == 0 && data.padding == 0;
        // It may have been given up since the frame began.
        let stream = data.at.and_then(|at| self.streams.get_mut(at)).filter(|stream| stream.id == data.id);
        if let (Some(at), Some(stream)) = (data.at, stream) {
            if !bytes.is_empty() {
                self.useless = 0;
                let so_far = stream.body.len() + bytes.len();
                let wrong = match &stream.head {
                    Some(head) if has_no_body(stream.is_head, head.head.status) => {
                        Some("a body where none may be")
                    }
                    Some(head) if head.length.is_some_and(|length| so_far > length) => {
                        Some("a body longer than its content-length")
                    }
                    _ if so_far > around.shared.limits.body_bytes => Some("a body over the limit"),
                    _ => None,
                };
                if let Some(why) = wrong {
                    data.at = None;
                    let code = if data.is_last && is_whole { None } else { Some(code::PROTOCOL_ERROR) };
                    self.fail_with(at, code, why, bytes, around);
                } else if !(data.is_last && is_whole && stream.body.is_empty()) {
                    stream.body.extend_from_slice(bytes);
                }
            }
            if data.is_last && is_whole && data.at.is_some() {
                self.finish(at, bytes, around);
            }
        }
        if !is_whole {
            self.data = Some(data);
        }
        Ok(rest)
    }

    /// The answer on a stream is whole. Its body is what was kept of it, or these bytes where nothing was.
    #[inline]
    fn finish<E: Events>(&mut self, at: usize, bytes: &[u8], around: &mut Around<'_, E>) {
        let Some(stream) = self.streams.get_mut(at) else { return };
        let Some(framed) = stream.head.take() else { return };
        let mut kept = std::mem::take(&mut stream.body);
        let body = if kept.is_empty() { bytes } else { kept.as_slice() };
        (self.useless, self.unwanted) = (0, 0);
        let is_short = framed.length.is_some_and(|length| body.len() < length)
            && !has_no_body(stream.is_head, framed.head.status);
        if stream.unsent.is_some() {
            // The server answers before it has all of the request, and wants no more of it.
            frame::rst_stream(stream.id, code::CANCEL, around.out);
            self.streams.give_up(at);
        } else {
            self.streams.close(at);
        }
        if is_short {
            around.events.failed(request(at), "a body shorter than its content-length", body);
        } else {
            around.events.end(request(at), &framed.head, body);
        }
        if kept.capacity() > 0 {
            kept.clear();
            self.streams.keep_room(at, kept);
        }
    }

    // HEADERS

    #[inline]
    fn headers<E: Events>(
        &mut self,
        header: &Header,
        mut payload: &[u8],
        around: &mut Around<'_, E>,
    ) -> Result<(), Broken> {
        if header.has(flag::PADDED | flag::PRIORITY) {
            payload = fragment(header, payload)?;
        }
        let is_last = header.has(flag::END_STREAM);
        if header.has(flag::END_HEADERS) {
            return self.fields(header.stream, is_last, payload, around);
        }
        if let Found::Open(at) = self.streams.find(header.stream) {
            self.begins(at, around);
        }
        self.block = Some(Block { stream: header.stream, is_last, bytes: payload.to_vec(), frames: 0 });
        Ok(())
    }

    fn continuation<E: Events>(
        &mut self,
        header: &Header,
        payload: &[u8],
        around: &mut Around<'_, E>,
    ) -> Result<(), Broken> {
        let Some(mut block) = self.block.take().filter(|block| block.stream == header.stream) else {
            return Err(Broken::protocol("CONTINUATION that continues nothing"));
        };
        block.frames += 1;
        block.bytes.extend_from_slice(payload);
        let at = match self.streams.find(block.stream) {
            Found::Open(at) => Some(at),
            _ => None,
        };
        if block.frames > MOST_CONTINUATIONS {
            return Err(Broken::on(at, code::ENHANCE_YOUR_CALM, "CONTINUATION without end"));
        }
        if block.bytes.len() > around.shared.limits.head_bytes {
            return Err(Broken::on(at, code::ENHANCE_YOUR_CALM, "a head over the limit"));
        }
        if header.has(flag::END_HEADERS) {
            return self.fields(block.stream, block.is_last, &block.bytes, around);
        }
        self.block = Some(block);
        Ok(())
    }

    /// Takes the fields of a head or of trailers.
    #[inline]
    fn fields<E: Events>(
        &mut self,
        id: u32,
        is_last: bool,
        block: &[u8],
        around: &mut Around<'_, E>,
    ) -> Result<(), Broken> {
        let Shared { heads, limits, .. } = &mut *around.shared;
        let at = match self.streams.find(id) {
            Found::Open(at) => at,
            Found::GivenUp => {
                // What it keeps in the table counts for the blocks behind it.
                let why = "HEADERS of streams given up without end";
                self.counts_as_useless(why).map_err(|_| Broken::of_given_up(why))?;
                return match self.heads.head(block, heads, limits) {
                    Err(HeadError::Unreadable(why)) => Err(Broken::new(code::COMPRESSION_ERROR, why)),
                    Err(HeadError::TooLong) => {
                        Err(Broken::new(code::ENHANCE_YOUR_CALM, "a head over the limit"))
                    }
                    Ok(_) | Err(HeadError::Malformed(_)) => Ok(()),
                };
            }
            Found::Ended => {
                return Err(Broken::new(code::STREAM_CLOSED, "HEADERS on a stream that has ended"));
            }
            Found::NeverOpened => return Err(Broken::protocol("HEADERS on a stream that was never opened")),
        };
        let Some(stream) = self.streams.get_mut(at) else { return Ok(()) };
        let broken = |code, why| Err(Broken::on(Some(at), code, why));
        if stream.head.is_some() {
            return match self.heads.trailers(block, limits) {
                Err(HeadError::Unreadable(why)) => broken(code::COMPRESSION_ERROR, why),
                Err(HeadError::TooLong) => broken(code::ENHANCE_YOUR_CALM, "trailers over the limit"),
                Err(HeadError::Malformed(why)) => {
                    self.fail(at, code::PROTOCOL_ERROR, why, block, around);
                    Ok(())
                }
                Ok(()) if !is_last => {
                    self.fail(at, code::PROTOCOL_ERROR, "a second head", block, around);
                    Ok(())
                }
                Ok(()) => {
                    self.finish(at, &[], around);
                    Ok(())
                }
            };
        }
        let framed = match self.heads.head(block, heads, limits) {
            Ok(framed) => framed,
            Err(HeadError::Unreadable(why)) => return broken(code::COMPRESSION_ERROR, why),
            Err(HeadError::TooLong) => return broken(code::ENHANCE_YOUR_CALM, "a head over the limit"),
            Err(HeadError::Malformed(why)) => {
                self.fail(at, code::PROTOCOL_ERROR, why, block, around);
                return Ok(());
            }
        };
        let status = framed.head.status;
        let wrong = if (100..200).contains(&status) {
            stream.interim += 1;
            match stream.interim > limits.interim {
                _ if status == 101 => Some("status 101, which HTTP/2 does not have"),
                _ if is_last => Some("an interim answer that is the last"),
                true => Some("interim answers without end"),
                false => {
                    self.begins(at, around);
                    return Ok(());
                }
            }
        } else if framed.length.is_some_and(|length| length > limits.body_bytes)
            && !has_no_body(stream.is_head, status)
        {
            Some("a body over the limit")
        } else {
            None
        };
        if let Some(why) = wrong {
            self.fail(at, code::PROTOCOL_ERROR, why, block, around);
            return Ok(());
        }
        stream.head = Some(framed);
        if is_last {
            self.finish(at, &[], around);
        } else {
            self.begins(at, around);
        }
        Ok(())
    }

    // What ends streams

    /// What came on a stream is no answer, and the server is told to send no more of it.
    #[cold]
    fn fail<E: Events>(
        &mut self,
        at: usize,
        code: u32,
        why: &'static str,
        bytes: &[u8],
        around: &mut Around<'_, E>,
    ) {
        self.fail_with(at, Some(code), why, bytes, around);
    }

    /// The same; without a code the server has nothing more to send.
    #[cold]
    fn fail_with<E: Events>(
        &mut self,
        at: usize,
        code: Option<u32>,
        why: &'static str,
        bytes: &[u8],
        around: &mut Around<'_, E>,
    ) {
        let Some(stream) = self.streams.get(at) else { return };
        if let Some(code) = code.or(stream.unsent.is_some().then_some(code::CANCEL)) {
            frame::rst_stream(stream.id, code, around.out);
        }
        self.streams.give_up(at);
        around.events.failed(request(at), why, bytes);
    }

    fn rst_stream<E: Events>(
        &mut self,
        header: &Header,
        payload: &[u8],
        around: &mut Around<'_, E>,
    ) -> Result<(), Broken> {
        let Ok(code) = payload.try_into().map(u32::from_be_bytes) else {
            return Err(Broken::new(code::FRAME_SIZE_ERROR, "RST_STREAM that has not 4 bytes"));
        };
        match self.streams.find(header.stream) {
            Found::Open(at) => {
                let begun = self.streams.get(at).is_some_and(|stream| stream.has_begun);
                self.streams.close(at);
                self.useless = 0;
                match code {
                    code::REFUSED_STREAM => around.events.refused(request(at)),
                    _ => around.events.reset(request(at), begun, frame::reset_in_words(code)),
                }
                Ok(())
            }
            // The server may not have known that it had ended.
            Found::Ended | Found::GivenUp => self.counts_as_useless("RST_STREAM without end"),
            Found::NeverOpened => Err(Broken::protocol("RST_STREAM on a stream that was never opened")),
        }
    }

    fn goaway<E: Events>(
        &mut self,
        header: &Header,
        payload: &[u8],
        around: &mut Around<'_, E>,
    ) -> Result<(), Broken> {
        let Some((last, _)) = payload.split_first_chunk::<4>().filter(|_| payload.len() >= 8) else {
            return Err(Broken::new(code::FRAME_SIZE_ERROR, "GOAWAY with fewer than 8 bytes"));
        };
        if header.stream != 0 {
            return Err(Broken::protocol("GOAWAY on a stream"));
        }
        self.counts_as_useless("GOAWAY without end")?;
        self.is_ending = true;
        let last = u32::from_be_bytes(*last) & frame::LAST_STREAM;
        for at in self.streams.above(last) {
            self.streams.give_up(at);
            around.events.refused(request(at));
        }
        Ok(())
    }

    // What the server wants

    fn settings<E: Events>(
        &mut self,
        header: &Header,
        payload: &[u8],
        around: &mut Around<'_, E>,
    ) -> Result<(), Broken> {
        if header.stream != 0 {
            return Err(Broken::protocol("SETTINGS on a stream"));
        }
        let (settings, rest) = payload.as_chunks::<6>();
        if !rest.is_empty() || (header.has(flag::ACK) && !payload.is_empty()) {
            return Err(Broken::new(code::FRAME_SIZE_ERROR, "SETTINGS of a wrong length"));
        }
        if header.has(flag::ACK) {
            return Ok(());
        }
        for [a, b, value @ ..] in settings {
            let value = u32::from_be_bytes(*value);
            match u16::from_be_bytes([*a, *b]) {
                setting::HEADER_TABLE_SIZE => self.sender.set_table_bytes(value as usize),
                setting::ENABLE_PUSH if value != 0 => {
                    return Err(Broken::protocol("ENABLE_PUSH from a server"));
                }
                setting::MAX_CONCURRENT_STREAMS => {
                    self.most_streams = value;
                    let fewest = &mut around.shared.fewest_streams;
                    *fewest = Some(fewest.map_or(value, |fewest| fewest.min(value)));
                }
                setting::INITIAL_WINDOW_SIZE => {
                    let window = i64::from(value);
                    let fits =
                        window <= LARGEST_WINDOW && self.sender.set_stream_window(window, &mut self.streams);
                    if !fits {
                        let why = "a window larger than there may be";
                        return Err(Broken::new(code::FLOW_CONTROL_ERROR, why));
                    }
                }
                setting::MAX_FRAME_SIZE => {
                    let bytes = value as usize;
                    if !(USUAL_FRAME_BYTES..=LARGEST_FRAME_BYTES).contains(&bytes) {
                        return Err(Broken::protocol("a MAX_FRAME_SIZE that there may not be"));
                    }
                    self.sender.set_frame_bytes(bytes);
                }
                _ => {}
            }
        }
        self.has_settings = true;
        frame::settings_ack(around.out);
        self.sender.go_on(&mut self.streams, around.out);
        Ok(())
    }

    fn window_update<E: Events>(
        &mut self,
        header: &Header,
        payload: &[u8],
        around: &mut Around<'_, E>,
    ) -> Result<(), Broken> {
        let Ok(more) = payload.try_into().map(u32::from_be_bytes) else {
            return Err(Broken::new(code::FRAME_SIZE_ERROR, "WINDOW_UPDATE that has not 4 bytes"));
        };
        let more = i64::from(more) & LARGEST_WINDOW;
        if !self.sender.is_held_back() {
            self.counts_as_useless("WINDOW_UPDATE without end")?;
        }
        if header.stream == 0 {
            if more == 0 {
                return Err(Broken::protocol("WINDOW_UPDATE by 0"));
            }
            if !self.sender.open_window(more) {
                return Err(Broken::new(code::FLOW_CONTROL_ERROR, "a window larger than there may be"));
            }
        } else {
            match self.streams.find(header.stream) {
                Found::Open(at) => {
                    let Some(stream) = self.streams.get_mut(at) else { return Ok(()) };
                    stream.window += more;
                    if more == 0 {
                        self.fail(at, code::PROTOCOL_ERROR, "WINDOW_UPDATE by 0", payload, around);
                    } else if stream.window > LARGEST_WINDOW {
                        let why = "a window larger than there may be";
                        self.fail(at, code::FLOW_CONTROL_ERROR, why, payload, around);
                    }
                }
                Found::Ended | Found::GivenUp => {}
                Found::NeverOpened => {
                    return Err(Broken::protocol("WINDOW_UPDATE on a stream that was never opened"));
                }
            }
        }
        self.sender.go_on(&mut self.streams, around.out);
        Ok(())
    }

    /// Tells whose answer it was that broke the connection, if any was under way.
    #[cold]
    fn broken<E: Events>(&mut self, broken: &Broken, bytes: &[u8], around: &mut Around<'_, E>) {
        frame::goaway(broken.code, around.out);
        if broken.was_counted {
            return;
        }
        let at = broken.at.filter(|&at| self.streams.get(at).is_some());
        match at.or_else(|| self.streams.oldest()) {
            Some(at) => {
                self.streams.close(at);
                around.events.failed(request(at), broken.why, bytes);
            }
            None => around.events.unasked(broken.why, bytes, false),
        }
    }

    #[cfg(test)]
    pub(super) fn set_next_stream(&mut self, id: u32) {
        self.streams.set_next_id(id);
    }

    /// The bodies so far are dropped, so that a test can send more than memory holds.
    #[cfg(test)]
    pub(super) fn forget_body(&mut self) {
        self.streams.iter_mut().for_each(|stream| stream.body.clear());
    }

    /// How many bytes it keeps of what the server has sent.
    #[cfg(any(test, feature = "fuzzing"))]
    pub(crate) fn held_bytes(&self) -> usize {
        let block = self.block.as_ref().map_or(0, |block| block.bytes.capacity());
        self.held.capacity() + block + self.streams.held_bytes()
    }
}

/// The first frame of a server (RFC 9113, 3.4).
#[cold]
fn check_preface(first: &[u8; HEADER_BYTES], header: &Header) -> Result<(), Broken> {
    if first.starts_with(b"HTTP/") {
        return Err(Broken::protocol("the server answers with HTTP/1 and does not speak HTTP/2 here"));
    }
    if header.kind != kind::SETTINGS || header.has(flag::ACK) {
        return Err(Broken::protocol("the server does not begin with SETTINGS, as HTTP/2 does"));
    }
    Ok(())
}

/// An answer to `HEAD`, or with a status that has no body (RFC 9110, 6.4.1).
#[inline]
fn has_no_body(is_head: bool, status: u16) -> bool {
    is_head || matches!(status, 204 | 304)
}

/// The fields in the payload of HEADERS.
#[cold]
fn fragment<'a>(header: &Header, mut payload: &'a [u8]) -> Result<&'a [u8], Broken> {
    const PRIORITY_BYTES: usize = 5;
    let too_short = || Broken::new(code::FRAME_SIZE_ERROR, "HEADERS that are too short");
    let mut padding = 0;
    if header.has(flag::PADDED) {
        let (&bytes, rest) = payload.split_first().ok_or_else(too_short)?;
        (padding, payload) = (usize::from(bytes), rest);
    }
    if header.has(flag::PRIORITY) {
        payload = payload.get(PRIORITY_BYTES..).ok_or_else(too_short)?;
    }
    let length =
        payload.len().checked_sub(padding).ok_or(Broken::protocol("padding longer than its frame"))?;
    Ok(&payload[..length])
}

impl Session for Http2 {
    type Shared = Shared;

    const FILLS_UP_LATE: bool = false;

    fn reset(&mut self) {
        self.streams.reset();
        self.sender.reset();
        self.heads.reset();
        self.held.clear();
        (self.data, self.block) = (None, None);
        (self.received, self.useless) = (0, 0);
        (self.has_settings, self.is_ending) = (false, false);
    }

    fn open(&mut self, out: &mut Vec<u8>) {
        self.most_streams = u32::MAX;
        out.extend_from_slice(PREFACE);
        let settings = [(setting::ENABLE_PUSH, 0), (setting::INITIAL_WINDOW_SIZE, LARGEST_WINDOW as u32)];
        frame::settings(&settings, out);
        frame::window_update(0, (LARGEST_WINDOW - USUAL_WINDOW) as u32, out);
    }

    #[inline]
    fn takes_more(&self, most: usize) -> usize {
        if self.is_ending || !self.streams.has_number() {
            return 0;
        }
        self.most_streams(most).saturating_sub(self.streams.len())
    }

    #[inline]
    fn bytes<'a>(&mut self, mix: &'a Mix, drawn: &Drawn, room: &'a mut Vec<u8>) -> (RequestId, &'a [u8]) {
        room.clear();
        (self.append(mix, drawn, room), room)
    }

    #[inline]
    fn append(&mut self, mix: &Mix, drawn: &Drawn, out: &mut Vec<u8>) -> RequestId {
        request(self.sender.request(mix, drawn, &mut self.streams, out))
    }

    fn receive(
        &mut self,
        bytes: &[u8],
        _: bool,
        shared: &mut Shared,
        out: &mut Vec<u8>,
        events: &mut impl Events,
    ) -> Then {
        let was_ending = self.is_ending;
        let mut around = Around { shared, out, events };
        if let Err(broken) = self.read(bytes, &mut around) {
            self.broken(&broken, bytes, &mut around);
            return Then::Breaks;
        }
        match self.streams.len() {
            0 if self.is_ending || !self.streams.has_number() => Then::IsOver,
            _ if self.is_ending && !was_ending => Then::Ends,
            _ => Then::Goes,
        }
    }

    fn oldest(&self) -> Option<RequestId> {
        self.streams.oldest().map(request)
    }

    fn has_begun(&self, id: RequestId) -> bool {
        self.streams.get(id.0 as usize).is_some_and(|stream| stream.has_begun)
    }

    fn cancel(&mut self, id: RequestId, out: &mut Vec<u8>) -> bool {
        let at = id.0 as usize;
        if let Some(stream) = self.streams.get(at) {
            frame::rst_stream(stream.id, code::CANCEL, out);
            self.streams.give_up(at);
        }
        true
    }

    fn forget_oldest(&mut self) -> Option<RequestId> {
        let at = self.streams.oldest()?;
        self.streams.close(at);
        Some(request(at))
    }

    fn end_oldest(&mut self) -> Option<(RequestId, AtEnd<'_>)> {
        let at = self.streams.oldest()?;
        let has_begun = self.streams.get(at).is_some_and(|stream| stream.has_begun);
        self.streams.close(at);
        Some((request(at), if has_begun { AtEnd::Truncated } else { AtEnd::Nothing }))
    }

    fn fewest_streams(shared: &Shared) -> Option<u32> {
        shared.fewest_streams
    }
}
