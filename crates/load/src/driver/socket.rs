use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{self, AddressFamily, Shutdown, SocketAddrUnix, SocketFlags, SocketType, sockopt};

use crate::target::Endpoint;

/// Begins to connect without waiting; says whether the connection is there already.
pub(super) fn begin(endpoint: &Endpoint, source: Option<IpAddr>) -> Result<(OwnedFd, bool), Errno> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let open = |family| net::socket_with(family, SocketType::STREAM, flags, None);
    let (socket, result) = match endpoint {
        Endpoint::Tcp(address) => {
            let socket = open(if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 })?;
            sockopt::set_tcp_nodelay(&socket, true)?;
            if let Some(source) = source {
                // The port is chosen when the other end is known, so that one port serves many of them.
                bind_address_no_port(&socket);
                net::bind(&socket, &SocketAddr::new(source, 0))?;
            }
            let result = net::connect(&socket, address);
            (socket, result)
        }
        Endpoint::Unix(path) => {
            let socket = open(AddressFamily::UNIX)?;
            let address = match path.as_os_str().as_bytes().strip_prefix(b"@") {
                Some(name) => SocketAddrUnix::new_abstract_name(name)?,
                None => SocketAddrUnix::new(path.as_path())?,
            };
            let result = net::connect(&socket, &address);
            (socket, result)
        }
    };
    match result {
        Ok(()) => Ok((socket, true)),
        Err(Errno::INPROGRESS) => Ok((socket, false)),
        Err(error) => Err(error),
    }
}

fn bind_address_no_port(socket: &OwnedFd) {
    let on: libc::c_int = 1;
    // SAFETY: the option's value is an int, and its length is given. Where it fails a port serves one connection only.
    unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_IP,
            libc::IP_BIND_ADDRESS_NO_PORT,
            (&raw const on).cast(),
            size_of_val(&on) as libc::socklen_t,
        );
    }
}

/// Whether a connection that was begun is there, of which a poll has said this: `None` while it is not known.
pub(super) fn outcome(socket: &OwnedFd, polled: u32) -> Option<Result<(), Errno>> {
    let says = |flag: libc::c_short| polled & flag as u32 != 0;
    // The kernel lets nobody write into a socket that is still connecting, and calls one that failed an error and closed.
    if says(libc::POLLOUT) && !says(libc::POLLERR | libc::POLLHUP) {
        return Some(Ok(()));
    }
    match sockopt::socket_error(socket) {
        Ok(Ok(())) => net::getpeername(socket).is_ok().then_some(Ok(())),
        Ok(Err(error)) | Err(error) => Some(Err(error)),
    }
}

/// Lets the kernel forget the connection when the socket is closed.
pub(super) fn reset_on_close(socket: &OwnedFd) {
    // On a connection that is gone already there is nothing to reset.
    let _ = sockopt::set_socket_linger(socket, Some(Duration::ZERO));
}

/// Ends the connection at once, whoever else still holds the socket. With `reset` the other side is told to forget it.
pub(super) fn end(socket: &OwnedFd, reset: bool) {
    // A socket of local files cannot be disconnected so, and has nothing to forget.
    if reset && net::connect_unspec(socket).is_ok() {
        return;
    }
    // One that is not connected yet, or not any more, is ended by being closed.
    let _ = net::shutdown(socket, Shutdown::Both);
}
