//! A server of HTTP/2, of another make.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use bytes::Bytes;
use h2::Reason;
use h2::server::SendResponse;
use http::Response;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::server::{BODY, Conduct, Deed, Log, WRONG_BODY};

pub(crate) struct Server {
    address: SocketAddr,
    log: Arc<Log>,
    ends: Arc<AtomicBool>,
    serving: JoinHandle<()>,
}

impl Server {
    pub(crate) fn start(conduct: Conduct) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        listener.set_nonblocking(true).unwrap();
        let (log, ends) = (Arc::new(Log::default()), Arc::new(AtomicBool::new(false)));
        let serving = std::thread::spawn({
            let (log, ends) = (Arc::clone(&log), Arc::clone(&ends));
            move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(serve(listener, conduct, log, ends));
            }
        });
        Self { address, log, ends, serving }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits for the connections, which the client has closed, and says what was done.
    pub(crate) fn finish(self) -> Log {
        self.ends.store(true, Ordering::SeqCst);
        drop(std::net::TcpStream::connect(self.address));
        self.serving.join().unwrap();
        Arc::into_inner(self.log).unwrap()
    }
}

async fn serve(listener: std::net::TcpListener, conduct: Conduct, log: Arc<Log>, ends: Arc<AtomicBool>) {
    let listener = TcpListener::from_std(listener).unwrap();
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        if ends.load(Ordering::SeqCst) {
            break;
        }
        let log = Arc::clone(&log);
        connections.spawn(async move {
            // A client that goes away ends its connection's task.
            let _ = connection(stream, conduct, &log).await;
        });
    }
    while connections.join_next().await.is_some() {}
}

async fn connection(stream: TcpStream, conduct: Conduct, log: &Log) -> Result<(), h2::Error> {
    let _ = stream.set_nodelay(true);
    let mut connection = h2::server::handshake(stream).await?;
    let mut silent = JoinSet::new();
    loop {
        let idle = conduct.idle.unwrap_or(Duration::MAX);
        let accepted = match tokio::time::timeout(idle, connection.accept()).await {
            Ok(Some(accepted)) => accepted?,
            Ok(None) => return Ok(()),
            Err(_) => {
                connection.graceful_shutdown();
                continue;
            }
        };
        let (_request, mut respond) = accepted;
        match log.next(&conduct) {
            Deed::Right => answer(respond, 200, BODY, true)?,
            Deed::Wrong => answer(respond, 200, WRONG_BODY, true)?,
            Deed::Error => answer(respond, 500, WRONG_BODY, true)?,
            Deed::Never => drop(silent.spawn(async move {
                // Until the client has had enough.
                let _ = std::future::poll_fn(|context| respond.poll_reset(context)).await;
            })),
            Deed::Cut => answer(respond, 200, BODY, false)?,
            Deed::Close => respond.send_reset(Reason::INTERNAL_ERROR),
            Deed::Last => {
                answer(respond, 200, BODY, true)?;
                connection.graceful_shutdown();
            }
        }
    }
}

/// An answer, whole or reset in the middle.
fn answer(
    mut respond: SendResponse<Bytes>,
    status: u16,
    body: &'static [u8],
    is_whole: bool,
) -> Result<(), h2::Error> {
    let head = Response::builder().status(status).body(()).unwrap();
    let mut stream = respond.send_response(head, false)?;
    if is_whole {
        return stream.send_data(Bytes::from_static(body), true);
    }
    stream.send_data(Bytes::from_static(&body[..2]), false)?;
    stream.send_reset(Reason::INTERNAL_ERROR);
    Ok(())
}
