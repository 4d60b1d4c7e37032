//! Whether a task or a client answers as it should, before it is measured.

use std::time::Duration;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use velo_model::{Download, SlotKind, TaskSettings, Workload};
use velo_record::{CaseRecord, Stage};
use velo_stats::number::decimals;

use super::course::{ANSWER_LIMIT, FED_LIMIT};
use super::download::fetch;
use super::feed::NoIteration;
use super::line::Line;
use crate::build::builder::Built;
use crate::build::data::DataSet;
use crate::prepare::conformance::RENEWED;
use crate::prepare::context::Context;
use crate::prepare::verify::VerifiedTask;
use crate::sides::files::Lot;
use crate::sides::serve_side::Worker;

/// Lines of a case.
const LINES: usize = 3;

/// Lines, and what they show.
struct Trial {
    case: &'static str,
    /// The files are replaced before them.
    is_renewed: bool,
    lines: Vec<Line>,
}

impl Context<'_> {
    /// Starts a task once for each of its workloads; nothing when a case of any fails.
    pub(crate) fn verify_task(
        &mut self,
        index: usize,
        built: &Built,
        workloads: &[Workload],
    ) -> Vec<VerifiedTask> {
        let manifest = self.records[index].manifest.clone();
        let mut verified = Vec::new();
        for (number, workload) in workloads.iter().enumerate() {
            if !workload.is_for(&manifest) {
                continue;
            }
            let worker = match self.start_task(index, built, (number, workload), ANSWER_LIMIT) {
                Ok(worker) => worker,
                Err(reason) => {
                    self.exclude_unless_stopped(index, Stage::Start, reason);
                    return Vec::new();
                }
            };
            let tried = match (&workload.download, &workload.task) {
                (Some(download), _) => {
                    // Other sizes are fetched in the same way.
                    let is_first = verified.is_empty();
                    let tried = self.try_client(worker, index, (workload, download));
                    if tried.is_ok() && is_first && self.tries_faults {
                        self.try_manners(index, built, (number, workload), download);
                    }
                    tried
                }
                (None, Some(task)) => self.try_task(worker, index, number, (workload, task)),
                (None, None) => continue,
            };
            match tried {
                Ok(expected) => {
                    verified.push(VerifiedTask {
                        record: index,
                        built: built.clone(),
                        workload: number,
                        expected,
                    });
                }
                Err(reason) => {
                    self.exclude_unless_stopped(index, Stage::Verify, reason);
                    return Vec::new();
                }
            }
        }
        verified
    }

    /// Tries the cases one by one, to the first that fails, and ends the process. What a process to be measured will take.
    fn try_task(
        &mut self,
        mut worker: Box<dyn Worker>,
        index: usize,
        number: usize,
        (workload, task): (&Workload, &TaskSettings),
    ) -> Result<Duration, String> {
        let data = [0, 1].map(|version| self.data.set(number, version));
        let trials = trials(workload, task, data, self.seed);
        let mut took = Vec::new();
        for trial in trials {
            if trial.is_renewed
                && let Err(error) = worker.renew(self.data.set(number, 1))
            {
                worker.abandon();
                return Err(format!("its data cannot be replaced: {error}"));
            }
            let result = self.try_lines(worker.as_mut(), &trial.lines, &mut took);
            let failed = result.is_err();
            let reason = self.record_case(index, workload, trial.case, result);
            if failed {
                worker.abandon();
                return Err(reason);
            }
        }
        let ended = self.try_end(worker, index, workload)?;
        Ok(expected(&took, task.iterations, ended))
    }

    /// Has some files fetched, and ends the process. What a process to be measured, and one that fetches one file, will take.
    fn try_client(
        &mut self,
        mut worker: Box<dyn Worker>,
        index: usize,
        (workload, download): (&Workload, &Download),
    ) -> Result<Duration, String> {
        let is_each = self.records[index].manifest.process_for_each;
        let mut took = Vec::new();
        let result = self.try_files(worker.as_mut(), download, is_each, &mut took);
        let failed = result.is_err();
        let reason = self.record_case(index, workload, "files", result);
        if failed {
            worker.abandon();
            return Err(reason);
        }
        let ended = self.try_end(worker, index, workload)?;
        let first = took.first().copied().unwrap_or_default();
        let alone = if is_each { Duration::ZERO } else { first + ended };
        Ok(expected(&took, download.iterations, ended) + alone)
    }

    /// Has files fetched; `took` gets what each took, the first from the start of the process.
    fn try_files(
        &self,
        worker: &mut dyn Worker,
        download: &Download,
        is_each: bool,
        took: &mut Vec<Duration>,
    ) -> Result<String, String> {
        let Some(files) = &self.files else { return Err("there is no server of files".to_owned()) };
        for number in 0..LINES as u64 {
            // Files of one line have seeds that follow each other.
            let seed = self.seed.wrapping_add(number << 32);
            let began = self.clock.now();
            match fetch(files, worker, (Lot::of(download), seed), is_each, self.stop) {
                Ok(_) => {}
                Err(NoIteration::NoAnswer(why)) => return Err(worker.explain(&why)),
                Err(NoIteration::Wrong(why) | NoIteration::Lab(why)) => return Err(why),
            }
            // To draw and to check a file takes time too.
            took.push(if took.is_empty() { worker.age() } else { self.clock.since(began) });
        }
        let last = took.last().copied().unwrap_or_default();
        let what = match download.files {
            1 => format!("{LINES} files, the last"),
            files => format!("{LINES} times {files} files, {} at once, the last", download.at_once),
        };
        Ok(format!("{what} in {}", milliseconds(last)))
    }

    /// Ends a process at the end of its input: what that took.
    fn try_end(
        &mut self,
        worker: Box<dyn Worker>,
        index: usize,
        workload: &Workload,
    ) -> Result<Duration, String> {
        let began = self.clock.now();
        let finished = worker.finish(self.stop);
        let ended = self.clock.since(began);
        let is_sound = finished.fault.is_none();
        let result = finished.fault.map_or_else(|| Ok(format!("in {}", milliseconds(ended))), Err);
        let reason = self.record_case(index, workload, "it ends at the end of its input", result);
        if is_sound { Ok(ended) } else { Err(reason) }
    }

    /// Asks lines; `took` gets what each took, the first from the start of the process.
    fn try_lines(
        &self,
        worker: &mut dyn Worker,
        lines: &[Line],
        took: &mut Vec<Duration>,
    ) -> Result<String, String> {
        for line in lines {
            let is_first = took.is_empty();
            let answer = worker.ask(&line.input, self.stop).map_err(|why| worker.explain(&why))?;
            let outside = Duration::from_nanos(line.iteration(&answer)?.outside_ns);
            took.push(if is_first { worker.age() } else { outside });
        }
        let count = if lines.len() == 1 { "1 line".to_owned() } else { format!("{} lines", lines.len()) };
        Ok(format!(
            "{count}, the last in {}",
            took.last().map_or_else(String::new, |took| milliseconds(*took))
        ))
    }

    /// Keeps a case, and says how it went.
    fn record_case(
        &mut self,
        index: usize,
        workload: &Workload,
        case: &str,
        result: Result<String, String>,
    ) -> String {
        let (passed, got) = match result {
            Ok(got) => (true, got),
            Err(got) => (false, got),
        };
        let reason = format!("{}, {case}: {got}", workload.name);
        let (workload, case) = (workload.name.clone(), case.to_owned());
        self.records[index].cases.push(CaseRecord { workload, case, required: true, passed, got });
        reason
    }
}

