use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::io::Errno;

use super::{Loading, OPENING_NS, Phase};
use crate::connection::State;
use crate::driver::Driver;
use crate::order::Connect;
use crate::protocol::Session;
use crate::recorder::Failure;
use crate::target::Endpoint;
use crate::tls::TlsSession;

/// How long a connection that found no local port is left alone.
const NO_PORT_PAUSE_NS: u64 = 1_000_000_000;
/// How long a step of opening waits.
const STEP_NS: u64 = 20_000_000;

impl<D: Driver, S: Session> Loading<'_, D, S> {
    /// Opens what is closed, and learns what happened to what was open while nobody looked.
    pub(super) fn open_all(&mut self, stop: &AtomicBool) {
        let began_ns = self.driver.now_ns();
        self.look(began_ns);
        // An earlier window on this target may have kept connections for longer than this one does.
        for index in 0..self.order.connections {
            if self.is_used_up(index) {
                self.part(index);
            }
        }
        if self.order.connect == Connect::Ahead {
            for index in 0..self.order.connections {
                if self.connections[index].state == State::Closed {
                    self.connect(index, began_ns);
                }
            }
        }
        let is_opening = |state| matches!(state, State::Connecting { .. } | State::Handshaking { .. });
        while self.driver.now_ns() < began_ns + OPENING_NS
            && self.connections.iter().any(|connection| is_opening(connection.state))
            && !stop.load(Ordering::Relaxed)
        {
            let now = self.driver.now_ns();
            self.look(now + STEP_NS);
        }
        for connection in &mut *self.connections {
            if matches!(connection.state, State::Waiting { .. }) {
                connection.state = State::Closed;
            }
        }
    }

    /// Waits for what happens until then, and says how much did.
    pub(super) fn look(&mut self, until_ns: u64) -> usize {
        let mut events = 0;
        if self.driver.wait(until_ns).is_ok() {
            while let Some(event) = self.driver.next() {
                self.happened(event);
                events += 1;
            }
        }
        events
    }

    pub(super) fn connect(&mut self, index: usize, now: u64) {
        let endpoint = &self.known.endpoints[self.known.opened % self.known.endpoints.len()];
        self.known.opened += 1;
        self.connections[index].reset();
        loop {
            let source = self.known.sources.current(endpoint);
            match self.driver.connect(index, endpoint, source) {
                Ok(()) => {
                    self.connections[index].state = State::Connecting { since_ns: now };
                    return;
                }
                Err(Errno::ADDRNOTAVAIL | Errno::ADDRINUSE)
                    if self.known.sources.next(endpoint).is_some() => {}
                Err(error) => return self.not_connected(index, error, now),
            }
        }
    }

    pub(super) fn connected(&mut self, index: usize, now: u64) {
        let State::Connecting { since_ns } = self.connections[index].state else { return };
        self.recorder.tally.connect_time.record(now.saturating_sub(since_ns));
        let was_connected = std::mem::replace(&mut self.connections[index].was_connected, true);
        self.recorder.tally.reconnects += u64::from(was_connected && self.phase != Phase::Opening);
        let Some(settings) = &self.known.tls else { return self.opened(index, now) };
        match TlsSession::new(settings) {
            Ok(mut session) => {
                self.sealed.clear();
                session.take_output(&mut self.sealed);
                self.recorder.tally.sent_bytes += self.sealed.len() as u64;
                self.driver.send(index, &self.sealed);
                self.connections[index].tls = Some(Box::new(session));
                self.connections[index].state = State::Handshaking { since_ns: now };
            }
            Err(error) => self.no_agreement(index, &error.to_string(), now),
        }
    }

    /// Ready for requests.
    pub(super) fn opened(&mut self, index: usize, now: u64) {
        self.connections[index].state = State::Open;
        self.connections[index].works();
        self.connections[index].was_announced = false;
        self.connections[index].answered.quiet_since_ns = now;
        self.refused = (0, 0);
        if !self.has_reached {
            self.has_reached = true;
            self.order.reached.store(true, Ordering::Relaxed);
        }
        self.connections[index].session.open(&mut self.gathered);
        self.flush(index);
        self.send_assigned(index, now);
        self.refill(index, now);
    }

    /// The connection could not be made; the requests that it was for fail.
    pub(super) fn not_connected(&mut self, index: usize, error: Errno, now: u64) {
        let is_short = error == Errno::ADDRNOTAVAIL;
        let unreachable = if is_short { self.unreachable() } else { None };
        self.recorder.tally.no_port += u64::from(is_short && unreachable.is_none());
        let what = match unreachable {
            Some(address) => format!("this machine has no address that reaches {address}"),
            None if is_short => "no local port is free".to_owned(),
            None => error.to_string(),
        };
        self.given_up(index, &what, now);
        if is_short {
            // Ports come back when connections end, and looking for one is dear.
            self.connections[index].state = State::Waiting { until_ns: now + NO_PORT_PAUSE_NS };
        }
    }

    /// An address of the server to which no route leads: with UDP connecting to it takes a route and none of TCP's ports.
    fn unreachable(&self) -> Option<SocketAddr> {
        let none_leads_to = |to: &SocketAddr| {
            let any: IpAddr =
                if to.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
            UdpSocket::bind((any, 0)).and_then(|socket| socket.connect(to)).is_err()
        };
        self.known.endpoints.iter().find_map(|endpoint| match endpoint {
            Endpoint::Tcp(to) if none_leads_to(to) => Some(*to),
            Endpoint::Tcp(_) | Endpoint::Unix(_) => None,
        })
    }

    /// TLS could not be agreed upon.
    pub(super) fn no_agreement(&mut self, index: usize, why: &str, now: u64) {
        self.driver.close(index, true);
        self.given_up(index, why, now);
    }

    pub(super) fn given_up(&mut self, index: usize, why: &str, now: u64) {
        // While connections are opened nothing is asked yet: the first request will tell.
        for intended_ns in self.connections[index].assigned.drain(..) {
            self.assigned -= 1;
            self.recorder.failed_unsent(Failure::ConnectError, intended_ns, now);
            self.recorder.example(|| format!("no connection: {why}"));
        }
        self.refused =
            if self.refused.0 == 0 { (1, now) } else { (self.refused.0.saturating_add(1), self.refused.1) };
        self.connections[index].was_announced = false;
        self.connections[index].reset();
        self.connections[index].pause(now);
        debug_assert!(self.phase != Phase::Opening || self.assigned == 0, "nothing is asked while opening");
    }
}
