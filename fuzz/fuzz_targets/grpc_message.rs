//! Any bytes as slots and a message of gRPC in which they stand, against prost-reflect.
#![no_main]

#[path = "../grpc_message.rs"]
mod grpc_message;

libfuzzer_sys::fuzz_target!(|data: &[u8]| grpc_message::grpc_message(data));
