//! Saves files with reqwest's blocking client.

#[path = "../kit/serve.rs"]
mod serve;

use std::fs::File;
use std::path::Path;

use reqwest::StatusCode;
use reqwest::blocking::Client;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::new();
    serve::serve(|url, out| get(&client, url, out))
}

fn get(client: &Client, url: &str, out: &Path) -> Result<u64, Box<dyn std::error::Error>> {
    let mut response = client.get(url).send()?;
    if response.status() != StatusCode::OK {
        return Err(format!("status {}", response.status()).into());
    }
    Ok(response.copy_to(&mut File::create(out)?)?)
}
