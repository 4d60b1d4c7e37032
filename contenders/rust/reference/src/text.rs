//! Bodies and numbers as both protocols write them.

use crate::users::HASH_LENGTH;

const WAITED: &[u8] = b"waited ";
const HASH_START: &[u8] = b"{\"hash\":\"";
const HASH_END: &[u8] = b"\"}";
/// Bytes of a hash's body.
pub const HASH_BODY_LENGTH: usize = HASH_START.len() + HASH_LENGTH + HASH_END.len();

pub fn write_number(output: &mut Vec<u8>, number: usize) {
    if number >= 10 {
        write_number(output, number / 10);
    }
    output.push(b'0' + (number % 10) as u8);
}

/// Bytes of what [`write_waited`] writes.
pub fn waited_length(milliseconds: u16) -> usize {
    WAITED.len() + 1 + milliseconds.checked_ilog10().unwrap_or(0) as usize
}

pub fn write_waited(output: &mut Vec<u8>, milliseconds: u16) {
    output.extend_from_slice(WAITED);
    write_number(output, milliseconds.into());
}

pub fn write_hash(output: &mut Vec<u8>, hash: &[u8; HASH_LENGTH]) {
    output.extend_from_slice(HASH_START);
    output.extend_from_slice(hash);
    output.extend_from_slice(HASH_END);
}
