/// The name of a status of gRPC, as in `NOT_FOUND` for 5; `None` for a code that has none.
pub fn grpc_status_name(code: u16) -> Option<&'static str> {
    NAMES.get(usize::from(code)).copied()
}

const NAMES: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_the_names_of_the_specification() {
        assert_eq!((grpc_status_name(0), grpc_status_name(5)), (Some("OK"), Some("NOT_FOUND")));
        assert_eq!((grpc_status_name(16), grpc_status_name(17)), (Some("UNAUTHENTICATED"), None));
    }
}
