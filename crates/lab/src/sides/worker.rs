//! One process of a task, from its start to its end.

use std::io;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::prepare::data::DataSet;
use crate::process::cage::Cage;
use crate::process::end::STOP_LIMIT;
use crate::progress::Stop;
use crate::sides::feed::{Answer, Feed, NoAnswer};
use crate::sides::serve_side::{Finished, Processes, TaskStart, Worker};
use crate::sides::started::{LaunchPad, Program, Started};

/// Between two looks whether it has ended.
const END_POLL: Duration = Duration::from_millis(1);
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
}

impl TaskProcess {
    /// Starts one. The error is one line.
    pub(crate) fn start(pad: &mut LaunchPad, task: &TaskStart<'_>) -> Result<Self, String> {
        let network = pad.network().clone();
        let mut started = pad.start(&Program {
            command: &task.contender.start,
            dir: &task.built.dir,
            search_path: task.built.search_path.as_deref(),
            environment: &[("WORKLOAD", task.workload.name.as_ref())],
            data: &[task.data],
            log: task.log,
            title: &format!("task for {}", task.workload.name),
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
        let first_limit = task.limit.max(Duration::from_secs(u64::from(task.contender.ready_seconds)));
        Ok(Self { started, feed, first_limit, limit: task.limit, is_fresh: true })
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
        self.started.renew(data)
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
        let Self { mut started, feed, .. } = *self;
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
        started.end();
        Finished { fault, cpu_ns }
    }

    fn abandon(mut self: Box<Self>) -> Finished {
        let cpu_ns = self.started.cage.cpu_ns();
        self.started.end();
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
