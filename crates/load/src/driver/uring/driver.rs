//! The driver: what it asks of the ring, and what it makes of the completions.

use std::io;
use std::net::IpAddr;
use std::os::fd::AsRawFd;

use io_uring::squeue::{Entry, Flags};
use io_uring::types::{Fd, Fixed, RecvMsgOut};
use io_uring::{cqueue, opcode};
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};

use super::buffers::Buffers;
use super::outgoing::Sends;
use super::ring::{Completion, Ring};
use super::state::{File, Slot, State, Uring};
use super::tags::{
    CANCEL, CONNECT, GENERATIONS, PARCEL, RECEIVE, RECEIVE_NOTED, generation_of, kind, number_of, tag,
};
use crate::driver::arrival::{self, CONTROL_BYTES, Clocks};
use crate::driver::border::{Chunk, Driver, Event};
use crate::driver::clock::{monotonic_ns, sleep_until};
use crate::driver::socket;
use crate::target::Endpoint;

const GROUP: u16 = 0;
/// The table has room for this many connections, and for more when the first window has more.
const USUAL_TABLE: usize = 1024;

const LONGEST_WAIT_NS: u64 = 3600 * 1_000_000_000;

impl Uring {
    /// Makes a ring, or says that this kernel does not give what is needed: 6.1 or newer, and io_uring not forbidden.
    pub(crate) fn new() -> io::Result<Self> {
        let ring = Ring::new()?;
        let buffers = Buffers::new(&ring.submitter(), GROUP)?;
        Ok(Self {
            ring,
            slots: Vec::new(),
            buffers,
            sends: Sends::default(),
            table: None,
            clocks: None,
            header: Box::new(arrival::header(CONTROL_BYTES)),
        })
    }

    /// Registers a table for so many sockets.
    pub(super) fn make_table(&mut self, sockets: usize) {
        let is_there = self.ring.submitter().register_files_sparse(sockets as u32).is_ok();
        self.table = Some(if is_there { sockets } else { 0 });
    }

    /// Adds an entry that points to nothing but what lives as long as the ring.
    fn push(&mut self, entry: &Entry) {
        // SAFETY: receptions take their memory from the buffers and are asked with the header, and both are dropped after the
        // ring; other entries than these and sends have no memory.
        unsafe { self.ring.push(entry) };
    }

    fn cancel(&mut self, tag_of_it: u64, connection: usize) {
        let entry = opcode::AsyncCancel::new(tag_of_it)
            .build()
            .flags(Flags::SKIP_SUCCESS)
            .user_data(tag(CANCEL, 0, connection));
        self.push(&entry);
    }

    /// Sends what has been gathered.
    fn hand_over(&mut self) -> io::Result<()> {
        self.push_gathered();
        self.ring.enter(0)?;
        self.gather()
    }

    fn gather(&mut self) -> io::Result<()> {
        let result = self.ring.gather();
        self.settle_sends();
        result
    }

    fn receive(&mut self, connection: usize) {
        let slot = &mut self.slots[connection];
        let header = &raw const *self.header;
        let (kind, entry) = match (self.clocks.is_some(), slot.file) {
            (false, File::Table(index)) => (RECEIVE, opcode::RecvMulti::new(Fixed(index), GROUP).build()),
            (false, File::Own(fd)) => (RECEIVE, opcode::RecvMulti::new(Fd(fd), GROUP).build()),
            (true, File::Table(index)) => {
                (RECEIVE_NOTED, opcode::RecvMsgMulti::new(Fixed(index), header, GROUP).build())
            }
            (true, File::Own(fd)) => {
                (RECEIVE_NOTED, opcode::RecvMsgMulti::new(Fd(fd), header, GROUP).build())
            }
        };
        slot.receiving = Some(kind);
        let entry = entry.user_data(tag(kind, slot.generation, connection));
        self.push(&entry);
    }

    fn completed(&mut self, (user_data, result, flags): Completion) -> Option<Event> {
        let (number, generation) = (number_of(user_data), generation_of(user_data));
        match kind(user_data) {
            kind @ (RECEIVE | RECEIVE_NOTED) => self.received(kind, number, generation, result, flags),
            CONNECT => self.connected(number, generation, result),
            _ => None,
        }
    }

