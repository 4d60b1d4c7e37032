//! What the fuzzers in `fuzz/` do with their input. Each ends for any bytes, and panics on what must not happen.

mod expectations;
mod grpc;
mod hpack;
mod http2;
mod input;
mod oracle;
mod parser;
mod told;

pub use expectations::expectations;
pub use grpc::grpc_session;
pub use hpack::hpack_reader;
pub use http2::http2_session;
pub use parser::response_parser;

#[cfg(test)]
mod tests {
    use super::*;

    /// Replays the kept inputs of a fuzzer, which reach each part of the code between them.
    fn replay(target: &str, fuzzer: fn(&[u8])) {
        let folder = format!("{}/../../fuzz/corpus/{target}", env!("CARGO_MANIFEST_DIR"));
        let mut inputs = 0;
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let bytes = std::fs::read(&path).unwrap();
            let result = std::panic::catch_unwind(|| fuzzer(&bytes));
            assert!(result.is_ok(), "{}", path.display());
            inputs += 1;
        }
        assert!(inputs >= 20, "{folder} has {inputs} inputs");
    }

    #[test]
    fn the_response_parser_stands_its_corpus() {
        replay("response_parser", response_parser);
    }

    #[test]
    fn the_http2_session_stands_its_corpus() {
        replay("http2_session", http2_session);
    }

    #[test]
    fn the_grpc_session_stands_its_corpus() {
        replay("grpc_session", grpc_session);
    }

    #[test]
    fn the_reader_of_fields_stands_its_corpus() {
        replay("hpack_reader", hpack_reader);
    }

    #[test]
    fn the_expectations_stand_their_corpus() {
        replay("expectations", expectations);
    }
}
