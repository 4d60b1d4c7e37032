//! `velo`'s load engine against wrk, as `make bench` runs it: interleaved pairs on one server, CPU time of the whole
//! generator process per request, the ratio pair by pair.
//!
//! `velo-bench REFERENCE GO WORKLOADS PAIRS SECONDS`: the two servers' programs, the folder of the workloads.

use std::error::Error;
use std::io::Read;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_setaffinity};
use velo_load::{Generator, Limits, Target, WindowSettings};

const CONNECTIONS: u32 = 64;
const SERVER_CPU: usize = 0;
const LOAD_CPU: usize = 1;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// One generator's run.
struct Run {
    requests: f64,
    cpu_us: f64,
    seconds: f64,
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["--load", address, workloads, seconds] => {
            load(address.parse()?, Path::new(workloads), seconds.parse()?)
        }
        [reference, go, workloads, pairs, seconds] => {
            let (pairs, seconds) = (pairs.parse()?, seconds.parse()?);
            println!(
                "POST coin, {CONNECTIONS} connections, server on CPU {SERVER_CPU}, generator on CPU {LOAD_CPU}"
            );
            println!(
                "velo checks every answer, wrk none; {pairs} pairs of {seconds} s in turn, order alternating\n"
            );
            let title = "median of the paired ratios velo / wrk (least to greatest)";
            println!("| server | figure | {title} | velo | wrk |\n|---|---|---|---|---|");
            compare("rust/reference", reference, workloads, pairs, seconds)?;
            compare("go/net-http", go, workloads, pairs, seconds)
        }
        _ => Err("usage: velo-bench REFERENCE GO WORKLOADS PAIRS SECONDS".into()),
    }
}

fn compare(name: &str, program: &str, workloads: &str, pairs: usize, seconds: u32) -> Outcome<()> {
    let address = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?;
    let mut server = Server::start(program, address)?;
    let own = std::env::current_exe()?;
    let script = std::env::temp_dir().join(format!("velo-bench-{}.lua", std::process::id()));
    let lua = "wrk.method = \"POST\"\nwrk.body = '{\"bet\": true}'\nwrk.headers[\"Content-Type\"] = \"application/json\"\n";
    std::fs::write(&script, lua)?;
    let velo = || {
        let mut command = Command::new(&own);
        command.args(["--load", &address.to_string(), workloads, &seconds.to_string()]);
        measured(command, seconds)
    };
    let wrk = || {
        let mut command = Command::new("wrk");
        command.args(["-t1", &format!("-c{CONNECTIONS}"), &format!("-d{seconds}s"), "-s"]);
        command.arg(&script).arg(format!("http://{address}/coin"));
        measured(command, seconds)
    };
    let (mut cpu, mut rate, mut ours, mut theirs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for pair in 0..=pairs {
        let (a, b) = if pair % 2 == 0 {
            let a = velo()?;
            (a, wrk()?)
        } else {
            let b = wrk()?;
            (velo()?, b)
        };
        // The first pair warms the server up.
        if pair > 0 {
            cpu.push((a.cpu_us / a.requests) / (b.cpu_us / b.requests));
            rate.push((a.requests / a.seconds) / (b.requests / b.seconds));
            ours.push((a.cpu_us / a.requests, a.requests / a.seconds));
            theirs.push((b.cpu_us / b.requests, b.requests / b.seconds));
        }
    }
    server.end();
    std::fs::remove_file(&script)?;
    let median_of =
        |runs: &[(f64, f64)], figure: fn(&(f64, f64)) -> f64| spread(runs.iter().map(figure).collect()).1;
    for (label, ratios, unit, figure) in [
        ("generator CPU per request", cpu, "us", (|run| run.0) as fn(&(f64, f64)) -> f64),
        ("requests per second", rate, "/s", |run| run.1),
    ] {
        let (least, median, greatest) = spread(ratios);
        let (a, b) = (median_of(&ours, figure), median_of(&theirs, figure));
        let digits = usize::from(unit == "us") * 2;
        println!(
            "| {name} | {label} | {median:.3} ({least:.3} to {greatest:.3}) | {a:.digits$} {unit} | {b:.digits$} {unit} |"
        );
    }
    Ok(())
}

/// Least, median and greatest.
fn spread(mut values: Vec<f64>) -> (f64, f64, f64) {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let median =
        if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 };
    (values[0], median, values[values.len() - 1])
}

