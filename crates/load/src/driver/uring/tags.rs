//! What an entry is for, in the number that comes back with its completion.

pub(super) const RECEIVE: u64 = 1;
pub(super) const SEND: u64 = 2;
pub(super) const PARCEL: u64 = 3;
pub(super) const CONNECT: u64 = 4;
pub(super) const CANCEL: u64 = 5;
/// A reception that says when the bytes came.
pub(super) const RECEIVE_NOTED: u64 = 6;
pub(super) const GENERATIONS: u32 = 0xff_ffff;

/// What an entry is for: kind, generation of the socket, and a number (the connection, or the parcel).
pub(super) fn tag(kind: u64, generation: u32, number: usize) -> u64 {
    kind << 56 | u64::from(generation & GENERATIONS) << 32 | number as u64
}

pub(super) fn kind(tag: u64) -> u64 {
    tag >> 56
}

pub(super) fn generation_of(tag: u64) -> u32 {
    (tag >> 32) as u32 & GENERATIONS
}

pub(super) fn number_of(tag: u64) -> usize {
    (tag & 0xffff_ffff) as usize
}
