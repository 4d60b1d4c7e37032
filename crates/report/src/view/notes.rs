//! What is to be known beside the figures: each remark once.

use velo_judge::{Cause, Check, Finding, JudgedWorkload, Judgement, Kind, RowState, Verdict};
use velo_model::ContenderName;

use crate::text::clean;
use crate::words::sentence;

/// A hint that more contenders share says how many they are.
pub(super) const MOST_NAMES: usize = 6;

/// What is to be known beside the figures.
pub(crate) struct Note {
    pub(crate) kind: Kind,
    finding: Finding,
    /// Of whom; empty: of the run.
    pub(crate) names: Vec<String>,
    pub(crate) words: String,
}

impl Note {
    /// What a verdict says, of nobody in particular.
    pub(crate) fn of(verdict: &Verdict) -> Self {
        let words = clean(&sentence(&verdict.finding));
        Self { kind: verdict.kind, finding: verdict.finding.clone(), names: Vec::new(), words }
    }

    /// `go/gin, js/fastify: SIGTERM did not stop it`.
    pub(crate) fn sentence(&self) -> String {
        match self.names.len() {
            0 => self.words.clone(),
            // Who it is stands in the JSON; a list of all would hide what is said of few.
            many if many > MOST_NAMES && self.kind == Kind::Hint => {
                format!("{many} contenders: {}", self.words)
            }
            _ => format!("{}: {}", self.names.join(", "), self.words),
        }
    }
}

/// The rows' verdicts, the gravest first, what several share said once. What is a row's reason already is not said
/// again.
pub(crate) fn notes(workload: &JudgedWorkload) -> Vec<Note> {
    let mut notes: Vec<Note> = Vec::new();
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
            add_note(&mut notes, verdict, &row.contender);
        }
    }
    notes.sort_by_key(|note| std::cmp::Reverse(note.kind));
    notes
}

/// Adds a contender's verdict; what another one has too is said once.
pub(super) fn add_note(notes: &mut Vec<Note>, verdict: &Verdict, contender: &ContenderName) {
    let name = contender.to_string();
    match notes.iter_mut().find(|note| note.kind == verdict.kind && note.finding == verdict.finding) {
        Some(note) => note.names.push(name),
        None => notes.push(Note { names: vec![name], ..Note::of(verdict) }),
    }
}

/// The run's own verdicts.
pub(crate) fn run_notes(judgement: &Judgement) -> Vec<Note> {
    judgement.verdicts.iter().map(Note::of).collect()
}
