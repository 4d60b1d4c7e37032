//! Network namespaces that no name and no file keeps alive.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::path::PathBuf;
use std::thread;

use rustix::thread::{LinkNameSpaceType, UnshareFlags, move_into_link_name_space, unshare_unsafe};

/// A network namespace. It is gone once this is dropped and no process and no socket is left in it.
#[derive(Debug)]
pub struct Namespace {
    file: File,
}

impl Namespace {
    /// Makes one, with nothing in it but a loopback device that is down.
    pub(crate) fn new() -> io::Result<Self> {
        let made = || -> io::Result<Self> {
            // SAFETY: only the network namespace is left; descriptors and all other parts stay shared with the other threads.
            unsafe { unshare_unsafe(UnshareFlags::NEWNET) }?;
            Ok(Self { file: File::open("/proc/thread-self/ns/net")? })
        };
        on_a_thread(made)?
    }

    /// The one that the calling thread is in.
    pub(crate) fn current() -> io::Result<Self> {
        Ok(Self { file: File::open("/proc/thread-self/ns/net")? })
    }

    /// Another hold on the same.
    ///
    /// # Errors
    /// When this process has no descriptor left.
    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(Self { file: self.file.try_clone()? })
    }

    /// Where it can be opened, as by `nsenter --net=PATH`, while this process has it.
    pub fn path(&self) -> PathBuf {
        format!("/proc/{}/fd/{}", std::process::id(), self.file.as_raw_fd()).into()
    }

    /// Puts the calling thread, and what it starts later, into it. One system call: also for a process that was just forked.
    ///
    /// # Errors
    /// When the kernel refuses it.
    pub fn enter(&self) -> io::Result<()> {
        Ok(move_into_link_name_space(self.file.as_fd(), Some(LinkNameSpaceType::Network))?)
    }

    /// Does something inside, on a thread for it alone, so that the calling one stays where it is. Sockets that are made there,
    /// and threads that are started there, belong to the namespace for good.
    ///
    /// # Errors
    /// When it cannot be entered, or the thread cannot be started.
    pub fn within<T: Send>(&self, act: impl FnOnce() -> T + Send) -> io::Result<T> {
        on_a_thread(|| self.enter().map(|()| act()))?
    }
}

fn on_a_thread<T: Send>(act: impl FnOnce() -> T + Send) -> io::Result<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("link-ns".to_owned()).spawn_scoped(scope, act)?;
        match thread.join() {
            Ok(done) => Ok(done),
            Err(panicked) => std::panic::resume_unwind(panicked),
        }
    })
}
