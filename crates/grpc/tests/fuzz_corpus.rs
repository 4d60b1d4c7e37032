//! The inputs that the fuzzer `grpc_message` has kept.

#[path = "../../../fuzz/grpc_message.rs"]
mod grpc_message;
#[path = "../../../fuzz/replay.rs"]
mod replay;

#[test]
fn the_corpus_is_stood() {
    replay::replay("grpc_message", grpc_message::grpc_message);
}
