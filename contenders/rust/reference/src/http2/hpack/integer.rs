//! Integers with a prefix of some bits (RFC 7541, 5.1).

/// So many bytes may follow the prefix: enough for 28 bits more, and no number in a header block is larger.
const MOST_BYTES: usize = 4;

/// Reads the integer at the start of `input`, of whose first byte the low `bits` count. The result is the integer and
/// what follows it; `None` when it is cut off or too large.
pub fn read(input: &[u8], bits: u32) -> Option<(usize, &[u8])> {
    let (first, mut rest) = input.split_first()?;
    let most = (1 << bits) - 1;
    let mut value = usize::from(*first) & most;
    if value < most {
        return Some((value, rest));
    }
    for at in 0..MOST_BYTES {
        let (byte, tail) = rest.split_first()?;
        rest = tail;
        value += usize::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Some((value, rest));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn examples_of_the_standard() {
        assert_eq!(read(&[0b1110_1010, 7], 5), Some((10, &[7][..])));
        assert_eq!(read(&[0b0001_1111, 0b1001_1010, 0b0000_1010], 5), Some((1337, &[][..])));
        assert_eq!(read(&[42], 8), Some((42, &[][..])));
    }

    #[test]
    fn cut_off_or_too_large() {
        for input in [
            &[][..],
            &[0x1f],
            &[0x1f, 0x80],
            &[0x1f, 0xff, 0xff, 0xff, 0xff],
            &[0x1f, 0x80, 0x80, 0x80, 0x80, 0],
        ] {
            assert_eq!(read(input, 5), None, "{input:?}");
        }
        assert_eq!(read(&[0x1f, 0xff, 0xff, 0xff, 0x7f], 5), Some((0x1f + 0xfff_ffff, &[][..])));
    }
}
