//! Whether the order of clients is the server's: `cargo run --release -p study-files`.

mod client;
mod nginx;

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, ensure};
use clap::Parser as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use velo_files::{Content, FileServer, Offer, Serving, sha256_of};
use velo_model::Manner;
use velo_stats::estimate::{Estimate, ratio_over_launches};
use velo_stats::{CONFIDENCE, median, number};

use client::Client;
use nginx::Nginx;

/// Have clients fetch from velo's server of files and from nginx, and tell whether their order is the server's
///
/// In each round each client has a process that fetches from the one server and one that fetches from the other, in random order; its
/// time is the median of the second half of its files. Prints a Markdown table. Exit code 1: two clients are told apart in one order by the
/// one server and in the other order by the other. Needs nginx, what the clients are built with, two CPUs and a quiet machine.
#[derive(Debug, clap::Parser)]
#[command(name = "study-files")]
struct Args {
    /// Clients with `serve`, separated by commas
    #[arg(long, value_delimiter = ',', default_values_t = DEFAULT.map(str::to_owned))]
    clients: Vec<String>,
    /// The folder of contenders
    #[arg(long, default_value = "contenders")]
    contenders: PathBuf,
    /// Rounds
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(5..=100))]
    rounds: u32,
    /// The length of a file
    #[arg(long, value_name = "BYTES", default_value_t = 7_000_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    bytes: u64,
    /// Files for each process
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(5..=1_000))]
    files: u32,
    /// Orders the processes of a round
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

const DEFAULT: [&str; 8] = [
    "c/libcurl",
    "csharp/http-client",
    "go/http-client",
    "java/commons-httpclient",
    "java/httpasyncclient",
    "java/httpclient-4",
    "python/requests",
    "rust/reqwest",
];
const CLIENT_CPU: u32 = 0;
const SERVER_CPU: u32 = 1;
/// The order is another one.
const OTHER_ORDER: u8 = 1;
/// It could not be measured.
const FAILED: u8 = 2;

/// What a client took, round by round, in nanoseconds: from velo's server and from nginx.
struct Times {
    client: Client,
    of: [Vec<f64>; 2],
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(OTHER_ORDER),
        Err(error) => {
            eprintln!("study-files: {error:#}");
            ExitCode::from(FAILED)
        }
    }
}

fn run(args: &Args) -> anyhow::Result<bool> {
    let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir())?;
    let content = Content::draw(&dir.path().join("file"), args.bytes, args.seed)?;
    let offered = content.path().to_owned();
    let offer = move |_: &str| {
        Some(Offer { file: offered.clone(), manner: Manner::Whole, plain: "/file".to_owned() })
    };
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let own = FileServer::start(any, &[SERVER_CPU], Serving::Measured, Box::new(offer))?;
    let nginx = Nginx::start(dir.path(), SERVER_CPU)?;
    let urls = [own.address(), nginx.address()].map(|address| format!("http://{address}/file"));

    let built = args.clients.iter().map(|name| {
        eprintln!("builds {name}");
        Ok(Times { client: Client::build(&args.contenders, name)?, of: [Vec::new(), Vec::new()] })
    });
    let mut times: Vec<Times> = built.collect::<anyhow::Result<_>>()?;
    let mut random = ChaCha8Rng::seed_from_u64(args.seed);
    for round in 1..=args.rounds {
        eprintln!("round {round} of {}", args.rounds);
        let mut left: Vec<(usize, usize)> =
            (0..times.len()).flat_map(|client| [(client, 0), (client, 1)]).collect();
        while !left.is_empty() {
            let (client, server) = left.swap_remove(random.random_range(0..left.len()));
            let own = &mut times[client];
            let took = process(&own.client, &urls[server], &content, dir.path(), args.files);
            own.of[server].push(took.with_context(|| own.client.name.clone())?);
        }
    }
    Ok(told(&times))
}

/// The time of a process: the median of the second half of its files.
fn process(client: &Client, url: &str, content: &Content, dir: &Path, files: u32) -> anyhow::Result<f64> {
    let out = dir.join("fetched");
    let mut process = client.start(CLIENT_CPU)?;
    let mut times = Vec::new();
    for _ in 0..files {
        times.push(process.fetch(url, &out, content.bytes())?);
        ensure!(sha256_of(File::open(&out)?)?.0 == content.sha256(), "the bytes are not the file's");
        std::fs::remove_file(&out)?;
    }
    median(&times[times.len() / 2..]).context("no files")
}

/// Prints the table, and whether no two clients are told apart in different orders.
fn told(times: &[Times]) -> bool {
    println!("| client | from velo's server | from nginx | nginx over velo's |");
    println!("| --- | ---: | ---: | ---: |");
    let mut sorted: Vec<&Times> = times.iter().collect();
    let middle = |times: &[f64]| median(times).unwrap_or(f64::NAN);
    sorted.sort_by(|a, b| middle(&a.of[0]).total_cmp(&middle(&b.of[0])));
    for one in &sorted {
        let [own, nginx] = [0, 1].map(|server: usize| number::time_ns(middle(&one.of[server])));
        let over = ratio(&one.of[1], &one.of[0]).map_or_else(|| "-".to_owned(), |ratio| shown(&ratio));
        println!("| `{}` | {own} | {nginx} | {over} |", one.client.name);
    }
    let mut apart = 0;
    let mut reversed = Vec::new();
    for (at, a) in sorted.iter().enumerate() {
        for b in &sorted[at + 1..] {
            let [own, nginx] = [0, 1].map(|server: usize| order(&b.of[server], &a.of[server]));
            if own == 0 || nginx == 0 {
                continue;
            }
            apart += 1;
            if own != nginx {
                reversed.push(format!("{} and {}", a.client.name, b.client.name));
            }
        }
    }
    let which = if reversed.is_empty() { String::new() } else { format!(": {}", reversed.join(", ")) };
    println!(
        "\n{apart} pairs told apart by both servers, {} of them in another order{which}.",
        reversed.len()
    );
    reversed.is_empty()
}

/// 1 where `a` takes longer than `b`, -1 where it takes less long, 0 where they are not told apart.
fn order(a: &[f64], b: &[f64]) -> i8 {
    let interval = ratio(a, b).and_then(|ratio| Some((ratio.low()?, ratio.high()?)));
    match interval {
        Some((low, _)) if low > 1.0 => 1,
        Some((_, high)) if high < 1.0 => -1,
        _ => 0,
    }
}

/// Of times of the same rounds.
fn ratio(over: &[f64], under: &[f64]) -> Option<Estimate> {
    let logs: Vec<f64> = over.iter().zip(under).map(|(over, under)| (over / under).ln()).collect();
    ratio_over_launches(&logs, CONFIDENCE)
}

fn shown(ratio: &Estimate) -> String {
    let range = ratio.low().zip(ratio.high()).map(|(low, high)| number::ratio_range(low, high));
    format!("{} ({})", number::ratio(ratio.value), range.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_told_apart_by_rounds_and_not_by_means() {
        let slow = [10.0, 20.0, 40.0, 80.0, 160.0, 320.0];
        let fast = slow.map(|time| time * 0.9);
        assert_eq!((order(&slow, &fast), order(&fast, &slow), order(&slow, &slow)), (1, -1, 0));
        let unlike = [30.0, 10.0, 50.0, 70.0, 170.0, 310.0];
        assert_eq!(order(&unlike, &slow), 0);
    }
}
