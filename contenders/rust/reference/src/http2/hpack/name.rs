//! What a field is to the server, told once for each name.

/// What a field of a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    Method,
    Scheme,
    Path,
    Authority,
    ContentLength,
    ContentType,
    Expect,
    Te,
    /// Not allowed in a request of HTTP/2: the name is malformed, is another one with a colon, or is about the
    /// connection.
    Forbidden,
    Other,
}

impl Name {
    pub fn of(name: &[u8]) -> Name {
        match name {
            b":method" => Name::Method,
            b":scheme" => Name::Scheme,
            b":path" => Name::Path,
            b":authority" => Name::Authority,
            b"content-length" => Name::ContentLength,
            b"content-type" => Name::ContentType,
            b"expect" => Name::Expect,
            b"te" => Name::Te,
            b"connection" | b"keep-alive" | b"proxy-connection" | b"transfer-encoding" | b"upgrade" => {
                Name::Forbidden
            }
            _ if is_token(name) => Name::Other,
            _ => Name::Forbidden,
        }
    }
}

/// In lower case.
fn is_token(name: &[u8]) -> bool {
    let belongs =
        |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"!#$%&'*+-.^_`|~".contains(byte);
    !name.is_empty() && name.iter().all(belongs)
}

#[cfg(test)]
mod tests {
    use super::Name;

    #[test]
    fn malformed_names_are_forbidden() {
        for name in ["", "A", "x y", "x\r", "x:", ":status", ":protocol", "Connection", "upgrade", "ä"] {
            assert_eq!(Name::of(name.as_bytes()), Name::Forbidden, "{name}");
        }
        for name in ["host", "x-1_~", "cookie", "grpc-timeout"] {
            assert_eq!(Name::of(name.as_bytes()), Name::Other, "{name}");
        }
    }
}
