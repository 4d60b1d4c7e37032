use crate::protocol::http1::{Answer, HeadCache, Reader};
use crate::protocol::{AtEnd, Limits};

const LIMITS: Limits = Limits { head_bytes: 256, body_bytes: 512, interim: 2 };
/// A buffer that grows by doubling may have twice the room that it needs.
const MOST_ROOM: usize = 2 * 512 + 64;

/// What came out of a stream.
#[derive(Debug, PartialEq, Eq)]
struct Read {
    answers: Vec<(u16, Option<String>, bool, Vec<u8>)>,
    end: End,
}

#[derive(Debug, PartialEq, Eq)]
enum End {
    Nothing,
    Truncated,
    Malformed(&'static str),
}

/// A stream of answers, read whole and in pieces.
///
/// The first byte says which of the requests are `HEAD`, in turn; the second how many bytes with the lengths of pieces
/// follow, eight at most; the rest is the stream.
pub fn response_parser(data: &[u8]) {
    let [heads, pieces, rest @ ..] = data else { return };
    let Some((lengths, stream)) = rest.split_at_checked(usize::from(*pieces % 9)) else { return };
    let whole = read(stream, *heads, &[], false);
    assert_eq!(read(stream, *heads, &[0], false), whole, "byte by byte");
    assert_eq!(read(stream, *heads, lengths, false), whole, "in pieces");
    assert_eq!(read(stream, *heads, lengths, true), whole, "without remembered heads");
}

/// Reads a stream in pieces of these lengths, in turn; all at once when there are none.
fn read(stream: &[u8], heads: u8, lengths: &[u8], forget: bool) -> Read {
    let (mut reader, mut cache) = (Reader::default(), HeadCache::default());
    let mut read = Read { answers: Vec::new(), end: End::Nothing };
    let (mut rest, mut turn) = (stream, 0);
    while !rest.is_empty() {
        let length =
            lengths.get(turn % lengths.len().max(1)).map_or(rest.len(), |&length| usize::from(length) + 1);
        let (mut piece, behind) = rest.split_at(length.min(rest.len()));
        (rest, turn) = (behind, turn + 1);
        while !piece.is_empty() {
            if forget {
                cache = HeadCache::default();
            }
            let is_head = heads >> (read.answers.len() % 8) & 1 == 1;
            let (taken, answer) = reader.feed(piece, is_head, true, &mut cache, &LIMITS);
            match answer {
                Answer::Incomplete => assert_eq!(taken, piece.len(), "takes all or answers"),
                Answer::Whole { head, body, keeps_alive } => {
                    assert!(taken > 0 && body.len() <= LIMITS.body_bytes);
                    let body = body.to_vec();
                    read.answers.push((head.status, head.content_type.clone(), keeps_alive, body));
                }
                Answer::Malformed(why) => {
                    read.end = End::Malformed(why);
                    return read;
                }
            }
            assert!(reader.room_bytes() <= MOST_ROOM, "room for {} bytes", reader.room_bytes());
            piece = &piece[taken..];
        }
    }
    match reader.at_end() {
        AtEnd::Nothing => {}
        AtEnd::Truncated => read.end = End::Truncated,
        AtEnd::Whole { head, body } => {
            assert!(body.len() <= LIMITS.body_bytes);
            let body = body.to_vec();
            read.answers.push((head.status, head.content_type.clone(), reader.keeps_alive(), body));
        }
    }
    read
}
