//! What the kernel counted on a TCP connection.

use std::net::TcpStream;
use std::os::fd::AsRawFd as _;

use super::times::Packets;

/// Where the counts lie in `struct tcp_info` (linux/tcp.h), which only ever grows at its end.
const TOTAL_RETRANS: usize = 100;
const SEGS_OUT: usize = 136;
const SEGS_IN: usize = 140;
/// As much of it as is read.
const LENGTH: usize = 144;

/// The segments so far; `None` where the kernel tells less.
pub(super) fn of(stream: &TcpStream) -> Option<Packets> {
    let mut info = [0u8; LENGTH];
    let mut length = LENGTH as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes, which are there, and says how many it wrote.
    let result = unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            info.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    if result != 0 || (length as usize) < LENGTH {
        return None;
    }
    let count = |at: usize| {
        let bytes = info.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u32::from_ne_bytes)
    };
    Some(Packets { sent: count(SEGS_OUT), received: count(SEGS_IN), sent_again: count(TOTAL_RETRANS) })
}
