use std::env;
use std::error::Error;

use axum::extract::Path;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;

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
    let app = Router::new()
        .route("/", get(empty))
        .route("/user", post(empty))
        .route("/user/{id}", get(user))
        .route("/coin", post(coin));

    let address = format!("{}:{}", env::var("HOST")?, env::var("PORT")?);
    axum::serve(TcpListener::bind(address).await?, app).await?;
    Ok(())
}

async fn empty() {}

async fn user(Path(id): Path<String>) -> String {
    id
}

async fn coin(Json(toss): Json<Toss>) -> Json<Outcome> {
    Json(Outcome { win: rand::random::<bool>() == toss.bet })
}
