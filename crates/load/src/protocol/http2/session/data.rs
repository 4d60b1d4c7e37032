//! DATA: the bodies of answers.

use super::broken::Broken;
use super::{Around, Data, Http2, WINDOW_STEP, has_no_body};
use crate::protocol::http2::frame::{self, Header, LARGEST_WINDOW, code, flag};
use crate::protocol::http2::streams::{Body, Found, request};
use crate::protocol::session::{BODY_OVER_LIMIT, Events};

/// A server that was told to send no more of a stream may have so many bytes of it on their way: more than sockets hold.
const MOST_UNWANTED: i64 = 16 << 20;

impl Http2 {
    #[inline]
    pub(super) fn begin_data<E: Events>(
        &mut self,
        header: &Header,
        padding: &[u8],
        around: &mut Around<'_, E>,
    ) -> Result<(), Broken> {
        let padded = usize::from(header.has(flag::PADDED));
        let padding = padding.first().map_or(0, |&bytes| usize::from(bytes));
        let Some(left) = header.length.checked_sub(padded + padding) else {
            return Err(if header.length < padded {
                Broken::new(code::FRAME_SIZE_ERROR, "DATA that is too short")
            } else {
                Broken::protocol("padding longer than its frame")
            });
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
            Found::Closed => {
                self.unwanted += header.length as i64;
                if self.unwanted > MOST_UNWANTED {
                    return Err(Broken::of_closed("DATA of closed streams without end"));
                }
                None
            }
            Found::NeverOpened => return Err(Broken::protocol("DATA on a stream that was never opened")),
        };
        let mut data = Data { at, id: header.stream, left, padding, is_last };
        if let Some(at) = at
            && let Some(stream) = self.streams.get_mut(at)
        {
            stream.received += header.length as u32;
            if stream.received >= WINDOW_STEP as u32 && !is_last {
                frame::window_update(stream.id, stream.received, around.out);
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
    pub(super) fn data<'a, E: Events>(
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
                    // Only whoever takes the parts knows how much of the body came before these.
                    _ if E::TAKES_PARTS => None,
                    Some(head) if head.length.is_some_and(|length| so_far > length) => {
                        Some("a body longer than its content-length")
                    }
                    _ if so_far > around.shared.limits.body_bytes => Some(BODY_OVER_LIMIT),
                    _ => None,
                };
                if let Some(why) = wrong {
                    data.at = None;
                    // Of a frame that is the last nothing is to be stopped, whether it has come whole or not.
                    let code = if data.is_last { None } else { Some(code::PROTOCOL_ERROR) };
                    self.fail_with(at, code, why, bytes, around);
                } else if E::TAKES_PARTS
                    && let Body::Kept(body) = &mut stream.body
                {
                    body.extend_from_slice(bytes);
                    let taken = match &stream.head {
                        Some(head) => around.events.part(request(at), head.head.as_ref(), body),
                        None => Ok(()),
                    };
                    let most = around.shared.limits.body_bytes + E::MOST_BEFORE_PART;
                    let is_over = body.len() > most;
                    if let Err(why) = taken.and(if is_over { Err(BODY_OVER_LIMIT) } else { Ok(()) }) {
                        data.at = None;
                        let code = if data.is_last { None } else { Some(code::CANCEL) };
                        self.fail_with(at, code, why, bytes, around);
                    }
                } else if !(data.is_last && is_whole && stream.body.len() == 0) {
                    match &mut stream.body {
                        Body::Kept(body) if around.events.keeps_bodies() => body.extend_from_slice(bytes),
                        body => *body = Body::Counted(so_far),
                    }
                }
            }
            if data.is_last && is_whole && data.at.is_some() {
                // What was handed over as parts is not told of again.
                let bytes = if E::TAKES_PARTS { &[] } else { bytes };
                self.finish(at, bytes, around);
            }
        }
        if !is_whole {
            self.data = Some(data);
        }
        Ok(rest)
    }

    /// A stream is given up by this side, and the server may not know that yet: what it has on its way of it is not held against it.
    pub(super) fn give_up(&mut self, at: usize) {
        self.streams.close(at);
        self.useless = 0;
        // More than the connection's window is never on its way.
        self.unwanted = (self.unwanted - MOST_UNWANTED).max(-LARGEST_WINDOW);
    }

    /// The answer on a stream is whole. Its body is what was kept of it, or these bytes where nothing was.
    #[inline]
    pub(super) fn finish<E: Events>(&mut self, at: usize, bytes: &[u8], around: &mut Around<'_, E>) {
        let Some(stream) = self.streams.get_mut(at) else { return };
        let Some(framed) = stream.head.take() else { return };
        let so_far = (stream.body.len() > 0).then(|| std::mem::take(&mut stream.body));
        let (body, counted) = match &so_far {
            None => (bytes, 0),
            Some(Body::Kept(kept)) => (kept.as_slice(), 0),
            Some(Body::Counted(count)) => (bytes, *count),
        };
        (self.useless, self.unwanted) = (0, self.unwanted.min(0));
        // What was taken as it came is not among the body any more.
        let is_short = !E::TAKES_PARTS
            && framed.length.is_some_and(|length| body.len().max(counted) < length)
            && !has_no_body(stream.is_head, framed.head.status);
        if stream.unsent.is_some() {
            // The server answers before it has all of the request, and wants no more of it.
            frame::rst_stream(stream.id, code::CANCEL, around.out);
        }
        self.streams.close(at);
        if is_short {
            around.events.failed(request(at), "a body shorter than its content-length", body);
        } else {
            around.events.end(request(at), &framed.head, body);
        }
        if let Some(Body::Kept(mut room)) = so_far {
            room.clear();
            self.streams.keep_room(at, room);
        }
    }
}