struct Server(Child);

impl Server {
    fn start(program: &str, address: SocketAddr) -> Outcome<Self> {
        let mut command = Command::new(program);
        command
            .env("HOST", address.ip().to_string())
            .env("PORT", address.port().to_string())
            .env("CORES", "1");
        let server = Self(on_cpu(&mut command, SERVER_CPU).stdin(Stdio::null()).spawn()?);
        let deadline = Instant::now() + Duration::from_secs(10);
        while TcpStream::connect(address).is_err() {
            if Instant::now() > deadline {
                return Err(format!("{program} does not listen").into());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(server)
    }

    fn end(&mut self) {
        // It may have ended by itself; then there is nothing to end.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

fn on_cpu(command: &mut Command, cpu: usize) -> &mut Command {
    let mut cpus = CpuSet::new();
    cpus.set(cpu);
    // SAFETY: one system call on a value made before; nothing is allocated between fork and exec.
    unsafe { command.pre_exec(move || Ok(sched_setaffinity(None, &cpus)?)) }
}

/// Runs a generator to its end and reads what its whole process used, threads that have ended included.
fn measured(mut command: Command, seconds: u32) -> Outcome<Run> {
    let mut child = on_cpu(&mut command, LOAD_CPU).stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let mut output = String::new();
    child.stdout.take().ok_or("no output")?.read_to_string(&mut output)?;
    let mut status = 0;
    // SAFETY: rusage is plain numbers, for which all zeroes are valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the child has not been waited for, and both places are valid for writing.
    let waited = unsafe { libc::wait4(child.id() as libc::pid_t, &raw mut status, 0, &raw mut usage) };
    if waited < 0 || status != 0 {
        return Err(format!("the generator failed ({status}):\n{output}").into());
    }
    let us = |time: libc::timeval| time.tv_sec as f64 * 1e6 + time.tv_usec as f64;
    // wrk: `341234 requests in 2.00s, 50.1MB read`.
    let line = output.lines().find(|line| line.contains(" requests in ")).ok_or("no count of requests")?;
    let requests: f64 = line.trim().split(' ').next().ok_or("no count")?.parse()?;
    let took = line.split(" requests in ").nth(1).and_then(|rest| rest.split('s').next());
    let seconds = took.and_then(|took| took.parse().ok()).unwrap_or(f64::from(seconds));
    if output.contains("Non-2xx") || output.contains("Socket errors") {
        return Err(format!("the generator saw failures:\n{output}").into());
    }
    Ok(Run { requests, cpu_us: us(usage.ru_utime) + us(usage.ru_stime), seconds })
}

/// One closed-loop window; prints its count as wrk does.
fn load(address: SocketAddr, workloads: &Path, seconds: u64) -> Outcome<()> {
    let workload = velo_spec::read::workload(&workloads.join("coin"))?;
    let plan = velo_lab::translate(&workload, &address.to_string())?;
    let mut generator = Generator::new(&[LOAD_CPU as u32], velo_load::DriverChoice::Auto)?;
    let target = generator.add(&Target {
        endpoints: vec![address.into()],
        tls: None,
        sources: Vec::new(),
        plans: vec![plan],
        limits: Limits::default(),
        seed: 1,
    })?;
    let settings = WindowSettings::closed_loop(CONNECTIONS, seconds * 1_000_000_000, 2_000_000_000);
    let report = generator.window(target, &settings, None, &Arc::default())?;
    let outcomes = report.tally.outcomes;
    let failed = outcomes.wrong_answer + outcomes.http_error + outcomes.timeout + outcomes.closed_by_server;
    println!("{} requests in {seconds}.00s", outcomes.correct + report.tally.correct_outside);
    if failed + outcomes.truncated + outcomes.connect_error > 0 {
        println!("Socket errors: {outcomes:?} {:?}", report.tally.wrong_examples);
    }
    Ok(())
}
