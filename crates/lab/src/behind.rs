//! A command of somebody's own at the far end of a link, kept and ended like a contender.

use std::ffi::OsString;
use std::io;
use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};

use tempfile::TempDir;
use velo_link::{LinkHandle, Options};
use velo_model::Link;

use crate::LabError;
use crate::process::cage::{Cage, CageMaker};
use crate::process::end::end;
use crate::process::guard::Guard;
use crate::process::listening::listeners;

/// A command that runs behind a link.
#[derive(Debug)]
pub struct Behind {
    link: LinkHandle,
    cage: Cage,
    child: Child,
    /// Ends what is left when this process is killed.
    guard: Guard,
    is_over: bool,
    _folder: TempDir,
}

impl Behind {
    /// Opens a link and starts a command, a program and its arguments, at its far end. Its environment, folder, standard output and
    /// standard error are this process's; it is a process group of its own.
    ///
    /// # Errors
    /// When there can be no link here, or the command cannot be started.
    pub fn start(link: &Link, options: &Options, command: &[OsString]) -> Result<Self, LabError> {
        let link = LinkHandle::open(link, options)
            .map_err(|error| LabError::Unfit { what: error.to_string(), cure: error.cure().to_owned() })?;
        let unfit = |what: &str| {
            let what = what.to_owned();
            move |error: io::Error| LabError::Unfit {
                what: format!("{what}: {error}"),
                cure: "see `velo doctor`".to_owned(),
            }
        };
        let guard = Guard::start().map_err(unfit("no guard for the command"))?;
        let folder = tempfile::Builder::new().prefix("velo-").tempdir();
        let folder = folder.map_err(unfit("no temporary folder"))?;
        let name = format!("velo-link-{}-{}", std::process::id(), jiff::Timestamp::now().as_millisecond());
        let mut cage = CageMaker::find().make(&name, &[]).map_err(unfit("no control group"))?;
        guard.watch(&cage, Some(folder.path()));
        match spawn(&link, &mut cage, command) {
            Ok(child) => {
                guard.watch_group(&cage, child.id());
                Ok(Self { link, cage, child, guard, is_over: false, _folder: folder })
            }
            Err(source) => {
                // Nothing has entered it.
                let _ = cage.remove();
                guard.forget(&cage);
                let program = command.first().map(|program| program.to_string_lossy().into_owned());
                Err(LabError::Unfit {
                    what: format!("{} cannot be started: {source}", program.unwrap_or_default()),
                    cure: "expected a program and its arguments behind --".to_owned(),
                })
            }
        }
    }

    /// The link.
    pub fn link(&self) -> &LinkHandle {
        &self.link
    }

    /// Where its processes listen, in ascending order, as they name it themselves.
    pub fn listeners(&self) -> Vec<SocketAddr> {
        let pids = self.cage.pids();
        // Where that cannot be looked at, nobody is seen to listen.
        self.link.far().within(|| listeners(&pids)).unwrap_or_default()
    }

    /// How the command ended; `None` while it runs.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Asks all of its processes to end, and ends those that do not within 5 seconds.
    pub fn end(&mut self) {
        if !self.is_over {
            self.is_over = true;
            end(&self.cage, &mut self.child);
            self.guard.forget(&self.cage);
        }
    }
}

impl Drop for Behind {
    fn drop(&mut self) {
        self.end();
    }
}

fn spawn(link: &LinkHandle, cage: &mut Cage, command: &[OsString]) -> io::Result<Child> {
    let (program, arguments) =
        command.split_first().ok_or_else(|| io::Error::other("no program was named"))?;
    let mut spawned = Command::new(program);
    let (key, value) = cage.environment();
    spawned.args(arguments).env(key, value).stdin(Stdio::null()).process_group(0);
    let (entry, far) = (cage.entry()?, link.far().try_clone()?);
    let enter = move || {
        entry.enter()?;
        far.enter()
    };
    // SAFETY: between fork and exec only two kinds of system call are made, on values made before; nothing is allocated and no
    // lock is taken.
    unsafe { spawned.pre_exec(enter) };
    cage.spawn(&mut spawned)
}
