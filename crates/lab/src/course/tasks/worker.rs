//! One process of a task, from its start to its end.

use std::io;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use velo_record::TaskIteration;
use velo_spec::Workload;

use super::feed::{Feed, NoAnswer};
use super::line::Line;
use crate::prepare::build::Built;
use crate::prepare::context::Context;
use crate::prepare::data::DataSet;
use crate::process::guard::Guard;
use crate::progress::Stop;
use crate::sides::started::{Program, STOP_LIMIT, Started};

/// The least limit of time for an answer.
pub(crate) const ANSWER_LIMIT: Duration = Duration::from_secs(5);
/// Between two looks whether it has ended.
const END_POLL: Duration = Duration::from_millis(1);
/// A process whose output has ended has this long to end itself.
const LAST_MOMENT: Duration = Duration::from_millis(200);

/// A task that runs.
pub(crate) struct Worker {
    pub(crate) started: Started,
    feed: Feed,
    /// For the first answer, before which the program starts.
    first_limit: Duration,
    limit: Duration,
    is_fresh: bool,
}

/// What came back.
pub(crate) enum Asked {
    Right(TaskIteration),
    /// In words.
    Wrong(String),
}

/// How a task ended.
pub(crate) struct Finished {
    /// What was wrong with that.
    pub(crate) fault: Option<String>,
    /// CPU time of all its processes to the end.
    pub(crate) cpu_ns: Option<u64>,
}

impl Context<'_> {
    /// Starts a task for a workload, which is given by its number too; its standard error is kept in the run's logs. `limit`:
    /// for each answer.
    pub(crate) fn start_task(
        &mut self,
        index: usize,
        built: &Built,
        (number, workload): (usize, &Workload),
        limit: Duration,
    ) -> Result<Worker, String> {
        let log = self.stderr_log(index);
        let manifest = &self.records[index].manifest;
        let mut started = self.pad.start(&Program {
            command: &manifest.start,
            dir: &built.dir,
            search_path: built.search_path.as_deref(),
            environment: &[("WORKLOAD", workload.name.as_ref())],
            data: &[self.data.set(number, 0)],
            log: &log,
            title: &format!("task for {}", workload.name),
            is_piped: true,
        })?;
        let feed = match started.pipes().map(|(input, output)| Feed::new(input, output)) {
            Some(Ok(feed)) => feed,
            Some(Err(error)) => {
                started.end(&mut self.pad.guard);
                return Err(format!("its pipes cannot be used: {error}"));
            }
            None => {
                started.end(&mut self.pad.guard);
                return Err("it has no pipes".to_owned());
            }
        };
        let first_limit = limit.max(Duration::from_secs(u64::from(manifest.ready_seconds)));
        Ok(Worker { started, feed, first_limit, limit, is_fresh: true })
    }
}

impl Worker {
    /// Asks one line.
    pub(crate) fn ask(&mut self, line: &Line, stop: &Stop) -> Result<Asked, NoAnswer> {
        let limit = if self.is_fresh { self.first_limit } else { self.limit };
        let answer = self.feed.ask(&line.input, limit, stop)?;
        self.is_fresh = false;
        let outside_ns = answer.outside_ns;
        Ok(match line.check(&answer.line, outside_ns) {
            Ok(own_ns) => Asked::Right(TaskIteration { own_ns, outside_ns }),
            Err(what) => Asked::Wrong(format!("{}: {what}", line.shown())),
        })
    }

    /// Puts other files in the place of those that it reads.
    pub(crate) fn renew(&self, data: &DataSet) -> io::Result<()> {
        self.started.renew(data)
    }

    /// Why there was no answer, in one line.
    pub(crate) fn explain(&mut self, why: &NoAnswer) -> String {
        if *why == NoAnswer::Stopped {
            return why.to_string();
        }
        let limit = if *why == NoAnswer::Ended { LAST_MOMENT } else { Duration::ZERO };
        let status = wait(&mut self.started, limit, None);
        let ended = status.map(|status| format!("it ended ({status})"));
        let what = self.started.cage.out_of_memory().or(ended).unwrap_or_else(|| why.to_string());
        self.started.with_last_line(&what)
    }

    /// Ends its input and waits for its end.
    pub(crate) fn finish(self, guard: &mut Guard, stop: &Stop) -> Finished {
        let Self { mut started, feed, .. } = self;
        let rest = feed.close();
        let status = wait(&mut started, STOP_LIMIT, Some(stop));
        let fault = match status {
            None if stop.asked() => None,
            None => Some(format!("it did not end within {} s of the end of its input", STOP_LIMIT.as_secs())),
            Some(status) if !status.success() => {
                Some(format!("it ended with {status} at the end of its input"))
            }
            Some(_) if rest.is_there() => Some(NoAnswer::Unasked.to_string()),
            Some(_) => None,
        };
        let fault = fault.map(|fault| {
            let what = started.cage.out_of_memory().unwrap_or(fault);
            started.with_last_line(&what)
        });
        let cpu_ns = started.cage.cpu_ns();
        started.end(guard);
        Finished { fault, cpu_ns }
    }

    /// Ends one that does not answer, without waiting for it to see the end of its input.
    pub(crate) fn abandon(mut self, guard: &mut Guard) -> Finished {
        let cpu_ns = self.started.cage.cpu_ns();
        self.started.end(guard);
        Finished { fault: None, cpu_ns }
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
