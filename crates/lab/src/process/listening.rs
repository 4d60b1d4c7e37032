//! Who listens where, seen without connecting.

use std::collections::HashSet;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use super::tree;

/// The kernel's number for a socket that listens (`TCP_LISTEN`, include/net/tcp_states.h), as proc(5) prints it.
const LISTEN: &str = "0A";

/// Those of the network namespace of the calling thread, which need not be that of its process.
const TABLES: [&str; 2] = ["/proc/thread-self/net/tcp", "/proc/thread-self/net/tcp6"];

/// Whether any socket of this network namespace listens on this TCP port.
pub(crate) fn is_listening(port: u16) -> bool {
    TABLES.iter().any(|table| fs::read_to_string(table).is_ok_and(|text| listens(&text, port)))
}

/// `  0: 0100007F:0BB8 00000000:0000 0A ...`: number, local and remote address, state.
fn listens(table: &str, port: u16) -> bool {
    table.lines().skip(1).any(|line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        let (local, state) = (fields.next().unwrap_or_default(), fields.nth(1));
        let own = local.rsplit_once(':').and_then(|(_, port)| u16::from_str_radix(port, 16).ok());
        state == Some(LISTEN) && own == Some(port)
    })
}

/// Where these processes listen for TCP connections, in ascending order. Those of other users cannot be looked into.
pub(crate) fn listeners(pids: &[u32]) -> Vec<SocketAddr> {
    let sockets: HashSet<u64> = pids.iter().flat_map(|pid| sockets_of(*pid)).collect();
    if sockets.is_empty() {
        return Vec::new();
    }
    let tables = TABLES.map(|table| fs::read_to_string(table).unwrap_or_default());
    let mut found: Vec<SocketAddr> = tables.iter().flat_map(|table| listeners_in(table, &sockets)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The processes that listen on this TCP port of this network namespace, in ascending order. Those of other users cannot be looked into.
pub(crate) fn owners(port: u16) -> Vec<u32> {
    owners_of(|own| own.port() == port)
}

/// The same of those that a connection to this address reaches: who listens at exactly that address, else who listens
/// on its port at all of them.
pub(crate) fn owners_at(at: SocketAddr) -> Vec<u32> {
    let exactly = owners_of(|own| own == at);
    let is_any = |own: SocketAddr| own.port() == at.port() && own.ip().is_unspecified();
    if exactly.is_empty() { owners_of(is_any) } else { exactly }
}

fn owners_of(is_wanted: impl Fn(SocketAddr) -> bool) -> Vec<u32> {
    let tables = TABLES.map(|table| fs::read_to_string(table).unwrap_or_default());
    let sockets: HashSet<u64> = tables
        .iter()
        .flat_map(|table| sockets_in(table))
        .filter(|own| is_wanted(own.0))
        .map(|own| own.1)
        .collect();
    if sockets.is_empty() {
        return Vec::new();
    }
    let mut pids: Vec<u32> = tree::processes().iter().map(|process| process.pid).collect();
    pids.retain(|pid| sockets_of(*pid).iter().any(|socket| sockets.contains(socket)));
    pids.sort_unstable();
    pids
}

/// Whether who listens there is reached at the address expected.
pub(crate) fn reaches(listens: SocketAddr, expected: SocketAddr) -> bool {
    let any = match listens.ip() {
        IpAddr::V4(ip) => ip.is_unspecified() && expected.is_ipv4(),
        // Of both kinds, unless it was asked otherwise, which cannot be seen from outside.
        IpAddr::V6(ip) => ip.is_unspecified(),
    };
    listens.port() == expected.port() && (any || listens.ip() == expected.ip())
}

/// The inodes of the sockets that a process has open.
fn sockets_of(pid: u32) -> Vec<u64> {
    let Ok(open) = fs::read_dir(format!("/proc/{pid}/fd")) else { return Vec::new() };
    let inode = |entry: fs::DirEntry| {
        let target = fs::read_link(entry.path()).ok()?;
        target.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
    };
    open.flatten().filter_map(inode).collect()
}

/// Of a table of the kernel the addresses of those that listen and are among some sockets.
fn listeners_in(table: &str, sockets: &HashSet<u64>) -> Vec<SocketAddr> {
    sockets_in(table).filter(|(_, socket)| sockets.contains(socket)).map(|(address, _)| address).collect()
}

/// Of a table of the kernel those that listen, and their inodes, the tenth field.
fn sockets_in(table: &str) -> impl Iterator<Item = (SocketAddr, u64)> {
    table.lines().skip(1).filter_map(|line| {
        let fields: Vec<&str> = line.split_ascii_whitespace().take(10).collect();
        let [_, local, _, state, _, _, _, _, _, inode] = fields[..] else { return None };
        if state != LISTEN {
            return None;
        }
        Some((socket_address(local)?, inode.parse().ok()?))
    })
}

/// `0100007F:0BB8`: an address as its words of 32 bits lie in memory, and a port as it is read.
fn socket_address(text: &str) -> Option<SocketAddr> {
    let (address, port) = text.rsplit_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let word = |at: usize| Some(u32::from_str_radix(address.get(at..at + 8)?, 16).ok()?.to_ne_bytes());
    let address = match address.len() {
        8 => IpAddr::V4(Ipv4Addr::from(word(0)?)),
        32 => {
            let mut bytes = [0; 16];
            for (number, part) in bytes.chunks_exact_mut(4).enumerate() {
                part.copy_from_slice(&word(number * 8)?);
            }
            IpAddr::V6(Ipv6Addr::from(bytes)).to_canonical()
        }
        _ => return None,
    };
    Some(SocketAddr::new(address, port))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn only_sockets_that_listen_count() {
        let table = "  sl  local_address rem_address   st tx_queue\n   \
                     0: 0100007F:0BB8 00000000:0000 0A 00000000:00000000\n   \
                     1: 0100007F:0BB9 0100007F:8000 01 00000000:00000000\n";
        assert!(listens(table, 3000) && !listens(table, 3001) && !listens(table, 0x8000));
        let table =
            "  sl\n   0: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A 0\n";
        assert!(listens(table, 8080));
        assert!(!listens("", 1) && !listens("sl\nx\n\n0: :: : 0A", 1));
    }

    #[test]
    fn a_listener_of_ours_is_seen_until_it_is_closed() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        assert!(is_listening(port));
        drop(listener);
        assert!(!is_listening(port));
    }

    #[test]
    fn addresses_are_read_as_the_kernel_prints_them() {
        if cfg!(target_endian = "little") {
            assert_eq!(socket_address("0100007F:0BB8"), Some("127.0.0.1:3000".parse().unwrap()));
            assert_eq!(
                socket_address("00000000000000000000000001000000:1F90"),
                Some("[::1]:8080".parse().unwrap())
            );
            assert_eq!(
                socket_address("0000000000000000FFFF00000100007F:1F90"),
                Some("127.0.0.1:8080".parse().unwrap())
            );
        }
        for odd in ["", ":", "7F:1", "0100007F", "0100007F:x", "0100007G:1", "0100007F:10000"] {
            assert_eq!(socket_address(odd), None, "{odd}");
        }
    }

    #[test]
    fn the_listeners_of_a_process_are_its_own() {
        let listeners_here = || listeners(&[std::process::id()]);
        for address in ["127.0.0.1:0", "0.0.0.0:0"] {
            let listener = TcpListener::bind(address).unwrap();
            let own = listener.local_addr().unwrap();
            assert!(listeners_here().contains(&own), "{own}");
            assert_eq!(owners(own.port()), [std::process::id()]);
            assert_eq!(owners_at(SocketAddr::new([127, 0, 0, 1].into(), own.port())), [std::process::id()]);
            assert!(!listeners(&[1_u32.wrapping_neg()]).contains(&own), "no such process");
            drop(listener);
            assert!(!listeners_here().contains(&own), "{own}");
        }
    }
}
