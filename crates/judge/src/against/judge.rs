use velo_record::AgainstRecord;

use super::blocks::Blocks;
use super::condition::AgainstCondition;
use super::result::{AgainstResult, FORMAT, IntervalScope};
use super::{figures, notes};

/// Judges a load of two services by its record.
pub fn judge(record: AgainstRecord, conditions: &[AgainstCondition]) -> AgainstResult {
    let blocks = Blocks::of(&record);
    let figures = figures::of(&record, &blocks);
    let sum =
        |of: fn(&velo_record::Outcomes) -> u64| of(&record.a.outcomes).saturating_add(of(&record.b.outcomes));
    let failed = sum(velo_record::Outcomes::failed);
    let requests = failed.saturating_add(sum(|outcomes| outcomes.correct));
    let results: Vec<_> =
        conditions.iter().map(|condition| condition.check(&figures, failed, requests)).collect();
    let failures_are_asked = results.iter().any(|result| result.figure.is_none());
    let notes = notes::of(&record, &blocks, &figures, failures_are_asked);
    let [generator_busy_a, generator_busy_b] = blocks.busy;
    AgainstResult {
        format: FORMAT,
        intervals_of: IntervalScope::TheseProcesses,
        counted_blocks: blocks.counted.len() as u32,
        dropped_blocks: if blocks.is_unfit { 0 } else { blocks.dropped as u32 },
        batches: if blocks.is_unfit { 0 } else { blocks.batches as u32 },
        taken_share: blocks.taken_share,
        generator_busy_a,
        generator_busy_b,
        figures,
        notes,
        conditions: results,
        record,
    }
}
