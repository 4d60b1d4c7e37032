//! One answer, in the manner that it is to have.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use rustix::net::sockopt;
use velo_model::Manner;

use crate::part::{Conditions, Version, Wanted};
use crate::send::{send_bytes, send_inverted, send_range};

/// The redirects that a circle has; a client that follows more is not going to stop.
const MOST_TURNS: u32 = 200;
/// What follows the file where more bytes come than were announced.
const MORE: usize = 1_000;
/// So much of a file is read at once to be compressed.
const PIECE: usize = 64 * 1024;

/// What becomes of the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    /// The next request may come on it.
    Kept,
    /// It is closed.
    Closed,
    /// It is closed with a reset.
    Reset,
    /// Nothing more is sent; it is closed once the client has.
    Silent,
}

/// What was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Given {
    /// Bytes of the body.
    pub(crate) bytes: u64,
    /// Before this, no client can have had the last of them; `None`: not all were sent.
    pub(crate) before_last: Option<Instant>,
    pub(crate) after: After,
}

/// What is to be sent.
pub(crate) struct Order<'a> {
    pub(crate) file: &'a Path,
    pub(crate) manner: Manner,
    /// The path that has the file in the usual manner.
    pub(crate) plain: &'a str,
    /// How often this client was sent on.
    pub(crate) turns: u32,
    pub(crate) is_head: bool,
    pub(crate) closes: bool,
    /// Which part is asked for; `None`: a part is not to be had.
    pub(crate) conditions: Option<&'a Conditions>,
    /// The server ends, and what takes long is given up.
    pub(crate) is_over: &'a AtomicBool,
}

/// Answers a request for a file.
pub(crate) fn answer(connection: &TcpStream, order: &Order<'_>) -> io::Result<Given> {
    let file = File::open(order.file)?;
    let length = file.metadata()?.len();
    let half = length / 2;
    let mut bytes = 0;
    let head = |text: &str| write_head(connection, text);
    let plain = |announced: u64, more: &str| {
        head(&format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: {announced}\r\n{more}\r\n"
        ))
    };
    let closing = if order.closes { "Connection: close\r\n" } else { "" };
    let kept = if order.closes { After::Closed } else { After::Kept };
    let mut before_last = None;
    let after = match order.manner {
        Manner::CutOnce
        | Manner::RangeIgnored
        | Manner::RangeShifted
        | Manner::RangeShort
        | Manner::ChangedFile => in_parts(connection, &file, order, &mut bytes)?,
        Manner::Whole if order.conditions.is_some() => in_parts(connection, &file, order, &mut bytes)?,
        Manner::Whole | Manner::Continue | Manner::EarlyHints | Manner::Close => {
            match order.manner {
                Manner::Continue => head("HTTP/1.1 100 Continue\r\n\r\n")?,
                Manner::EarlyHints => {
                    head("HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n")?;
                }
                _ => {}
            }
            let is_closed = order.manner == Manner::Close;
            plain(length, if is_closed { "Connection: close\r\n" } else { closing })?;
            if !order.is_head {
                before_last = Some(send_range(connection, &file, 0, length, &mut bytes)?);
            }
            if is_closed { After::Closed } else { kept }
        }
        Manner::ShortBody | Manner::Reset | Manner::Stall => {
            plain(length, "")?;
            send_range(connection, &file, 0, half, &mut bytes)?;
            match order.manner {
                Manner::Reset => After::Reset,
                Manner::Stall => After::Silent,
                _ => After::Closed,
            }
        }
        Manner::ChunkedCut => {
            head(
                "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
            )?;
            send_bytes(connection, format!("{length:x}\r\n").as_bytes(), &mut 0)?;
            send_range(connection, &file, 0, half, &mut bytes)?;
            After::Closed
        }
        Manner::NoLength => {
            head("HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nConnection: close\r\n\r\n")?;
            before_last = Some(send_range(connection, &file, 0, length, &mut bytes)?);
            After::Closed
        }
        Manner::LongBody => {
            plain(length, "")?;
            before_last = Some(send_range(connection, &file, 0, length, &mut bytes)?);
            send_bytes(connection, &[b'x'; MORE], &mut bytes)?;
            After::Closed
        }
        Manner::Gzip => {
            // Once to know the length, once to send it: in memory it would be as large as the file.
            let mut announced = 0;
            compress(&file, length, order.is_over, |piece| {
                announced += piece.len() as u64;
                Ok(())
            })?;
            plain(announced, "Content-Encoding: gzip\r\n")?;
            before_last = Some(Instant::now());
            compress(&file, length, order.is_over, |piece| send_bytes(connection, piece, &mut bytes))?;
            kept
        }
        Manner::Redirect => {
            head(&format!(
                "HTTP/1.1 302 Found\r\nLocation: {}\r\nContent-Length: 0\r\n{closing}\r\n",
                order.plain
            ))?;
            kept
        }
        Manner::RedirectLoop => {
            if order.turns >= MOST_TURNS {
                return Ok(Given { bytes, before_last, after: After::Reset });
            }
            let next = order.turns + 1;
            let location = format!("{}?{next}", order.plain);
            head(&format!(
                "HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n{closing}\r\n"
            ))?;
            kept
        }
        Manner::NotFound | Manner::ServerError => {
            let (status, body) = match order.manner {
                Manner::NotFound => ("404 Not Found", "there is no such file\n"),
                _ => ("500 Internal Server Error", "the server failed\n"),
            };
            status_with(connection, status, body, order.closes, &mut bytes)?;
            kept
        }
    };
    Ok(Given { bytes, before_last, after })
}

