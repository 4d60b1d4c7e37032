//! A task for the workload users that answers as it should, until it does not.

use std::io::{self, BufRead, Write};
use std::time::{Duration, Instant};

use crate::users::{read, sha512};

/// What the task does wrong, once it has answered some lines as it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskFault {
    /// Nothing.
    None,
    /// The file of users is read once and kept.
    KeepsFile,
    /// The file is read again only when it was replaced.
    ReadsChanges,
    /// The hash is that of another password.
    WrongHash,
    /// It does not answer.
    Hangs,
    /// A line without end.
    Endless,
    /// It answers twice.
    Double,
    /// It says that it took a tenth of the time.
    ShortClock,
    /// It says that it took three times as long.
    LongClock,
    /// The process ends.
    Dies,
    /// It ends with another status than 0 at the end of its input.
    BadEnd,
    /// It takes all the memory that it can get.
    Hoards,
}

impl TaskFault {
    /// All of them by name.
    pub const ALL: [(&'static str, Self); 12] = [
        ("none", Self::None),
        ("keeps-file", Self::KeepsFile),
        ("reads-changes", Self::ReadsChanges),
        ("wrong-hash", Self::WrongHash),
        ("hangs", Self::Hangs),
        ("endless", Self::Endless),
        ("double", Self::Double),
        ("short-clock", Self::ShortClock),
        ("long-clock", Self::LongClock),
        ("dies", Self::Dies),
        ("bad-end", Self::BadEnd),
        ("hoards", Self::Hoards),
    ];
}

/// More lines than it is asked before it is measured.
const HONEST_LINES: usize = 8;

/// Answers the lines of an input. The exit code.
///
/// # Errors
/// When input or output fail.
pub fn work(input: impl BufRead, mut output: impl Write, fault: TaskFault) -> io::Result<u8> {
    let (mut kept, mut changed) = (String::new(), None);
    let mut lines = 0;
    for line in input.lines() {
        let (line, number) = (line?, lines);
        lines += 1;
        let active = if number < HONEST_LINES { TaskFault::None } else { fault };
        let (id, password) = line.split_once('\t').unwrap_or_default();
        let began = Instant::now();
        let is_kept = match active {
            TaskFault::KeepsFile => true,
            TaskFault::ReadsChanges => changed == modified(),
            _ => false,
        };
        if !is_kept {
            kept = read();
            changed = modified();
        }
        let text = if kept.contains(&format!("\"id\": {id},")) {
            sha512(if active == TaskFault::WrongHash { "other" } else { password }.to_owned())
        } else {
            "absent".to_owned()
        };
        let took = began.elapsed();
        let said = match active {
            TaskFault::ShortClock => took / 10,
            TaskFault::LongClock => took * 3 + Duration::from_secs(1),
            _ => took,
        };
        match active {
            TaskFault::Hangs => loop {
                std::thread::park();
            },
            TaskFault::Endless => loop {
                output.write_all(&[b'x'; 1024])?;
            },
            TaskFault::Dies => return Ok(3),
            TaskFault::Hoards => hoard(),
            _ => {}
        }
        let times = if active == TaskFault::Double { 2 } else { 1 };
        for _ in 0..times {
            writeln!(output, "{}\t{text}", said.as_nanos())?;
        }
        output.flush()?;
    }
    Ok(if fault == TaskFault::BadEnd && lines > HONEST_LINES { 4 } else { 0 })
}

fn modified() -> Option<std::time::SystemTime> {
    let dir = std::env::var_os("DATA_DIR")?;
    std::fs::metadata(std::path::Path::new(&dir).join("user.json")).ok()?.modified().ok()
}

fn hoard() -> ! {
    let mut hoard = Vec::new();
    loop {
        hoard.push(vec![1u8; 16 << 20]);
    }
}
