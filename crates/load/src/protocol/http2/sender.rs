//! Requests on their way out: fields as numbers of what the server keeps, bodies as its windows allow.

use std::collections::VecDeque;

use super::frame::{self, HEADER_BYTES, LARGEST_WINDOW, USUAL_FRAME_BYTES, USUAL_WINDOW, flag, kind};
use super::streams::{Streams, Unsent};
use crate::hpack::{FIRST_DYNAMIC, USUAL_TABLE_BYTES, write};
use crate::mix::{Carried, Drawn, Fields, Mix, Part};

/// What one connection sends.
#[derive(Debug)]
pub(super) struct Sender {
    fields: Encoder,
    /// How much more of bodies the server takes on this connection, and on each new stream of it.
    window: i64,
    stream_window: i32,
    /// The largest payload that it takes.
    frame_bytes: usize,
    /// Streams with a body that is not sent, the one that has waited longest first, by place and number.
    waiting: VecDeque<(usize, u32)>,
    /// Requests as they were written last, by variant.
    written: [Written; WRITTEN],
    block: Vec<u8>,
}

/// A request that is written alike while the encoder stays as it is.
#[derive(Debug, Default)]
struct Written {
    request: u16,
    variant: usize,
    /// The encoder's state that it belongs to; 0: none.
    state: u64,
    frames: Vec<u8>,
    body_bytes: usize,
}

/// As many requests are kept as they were written, none longer than this.
const WRITTEN: usize = 4;
const LONGEST_WRITTEN: usize = 1024;

impl Default for Sender {
    fn default() -> Self {
        Self {
            fields: Encoder::default(),
            window: USUAL_WINDOW,
            stream_window: USUAL_WINDOW as i32,
            frame_bytes: USUAL_FRAME_BYTES,
            waiting: VecDeque::new(),
            written: Default::default(),
            block: Vec::new(),
        }
    }
}

impl Sender {
    /// Forgets everything.
    pub(super) fn reset(&mut self) {
        self.fields.reset();
        (self.window, self.stream_window) = (USUAL_WINDOW, USUAL_WINDOW as i32);
        self.frame_bytes = USUAL_FRAME_BYTES;
        self.waiting.clear();
    }

    /// Appends a request on a new stream, and of its body what may be sent; says where the stream is.
    #[inline]
    pub(super) fn request(
        &mut self,
        mix: &Mix,
        drawn: &Drawn,
        streams: &mut Streams,
        out: &mut Vec<u8>,
    ) -> usize {
        let at = streams.open(mix.is_head(drawn), self.stream_window);
        let written = &self.written[drawn.variant_index() % WRITTEN];
        if written.state == self.fields.state
            && written.variant == drawn.variant_index()
            && written.request == drawn.request
            && self.fields.mix == mix.carried().id
            && self.may_send(written.body_bytes)
        {
            let start = out.len();
            out.extend_from_slice(&written.frames);
            let id = streams.get(at).map_or(0, |stream| stream.id).to_be_bytes();
            out[start + HEADER_BYTES - 4..start + HEADER_BYTES].copy_from_slice(&id);
            if written.body_bytes > 0 {
                self.window -= written.body_bytes as i64;
                let body_start = out.len() - written.body_bytes;
                out[body_start - 4..body_start].copy_from_slice(&id);
            }
            return at;
        }
        self.write(mix, drawn, streams, at, out);
        at
    }

    /// Whether a body of so many bytes can go out whole and in one frame.
    #[inline]
    fn may_send(&self, body_bytes: usize) -> bool {
        let bytes = body_bytes as i64;
        bytes <= self.window && bytes <= i64::from(self.stream_window) && body_bytes <= self.frame_bytes
            || body_bytes == 0
    }

    #[inline(never)]
    fn write(&mut self, mix: &Mix, drawn: &Drawn, streams: &mut Streams, at: usize, out: &mut Vec<u8>) {
        let Some(stream) = streams.get_mut(at) else { return };
        let (id, start) = (stream.id, out.len());
        let fields = mix.fields(drawn);
        let body_bytes = fields.body_bytes(drawn);
        let before = self.fields.state;
        self.block.clear();
        self.fields.block(mix.carried(), fields, drawn, body_bytes, &mut self.block);
        let block_bytes = self.block.len();
        self.write_block(id, body_bytes == 0, out);
        if !self.may_send(body_bytes) {
            let mut bytes = Vec::with_capacity(body_bytes);
            fields.write_body(drawn, &mut bytes);
            stream.unsent = Some(Box::new(Unsent { bytes, sent: 0 }));
            self.waiting.push_back((at, id));
            return self.go_on(streams, out);
        }
        if body_bytes > 0 {
            frame::header(body_bytes, kind::DATA, flag::END_STREAM, id, out);
            fields.write_body(drawn, out);
            self.window -= body_bytes as i64;
            stream.window -= body_bytes as i32;
        }
        if fields.is_fixed()
            && before == self.fields.state
            && block_bytes <= self.frame_bytes
            && out.len() - start <= LONGEST_WRITTEN
        {
            let written = &mut self.written[drawn.variant_index() % WRITTEN];
            (written.request, written.variant) = (drawn.request, drawn.variant_index());
            (written.state, written.body_bytes) = (before, body_bytes);
            written.frames.clear();
            written.frames.extend_from_slice(&out[start..]);
        }
    }