    fn received(
        &mut self,
        kind: u64,
        connection: usize,
        generation: u32,
        result: i32,
        flags: u32,
    ) -> Option<Event> {
        let place = cqueue::buffer_select(flags);
        let slot = self.slots.get_mut(connection).filter(|slot| slot.is_open(generation));
        let goes_on = cqueue::more(flags);
        let chunk = match (slot, place) {
            (Some(slot), Some(place)) => {
                slot.receiving = slot.receiving.filter(|_| goes_on);
                self.chunk(kind, place, result)
                    .map(|chunk| Chunk { more: cqueue::sock_nonempty(flags), ..chunk })
            }
            (Some(slot), None) => {
                slot.receiving = slot.receiving.filter(|_| goes_on);
                None
            }
            (None, _) => {
                self.give_back(place);
                return None;
            }
        };
        // It lacked memory, or another kind of reception is wanted.
        let again = [Errno::NOBUFS, Errno::CANCELED].map(|error| -error.raw_os_error());
        match chunk {
            Some(chunk) => {
                if !goes_on {
                    self.receive(connection);
                }
                Some(Event::Received(connection, chunk))
            }
            None if again.contains(&result) => {
                self.receive(connection);
                None
            }
            None => {
                self.give_back(place);
                Some(Event::Ended(connection))
            }
        }
    }

    fn give_back(&mut self, place: Option<u16>) {
        if let Some(place) = place {
            self.buffers.give_back(place);
        }
    }

    /// What a reception left in a buffer; `None` when that is the connection's end.
    fn chunk(&self, kind: u64, place: u16, result: i32) -> Option<Chunk> {
        let filled = u32::try_from(result).ok().filter(|filled| *filled > 0)?;
        let plain = Chunk { place: place.into(), start: 0, length: filled, came_ns: None, more: false };
        if kind == RECEIVE {
            return Some(plain);
        }
        let told = RecvMsgOut::parse(self.buffers.bytes(plain.place, filled), &self.header).ok()?;
        let length = told.payload_data().len() as u32;
        let came_ns = self.clocks.as_ref().and_then(|clocks| clocks.came_ns(told.control_data()));
        (length > 0).then_some(Chunk { start: filled - length, length, came_ns, ..plain })
    }

    /// Puts an open socket into the table, where that has room for it.
    pub(super) fn put_into_table(&mut self, connection: usize) {
        let slot = &mut self.slots[connection];
        let (File::Own(fd), Some(sockets)) = (slot.file, self.table) else { return };
        if connection < sockets
            && self.ring.submitter().register_files_update(connection as u32, &[fd]).is_ok()
        {
            slot.file = File::Table(connection as u32);
        }
    }

    fn connected(&mut self, connection: usize, generation: u32, polled: i32) -> Option<Event> {
        let slot = self
            .slots
            .get_mut(connection)
            .filter(|slot| slot.state == State::Connecting && slot.generation & GENERATIONS == generation)?;
        let socket = slot.socket.as_ref()?;
        match socket::outcome(socket, polled as u32).unwrap_or(Err(Errno::CONNREFUSED)) {
            Ok(()) => {
                slot.state = State::Open;
                if self.clocks.is_some() {
                    arrival::note(socket, true);
                }
                self.receive(connection);
                Some(Event::Connected(connection))
            }
            Err(error) => {
                self.close(connection, false);
                Some(Event::Failed(connection, error))
            }
        }
    }
}

impl Driver for Uring {
    const NAME: &'static str = "io_uring";

    fn now_ns(&self) -> u64 {
        monotonic_ns()
    }

    fn reserve(&mut self, connections: usize) -> io::Result<()> {
        self.ring.check()?;
        if self.table.is_none() {
            let most = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
            let wanted = connections.next_power_of_two().max(USUAL_TABLE);
            self.make_table(usize::try_from(most).unwrap_or(usize::MAX).min(wanted));
        }
        self.slots.resize_with(self.slots.len().max(connections), Slot::default);
        Ok(())
    }

