use std::convert::Infallible;
use std::env;
use std::error::Error;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;

/// What axum takes by default.
const BODY_LIMIT: usize = 2 * 1024 * 1024;

type Answer = Response<Full<Bytes>>;

#[derive(Deserialize)]
struct Toss {
    bet: bool,
}

#[derive(Serialize)]
struct Outcome {
    win: bool,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = format!("{}:{}", env::var("HOST")?, env::var("PORT")?);
    let listener = TcpListener::bind(address).await?;
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        tokio::spawn(async move {
            // It fails when the client breaks the connection off: nothing is left to be done for it.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(handle)).await;
        });
    }
}

async fn handle(request: Request<Incoming>) -> Result<Answer, Infallible> {
    Ok(match (request.method(), request.uri().path()) {
        (&Method::GET, "/") | (&Method::POST, "/user") => Answer::default(),
        (&Method::POST, "/coin") => coin(request.into_body()).await,
        (&Method::GET, path) => match path.strip_prefix("/user/") {
            Some(id) if !id.is_empty() && !id.contains('/') => user(id),
            _ => status(StatusCode::NOT_FOUND),
        },
        _ => status(StatusCode::NOT_FOUND),
    })
}

fn user(id: &str) -> Answer {
    let mut answer = Response::new(Full::from(id.to_owned()));
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    answer
}

async fn coin(body: Incoming) -> Answer {
    let Ok(body) = Limited::new(body, BODY_LIMIT).collect().await else {
        return status(StatusCode::BAD_REQUEST);
    };
    let Ok(toss) = serde_json::from_slice::<Toss>(&body.to_bytes()) else {
        return status(StatusCode::BAD_REQUEST);
    };
    let Ok(json) = serde_json::to_vec(&Outcome { win: rand::random::<bool>() == toss.bet }) else {
        return status(StatusCode::INTERNAL_SERVER_ERROR);
    };
    let mut answer = Response::new(Full::from(json));
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

fn status(status: StatusCode) -> Answer {
    let mut answer = Answer::default();
    *answer.status_mut() = status;
    answer
}
