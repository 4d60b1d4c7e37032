use std::cmp::Reverse;

use super::{Loading, Phase};
use crate::connection::{Connection, State};
use crate::driver::Driver;
use crate::in_flight::InFlight;
use crate::order::Connect;
use crate::protocol::Session;
use crate::recorder::Failure;
use crate::schedule::WhenFull;
use crate::tls::TlsError;

impl<D: Driver, S: Session> Loading<'_, D, S> {
    /// When the loop has to look again because of the schedule.
    pub(super) fn next_due_ns(&self) -> u64 {
        let can_start = self.phase == Phase::Loading
            && self.left > 0
            && (!self.pace.is_open()
                || !self.free.is_empty()
                || !self.unopened.is_empty()
                || self.order.when_full == WhenFull::Drop);
        if can_start { self.pace.next_ns().unwrap_or(u64::MAX) } else { u64::MAX }
    }

    pub(super) fn start_what_is_due(&mut self, now: u64) {
        if self.phase != Phase::Loading {
            return;
        }
        while let Some((index, due_ns)) = self.pace.thought(now) {
            self.connections[index].thinking -= 1;
            self.start(index, due_ns, now);
            self.flush(index);
            // Where it was not sent, no answer lets the next one begin.
            self.refill(index, now);
        }
        while self.left > 0
            && let Some(due_ns) = self.pace.due(now)
            && due_ns < self.end_ns
        {
            if let Some(index) = self.take_free() {
                self.recorder.due(due_ns);
                self.pace.advance();
                self.start(index, due_ns, self.driver.now_ns());
                self.flush(index);
                self.list(index);
            } else if self.order.when_full == WhenFull::Drop {
                self.note_settled(due_ns);
                self.recorder.due(due_ns);
                self.recorder.dropped(due_ns);
                self.left = self.left.saturating_sub(1);
                self.pace.advance();
                self.last_was_due();
            } else {
                break;
            }
        }
    }

    fn take_free(&mut self) -> Option<usize> {
        if self.order.connect == Connect::OnDemand {
            return self.take_on_demand();
        }
        loop {
            let index = self.free.pop_front()? as usize;
            self.connections[index].listed = false;
            if self.takes_more(index) {
                return Some(index);
            }
        }
    }

    /// The open connection that was used last, or the first of those that are not open.
    #[inline(never)]
    fn take_on_demand(&mut self) -> Option<usize> {
        while let Some(index) = self.free.pop_back() {
            let index = index as usize;
            self.connections[index].listed = false;
            if !self.connections[index].is_open() {
                // It was closed since: it is opened again when no open one is free.
                self.list(index);
            } else if self.takes_more(index) {
                return Some(index);
            }
        }
        while let Some(Reverse(index)) = self.unopened.pop() {
            let index = index as usize;
            self.connections[index].listed = false;
            if self.takes_more(index) {
                return Some(index);
            }
        }
        None
    }

    #[inline]
    fn list(&mut self, index: usize) {
        if self.pace.is_open() && !self.connections[index].listed && self.takes_more(index) {
            self.connections[index].listed = true;
            if self.order.connect == Connect::Ahead || self.connections[index].is_open() {
                self.free.push_back(index as u32);
            } else {
                self.list_unopened(index);
            }
        }
    }

    #[inline(never)]
    fn list_unopened(&mut self, index: usize) {
        self.unopened.push(Reverse(index as u32));
    }

    /// Whether a connection can be given another request.
    #[inline]
    fn takes_more(&self, index: usize) -> bool {
        let connection = &self.connections[index];
        let given = connection.assigned.len() + connection.thinking;
        // What is false most often, first.
        if given >= connection.session.takes_more(self.order.pipelining) {
            return false;
        }
        let has_room = match connection.state {
            State::Open => connection.sent < self.order.requests_per_connection,
            State::Closed | State::Connecting { .. } | State::Handshaking { .. } => {
                (connection.assigned.len() as u64) < u64::from(self.order.requests_per_connection)
            }
            State::Waiting { .. } | State::Closing { .. } => false,
        };
        has_room && index < self.order.connections && !connection.is_worn_out()
    }

    /// The first requests of a connection.
    pub(super) fn begin(&mut self, index: usize, now: u64) {
        while !self.pace.is_open() && self.left > 0 && self.takes_more(index) {
            self.start(index, now, now);
        }
        self.flush(index);
        self.list(index);
    }

    /// A connection was closed: requests that have waited for it since it took no more, or what its schedule has for it, open it
    /// again.
    pub(super) fn go_on(&mut self, index: usize, now: u64) {
        let connection = &self.connections[index];
        if connection.state == State::Closed && !connection.assigned.is_empty() {
            return self.connect(index, now);
        }
        self.refill(index, now);
    }

    /// A connection may have room: it gets what its schedule has for it.
    pub(super) fn refill(&mut self, index: usize, now: u64) {
        if self.phase != Phase::Loading || self.is_over(now) {
            return;
        }
        if self.pace.is_open() {
            // A request that waits for a connection goes first. Others may be about to be free where this one is to be opened.
            let can_start = self.connections[index].is_open() || self.order.connect == Connect::Ahead;
            while can_start
                && self.left > 0
                && self.free.is_empty()
                && self.takes_more(index)
                && let Some(due_ns) = self.pace.due(now)
                && due_ns < self.end_ns
            {
                self.recorder.due(due_ns);
                self.pace.advance();
                self.start(index, due_ns, now);
            }
            self.flush(index);
            self.list(index);
            return;
        }
        // A pipeline is filled up when half of it is free: a request each time would cost as many calls as none.
        if S::FILLS_UP_LATE && self.connections[index].under_way() > self.order.pipelining / 2 {
            return;
        }
        if !S::FILLS_UP_LATE && !self.connections[index].assigned.is_empty() {
            self.send_assigned(index, now);
        }
        while self.left > 0 && self.takes_more(index) {
            if self.pace.is_due(index, now) {
                self.start(index, now, now);
            } else {
                self.connections[index].thinking += 1;
            }
        }
        self.flush(index);
    }

    #[inline(always)]
    fn start(&mut self, index: usize, intended_ns: u64, now: u64) {
        if self.is_settling || self.owed > 0 || self.left <= 1 {
            if !self.may_start(intended_ns, now) {
                return;
            }
        } else {
            self.left -= 1;
        }
        if self.connections[index].is_open() {
            return self.send(index, intended_ns, now);
        }
        self.connections[index].assigned.push_back(intended_ns);
        self.assigned += 1;
        if self.connections[index].state == State::Closed {
            self.connect(index, now);
        }
    }

    /// Counts a request that is due: in settling, as the last one, or where a wrong answer has come already for it, which is not sent.
    #[cold]
    #[inline(never)]
    fn may_start(&mut self, intended_ns: u64, now: u64) -> bool {
        self.note_settled(intended_ns);
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        if self.left == 0 {
            self.last_was_due();
        }
        if self.owed == 0 {
            return true;
        }
        self.owed -= 1;
        self.recorder.failed_unsent(Failure::WrongAnswer, intended_ns, now);
        false
    }

    /// Sends what waited for this connection.
    pub(super) fn send_assigned(&mut self, index: usize, now: u64) {
        while self.connections[index].is_open()
            && self.connections[index].session.takes_more(self.order.pipelining) > 0
            && let Some(intended_ns) = self.connections[index].assigned.pop_front()
        {
            self.assigned -= 1;
            self.send(index, intended_ns, now);
        }
        self.flush(index);
    }

    fn send(&mut self, index: usize, intended_ns: u64, now: u64) {
        if self.order.slowed_ns > 0 {
            let until_ns = self.driver.now_ns() + self.order.slowed_ns;
            self.driver.spin(until_ns);
        }
        // Whenever their turn comes.
        let intended_ns = if self.order.is_burst { self.settled_ns } else { intended_ns };
        let connection = &mut self.connections[index];
        let plan = &mut self.known.plans[self.order.plan];
        let drawn = plan.mix.draw(&mut plan.drawer, connection.turn);
        connection.turn = connection.turn.wrapping_add(1);
        connection.sent += 1;
        let plan_index = self.order.plan as u32;
        let request =
            InFlight { drawn, plan: plan_index, carried: false, intended_ns, sent_ns: now, first_byte_ns: 0 };
        if self.order.pipelining > 1 {
            let id = connection.session.append(&plan.mix, &drawn, &mut self.gathered);
            connection.in_flight.insert(id, request);
            return self.recorder.sent(intended_ns, now);
        }
        let (id, bytes) = connection.session.bytes(&plan.mix, &drawn, &mut self.outgoing);
        connection.in_flight.insert(id, request);
        self.recorder.sent(intended_ns, now);
        let sent = hand_over(self.driver, &mut self.connections[index], index, bytes, &mut self.sealed);
        self.was_sent(index, sent);
    }

    /// Sends what was gathered for a connection: nothing, where requests are not pipelined.
    #[inline]
    pub(super) fn flush(&mut self, index: usize) {
        if !self.gathered.is_empty() {
            self.send_gathered(index);
        }
    }

    #[inline(never)]
    fn send_gathered(&mut self, index: usize) {
        let connection = &mut self.connections[index];
        let sent = hand_over(self.driver, connection, index, &self.gathered, &mut self.sealed);
        self.gathered.clear();
        self.was_sent(index, sent);
    }

    #[inline]
    fn was_sent(&mut self, index: usize, sent: Result<u64, Box<TlsError>>) {
        match sent {
            Ok(bytes) => self.recorder.tally.sent_bytes += bytes,
            Err(error) => self.cannot_send(index, &error),
        }
    }

    /// The session cannot encrypt what is asked of this connection, of which nothing has gone out; the next request gets
    /// another connection.
    #[cold]
    #[inline(never)]
    fn cannot_send(&mut self, index: usize, error: &TlsError) {
        let now = self.driver.now_ns();
        self.recorder.example(|| format!("not sent: {error}"));
        self.fail_all(index, Failure::ConnectError, now);
        self.close(index, true);
        self.connections[index].pause(now);
    }
}

/// Gives bytes to the driver, encrypted where the connection is; says how many those were.
fn hand_over<D: Driver, S>(
    driver: &mut D,
    connection: &mut Connection<S>,
    index: usize,
    bytes: &[u8],
    sealed: &mut Vec<u8>,
) -> Result<u64, Box<TlsError>> {
    if connection.tls.is_none() {
        driver.send(index, bytes);
        return Ok(bytes.len() as u64);
    }
    seal(driver, connection, index, bytes, sealed)
}

/// Out of the way of connections without TLS.
#[inline(never)]
fn seal<D: Driver, S>(
    driver: &mut D,
    connection: &mut Connection<S>,
    index: usize,
    bytes: &[u8],
    sealed: &mut Vec<u8>,
) -> Result<u64, Box<TlsError>> {
    sealed.clear();
    if let Some(tls) = &mut connection.tls {
        tls.send(bytes, sealed)?;
    }
    driver.send(index, sealed);
    Ok(sealed.len() as u64)
}
