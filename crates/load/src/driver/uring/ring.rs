use std::io;

use io_uring::squeue::Entry;
use io_uring::types::{SubmitArgs, Timespec};
use io_uring::{IoUring, Submitter};
use rustix::io::Errno;

use super::tags::{PARCEL, SEND, kind};
use crate::driver::clock::{monotonic_ns, sleep_until};

/// The kernel's two queues: entries go in, completions come out.
///
/// When the kernel will not take the entries, they must not wait for better times: by then a number in them may stand for
/// another socket. So the ring is given up for good, and never entered again.
pub(super) struct Ring {
    queues: IoUring,
    given_up: Option<Errno>,
    /// What came and is still to be told of, from `next` on.
    completions: Vec<Completion>,
    next: usize,
    /// What became of sends, as far as that is told.
    sends: Vec<Completion>,
}

/// What an entry was for, its result, and flags.
pub(super) type Completion = (u64, i32, u32);

const ENTRIES: u32 = 512;
const COMPLETIONS: u32 = 4096;
/// How often the kernel is asked to take what it did not take at once, for want of memory most of all, and the pause between.
const MOST_TRIES: u32 = 100;
const PAUSE_NS: u64 = 1_000_000;

impl Ring {
    pub(super) fn new() -> io::Result<Self> {
        let queues: IoUring = IoUring::builder()
            .setup_single_issuer()
            .setup_defer_taskrun()
            // Tells whether completions wait to be run, so that a look without waiting runs them.
            .setup_taskrun_flag()
            .setup_submit_all()
            .setup_cqsize(COMPLETIONS)
            .build(ENTRIES)?;
        let parameters = queues.params();
        if !parameters.is_feature_ext_arg()
            || !parameters.is_feature_skip_cqe_on_success()
            || !parameters.is_feature_nodrop()
        {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let completions = Vec::with_capacity(COMPLETIONS as usize);
        Ok(Self { queues, given_up: None, completions, next: 0, sends: Vec::new() })
    }

    pub(super) fn submitter(&self) -> Submitter<'_> {
        self.queues.submitter()
    }

    /// An error when the ring was given up.
    pub(super) fn check(&self) -> io::Result<()> {
        self.given_up.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Adds an entry, unless the ring was given up.
    ///
    /// # Safety
    /// What the entry points to must stay until the kernel is done with it, or the ring is gone.
    pub(super) unsafe fn push(&mut self, entry: &Entry) {
        // SAFETY: as the caller says.
        while self.given_up.is_none() && unsafe { self.queues.submission().push(entry) }.is_err() {
            // The queue is full. An error is kept, and told of by the next call.
            let _ = self.enter(0);
        }
    }

    /// Hands over all entries and waits so long for a completion, or not at all.
    pub(super) fn enter(&mut self, wait_ns: u64) -> io::Result<()> {
        self.check()?;
        let mut result = if wait_ns == 0 {
            self.queues.submit()
        } else {
            let timeout = Timespec::new().sec(wait_ns / 1_000_000_000).nsec((wait_ns % 1_000_000_000) as u32);
            self.queues.submitter().submit_with_args(1, &SubmitArgs::new().timespec(&timeout))
        };
        for tried in 0.. {
            let error = result.err().map(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO));
            let is_passing =
                matches!(error, None | Some(Errno::TIME | Errno::INTR | Errno::AGAIN | Errno::BUSY));
            if is_passing && self.queues.submission().is_empty() {
                return Ok(());
            }
            if !is_passing || tried == MOST_TRIES {
                self.given_up = Some(error.unwrap_or(Errno::AGAIN));
                break;
            }
            // It may want its completions read first.
            self.take_completions();
            if tried > 0 {
                sleep_until(monotonic_ns() + PAUSE_NS);
            }
            result = self.queues.submit();
        }
        self.check()
    }

    /// Takes all completions that there are, also those that the kernel had no room for. What became of every send that was
    /// handed over is known afterwards, but for those that wait for their socket.
    pub(super) fn gather(&mut self) -> io::Result<()> {
        self.take_completions();
        while self.queues.submission().cq_overflow() {
            self.enter(0)?;
            self.take_completions();
        }
        Ok(())
    }

    fn take_completions(&mut self) {
        for entry in self.queues.completion() {
            let completion = (entry.user_data(), entry.result(), entry.flags());
            if matches!(kind(completion.0), SEND | PARCEL) {
                self.sends.push(completion);
            } else {
                self.completions.push(completion);
            }
        }
    }

    /// The next completion that is not a send's.
    pub(super) fn next(&mut self) -> Option<Completion> {
        let &completion = self.completions.get(self.next)?;
        self.next += 1;
        Some(completion)
    }

    /// What became of a send.
    pub(super) fn next_send(&mut self) -> Option<Completion> {
        self.sends.pop()
    }

    /// Says whether a completion is left to be told of.
    pub(super) fn has_more(&mut self) -> bool {
        self.completions.drain(..self.next);
        self.next = 0;
        !self.completions.is_empty()
    }
}
