use std::env;
use std::error::Error;

use actix_web::{App, HttpResponse, HttpServer, Responder, get, post, web};
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
struct Toss {
    bet: bool,
}

#[derive(Serialize)]
struct Outcome {
    win: bool,
}

#[actix_web::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = format!("{}:{}", env::var("HOST")?, env::var("PORT")?);
    let cores = env::var("CORES")?.parse()?;
    HttpServer::new(|| App::new().service(index).service(user).service(create_user).service(coin))
        .workers(cores)
        // The lab allows 5 seconds from SIGTERM to the end; by default a half-sent request gets 30.
        .shutdown_timeout(2)
        .bind(address)?
        .run()
        .await?;
    Ok(())
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