fn trials(workload: &Workload, task: &TaskSettings, data: [&DataSet; 2], seed: u64) -> Vec<Trial> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut draw = |data| Line::draw(workload, task, data, &mut random);
    let mut trials =
        vec![Trial { case: "lines", is_renewed: false, lines: (0..LINES).map(|_| draw(data[0])).collect() }];
    let slots = workload.requests.get(task.request).map_or(&[][..], |request| &request.slots);
    if slots.iter().any(|slot| matches!(slot.kind, SlotKind::Data { .. })) {
        // What the files hold after the change is not there before it.
        let lines = vec![draw(data[1]).absent()];
        trials.push(Trial { case: "a record that is not there", is_renewed: false, lines });
    }
    if !data[1].is_empty() {
        let lines = (0..LINES).map(|_| draw(data[1])).collect();
        trials.push(Trial { case: RENEWED, is_renewed: true, lines });
    }
    trials
}

/// What a process to be measured takes: to its first answer, the other lines at the middle of what they took here, to its
/// end.
fn expected(took: &[Duration], iterations: u32, ended: Duration) -> Duration {
    let (first, mut others) =
        took.split_first().map_or((Duration::ZERO, Vec::new()), |(first, others)| (*first, others.to_vec()));
    others.sort_unstable();
    let middle = others.get(others.len() / 2).copied().unwrap_or(first);
    first + middle.saturating_mul(iterations).min(FED_LIMIT) + ended
}

fn milliseconds(duration: Duration) -> String {
    format!("{} ms", decimals(duration.as_secs_f64() * 1e3, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_takes_its_start_its_lines_and_its_end() {
        let ms = Duration::from_millis;
        assert_eq!(expected(&[ms(300), ms(20), ms(10), ms(90)], 60, ms(7)), ms(300 + 60 * 20 + 7));
        assert_eq!(expected(&[ms(300), ms(900)], 60, ms(7)), ms(300 + 10_000 + 7));
        assert_eq!(expected(&[], 60, ms(7)), ms(7));
    }
}
