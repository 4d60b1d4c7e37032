//! A client's answer to the order to fetch a file, and a process that fetches one after another.

use std::time::{Duration, Instant};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use velo_model::{Download, Manner, PartyRole, Workload};
use velo_record::{Party, TaskIteration, TaskProcess};

use super::feed::{NoIteration, feed};
use super::line::excerpt;
use crate::course::rig::Rig;
use crate::prepare::verify::VerifiedTask;
use crate::progress::Stop;
use crate::sides::feed::NoAnswer;
use crate::sides::files::{Files, Lot};
use crate::sides::serve_side::Worker;
use crate::sides::worker::left_behind;

/// How much of an error is kept.
const ERROR_CHARS: usize = 100;

/// What a client answers to a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Said {
    /// It has saved the file.
    Saved(Fetched),
    /// It has not, and says why.
    Error(String),
}

/// What a client says of a file that it has saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fetched {
    /// By its own clock.
    pub(crate) own_ns: u64,
    pub(crate) bytes: u64,
    /// Of a process that fetched this file alone: how long it was there.
    pub(crate) process_ns: Option<u64>,
    /// And its largest resident size.
    pub(crate) peak_bytes: Option<u64>,
}

/// What was fetched with one line and found right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) fetched: Fetched,
    pub(crate) outside_ns: u64,
    pub(crate) server_cpu_ns: u64,
}

/// Reads an answer: nanoseconds, a tab, and bytes or `error: WORDS`. `is_each`: behind them stand what the process itself took and held.
pub(crate) fn read(answer: &[u8], is_each: bool) -> Result<Said, String> {
    let shown = || excerpt(&String::from_utf8_lossy(answer), ERROR_CHARS);
    let malformed = || format!("`{}` is not nanoseconds, a tab, and bytes or `error: WORDS`", shown());
    let text = std::str::from_utf8(answer).map_err(|_| malformed())?;
    let (time, rest) = text.split_once('\t').ok_or_else(malformed)?;
    // `parse` alone would take a sign.
    let number = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u64>().ok().filter(|_| is_number).ok_or_else(malformed)
    };
    let own_ns = number(time)?;
    if let Some(words) = rest.strip_prefix("error:") {
        return Ok(Said::Error(excerpt(words.trim(), ERROR_CHARS)));
    }
    if !is_each {
        return Ok(Said::Saved(Fetched { own_ns, bytes: number(rest)?, process_ns: None, peak_bytes: None }));
    }
    let fields: Vec<u64> = rest.split('\t').map(number).collect::<Result<_, _>>()?;
    let [bytes, process_ns, peak_bytes] = fields[..] else { return Err(malformed()) };
    Ok(Said::Saved(Fetched { own_ns, bytes, process_ns: Some(process_ns), peak_bytes: Some(peak_bytes) }))
}

/// Has files fetched with one line, and checks what became of them.
pub(crate) fn fetch(
    files: &Files,
    worker: &mut dyn Worker,
    (lot, seed): (Lot, u64),
    is_each: bool,
    stop: &Stop,
) -> Result<Found, NoIteration> {
    let errand = files.hand_out(lot, Manner::Whole, seed);
    let errand =
        errand.map_err(|error| NoIteration::Lab(format!("the file to fetch cannot be written: {error}")))?;
    let said =
        worker.ask(&errand.line(), stop).map_err(NoIteration::NoAnswer).and_then(|answer| {
            match read(&answer.line, is_each).map_err(NoIteration::Wrong)? {
                Said::Saved(fetched) => Ok((fetched, answer.outside_ns)),
                Said::Error(words) => Err(NoIteration::Wrong(format!("error: {words}"))),
            }
        });
    let answered_at = Instant::now();
    let (fetched, outside_ns) = match said {
        Ok(said) => said,
        Err(why) => {
            files.discard(errand);
            return Err(why);
        }
    };
    let sent = files.check(errand, answered_at, fetched.own_ns, fetched.bytes).map_err(NoIteration::Wrong)?;
    if fetched.own_ns > outside_ns {
        let what = format!("it says {} ns, and was back after {outside_ns} ns", fetched.own_ns);
        return Err(NoIteration::Wrong(what));
    }
    if is_each {
        // The first one starts the others.
        let others = worker.processes().pids().len().saturating_sub(1);
        if others > 0 {
            return Err(NoIteration::Wrong(left_behind(others)));
        }
    }
    Ok(Found { fetched, outside_ns, server_cpu_ns: sent.cpu_ns })
}

