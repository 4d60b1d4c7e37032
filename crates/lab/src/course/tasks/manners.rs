//! What a client does when a server misbehaves: recorded, and excludes nobody.

use std::time::Duration;

use velo_model::{Download, Manner, Workload};
use velo_record::CaseRecord;

use super::download::{self, Said, fetch};
use super::feed::NoIteration;
use crate::build::builder::Built;
use crate::prepare::context::Context;
use crate::sides::feed::NoAnswer;
use crate::sides::files::{Lot, Saved};
use crate::sides::serve_side::Worker;

/// A client that has not answered after this hangs: the server has done by then all that it ever will.
const LIMIT: Duration = Duration::from_secs(3);

impl Context<'_> {
    /// Tries a client with each fault, each in a process of its own that has fetched a file before.
    pub(super) fn try_manners(
        &mut self,
        index: usize,
        built: &Built,
        (number, workload): (usize, &Workload),
        download: &Download,
    ) {
        for (seed, manner) in (1..).zip(Manner::faults()) {
            if self.stop.asked() {
                return;
            }
            let got = match self.start_task(index, built, (number, workload), LIMIT) {
                Ok(worker) => self.try_manner(index, worker, download, (manner, self.seed ^ seed << 32)),
                Err(reason) => Some(format!("no start: {reason}")),
            };
            let Some(got) = got else { return };
            let expected = manner.expected();
            let passed =
                got == expected || got.strip_prefix(expected).is_some_and(|rest| rest.starts_with(':'));
            let (workload, case) = (workload.name.clone(), manner.name().to_owned());
            self.records[index].cases.push(CaseRecord { workload, case, required: false, passed, got });
        }
    }

    /// One fault; `None` when the run was asked to end meanwhile.
    fn try_manner(
        &self,
        index: usize,
        mut worker: Box<dyn Worker>,
        download: &Download,
        (manner, seed): (Manner, u64),
    ) -> Option<String> {
        let is_each = self.records[index].manifest.process_for_each;
        let got = self.ask_for_fault(worker.as_mut(), download, (manner, seed), is_each);
        worker.abandon();
        got
    }

    fn ask_for_fault(
        &self,
        worker: &mut dyn Worker,
        download: &Download,
        (manner, seed): (Manner, u64),
        is_each: bool,
    ) -> Option<String> {
        let Some(files) = &self.files else { return Some("no server of files".to_owned()) };
        // Its start is over then, and what is slow is the fault.
        let one = Lot { bytes: download.bytes, files: 1 };
        match fetch(files, worker, (one, seed), is_each, self.stop) {
            Ok(_) => {}
            Err(NoIteration::NoAnswer(NoAnswer::Stopped)) => return None,
            Err(NoIteration::NoAnswer(why)) => {
                return Some(format!("no whole file before: {}", worker.explain(&why)));
            }
            Err(NoIteration::Wrong(why) | NoIteration::Lab(why)) => {
                return Some(format!("no whole file before: {why}"));
            }
        }
        let errand = match files.hand_out(one, manner, !seed) {
            Ok(errand) => errand,
            Err(error) => return Some(format!("the file cannot be written: {error}")),
        };
        let answer = worker.ask(&errand.line(), self.stop);
        let (saved, requests) = match files.look(errand) {
            Ok(found) => found,
            Err(error) => return Some(format!("what it saved cannot be read: {error}")),
        };
        let got = match answer {
            Err(NoAnswer::Stopped) => return None,
            Err(NoAnswer::Limit(limit)) => format!("hangs: no answer within {} s", limit.as_secs()),
            Err(why) => format!("ends: {}", worker.explain(&why)),
            Ok(answer) => match download::read(&answer.line, is_each) {
                Ok(Said::Error(words)) => with_rest(format!("error: {words}"), saved),
                Ok(Said::Saved(_)) => success(saved, download.bytes),
                Err(malformed) => format!("other answer: {malformed}"),
            },
        };
        Some(if is_tried_again(manner, requests) { format!("{got}; {requests} requests") } else { got })
    }
}

/// What a client has that says it was successful.
fn success(saved: Saved, bytes: u64) -> String {
    match saved {
        Saved::Whole => "whole file".to_owned(),
        Saved::Start(0) => "nothing: an empty file, and no error".to_owned(),
        Saved::Start(start) => format!("truncated: {start} of {bytes} bytes, and no error"),
        Saved::Other(other) => format!("other bytes: {other}, and no error"),
        Saved::Nothing => "nothing: no file, and no error".to_owned(),
    }
}

/// What an error leaves where the file was to be.
fn with_rest(error: String, saved: Saved) -> String {
    match saved {
        Saved::Nothing | Saved::Start(0) | Saved::Other(0) => error,
        Saved::Whole => format!("{error}; leaves the whole file"),
        Saved::Start(bytes) | Saved::Other(bytes) => format!("{error}; leaves {bytes} bytes"),
    }
}

/// Whether more requests came than a client needs that tries once.
fn is_tried_again(manner: Manner, requests: u32) -> bool {
    let needed = match manner {
        Manner::Redirect => 2,
        // How far it follows is what tells clients apart.
        Manner::RedirectLoop => 0,
        _ => 1,
    };
    requests > needed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_has_is_told_in_a_few_words() {
        assert_eq!(success(Saved::Whole, 10), "whole file");
        assert_eq!(success(Saved::Start(5), 10), "truncated: 5 of 10 bytes, and no error");
        assert_eq!(success(Saved::Start(0), 10), "nothing: an empty file, and no error");
        assert_eq!(success(Saved::Other(12), 10), "other bytes: 12, and no error");
        assert_eq!(with_rest("error: reset".to_owned(), Saved::Start(5)), "error: reset; leaves 5 bytes");
        assert_eq!(with_rest("error: reset".to_owned(), Saved::Nothing), "error: reset");
        assert!(is_tried_again(Manner::Reset, 2) && !is_tried_again(Manner::Redirect, 2));
        assert!(is_tried_again(Manner::RedirectLoop, 20));
    }
}
