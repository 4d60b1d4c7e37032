//! The cheapest client that keeps a schedule: it never sleeps, parses nothing, and does nothing else. What it sees is
//! what the machine and the server give.

use std::collections::VecDeque;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustix::event::Timespec;
use rustix::event::epoll::{self, EventData, EventFlags};
use velo_load::{Arrivals, Shape, Spacing};
use velo_stats::Histogram;

use crate::bare_wire::Wire;
use crate::figures::{Figures, Times};
use crate::protocol::Protocol;
use crate::{CONNECTIONS, Outcome};

/// How long answers are waited for behind the end.
const GRACE: Duration = Duration::from_secs(2);

/// Loads a server on this machine and prints its figures as JSON.
pub(crate) fn run(protocol: Protocol, port: u16, per_s: u32, seconds: u32) -> Outcome<()> {
    let poller = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    let (mut streams, mut wires) = (Vec::new(), Vec::new());
    for place in 0..CONNECTIONS {
        let mut stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_nodelay(true)?;
        wires.push(Wire::begin(protocol, &mut stream)?);
        stream.set_nonblocking(true)?;
        epoll::add(&poller, &stream, EventData::new_u64(place.into()), EventFlags::IN)?;
        streams.push(stream);
    }
    let arrivals =
        Arrivals { shape: Shape::Constant { per_s: per_s.into() }, spacing: Spacing::Even, seed: 0 };
    let end_ns = u64::from(seconds) * 1_000_000_000;
    let mut due = arrivals.intended().take_while(|ns| *ns < end_ns).peekable();
    let mut free: VecDeque<usize> = (0..streams.len()).collect();
    let mut intended_ns = vec![0; streams.len()];
    let (mut response, mut lag) = (Histogram::new(), Histogram::new());
    let mut requests = 0_u64;
    let mut buffer = [0; 4096];
    let mut events = Vec::with_capacity(CONNECTIONS as usize);
    let begin = Instant::now();
    let now_ns = || begin.elapsed().as_nanos() as u64;
    let limit_ns = end_ns + GRACE.as_nanos() as u64;
    while (due.peek().is_some() || free.len() < streams.len()) && now_ns() < limit_ns {
        while let Some(start_ns) = due.peek().copied().filter(|start_ns| *start_ns <= now_ns()) {
            let Some(place) = free.pop_front() else { break };
            due.next();
            intended_ns[place] = start_ns;
            lag.record(now_ns() - start_ns);
            let request = wires[place].request();
            if streams[place].write(request)? < request.len() {
                return Err("a request did not fit into an idle socket".into());
            }
            requests += 1;
        }
        events.clear();
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        epoll::wait(&poller, rustix::buffer::spare_capacity(&mut events), Some(&at_once))?;
        for event in &events {
            let place = event.data.u64() as usize;
            let got = streams[place].read(&mut buffer)?;
            let answer = &buffer[..got];
            if !wires[place].is_answer(answer) {
                return Err(format!("an answer was {}", answer.escape_ascii()).into());
            }
            let done_ns = now_ns();
            // As velo counts: what ends behind the stretch is not of it.
            if done_ns <= end_ns {
                response.record(done_ns - intended_ns[place]);
            }
            free.push_back(place);
        }
    }
    let figures = Figures {
        times: Times::of(&response),
        achieved_per_s: Some(response.count() as f64 / f64::from(seconds)),
        send_lag_p99_ns: lag.quantile_ns(0.99),
        requests,
        failed: due.count() as u64 + (streams.len() - free.len()) as u64,
    };
    println!("{}", serde_json::to_string(&figures)?);
    Ok(())
}
