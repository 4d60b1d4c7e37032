//! How the server wants to be talked to: SETTINGS and WINDOW_UPDATE.

use super::broken::Broken;
use super::{Around, Http2};
use crate::protocol::http2::frame::{
    self, Header, LARGEST_FRAME_BYTES, LARGEST_WINDOW, USUAL_FRAME_BYTES, code, flag, setting,
};
use crate::protocol::http2::streams::Found;
use crate::protocol::session::Events;

impl Http2 {
    pub(super) fn settings<E: Events>(
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
                    let fits = self.sender.set_stream_window(value.into(), &mut self.streams);
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

    pub(super) fn window_update<E: Events>(
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
                    let fits = stream.widen(more);
                    if more == 0 {
                        self.fail(at, code::PROTOCOL_ERROR, "WINDOW_UPDATE by 0", payload, around);
                    } else if !fits {
                        let why = "a window larger than there may be";
                        self.fail(at, code::FLOW_CONTROL_ERROR, why, payload, around);
                    }
                }
                Found::Closed => {}
                Found::NeverOpened => {
                    return Err(Broken::protocol("WINDOW_UPDATE on a stream that was never opened"));
                }
            }
        }
        self.sender.go_on(&mut self.streams, around.out);
        Ok(())
    }
}