    /// Appends the block in as many frames as it takes.
    fn write_block(&self, id: u32, is_all: bool, out: &mut Vec<u8>) {
        let end_stream = if is_all { flag::END_STREAM } else { 0 };
        let mut pieces = self.block.chunks(self.frame_bytes).peekable();
        let mut first = true;
        while let Some(piece) = pieces.next() {
            let end_headers = if pieces.peek().is_none() { flag::END_HEADERS } else { 0 };
            let (kind, flags) = if first {
                (kind::HEADERS, end_headers | end_stream)
            } else {
                (kind::CONTINUATION, end_headers)
            };
            frame::header(piece.len(), kind, flags, id, out);
            out.extend_from_slice(piece);
            first = false;
        }
    }

    /// Appends what the windows allow of the bodies that wait.
    pub(super) fn go_on(&mut self, streams: &mut Streams, out: &mut Vec<u8>) {
        for _ in 0..self.waiting.len() {
            let Some((at, id)) = self.waiting.pop_front() else { return };
            let Some(stream) = streams.get_mut(at).filter(|stream| stream.id == id) else { continue };
            let Some(unsent) = &mut stream.unsent else { continue };
            loop {
                let left = unsent.bytes.len() - unsent.sent;
                let window = self.window.min(stream.window.into()).max(0) as usize;
                let bytes = left.min(window).min(self.frame_bytes);
                if bytes == 0 {
                    self.waiting.push_back((at, id));
                    break;
                }
                let flags = if bytes == left { flag::END_STREAM } else { 0 };
                frame::header(bytes, kind::DATA, flags, id, out);
                out.extend_from_slice(&unsent.bytes[unsent.sent..][..bytes]);
                unsent.sent += bytes;
                self.window -= bytes as i64;
                stream.window -= bytes as i32;
                if bytes == left {
                    stream.unsent = None;
                    break;
                }
            }
        }
    }

    /// Whether bodies wait for a window.
    pub(super) fn is_held_back(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// The server takes so much more on the connection; `false` when that is more than it may.
    pub(super) fn open_window(&mut self, more: i64) -> bool {
        self.window += more;
        self.window <= LARGEST_WINDOW
    }

    /// Each stream, open or to come, begins with this window; `false` when one gets more than it may.
    pub(super) fn set_stream_window(&mut self, window: i64, streams: &mut Streams) -> bool {
        let Ok(window) = i32::try_from(window) else { return false };
        let more = i64::from(window) - i64::from(self.stream_window);
        self.stream_window = window;
        streams.iter_mut().all(|stream| stream.widen(more))
    }

    pub(super) fn set_frame_bytes(&mut self, bytes: usize) {
        self.frame_bytes = bytes;
    }

    /// The server keeps a table of at most so many bytes.
    pub(super) fn set_table_bytes(&mut self, bytes: usize) {
        self.fields.allow(bytes);
    }
}

/// What the server keeps of the fields that it was sent, and how they are written with that.
#[derive(Debug)]
struct Encoder {
    /// The mix whose fields it keeps; 0: none.
    mix: u64,
    /// For each keepable field of the mix, the how-many-th it was to be kept; 0 where it is not.
    kept: Vec<u32>,
    count: u32,
    /// How many of the keepable fields, the first of them, have room together.
    fitting: usize,
    /// The server's table is to be so large.
    table_bytes: usize,
    /// The server has to be told to forget its table.
    is_stale: bool,
    /// Another after each change of the above, never 0: what was written for an earlier one means something else now.
    state: u64,
}

impl Default for Encoder {
    fn default() -> Self {
        Self {
            mix: 0,
            kept: Vec::new(),
            count: 0,
            fitting: 0,
            table_bytes: USUAL_TABLE_BYTES,
            is_stale: false,
            state: 1,
        }
    }
}

impl Encoder {
    fn reset(&mut self) {
        self.forget();
        (self.table_bytes, self.is_stale) = (USUAL_TABLE_BYTES, false);
    }

    fn forget(&mut self) {
        (self.mix, self.count) = (0, 0);
        self.kept.clear();
        self.state += 1;
    }

    /// A larger table than the usual is not used.
    fn allow(&mut self, bytes: usize) {
        let bytes = bytes.min(USUAL_TABLE_BYTES);
        if bytes != self.table_bytes {
            self.table_bytes = bytes;
            self.is_stale = true;
            self.forget();
        }
    }

    /// Another mix has other fields.
    #[cold]
    fn begin(&mut self, mix: &Carried) {
        self.is_stale |= self.mix != 0;
        self.forget();
        self.mix = mix.id;
        self.kept.resize(mix.keepable.len(), 0);
        self.fitting = mix.keepable.partition_point(|field| field.bytes_so_far <= self.table_bytes);
    }

    fn block(&mut self, mix: &Carried, fields: &Fields, drawn: &Drawn, body_bytes: usize, out: &mut Vec<u8>) {
        if self.mix != mix.id {
            self.begin(mix);
        }
        if self.is_stale {
            // The smallest size since the last block comes first (RFC 7541, 4.2), and with it all is forgotten.
            write::table_size(0, out);
            write::table_size(self.table_bytes, out);
            self.is_stale = false;
            self.state += 1;
        }
        for part in &fields.parts {
            match part {
                Part::Bytes(bytes) => out.extend_from_slice(bytes),
                Part::Keepable(place) => {
                    let place = usize::from(*place);
                    let field = &mix.keepable[place];
                    if place >= self.fitting {
                        out.extend_from_slice(&field.not_kept);
                    } else if self.kept[place] == 0 {
                        out.extend_from_slice(&field.kept);
                        self.count += 1;
                        self.kept[place] = self.count;
                        self.state += 1;
                    } else {
                        // The latest has the first number.
                        write::indexed(FIRST_DYNAMIC + (self.count - self.kept[place]) as usize, out);
                    }
                }
                Part::Drawn(value) => value.write(drawn, body_bytes, out),
            }
        }
    }
}
