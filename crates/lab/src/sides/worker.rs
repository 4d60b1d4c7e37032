//! One process of a task, from its start to its end.

use std::ffi::OsStr;
use std::io;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

use velo_model::Role;

use crate::build::data::DataSet;
use crate::process::cage::Cage;
use crate::process::each;
use crate::process::end::STOP_LIMIT;
use crate::progress::Stop;
use crate::sides::feed::{Answer, Feed, NoAnswer, Rest};
use crate::sides::serve_side::{Finished, Processes, TaskStart, Worker};
use crate::sides::started::{LaunchPad, Program, Started};

/// Between two looks whether it has ended.
const END_POLL: Duration = Duration::from_micros(100);
/// A wait for the end of an output is no longer than this: a process that was left behind may hold it open.
const OUTPUT_POLL: Duration = Duration::from_millis(20);
/// A process whose output has ended has this long to end itself.
const LAST_MOMENT: Duration = Duration::from_millis(200);

/// A task that runs.
pub(crate) struct TaskProcess {
    started: Started,
    feed: Feed,
    /// For the first answer, before which the program starts.
    first_limit: Duration,
    limit: Duration,
    is_fresh: bool,
    /// What it leaves behind is a fault, and not only ended.
    leaves_nothing: bool,
}

impl TaskProcess {
    /// Starts one. The error is one line.
    pub(crate) fn start(pad: &mut LaunchPad, task: &TaskStart<'_>) -> Result<Self, String> {
        let network = pad.network().clone();
        let contender = task.contender;
        let command = match contender.process_for_each {
            true => each::command().map_err(|error| format!("velo's own program is not known: {error}"))?,
            false => contender.start.clone(),
        };
        let mut environment: Vec<(&str, &OsStr)> = vec![("WORKLOAD", task.workload.name.as_ref())];
        let at_once = task.workload.download.as_ref().map(|download| download.at_once.to_string());
        if let Some(at_once) = &at_once {
            environment.push(("AT_ONCE", at_once.as_ref()));
        }
        if contender.process_for_each {
            environment.push((each::COMMAND, contender.start.as_ref()));
        }
        let mut started = pad.start(&Program {
            command: &command,
            dir: &task.built.dir,
            search_path: task.built.search_path.as_deref(),
            environment: &environment,
            data: &[task.data],
            log: task.log,
            title: &format!("{} for {}", what(contender.role), task.workload.name),
            is_piped: true,
            network: &network,
        })?;
        let feed = match started.pipes().map(|(input, output)| Feed::new(input, output)) {
            Some(Ok(feed)) => feed,
            Some(Err(error)) => {
                started.end();
                return Err(format!("its pipes cannot be used: {error}"));
            }
            None => {
                started.end();
                return Err("it has no pipes".to_owned());
            }
        };
        let leaves_nothing = contender.role == Role::Client;
        let first_limit = task.limit.max(Duration::from_secs(u64::from(task.contender.ready_seconds)));
        Ok(Self { started, feed, first_limit, limit: task.limit, is_fresh: true, leaves_nothing })
    }
}

impl Worker for TaskProcess {
    fn processes(&self) -> Arc<dyn Processes> {
        let cage: Arc<Cage> = Arc::clone(&self.started.cage);
        cage
    }

    fn age(&self) -> Duration {
        self.started.began.elapsed()
    }

    fn ask(&mut self, line: &str, stop: &Stop) -> Result<Answer, NoAnswer> {
        let limit = if self.is_fresh { self.first_limit } else { self.limit };
        let answer = self.feed.ask(line, limit, stop)?;
        self.is_fresh = false;
        Ok(answer)
    }

    fn renew(&self, data: &DataSet) -> io::Result<()> {
        data.write(&self.started.data_dir())
    }

    fn explain(&mut self, why: &NoAnswer) -> String {
        if *why == NoAnswer::Stopped {
            return why.to_string();
        }
        let limit = if *why == NoAnswer::Ended { LAST_MOMENT } else { Duration::ZERO };
        let status = wait(&mut self.started, limit, None);
        let ended = status.map(|status| format!("it ended ({status})"));
        let what = self.started.cage.out_of_memory().or(ended).unwrap_or_else(|| why.to_string());
        self.started.with_last_line(&what)
    }

    fn finish(self: Box<Self>, stop: &Stop) -> Finished {
        let Self { mut started, feed, leaves_nothing, .. } = *self;
        let rest = feed.close();
        let (status, lived) = wait_for_end(&mut started, &rest, stop);
        let left = if leaves_nothing && status.is_some() { still_there(&started) } else { 0 };
        let fault = match status {
            None if stop.asked() => None,
            None => Some(format!("it did not end within {} s of the end of its input", STOP_LIMIT.as_secs())),
            Some(status) if !status.success() => {
                Some(format!("it ended with {status} at the end of its input"))
            }
            Some(_) if rest.is_there() => Some(NoAnswer::Unasked.to_string()),
            Some(_) if left > 0 => Some(left_behind(left)),
            Some(_) => None,
        };
        let fault = fault.map(|fault| {
            let what = started.cage.out_of_memory().unwrap_or(fault);
            started.with_last_line(&what)
        });
        let cpu_ns = started.cage.cpu_ns();
        let fault = fault.or(started.end().fault);
        Finished { fault, cpu_ns, lived }
    }

    fn abandon(mut self: Box<Self>) -> Finished {
        let cpu_ns = self.started.cage.cpu_ns();
        self.started.end();
        Finished { fault: None, cpu_ns, lived: None }
    }
}

fn what(role: Role) -> &'static str {
    if role == Role::Client { "client" } else { "task" }
}

/// How a program ended after the end of its input, and how long its program has run then. Its output ends with it, which is noticed at once.
fn wait_for_end(started: &mut Started, rest: &Rest, stop: &Stop) -> (Option<ExitStatus>, Option<Duration>) {
    let began = Instant::now();
    loop {
        if let Some(status) = started.ended() {
            return (Some(status), Some(started.ran_at.elapsed()));
        }
        if began.elapsed() > STOP_LIMIT || stop.asked() {
            return (None, None);
        }
        rest.wait(OUTPUT_POLL, stop);
        std::thread::sleep(END_POLL);
    }
}

/// How many processes are there a moment after the first one has ended.
fn still_there(started: &Started) -> usize {
    let began = Instant::now();
    loop {
        let left = started.pids().len();
        if left == 0 || began.elapsed() > LAST_MOMENT {
            return left;
        }
        std::thread::sleep(END_POLL);
    }
}

/// That processes are there which nobody waits for.
pub(crate) fn left_behind(processes: usize) -> String {
    match processes {
        1 => "it left a process behind".to_owned(),
        _ => format!("it left {processes} processes behind"),
    }
}

/// How a program ended, if it does within the limit.
fn wait(started: &mut Started, limit: Duration, stop: Option<&Stop>) -> Option<ExitStatus> {
    let began = Instant::now();
    loop {
        let status = started.ended();
        let is_over = began.elapsed() > limit || stop.is_some_and(Stop::asked);
        if status.is_some() || is_over {
            return status;
        }
        std::thread::sleep(END_POLL);
    }
}
