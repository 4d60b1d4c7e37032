//! Requests with what they expect, and answers to them.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| velo_load::fuzzing::expectations(data));
