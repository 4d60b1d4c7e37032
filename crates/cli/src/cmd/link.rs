use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use velo_lab::Behind;
use velo_link::{LinkHandle, LinkWay, Near, Options, Rights};
use velo_stats::number::{bytes, percent, thousands, time_ns};

use crate::args::LinkArgs;
use crate::{again, exit, out, signals};

/// Between two looks while it runs.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// For so long after it has started to listen, further ports are looked for.
const SETTLES: Duration = Duration::from_secs(10);

pub(crate) fn run(args: &LinkArgs) -> anyhow::Result<u8> {
    // While there is one thread.
    let rights =
        velo_link::obtain_rights().map_err(|error| anyhow::anyhow!("{error}\n  {}", error.cure()))?;
    let stop = signals::stop_saying("\nending the command. Once more ends at once\n")?;
    let near = if args.apart || rights == Rights::OfANamespace { Near::Apart } else { Near::Here };
    let options = Options { near, seed: args.seed, logged: 0, ..Options::default() };
    let mut behind = Behind::start(&args.link, &options, &args.command)?;
    out::talk(&format!("link     {}; Ctrl-C ends it\n", args.link));
    if near == Near::Apart {
        out::talk(&format!("within   {}\n", way_in(behind.link(), rights)));
    }
    let mut told: Vec<SocketAddr> = Vec::new();
    let mut since = None;
    let status = loop {
        if stop.asked() {
            break None;
        }
        if let Some(status) = behind.ended() {
            break Some(status);
        }
        if since.is_none_or(|since: Instant| since.elapsed() < SETTLES) {
            for at in behind.listeners() {
                if !told.contains(&at) {
                    told.push(at);
                    since.get_or_insert_with(Instant::now);
                    out::print(&reached(at, behind.link().address()))?;
                }
            }
        }
        std::thread::sleep(LOOK_EVERY);
    };
    let (up, down) = behind.link().counts();
    let cpu_ns = behind.link().cpu_ns();
    behind.end();
    out::talk(&format!(
        "to it    {}\nfrom it  {}\nlink     {} of CPU time\n",
        passed(&up),
        passed(&down),
        time_ns(cpu_ns as f64)
    ));
    match status {
        None => Ok(exit::INTERRUPTED),
        Some(status) if status.success() => Ok(exit::DONE),
        Some(status) => {
            let program = args.command.first().context("a command")?.to_string_lossy();
            out::talk(&format!("error: {program} ended ({status})\n"));
            Ok(exit::CHECK_FAILED)
        }
    }
}

/// Where what listens there is reached, or why it is not.
fn reached(at: SocketAddr, address: IpAddr) -> String {
    let port = at.port();
    match at.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() || ip == IpAddr::from([127, 0, 0, 1]) => {
            format!("http://{address}:{port}\n")
        }
        IpAddr::V6(ip) if ip.is_unspecified() => format!("http://{address}:{port}\n"),
        _ => format!("not reached: it listens on {at}, expected 127.0.0.1 or 0.0.0.0\n"),
    }
}

/// What a command is typed behind to run at the load's end.
fn way_in(link: &LinkHandle, rights: Rights) -> String {
    let net = link.near().path();
    let user = match rights {
        Rights::Own => String::new(),
        Rights::OfANamespace => {
            format!("--preserve-credentials --user=/proc/{}/ns/user ", std::process::id())
        }
    };
    format!("nsenter {user}--net={} COMMAND", again::shown_path(&net))
}

/// `1,204 packets, 1.2 MB, 3 lost at random, 0 in a full queue, 61.2 µs late`.
fn passed(way: &LinkWay) -> String {
    let mut parts = vec![
        format!("{} packets", thousands(way.packets)),
        bytes(way.bytes),
        lost(way.lost, "lost at random"),
    ];
    if way.overflowed > 0 {
        parts.push(lost(way.overflowed, "lost in a full queue"));
    }
    if way.delivered > 0 {
        parts.push(format!("{} late", time_ns(way.late_ns as f64 / way.delivered as f64)));
        if way.very_late > 0 {
            let share = way.very_late as f64 / way.delivered as f64;
            parts.push(format!("{} by more than 1 ms", percent(share)));
        }
    }
    parts.join(", ")
}

fn lost(packets: u64, how: &str) -> String {
    format!("{} {how}", thousands(packets))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_listens_on_every_address_or_on_loopback_is_reached() {
        let address = IpAddr::from([198, 18, 4, 2]);
        for at in ["0.0.0.0:80", "127.0.0.1:80", "[::]:80"] {
            assert_eq!(reached(at.parse().expect("an address"), address), "http://198.18.4.2:80\n", "{at}");
        }
        for at in ["127.0.0.2:80", "[::1]:80", "10.0.0.1:80"] {
            let told = reached(at.parse().expect("an address"), address);
            assert!(told.contains("expected 127.0.0.1"), "{told}");
        }
    }

    #[test]
    fn what_passed_is_told() {
        let way = LinkWay {
            packets: 1_204,
            bytes: 1_200_000,
            lost: 3,
            overflowed: 1,
            delivered: 1_200,
            late_ns: 73_440_000,
            very_late: 12,
        };
        assert_eq!(
            passed(&way),
            "1,204 packets, 1.2 MB, 3 lost at random, 1 lost in a full queue, 61.2 µs late, 1.0 % by more than 1 ms"
        );
        assert_eq!(passed(&LinkWay::default()), "0 packets, 0 B, 0 lost at random");
    }
}
