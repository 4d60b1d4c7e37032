//! Where connections go: DNS, addresses given, Unix sockets.

use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs as _, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr as UnixAddr, UnixStream};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use velo_load::Endpoint;

use super::address::with_zone;
use super::flags::ConnectionFlags;
use super::url::Url;
use crate::exit::usage;
use crate::{out, values};

/// How long a name's addresses have to accept a connection.
const PROBE: Duration = Duration::from_secs(1);
/// How long a server that does not accept yet is left alone.
const BETWEEN_PROBES: Duration = Duration::from_millis(100);
/// The longest path that a socket's address holds (`sockaddr_un`, without the last NUL).
const LONGEST_UNIX_PATH: usize = 107;

/// Where a server listens, and what there is to say of it.
#[derive(Debug)]
pub(crate) struct Endpoints {
    /// At least one.
    pub(crate) all: Vec<Endpoint>,
    /// Addresses of the name that are left out, in words.
    pub(crate) left_out: Option<String>,
}

/// Waits until the server accepts a connection, for no longer than `--wait-for` says: what follows then says why it does not.
pub(crate) fn wait(url: &Url, flags: &ConnectionFlags, is_told: bool) -> anyhow::Result<()> {
    let Some(limit) = flags.wait_for else { return Ok(()) };
    let began = Instant::now();
    let mut told = !is_told;
    // The flags are right, or it is said before any waiting.
    let all = endpoints(url, flags)?.all;
    while !all.iter().any(accepts) {
        let left = limit.saturating_sub(began.elapsed());
        if left.is_zero() {
            break;
        }
        if !told {
            told = true;
            let places: Vec<String> = all.iter().map(ToString::to_string).collect();
            let limit = values::clock(limit);
            out::talk(&format!(
                "waiting for {} to accept a connection, at most {limit}\n",
                places.join(", ")
            ));
        }
        thread::sleep(left.min(BETWEEN_PROBES));
    }
    Ok(())
}

fn accepts(endpoint: &Endpoint) -> bool {
    match endpoint {
        Endpoint::Tcp(address) => TcpStream::connect_timeout(address, PROBE).is_ok(),
        Endpoint::Unix(path) => match path.as_os_str().as_bytes() {
            [b'@', name @ ..] => UnixAddr::from_abstract_name(name)
                .and_then(|address| UnixStream::connect_addr(&address))
                .is_ok(),
            _ => UnixStream::connect(path).is_ok(),
        },
    }
}

/// Finds out where to connect to. A name is resolved once.
///
/// # Errors
/// When the name is not found, or what was asked for cannot be.
pub(crate) fn endpoints(url: &Url, flags: &ConnectionFlags) -> anyhow::Result<Endpoints> {
    let found = if let Some(path) = &flags.unix {
        Endpoints { all: vec![unix(path)?], left_out: None }
    } else if !flags.address.is_empty() {
        let given = flags.address.iter().map(|address| address.at(url.port));
        Endpoints { all: given.map(Endpoint::from).collect(), left_out: None }
    } else {
        by_name(url, flags)?
    };
    for source in &flags.source {
        let reaches = |endpoint: &Endpoint| match endpoint {
            Endpoint::Tcp(address) => address.is_ipv4() == source.is_ipv4(),
            Endpoint::Unix(_) => false,
        };
        if let Some(other) = found.all.iter().find(|endpoint| !reaches(endpoint)) {
            return Err(usage(format!(
                "--source {source} does not reach {other}\n  expected addresses of one kind; -4 or -6 chooses among those of a name"
            )));
        }
        if UdpSocket::bind((*source, 0)).is_err() {
            return Err(usage(format!(
                "--source {source}: this machine has no such address\n  `ip address` lists those that it has"
            )));
        }
    }
    Ok(found)
}

fn unix(path: &Path) -> anyhow::Result<Endpoint> {
    let length = path.as_os_str().len();
    if length > LONGEST_UNIX_PATH {
        return Err(usage(format!(
            "--unix {}: a socket's path may have {LONGEST_UNIX_PATH} bytes, this one has {length}\n  \
             give it from a folder nearer to it",
            path.display()
        )));
    }
    Ok(Endpoint::Unix(path.to_owned()))
}

fn by_name(url: &Url, flags: &ConnectionFlags) -> anyhow::Result<Endpoints> {
    let literal: Option<IpAddr> = url.host.parse().ok();
    let resolved: Vec<SocketAddr> = match literal {
        Some(ip) => vec![with_zone(ip, url.zone, url.port)],
        None => (url.host.as_str(), url.port)
            .to_socket_addrs()
            .map_err(|error| {
                anyhow!("{} cannot be resolved: {error}\n  check the name, or give --address IP", url.host)
            })?
            .collect(),
    };
    let mut wanted: Vec<SocketAddr> = Vec::new();
    for address in resolved {
        let family = if address.is_ipv4() { !flags.ipv6 } else { !flags.ipv4 };
        if family && !wanted.contains(&address) {
            wanted.push(address);
        }
    }
    if wanted.is_empty() {
        let family = if flags.ipv6 { "IPv6" } else { "IPv4" };
        return Err(usage(format!(
            "{} has no {family} address\n  leave out -4 and -6, or give --address IP",
            url.host
        )));
    }
    Ok(if wanted.len() == 1 { only(wanted) } else { accepting(&url.host, wanted, flags.pin_address) })
}

