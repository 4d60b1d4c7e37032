use std::collections::VecDeque;
use std::io;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::SocketFlags;
use rustix::time::{
    ClockId, Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, clock_gettime,
    timerfd_create, timerfd_settime,
};
use study_openloop::queue::Freeze;
use velo_load::Rng;

use crate::connection::{Connection, Over, Request};
use crate::options::{LateAnswers, Options, StandStill};
use crate::report::Report;
use crate::signals::{self, Asked};

const LISTENER: u64 = u64::MAX;
const SIGNALS: u64 = u64::MAX - 1;
const INPUT: u64 = u64::MAX - 2;
const TIMER: u64 = u64::MAX - 3;
const BATCH: usize = 256;

/// An answer to be sent later.
struct Later {
    due_ns: u64,
    place: usize,
    number: u64,
}

/// All connections and what they wait for.
pub(crate) struct Server {
    epoll: OwnedFd,
    listener: TcpListener,
    signals: OwnedFd,
    input: OwnedFd,
    timer: OwnedFd,
    connections: Vec<Option<Connection>>,
    accepted: u64,
    /// In the order in which they are due, since all wait equally long.
    later: VecDeque<Later>,
    delay: Option<LateAnswers>,
    choice: Rng,
    stand_still: Option<StandStill>,
    freeze: Option<Freeze>,
    is_http2: bool,
    begin: Instant,
    counts: Report,
    buffer: Vec<u8>,
}

impl Server {
    /// It ends when `input` is at its end, or when a signal that `signals` tells of asks for it.
    pub(crate) fn new(options: &Options, signals: OwnedFd, input: OwnedFd) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", options.port))?;
        // The standard library's backlog is 128, which a thousand connections at once overrun.
        rustix::net::listen(&listener, 4096)?;
        listener.set_nonblocking(true)?;
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let timer =
            timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
        epoll::add(&epoll, &listener, EventData::new_u64(LISTENER), EventFlags::IN)?;
        epoll::add(&epoll, &signals, EventData::new_u64(SIGNALS), EventFlags::IN)?;
        epoll::add(&epoll, &timer, EventData::new_u64(TIMER), EventFlags::IN)?;
        match epoll::add(&epoll, &input, EventData::new_u64(INPUT), EventFlags::IN) {
            // A file cannot be waited for.
            Ok(()) | Err(Errno::PERM) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(Self {
            epoll,
            listener,
            signals,
            input,
            timer,
            connections: Vec::new(),
            accepted: 0,
            later: VecDeque::new(),
            delay: options.delay,
            choice: Rng::new(options.seed),
            stand_still: options.freeze,
            freeze: None,
            is_http2: options.is_http2,
            begin: Instant::now(),
            counts: Report::default(),
            buffer: vec![0; 64 << 10],
        })
    }

    pub(crate) fn port(&self) -> io::Result<u16> {
        Ok(self.listener.local_addr()?.port())
    }

    pub(crate) fn report(&self) -> Report {
        let cpu = clock_gettime(ClockId::ThreadCPUTime);
        Report { cpu_ns: cpu.tv_sec as u64 * 1_000_000_000 + cpu.tv_nsec as u64, ..self.counts }
    }

