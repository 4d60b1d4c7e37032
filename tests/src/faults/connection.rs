//! One connection of the server.

use std::cmp::Ordering;
use std::io::{self, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::answer::{Pace, Reply, Then, Whole, reply};
use super::fault::Fault;
use super::reader::Reader;
use super::server::Shared;
use super::socket::{reset_on_close, write_and_end, write_bytewise, write_paced};
use super::truth::Fate;

/// How long a client may keep its side open after the server has ended its own.
const LINGER: Duration = Duration::from_secs(5);
/// The server dies when it has read so many requests.
const REQUESTS_BEFORE_OUTAGE: u64 = 500;

/// Answers until the connection has ended; dropping the stream after that closes it.
pub(super) fn serve(shared: &Shared, stream: &TcpStream, number: u64) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = Reader::default();
    let mut on_connection = 0;
    while let Some(request) = reader.next(&mut &*stream)? {
        let count = shared.update(|truth| {
            truth.requests += 1;
            truth.http10_requests += u64::from(request.is_http10);
            truth.requests - 1
        });
        if shared.fault == Fault::Outage {
            match (count + 1).cmp(&REQUESTS_BEFORE_OUTAGE) {
                Ordering::Less => {}
                Ordering::Equal => shared.begin_outage(),
                Ordering::Greater => shared.wait_until_dead(),
            }
        }
        shared.hold(count);
        match reply(shared.fault, &request, count, number, on_connection) {
            Reply::Silence => {
                shared.update(|truth| truth.count(Fate::Unanswered));
                while reader.next(&mut &*stream)?.is_some() {
                    shared.update(|truth| {
                        truth.requests += 1;
                        truth.count(Fate::Unanswered);
                    });
                }
                return Ok(());
            }
            Reply::Endless { start, block, status } => {
                shared.update(|truth| {
                    truth.count(Fate::Endless);
                    status.map(|status| *truth.statuses.entry(status).or_default() += 1)
                });
                let mut writer = stream;
                writer.write_all(&start)?;
                loop {
                    writer.write_all(&block)?;
                }
            }
            Reply::Whole(whole) => {
                let sent = send(shared, stream, &whole);
                shared.update(|truth| match sent {
                    Err(_) => truth.count(Fate::Undelivered),
                    Ok(()) => {
                        truth.count(whole.fate);
                        truth.interim += whole.interim;
                        truth.unasked += whole.unasked;
                        if let Some(status) = whole.status {
                            *truth.statuses.entry(status).or_default() += 1;
                        }
                    }
                });
                sent?;
                match whole.then {
                    Then::Stays => on_connection += 1,
                    Then::Resets => {
                        reset_on_close(stream)?;
                        shared.update(|truth| truth.resets += 1);
                        return Ok(());
                    }
                    Then::Ends => {
                        let unannounced = shared.fault == Fault::IdleClose && request.keep_alive;
                        shared.update(|truth| {
                            truth.closes += 1;
                            truth.unannounced += u64::from(unannounced);
                        });
                        return linger(shared, stream, &mut reader);
                    }
                }
            }
        }
    }
    Ok(())
}

fn send(shared: &Shared, mut stream: &TcpStream, whole: &Whole) -> io::Result<()> {
    match whole.pace {
        // The end comes with the last bytes, so that no client can have answered it before.
        Pace::AtOnce if whole.then == Then::Ends => write_and_end(stream, &whole.bytes),
        Pace::AtOnce => stream.write_all(&whole.bytes),
        Pace::Bytewise => write_bytewise(stream, &whole.bytes),
        Pace::Limited => write_paced(stream, &whole.bytes, shared.tuning.bytes_per_s),
    }
}

/// Reads what still comes after the server's end of the stream, so that it is known and nothing is reset.
fn linger(shared: &Shared, stream: &TcpStream, reader: &mut Reader) -> io::Result<()> {
    stream.set_read_timeout(Some(LINGER))?;
    while reader.next(&mut &*stream)?.is_some() {
        shared.update(|truth| {
            truth.requests += 1;
            truth.count(Fate::AfterClose);
        });
    }
    Ok(())
}