fn only(addresses: Vec<SocketAddr>) -> Endpoints {
    Endpoints { all: addresses.into_iter().map(Endpoint::from).collect(), left_out: None }
}

/// A name's addresses are of one service, but not each must be open: `localhost` is both `127.0.0.1` and `::1`, and
/// most servers listen on one. Where none accepts, all stay, so that the result says it.
fn accepting(host: &str, addresses: Vec<SocketAddr>, pin: bool) -> Endpoints {
    let accepts: Vec<bool> = thread::scope(|scope| {
        let probes: Vec<_> = addresses
            .iter()
            .map(|address| scope.spawn(move || TcpStream::connect_timeout(address, PROBE).is_ok()))
            .collect();
        // A probe that panicked has not accepted.
        probes.into_iter().map(|probe| probe.join().unwrap_or(false)).collect()
    });
    if !accepts.contains(&true) {
        return only(addresses);
    }
    let chosen = |accepted: bool| {
        let pairs = addresses.iter().zip(&accepts).filter(move |(_, accepts)| **accepts == accepted);
        pairs.map(|(address, _)| *address).collect::<Vec<_>>()
    };
    let (mut open, closed) = (chosen(true), chosen(false));
    if pin {
        open.truncate(1);
    }
    let listed =
        |addresses: &[SocketAddr]| addresses.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let left_out = (!closed.is_empty())
        .then(|| format!("{host} is also {}, which does not accept and is left out", listed(&closed)));
    Endpoints { left_out, ..only(open) }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;
    use crate::load::address::address;
    use crate::load::url;

    #[test]
    fn a_source_is_an_address_of_this_machine() {
        let url = url::parse("http://127.0.0.1/").expect("a URL");
        let given = |ip: &str| {
            let source = vec![ip.parse().expect("an IP")];
            endpoints(&url, &ConnectionFlags { source, ..flags() }).map(|found| found.all.len())
        };
        assert_eq!(given("127.0.0.3").expect("this machine's"), 1);
        // For documentation only (RFC 5737).
        let why = given("192.0.2.1").expect_err("nobody's").to_string();
        assert!(why.contains("this machine has no such address"), "{why}");
    }

    fn flags() -> ConnectionFlags {
        ConnectionFlags {
            timeout: Duration::from_secs(5),
            wait_for: None,
            http2: false,
            http1: false,
            streams: None,
            pipelining: 1,
            requests_per_connection: None,
            no_keepalive: false,
            unix: None,
            address: vec![],
            pin_address: false,
            ipv4: false,
            ipv6: false,
            source: vec![],
        }
    }

    fn shown(url: &str, flags: &ConnectionFlags) -> Result<Vec<String>, String> {
        endpoints(&url::parse(url).expect("a URL"), flags)
            .map(|found| found.all.iter().map(ToString::to_string).collect())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn an_address_of_the_url_is_taken_as_it_is() {
        assert_eq!(shown("http://127.0.0.1:81/", &flags()), Ok(vec!["127.0.0.1:81".to_owned()]));
        assert_eq!(shown("https://[::1]/", &flags()), Ok(vec!["[::1]:443".to_owned()]));
        let ipv6 = ConnectionFlags { ipv6: true, ..flags() };
        assert!(shown("http://127.0.0.1/", &ipv6).expect_err("no IPv6").contains("no IPv6 address"));
    }

    #[test]
    fn an_address_or_a_socket_stands_for_the_host() {
        let address =
            vec![address("127.0.0.2").expect("an address"), address("127.0.0.3:9").expect("an address")];
        let given = ConnectionFlags { address, ..flags() };
        assert_eq!(
            shown("http://nowhere.invalid:81/", &given),
            Ok(vec!["127.0.0.2:81".to_owned(), "127.0.0.3:9".to_owned()])
        );
        let unix = ConnectionFlags { unix: Some("run/app.sock".into()), ..flags() };
        assert_eq!(shown("http://app/", &unix), Ok(vec!["unix:run/app.sock".to_owned()]));
        let long = ConnectionFlags { unix: Some("x".repeat(200).into()), ..flags() };
        assert!(shown("http://app/", &long).expect_err("too long").contains("107 bytes"));
    }

    #[test]
    fn an_own_address_must_reach_the_server() {
        let source = ConnectionFlags { source: vec!["::1".parse().expect("an IP")], ..flags() };
        assert!(shown("http://127.0.0.1/", &source).expect_err("another kind").contains("--source ::1"));
        let source = ConnectionFlags { source: vec!["127.0.0.2".parse().expect("an IP")], ..flags() };
        assert!(shown("http://127.0.0.1/", &source).is_ok());
    }

    #[test]
    fn addresses_that_do_not_accept_are_left_out_and_named() {
        let closed = TcpListener::bind("127.0.0.2:0").expect("a port").local_addr().expect("an address");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let open = listener.local_addr().expect("an address");
        let found = accepting("name", vec![closed, open], false);
        assert_eq!(found.all, [Endpoint::Tcp(open)]);
        let left_out = found.left_out.expect("one is closed");
        assert!(left_out.contains(&closed.to_string()), "{left_out}");
        let found = accepting("name", vec![closed], false);
        assert_eq!((found.all.len(), found.left_out), (1, None), "where none accepts, the result says it");
        let found = accepting("name", vec![open, open], true);
        assert_eq!(found.all.len(), 1);
    }
}
