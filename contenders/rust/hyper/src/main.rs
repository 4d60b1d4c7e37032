use std::collections::HashMap;
use std::convert::Infallible;
use std::env;
use std::error::Error;
use std::io;
use std::iter;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha512};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::{fs, time};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// What axum takes by default.
const BODY_LIMIT: usize = 2 * 1024 * 1024;

const LONGEST_WAIT: u16 = 60_000;

const LARGEST_ECHO: usize = 16 * 1024 * 1024;

static USER_FILE: LazyLock<PathBuf> =
    LazyLock::new(|| PathBuf::from(env::var_os("DATA_DIR").unwrap_or_default()).join("user.json"));

type Answer = Response<Full<Bytes>>;

#[derive(Deserialize)]
struct Toss {
    bet: bool,
}

#[derive(Serialize)]
struct Outcome {
    win: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Echoed {
    name: String,
    sum: i64,
}

#[derive(Deserialize)]
struct Credentials {
    password: String,
}

#[derive(Serialize)]
struct Hashed {
    hash: String,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only the id is asked for")]
struct User {
    id: u64,
    name: String,
    email: String,
    age: u32,
    active: bool,
    city: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = format!("{}:{}", env::var("HOST")?, env::var("PORT")?);
    let is_http2 = env::var("PROTOCOL").is_ok_and(|protocol| protocol == "h2c" || protocol == "h2");
    let acceptor = acceptor(is_http2)?;
    let listener = TcpListener::bind(address).await?;
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let acceptor = acceptor.clone();
        tokio::spawn(async move {
            match acceptor {
                None => serve(stream, is_http2).await,
                Some(acceptor) => {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        serve(stream, is_http2).await;
                    }
                }
            }
        });
    }
}

async fn serve(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, is_http2: bool) {
    let (io, service) = (TokioIo::new(stream), service_fn(handle));
    // It fails when the client breaks the connection off: nothing is left to be done for it.
    let _ = match is_http2 {
        true => http2::Builder::new(TokioExecutor::new()).serve_connection(io, service).await,
        false => http1::Builder::new().serve_connection(io, service).await,
    };
}

/// Where there is a certificate.
fn acceptor(is_http2: bool) -> Result<Option<TlsAcceptor>, Box<dyn Error>> {
    let Some(certificate) = env::var_os("TLS_CERT") else { return Ok(None) };
    let chain = CertificateDer::pem_file_iter(certificate)?.collect::<Result<_, _>>()?;
    let key = PrivateKeyDer::from_pem_file(env::var("TLS_KEY")?)?;
    let mut config = ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key)?;
    config.alpn_protocols = vec![if is_http2 { b"h2".to_vec() } else { b"http/1.1".to_vec() }];
    Ok(Some(TlsAcceptor::from(Arc::new(config))))
}

async fn handle(request: Request<Incoming>) -> Result<Answer, Infallible> {
    Ok(match (request.method(), request.uri().path()) {
        (&Method::GET, "/") | (&Method::POST, "/user") => Answer::default(),
        (&Method::POST, "/coin") => coin(request.into_body()).await,
        (&Method::GET, "/Perf/Echo") => match echo(request.uri().query().unwrap_or_default()) {
            Some(echoed) => json(&echoed),
            None => status(StatusCode::BAD_REQUEST),
        },
        (&Method::GET, path) => match (segment(path, "/user/"), segment(path, "/wait/")) {
            (Some(id), _) => text(id.to_owned()),
            (_, Some(ms)) => match ms.parse() {
                Ok(ms @ ..=LONGEST_WAIT) => wait(ms).await,
                _ => status(StatusCode::BAD_REQUEST),
            },
            _ => status(StatusCode::NOT_FOUND),
        },
        (&Method::PUT, path) => match segment(path, "/users/").map(str::parse) {
            Some(Ok(id)) => set_password(id, request.into_body()).await,
            Some(Err(_)) => status(StatusCode::BAD_REQUEST),
            None => status(StatusCode::NOT_FOUND),
        },
        _ => status(StatusCode::NOT_FOUND),
    })
}

/// The one segment that follows the prefix.
fn segment<'a>(path: &'a str, prefix: &str) -> Option<&'a str> {
    path.strip_prefix(prefix).filter(|segment| !segment.is_empty() && !segment.contains('/'))
}

async fn coin(body: Incoming) -> Answer {
    match read_json::<Toss>(body).await {
        Some(toss) => json(&Outcome { win: rand::random::<bool>() == toss.bet }),
        None => status(StatusCode::BAD_REQUEST),
    }
}

/// `None` where a parameter is missing or is none that it may be.
fn echo(query: &str) -> Option<Echoed> {
    let parameters: HashMap<_, _> = form_urlencoded::parse(query.as_bytes()).collect();
    let number = |name| parameters.get(name)?.parse::<i32>().ok().map(i64::from);
    let e = number("e").filter(|e| (2..=4).contains(e))?;
    let sum = (number("x")? + number("y")?) * e;
    let mut echoed = Echoed { name: parameters.get("name")?.clone().into_owned(), sum };
    if let Some(size) = parameters.get("size") {
        let size: usize = size.parse().ok().filter(|size| *size <= LARGEST_ECHO)?;
        let padding = size.saturating_sub(serde_json::to_vec(&echoed).ok()?.len());
        echoed.name.extend(iter::repeat_n('x', padding));
    }
    Some(echoed)
}

async fn wait(ms: u16) -> Answer {
    time::sleep(Duration::from_millis(ms.into())).await;
    text(format!("waited {ms}"))
}

async fn set_password(id: u64, body: Incoming) -> Answer {
    let Some(credentials) = read_json::<Credentials>(body).await else {
        return status(StatusCode::BAD_REQUEST);
    };
    let Ok(users) = read_users().await else {
        return status(StatusCode::INTERNAL_SERVER_ERROR);
    };
    if !users.iter().any(|user| user.id == id) {
        return status(StatusCode::NOT_FOUND);
    }
    json(&Hashed { hash: hex::encode(Sha512::digest(credentials.password)) })
}

async fn read_users() -> io::Result<Vec<User>> {
    let file = fs::read(&*USER_FILE).await?;
    Ok(serde_json::from_slice(&file)?)
}

async fn read_json<T: DeserializeOwned>(body: Incoming) -> Option<T> {
    let body = Limited::new(body, BODY_LIMIT).collect().await.ok()?;
    serde_json::from_slice(&body.to_bytes()).ok()
}

fn text(text: String) -> Answer {
    content(text, "text/plain; charset=utf-8")
}

fn json(value: &impl Serialize) -> Answer {
    match serde_json::to_vec(value) {
        Ok(json) => content(json, "application/json"),
        Err(_) => status(StatusCode::INTERNAL_SERVER_ERROR),
    }
}

fn content(body: impl Into<Bytes>, content_type: &'static str) -> Answer {
    let mut answer = Response::new(Full::new(body.into()));
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    answer
}

fn status(status: StatusCode) -> Answer {
    let mut answer = Answer::default();
    *answer.status_mut() = status;
    answer
}
