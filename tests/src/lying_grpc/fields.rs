//! Fields of messages: numbers and texts, which are all that the workloads have.

/// The value of a field.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

const NUMBER: u64 = 0;
const BYTES: u64 = 2;

/// The fields of a message by their numbers; `None` when it is none.
pub(super) fn read(mut message: &[u8]) -> Option<Vec<(u64, Value<'_>)>> {
    let mut fields = Vec::new();
    while !message.is_empty() {
        let tag = number(&mut message)?;
        let value = match tag & 7 {
            NUMBER => Value::Number(number(&mut message)?),
            BYTES => {
                let length = usize::try_from(number(&mut message)?).ok()?;
                let (bytes, rest) = message.split_at_checked(length)?;
                message = rest;
                Value::Bytes(bytes)
            }
            _ => return None,
        };
        fields.push((tag >> 3, value));
    }
    Some(fields)
}

/// A field that is a text.
pub(super) fn text(field: u8, text: &str) -> Vec<u8> {
    let mut bytes = vec![field << 3 | BYTES as u8];
    let mut length = text.len();
    while length >= 0x80 {
        bytes.push(0x80 | (length & 0x7f) as u8);
        length >>= 7;
    }
    bytes.push(length as u8);
    bytes.extend_from_slice(text.as_bytes());
    bytes
}

/// A field that is true; one that is false is left out.
pub(super) fn truth(field: u8, is_true: bool) -> Vec<u8> {
    if is_true { vec![field << 3, 1] } else { Vec::new() }
}

fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_they_are_written() {
        let long = "x".repeat(300);
        let message = [vec![8, 0xac, 2], text(2, &long), truth(3, true), truth(4, false)].concat();
        let expected = [(1, Value::Number(300)), (2, Value::Bytes(long.as_bytes())), (3, Value::Number(1))];
        assert_eq!(read(&message).unwrap(), expected);
        for odd in [&[8][..], &[8, 0x80], &[0x12, 5, 1], &[9, 0], &[0xff; 20]] {
            assert_eq!(read(odd), None, "{odd:?}");
        }
    }
}
