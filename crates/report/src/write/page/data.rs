//! What a page knows: the run as a document, the figures that its contenders can be compared by, and a card for each contender.

use serde::Serialize;
use velo_judge::{JudgedWorkload, Judgement, WorkloadDetail};
use velo_model::ContenderName;
use velo_record::{ContenderRecord, RunFile, RunState};

use super::badges::{Badge, badges};
use super::cards::{Card, cards, facts};
use super::rankings::rankings;
use super::terms::{Term, terms};
use crate::document::{Note, Ranking, Room, Section};
use crate::number::tidy_percent;
use crate::section::{self, class};
use crate::shell::quoted;
use crate::text::clean;

/// The version of the data's format.
const FORMAT: u32 = 6;

/// The data of a page.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct PageData {
    /// The version of this format.
    pub(crate) format: u32,
    /// Why it is not a whole run; `None` of a whole one.
    pub(crate) partial: Option<String>,
    /// The run in a few lines: a label and a text.
    pub(crate) facts: Vec<(String, String)>,
    /// What ran, when and on what, to be cited.
    pub(crate) origin: String,
    /// The command that repeats it.
    pub(crate) again: String,
    /// Of all intervals: `95 %`.
    pub(crate) confidence: String,
    /// What else is to be known of the run.
    pub(crate) notes: Vec<Note>,
    /// Those there is something to say of.
    pub(crate) workloads: Vec<PageWorkload>,
    /// What is to be said of all of them but for their validity, which badges and notes say.
    pub(crate) end: Vec<Section>,
    /// The contenders, measured or not, by name.
    pub(crate) contenders: Vec<Contender>,
    /// What its words mean, as the glossary has them.
    pub(crate) terms: Vec<Term>,
}

/// A workload.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct PageWorkload {
    /// Its name.
    pub(crate) name: String,
    /// The name by which a command asks for it; `None` where it has no server.
    pub(crate) listed_as: Option<String>,
    /// What it asks.
    pub(crate) question: String,
    /// The answer in a sentence or two.
    pub(crate) answer: Option<String>,
    /// How it was loaded.
    pub(crate) load: String,
    /// The figures that its contenders can be compared by, the one that ranks first.
    pub(crate) rankings: Vec<Ranking>,
    /// Which of them a reader's own load is multiplied with: CPU time per request in nanoseconds.
    pub(crate) cost_by: Option<String>,
    /// The checks of the run and of this workload.
    pub(crate) badges: Vec<Badge>,
    /// What is to be known beside the figures, the gravest first.
    pub(crate) notes: Vec<Note>,
    /// What else was measured, and what was published.
    pub(crate) sections: Vec<Section>,
    /// One for each contender that was to be measured.
    pub(crate) cards: Vec<Card>,
}

/// A contender.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Contender {
    /// `language/name`.
    pub(crate) name: ContenderName,
    /// The language.
    pub(crate) language: String,
    /// What kind of program it is.
    pub(crate) class: String,
    /// Its version, how it was built and started, and where it ran.
    pub(crate) facts: Vec<(String, String)>,
    /// Its README, as HTML without scripts, pictures, or markup of its own.
    pub(crate) notes_html: Option<String>,
}

pub(super) fn of(file: &RunFile, judgement: &Judgement, detail: &[WorkloadDetail]) -> PageData {
    let facts = section::run::facts(judgement);
    let shown: Vec<&JudgedWorkload> = section::sections(judgement).collect();
    let is_shown = |workload: &JudgedWorkload| shown.iter().any(|one| one.name == workload.name);
    let workloads = judgement.workloads.iter().zip(detail).filter(|(workload, _)| is_shown(workload));
    let workloads = workloads.map(|(workload, detail)| of_workload(judgement, workload, detail)).collect();
    let mut contenders: Vec<Contender> =
        file.contenders.iter().filter(|record| record.twin_of.is_none()).map(contender).collect();
    contenders.sort_by(|a, b| a.name.cmp(&b.name));
    let of_origin = |(label, _): &&(String, String)| matches!(label.as_str(), "run" | "host");
    let origin = facts.iter().filter(of_origin).map(|(_, text)| text.as_str());
    PageData {
        format: FORMAT,
        partial: (judgement.state != RunState::Complete)
            .then(|| "A partial run: it did not come to its end.".to_owned()),
        origin: origin.collect::<Vec<_>>().join("; "),
        again: again(judgement),
        confidence: tidy_percent(judgement.confidence),
        notes: section::run_notes(judgement),
        workloads,
        end: section::run::geometric_means(judgement).into_iter().collect(),
        facts,
        contenders,
        terms: terms(),
    }
}

fn of_workload(judgement: &Judgement, workload: &JudgedWorkload, detail: &WorkloadDetail) -> PageWorkload {
    let rankings = rankings(judgement, workload, detail);
    let cost_by = section::cost::basis_of(workload).and_then(|place| rankings.get(place));
    PageWorkload {
        name: workload.name.clone(),
        listed_as: (!workload.rows.is_empty()).then(|| workload.listed_as.clone()),
        question: workload.question.clone(),
        answer: section::answer::answer(judgement, workload),
        load: section::run::about(workload),
        cost_by: cost_by.map(|ranking| ranking.id.clone()),
        badges: badges(judgement, workload),
        notes: section::notes(workload),
        sections: seen(section::parts(workload, Some(detail))),
        cards: cards(workload, detail),
        rankings,
    }
}

/// What a page shows of sections.
fn seen(sections: Vec<Section>) -> Vec<Section> {
    sections.into_iter().filter_map(|section| section.seen_in(Room::Wide)).collect()
}

/// The command that repeats the run.
fn again(judgement: &Judgement) -> String {
    let command = &judgement.command;
    let has_seed = command.iter().any(|word| word == "--seed" || word.starts_with("--seed="));
    let seed = if has_seed { String::new() } else { format!(" --seed {}", judgement.seed) };
    let words: Vec<String> = command.iter().map(|word| quoted(word)).collect();
    clean(&format!("velo {}{seed}", words.join(" ")))
}

fn contender(record: &ContenderRecord) -> Contender {
    let manifest = &record.manifest;
    Contender {
        name: manifest.name.clone(),
        language: manifest.name.language().to_owned(),
        class: class::kind(manifest.role, manifest.class).to_owned(),
        facts: facts(record),
        notes_html: record.notes.as_deref().map(super::notes::html),
    }
}
