/// The name of a status of gRPC, as in `NOT_FOUND` for 5; `None` for a code that has none.
pub fn grpc_status_name(code: u16) -> Option<&'static str> {
    NAMES.get(usize::from(code)).copied()
}

/// The code of a status by its name, as in `NOT_FOUND`, in either case; `None` for what is no name.
pub fn grpc_status_code(name: &str) -> Option<u16> {
    let at = NAMES.iter().position(|known| known.eq_ignore_ascii_case(name))?;
    u16::try_from(at).ok()
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
        let codes = ["OK", "not_found", "UNAUTHENTICATED", "", "LOST", "5"].map(grpc_status_code);
        assert_eq!(codes, [Some(0), Some(5), Some(16), None, None, None]);
    }
}
