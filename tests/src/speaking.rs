//! A server for the workload void in each protocol that contenders may be told to speak, until it does not.

use std::io;

use bytes::Bytes;
use h2::RecvStream;
use h2::server::SendResponse;
use http::{Request, Response, StatusCode};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::tls;

/// What the server does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speech {
    /// Nothing.
    AsTold,
    /// It speaks HTTP/1.1, whatever it is told.
    Http1,
    /// Its certificate is not the one that it was given.
    OwnCertificate,
}

impl Speech {
    /// All of them by name.
    pub const ALL: [(&'static str, Self); 3] =
        [("as-told", Self::AsTold), ("http1", Self::Http1), ("own-certificate", Self::OwnCertificate)];
}

/// Longer heads are nobody's.
const MOST_HEAD_BYTES: usize = 8 * 1024;

/// Serves for ever, as `HOST`, `PORT`, `PROTOCOL`, `TLS_CERT` and `TLS_KEY` say.
///
/// # Errors
/// When it cannot listen, or has no certificate that can be used.
pub fn serve(speech: Speech) -> io::Result<()> {
    let variable = |name: &str| std::env::var(name).map_err(|_| io::Error::other(format!("no {name}")));
    let is_http2 = speech != Speech::Http1 && variable("PROTOCOL")?.starts_with("h2");
    let acceptor = acceptor(speech, is_http2)?;
    let address = format!("{}:{}", variable("HOST")?, variable("PORT")?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(address).await?;
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                // What a client breaks off is nobody's fault.
                let _ = match acceptor {
                    None => speak(stream, is_http2).await,
                    Some(acceptor) => match acceptor.accept(stream).await {
                        Ok(stream) => speak(stream, is_http2).await,
                        Err(error) => Err(error),
                    },
                };
            });
        }
    })
}

fn acceptor(speech: Speech, is_http2: bool) -> io::Result<Option<TlsAcceptor>> {
    let alpn = if is_http2 { "h2" } else { "http/1.1" };
    if speech != Speech::OwnCertificate || std::env::var_os("TLS_CERT").is_none() {
        return tls::of_environment(alpn);
    }
    let own = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).map_err(io::Error::other)?;
    let (chain, key) = (own.cert.pem(), own.signing_key.serialize_pem());
    tls::acceptor(chain.as_bytes(), key.as_bytes(), alpn).map(Some)
}

/// The answer to a request: its status and body.
fn answer(method: &str, path: &str) -> (StatusCode, String) {
    match (method, path.strip_prefix("/user/")) {
        ("GET", _) if path == "/" => (StatusCode::OK, String::new()),
        ("POST", _) if path == "/user" => (StatusCode::OK, String::new()),
        ("GET", Some(id)) => (StatusCode::OK, id.to_owned()),
        _ => (StatusCode::NOT_FOUND, String::new()),
    }
}

async fn speak<S: AsyncRead + AsyncWrite + Unpin>(stream: S, is_http2: bool) -> io::Result<()> {
    if is_http2 { http2(stream).await.map_err(io::Error::other) } else { http1(stream).await }
}

async fn http2<S: AsyncRead + AsyncWrite + Unpin>(stream: S) -> Result<(), h2::Error> {
    let mut connection = h2::server::handshake(stream).await?;
    while let Some(accepted) = connection.accept().await {
        let (request, respond) = accepted?;
        respond_to(&request, respond)?;
    }
    Ok(())
}

/// No request of void has a body.
fn respond_to(request: &Request<RecvStream>, mut respond: SendResponse<Bytes>) -> Result<(), h2::Error> {
    let (status, body) = answer(request.method().as_str(), request.uri().path());
    let mut head = Response::new(());
    *head.status_mut() = status;
    let mut stream = respond.send_response(head, body.is_empty())?;
    if body.is_empty() { Ok(()) } else { stream.send_data(Bytes::from(body), true) }
}

async fn http1<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S) -> io::Result<()> {
    let mut held = Vec::new();
    loop {
        let end = held.windows(4).position(|four| four == b"\r\n\r\n");
        let Some(end) = end else {
            if held.len() > MOST_HEAD_BYTES || stream.read_buf(&mut held).await? == 0 {
                return Ok(());
            }
            continue;
        };
        let head = String::from_utf8_lossy(&held[..end]).into_owned();
        held.drain(..end + 4);
        let mut words = head.split(' ');
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        // The preface of HTTP/2 is a request that is no HTTP/1.1.
        let (status, body) =
            if method == "PRI" { (StatusCode::BAD_REQUEST, String::new()) } else { answer(method, path) };
        let answer = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        stream.write_all(answer.as_bytes()).await?;
        stream.flush().await?;
    }
}