    /// Serves until it is asked to end.
    pub(crate) fn run(&mut self) -> io::Result<()> {
        let mut events = Vec::with_capacity(BATCH);
        loop {
            events.clear();
            match epoll::wait(&self.epoll, spare_capacity(&mut events), None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            let (woken, before) = (Instant::now(), self.counts);
            for event in &events {
                let (token, flags) = (event.data.u64(), event.flags);
                match token {
                    LISTENER => self.accept()?,
                    SIGNALS => {
                        while let Some(asked) = signals::next(&self.signals) {
                            match asked {
                                Asked::Report => crate::print(&self.report()),
                                Asked::End => return Ok(()),
                            }
                        }
                    }
                    INPUT => match rustix::io::read(&self.input, &mut self.buffer[..]) {
                        Ok(0) => return Ok(()),
                        Ok(_) | Err(Errno::INTR | Errno::AGAIN) => {}
                        Err(error) => return Err(error.into()),
                    },
                    TIMER => {
                        // Only whether it rang matters, and that is known.
                        let _ = rustix::io::read(&self.timer, &mut self.buffer[..8]);
                    }
                    place => self.ready(place as usize, flags),
                }
                self.send_due()?;
            }
            let slept_ns = self.counts.frozen_ns - before.frozen_ns;
            let busy_ns = (woken.elapsed().as_nanos() as u64).saturating_sub(slept_ns);
            let only = events.first().filter(|_| events.len() == 1).map(|event| event.data.u64());
            if only != Some(LISTENER) {
                self.counts.busy_ns += busy_ns;
            }
            // A request that was stood still for had others behind it.
            if only.is_some() && slept_ns == 0 && self.counts.requests == before.requests + 1 {
                self.counts.alone_requests += 1;
                self.counts.alone_busy_ns += busy_ns;
            }
        }
    }

    fn accept(&mut self) -> io::Result<()> {
        self.stand_still();
        loop {
            let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
            let socket = match rustix::net::accept_with(&self.listener, flags) {
                Ok(socket) => socket,
                Err(Errno::AGAIN | Errno::INTR | Errno::CONNABORTED) => return Ok(()),
                Err(error) => return Err(error.into()),
            };
            rustix::net::sockopt::set_tcp_nodelay(&socket, true)?;
            let place = self.connections.iter().position(Option::is_none).unwrap_or_else(|| {
                self.connections.push(None);
                self.connections.len() - 1
            });
            epoll::add(&self.epoll, &socket, EventData::new_u64(place as u64), EventFlags::IN)?;
            self.connections[place] = Some(Connection::new(socket, self.accepted, self.is_http2));
            self.accepted += 1;
        }
    }

    fn ready(&mut self, place: usize, flags: EventFlags) {
        let Some(connection) = self.connections.get_mut(place).and_then(Option::as_mut) else { return };
        let mut outcome = Ok(());
        if flags.intersects(EventFlags::ERR | EventFlags::HUP) {
            outcome = Err(Over);
        } else if flags.intersects(EventFlags::IN) {
            outcome = connection.receive(&mut self.buffer);
        }
        self.go_on(place, outcome);
    }

    /// Answers what has been received, sends, and watches for what is missing; or closes.
    fn go_on(&mut self, place: usize, outcome: Result<(), Over>) {
        let outcome = outcome.and_then(|()| self.answer_all(place));
        let Some(connection) = self.connections[place].as_mut() else { return };
        let outcome = outcome.and_then(|()| connection.flush());
        let wanted = connection.wants();
        let watched = outcome.is_ok()
            && (wanted == connection.watched || {
                connection.watched = wanted;
                epoll::modify(&self.epoll, &connection.socket, EventData::new_u64(place as u64), wanted)
                    .is_ok()
            });
        if !watched {
            // Dropping closes it, which ends its being watched.
            self.connections[place] = None;
        }
    }

    fn answer_all(&mut self, place: usize) -> Result<(), Over> {
        while let Some(connection) = self.connections[place].as_mut() {
            let Some(request) = connection.next_request()? else { break };
            self.begin(place, request);
        }
        Ok(())
    }

    /// Answers a request, or sees to it that it is answered later.
    fn begin(&mut self, place: usize, request: Request) {
        if self.counts.requests == 0 {
            let first_ns = self.now_ns();
            self.freeze = self.stand_still.map(|still| Freeze {
                first_ns: first_ns + still.every_ns / 2,
                every_ns: still.every_ns,
                for_ns: still.for_ns,
            });
        }
        self.stand_still();
        self.counts.requests += 1;
        let late = self.delay.filter(|delay| self.choice.unit() < delay.share);
        let due_ns = late.map(|late| self.now_ns() + late.for_ns);
        let Some(connection) = self.connections[place].as_mut() else { return };
        let Some(due_ns) = due_ns else { return connection.answer(request) };
        connection.later = Some(request);
        self.counts.delayed += 1;
        self.later.push_back(Later { due_ns, place, number: connection.number });
        if self.later.len() == 1 {
            self.ring_at(due_ns);
        }
    }

    /// Sends the answers that have waited long enough.
    fn send_due(&mut self) -> io::Result<()> {
        let mut sent = false;
        while let Some(next) = self.later.front() {
            let late_ns = self.now_ns().checked_sub(next.due_ns);
            let (Some(late_ns), place, number) = (late_ns, next.place, next.number) else { break };
            self.stand_still();
            self.later.pop_front();
            sent = true;
            self.counts.late_ns = self.counts.late_ns.max(late_ns);
            // The client may have gone, and another one may have its place.
            let same = |connection: &&mut Connection| connection.number == number;
            if let Some(connection) = self.connections[place].as_mut().filter(same) {
                if let Some(request) = connection.later.take() {
                    connection.answer(request);
                }
                self.go_on(place, Ok(()));
            }
        }
        if let Some(next) = self.later.front().filter(|_| sent) {
            self.ring_at(next.due_ns);
        }
        Ok(())
    }

    fn ring_at(&self, due_ns: u64) {
        let left_ns = due_ns.saturating_sub(self.now_ns()).max(1);
        let timespec =
            |ns: u64| Timespec { tv_sec: (ns / 1_000_000_000) as i64, tv_nsec: (ns % 1_000_000_000) as i64 };
        let once = Itimerspec { it_interval: timespec(0), it_value: timespec(left_ns) };
        // Fails on times that cannot be, and this one can.
        let _ = timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &once);
    }

