//! What of an answer goes out: head, bytes and trailers, right or wrong.

use std::io::{self, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::lie::Lie;
use super::services::{INVALID_ARGUMENT, Outcome};

/// The parts of an answer.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Parts {
    /// `grpc-status` in the head.
    pub(super) early_status: Option<u16>,
    /// `grpc-encoding` in the head.
    pub(super) encoding: Option<&'static str>,
    /// All bytes of messages and prefixes.
    pub(super) bytes: Vec<u8>,
    /// `grpc-status` in the trailers; `Some(None)`: trailers without it.
    pub(super) trailers: Option<Option<u16>>,
}

/// A message behind its prefix, which may lie.
fn framed(flag: u8, length: usize, message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(length).unwrap_or(u32::MAX);
    [&[flag][..], &length.to_be_bytes(), message].concat()
}

/// How an outcome is told.
///
/// # Errors
/// When it cannot be compressed.
pub(super) fn parts(outcome: Outcome, lie: Lie) -> io::Result<Parts> {
    let message = match outcome {
        Ok(message) => message,
        Err(status) => return Ok(Parts { early_status: Some(status), ..Parts::default() }),
    };
    let length = message.len();
    let usual = Parts { bytes: framed(0, length, &message), trailers: Some(Some(0)), ..Parts::default() };
    Ok(match lie {
        Lie::NoMessage => Parts { early_status: Some(0), ..Parts::default() },
        Lie::StatusFirst => Parts { early_status: Some(0), trailers: None, ..usual },
        Lie::NoTrailers => Parts { trailers: None, ..usual },
        Lie::NoStatus => Parts { trailers: Some(None), ..usual },
        Lie::PrefixTooLong => Parts { bytes: framed(0, length + 1, &message), ..usual },
        Lie::PrefixTooShort => Parts { bytes: framed(0, length.saturating_sub(1), &message), ..usual },
        Lie::BytesBehind => Parts { bytes: [&usual.bytes[..], b"more"].concat(), ..usual },
        Lie::TwoMessages => Parts { bytes: usual.bytes.repeat(2), ..usual },
        Lie::CompressedFlag => Parts { bytes: framed(1, length, &message), ..usual },
        Lie::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(&message)?;
            let packed = encoder.finish()?;
            Parts { encoding: Some("gzip"), bytes: framed(1, packed.len(), &packed), ..usual }
        }
        _ => usual,
    })
}

/// The message of a call's body, which is one; else the status that says so.
pub(super) fn message(body: &[u8]) -> Result<&[u8], u16> {
    match body.split_first_chunk::<5>() {
        Some(([0, length @ ..], message)) if u32::from_be_bytes(*length) as usize == message.len() => {
            Ok(message)
        }
        _ => Err(INVALID_ARGUMENT),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_honest_service_sends_head_message_and_trailers() {
        let honest = parts(Ok(b"ab".to_vec()), Lie::None).unwrap();
        assert_eq!(honest.bytes, b"\0\0\0\0\x02ab");
        assert_eq!((honest.early_status, honest.encoding, honest.trailers), (None, None, Some(Some(0))));
        assert_eq!(message(&honest.bytes), Ok(&b"ab"[..]));
        assert_eq!(message(b"\0\0\0\0\x03ab"), Err(INVALID_ARGUMENT));
        let refused = parts(Err(5), Lie::Gzip).unwrap();
        assert_eq!(refused, Parts { early_status: Some(5), ..Parts::default() });
    }

    #[test]
    fn each_lie_about_the_frame_differs_from_the_honest_answer() {
        let told = |lie| parts(Ok(b"ab".to_vec()), lie).unwrap();
        let mut seen = vec![told(Lie::None)];
        for (name, lie) in Lie::ALL.into_iter().skip_while(|(_, lie)| *lie != Lie::NoMessage) {
            let parts = told(lie);
            assert!(!seen.contains(&parts), "{name}");
            seen.push(parts);
        }
    }
}
