//! The guard: a second process that outlives `velo` by moments, and ends what `velo` leaves behind when it is
//! killed. A parent-death signal would not do: it does not reach the workers that servers fork.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::cage::Cage;
use super::kin::with_descendants;
use super::pin::Pinned;
use super::{children, groups, tree};

const ARGUMENT: &str = "__guard";

/// The way to the guard. When it closes, for whatever reason, the guard ends what is still registered.
#[derive(Debug)]
pub(crate) struct Guard {
    child: Child,
}

impl Guard {
    /// Starts it.
    pub(crate) fn start() -> io::Result<Self> {
        let mut command = Command::new("/proc/self/exe");
        command.arg(ARGUMENT).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::inherit());
        // Its own group, so that Ctrl-C at the terminal does not reach it.
        command.process_group(0);
        Ok(Self { child: children::spawn(&mut command)? })
    }

    /// Registers a contender or a command: what to end, and the folder to remove, if it has one.
    pub(crate) fn watch(&self, cage: &Cage, work_dir: Option<&Path>) {
        let (key, value) = cage.environment();
        let mut text = format!("watch\t{key}={value}\n");
        for dir in cage.dirs() {
            text.push_str(&format!("group\t{key}={value}\t{}\n", dir.display()));
        }
        if let Some(work_dir) = work_dir {
            text.push_str(&format!("folder\t{key}={value}\t{}\n", work_dir.display()));
        }
        self.tell(&text);
    }

    /// Registers the folder that holds those of all contenders: it is removed last.
    pub(crate) fn watch_folder(&self, folder: &Path) {
        self.tell(&format!("base\t{}\n", folder.display()));
    }

    /// Names a contender's process group, once it is known.
    pub(crate) fn watch_group(&self, cage: &Cage, group: u32) {
        let (key, value) = cage.environment();
        self.tell(&format!("process\t{key}={value}\t{group}\n"));
    }

    /// Processes of others that are to be where they were when all has ended.
    pub(crate) fn put_back(&self, pinned: &[Pinned]) {
        pinned.iter().for_each(|one| self.tell(&format!("pinned\t{}\n", one.to_line())));
    }

    /// A contender has ended and left nothing.
    pub(crate) fn forget(&self, cage: &Cage) {
        let (key, value) = cage.environment();
        self.tell(&format!("forget\t{key}={value}\n"));
    }

    fn tell(&self, text: &str) {
        if let Some(mut pipe) = self.child.stdin.as_ref() {
            // A guard that is gone cannot be told; the run itself still ends what it started.
            let _ = pipe.write_all(text.as_bytes());
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // Its end is certain: its input has ended.
        let _ = self.child.wait();
        children::forget(self.child.id());
    }
}

#[derive(Debug, Default)]
struct Watched {
    environment: String,
    groups: Vec<PathBuf>,
    folder: Option<PathBuf>,
    process_group: Option<u32>,
}

/// Becomes the guard and never returns, when this process was started as one.
pub(crate) fn become_if_asked() {
    if std::env::args().nth(1).as_deref() != Some(ARGUMENT) {
        return;
    }
    let mut watched: Vec<Watched> = Vec::new();
    let mut bases: Vec<PathBuf> = Vec::new();
    let mut pinned: Vec<Pinned> = Vec::new();
    for line in BufReader::new(io::stdin()).lines() {
        let Ok(line) = line else { break };
        match (line.strip_prefix("base\t"), line.strip_prefix("pinned\t")) {
            (Some(folder), _) => bases.push(folder.into()),
            (_, Some(line)) => pinned.extend(Pinned::of_line(line)),
            _ => note(&mut watched, &line),
        }
    }
    pinned.iter().for_each(Pinned::put_back);
    for one in &watched {
        end(one);
    }
    for folder in &bases {
        // It is gone already when `velo` came to its end.
        let _ = fs::remove_dir_all(folder);
    }
    std::process::exit(0);
}

fn note(watched: &mut Vec<Watched>, line: &str) {
    let mut fields = line.splitn(3, '\t');
    let (Some(word), Some(environment)) = (fields.next(), fields.next()) else { return };
    let rest = fields.next();
    if word == "watch" {
        watched.push(Watched { environment: environment.to_owned(), ..Watched::default() });
        return;
    }
    if word == "forget" {
        watched.retain(|one| one.environment != environment);
        return;
    }
    let Some(one) = watched.iter_mut().find(|one| one.environment == environment) else { return };
    match (word, rest) {
        ("group", Some(dir)) => one.groups.push(dir.into()),
        ("folder", Some(dir)) => one.folder = Some(dir.into()),
        ("process", Some(group)) => one.process_group = group.parse().ok(),
        _ => {}
    }
}

/// Ends everything of a contender, however it hides, and removes what it leaves.
fn end(one: &Watched) {
    let deadline = Instant::now() + Duration::from_secs(5);
    loop {
        // Before anything is ended: afterwards nobody could tell whose they were.
        let mut left = tree::with_environment(&one.environment);
        left.extend(one.groups.iter().flat_map(|dir| groups::pids(dir)));
        let all = tree::processes();
        left.extend(
            all.iter().filter(|process| Some(process.group) == one.process_group).map(|process| process.pid),
        );
        let mut left = with_descendants(left.into_iter().collect(), &all);
        left.retain(|process| !process.is_zombie);
        for dir in &one.groups {
            // Each way may fail where another works.
            let _ = fs::write(dir.join("cgroup.freeze"), "0");
            let _ = fs::write(dir.join("freezer.state"), "THAWED");
            let _ = fs::write(dir.join("cgroup.kill"), "1");
        }
        let left: Vec<u32> = left.iter().map(|process| process.pid).collect();
        for held in tree::hold(&left) {
            held.signal(Signal::KILL);
        }
        if left.is_empty() || Instant::now() > deadline {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    for dir in &one.groups {
        // Nobody is left who could be told.
        let _ = groups::remove(dir, deadline.saturating_duration_since(Instant::now()));
    }
    if let Some(folder) = &one.folder {
        let _ = fs::remove_dir_all(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_forgotten_is_not_ended() {
        let mut watched = Vec::new();
        for line in [
            "watch\tA=1",
            "group\tA=1\t/x",
            "process\tA=1\t77",
            "folder\tA=1\t/f",
            "watch\tA=2",
            "",
            "?\tA=1",
        ] {
            note(&mut watched, line);
        }
        assert_eq!(watched.len(), 2);
        assert_eq!((watched[0].groups.len(), watched[0].process_group), (1, Some(77)));
        note(&mut watched, "forget\tA=1");
        assert_eq!(watched.iter().map(|one| one.environment.as_str()).collect::<Vec<_>>(), ["A=2"]);
    }
}
