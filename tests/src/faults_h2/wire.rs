//! Frames and header blocks as bytes, right or wrong.

/// What a client begins with.
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Bytes before each payload.
pub const HEADER_BYTES: usize = 9;
/// The largest payload that every client takes.
pub const PAYLOAD_BYTES: usize = 16_384;
/// The largest window.
pub const MOST_WINDOW: u32 = 0x7fff_ffff;

pub const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const RST_STREAM: u8 = 3;
pub const SETTINGS: u8 = 4;
pub const PUSH_PROMISE: u8 = 5;
pub const PING: u8 = 6;
pub const GOAWAY: u8 = 7;
pub const WINDOW_UPDATE: u8 = 8;
pub const CONTINUATION: u8 = 9;

pub const ACK: u8 = 0x1;
pub const END_STREAM: u8 = 0x1;
pub const END_HEADERS: u8 = 0x4;
pub const PADDED: u8 = 0x8;

pub const NO_ERROR: u32 = 0;
pub const INTERNAL_ERROR: u32 = 2;
pub const REFUSED_STREAM: u32 = 7;

pub const MAX_CONCURRENT_STREAMS: u16 = 3;
pub const INITIAL_WINDOW_SIZE: u16 = 4;
pub const MAX_FRAME_SIZE: u16 = 5;

/// A frame.
pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    [&header(payload.len(), kind, flags, stream)[..], payload].concat()
}

/// A frame's header, which may promise another length than follows.
pub fn header(length: usize, kind: u8, flags: u8, stream: u32) -> [u8; HEADER_BYTES] {
    let [_, high, middle, low] = u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes();
    let [first, second, third, fourth] = stream.to_be_bytes();
    [high, middle, low, kind, flags, first, second, third, fourth]
}

/// Bytes of all DATA among frames, padding included: what counts against windows.
pub fn data_bytes(frames: &[u8]) -> usize {
    let (mut bytes, mut rest) = (0, frames);
    while let Some((header, tail)) = rest.split_first_chunk::<HEADER_BYTES>() {
        let length = u32::from_be_bytes([0, header[0], header[1], header[2]]) as usize;
        bytes += if header[3] == DATA { length } else { 0 };
        rest = tail.get(length..).unwrap_or_default();
    }
    bytes
}

/// Settings by their numbers.
pub fn settings(values: &[(u16, u32)]) -> Vec<u8> {
    let bytes = |(id, value): &(u16, u32)| [&id.to_be_bytes()[..], &value.to_be_bytes()].concat();
    frame(SETTINGS, 0, 0, &values.iter().flat_map(bytes).collect::<Vec<_>>())
}

pub fn window_update(stream: u32, more: u32) -> Vec<u8> {
    frame(WINDOW_UPDATE, 0, stream, &more.to_be_bytes())
}

pub fn reset(stream: u32, code: u32) -> Vec<u8> {
    frame(RST_STREAM, 0, stream, &code.to_be_bytes())
}

pub fn go_away(last: u32, code: u32) -> Vec<u8> {
    frame(GOAWAY, 0, 0, &[last.to_be_bytes(), code.to_be_bytes()].concat())
}

/// HEADERS with all of a block.
pub fn head(stream: u32, flags: u8, block: &[u8]) -> Vec<u8> {
    frame(HEADERS, END_HEADERS | flags, stream, block)
}

/// DATA that ends the stream.
pub fn last_data(stream: u32, body: &[u8]) -> Vec<u8> {
    frame(DATA, END_STREAM, stream, body)
}

/// A block of literals that no table keeps. Names are taken as they are, whatever the rules say.
pub fn block(fields: &[(&str, &str)]) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in fields {
        block.push(0);
        push_string(&mut block, name.as_bytes());
        push_string(&mut block, value.as_bytes());
    }
    block
}

/// A string without Huffman's code.
pub fn push_string(block: &mut Vec<u8>, text: &[u8]) {
    push_number(block, 0, 7, text.len());
    block.extend_from_slice(text);
}

/// A number behind the bits of its first byte that are taken already.
pub fn push_number(block: &mut Vec<u8>, first: u8, bits: u32, number: usize) {
    let most = (1 << bits) - 1;
    if number < most {
        block.push(first | u8::try_from(number).expect("it is below 8 bits"));
        return;
    }
    block.push(first | u8::try_from(most).expect("it has at most 8 bits"));
    let mut rest = number - most;
    while rest >= 0x80 {
        block.push(0x80 | (rest & 0x7f) as u8);
        rest >>= 7;
    }
    block.push(rest as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_standard() {
        let number = |first, bits, number| {
            let mut block = Vec::new();
            push_number(&mut block, first, bits, number);
            block
        };
        assert_eq!(number(0, 5, 10), [0b0000_1010]);
        assert_eq!(number(0, 5, 1337), [0b0001_1111, 0b1001_1010, 0b0000_1010]);
        assert_eq!(number(0x20, 5, 31), [0x3f, 0]);
        assert_eq!(number(0, 7, 127), [127, 0]);
    }

    #[test]
    fn frames_and_blocks() {
        assert_eq!(window_update(1, 2), [0, 0, 4, 8, 0, 0, 0, 0, 1, 0, 0, 0, 2]);
        assert_eq!(settings(&[(4, 256)]), [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 1, 0]);
        assert_eq!(block(&[("a", "bc")]), [0, 1, b'a', 2, b'b', b'c']);
        assert_eq!(head(3, END_STREAM, b"x"), [0, 0, 1, 1, 5, 0, 0, 0, 3, b'x']);
        assert_eq!(header(0x01_02_03, 0, 0, 0)[..3], [1, 2, 3]);
        assert_eq!(
            data_bytes(&[head(1, 0, b"head"), last_data(1, b"body"), frame(DATA, 0, 3, b"x")].concat()),
            5
        );
        assert_eq!((data_bytes(b"no frame"), data_bytes(&header(9, DATA, 0, 1))), (0, 9));
    }
}
