use std::env;
use std::error::Error;
use std::io;
use std::iter;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use axum::extract::{Path, Query};
use axum::http::StatusCode;
use axum::routing::{get, post, put};
use axum::{Json, Router};
use axum_extra::extract;
use axum_server::tls_rustls::RustlsConfig;
use rustls::crypto::ring;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha512};
use tokio::net::TcpListener;
use tokio::{fs, time};

const LONGEST_WAIT: u16 = 60_000;

const LARGEST_ECHO: usize = 16 * 1024 * 1024;

static USER_FILE: LazyLock<PathBuf> =
    LazyLock::new(|| PathBuf::from(env::var_os("DATA_DIR").unwrap_or_default()).join("user.json"));

#[derive(Deserialize)]
struct Toss {
    bet: bool,
}

#[derive(Serialize)]
struct Outcome {
    win: bool,
}

#[derive(Deserialize)]
struct Operands {
    name: String,
    x: i32,
    y: i32,
    e: Factor,
    size: Option<usize>,
}

#[derive(Clone, Copy, Deserialize)]
enum Factor {
    #[serde(rename = "2")]
    A = 2,
    #[serde(rename = "3")]
    B = 3,
    #[serde(rename = "4")]
    C = 4,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Echoed {
    name: String,
    sum: i64,
}

#[derive(Deserialize)]
struct FlagsQuery {
    f: i32,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Flagged {
    flags: i32,
}

#[derive(Deserialize)]
struct ArrayQuery {
    #[serde(default)]
    a: Vec<i32>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Summed {
    sum: i64,
}

#[derive(Deserialize)]
struct StatusQuery {
    code: u16,
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
    let app = Router::new()
        .route("/", get(empty))
        .route("/user", post(empty))
        .route("/user/{id}", get(user))
        .route("/coin", post(coin))
        .route("/wait/{ms}", get(wait))
        .route("/users/{id}", put(set_password))
        .route("/Perf/Echo", get(echo))
        .route("/Perf/Flags", get(flags))
        .route("/Perf/Array", get(array))
        .route("/Perf/Void", get(empty))
        .route("/Perf/Status", get(status))
        .route("/Perf/Throw", get(throw));

    let address = format!("{}:{}", env::var("HOST")?, env::var("PORT")?);
    if let (Ok(certificate), Ok(key)) = (env::var("TLS_CERT"), env::var("TLS_KEY")) {
        ring::default_provider().install_default().map_err(|_| "there is a provider already")?;
        let tls = RustlsConfig::from_pem_file(certificate, key).await?;
        axum_server::bind_rustls(address.parse::<SocketAddr>()?, tls).serve(app.into_make_service()).await?;
    } else {
        axum::serve(TcpListener::bind(address).await?, app).await?;
    }
    Ok(())
}

async fn empty() {}

async fn user(Path(id): Path<String>) -> String {
    id
}

async fn coin(Json(toss): Json<Toss>) -> Json<Outcome> {
    Json(Outcome { win: rand::random::<bool>() == toss.bet })
}

async fn wait(Path(ms): Path<u16>) -> Result<String, StatusCode> {
    if ms > LONGEST_WAIT {
        return Err(StatusCode::BAD_REQUEST);
    }
    time::sleep(Duration::from_millis(ms.into())).await;
    Ok(format!("waited {ms}"))
}

async fn echo(Query(operands): Query<Operands>) -> Result<Json<Echoed>, StatusCode> {
    let sum = (i64::from(operands.x) + i64::from(operands.y)) * operands.e as i64;
    let mut echoed = Echoed { name: operands.name, sum };
    if let Some(size) = operands.size {
        if size > LARGEST_ECHO {
            return Err(StatusCode::BAD_REQUEST);
        }
        let body = serde_json::to_vec(&echoed).map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
        echoed.name.extend(iter::repeat_n('x', size.saturating_sub(body.len())));
    }
    Ok(Json(echoed))
}

async fn flags(Query(query): Query<FlagsQuery>) -> Json<Flagged> {
    Json(Flagged { flags: query.f })
}

// axum's own Query takes no key twice, and its documentation points here for lists.
async fn array(extract::Query(query): extract::Query<ArrayQuery>) -> Json<Summed> {
    Json(Summed { sum: query.a.into_iter().map(i64::from).sum() })
}

async fn status(Query(query): Query<StatusQuery>) -> Result<(), StatusCode> {
    Err(StatusCode::from_u16(query.code).unwrap_or(StatusCode::BAD_REQUEST))
}

async fn throw() {
    panic!("velo-secret-detail");
}

async fn set_password(
    Path(id): Path<u64>,
    Json(credentials): Json<Credentials>,
) -> Result<Json<Hashed>, StatusCode> {
    let users = read_users().await.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    if !users.iter().any(|user| user.id == id) {
        return Err(StatusCode::NOT_FOUND);
    }
    Ok(Json(Hashed { hash: hex::encode(Sha512::digest(credentials.password)) }))
}

async fn read_users() -> io::Result<Vec<User>> {
    let file = fs::read(&*USER_FILE).await?;
    Ok(serde_json::from_slice(&file)?)
}
