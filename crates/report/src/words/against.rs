//! The words for two running services: their figures, and what is to be known beside them.

use velo_judge::against::{AgainstFigureName, AgainstFinding, AgainstNote, Which};

use super::sentence;
use crate::number::{count, percent};

/// What the intervals are of, wherever they stand.
pub(crate) const SCOPE: &str = "Intervals (95 %) are between these two processes as they run now, not between the \
                                programs: another launch of either may differ by more.";

/// The letter of a service.
pub(crate) fn which(which: Which) -> &'static str {
    match which {
        Which::A => "A",
        Which::B => "B",
    }
}

/// What a figure is called. `is_open`: times are response times of an open loop, else service times.
pub(crate) fn figure(figure: AgainstFigureName, is_open: bool) -> &'static str {
    match (figure, is_open) {
        (AgainstFigureName::Goodput, _) => "goodput",
        (AgainstFigureName::Cpu, _) => "CPU/request",
        (AgainstFigureName::P50, true) => "response p50",
        (AgainstFigureName::P99, true) => "response p99",
        (AgainstFigureName::P50, false) => "service p50",
        (AgainstFigureName::P99, false) => "service p99",
    }
}

/// `B: 12 wrong answers, 0.3 % of the requests`.
pub(crate) fn note(note: &AgainstNote, is_open: bool) -> String {
    let words = finding(&note.finding, is_open);
    note.of.map_or_else(|| words.clone(), |of| format!("{}: {words}", which(of)))
}

fn finding(finding: &AgainstFinding, is_open: bool) -> String {
    match finding {
        AgainstFinding::OfLoad { finding } => sentence(finding),
        AgainstFinding::NotReached => {
            "no connection could be opened for 1 s, so nothing was measured; is it running?".to_owned()
        }
        AgainstFinding::NothingAnswered => "no answer came within the windows".to_owned(),
        AgainstFinding::Interrupted { of: 0, .. } => "interrupted in the warm-up".to_owned(),
        AgainstFinding::Interrupted { blocks, of } => {
            format!("interrupted after {} of {} blocks", count(*blocks), count(*of))
        }
        AgainstFinding::Ended => {
            "its process ended while the load went on, so the figures are of more than one launch".to_owned()
        }
        AgainstFinding::CpuUnknown { reason } => {
            format!("no CPU time: {reason}; a process is named by --pid or --against-pid")
        }
        AgainstFinding::SameProcesses => "the same processes answer for both".to_owned(),
        AgainstFinding::GeneratorBusy { share } => format!(
            "the generator was the limit ({} busy), so its goodput is a lower bound; -t 2 loads with more",
            percent(*share)
        ),
        AgainstFinding::Taken { share, allowance } => format!(
            "others took {} of the generator's CPU time; for that intervals of goodput and times allow for {}",
            percent(*share),
            percent(*allowance)
        ),
        AgainstFinding::TakenUnknown => {
            "what others took of the CPUs is not known, and intervals do not allow for it".to_owned()
        }
        AgainstFinding::Dropped { blocks, of, most: false } => format!(
            "{} of {} blocks are left out: others took a fifth of the CPU time in them",
            count(*blocks),
            count(*of)
        ),
        AgainstFinding::Dropped { blocks, of, most: true } => format!(
            "others took a fifth of the CPU time in {} of {} blocks, so there are no intervals",
            count(*blocks),
            count(*of)
        ),
        AgainstFinding::FewBlocks { blocks, least } => format!(
            "{} blocks are too few for intervals, which need {}; a longer -d makes more",
            count(*blocks),
            count(*least)
        ),
        AgainstFinding::FewSamples { figure: of } => {
            let least = if *of == AgainstFigureName::P99 { "1,000" } else { "1" };
            format!(
                "{}: no interval, which needs {least} samples of each in every batch",
                figure(*of, is_open)
            )
        }
    }
}
