//! The Huffman code of HPACK (RFC 7541, appendix B). It is canonical, so the lengths of its codes say all: codes of one
//! length follow one another in the order of their symbols.

/// Of the 256 bytes and of the mark of the end, which must not come.
const LENGTHS: [u8; 257] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28,
    28, 28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6,
    6, 6, 7, 8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7,
    8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7,
    15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24,
    23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23,
    23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26,
    26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20,
    21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27,
    27, 27, 26, 30,
];
const END: u16 = 256;
const LONGEST: usize = 30;

/// Codes up to this length are looked up at once: all that are usual in paths and names.
const QUICK_BITS: usize = 10;
/// By the next bits: the length of the code that they begin with, and its symbol. 0 where it is longer.
static QUICK: [u16; 1 << QUICK_BITS] = quick();
static CODES: Codes = CODES_CONST;
const CODES_CONST: Codes = codes();

struct Codes {
    /// The symbols in the order of their codes.
    symbols: [u16; 257],
    /// By length: the first code, how many there are, and where the symbol of the first one stands.
    first: [u32; LONGEST + 1],
    count: [u32; LONGEST + 1],
    start: [u32; LONGEST + 1],
}

const fn codes() -> Codes {
    let mut codes = Codes {
        symbols: [0; 257],
        first: [0; LONGEST + 1],
        count: [0; LONGEST + 1],
        start: [0; LONGEST + 1],
    };
    let (mut length, mut code, mut at) = (1, 0, 0);
    while length <= LONGEST {
        code <<= 1;
        codes.first[length] = code;
        codes.start[length] = at;
        let mut symbol = 0;
        while symbol < LENGTHS.len() {
            if LENGTHS[symbol] as usize == length {
                codes.symbols[at as usize] = symbol as u16;
                at += 1;
                code += 1;
            }
            symbol += 1;
        }
        codes.count[length] = at - codes.start[length];
        length += 1;
    }
    codes
}

const fn quick() -> [u16; 1 << QUICK_BITS] {
    let mut quick = [0; 1 << QUICK_BITS];
    let mut length = 1;
    while length <= QUICK_BITS {
        let mut number = 0;
        while number < CODES_CONST.count[length] {
            let symbol = CODES_CONST.symbols[(CODES_CONST.start[length] + number) as usize];
            let code = (CODES_CONST.first[length] + number) as usize;
            let mut end = 0;
            while end < 1 << (QUICK_BITS - length) {
                quick[(code << (QUICK_BITS - length)) + end] = ((length as u16) << 8) | symbol;
                end += 1;
            }
            number += 1;
        }
        length += 1;
    }
    quick
}

/// Appends what `input` stands for. `None` for a code that is cut off, for the mark of the end, and for padding that is
/// too long or not all ones.
pub fn decode(input: &[u8], output: &mut Vec<u8>) -> Option<()> {
    // The next bits stand at the top; below those that there are, all are 0.
    let (mut bits, mut have) = (0_u64, 0);
    let mut rest = input.iter();
    loop {
        while have <= 56 {
            let Some(byte) = rest.next() else { break };
            bits |= u64::from(*byte) << (56 - have);
            have += 8;
        }
        let quick = QUICK[(bits >> (64 - QUICK_BITS)) as usize];
        let (symbol, length) = if quick == 0 { long(bits) } else { (quick & 0xff, usize::from(quick >> 8)) };
        if length > have {
            break;
        }
        if symbol == END {
            return None;
        }
        output.push(symbol as u8);
        bits <<= length;
        have -= length;
    }
    let padding = u64::MAX << 1 << (63 - have.min(63));
    (have < 8 && bits == padding).then_some(())
}

/// A code that is too long to be looked up: its symbol and its length.
#[cold]
fn long(bits: u64) -> (u16, usize) {
    for length in QUICK_BITS + 1..=LONGEST {
        let number = ((bits >> (64 - length)) as u32).wrapping_sub(CODES.first[length]);
        if number < CODES.count[length] {
            return (CODES.symbols[(CODES.start[length] + number) as usize], length);
        }
    }
    // The code is complete: there is no sequence of 30 bits that begins with none.
    (END, 0)
}

#[cfg(test)]
pub fn encode(input: &[u8]) -> Vec<u8> {
    let mut output = Vec::new();
    let (mut bits, mut have) = (0_u64, 0);
    let mut push = |code: u32, length: usize| {
        bits = (bits << length) | u64::from(code);
        have += length;
        while have >= 8 {
            have -= 8;
            output.push((bits >> have) as u8);
        }
        have
    };
    let mut left = 0;
    for byte in input {
        let length = usize::from(LENGTHS[usize::from(*byte)]);
        let before = (0..*byte).filter(|other| usize::from(LENGTHS[usize::from(*other)]) == length).count();
        left = push(CODES.first[length] + before as u32, length);
    }
    if left > 0 {
        push((1 << (8 - left)) - 1, 8 - left);
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(input: &[u8]) -> Option<Vec<u8>> {
        let mut output = Vec::new();
        decode(input, &mut output).map(|()| output)
    }

    #[test]
    fn some_codes_of_the_appendix() {
        assert_eq!(encode(b"0"), [0b0000_0111]);
        assert_eq!(encode(b"a"), [0b0001_1111]);
        assert_eq!(encode(b"&"), [0xf8]);
        assert_eq!(encode(b"\\"), [0xff, 0xfe, 0b0001_1111]);
        assert_eq!(encode(&[0]), [0xff, 0b1100_0111]);
        assert_eq!(encode(&[10]), [0xff, 0xff, 0xff, 0b1111_0011]);
        assert_eq!(encode(&[249]), [0xff, 0xff, 0xff, 0b1110_1111]);
    }

    #[test]
    fn the_code_is_complete() {
        let sum: u64 = LENGTHS.iter().map(|length| 1 << (LONGEST - usize::from(*length))).sum();
        assert_eq!(sum, 1 << LONGEST);
        for length in 1..=LONGEST {
            let of_length = LENGTHS.iter().filter(|other| usize::from(**other) == length).count();
            assert_eq!(CODES.count[length] as usize, of_length);
        }
    }

    #[test]
    fn every_byte_in_every_place() {
        for byte in 0..=255 {
            for before in [&b""[..], b"0", b"ab", b"%%%", b"\xf0x"] {
                let text = [before, &[byte], b"z"].concat();
                assert_eq!(decoded(&encode(&text)), Some(text));
            }
        }
        assert_eq!(decoded(b""), Some(Vec::new()));
    }

    #[test]
    fn wrong_padding_and_the_mark_of_the_end() {
        // A zero in the padding, a whole byte of it, and codes that are cut off.
        for input in [&[0b0001_1110][..], &[0b0001_1111, 0xff], &[0xff], &[0xff, 0xfe], &[0xff, 0xff, 0xff]] {
            assert_eq!(decoded(input), None, "{input:?}");
        }
        assert_eq!(decoded(&[0xff, 0xff, 0xff, 0xff]), None);
        assert_eq!(decoded(&[0xff, 0xff, 0xff, 0xfc, 0x07]), None);
    }
}
