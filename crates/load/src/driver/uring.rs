use std::io;
use std::net::IpAddr;
use std::os::fd::{AsRawFd, OwnedFd};

use io_uring::squeue::{Entry, Flags};
use io_uring::types::{Fixed, RecvMsgOut, SubmitArgs, Timespec};
use io_uring::{IoUring, cqueue, opcode};
use rustix::io::Errno;

use self::buffers::Buffers;
use super::arrival::{self, CONTROL_BYTES, Clocks};
use super::{Chunk, Driver, Event, monotonic_ns, sleep_until, socket};
use crate::target::Endpoint;

mod buffers;

/// Completions: one reception serves a socket for life (multishot) and takes its memory from a common ring, sends are
/// gathered and handed over with the wait, and what a send returns is only told when it failed.
pub(crate) struct Uring {
    // The ring goes first: with it the kernel forgets the memory below.
    ring: IoUring,
    slots: Vec<Slot>,
    buffers: Buffers,
    /// How often entries were handed over, so that a slot knows whether its last ones were.
    handed_over: u64,
    /// Long requests on their way, which the kernel reads until it says so.
    parcels: Vec<Option<Box<[u8]>>>,
    /// Outboxes that became too small: the kernel may still read them.
    retired: Vec<Vec<u8>>,
    completions: Vec<(u64, i32, u32)>,
    next: usize,
    /// While the kernel notes when bytes come.
    clocks: Option<Clocks>,
    /// What such receptions are asked with; the kernel reads it whenever one is begun.
    header: Box<libc::msghdr>,
}

#[derive(Debug, Default)]
struct Slot {
    socket: Option<OwnedFd>,
    state: State,
    /// The kind of reception that is under way in the kernel.
    receiving: Option<u64>,
    generation: u32,
    /// The bytes of short requests. The kernel copies them into the socket when they are handed over. It would read them
    /// later only if the socket were full, and then finds them changed at worst, for they live as long as the ring.
    outbox: Vec<u8>,
    used: usize,
    /// The hand-over that its last entries wait for or went with.
    handed_over: u64,
    /// Long requests, in order: the first one is on its way.
    parcels: std::collections::VecDeque<usize>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Closed,
    Connecting,
    Open,
}

/// Requests up to this go through the outbox; an empty socket always takes so much.
const OUTBOX_BYTES: usize = 8 * 1024;
const ENTRIES: u32 = 512;
const COMPLETIONS: u32 = 4096;
const GROUP: u16 = 0;

const RECEIVE: u64 = 1;
const SEND: u64 = 2;
const PARCEL: u64 = 3;
const CONNECT: u64 = 4;
const CANCEL: u64 = 5;
/// A reception that says when the bytes came.
const RECEIVE_NOTED: u64 = 6;
const LONGEST_WAIT_NS: u64 = 3600 * 1_000_000_000;

/// What an entry is for: kind, generation of the socket, and a number (the connection, or the parcel).
fn tag(kind: u64, generation: u32, number: usize) -> u64 {
    kind << 56 | u64::from(generation & 0xff_ffff) << 32 | number as u64
}

impl Uring {
    /// Makes a ring, or says that this kernel does not give what is needed: 6.1 or newer, and io_uring not forbidden.
    pub(crate) fn new() -> io::Result<Self> {
        let ring: IoUring = IoUring::builder()
            .setup_single_issuer()
            .setup_defer_taskrun()
            // Tells whether completions wait to be run, so that a look without waiting runs them.
            .setup_taskrun_flag()
            .setup_submit_all()
            .setup_cqsize(COMPLETIONS)
            .build(ENTRIES)?;
        if !ring.params().is_feature_ext_arg() || !ring.params().is_feature_skip_cqe_on_success() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        // Saves a look-up at each call; without it all works as well.
        let _ = ring.submitter().register_ring_fd();
        let buffers = Buffers::new(&ring.submitter(), GROUP)?;
        Ok(Self {
            ring,
            slots: Vec::new(),
            buffers,
            handed_over: 1,
            parcels: Vec::new(),
            retired: Vec::new(),
            completions: Vec::with_capacity(COMPLETIONS as usize),
            next: 0,
            clocks: None,
            header: Box::new(arrival::header(CONTROL_BYTES)),
        })
    }

    fn push(&mut self, entry: &Entry) {
        // SAFETY: what an entry points to lives as long as the ring (outboxes, parcels, buffers), see `Slot::outbox`.
        while unsafe { self.ring.submission().push(entry) }.is_err() {
            // The queue is full: hand over what is there. A kernel that takes nothing wants its completions read first.
            if self.ring.submit().is_err() {
                self.gather_completions();
            }
            self.count_hand_over();
        }
    }