    fn connect(
        &mut self,
        connection: usize,
        endpoint: &Endpoint,
        source: Option<IpAddr>,
    ) -> Result<(), Errno> {
        let (socket, _) = socket::begin(endpoint, source)?;
        let slot = &mut self.slots[connection];
        let entry = opcode::PollAdd::new(Fd(socket.as_raw_fd()), libc::POLLOUT as u32)
            .build()
            .user_data(tag(CONNECT, slot.generation, connection));
        slot.file = File::Own(socket.as_raw_fd());
        slot.socket = Some(socket);
        slot.state = State::Connecting;
        self.push(&entry);
        Ok(())
    }

    fn send(&mut self, connection: usize, bytes: &[u8]) {
        self.gather_bytes(connection, bytes);
    }

    fn close(&mut self, connection: usize, reset: bool) {
        // What was gathered for this socket must reach it before its number is another's.
        let has_gathered = self.has_gathered(connection);
        if has_gathered {
            self.push_gathered();
        }
        let slot = &mut self.slots[connection];
        let Some(socket) = slot.socket.take() else { return };
        let (was, file, generation) = (slot.state, slot.file, slot.generation);
        let kind = slot.receiving.take().or((was == State::Connecting).then_some(CONNECT));
        let other = kind.map(|kind| tag(kind, generation, connection));
        let sending = slot.outgoing.end().map(|number| tag(PARCEL, generation, number));
        slot.state = State::Closed;
        slot.generation = slot.generation.wrapping_add(1);
        for cancelled in other.into_iter().chain(sending) {
            self.cancel(cancelled, connection);
        }
        if has_gathered || other.is_some() || sending.is_some() {
            // An error is told of by the next wait.
            let _ = self.ring.enter(0).and_then(|()| self.gather());
        }
        let is_held = other.is_some() || sending.is_some() || matches!(file, File::Table(_));
        // One that the kernel may hold for longer than this does would outlive being closed.
        if is_held || reset {
            socket::end(&socket, reset);
        }
        if let File::Table(index) = file {
            // Where it fails, the table's entry is replaced by the next socket.
            let _ = self.ring.submitter().register_files_update(index, &[-1]);
        }
    }

    fn wait(&mut self, until_ns: u64) -> io::Result<()> {
        let has_more = self.ring.has_more();
        self.push_gathered();
        let now_ns = if has_more { until_ns } else { self.now_ns() };
        self.ring.enter(until_ns.saturating_sub(now_ns).min(LONGEST_WAIT_NS))?;
        if let Some(clocks) = &mut self.clocks {
            clocks.compare();
        }
        self.gather()
    }

    fn note_arrivals(&mut self, on: bool) {
        if on == self.clocks.is_some() {
            return;
        }
        self.clocks = on.then(Clocks::default);
        for connection in 0..self.slots.len() {
            let slot = &self.slots[connection];
            let Some(socket) = &slot.socket else { continue };
            arrival::note(socket, on);
            // It ends as cancelled, and the other kind of reception is begun.
            if let Some(kind) = slot.receiving {
                self.cancel(tag(kind, slot.generation, connection), connection);
            }
        }
    }

    fn sleep(&mut self, until_ns: u64) -> io::Result<bool> {
        // Handing over sends at once; a socket that is full takes the rest when completions are run.
        self.hand_over()?;
        if self.sends.are_under_way() {
            return Ok(false);
        }
        sleep_until(until_ns);
        Ok(true)
    }

    fn next(&mut self) -> Option<Event> {
        while let Some(completion) = self.ring.next() {
            if let Some(event) = self.completed(completion) {
                return Some(event);
            }
        }
        None
    }

    fn bytes(&self, chunk: Chunk) -> &[u8] {
        &self.buffers.bytes(chunk.place, chunk.start + chunk.length)[chunk.start as usize..]
    }

    fn release(&mut self, chunk: Chunk) {
        self.buffers.give_back(chunk.place as u16);
    }
}

impl Drop for Uring {
    fn drop(&mut self) {
        // The kernel clears a ring away in its own time, and holds the sockets meanwhile.
        for socket in self.slots.iter().filter_map(|slot| slot.socket.as_ref()) {
            socket::end(socket, false);
        }
    }
}
