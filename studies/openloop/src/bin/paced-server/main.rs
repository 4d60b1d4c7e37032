//! A server whose answers take a known time: one thread, tiny answers of status 200 to any request.
//!
//! `paced-server [--port N] [--delay 5ms --share 0.02] [--freeze 200ms --every 2.5s] [--seed N]
//! [--protocol http1|h2c]`
//!
//! A share of the answers, chosen by the seed, is sent later and holds up no other connection. In a freeze everything
//! stands still; the first one begins half of `--every` after the first request. It prints its port, ends on SIGTERM or
//! when standard input closes (a file or /dev/null is not watched), and prints a [`Report`] on SIGUSR1 and when it ends.

mod connection;
mod frames;
mod options;
mod report;
mod server;
mod signals;

use std::io::Write as _;
use std::num::NonZeroU64;
use std::os::fd::AsFd as _;

use options::Options;
use report::Report;
use server::Server;

fn main() -> std::io::Result<()> {
    let options = Options::read(std::env::args().skip(1)).unwrap_or_else(|problem| {
        eprintln!("paced-server: {problem}");
        std::process::exit(2);
    });
    // Timers of this process are not put off to share a wake-up with others.
    rustix::thread::set_current_timer_slack(NonZeroU64::new(1))?;
    let signals = signals::taken()?;
    let input = std::io::stdin().as_fd().try_clone_to_owned()?;
    let mut server = Server::new(&options, signals, input)?;
    let mut out = std::io::stdout();
    writeln!(out, "{}", server.port()?)?;
    out.flush()?;
    server.run()?;
    print(&server.report());
    Ok(())
}

/// Whoever does not read it does not want it.
fn print(report: &Report) {
    let mut out = std::io::stdout();
    let _ = writeln!(out, "{}", report.to_json());
    let _ = out.flush();
}
