//! The server: calls over HTTP/2, in clear or over TLS, each on a task of its own.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use h2::RecvStream;
use h2::server::SendResponse;
use http::{HeaderMap, HeaderValue, Request, Response};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use velo_load::Rng;

use super::framing::{Parts, message, parts};
use super::lie::Lie;
use super::services::{INVALID_ARGUMENT, Outcome, outcome};
use crate::tls;

/// Longer calls are nobody's.
const MOST_CALL_BYTES: usize = 64 * 1024;
/// [`Lie::SeldomWrong`] is wrong once in so many calls.
const SELDOM: u64 = 1000;

/// Serves until the process ends, over TLS where `TLS_CERT` and `TLS_KEY` are set. `honest_calls`: so many are answered as they should be first.
///
/// # Errors
/// When it cannot listen, or has no certificate that can be used.
pub fn serve(address: &str, lie: Lie, honest_calls: u64) -> io::Result<()> {
    let served = Arc::new(Served {
        lie,
        honest_calls,
        calls: AtomicU64::new(0),
        shared: Mutex::new(Shared {
            // Differs from start to start: a coin that begins anew like the last time is no fair one.
            random: Rng::new(RandomState::new().build_hasher().finish()),
            before: None,
        }),
    });
    let acceptor = tls::of_environment("h2")?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(address).await?;
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            // What a client breaks off is nobody's fault.
            let served = Arc::clone(&served);
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                match acceptor {
                    None => connection(stream, served).await.map_err(io::Error::other),
                    Some(acceptor) => {
                        let stream = acceptor.accept(stream).await?;
                        connection(stream, served).await.map_err(io::Error::other)
                    }
                }
            });
        }
    })
}

/// What all calls have in common.
struct Served {
    lie: Lie,
    honest_calls: u64,
    calls: AtomicU64,
    shared: Mutex<Shared>,
}

struct Shared {
    random: Rng,
    /// The outcome of the call before.
    before: Option<Outcome>,
}

impl Served {
    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the next call is answered.
    fn answer(&self, path: &str, body: &[u8]) -> io::Result<Parts> {
        let number = self.calls.fetch_add(1, Ordering::Relaxed);
        let lie = match self.lie {
            _ if number < self.honest_calls => Lie::None,
            Lie::SeldomWrong if number % SELDOM == SELDOM - 1 => Lie::WrongMessage,
            lie => lie,
        };
        let mut shared = self.shared();
        let own = message(body).and_then(|message| outcome(path, message, lie, &mut shared.random));
        let before = shared.before.replace(own.clone());
        parts(before.filter(|_| lie == Lie::KeepsMessage).unwrap_or(own), lie)
    }
}

async fn connection<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    served: Arc<Served>,
) -> Result<(), h2::Error> {
    let mut connection = h2::server::handshake(stream).await?;
    while let Some(accepted) = connection.accept().await {
        let (request, respond) = accepted?;
        let served = Arc::clone(&served);
        tokio::spawn(async move { call(request, respond, &served).await });
    }
    Ok(())
}

async fn call(
    request: Request<RecvStream>,
    respond: SendResponse<Bytes>,
    served: &Served,
) -> Result<(), h2::Error> {
    let (head, mut stream) = request.into_parts();
    let mut body = Vec::new();
    while let Some(bytes) = stream.data().await {
        let bytes = bytes?;
        stream.flow_control().release_capacity(bytes.len())?;
        if body.len() + bytes.len() > MOST_CALL_BYTES {
            return send(respond, Parts { early_status: Some(INVALID_ARGUMENT), ..Parts::default() });
        }
        body.extend_from_slice(&bytes);
    }
    match served.answer(head.uri.path(), &body) {
        Ok(parts) => send(respond, parts),
        // Nothing is compressed into a file that could be full.
        Err(_) => Ok(()),
    }
}

fn send(mut respond: SendResponse<Bytes>, parts: Parts) -> Result<(), h2::Error> {
    let mut head = Response::new(());
    let headers = head.headers_mut();
    headers.insert("content-type", HeaderValue::from_static("application/grpc"));
    if let Some(status) = parts.early_status {
        headers.insert("grpc-status", status.into());
    }
    if let Some(encoding) = parts.encoding {
        headers.insert("grpc-encoding", HeaderValue::from_static(encoding));
    }
    let mut stream = respond.send_response(head, parts.bytes.is_empty() && parts.trailers.is_none())?;
    if !parts.bytes.is_empty() {
        stream.send_data(parts.bytes.into(), parts.trailers.is_none())?;
    }
    let Some(status) = parts.trailers else { return Ok(()) };
    let mut trailers = HeaderMap::new();
    match status {
        Some(status) => trailers.insert("grpc-status", status.into()),
        None => trailers.insert("x-trailer", HeaderValue::from_static("a")),
    };
    stream.send_trailers(trailers)
}
