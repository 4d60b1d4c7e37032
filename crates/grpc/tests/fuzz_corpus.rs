//! The inputs that the fuzzer `grpc_message` has kept.

#[path = "../../../fuzz/grpc_message.rs"]
mod grpc_message;

#[test]
fn the_corpus_is_stood() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/grpc_message");
    let mut inputs = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        let result = std::panic::catch_unwind(|| grpc_message::grpc_message(&bytes));
        assert!(result.is_ok(), "{}", path.display());
        inputs += 1;
    }
    assert!(inputs >= 20, "{folder} has {inputs} inputs");
}
