use std::io;
use std::os::fd::{AsFd, FromRawFd, OwnedFd};

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// SIGUSR1: a report.
    Report,
    /// SIGTERM: to end.
    End,
}

/// SIGTERM and SIGUSR1 as a file that can be waited for.
pub(crate) fn taken() -> io::Result<OwnedFd> {
    // SAFETY: a signal set is plain numbers, for which all zeroes are valid; sigemptyset makes it a proper one.
    let mut set: libc::sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: the set is valid for writing, the signal numbers are valid, and no other thread runs yet.
    let file = unsafe {
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGTERM);
        libc::sigaddset(&raw mut set, libc::SIGUSR1);
        libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
        libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK)
    };
    if file < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new and nobody else's.
    Ok(unsafe { OwnedFd::from_raw_fd(file) })
}

/// The next signal that came.
pub(crate) fn next(file: impl AsFd) -> Option<Asked> {
    let mut record = [0; size_of::<libc::signalfd_siginfo>()];
    let read = rustix::io::read(file, &mut record).ok()?;
    // The number comes first.
    let number = u32::from_ne_bytes(*record.first_chunk().filter(|_| read == record.len())?);
    Some(if number == libc::SIGUSR1 as u32 { Asked::Report } else { Asked::End })
}
