//! What is read of an IPv4 packet, and how its addresses are replaced. Whatever the bytes are, nothing panics.

use std::net::Ipv4Addr;

const TCP: u8 = 6;
const UDP: u8 = 17;
/// Of the shortest header.
const IPV4_BYTES: usize = 20;
const TCP_BYTES: usize = 20;

/// What a log tells of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Seen {
    /// TCP's ports, source and destination; `None` of what is not TCP.
    pub(crate) ports: Option<(u16, u16)>,
    /// Bytes behind TCP's header.
    pub(crate) payload: u16,
    pub(crate) syn: bool,
    pub(crate) fin: bool,
    pub(crate) rst: bool,
}

/// Reads a packet; `None`: it is not IPv4.
pub(crate) fn read(packet: &[u8]) -> Option<Seen> {
    let header = header_bytes(packet)?;
    let (protocol, fragment) = (packet[9], u16::from_be_bytes([packet[6], packet[7]]) & 0x1fff);
    let rest = packet.get(header..).unwrap_or_default();
    if protocol != TCP || fragment != 0 || rest.len() < TCP_BYTES {
        return Some(Seen::default());
    }
    let port = |at: usize| u16::from_be_bytes([rest[at], rest[at + 1]]);
    let own = usize::from(rest[12] >> 4) * 4;
    let total = usize::from(u16::from_be_bytes([packet[2], packet[3]])).min(packet.len());
    let flags = rest[13];
    Some(Seen {
        ports: Some((port(0), port(2))),
        payload: u16::try_from(total.saturating_sub(header + own)).unwrap_or(u16::MAX),
        fin: flags & 0x01 != 0,
        syn: flags & 0x02 != 0,
        rst: flags & 0x04 != 0,
    })
}

fn header_bytes(packet: &[u8]) -> Option<usize> {
    let first = *packet.first()?;
    let header = usize::from(first & 0x0f) * 4;
    (first >> 4 == 4 && header >= IPV4_BYTES && packet.len() >= header).then_some(header)
}

/// Which address of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Source,
    Destination,
}

/// Puts an address in the place of another, where that stands, and corrects the checksums (RFC 1624).
pub(crate) fn readdress(packet: &mut [u8], place: Place, from: Ipv4Addr, to: Ipv4Addr) {
    let Some(header) = header_bytes(packet) else { return };
    let at = match place {
        Place::Source => 12,
        Place::Destination => 16,
    };
    if packet[at..at + 4] != from.octets() {
        return;
    }
    packet[at..at + 4].copy_from_slice(&to.octets());
    correct(packet, 10, from, to);
    let is_first = u16::from_be_bytes([packet[6], packet[7]]) & 0x1fff == 0;
    let checksum = match packet[9] {
        TCP if is_first => header + 16,
        UDP if is_first => header + 6,
        _ => return,
    };
    let Some(old) = packet.get(checksum..checksum + 2) else { return };
    // Of UDP, zero says that there is none.
    if packet[9] == TCP || old != [0, 0] {
        correct(packet, checksum, from, to);
    }
}

