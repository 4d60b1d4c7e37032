//! When bytes came, as the kernel noted it: an answer that lies unread for a while is not slower for that.

use std::os::fd::{AsRawFd, OwnedFd};

use rustix::io::Errno;
use rustix::time::{ClockId, clock_gettime};

/// Room for what the kernel tells beside the bytes: a header of two words and a time of two.
pub(super) const CONTROL_BYTES: usize = 64;

/// Carries the kernel's notes, which are on the clock of the day, to the driver's clock.
#[derive(Debug, Default)]
pub(super) struct Clocks {
    last: Comparison,
    before: Option<Comparison>,
    /// The clock of the day was set between the two, and what is told of may have been noted before that or after it.
    was_set: bool,
}

/// The two clocks at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Comparison {
    /// On the driver's clock.
    now_ns: u64,
    /// The clock of the day less the driver's.
    ahead_ns: i64,
    /// The two were read within this time.
    within_ns: u64,
}

impl Comparison {
    /// Whether the clock of the day was set since an earlier comparison, and not only pushed or slowed a little.
    fn shows_a_step_since(&self, earlier: &Self) -> bool {
        let elapsed_ns = self.now_ns.saturating_sub(earlier.now_ns);
        let unknown_ns = self.within_ns.saturating_add(earlier.within_ns);
        self.ahead_ns.abs_diff(earlier.ahead_ns) > unknown_ns.saturating_add(elapsed_ns / GREATEST_SLEW)
    }
}

impl Clocks {
    /// Compares the clocks. Often enough, so that a clock of the day that is being set right does no harm.
    pub(super) fn compare(&mut self) {
        let mut comparison = Comparison::default();
        let mut before_ns = super::monotonic_ns();
        for _ in 0..TRIES {
            let day = clock_gettime(ClockId::Realtime);
            let now_ns = super::monotonic_ns();
            let day_ns = day.tv_sec.saturating_mul(1_000_000_000).saturating_add(day.tv_nsec);
            let ahead_ns = day_ns.saturating_sub(now_ns as i64);
            comparison = Comparison { now_ns, ahead_ns, within_ns: (now_ns - before_ns).max(AT_ONCE_NS) };
            // Otherwise the thread was interrupted in between, and the difference is not that of the clocks.
            if comparison.within_ns <= AT_ONCE_NS {
                break;
            }
            before_ns = now_ns;
        }
        self.take(comparison);
    }

    fn take(&mut self, comparison: Comparison) {
        let before = (self.last != Comparison::default()).then_some(self.last);
        self.was_set = before.is_some_and(|before| comparison.shows_a_step_since(&before));
        (self.before, self.last) = (before, comparison);
    }

    /// What a reception's control bytes say of when its last bytes came; `None` when they do not.
    pub(super) fn came_ns(&self, control: &[u8]) -> Option<u64> {
        if self.was_set {
            return None;
        }
        let came_ns = u64::try_from(noted_ns(control)?.saturating_sub(self.last.ahead_ns)).ok()?;
        // A clock that was set before or after the comparisons shows a time to come, or one when nothing was there to be told of.
        let earliest_ns = self.before.map_or(0, |before| before.now_ns.saturating_sub(HINDSIGHT_NS));
        (earliest_ns..=self.last.now_ns + FORESIGHT_NS).contains(&came_ns).then_some(came_ns)
    }
}

