//! HEADERS and CONTINUATION: the heads and trailers of answers.

use super::broken::Broken;
use super::{Around, Block, Http2, Shared, has_no_body};
use crate::protocol::http2::frame::{Header, PRIORITY_BYTES, code, flag};
use crate::protocol::http2::head::HeadError;
use crate::protocol::http2::streams::Found;
use crate::protocol::session::{BODY_OVER_LIMIT, Events, HEAD_OVER_LIMIT};

/// Fields come in so many frames at most.
const MOST_CONTINUATIONS: u32 = 64;

impl Http2 {
    #[inline(always)]
    pub(super) fn headers<E: Events>(
        &mut self,
        header: &Header,
        mut payload: &[u8],
        around: &mut Around<'_, E>,
    ) -> Result<(), Broken> {
        if header.has(flag::PADDED | flag::PRIORITY) {
            // As if the frame had come in pieces, of which the first says that an answer begins.
            if let Found::Open(at) = self.streams.find(header.stream) {
                self.begins(at, around);
            }
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

    pub(super) fn continuation<E: Events>(
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
        let too_much = if block.frames > MOST_CONTINUATIONS {
            Some("CONTINUATION without end")
        } else if block.bytes.len() > around.shared.limits.head_bytes {
            Some(HEAD_OVER_LIMIT)
        } else {
            None
        };
        if let Some(why) = too_much {
            return Err(match self.streams.find(block.stream) {
                Found::Open(at) => Broken::on(at, code::ENHANCE_YOUR_CALM, why),
                Found::Closed => Broken::of_closed(why),
                Found::NeverOpened => Broken::new(code::ENHANCE_YOUR_CALM, why),
            });
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
            Found::Closed => {
                // What it keeps in the table counts for the blocks behind it.
                let why = "HEADERS of closed streams without end";
                self.counts_as_useless(why).map_err(|_| Broken::of_closed(why))?;
                return match self.heads.head(block, heads, limits) {
                    Err(HeadError::Unreadable(why)) => Err(Broken::new(code::COMPRESSION_ERROR, why)),
                    Err(HeadError::TooLong) => Err(Broken::of_closed(HEAD_OVER_LIMIT)),
                    Ok(_) | Err(HeadError::Malformed(_)) => Ok(()),
                };
            }
            Found::NeverOpened => return Err(Broken::protocol("HEADERS on a stream that was never opened")),
        };
        let Some(stream) = self.streams.get_mut(at) else { return Ok(()) };
        let broken = |code, why| Err(Broken::on(at, code, why));
        if let Some(head) = &stream.head {
            return match self.heads.trailers(block, head, heads, limits) {
                Err(HeadError::Unreadable(why)) => broken(code::COMPRESSION_ERROR, why),
                Err(HeadError::TooLong) => broken(
                    code::ENHANCE_YOUR_CALM,
                    "trailers over the limit, which velo load's --limit-head sets",
                ),
                Err(HeadError::Malformed(why)) => {
                    self.fail(at, code::PROTOCOL_ERROR, why, block, around);
                    Ok(())
                }
                Ok(_) if !is_last => {
                    self.fail(at, code::PROTOCOL_ERROR, "a second head", block, around);
                    Ok(())
                }
                Ok(both) => {
                    stream.head = Some(both);
                    self.finish(at, &[], around);
                    Ok(())
                }
            };
        }
        let framed = match self.heads.head(block, heads, limits) {
            Ok(framed) => framed,
            Err(HeadError::Unreadable(why)) => return broken(code::COMPRESSION_ERROR, why),
            Err(HeadError::TooLong) => return broken(code::ENHANCE_YOUR_CALM, HEAD_OVER_LIMIT),
            Err(HeadError::Malformed(why)) => {
                self.fail(at, code::PROTOCOL_ERROR, why, block, around);
                return Ok(());
            }
        };
        let status = framed.head.status;
        let wrong = if (100..200).contains(&status) {
            stream.interim = stream.interim.saturating_add(1);
            match u32::from(stream.interim) > limits.interim {
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
            Some(BODY_OVER_LIMIT)
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
}

/// The fields in the payload of HEADERS.
#[cold]
fn fragment<'a>(header: &Header, mut payload: &'a [u8]) -> Result<&'a [u8], Broken> {
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
