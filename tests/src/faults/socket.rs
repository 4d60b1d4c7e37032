//! Sockets in the states that the standard library does not make.

use std::io::{self, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::net::{self, AddressFamily, SendFlags, SocketFlags, SocketType, sockopt};

/// A socket that holds a port without listening: whoever connects is refused, and nobody else gets the port. Another one of this process may
/// listen there when it is made so, too.
#[derive(Debug)]
pub(super) struct Reserved(OwnedFd);

impl Reserved {
    pub(super) fn new(address: SocketAddr) -> io::Result<Self> {
        let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let socket = net::socket_with(family, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
        sockopt::set_socket_reuseaddr(&socket, true)?;
        sockopt::set_socket_reuseport(&socket, true)?;
        net::bind(&socket, &address)?;
        Ok(Self(socket))
    }

    pub(super) fn address(&self) -> io::Result<SocketAddr> {
        Ok(net::getsockname(&self.0)?.try_into()?)
    }

    pub(super) fn listen(self) -> io::Result<TcpListener> {
        net::listen(&self.0, 4096)?;
        Ok(TcpListener::from(self.0))
    }
}

/// Sends bytes together with the end of the stream.
pub(super) fn write_and_end(stream: &TcpStream, bytes: &[u8]) -> io::Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        let sent = net::send(stream, rest, SendFlags::NOSIGNAL | SendFlags::MORE)?;
        rest = &rest[sent..];
    }
    stream.shutdown(Shutdown::Write)
}

/// Sends bytes one by one, each in a packet of its own.
pub(super) fn write_bytewise(mut stream: impl Write, bytes: &[u8]) -> io::Result<()> {
    bytes.chunks(1).try_for_each(|byte| stream.write_all(byte))
}

/// Sends bytes at a steady rate.
pub(super) fn write_paced(mut stream: &TcpStream, bytes: &[u8], bytes_per_s: u64) -> io::Result<()> {
    const SLICE: usize = 4096;
    for slice in bytes.chunks(SLICE) {
        stream.write_all(slice)?;
        std::thread::sleep(Duration::from_secs_f64(slice.len() as f64 / bytes_per_s.max(1) as f64));
    }
    Ok(())
}

/// From now on, closing the socket resets the connection.
pub(super) fn reset_on_close(stream: &TcpStream) -> io::Result<()> {
    Ok(sockopt::set_socket_linger(stream, Some(Duration::ZERO))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Writes(Vec<Vec<u8>>);

    impl Write for Writes {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.push(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn each_byte_is_written_alone() {
        let mut writes = Writes::default();
        write_bytewise(&mut writes, b"abc").unwrap();
        assert_eq!(writes.0, [b"a", b"b", b"c"]);
    }
}
