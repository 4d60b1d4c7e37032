//! What the head and the trailers of an answer say of a call.

use crate::protocol::Head;
use crate::show::show;

/// The status of a call.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum GrpcStatus {
    /// HTTP's own status is not 200.
    HttpError,
    /// It is no answer to a call: why.
    Wrong(String),
    /// `grpc-status`, and `grpc-message` as text.
    Code { code: u16, message: String },
}

const LONGEST_MESSAGE: usize = 200;

/// A head has it only where it is all there is.
pub(super) const STATUS_FIRST: &str = "grpc-status in the head, and more behind it";

impl GrpcStatus {
    /// Of an answer whose trailers, where it has none, are its head.
    pub(crate) fn of(head: &Head) -> Self {
        if head.status != 200 {
            return Self::HttpError;
        }
        if !is_grpc(head) {
            let found = head.content_type.as_deref().unwrap_or("none");
            return Self::Wrong(format!(
                "content type {} instead of application/grpc",
                show(found.as_bytes())
            ));
        }
        if head.trailers.is_some() && head.header("grpc-status").next().is_some() {
            return Self::Wrong(STATUS_FIRST.to_owned());
        }
        let last = |name| match &head.trailers {
            Some(_) => head.trailer(name).collect::<Vec<_>>(),
            None => head.header(name).collect::<Vec<_>>(),
        };
        match last("grpc-status").as_slice() {
            [] if head.trailers.is_some() => Self::Wrong("trailers without grpc-status".to_owned()),
            [] => Self::Wrong("no trailers, and no grpc-status in the head".to_owned()),
            [code] => match number(code) {
                Some(code) => {
                    let message = last("grpc-message").first().map_or_else(String::new, |bytes| text(bytes));
                    Self::Code { code, message }
                }
                None => Self::Wrong(format!("a grpc-status that is no number: {}", show(code))),
            },
            several => Self::Wrong(format!("grpc-status {} times", several.len())),
        }
    }
}

/// Whether the media type is gRPC's, with any encoding of messages.
pub(crate) fn is_grpc(head: &Head) -> bool {
    let rest = head.content_type.as_deref().and_then(|found| found.strip_prefix("application/grpc"));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('+'))
}

/// One to three digits.
fn number(text: &[u8]) -> Option<u16> {
    let is_short = (1..=3).contains(&text.len()) && text.iter().all(u8::is_ascii_digit);
    is_short.then(|| text.iter().fold(0, |sum, digit| sum * 10 + u16::from(digit - b'0')))
}

/// `grpc-message` with its `%` escapes resolved, cut where it is long.
fn text(bytes: &[u8]) -> String {
    let mut found = Vec::new();
    let mut rest = bytes;
    while let [first, behind @ ..] = rest
        && found.len() < LONGEST_MESSAGE
    {
        let hex = |byte: u8| (byte as char).to_digit(16);
        match behind {
            [a, b, after @ ..] if *first == b'%' => match (hex(*a), hex(*b)) {
                (Some(high), Some(low)) => {
                    found.push((high * 16 + low) as u8);
                    rest = after;
                    continue;
                }
                _ => found.push(*first),
            },
            _ => found.push(*first),
        }
        rest = behind;
    }
    String::from_utf8_lossy(&found).into_owned()
}
