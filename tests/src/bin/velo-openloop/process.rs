use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_setaffinity};

use crate::Outcome;

/// A process that has ended.
pub(crate) struct Ended {
    pub(crate) success: bool,
    pub(crate) cpu_ns: u64,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

pub(crate) fn cpu_set(cpu: usize) -> CpuSet {
    let mut cpus = CpuSet::new();
    cpus.set(cpu);
    cpus
}

/// The command runs on this CPU alone.
pub(crate) fn on_cpu(command: &mut Command, cpu: usize) -> &mut Command {
    let cpus = cpu_set(cpu);
    // SAFETY: one system call on a value made before; nothing is allocated between fork and exec.
    unsafe { command.pre_exec(move || Ok(sched_setaffinity(None, &cpus)?)) }
}

/// Runs a command to its end, or ends it after a limit; its output goes through files in the folder, because a pipe
/// that nobody reads would stop it.
pub(crate) fn finish(command: &mut Command, folder: &Path, limit: Duration) -> Outcome<Ended> {
    let (out, err) = (folder.join("stdout"), folder.join("stderr"));
    command.stdin(Stdio::null()).stdout(File::create(&out)?).stderr(File::create(&err)?);
    let mut child = command.spawn()?;
    let (success, cpu_ns) = wait(&mut child, limit)?;
    let read = |file: &Path| -> io::Result<String> {
        Ok(String::from_utf8_lossy(&std::fs::read(file)?).into_owned())
    };
    Ok(Ended { success, cpu_ns, stdout: read(&out)?, stderr: read(&err)? })
}

/// Whether it ended well, and the CPU time of it and of all processes that it waited for.
fn wait(child: &mut Child, limit: Duration) -> Outcome<(bool, u64)> {
    let deadline = Instant::now() + limit;
    loop {
        let mut status = 0;
        // SAFETY: rusage is plain numbers, for which all zeroes are valid.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        let (pid, late) = (child.id() as libc::pid_t, Instant::now() > deadline);
        if late {
            child.kill()?;
        }
        let options = if late { 0 } else { libc::WNOHANG };
        // SAFETY: the child has not been waited for, and both places are valid for writing.
        match unsafe { libc::wait4(pid, &raw mut status, options, &raw mut usage) } {
            0 => std::thread::sleep(Duration::from_millis(50)),
            waited if waited < 0 => return Err(io::Error::last_os_error().into()),
            _ => {
                let ns = |time: libc::timeval| (time.tv_sec as u64 * 1_000_000 + time.tv_usec as u64) * 1000;
                return Ok((status == 0 && !late, ns(usage.ru_utime) + ns(usage.ru_stime)));
            }
        }
    }
}
