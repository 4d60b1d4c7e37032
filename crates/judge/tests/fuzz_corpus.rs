//! The inputs that the fuzzer `conditions` has kept.

#[path = "../../../fuzz/conditions.rs"]
mod conditions;
#[path = "../../../fuzz/replay.rs"]
mod replay;

#[test]
fn the_corpus_is_stood() {
    replay::replay("conditions", conditions::conditions);
}
