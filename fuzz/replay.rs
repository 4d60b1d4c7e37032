use std::panic::{RefUnwindSafe, catch_unwind};

/// Replays the kept inputs of a fuzzer, which reach each part of the code between them. For tests of packages in `crates/`.
pub(crate) fn replay(target: &str, fuzzer: impl Fn(&[u8]) + RefUnwindSafe) {
    let folder = format!("{}/../../fuzz/corpus/{target}", env!("CARGO_MANIFEST_DIR"));
    let mut inputs = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        assert!(catch_unwind(|| fuzzer(&bytes)).is_ok(), "{}", path.display());
        inputs += 1;
    }
    assert!(inputs >= 20, "{folder} has {inputs} inputs");
}