    fn gather_completions(&mut self) {
        let completions = self.ring.completion();
        self.completions.extend(completions.map(|entry| (entry.user_data(), entry.result(), entry.flags())));
    }

    /// Sends what has been gathered.
    fn hand_over(&mut self) -> io::Result<()> {
        let result = self.ring.submit();
        self.was_handed_over(result)
    }

    fn was_handed_over(&mut self, result: io::Result<usize>) -> io::Result<()> {
        self.count_hand_over();
        match result.map_err(|error| (Errno::from_io_error(&error), error)) {
            Ok(_) | Err((Some(Errno::TIME | Errno::INTR | Errno::AGAIN | Errno::BUSY), _)) => Ok(()),
            Err((_, error)) => Err(error),
        }
    }

    fn count_hand_over(&mut self) {
        if self.ring.submission().is_empty() {
            self.handed_over += 1;
        }
    }

    fn receive(&mut self, connection: usize) {
        let slot = &mut self.slots[connection];
        let socket = Fixed(connection as u32);
        let (kind, entry) = match self.clocks {
            None => (RECEIVE, opcode::RecvMulti::new(socket, GROUP).build()),
            Some(_) => {
                (RECEIVE_NOTED, opcode::RecvMsgMulti::new(socket, &raw const *self.header, GROUP).build())
            }
        };
        slot.receiving = Some(kind);
        let entry = entry.user_data(tag(kind, slot.generation, connection));
        self.push(&entry);
        self.slots[connection].handed_over = self.handed_over;
    }

    fn send_parcel(&mut self, connection: usize) {
        let slot = &self.slots[connection];
        let Some(&number) = slot.parcels.front() else { return };
        let Some(bytes) = &self.parcels[number] else { return };
        let entry = opcode::Send::new(Fixed(connection as u32), bytes.as_ptr(), bytes.len() as u32)
            .flags(libc::MSG_NOSIGNAL | libc::MSG_WAITALL)
            .build()
            .user_data(tag(PARCEL, slot.generation, number));
        self.push(&entry);
        self.slots[connection].handed_over = self.handed_over;
    }

