//! Any bytes as the answers of a server of gRPC.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| velo_load::fuzzing::grpc_session(data));