/// Files that are fetched. False when the run was asked to end meanwhile.
pub(super) fn feed_errands(
    rig: &Rig<'_>,
    worker: &mut dyn Worker,
    (number, download): (usize, &Download),
    is_each: bool,
    found: &mut TaskProcess,
) -> bool {
    let Some(files) = &rig.context.files else { return true };
    let lot = Lot::of(download);
    let mut random = seeds(rig.options.seed, number, found.process);
    let mut server_cpu_ns = 0;
    let mut processes_ns = Vec::new();
    // Each file is another one anyway.
    let renew = |_: &dyn Worker| Ok(());
    let is_whole = feed(rig, worker, (download.iterations, renew), found, |worker, _, found| {
        let one = fetch(files, worker, (lot, random.next_u64()), is_each, rig.context.stop)?;
        server_cpu_ns += one.server_cpu_ns;
        processes_ns.extend(one.fetched.process_ns);
        found.memory_peak_bytes = found.memory_peak_bytes.max(one.fetched.peak_bytes);
        Ok(TaskIteration { own_ns: one.fetched.own_ns, outside_ns: one.outside_ns })
    });
    if is_whole && found.ended_early.is_none() {
        found.parties.push(Party { cpu_ns: Some(server_cpu_ns), ..Party::new(PartyRole::FileServer) });
        found.alone_ns = found.alone_ns.or_else(|| velo_stats::lower_median(processes_ns));
    }
    is_whole
}

/// Seeds of the lines or files of a process: the same for all contenders of a round.
pub(super) fn seeds(seed: u64, workload: usize, process: u32) -> ChaCha8Rng {
    let mut random = ChaCha8Rng::seed_from_u64(seed ^ (workload as u64) << 48);
    random.set_stream(u64::from(process) << 1);
    random
}

/// A process that fetches one file and ends, which is told of it as soon as it is there. How long it was there; `None` when the run was
/// asked to end meanwhile. Nothing is checked before its end, so that nothing of the lab's own is in its time.
pub(super) fn alone(
    rig: &mut Rig<'_>,
    task: &VerifiedTask,
    (workload, download): (&Workload, &Download),
    (process, limit): (u32, Duration),
) -> Result<Option<Duration>, String> {
    let seed = seeds(!rig.options.seed, task.workload, process).next_u64();
    let files = rig.context.files.clone().ok_or("there is no server of files")?;
    let errand = files.hand_out(Lot::of(download), Manner::Whole, seed);
    let errand = errand.map_err(|error| format!("the file to fetch cannot be written: {error}"))?;
    let mut worker = rig.context.start_task(task.record, &task.built, (task.workload, workload), limit)?;
    let answer = worker.ask(&errand.line(), rig.context.stop);
    let answered_at = Instant::now();
    let (lived, cpu_ns) = match answer {
        Ok(answer) => {
            let finished = worker.finish(rig.context.stop);
            let checked = match read(&answer.line, false) {
                Ok(Said::Saved(fetched)) => files.check(errand, answered_at, fetched.own_ns, fetched.bytes),
                Ok(Said::Error(words)) => Err(format!("error: {words}")),
                Err(malformed) => Err(malformed),
            };
            (checked.and(finished.fault.map_or(Ok(finished.lived), Err)), finished.cpu_ns)
        }
        Err(NoAnswer::Stopped) => (Ok(None), worker.abandon().cpu_ns),
        Err(why) => (Err(worker.explain(&why)), worker.abandon().cpu_ns),
    };
    // Else it would count as others' in a short block that follows.
    rig.sampler.contenders_used(cpu_ns.unwrap_or(0));
    lived
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_a_time_and_bytes_or_an_error() {
        let saved =
            |own_ns, bytes| Ok(Said::Saved(Fetched { own_ns, bytes, process_ns: None, peak_bytes: None }));
        assert_eq!(read(b"1200\t80000", false), saved(1200, 80_000));
        assert_eq!(
            read(b"7\terror: refused\tby\x1bpeer", false),
            Ok(Said::Error("refused by peer".to_owned()))
        );
        let each = Fetched { own_ns: 5, bytes: 6, process_ns: Some(7), peak_bytes: Some(8) };
        assert_eq!(read(b"5\t6\t7\t8", true), Ok(Said::Saved(each)));
        for wrong in [
            &b""[..],
            b"12",
            b"\t5",
            b"-1\t5",
            b"1\t-5",
            b"1\t5\t6",
            b"1 5",
            b"1\t5\r",
            b"x\terror: y",
            b"\xff\t5",
        ] {
            assert!(read(wrong, false).is_err(), "{}", String::from_utf8_lossy(wrong));
        }
        assert!(read(b"5\t6", true).is_err());
    }
}