/// An answer without a file.
pub(crate) fn status_with(
    connection: &TcpStream,
    status: &str,
    body: &str,
    closes: bool,
    bytes: &mut u64,
) -> io::Result<()> {
    let closing = if closes { "Connection: close\r\n" } else { "" };
    let length = body.len();
    write_head(
        connection,
        &format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n{closing}\r\n"
        ),
    )?;
    send_bytes(connection, body.as_bytes(), bytes)
}

fn write_head(mut connection: &TcpStream, text: &str) -> io::Result<()> {
    connection.write_all(text.as_bytes())
}

/// A file of which a part may be asked for, and the faults of that.
fn in_parts(connection: &TcpStream, file: &File, order: &Order<'_>, bytes: &mut u64) -> io::Result<After> {
    let metadata = file.metadata()?;
    let length = metadata.len();
    let none = Conditions::default();
    // A range is for GET alone.
    let asked = order.conditions.filter(|_| !order.is_head).unwrap_or(&none);
    let resumes = asked.range.is_some();
    let is_changed = order.manner == Manner::ChangedFile && resumes;
    let version = Version::of(&metadata, is_changed)?;
    let wanted = match (order.manner, version.wanted(asked, length)) {
        (Manner::RangeIgnored, Wanted::Part(_)) => Wanted::Whole,
        (Manner::RangeShifted, Wanted::Part(part)) => Wanted::Part(part.start / 2..part.end),
        (Manner::RangeShort, Wanted::Part(part)) => {
            Wanted::Part(part.start..part.start + (part.end - part.start).div_ceil(2))
        }
        (_, wanted) => wanted,
    };
    let (status, part, more) = match wanted {
        Wanted::Whole => ("200 OK", Some(0..length), String::new()),
        Wanted::Part(part) => {
            let range = format!("Content-Range: bytes {}-{}/{length}\r\n", part.start, part.end - 1);
            ("206 Partial Content", Some(part), range)
        }
        Wanted::NotModified => ("304 Not Modified", None, String::new()),
        Wanted::Unsatisfiable => {
            let range = format!("Content-Range: bytes */{length}\r\nContent-Length: 0\r\n");
            ("416 Range Not Satisfiable", None, range)
        }
    };
    let of_part = part.as_ref().map_or_else(String::new, |part| {
        let announced = part.end - part.start;
        format!("Content-Type: application/octet-stream\r\nContent-Length: {announced}\r\n")
    });
    let closing = if order.closes { "Connection: close\r\n" } else { "" };
    write_head(connection, &format!("HTTP/1.1 {status}\r\n{of_part}{more}{}{closing}\r\n", version.lines()))?;
    let is_cut = order.manner != Manner::Whole && !resumes && part.is_some() && !order.is_head;
    if let Some(part) = part.filter(|_| !order.is_head) {
        let end = if is_cut { part.start + (part.end - part.start) / 2 } else { part.end };
        if is_changed {
            send_inverted(connection, file, part.start..end, bytes)?;
        } else {
            send_range(connection, file, part.start, end, bytes)?;
        }
    }
    Ok(if is_cut || order.closes { After::Closed } else { After::Kept })
}

/// Compresses a file, piece by piece, until the server ends.
fn compress(
    mut file: &File,
    length: u64,
    is_over: &AtomicBool,
    to: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    let mut plain = file.take(length);
    let mut encoder = GzEncoder::new(Pieces(to), Compression::fast());
    let mut piece = vec![0; PIECE];
    loop {
        if is_over.load(Ordering::Relaxed) {
            return Err(io::Error::other("the server ends"));
        }
        match plain.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => encoder.write_all(&piece[..count])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    encoder.finish().map(|_| ())
}

/// Takes what is written.
struct Pieces<F>(F);

impl<F: FnMut(&[u8]) -> io::Result<()>> Write for Pieces<F> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        (self.0)(piece).map(|()| piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Ends a connection as it is to end.
pub(crate) fn end(connection: &mut TcpStream, after: After, patience: Duration) {
    match after {
        // A connection that lingers for no time is reset when it is closed.
        After::Reset => _ = sockopt::set_socket_linger(&*connection, Some(Duration::ZERO)),
        After::Closed => {
            // What the client still sends would turn the close into a reset.
            if connection.shutdown(std::net::Shutdown::Write).is_ok() {
                drain(connection, patience);
            }
        }
        After::Silent => drain(connection, patience),
        After::Kept => {}
    }
}

/// Reads until the client has closed, for a while.
fn drain(connection: &mut TcpStream, patience: Duration) {
    let deadline = Instant::now() + patience;
    let mut piece = [0; 4096];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || connection.set_read_timeout(Some(left)).is_err() {
            return;
        }
        match connection.read(&mut piece) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}
