//! Drawn numbers and lengths in binary, as Protocol Buffers and gRPC write them.

use crate::request::{LengthForm, NumberForm};

/// How many bytes a number is.
pub(super) fn length(value: u64, form: NumberForm) -> usize {
    match form {
        NumberForm::Varint => varint_length(value),
        NumberForm::ZigZag => varint_length(value << 1),
        NumberForm::Fixed32 | NumberForm::Float => 4,
        NumberForm::Fixed64 | NumberForm::Double => 8,
    }
}

pub(super) fn write(value: u64, form: NumberForm, out: &mut Vec<u8>) {
    match form {
        NumberForm::Varint => varint(value, out),
        NumberForm::ZigZag => varint(value << 1, out),
        NumberForm::Fixed32 => out.extend_from_slice(&(value as u32).to_le_bytes()),
        NumberForm::Fixed64 => out.extend_from_slice(&value.to_le_bytes()),
        NumberForm::Float => out.extend_from_slice(&(value as f32).to_le_bytes()),
        NumberForm::Double => out.extend_from_slice(&(value as f64).to_le_bytes()),
    }
}

/// How many bytes the length of a content is.
pub(super) fn prefix_length(bytes: usize, form: LengthForm) -> usize {
    match form {
        LengthForm::Varint => varint_length(bytes as u64),
        LengthForm::Four => 4,
    }
}

pub(super) fn write_prefix(bytes: usize, form: LengthForm, out: &mut Vec<u8>) {
    match form {
        LengthForm::Varint => varint(bytes as u64, out),
        LengthForm::Four => out.extend_from_slice(&(bytes as u32).to_be_bytes()),
    }
}

#[inline]
fn varint_length(value: u64) -> usize {
    // Seven bits a byte, and one byte for 0.
    ((63 - (value | 1).leading_zeros()) / 7 + 1) as usize
}

#[inline]
fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_are_written_as_their_forms_say() {
        let written = |value, form| {
            let mut out = Vec::new();
            write(value, form, &mut out);
            out
        };
        assert_eq!(written(0, NumberForm::Varint), [0]);
        assert_eq!(written(150, NumberForm::Varint), [0x96, 1]);
        assert_eq!(written(75, NumberForm::ZigZag), [0x96, 1]);
        assert_eq!(written(1, NumberForm::Fixed32), [1, 0, 0, 0]);
        assert_eq!(written(2, NumberForm::Float), 2f32.to_le_bytes());
        assert_eq!(written(2, NumberForm::Double), 2f64.to_le_bytes());
        assert_eq!(written(u64::MAX, NumberForm::Varint).len(), 10);
    }

    proptest! {
        #[test]
        fn a_length_is_that_of_what_is_written(value in any::<u64>(), shift in 0u32..64) {
            let value = value >> shift;
            for form in [NumberForm::Varint, NumberForm::ZigZag, NumberForm::Fixed32, NumberForm::Fixed64] {
                let mut out = Vec::new();
                write(value, form, &mut out);
                prop_assert_eq!(out.len(), length(value, form));
            }
        }
    }
}
