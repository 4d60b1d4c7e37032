//! Messages behind their prefix: one byte that says whether it is compressed, and four of its length.

use std::borrow::Cow;
use std::io::Read as _;

use crate::protocol::Head;

pub(super) const PREFIX_BYTES: usize = 5;

/// What a call accepts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Accepts {
    pub(super) gzip: bool,
    /// The longest message, also when it is unpacked.
    pub(super) message_bytes: usize,
}

/// A message, and how many bytes it took with its prefix.
pub(super) type Framed<'a> = (Cow<'a, [u8]>, usize);

/// The first of the messages in some bytes; `None` when it is not whole.
pub(super) fn first<'a>(
    bytes: &'a [u8],
    head: &Head,
    accepts: Accepts,
) -> Result<Option<Framed<'a>>, &'static str> {
    let Some((prefix, rest)) = bytes.split_first_chunk::<PREFIX_BYTES>() else { return Ok(None) };
    let [flag, length @ ..] = *prefix;
    let length = u32::from_be_bytes(length) as usize;
    if flag > 1 {
        return Err("a message whose first byte is neither 0 nor 1");
    }
    if length > accepts.message_bytes {
        return Err("a message over the limit, which velo load's --limit-body sets");
    }
    let Some(message) = rest.get(..length) else { return Ok(None) };
    let message = if flag == 0 { Cow::Borrowed(message) } else { unpacked(message, head, accepts)?.into() };
    Ok(Some((message, PREFIX_BYTES + length)))
}

/// A compressed message.
fn unpacked(message: &[u8], head: &Head, accepts: Accepts) -> Result<Vec<u8>, &'static str> {
    match head.header("grpc-encoding").next() {
        None | Some(b"identity") => {
            return Err("a message that says it is compressed, without grpc-encoding");
        }
        Some(_) if !accepts.gzip => return Err("a compressed message, which the call did not accept"),
        Some(b"gzip") => {}
        Some(_) => {
            return Err("a message compressed otherwise than with gzip, which the call did not accept");
        }
    }
    let mut unpacked = Vec::new();
    let most = accepts.message_bytes as u64 + 1;
    let mut decoder = flate2::bufread::GzDecoder::new(message);
    match decoder.by_ref().take(most).read_to_end(&mut unpacked) {
        Ok(_) if unpacked.len() > accepts.message_bytes => {
            Err("a message over the limit when it is unpacked, which velo load's --limit-body sets")
        }
        Ok(_) if !decoder.into_inner().is_empty() => Err("bytes behind the gzip of a compressed message"),
        Ok(_) => Ok(unpacked),
        Err(_) => Err("a compressed message that is no gzip"),
    }
}
