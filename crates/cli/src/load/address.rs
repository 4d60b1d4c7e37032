//! An address to connect to in place of what a name resolves to.

use std::net::{IpAddr, Ipv6Addr, SocketAddr, SocketAddrV6};

use rustix::net::netdevice::name_to_index;
use rustix::net::{AddressFamily, SocketType, socket};

/// An address of `--address`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) ip: IpAddr,
    /// The zone of an IPv6 address: the number of an interface, 0 where none is given.
    pub(crate) zone: u32,
    /// That of the URL where none is given.
    pub(crate) port: Option<u16>,
}

impl Address {
    /// Where to connect to; `port` is that of the URL.
    pub(crate) fn at(self, port: u16) -> SocketAddr {
        with_zone(self.ip, self.zone, self.port.unwrap_or(port))
    }
}

/// An address with its port and, if it is of IPv6, its zone.
pub(crate) fn with_zone(ip: IpAddr, zone: u32, port: u16) -> SocketAddr {
    match ip {
        IpAddr::V4(_) => SocketAddr::new(ip, port),
        IpAddr::V6(ip) => SocketAddrV6::new(ip, port, 0, zone).into(),
    }
}

/// `127.0.0.1`, `127.0.0.1:8080`, `::1`, `[::1]:8080`, `[fe80::1%eth0]:8080`.
pub(crate) fn address(text: &str) -> Result<Address, String> {
    let malformed = || {
        "expected an IP address, as in 127.0.0.1, 127.0.0.1:8080, [::1]:8080 or [fe80::1%eth0]:8080"
            .to_owned()
    };
    if let Some((inner, behind)) = text.strip_prefix('[').and_then(|text| text.split_once(']')) {
        let (ip, zone) = ipv6(inner)?;
        let port = match behind.strip_prefix(':') {
            None if behind.is_empty() => None,
            port => Some(port.and_then(|port| port.parse().ok()).ok_or_else(malformed)?),
        };
        return Ok(Address { ip: ip.into(), zone, port });
    }
    if text.contains('%') {
        let (ip, zone) = ipv6(text)?;
        return Ok(Address { ip: ip.into(), zone, port: None });
    }
    if let Ok(address) = text.parse::<SocketAddr>() {
        return Ok(Address { ip: address.ip(), zone: 0, port: Some(address.port()) });
    }
    text.parse().map(|ip| Address { ip, zone: 0, port: None }).map_err(|_| malformed())
}

/// An IPv6 address and its zone, a number or the name of an interface behind `%`, or behind `%25` as in a URL (RFC 6874).
pub(crate) fn ipv6(text: &str) -> Result<(Ipv6Addr, u32), String> {
    let (ip, zone) = text.split_once('%').map_or((text, None), |(ip, zone)| (ip, Some(zone)));
    let ip = ip.parse().map_err(|_| format!("`{ip}` is no IPv6 address"))?;
    let Some(zone) = zone else { return Ok((ip, 0)) };
    let zone = zone.strip_prefix("25").filter(|rest| !rest.is_empty()).unwrap_or(zone);
    let number = zone.parse().ok().filter(|&number| number > 0).or_else(|| {
        let any = socket(AddressFamily::UNIX, SocketType::DGRAM, None).ok()?;
        name_to_index(any, zone).ok()
    });
    let number = number
        .ok_or_else(|| format!("this machine has no network interface `{zone}`\n  `ip link` lists them"))?;
    Ok((ip, number))
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
            let ip = ip.parse().expect("an IP");
            assert_eq!(address(text), Ok(Address { ip, zone: 0, port }), "{text}");
        }
        assert!(address("localhost").is_err() && address("1.2.3.4:x").is_err() && address("").is_err());
    }

    #[test]
    fn an_address_may_have_a_zone() {
        let loopback = ipv6("fe80::1%lo").expect("an interface of each machine").1;
        assert!(loopback > 0);
        for text in ["fe80::1%lo", "fe80::1%25lo", "[fe80::1%lo]", "[fe80::1%25lo]:80"] {
            let at = address(text).expect(text).at(80).to_string();
            assert_eq!(at, format!("[fe80::1%{loopback}]:80"), "{text}");
        }
        assert_eq!(ipv6("fe80::1%7"), Ok(("fe80::1".parse().expect("an IP"), 7)));
        assert!(
            address("fe80::1%nowhere0")
                .expect_err("no interface")
                .contains("no network interface `nowhere0`")
        );
        for text in ["fe80::1%", "127.0.0.1%lo", "[::1]x", "[::1]:x", "[::1"] {
            assert!(address(text).is_err(), "{text}");
        }
    }
}
