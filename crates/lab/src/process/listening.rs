//! Whether somebody listens on a port, seen without connecting to it.

use std::fs;

/// The kernel's number for a socket that listens (`TCP_LISTEN`, include/net/tcp_states.h), as proc(5) prints it.
const LISTEN: &str = "0A";

/// Whether any socket of this network namespace listens on this TCP port.
pub(crate) fn is_listening(port: u16) -> bool {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"];
    tables.iter().any(|table| fs::read_to_string(table).is_ok_and(|text| listens(&text, port)))
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
}
