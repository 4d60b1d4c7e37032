//! Addresses for a link whose near end lies in a namespace with routes of its own.

use std::net::Ipv4Addr;

/// The first of a pair's addresses is the near end's own, the second is what the far end is called by.
pub(crate) type Pair = (Ipv4Addr, Ipv4Addr);

/// Of the range that is kept for measuring networks (RFC 2544), the pair with this number.
pub(crate) fn pair(number: u8) -> Pair {
    (Ipv4Addr::new(198, 18, number, 1), Ipv4Addr::new(198, 18, number, 2))
}

/// The first pair from a number on that no route of a table leads to, beside the default one. `table`: `/proc/net/route`.
pub(crate) fn free_pair(table: &str, from: u8) -> Option<Pair> {
    let routes: Vec<(u32, u32)> = table.lines().skip(1).filter_map(route).collect();
    let is_free = |address: Ipv4Addr| {
        let address = u32::from(address);
        routes.iter().all(|(destination, mask)| *mask == 0 || address & mask != *destination)
    };
    (0..=u8::MAX)
        .map(|step| pair(from.wrapping_add(step)))
        .find(|(own, peer)| is_free(*own) && is_free(*peer))
}

/// `velo0 0200120C6 00000000 0005 0 0 0 FFFFFFFF ...`: device, destination, gateway, flags, three counts, mask.
fn route(line: &str) -> Option<(u32, u32)> {
    let mut fields = line.split_ascii_whitespace();
    let destination = word(fields.nth(1)?)?;
    let mask = word(fields.nth(5)?)?;
    Some((destination & mask, mask))
}

/// An address as its 32 bits lie in memory.
fn word(text: &str) -> Option<u32> {
    Some(u32::from_be_bytes(u32::from_str_radix(text, 16).ok()?.to_ne_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_with_a_route_is_passed_over() {
        let head = "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n";
        assert_eq!(free_pair(head, 0), Some(pair(0)));
        assert_eq!(free_pair("", 255), Some(pair(255)));
        if cfg!(target_endian = "little") {
            let default = "eth0\t00000000\t0102A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n";
            let host = "velo0\t020012C6\t00000000\t0005\t0\t0\t0\tFFFFFFFF\t0\t0\t0\n";
            let net = "eth1\t000112C6\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n";
            assert_eq!(free_pair(&format!("{head}{default}{host}{net}"), 0), Some(pair(2)));
            let all = "eth1\t000012C6\t00000000\t0001\t0\t0\t0\t0000FEFF\t0\t0\t0\n";
            assert_eq!(free_pair(&format!("{head}{all}"), 7), None);
        }
        assert_eq!(free_pair("head\nodd\nx zz 0 0 0 0 0 zz\n", 9), Some(pair(9)));
    }
}