/// Corrects the checksum at a place for an address that was replaced.
fn correct(packet: &mut [u8], at: usize, from: Ipv4Addr, to: Ipv4Addr) {
    let words = |address: Ipv4Addr| {
        let [a, b, c, d] = address.octets();
        u32::from(u16::from_be_bytes([a, b])) + u32::from(u16::from_be_bytes([c, d]))
    };
    let old = u32::from(!u16::from_be_bytes([packet[at], packet[at + 1]]));
    // Two words taken away and two added, in one's complement.
    let mut sum = old + 2 * 0xffff - words(from) + words(to);
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    packet[at..at + 2].copy_from_slice(&(!(sum as u16)).to_be_bytes());
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NEAR: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 1);
    const FAR: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 2);

    /// One's complement of the one's complement sum: 0 over what is correct.
    fn checksum(parts: &[&[u8]]) -> u16 {
        let mut sum = 0u32;
        for part in parts {
            for pair in part.chunks(2) {
                sum += u32::from(u16::from_be_bytes([pair[0], *pair.get(1).unwrap_or(&0)]));
            }
        }
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        !(sum as u16)
    }

    fn pseudo(packet: &[u8]) -> Vec<u8> {
        let length = (packet.len() - 20) as u16;
        [&packet[12..20], &[0, packet[9]], &length.to_be_bytes()].concat()
    }

    /// A packet with correct checksums.
    fn packet(protocol: u8, from: Ipv4Addr, to: Ipv4Addr, flags: u8, payload: &[u8]) -> Vec<u8> {
        let mut inner = match protocol {
            TCP => vec![0x9c, 0x40, 0x0b, 0xb8, 0, 0, 0, 1, 0, 0, 0, 2, 0x50, flags, 0xff, 0xff, 0, 0, 0, 0],
            _ => vec![0x9c, 0x40, 0x0b, 0xb8, 0, (8 + payload.len()) as u8, 0, 0],
        };
        inner.extend_from_slice(payload);
        let total = (20 + inner.len()) as u16;
        let mut whole = vec![0x45, 0];
        whole.extend_from_slice(&total.to_be_bytes());
        whole.extend_from_slice(&[0, 7, 0x40, 0, 64, protocol, 0, 0]);
        whole.extend_from_slice(&from.octets());
        whole.extend_from_slice(&to.octets());
        let own = checksum(&[&whole]);
        whole[10..12].copy_from_slice(&own.to_be_bytes());
        whole.extend_from_slice(&inner);
        let own = checksum(&[&pseudo(&whole), &whole[20..]]);
        let at = if protocol == TCP { 36 } else { 26 };
        whole[at..at + 2].copy_from_slice(&own.to_be_bytes());
        whole
    }

    #[test]
    fn ports_payload_and_flags_are_read() {
        let seen = read(&packet(TCP, NEAR, FAR, 0x12, b"")).expect("a packet");
        assert_eq!((seen.ports, seen.payload), (Some((40_000, 3_000)), 0));
        assert!(seen.syn && !seen.fin && !seen.rst);
        let seen = read(&packet(TCP, NEAR, FAR, 0x15, b"hello")).expect("a packet");
        assert_eq!((seen.payload, seen.fin, seen.rst, seen.syn), (5, true, true, false));
        assert_eq!(read(&packet(UDP, NEAR, FAR, 0, b"x")), Some(Seen::default()));
        assert_eq!(read(&[0x60; 60]), None, "IPv6");
        assert_eq!(read(&[]), None);
    }

    proptest! {
        #[test]
        fn checksums_stay_correct(
            is_tcp: bool, from: u32, to: u32, other: u32, place: bool, flags: u8,
            payload in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            let protocol = if is_tcp { TCP } else { UDP };
            let (from, to, other) = (Ipv4Addr::from(from), Ipv4Addr::from(to), Ipv4Addr::from(other));
            let mut whole = packet(protocol, from, to, flags, &payload);
            let (place, old) = if place { (Place::Source, from) } else { (Place::Destination, to) };
            readdress(&mut whole, place, old, other);
            let at = if place == Place::Source { 12 } else { 16 };
            prop_assert_eq!(&whole[at..at + 4], &other.octets()[..]);
            prop_assert_eq!(checksum(&[&whole[..20]]), 0);
            prop_assert_eq!(checksum(&[&pseudo(&whole), &whole[20..]]), 0);
        }

        #[test]
        fn any_bytes_are_read(mut bytes in prop::collection::vec(any::<u8>(), 0..80), first in 0x40u8..0x50) {
            read(&bytes);
            if let Some(byte) = bytes.first_mut() { *byte = first; }
            let length = bytes.len();
            if let Some(seen) = read(&bytes) { prop_assert!(usize::from(seen.payload) <= length); }
            let old = bytes.get(16..20).map_or(NEAR, |four| Ipv4Addr::new(four[0], four[1], four[2], four[3]));
            readdress(&mut bytes, Place::Destination, old, FAR);
        }
    }
}