/// Two readings of clocks take less than this.
const AT_ONCE_NS: u64 = 5_000;
const TRIES: usize = 4;
/// A clock that is being set right goes too fast or too slow by this part at most: chrony's bound is a twelfth.
const GREATEST_SLEW: u64 = 10;
/// How far behind the last comparison of the clocks a reception may lie: they are compared at each wait.
const FORESIGHT_NS: u64 = 100_000_000;
/// How long before the comparison before that it may have come: not all that is there is told of after each wait.
const HINDSIGHT_NS: u64 = 100_000_000;

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
    // Of another width with musl.
    Ok((received as usize, message.msg_controllen as _))
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

    /// Control bytes with a note of the clock of the day.
    fn note_of(day_ns: i64) -> Vec<u8> {
        let word = |value: i64| value.to_ne_bytes();
        let mut control = 32_usize.to_ne_bytes().to_vec();
        control.extend(libc::SOL_SOCKET.to_ne_bytes());
        control.extend(libc::SCM_TIMESTAMPNS.to_ne_bytes());
        control.extend([word(day_ns.div_euclid(S)), word(day_ns.rem_euclid(S))].concat());
        control
    }

    const S: i64 = 1_000_000_000;
    const MS: u64 = 1_000_000;
    /// What the clock of the day is ahead of the driver's, before it is set.
    const AHEAD_NS: i64 = 1_800_000_000 * S;

    fn compared(now_ns: u64, step_ns: i64) -> Comparison {
        Comparison { now_ns, ahead_ns: AHEAD_NS + step_ns, within_ns: AT_ONCE_NS }
    }

    #[test]
    fn a_time_to_come_is_no_time() {
        let mut clocks = Clocks::default();
        clocks.compare();
        let now_ns = clocks.last.now_ns;
        let on_day = |ns: u64| ns as i64 + clocks.last.ahead_ns;
        assert_eq!(clocks.came_ns(&note_of(on_day(now_ns - 1_000_000))), Some(now_ns - 1_000_000));
        assert_eq!(clocks.came_ns(&note_of(on_day(now_ns + 3_600_000_000_000))), None);
        assert_eq!(clocks.came_ns(&[]), None);
    }

    #[test]
    fn what_was_noted_before_the_clock_of_the_day_was_set_has_no_time() {
        for step_ns in [S / 1000, S, 3600 * S, -S / 1000, -S, -3600 * S] {
            let mut clocks = Clocks::default();
            let mut told = |now_ns: u64, step_ns: i64, note_ns: i64| {
                clocks.take(compared(now_ns, step_ns));
                clocks.came_ns(&note_of(AHEAD_NS + note_ns))
            };
            assert_eq!(told(1000 * MS, 0, 999 * S / 1000), Some(999 * MS));
            // It came at 1.0005 s, and then the clock was set, before it is told of at 1.001 s.
            assert_eq!(told(1001 * MS, step_ns, 10_005 * S / 10_000), None, "{step_ns}");
            // What comes afterwards has its time.
            assert_eq!(told(1002 * MS, step_ns, step_ns + 10_015 * S / 10_000), Some(1_001_500_000));
        }
    }

    #[test]
    fn a_note_that_is_told_of_late_is_older_than_the_step_or_has_its_time() {
        // Set forward by a second between the first two comparisons, and told of after the third.
        let mut clocks = Clocks::default();
        for (now_ns, step_ns) in [(1000 * MS, 0), (1001 * MS, S), (1002 * MS, S)] {
            clocks.take(compared(now_ns, step_ns));
        }
        assert_eq!(clocks.came_ns(&note_of(AHEAD_NS + 10_005 * S / 10_000)), None);
        assert_eq!(clocks.came_ns(&note_of(AHEAD_NS + S + 10_005 * S / 10_000)), Some(1_000_500_000));
    }

    #[test]
    fn a_clock_that_is_being_set_right_was_not_set() {
        // As fast as chrony may make it, looked at in turns of 1 us and of 50 ms, read with errors.
        let (mut clocks, mut now_ns, mut ahead_ns) = (Clocks::default(), S as u64, AHEAD_NS);
        for turn in 0..1000 {
            let elapsed_ns = [1000, 50 * MS][turn % 2];
            now_ns += elapsed_ns;
            ahead_ns += (elapsed_ns / 12) as i64;
            let error_ns = [0, AT_ONCE_NS as i64][turn % 2];
            clocks.take(Comparison { now_ns, ahead_ns: ahead_ns + error_ns, within_ns: AT_ONCE_NS });
            assert!(!clocks.was_set);
            assert_eq!(
                clocks.came_ns(&note_of(now_ns as i64 - 500 + ahead_ns + error_ns)),
                Some(now_ns - 500)
            );
        }
    }

    proptest! {
        #[test]
        fn any_control_bytes_are_read_or_refused(control in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = noted_ns(&control);
        }

        /// Wherever the clock of the day jumps, an answer's time is near the comparisons that it lies between.
        #[test]
        fn no_time_is_far_from_when_it_was_told_of(
            gap_ns in 1..60 * MS,
            step_ns in -3600 * S..3600 * S,
            note_ns in -3600 * S..3600 * S,
        ) {
            let mut clocks = Clocks::default();
            let start_ns = 4000 * S as u64;
            clocks.take(compared(start_ns, 0));
            clocks.take(compared(start_ns + gap_ns, step_ns));
            if let Some(came_ns) = clocks.came_ns(&note_of(AHEAD_NS + start_ns as i64 + note_ns)) {
                prop_assert!(came_ns >= start_ns - HINDSIGHT_NS);
                prop_assert!(came_ns <= start_ns + gap_ns + FORESIGHT_NS);
                prop_assert!(step_ns.unsigned_abs() <= 2 * AT_ONCE_NS + gap_ns / GREATEST_SLEW);
            }
        }
    }
}
