//! Bytes of a file to a connection, without a copy through this process.

use std::fs::File;
use std::io::{self, Write};
use std::net::TcpStream;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::time::Instant;

use rustix::io::Errno;

/// What is given to the kernel at once.
const PIECE: u64 = 1 << 20;
/// So many bytes are given last and alone: before that, no client can have the whole file.
pub(crate) const TAIL: u64 = 16 * 1024;

/// Sends bytes of a file, the last of them alone; when that began. The error says how many were sent before.
pub(crate) fn send_range(
    to: &TcpStream,
    file: &File,
    from: u64,
    to_byte: u64,
    sent: &mut u64,
) -> io::Result<Instant> {
    let tail = to_byte.saturating_sub(TAIL).max(from);
    send_all(to, file, from, tail, sent)?;
    let before_tail = Instant::now();
    send_all(to, file, tail, to_byte, sent)?;
    Ok(before_tail)
}

fn send_all(to: &TcpStream, file: &File, from: u64, to_byte: u64, sent: &mut u64) -> io::Result<()> {
    let mut at = from;
    while at < to_byte {
        let piece = usize::try_from((to_byte - at).min(PIECE)).unwrap_or(usize::MAX);
        match rustix::fs::sendfile(to, file, Some(&mut at), piece) {
            Ok(0) => {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file is shorter than it was"));
            }
            Ok(count) => *sent += count as u64,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Sends bytes of a file with every bit turned: those of another file of its length.
pub(crate) fn send_inverted(to: &TcpStream, file: &File, part: Range<u64>, sent: &mut u64) -> io::Result<()> {
    let mut piece = vec![0; TAIL as usize];
    let mut at = part.start;
    while at < part.end {
        let most = usize::try_from(part.end - at).map_or(piece.len(), |left| left.min(piece.len()));
        let count = file.read_at(&mut piece[..most], at)?;
        if count == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file is shorter than it was"));
        }
        for byte in &mut piece[..count] {
            *byte = !*byte;
        }
        send_bytes(to, &piece[..count], sent)?;
        at += count as u64;
    }
    Ok(())
}

/// Sends bytes that are in memory.
pub(crate) fn send_bytes(mut to: &TcpStream, bytes: &[u8], sent: &mut u64) -> io::Result<()> {
    to.write_all(bytes)?;
    *sent += bytes.len() as u64;
    Ok(())
}
