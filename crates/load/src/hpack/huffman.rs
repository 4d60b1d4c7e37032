//! The Huffman code of RFC 7541, appendix B. It is canonical: codes of one length follow each other in the order of their symbols,
//! the shorter lengths before the longer, so that its lengths say all.

/// The length of each byte's code in bits, and at last that of the end, which never stands in a text.
#[rustfmt::skip]
const LENGTHS: [u8; 257] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
    13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
    15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
    20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
    22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
    20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
    30,
];

const END: u16 = 256;
const LONGEST: usize = 30;
/// Codes that are looked up by their first bits: all that texts are usually made of.
const SHORT_BITS: usize = 8;

static CODE: Code = Code::new();

/// The code, laid out for reading and writing.
struct Code {
    /// For each byte, its code.
    codes: [u32; 257],
    /// For the first bits, the symbol and the length of its code; length 0 where it is longer than these.
    short: [(u8, u8); 1 << SHORT_BITS],
    /// The first code of each length, as the highest bits of a word, and where its symbol stands among `symbols`.
    firsts: [(u32, u16); LONGEST + 2],
    /// In the order of their codes.
    symbols: [u16; 257],
}

impl Code {
    const fn new() -> Self {
        let mut made = Self {
            codes: [0; 257],
            short: [(0, 0); 1 << SHORT_BITS],
            firsts: [(u32::MAX, 257); LONGEST + 2],
            symbols: [0; 257],
        };
        let (mut code, mut place, mut length) = (0u32, 0, 1);
        while length <= LONGEST {
            code <<= 1;
            made.firsts[length] = (code << (32 - length), place as u16);
            let mut symbol = 0;
            while symbol < LENGTHS.len() {
                if LENGTHS[symbol] as usize == length {
                    made.codes[symbol] = code;
                    made.symbols[place] = symbol as u16;
                    if length <= SHORT_BITS {
                        let mut rest = 0;
                        while rest < 1 << (SHORT_BITS - length) {
                            made.short[((code as usize) << (SHORT_BITS - length)) + rest] =
                                (symbol as u8, length as u8);
                            rest += 1;
                        }
                    }
                    place += 1;
                    code += 1;
                }
                symbol += 1;
            }
            length += 1;
        }
        made
    }

    /// The symbol that these bits begin with, and the length of its code.
    fn symbol(&self, bits: u32) -> (u16, usize) {
        let (symbol, length) = self.short[(bits >> (32 - SHORT_BITS)) as usize];
        if length > 0 {
            return (u16::from(symbol), usize::from(length));
        }
        let mut length = SHORT_BITS + 1;
        while length < LONGEST && bits >= self.firsts[length + 1].0 {
            length += 1;
        }
        let (first, place) = self.firsts[length];
        let behind = ((bits - first) >> (32 - length)) as usize;
        (self.symbols[usize::from(place) + behind], length)
    }
}

/// How many bytes a text takes.
pub(super) fn length(text: &[u8]) -> usize {
    let bits: usize = text.iter().map(|&byte| usize::from(LENGTHS[usize::from(byte)])).sum();
    bits.div_ceil(8)
}

/// Appends a text's code.
pub(super) fn write(text: &[u8], out: &mut Vec<u8>) {
    let (mut bits, mut count) = (0u64, 0usize);
    for &byte in text {
        let length = usize::from(LENGTHS[usize::from(byte)]);
        bits = bits << length | u64::from(CODE.codes[usize::from(byte)]);
        count += length;
        while count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    if count > 0 {
        // Filled up with the first bits of the end, which are ones.
        out.push((bits << (8 - count)) as u8 | 0xff >> count);
    }
}

/// Appends the text of a code; `None` when it is none.
pub(super) fn read(mut code: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (mut bits, mut count) = (0u64, 0usize);
    loop {
        while count <= 56 {
            let Some((&byte, rest)) = code.split_first() else { break };
            bits |= u64::from(byte) << (56 - count);
            count += 8;
            code = rest;
        }
        if count == 0 {
            return Some(());
        }
        let (symbol, length) = CODE.symbol((bits >> 32) as u32);
        if length > count {
            // What is left must be less than a byte, and the end's first bits.
            return (count < 8 && bits >> (64 - count) == (1 << count) - 1).then_some(());
        }
        if symbol == END {
            return None;
        }
        out.push(symbol as u8);
        bits <<= length;
        count -= length;
    }
}