    fn completed(&mut self, user_data: u64, result: i32, flags: u32) -> Option<Event> {
        let (kind, generation) = (user_data >> 56, (user_data >> 32) as u32 & 0xff_ffff);
        let number = (user_data & 0xffff_ffff) as usize;
        match kind {
            RECEIVE | RECEIVE_NOTED => self.received(kind, number, generation, result, flags),
            CONNECT => self.connected(number, generation),
            PARCEL => {
                self.parcels[number] = None;
                let slot = self.slots.iter().position(|slot| slot.parcels.front() == Some(&number))?;
                self.slots[slot].parcels.pop_front();
                if result > 0 {
                    self.send_parcel(slot);
                }
                None
            }
            // A broken connection is told of by its reception, after what had come before it broke.
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
        let slot = self
            .slots
            .get_mut(connection)
            .filter(|slot| slot.state == State::Open && slot.generation & 0xff_ffff == generation);
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

    fn connected(&mut self, connection: usize, generation: u32) -> Option<Event> {
        let slot = self
            .slots
            .get_mut(connection)
            .filter(|slot| slot.state == State::Connecting && slot.generation & 0xff_ffff == generation)?;
        let socket = slot.socket.as_ref()?;
        let result = match socket::outcome(socket).unwrap_or(Err(Errno::CONNREFUSED)) {
            Ok(()) => self
                .ring
                .submitter()
                .register_files_update(connection as u32, &[socket.as_raw_fd()])
                .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO)),
            Err(error) => Err(error),
        };
        match result {
            Ok(_) => {
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
        let before = self.slots.len();
        if connections <= before {
            return Ok(());
        }
        let submitter = self.ring.submitter();
        if before > 0 {
            submitter.unregister_files()?;
        }
        submitter.register_files_sparse(connections as u32)?;
        self.slots.resize_with(connections, Slot::default);
        for (index, slot) in self.slots.iter().enumerate() {
            if let (State::Open, Some(socket)) = (slot.state, &slot.socket) {
                submitter.register_files_update(index as u32, &[socket.as_raw_fd()])?;
            }
        }
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
        let entry = opcode::PollAdd::new(io_uring::types::Fd(socket.as_raw_fd()), libc::POLLOUT as u32)
            .build()
            .user_data(tag(CONNECT, slot.generation, connection));
        slot.socket = Some(socket);
        slot.state = State::Connecting;
        self.push(&entry);
        self.slots[connection].handed_over = self.handed_over;
        Ok(())
    }

    fn send(&mut self, connection: usize, bytes: &[u8]) {
        let slot = &mut self.slots[connection];
        if slot.state != State::Open {
            return;
        }
        if slot.handed_over != self.handed_over {
            slot.used = 0;
        }
        if slot.used + bytes.len() > OUTBOX_BYTES || !slot.parcels.is_empty() {
            let number = self.parcels.iter().position(Option::is_none).unwrap_or(self.parcels.len());
            if number == self.parcels.len() {
                self.parcels.push(None);
            }
            self.parcels[number] = Some(bytes.into());
            self.slots[connection].parcels.push_back(number);
            if self.slots[connection].parcels.len() == 1 {
                self.send_parcel(connection);
            }
            return;
        }
        if slot.used + bytes.len() > slot.outbox.len() {
            let larger = vec![0; (slot.used + bytes.len()).next_power_of_two().max(256)];
            self.retired.push(std::mem::replace(&mut slot.outbox, larger));
            slot.used = 0;
        }
        let outbox = &mut slot.outbox[slot.used..slot.used + bytes.len()];
        outbox.copy_from_slice(bytes);
        let entry = opcode::Send::new(Fixed(connection as u32), outbox.as_ptr(), bytes.len() as u32)
            .flags(libc::MSG_NOSIGNAL | libc::MSG_WAITALL)
            .build()
            .flags(Flags::SKIP_SUCCESS)
            .user_data(tag(SEND, slot.generation, connection));
        slot.used += bytes.len();
        self.push(&entry);
        self.slots[connection].handed_over = self.handed_over;
    }

    fn close(&mut self, connection: usize, reset: bool) {
        let slot = &mut self.slots[connection];
        let Some(socket) = slot.socket.take() else { return };
        if reset {
            socket::reset_on_close(&socket);
        }
        let (was, receiving) = (slot.state, slot.receiving);
        let generation = slot.generation;
        slot.state = State::Closed;
        slot.receiving = None;
        slot.generation = slot.generation.wrapping_add(1);
        let mut parcels = std::mem::take(&mut slot.parcels).into_iter();
        let kind = receiving.or((was == State::Connecting).then_some(CONNECT));
        let other = kind.map(|kind| tag(kind, generation, connection));
        let mut gathered = slot.handed_over == self.handed_over;
        let sending = parcels.next().map(|number| tag(PARCEL, generation, number));
        // Those that wait behind the one on its way are not sent any more.
        parcels.for_each(|number| self.parcels[number] = None);
        for cancelled in other.into_iter().chain(sending) {
            let entry = opcode::AsyncCancel::new(cancelled)
                .build()
                .flags(Flags::SKIP_SUCCESS)
                .user_data(tag(CANCEL, 0, connection));
            self.push(&entry);
            gathered = true;
        }
        if gathered {
            // What was gathered for this socket must reach it before its number is another's.
            let _ = self.ring.submit();
            self.count_hand_over();
        }
        if was == State::Open {
            // Where it fails, the table's entry is replaced by the next socket.
            let _ = self.ring.submitter().register_files_update(connection as u32, &[-1]);
        }
    }

    fn wait(&mut self, until_ns: u64) -> io::Result<()> {
        self.completions.clear();
        self.next = 0;
        let now_ns = self.now_ns();
        if until_ns <= now_ns {
            self.hand_over()?;
        } else {
            let left_ns = (until_ns - now_ns).min(LONGEST_WAIT_NS);
            let timeout = Timespec::new().sec(left_ns / 1_000_000_000).nsec((left_ns % 1_000_000_000) as u32);
            let result = self.ring.submitter().submit_with_args(1, &SubmitArgs::new().timespec(&timeout));
            self.was_handed_over(result)?;
        }
        if let Some(clocks) = &mut self.clocks {
            clocks.compare();
        }
        self.gather_completions();
        Ok(())
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
                let entry = opcode::AsyncCancel::new(tag(kind, slot.generation, connection))
                    .build()
                    .flags(Flags::SKIP_SUCCESS)
                    .user_data(tag(CANCEL, 0, connection));
                self.push(&entry);
            }
        }
    }

    fn sleep(&mut self, until_ns: u64) -> io::Result<bool> {
        // Handing over sends at once; a socket that is full takes the rest when completions are run.
        self.hand_over()?;
        if self.parcels.iter().any(Option::is_some) {
            return Ok(false);
        }
        sleep_until(until_ns);
        Ok(true)
    }

    fn next(&mut self) -> Option<Event> {
        while let Some(&(user_data, result, flags)) = self.completions.get(self.next) {
            self.next += 1;
            if let Some(event) = self.completed(user_data, result, flags) {
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
