//! A server of HTTP/1.1 with a thread for each connection.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::server::{BODY, Conduct, Deed, Log, WRONG_BODY};

/// RFC 9110, 15.5.9: sent before an idle connection is closed.
const FAREWELL: &[u8] = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

pub(crate) struct Server {
    address: SocketAddr,
    log: Arc<Log>,
    ends: Arc<AtomicBool>,
    acceptor: JoinHandle<()>,
}

impl Server {
    pub(crate) fn start(conduct: Conduct) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (log, ends) = (Arc::new(Log::default()), Arc::new(AtomicBool::new(false)));
        let acceptor = thread::spawn({
            let (log, ends) = (Arc::clone(&log), Arc::clone(&ends));
            move || {
                let mut serving = Vec::new();
                while let Ok((stream, _)) = listener.accept() {
                    if ends.load(Ordering::SeqCst) {
                        break;
                    }
                    let log = Arc::clone(&log);
                    // A client that goes away ends its connection's thread.
                    serving.push(thread::spawn(move || connection(stream, &conduct, &log)));
                }
                serving.into_iter().for_each(|thread| drop(thread.join().unwrap()));
            }
        });
        Self { address, log, ends, acceptor }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits for the connections, which the client has closed, and says what was done.
    pub(crate) fn finish(self) -> Log {
        self.ends.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(self.address));
        self.acceptor.join().unwrap();
        Arc::into_inner(self.log).unwrap()
    }
}

fn connection(mut stream: TcpStream, conduct: &Conduct, log: &Log) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(conduct.idle)?;
    let (mut received, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        while let Some(at) = received.windows(4).position(|four| four == b"\r\n\r\n") {
            received.drain(..at + 4);
            let head = |status: &str, fields: &str| {
                format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n{fields}\r\n", BODY.len()).into_bytes()
            };
            let whole = |head: Vec<u8>, body: &[u8]| [&head, body].concat();
            match log.next(conduct) {
                Deed::Right => stream.write_all(&whole(head("200 OK", ""), BODY))?,
                Deed::Wrong => stream.write_all(&whole(head("200 OK", ""), WRONG_BODY))?,
                Deed::Error => stream.write_all(&whole(head("500 No", ""), WRONG_BODY))?,
                Deed::Never => {
                    // Until the client has had enough.
                    stream.set_read_timeout(None)?;
                    while stream.read(&mut buffer)? > 0 {}
                    return Ok(());
                }
                Deed::Cut => {
                    stream.write_all(&whole(head("200 OK", ""), &BODY[..2]))?;
                    return end(stream);
                }
                Deed::Close => return end(stream),
                Deed::Last => {
                    stream.write_all(&whole(head("200 OK", "Connection: close\r\n"), BODY))?;
                    return end(stream);
                }
            }
        }
        match stream.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(got) => received.extend_from_slice(&buffer[..got]),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                stream.write_all(FAREWELL)?;
                return end(stream);
            }
            Err(error) => return Err(error),
        }
    }
}

/// Ends a connection so that what was sent arrives: closed at once, what the client has sent meanwhile would make a reset of it.
fn end(mut stream: TcpStream) -> io::Result<()> {
    stream.shutdown(Shutdown::Write)?;
    stream.set_read_timeout(Some(Duration::from_millis(50)))?;
    let until = Instant::now() + Duration::from_secs(1);
    let mut buffer = [0; 4096];
    while Instant::now() < until {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => break,
            _ => {}
        }
    }
    Ok(())
}
