use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::io::Errno;
use velo_judge::bounds::GENERATOR_BUSY;
use velo_load::{
    BodyChecker, BodyExpect, DriverChoice, Expect, Generator, Limits, Mix, Order, Part, RequestSpec, Target,
    Template, Toss, WindowReport, WindowSettings,
};
use velo_model::PartyRole;
use velo_record::Placement;

use super::spin;

/// What the workloads of this project have.
const CONNECTIONS: u32 = 64;
const SETTLING: Duration = Duration::from_millis(100);
const WINDOW: Duration = Duration::from_millis(300);
const TIMEOUT: Duration = Duration::from_secs(1);

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
const HEAD_END: &[u8] = b"\r\n\r\n";
const LISTENER: u64 = u64::MAX;
/// How soon a server sees that it is to end.
const WAKE: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };

/// What the generator can send on this machine, to a server that does nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ceiling {
    /// Answers a second.
    pub(super) per_s: f64,
    /// False when something else than the generator held it back, so that it may send more.
    pub(super) is_reached: bool,
}

/// Loads servers of this very process for half a second, each on a CPU of its own.
pub(super) fn look(placement: &Placement) -> Option<Ceiling> {
    let report = load(placement, SETTLING, WINDOW)?;
    let per_s = report.tally.outcomes.correct as f64 * 1e9 / report.duration_ns.max(1) as f64;
    let threads_ns = report.duration_ns.max(1) as f64 * report.thread_cpu_ns.len().max(1) as f64;
    let busy = report.thread_cpu_ns.iter().sum::<u64>() as f64 / threads_ns;
    (per_s > 0.0).then_some(Ceiling { per_s, is_reached: busy >= GENERATOR_BUSY })
}

fn load(placement: &Placement, settling: Duration, window: Duration) -> Option<WindowReport> {
    let servers = Servers::start(placement.cpus(PartyRole::Contender)).ok()?;
    let mut generator = Generator::new(placement.cpus(PartyRole::Generator), DriverChoice::Auto).ok()?;
    let mix = Mix::new(vec![request()], Order::Weighted, "localhost").ok()?;
    let target = Target {
        endpoints: servers.addresses.iter().map(|&address| address.into()).collect(),
        tls: None,
        sources: Vec::new(),
        plans: vec![(Arc::new(mix), Arc::new(NoBody))],
        limits: Limits { head_bytes: 1024, body_bytes: 1024, interim: 8 },
        seed: 1,
    };
    let target = generator.add(&target).ok()?;
    let nanoseconds = |time: Duration| time.as_nanos() as u64;
    let settings = WindowSettings {
        settling_ns: nanoseconds(settling),
        ..WindowSettings::closed_loop(CONNECTIONS, nanoseconds(window), nanoseconds(TIMEOUT))
    };
    generator.window(target, &settings, None, &Arc::default()).ok()
}

fn request() -> RequestSpec {
    RequestSpec {
        name: "nothing".to_owned(),
        weight: 1,
        method: "GET".to_owned(),
        path: Template(vec![Part::Bytes(b"/".to_vec())]),
        headers: Vec::new(),
        body: None,
        slots: Vec::new(),
        expect: Expect {
            status: 200.into(),
            content_type: None,
            headers: Vec::new(),
            body: BodyExpect::Empty,
            not_before_ms: None,
        },
    }
}

/// Never asked: the body is empty.
struct NoBody;

impl BodyChecker for NoBody {
    fn check(&self, _: usize, _: &[u64], _: &[u8]) -> Result<Option<Toss>, String> {
        Ok(None)
    }
}

/// One thread a CPU that answers whatever is sent, until this is dropped.
struct Servers {
    addresses: Vec<SocketAddr>,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Servers {
    fn start(cpus: &[u32]) -> io::Result<Self> {
        let mut servers = Self { addresses: Vec::new(), stop: Arc::default(), threads: Vec::new() };
        for &cpu in cpus {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
            listener.set_nonblocking(true)?;
            servers.addresses.push(listener.local_addr()?);
            let stop = Arc::clone(&servers.stop);
            let serve = move || {
                // Where it may not be pinned or cannot wait, nothing is answered, and that is seen in the count.
                if spin::stay_on(cpu).is_some() {
                    let _ = serve(&listener, &stop);
                }
            };
            servers.threads.push(thread::Builder::new().name("ceiling".to_owned()).spawn(serve)?);
        }
        Ok(servers)
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // A thread that panicked has said so on standard error already.
            let _ = thread.join();
        }
    }
}

fn serve(listener: &TcpListener, stop: &AtomicBool) -> io::Result<()> {
    let epoll = epoll::create(CreateFlags::CLOEXEC)?;
    epoll::add(&epoll, listener, EventData::new_u64(LISTENER), EventFlags::IN)?;
    let mut connections: HashMap<u64, TcpStream> = HashMap::new();
    let mut number = 0;
    let mut events = Vec::with_capacity(256);
    while !stop.load(Ordering::Relaxed) {
        match epoll::wait(&epoll, spare_capacity(&mut events), Some(&WAKE)) {
            Err(Errno::INTR) => continue,
            result => result?,
        };
        for event in events.drain(..) {
            let key = event.data.u64();
            if key == LISTENER {
                while let Ok((stream, _)) = listener.accept() {
                    stream.set_nonblocking(true)?;
                    stream.set_nodelay(true)?;
                    epoll::add(&epoll, &stream, EventData::new_u64(number), EventFlags::IN)?;
                    connections.insert(number, stream);
                    number += 1;
                }
            } else if connections.get(&key).is_some_and(|stream| answer(stream).is_err()) {
                connections.remove(&key);
            }
        }
    }
    Ok(())
}

/// A request of some dozens of bytes comes whole; one that did not would go without an answer.
fn answer(mut stream: &TcpStream) -> io::Result<()> {
    let mut input = [0; 4096];
    let length = match stream.read(&mut input) {
        Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
        result => result?,
    };
    let heads = input[..length].windows(HEAD_END.len()).filter(|bytes| *bytes == HEAD_END).count();
    (0..heads).try_for_each(|_| stream.write_all(ANSWER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_request_is_answered() {
        let cpus = spin::own_cpus();
        let (Some(&first), Some(&last)) = (cpus.first(), cpus.last()) else { panic!("no CPU") };
        // On one CPU they share it, which is slow but right.
        let placement =
            Placement::new([(PartyRole::Contender, vec![first, last]), (PartyRole::Generator, vec![last])]);
        let report =
            load(&placement, Duration::from_millis(10), Duration::from_millis(50)).expect("a report");
        let outcomes = report.tally.all();
        assert!(outcomes.correct > 0, "{outcomes:?}");
        assert_eq!((outcomes.wrong_answer, outcomes.failures()), (0, 0));
    }

    #[test]
    fn a_cpu_that_is_not_there_gives_no_ceiling() {
        let placement = Placement::new([(PartyRole::Contender, vec![0]), (PartyRole::Generator, vec![1023])]);
        assert_eq!(look(&placement), None);
    }
}
