//! How bytes reach a socket, in order and each once.
//!
//! What is to be sent on a connection gathers in its outbox until the next hand-over, and then goes out as one send that is not to
//! wait: the kernel copies the bytes into the socket there and then, and says nothing. Only when the socket has no room for
//! all of it, the kernel says how much it took. Then the rest becomes a parcel, which keeps its memory until the kernel has
//! sent all of it, and what comes later waits in line behind it. So the kernel never reads an outbox after its hand-over,
//! and never has two sends of one connection.

use std::mem;

use io_uring::squeue::{Entry, Flags};
use io_uring::types::{Fd, Fixed};
use io_uring::{opcode, squeue};
use rustix::io::Errno;

use super::outgoing::Parcel;
use super::state::{File, State, Uring};
use super::tags::{PARCEL, SEND, generation_of, kind, number_of, tag};

/// An outbox with more than this becomes a parcel, so that memory does not stay with connections.
const OUTBOX_BYTES: usize = 8 * 1024;
/// The most that is asked of the kernel at once.
const MOST_AT_ONCE: usize = 1 << 30;

fn send(file: File, bytes: &[u8], flags: i32) -> Entry {
    let length = bytes.len().min(MOST_AT_ONCE) as u32;
    // Without MSG_WAITALL a send that was cut short would count as a success.
    let flags = libc::MSG_NOSIGNAL | libc::MSG_WAITALL | flags;
    match file {
        File::Table(index) => opcode::Send::new(Fixed(index), bytes.as_ptr(), length).flags(flags).build(),
        File::Own(fd) => opcode::Send::new(Fd(fd), bytes.as_ptr(), length).flags(flags).build(),
    }
}

impl Uring {
    /// Has bytes sent by the next hand-over, or after what is on its way.
    pub(super) fn gather_bytes(&mut self, connection: usize, bytes: &[u8]) {
        let slot = &mut self.slots[connection];
        if slot.state != State::Open {
            return;
        }
        // A socket that sends again is likely to be used for long; for a single request the table would cost more than it saves.
        if slot.outgoing.hand_over > 0 && matches!(slot.file, File::Own(_)) {
            self.put_into_table(connection);
        }
        let outgoing = &mut self.slots[connection].outgoing;
        if outgoing.parcel.is_some() {
            outgoing.line.extend_from_slice(bytes);
            return;
        }
        if outgoing.hand_over != self.sends.hand_over {
            outgoing.hand_over = self.sends.hand_over;
            outgoing.outbox.clear();
            self.sends.gathered.push(connection as u32);
        }
        outgoing.outbox.extend_from_slice(bytes);
    }

    /// Whether something was gathered for a connection and is still to be handed over.
    pub(super) fn has_gathered(&self, connection: usize) -> bool {
        self.slots[connection].outgoing.hand_over == self.sends.hand_over
    }

    /// Makes entries of what was gathered; [`super::ring::Ring::enter`] is to follow before anything else is gathered.
    pub(super) fn push_gathered(&mut self) {
        let mut gathered = mem::take(&mut self.sends.gathered);
        for connection in gathered.drain(..) {
            let connection = connection as usize;
            let slot = &mut self.slots[connection];
            // One that was closed meanwhile has nothing to send.
            if slot.outgoing.hand_over != self.sends.hand_over {
                continue;
            }
            if slot.outgoing.outbox.len() > OUTBOX_BYTES {
                let bytes = mem::take(&mut slot.outgoing.outbox);
                self.send_parcel(connection, bytes, 0);
                continue;
            }
            let entry = send(slot.file, &slot.outgoing.outbox, libc::MSG_DONTWAIT)
                .flags(squeue::Flags::SKIP_SUCCESS)
                .user_data(tag(SEND, slot.generation, connection));
            // SAFETY: the outbox is as it is until the entry is handed over, and the kernel does not look at it later.
            unsafe { self.ring.push(&entry) };
        }
        self.sends.gathered = gathered;
        self.sends.hand_over += 1;
    }

    fn send_parcel(&mut self, connection: usize, bytes: Vec<u8>, sent: usize) {
        let number = self.sends.free.pop().unwrap_or_else(|| {
            self.sends.parcels.push(None);
            self.sends.parcels.len() - 1
        });
        self.slots[connection].outgoing.parcel = Some(number);
        self.sends.parcels[number] = Some(Parcel { bytes, sent, connection });
        self.push_parcel(number);
    }

    fn push_parcel(&mut self, number: usize) {
        let Some(parcel) = &self.sends.parcels[number] else { return };
        let slot = &self.slots[parcel.connection];
        let entry = send(slot.file, &parcel.bytes[parcel.sent..], 0).flags(Flags::empty()).user_data(tag(
            PARCEL,
            slot.generation,
            number,
        ));
        // SAFETY: a parcel stays until its completion, or as long as the ring.
        unsafe { self.ring.push(&entry) };
    }

    /// Deals with what became of sends. What is to follow is handed over next.
    pub(super) fn settle_sends(&mut self) {
        while let Some((user_data, result, _)) = self.ring.next_send() {
            let (number, generation) = (number_of(user_data), generation_of(user_data));
            if kind(user_data) == SEND {
                self.was_refused(number, generation, result);
            } else {
                self.was_delivered(number, generation, result);
            }
        }
    }

    /// The socket did not take all of an outbox.
    fn was_refused(&mut self, connection: usize, generation: u32, result: i32) {
        let slot = &mut self.slots[connection];
        let sent = match result {
            0.. => result as usize,
            _ if result == -Errno::AGAIN.raw_os_error() => 0,
            // A broken connection is told of by its reception, after what had come before it broke.
            _ => return,
        };
        if slot.is_open(generation) && slot.outgoing.parcel.is_none() {
            let bytes = mem::take(&mut slot.outgoing.outbox);
            self.send_parcel(connection, bytes, sent);
        }
    }

    /// The kernel is done with a parcel.
    fn was_delivered(&mut self, number: usize, generation: u32, result: i32) {
        let Some(parcel) = &mut self.sends.parcels[number] else { return };
        let connection = parcel.connection;
        parcel.sent += usize::try_from(result).unwrap_or(0);
        let is_whole = parcel.sent >= parcel.bytes.len();
        let slot = &mut self.slots[connection];
        let is_current = slot.is_open(generation) && slot.outgoing.parcel == Some(number);
        if is_current && result > 0 && !is_whole {
            return self.push_parcel(number);
        }
        self.sends.parcels[number] = None;
        self.sends.free.push(number);
        if is_current {
            slot.outgoing.parcel = None;
            let line = mem::take(&mut slot.outgoing.line);
            // Nothing follows on a connection that is broken.
            if is_whole && !line.is_empty() {
                self.send_parcel(connection, line, 0);
            }
        }
    }
}
