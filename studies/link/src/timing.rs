//! How long connecting, calling and transferring take.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use velo_link::{LinkHandle, Way, round_trips as trips_of};

use crate::{open, verdict};

const LONG: Duration = Duration::from_secs(30);
/// Of a megabyte that is transferred.
const BYTES: usize = 1 << 20;

/// TCP connects, and calls of a byte each way on a connection that is open. Bound: the median of each is within the larger of
/// 1 ms and 1 % of the round-trip time.
pub(crate) fn round_trips(each: u32, seed: u64) -> anyhow::Result<bool> {
    println!(
        "| link | connect, median (least to most) | call, median (least to most) | round trips counted | within the larger of 1 ms and 1 % |"
    );
    println!("|---|---|---|---|---|");
    let mut all_hold = true;
    for (text, rtt_ms) in [("rtt=0", 0.0), ("rtt=1ms", 1.0), ("rtt=20ms", 20.0), ("rtt=100ms", 100.0)] {
        let link = open(text, seed)?;
        let (connects, calls, trips) = connects_and_calls(&link, each)?;
        let bound_ms = (rtt_ms * 0.01f64).max(1.0);
        let holds = [&connects, &calls].iter().all(|times| (median(times) - rtt_ms).abs() <= bound_ms)
            && (rtt_ms == 0.0 || trips.iter().all(|trips| *trips == 2));
        all_hold &= holds;
        let (least, most) = (trips.iter().min().unwrap_or(&0), trips.iter().max().unwrap_or(&0));
        println!(
            "| {text} | {} | {} | {least} to {most} of 2 | {} |",
            shown(&connects),
            shown(&calls),
            verdict(holds)
        );
    }
    Ok(all_hold)
}

/// The times of connects and of calls in milliseconds, and the round trips of both together.
fn connects_and_calls(link: &LinkHandle, each: u32) -> anyhow::Result<(Vec<f64>, Vec<f64>, Vec<u32>)> {
    let listener = link.far().within(|| TcpListener::bind("127.0.0.1:0"))??;
    let port = listener.local_addr()?.port();
    let server = thread::spawn(move || {
        for stream in listener.incoming().take(each as usize).flatten() {
            answer(stream);
        }
    });
    // The threads that enter the namespace are not timed: one stays in it for all.
    let measured = link.near().within(|| -> anyhow::Result<_> {
        let (mut connects, mut calls, mut trips) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..each {
            let mark = link.mark();
            let began = Instant::now();
            let mut stream = TcpStream::connect((link.address(), port))?;
            connects.push(milliseconds(began.elapsed()));
            stream.set_nodelay(true)?;
            let began = Instant::now();
            stream.write_all(b"?")?;
            stream.read_exact(&mut [0])?;
            calls.push(milliseconds(began.elapsed()));
            trips.push(trips_of(&link.since(mark).packets));
        }
        Ok((connects, calls, trips))
    })??;
    server.join().ok().context("the server panicked")?;
    Ok(measured)
}

fn answer(mut stream: TcpStream) {
    // A connection that breaks is seen by who called.
    let _ = stream.set_nodelay(true);
    let mut byte = [0];
    while stream.read(&mut byte).is_ok_and(|read| read == 1) && stream.write_all(&byte).is_ok() {}
}

/// A mebibyte over a connection that is open already, at several rates and no distance, so that the rate alone counts. Bound:
/// from what all of its packets take at the rate, the last of them not counted as a wait, to 5 % and a millisecond above that.
pub(crate) fn transfers(each: u32, seed: u64) -> anyhow::Result<bool> {
    println!(
        "| link | a MiB, median (least to most) | its packets at the rate | lost in a full queue | within 5 % and 1 ms |"
    );
    println!("|---|---|---|---|---|");
    let mut all_hold = true;
    for (text, bits_per_ms) in
        [("rate=10mbit", 10_000.0), ("rate=100mbit", 100_000.0), ("rate=1gbit", 1_000_000.0)]
    {
        let link = open(text, seed)?;
        let times = (0..each).map(|_| transfer(&link)).collect::<anyhow::Result<Vec<_>>>()?;
        // Of 1,500 bytes 1,448 are the connection's.
        let expected_ms = BYTES as f64 * 8.0 * (1_500.0 / 1_448.0) / bits_per_ms;
        let (_, down) = link.counts();
        let own = median(&times);
        let holds = own >= BYTES as f64 * 8.0 / bits_per_ms - 1.0 && own <= expected_ms * 1.05 + 1.0;
        all_hold &= holds;
        println!(
            "| {text} | {} | {expected_ms:.1} ms | {} | {} |",
            shown(&times),
            down.overflowed,
            verdict(holds)
        );
    }
    Ok(all_hold)
}

/// From the byte that asks for it to its last, less the way there and back, in milliseconds.
fn transfer(link: &LinkHandle) -> anyhow::Result<f64> {
    let listener = link.far().within(|| TcpListener::bind("127.0.0.1:0"))??;
    let port = listener.local_addr()?.port();
    let server = thread::spawn(move || -> std::io::Result<()> {
        let (mut stream, _) = listener.accept()?;
        stream.read_exact(&mut [0])?;
        stream.write_all(&vec![7; BYTES])
    });
    let mut stream = link.connect(port, LONG)?;
    stream.set_read_timeout(Some(LONG))?;
    let began = Instant::now();
    stream.write_all(b"?")?;
    let mut all = vec![0; BYTES];
    stream.read_exact(&mut all)?;
    let took = began.elapsed().saturating_sub(Duration::from_nanos(link.link().rtt_ns));
    server.join().ok().context("the server panicked")??;
    let came: u64 = link.counts().1.bytes;
    anyhow::ensure!(came >= BYTES as u64, "{came} bytes came {:?}", Way::Down);
    Ok(milliseconds(took))
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn median(times: &[f64]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// `20.13 ms (20.08 to 20.91)`.
fn shown(times: &[f64]) -> String {
    let least = times.iter().copied().fold(f64::INFINITY, f64::min);
    let most = times.iter().copied().fold(0.0, f64::max);
    format!("{:.2} ms ({least:.2} to {most:.2})", median(times))
}
