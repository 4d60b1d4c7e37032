//! Any bytes as blocks of compressed fields.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| velo_load::fuzzing::hpack_reader(data));
