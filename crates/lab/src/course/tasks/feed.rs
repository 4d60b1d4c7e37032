//! A process that is fed line after line.

use std::io;

use velo_record::{TaskIteration, TaskProcess};

use super::course::{FeedingCourse, Step};
use crate::course::rig::Rig;
use crate::sides::feed::NoAnswer;
use crate::sides::serve_side::Worker;

/// Wrong answers of a process that are kept in words.
const EXAMPLES: usize = 4;

/// Why a line was not answered as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoIteration {
    /// The answer is wrong, in words.
    Wrong(String),
    /// There is no answer.
    NoAnswer(NoAnswer),
    /// The lab could not ask.
    Lab(String),
}

/// Line after line, until it has had enough or does not answer; its files are replaced midway by `renew`. `ask`: one line about a
/// version of them. False when the run was asked to end meanwhile.
pub(super) fn feed(
    rig: &Rig<'_>,
    worker: &mut dyn Worker,
    (iterations, renew): (u32, impl Fn(&dyn Worker) -> io::Result<()>),
    found: &mut TaskProcess,
    mut ask: impl FnMut(&mut dyn Worker, u32, &mut TaskProcess) -> Result<TaskIteration, NoIteration>,
) -> bool {
    let mut course = FeedingCourse::new(iterations);
    let began = rig.now();
    loop {
        let answered = match course.next(rig.context.clock.since(began)) {
            Step::Ask { version } => ask(worker, version, found),
            Step::Renew => match renew(worker) {
                Ok(()) => continue,
                Err(error) => Err(NoIteration::Lab(format!("its data cannot be replaced: {error}"))),
            },
            Step::Stop => return true,
        };
        match answered {
            Ok(iteration) => found.iterations.push(iteration),
            Err(NoIteration::Wrong(what)) => {
                found.wrong_answers += 1;
                if found.wrong_examples.len() < EXAMPLES {
                    found.wrong_examples.push(what);
                }
            }
            Err(NoIteration::NoAnswer(NoAnswer::Stopped)) => return false,
            Err(NoIteration::NoAnswer(why)) => {
                found.ended_early = Some(worker.explain(&why));
                return true;
            }
            Err(NoIteration::Lab(why)) => {
                found.ended_early = Some(why);
                return true;
            }
        }
    }
}
