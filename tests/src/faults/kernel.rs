//! What the kernel counted.

/// Connections that were refused or gave up before they stood, of all processes of this network namespace, since it
/// was made (`AttemptFails` of RFC 4022). A server that is not there cannot count them.
///
/// `None` where the kernel does not tell.
pub fn refused_connections() -> Option<u64> {
    parse(&std::fs::read_to_string("/proc/net/snmp").ok()?)
}

fn parse(text: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("Tcp: "));
    let (names, values) = (lines.next()?, lines.next()?);
    let column = names.split(' ').position(|name| name == "AttemptFails")?;
    values.split(' ').nth(column)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_column_is_found_by_its_name() {
        let text = "Ip: A B\nIp: 1 2\nTcp: ActiveOpens AttemptFails InSegs\nTcp: 3 44 5\n";
        assert_eq!(parse(text), Some(44));
        assert_eq!(parse("Tcp: ActiveOpens\nTcp: 3\n"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn a_refused_connection_is_counted() {
        let before = refused_connections().unwrap();
        let reserved = super::super::socket::Reserved::new(([127, 0, 0, 1], 0).into()).unwrap();
        std::net::TcpStream::connect(reserved.address().unwrap()).unwrap_err();
        assert!(refused_connections().unwrap() > before);
    }
}
