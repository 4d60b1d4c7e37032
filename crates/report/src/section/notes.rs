//! What is to be known beside the figures: each remark once.

use velo_judge::{Cause, Check, Finding, JudgedWorkload, Judgement, Kind, RowState, Verdict};
use velo_model::ContenderName;

use crate::document::Note;
use crate::text::clean;
use crate::words::sentence;

/// What verdicts say, with what they found, by which two that are alike are known.
pub(super) type Noted = Vec<(Finding, Note)>;

/// What a verdict says, of nobody in particular.
pub(crate) fn note(verdict: &Verdict) -> Note {
    Note { kind: verdict.kind, names: Vec::new(), words: clean(&sentence(&verdict.finding)) }
}

/// The rows' verdicts, the gravest first, what several share said once. What is a row's reason already is not said
/// again.
pub(crate) fn notes(workload: &JudgedWorkload) -> Vec<Note> {
    let mut found = Vec::new();
    for row in &workload.rows {
        let said = |kind: Kind, check: Check| match row.state {
            RowState::NotRanked { cause: Cause::NotServerBound { .. } } => {
                kind == Kind::Error || matches!(check, Check::Limit | Check::Proof)
            }
            RowState::NotRanked { .. } => kind == Kind::Error,
            RowState::Reference => matches!(check, Check::Limit | Check::Proof),
            _ => false,
        };
        for verdict in row.verdicts.iter().filter(|verdict| !said(verdict.kind, verdict.check)) {
            noted(&mut found, verdict, &row.contender);
        }
    }
    gravest_first(found)
}

/// Adds a contender's verdict; what another one has too is said once.
pub(super) fn noted(found: &mut Noted, verdict: &Verdict, contender: &ContenderName) {
    let is_it =
        |(finding, note): &&mut (Finding, Note)| note.kind == verdict.kind && *finding == verdict.finding;
    let name = contender.to_string();
    match found.iter_mut().find(is_it) {
        Some((_, note)) => note.names.push(name),
        None => found.push((verdict.finding.clone(), Note { names: vec![name], ..note(verdict) })),
    }
}

pub(super) fn gravest_first(mut found: Noted) -> Vec<Note> {
    found.sort_by_key(|(_, note)| std::cmp::Reverse(note.kind));
    found.into_iter().map(|(_, note)| note).collect()
}

/// The run's own verdicts.
pub(crate) fn run_notes(judgement: &Judgement) -> Vec<Note> {
    judgement.verdicts.iter().map(note).collect()
}
