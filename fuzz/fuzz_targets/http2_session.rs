//! Any bytes as the answers of a server.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| velo_load::fuzzing::http2_session(data));
