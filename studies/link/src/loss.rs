//! How many packets are lost.

use std::net::UdpSocket;
use std::time::{Duration, Instant};

use crate::{open, verdict};

/// Chi-square with one degree of freedom is above this once in a thousand.
const BOUND: f64 = 10.83;
/// Packets that are sent before the link is waited for.
const AT_ONCE: u64 = 100;
const LONG: Duration = Duration::from_secs(10);

/// Datagrams over links of several losses. Bound: chi-square over those lost and those not.
pub(crate) fn table(packets: u32, seed: u64) -> anyhow::Result<bool> {
    println!("| link | packets | lost | expected | chi-square | below {BOUND} |");
    println!("|---|---|---|---|---|---|");
    let mut all_hold = true;
    for (text, share) in [("loss=0.1%", 0.001), ("loss=1%", 0.01), ("loss=10%", 0.1)] {
        let lost = lost(text, u64::from(packets), seed)? as f64;
        let expected = f64::from(packets) * share;
        let off = (lost - expected).powi(2);
        let chi_square = off / expected + off / (f64::from(packets) - expected);
        let holds = chi_square < BOUND;
        all_hold &= holds;
        println!("| {text} | {packets} | {lost} | {expected} | {chi_square:.2} | {} |", verdict(holds));
    }
    Ok(all_hold)
}

fn lost(text: &str, packets: u64, seed: u64) -> anyhow::Result<u64> {
    let link = open(text, seed)?;
    let receiver = link.far().within(|| UdpSocket::bind("127.0.0.1:0"))??;
    let to = receiver.local_addr()?;
    let sender = link.near().within(|| UdpSocket::bind("0.0.0.0:0"))??;
    receiver.set_nonblocking(true)?;
    let mut buffer = [0; 64];
    for number in 1..=packets {
        sender.send_to(&[0; 32], to)?;
        let began = Instant::now();
        while (number % AT_ONCE == 0 || number == packets) && link.counts().0.packets < number {
            anyhow::ensure!(began.elapsed() < LONG, "packet {number} did not come to the link");
            std::thread::sleep(Duration::from_micros(100));
        }
        while receiver.recv(&mut buffer).is_ok() {}
    }
    Ok(link.counts().0.lost)
}
