use std::error::Error;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use std::{env, fs, io, iter};

use actix_web::error::{ErrorBadRequest, ErrorInternalServerError, ErrorNotFound, InternalError};
use actix_web::http::StatusCode;
use actix_web::rt::time;
use actix_web::{App, HttpResponse, HttpServer, Responder, get, post, put, web};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha512};

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

#[actix_web::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = format!("{}:{}", env::var("HOST")?, env::var("PORT")?);
    let cores = env::var("CORES")?.parse()?;
    let app = || {
        App::new()
            .service(index)
            .service(user)
            .service(create_user)
            .service(coin)
            .service(wait)
            .service(set_password)
            .service(echo)
            .service(flags)
            .service(array)
            .service(nothing)
            .service(status)
            .service(throw)
    };
    // The lab allows 5 seconds from SIGTERM to the end; by default a half-sent request gets 30.
    let server = HttpServer::new(app).workers(cores).shutdown_timeout(2);
    let server = match (env::var("TLS_CERT"), env::var("TLS_KEY")) {
        (Ok(certificate), Ok(key)) => server.bind_rustls_0_23(address, tls(&certificate, &key)?)?,
        _ if env::var("PROTOCOL").is_ok_and(|protocol| protocol == "h2c") => server.bind_auto_h2c(address)?,
        _ => server.bind(address)?,
    };
    server.run().await?;
    Ok(())
}

fn tls(certificate: &str, key: &str) -> Result<ServerConfig, Box<dyn Error>> {
    let chain = CertificateDer::pem_file_iter(certificate)?.collect::<Result<_, _>>()?;
    let key = PrivateKeyDer::from_pem_file(key)?;
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions()?.with_no_client_auth();
    Ok(builder.with_single_cert(chain, key)?)
}

#[get("/")]
async fn index() -> impl Responder {
    HttpResponse::Ok()
}

#[get("/user/{id}")]
async fn user(id: web::Path<String>) -> String {
    id.into_inner()
}

#[post("/user")]
async fn create_user() -> impl Responder {
    HttpResponse::Ok()
}

#[post("/coin")]
async fn coin(toss: web::Json<Toss>) -> impl Responder {
    web::Json(Outcome { win: rand::random::<bool>() == toss.bet })
}

#[get("/wait/{ms}")]
async fn wait(ms: web::Path<u16>) -> actix_web::Result<String> {
    let ms = ms.into_inner();
    if ms > LONGEST_WAIT {
        return Err(ErrorBadRequest("not a number of milliseconds up to 60000"));
    }
    time::sleep(Duration::from_millis(ms.into())).await;
    Ok(format!("waited {ms}"))
}

#[get("/Perf/Echo")]
async fn echo(operands: web::Query<Operands>) -> actix_web::Result<impl Responder> {
    let operands = operands.into_inner();
    let sum = (i64::from(operands.x) + i64::from(operands.y)) * operands.e as i64;
    let mut echoed = Echoed { name: operands.name, sum };
    if let Some(size) = operands.size {
        if size > LARGEST_ECHO {
            return Err(ErrorBadRequest("not a number of bytes up to 16 MiB"));
        }
        let body = serde_json::to_vec(&echoed)?;
        echoed.name.extend(iter::repeat_n('x', size.saturating_sub(body.len())));
    }
    Ok(web::Json(echoed))
}

#[get("/Perf/Flags")]
async fn flags(query: web::Query<FlagsQuery>) -> impl Responder {
    web::Json(Flagged { flags: query.f })
}

// A struct takes no key twice: pairs are how a list can be had.
#[get("/Perf/Array")]
async fn array(query: web::Query<Vec<(String, i32)>>) -> impl Responder {
    let numbers = query.iter().filter(|(key, _)| key == "a").map(|(_, number)| i64::from(*number));
    web::Json(Summed { sum: numbers.sum() })
}

#[get("/Perf/Void")]
async fn nothing() -> impl Responder {
    HttpResponse::Ok()
}

#[get("/Perf/Status")]
async fn status(query: web::Query<StatusQuery>) -> actix_web::Result<HttpResponse> {
    let code = StatusCode::from_u16(query.code).map_err(ErrorBadRequest)?;
    Err(InternalError::new("the status that was asked for", code).into())
}

#[get("/Perf/Throw")]
async fn throw() -> actix_web::Result<HttpResponse> {
    Err(io::Error::other("velo-secret-detail").into())
}

#[put("/users/{id}")]
async fn set_password(
    id: web::Path<u64>,
    credentials: web::Json<Credentials>,
) -> actix_web::Result<impl Responder> {
    let file = web::block(|| fs::read(&*USER_FILE)).await?.map_err(ErrorInternalServerError)?;
    let users: Vec<User> = serde_json::from_slice(&file)?;
    if !users.iter().any(|known| known.id == *id) {
        return Err(ErrorNotFound("no such user"));
    }
    Ok(web::Json(Hashed { hash: hex::encode(Sha512::digest(&credentials.password)) }))
}
