//! Saves files with ureq.

// It is copied beside this to be built, so that a module of its path would have the formatter look for it.
mod serve {
    include!("../kit/serve.rs");
}

use std::fs::File;
use std::io;
use std::path::Path;

use ureq::Agent;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let agent = Agent::new_with_defaults();
    serve::serve(|url, out| get(&agent, url, out))
}

fn get(agent: &Agent, url: &str, out: &Path) -> Result<u64, Box<dyn std::error::Error>> {
    let response = agent.get(url).call()?;
    if response.status() != 200 {
        return Err(format!("status {}", response.status()).into());
    }
    Ok(io::copy(&mut response.into_body().into_reader(), &mut File::create(out)?)?)
}
