//! An address to connect to in place of what a name resolves to.

use std::net::{IpAddr, SocketAddr};

/// An address of `--address`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) ip: IpAddr,
    /// That of the URL where none is given.
    pub(crate) port: Option<u16>,
}

/// `127.0.0.1`, `127.0.0.1:8080`, `::1`, `[::1]:8080`.
pub(crate) fn address(text: &str) -> Result<Address, String> {
    if let Ok(address) = text.parse::<SocketAddr>() {
        return Ok(Address { ip: address.ip(), port: Some(address.port()) });
    }
    let ip = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    match ip.parse() {
        Ok(ip) => Ok(Address { ip, port: None }),
        Err(_) => Err("expected an IP address, as in 127.0.0.1, 127.0.0.1:8080 or [::1]:8080".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_with_and_without_a_port() {
        for (text, ip, port) in [
            ("127.0.0.1", "127.0.0.1", None),
            ("127.0.0.1:80", "127.0.0.1", Some(80)),
            ("::1", "::1", None),
            ("[::1]", "::1", None),
            ("[::1]:80", "::1", Some(80)),
        ] {
            assert_eq!(address(text), Ok(Address { ip: ip.parse().expect("an IP"), port }), "{text}");
        }
        assert!(address("localhost").is_err() && address("1.2.3.4:x").is_err() && address("").is_err());
    }
}
