//! The codes of `grpc-status` by their names.

/// The code of a name as in `NOT_FOUND`, in either case; `None` for what is no name.
pub fn status_code(name: &str) -> Option<u16> {
    (0..=16u16)
        .find(|&code| velo_load::grpc_status_name(code).is_some_and(|known| known.eq_ignore_ascii_case(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_codes() {
        assert_eq!(
            [status_code("OK"), status_code("not_found"), status_code("UNAUTHENTICATED")],
            [Some(0), Some(5), Some(16)]
        );
        assert_eq!([status_code(""), status_code("LOST"), status_code("5")], [None; 3]);
    }
}