    fn stand_still(&mut self) {
        let Some(freeze) = self.freeze else { return };
        let now_ns = self.now_ns();
        let thawed_ns = freeze.thawed_ns(now_ns);
        if thawed_ns > now_ns {
            std::thread::sleep(Duration::from_nanos(thawed_ns - now_ns));
            self.counts.frozen_ns += self.now_ns() - now_ns;
        }
    }

    fn now_ns(&self) -> u64 {
        self.begin.elapsed().as_nanos() as u64
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;
    use std::thread::{self, JoinHandle};

    use super::*;

    /// A server in a thread, which ends when the pipe is dropped.
    fn start(delay: Option<LateAnswers>, freeze: Option<StandStill>) -> (u16, OwnedFd, JoinHandle<Report>) {
        let (input, pipe) = rustix::pipe::pipe().expect("a pipe");
        let (signals, silent) = rustix::pipe::pipe().expect("a pipe");
        let options = Options { port: 0, delay, freeze, seed: 1, is_http2: false };
        let mut server = Server::new(&options, signals, input).expect("a server");
        let port = server.port().expect("a port");
        let thread = thread::spawn(move || {
            server.run().expect("no error");
            drop(silent);
            server.report()
        });
        (port, pipe, thread)
    }

    fn answers(stream: &mut TcpStream, count: usize) -> String {
        let mut text = String::new();
        while text.matches("\r\n\r\nok").count() < count {
            let mut buffer = [0; 1024];
            let got = stream.read(&mut buffer).expect("an answer");
            assert!(got > 0, "closed after {text}");
            text.push_str(std::str::from_utf8(&buffer[..got]).expect("text"));
        }
        text
    }

    #[test]
    fn late_answers_keep_their_order_and_hold_up_nobody_else() {
        let late = LateAnswers { for_ns: 1_000_000, share: 0.5 };
        let (port, pipe, thread) = start(Some(late), None);
        let mut streams: Vec<TcpStream> =
            (0..8).map(|_| TcpStream::connect(("127.0.0.1", port)).expect("a connection")).collect();
        for stream in &mut streams {
            // Pipelined: a late answer holds up those behind it on the same connection.
            stream.write_all(&b"GET / HTTP/1.1\r\n\r\n".repeat(5)).expect("room");
        }
        for stream in &mut streams {
            assert_eq!(answers(stream, 5).matches("HTTP/1.1 200 OK").count(), 5);
        }
        drop(pipe);
        let report = thread.join().expect("no panic");
        assert_eq!(report.requests, 40);
        // The choice depends on nothing but the seed.
        let mut choice = Rng::new(1);
        assert_eq!(report.delayed, (0..40).filter(|_| choice.unit() < 0.5).count() as u64);
    }

    #[test]
    fn a_freeze_is_stood_through() {
        // Frozen for 199 of 200 parts of the time, from 10 ms after the first request.
        let (port, pipe, thread) = start(None, Some(StandStill { for_ns: 19_900_000, every_ns: 20_000_000 }));
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
        for _ in 0..5 {
            stream.write_all(b"HEAD / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n").expect("room");
            answers(&mut stream, 1);
            thread::sleep(Duration::from_millis(15));
        }
        drop(pipe);
        let report = thread.join().expect("no panic");
        assert_eq!((report.requests, report.delayed), (10, 0));
        assert!(report.frozen_ns > 0);
    }

    #[test]
    fn it_ends_with_clients_still_there() {
        let (port, pipe, thread) = start(None, None);
        let _idle = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
        drop(pipe);
        assert_eq!(thread.join().expect("no panic").requests, 0);
    }
}
