//! What is to be known beside the figures.

use velo_record::{AgainstRecord, AgainstSide};
use velo_stats::LEAST_FOR_INTERVAL;

use super::blocks::Blocks;
use super::figure::{AgainstFigure, AgainstFigureName, Which};
use super::figures::allowance;
use super::finding::{AgainstFinding, AgainstNote};
use crate::doubt::answers;
use crate::doubt::bounds::{BUSY_HOST, GENERATOR_BUSY};
use crate::doubt::finding::Finding;
use crate::doubt::verdict::Kind;

/// So many make the batches that an interval rests on at least.
const LEAST_BLOCKS: usize = 15;

/// All of them, the gravest first.
pub(super) fn of(
    record: &AgainstRecord,
    blocks: &Blocks<'_>,
    figures: &[AgainstFigure],
    failures_are_asked: bool,
) -> Vec<AgainstNote> {
    let sides = [(Which::A, &record.a), (Which::B, &record.b)];
    let mut notes: Vec<AgainstNote> = Vec::new();
    let mut add = |of: Option<Which>, kind: Kind, finding: AgainstFinding| {
        notes.push(AgainstNote { of, kind, finding });
    };
    if record.build == "debug" {
        add(None, Kind::Warning, AgainstFinding::OfLoad { finding: Finding::DebugBuild });
    }
    if record.interrupted {
        let (done, of) = (record.blocks.len() as u64, u64::from(record.planned_blocks));
        add(None, Kind::Warning, AgainstFinding::Interrupted { blocks: done, of });
    }
    let was_measured = !record.blocks.is_empty();
    for (which, side) in sides {
        let requests = side.outcomes.correct.saturating_add(side.outcomes.failed());
        if side.gave_up {
            add(Some(which), Kind::Error, AgainstFinding::NotReached);
        } else if was_measured && requests == 0 {
            add(Some(which), Kind::Error, AgainstFinding::NothingAnswered);
        }
        let answers =
            [answers::wrong(&side.outcomes, requests), answers::failures(side.outcomes, requests, None)];
        for verdict in answers.into_iter().flatten() {
            add(Some(which), verdict.kind, AgainstFinding::OfLoad { finding: verdict.finding });
        }
        if side.service.ended {
            add(Some(which), Kind::Warning, AgainstFinding::Ended);
        }
        if let Some(reason) = &side.service.unknown {
            add(Some(which), Kind::Hint, AgainstFinding::CpuUnknown { reason: reason.clone() });
        }
    }
    let failed = sides.iter().any(|(_, side)| side.outcomes.failed() > 0 && side.outcomes.correct > 0);
    if failed && !failures_are_asked {
        add(None, Kind::Hint, AgainstFinding::OfLoad { finding: Finding::FailuresExitWithZero });
    }
    if is_same(&record.a, &record.b) {
        add(None, Kind::Hint, AgainstFinding::SameProcesses);
    }
    let has_goodput = figures.iter().any(|figure| figure.figure == AgainstFigureName::Goodput);
    for (which, busy) in [Which::A, Which::B].into_iter().zip(blocks.busy) {
        if let Some(share) = busy.filter(|busy| *busy >= GENERATOR_BUSY && has_goodput) {
            add(Some(which), Kind::Warning, AgainstFinding::GeneratorBusy { share });
        }
    }
    if let Some(share) = blocks.taken_share.filter(|share| *share >= BUSY_HOST && !blocks.is_unfit) {
        let allowance = allowance(AgainstFigureName::Goodput, blocks).exp_m1();
        add(None, Kind::Warning, AgainstFinding::Taken { share, allowance });
    }
    if was_measured && blocks.taken_share.is_none() {
        add(None, Kind::Hint, AgainstFinding::TakenUnknown);
    }
    if blocks.dropped > 0 {
        let (dropped, of) = (blocks.dropped as u64, record.blocks.len() as u64);
        let kind = if blocks.is_unfit { Kind::Error } else { Kind::Hint };
        add(None, kind, AgainstFinding::Dropped { blocks: dropped, of, most: blocks.is_unfit });
    }
    if was_measured && blocks.batches < LEAST_FOR_INTERVAL {
        let (blocks, least) = (blocks.counted.len() as u64, LEAST_BLOCKS as u64);
        add(None, Kind::Warning, AgainstFinding::FewBlocks { blocks, least });
    } else if !blocks.is_unfit {
        for figure in figures.iter().filter(|figure| is_percentile(figure.figure)) {
            if figure.ratio.is_none_or(|ratio| ratio.interval().is_none()) {
                add(None, Kind::Hint, AgainstFinding::FewSamples { figure: figure.figure });
            }
        }
    }
    notes.sort_by_key(|note| std::cmp::Reverse(note.kind));
    notes
}

fn is_percentile(figure: AgainstFigureName) -> bool {
    matches!(figure, AgainstFigureName::P50 | AgainstFigureName::P99)
}

fn is_same(a: &AgainstSide, b: &AgainstSide) -> bool {
    !a.service.pids.is_empty() && a.service.pids == b.service.pids
}
