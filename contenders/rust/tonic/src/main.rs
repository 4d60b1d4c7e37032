use std::error::Error;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::{env, fs};

use serde::Deserialize;
use sha2::{Digest, Sha512};
use tonic::transport::{Identity, Server, ServerTlsConfig};
use tonic::{Request, Response, Status};

use auth::auth_server::{Auth, AuthServer};
use auth::{RequestBody, ResponseBody};
use coin::coin_server::{Coin, CoinServer};
use coin::{Bet, Outcome};
use user::user_server::{User, UserServer};
use user::{Empty, UserId};

mod auth {
    tonic::include_proto!("auth");
}

mod coin {
    tonic::include_proto!("coin");
}

mod user {
    tonic::include_proto!("user");
}

static USER_FILE: LazyLock<PathBuf> =
    LazyLock::new(|| PathBuf::from(env::var_os("DATA_DIR").unwrap_or_default()).join("user.json"));

#[derive(Deserialize)]
#[expect(dead_code, reason = "only the id is asked for")]
struct Account {
    id: i64,
    name: String,
    email: String,
    age: u32,
    active: bool,
    city: String,
}

struct Velodrome;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = format!("{}:{}", env::var("HOST")?, env::var("PORT")?).parse()?;
    let mut server = Server::builder();
    if let (Ok(certificate), Ok(key)) = (env::var("TLS_CERT"), env::var("TLS_KEY")) {
        let identity = Identity::from_pem(fs::read(certificate)?, fs::read(key)?);
        server = server.tls_config(ServerTlsConfig::new().identity(identity))?;
    }
    server
        .add_service(UserServer::new(Velodrome))
        .add_service(CoinServer::new(Velodrome))
        .add_service(AuthServer::new(Velodrome))
        .serve(address)
        .await?;
    Ok(())
}

#[tonic::async_trait]
impl User for Velodrome {
    async fn index(&self, _: Request<Empty>) -> Result<Response<Empty>, Status> {
        Ok(Response::new(Empty {}))
    }

    async fn get(&self, request: Request<UserId>) -> Result<Response<UserId>, Status> {
        Ok(Response::new(request.into_inner()))
    }

    async fn create(&self, _: Request<Empty>) -> Result<Response<Empty>, Status> {
        Ok(Response::new(Empty {}))
    }
}

#[tonic::async_trait]
impl Coin for Velodrome {
    async fn toss(&self, request: Request<Bet>) -> Result<Response<Outcome>, Status> {
        let bet = request.into_inner().bet.ok_or_else(|| Status::invalid_argument("bet is missing"))?;
        Ok(Response::new(Outcome { win: rand::random::<bool>() == bet }))
    }
}

#[tonic::async_trait]
impl Auth for Velodrome {
    async fn test(&self, request: Request<RequestBody>) -> Result<Response<ResponseBody>, Status> {
        let RequestBody { id, password } = request.into_inner();
        let file = tokio::fs::read(&*USER_FILE).await.map_err(internal)?;
        let accounts: Vec<Account> = serde_json::from_slice(&file).map_err(internal)?;
        if !accounts.iter().any(|known| known.id == id) {
            return Err(Status::not_found("no such user"));
        }
        Ok(Response::new(ResponseBody { hash: hex::encode(Sha512::digest(&password)) }))
    }
}

// tonic's own conversion makes NOT_FOUND of a file that is missing, which is what a missing user gets.
fn internal(error: impl Error) -> Status {
    Status::internal(error.to_string())
}
