//! Which driver moves the bytes.

use std::io;

use super::border::Driver;
use super::epoll::Epoll;
use super::uring::Uring;

/// With fewer connections than this a wait returns one answer at a time, and io_uring has nothing to gather.
const FEWEST_FOR_URING: usize = 4;

/// How the generator moves bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DriverChoice {
    /// io_uring where the kernel gives it and it is cheaper, else epoll.
    #[default]
    Auto,
    /// epoll.
    Epoll,
    /// io_uring, or an error.
    IoUring,
}

impl DriverChoice {
    /// What will move the bytes on this machine when a worker has so many connections: `epoll` or `io_uring`.
    pub fn name(self, connections: u32) -> &'static str {
        match self.open(connections as usize) {
            Ok(Opened::Uring(_)) => Uring::NAME,
            Ok(Opened::Epoll(_)) | Err(_) => Epoll::NAME,
        }
    }

    /// What moves the bytes of so many connections.
    pub(crate) fn open(self, connections: usize) -> io::Result<Opened> {
        let epoll = || Epoll::new().map(Box::new).map(Opened::Epoll);
        let uring = || Uring::new().map(Box::new).map(Opened::Uring);
        match self {
            Self::Epoll => epoll(),
            Self::IoUring => uring(),
            Self::Auto if connections < FEWEST_FOR_URING => epoll(),
            // An older kernel, or one where it is forbidden.
            Self::Auto => uring().or_else(|_| epoll()),
        }
    }
}

/// A driver that is ready for connections.
pub(crate) enum Opened {
    Epoll(Box<Epoll>),
    Uring(Box<Uring>),
}
