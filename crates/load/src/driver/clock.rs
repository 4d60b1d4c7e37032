//! The clock of drivers with sockets.

/// Nanoseconds of the monotonic clock.
pub(crate) fn monotonic_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

pub(super) fn sleep_until(until_ns: u64) {
    let until = rustix::time::Timespec {
        tv_sec: (until_ns / 1_000_000_000) as i64,
        tv_nsec: (until_ns % 1_000_000_000) as i64,
    };
    // A signal ends it early, and the loop looks at the clock anyway.
    let _ = rustix::thread::clock_nanosleep_absolute(rustix::time::ClockId::Monotonic, &until);
}
