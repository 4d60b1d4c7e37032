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
#[path = "../../../../fuzz/replay.rs"]
mod replay;

#[cfg(test)]
mod tests {
    use super::replay::replay;
    use super::*;

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
