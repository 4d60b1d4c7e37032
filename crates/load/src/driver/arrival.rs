//! When bytes came, as the kernel noted it: an answer that lies unread for a while is not slower for that.

use std::os::fd::{AsRawFd, OwnedFd};

use rustix::io::Errno;
use rustix::time::{ClockId, clock_gettime};

/// Room for what the kernel tells beside the bytes: a header of two words and a time of two.
pub(super) const CONTROL_BYTES: usize = 64;

/// Carries the kernel's notes, which are on the clock of the day, to the driver's clock.
#[derive(Debug, Default)]
pub(super) struct Clocks {
    /// The clock of the day less the driver's.
    ahead_ns: i64,
    now_ns: u64,
}

impl Clocks {
    /// Compares the clocks. Often enough, so that a clock of the day that is being set right does no harm.
    pub(super) fn compare(&mut self) {
        let mut before_ns = super::monotonic_ns();
        for _ in 0..TRIES {
            let day = clock_gettime(ClockId::Realtime);
            self.now_ns = super::monotonic_ns();
            let day_ns = day.tv_sec.saturating_mul(1_000_000_000).saturating_add(day.tv_nsec);
            self.ahead_ns = day_ns.saturating_sub(self.now_ns as i64);
            // Otherwise the thread was interrupted in between, and the difference is not that of the clocks.
            if self.now_ns - before_ns <= AT_ONCE_NS {
                return;
            }
            before_ns = self.now_ns;
        }
    }

    /// What a reception's control bytes say of when its last bytes came; `None` when they do not.
    pub(super) fn came_ns(&self, control: &[u8]) -> Option<u64> {
        let came_ns = u64::try_from(noted_ns(control)?.saturating_sub(self.ahead_ns)).ok()?;
        // A clock that was set between the two readings shows a time to come.
        (came_ns <= self.now_ns + FORESIGHT_NS).then_some(came_ns)
    }
}

/// Two readings of clocks take less than this.
const AT_ONCE_NS: u64 = 5_000;
const TRIES: usize = 4;
/// How far behind the last comparison of the clocks a reception may lie: they are compared at each wait.
const FORESIGHT_NS: u64 = 100_000_000;

/// Lets the kernel note when bytes come, or not. Sockets that cannot (of local files) stay as they are.
pub(super) fn note(socket: &OwnedFd, on: bool) {
    let on = libc::c_int::from(on);
    // SAFETY: the option's value is an int, and its length is given.
    unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_TIMESTAMPNS,
            (&raw const on).cast(),
            size_of_val(&on) as libc::socklen_t,
        );
    }
}

/// Receives bytes, and what the kernel says of them: how many there are of each.
pub(super) fn receive(
    socket: &OwnedFd,
    bytes: &mut [u8],
    control: &mut [u8; CONTROL_BYTES],
) -> Result<(usize, usize), Errno> {
    let mut part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    let mut message = header(control.len());
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    // SAFETY: all pointers are to memory of the lengths given with them, which outlives the call.
    let received = unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut message, 0) };
    if received < 0 {
        let error = std::io::Error::last_os_error();
        return Err(Errno::from_io_error(&error).unwrap_or(Errno::IO));
    }
    Ok((received as usize, message.msg_controllen))
}

/// A message without address or bytes, and with room for so many control bytes.
pub(super) fn header(control_bytes: usize) -> libc::msghdr {
    // SAFETY: null pointers and zero lengths are a valid message.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_controllen = control_bytes as _;
    message
}

/// The kernel's note among control bytes, on the clock of the day.
fn noted_ns(mut control: &[u8]) -> Option<i64> {
    const HEADER: usize = size_of::<libc::cmsghdr>();
    const WORD: usize = size_of::<usize>();
    loop {
        let length = usize::from_ne_bytes(control.get(..WORD)?.try_into().ok()?);
        let level = i32::from_ne_bytes(control.get(WORD..WORD + 4)?.try_into().ok()?);
        let kind = i32::from_ne_bytes(control.get(WORD + 4..WORD + 8)?.try_into().ok()?);
        if (level, kind) == (libc::SOL_SOCKET, libc::SCM_TIMESTAMPNS) {
            let number = |at: usize| {
                let word: [u8; WORD] = control.get(at..at + WORD)?.try_into().ok()?;
                i64::try_from(isize::from_ne_bytes(word)).ok()
            };
            return number(HEADER)?.checked_mul(1_000_000_000)?.checked_add(number(HEADER + WORD)?);
        }
        if length < HEADER {
            return None;
        }
        control = control.get(length.next_multiple_of(WORD)..)?;
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::net::{TcpListener, TcpStream};
    use std::thread;
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::*;
    use crate::driver::monotonic_ns;

    #[test]
    fn bytes_that_lie_unread_came_when_they_came() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let socket: OwnedFd = TcpStream::connect(listener.local_addr().unwrap()).expect("a server").into();
        let (mut peer, _) = listener.accept().expect("a connection");
        note(&socket, true);
        let (mut bytes, mut control, mut clocks) = ([0; 16], [0; CONTROL_BYTES], Clocks::default());
        let deadline = Instant::now() + Duration::from_secs(20);
        // The kernel begins to note somewhat after it was asked for the first time.
        loop {
            let before_ns = monotonic_ns();
            peer.write_all(b"x").expect("a connection");
            let sent_ns = monotonic_ns();
            thread::sleep(Duration::from_millis(20));
            clocks.compare();
            let (received, told) = receive(&socket, &mut bytes, &mut control).expect("a byte");
            assert_eq!(received, 1);
            if let Some(came_ns) = clocks.came_ns(&control[..told]) {
                // The two clocks are not read at the same moment.
                let near_ns = 5_000_000;
                assert!(
                    came_ns + near_ns >= before_ns && came_ns <= sent_ns + near_ns,
                    "{came_ns} {sent_ns}"
                );
                return;
            }
            assert!(Instant::now() < deadline, "the kernel notes nothing");
        }
    }

    #[test]
    fn a_time_to_come_is_no_time() {
        let mut clocks = Clocks::default();
        clocks.compare();
        let word = |value: i64| value.to_ne_bytes();
        let note_of = |ns: i64| {
            let mut control = 32_usize.to_ne_bytes().to_vec();
            control.extend(libc::SOL_SOCKET.to_ne_bytes());
            control.extend(libc::SCM_TIMESTAMPNS.to_ne_bytes());
            control.extend([word(ns / 1_000_000_000), word(ns % 1_000_000_000)].concat());
            control
        };
        let now_ns = clocks.now_ns;
        let on_day = |ns: u64| ns as i64 + clocks.ahead_ns;
        assert_eq!(clocks.came_ns(&note_of(on_day(now_ns - 1_000_000))), Some(now_ns - 1_000_000));
        assert_eq!(clocks.came_ns(&note_of(on_day(now_ns + 3_600_000_000_000))), None);
        assert_eq!(clocks.came_ns(&[]), None);
    }

    proptest! {
        #[test]
        fn any_control_bytes_are_read_or_refused(control in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = noted_ns(&control);
        }
    }
}
