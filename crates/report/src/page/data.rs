//! What a page knows: the judged run, what stands behind its figures, and what it is about in words.

use schemars::JsonSchema;
use serde::Serialize;
use velo_judge::{JudgedWorkload, Judgement, Kind, Verdict, WorkloadDetail};
use velo_model::{Class, ContenderName, Role};
use velo_record::{ContenderRecord, LaunchRecord, RunFile};

use super::badges::{Badge, badges};
use super::headline::headlines;
use super::notes;
use super::series::{self, SeriesWords};
use super::terms::{Term, terms};
use crate::text::clean;
use crate::view;

/// The version of the data's format.
const FORMAT: u32 = 5;

/// The data of a page.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct PageData<'a> {
    /// The version of this format.
    pub(crate) format: u32,
    /// The judged run.
    pub(crate) judgement: &'a Judgement,
    /// The run in a few lines: a label and a text.
    pub(crate) head: Vec<(String, String)>,
    /// What else is to be known of the run.
    pub(crate) notes: Vec<Note>,
    /// One for each of the judgement's workloads, in its order.
    pub(crate) workloads: Vec<PageWorkload>,
    /// The contenders, measured or not, by name.
    pub(crate) contenders: Vec<Contender>,
    /// What its words mean, as the glossary has them.
    pub(crate) terms: Vec<Term>,
}

/// A workload.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct PageWorkload {
    /// The answer to its question in a sentence or two.
    pub(crate) answer: Option<String>,
    /// How it was loaded.
    pub(crate) load: String,
    /// Where the published table comes from.
    pub(crate) source: String,
    /// The words for each of the judged workload's series, in their order.
    pub(crate) series: Vec<SeriesWords>,
    /// Each contender in one line.
    pub(crate) headlines: Vec<(ContenderName, String)>,
    /// The checks of the run and of this workload.
    pub(crate) badges: Vec<Badge>,
    /// What is to be known beside the figures, the gravest first.
    pub(crate) notes: Vec<Note>,
    /// What is to be known of each row and each task.
    pub(crate) remarks: Vec<Remarks>,
    /// What stands behind the figures.
    pub(crate) detail: WorkloadDetail,
}

/// What is to be known of one contender.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Remarks {
    /// Of whom.
    pub(crate) contender: ContenderName,
    /// What its verdicts say.
    pub(crate) notes: Vec<Note>,
    /// What limited it, where that was looked at.
    pub(crate) limit: Option<String>,
}

/// A remark.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Note {
    /// How grave it is.
    pub(crate) kind: Kind,
    /// Of whom; empty: of the run.
    pub(crate) names: Vec<String>,
    /// What it says.
    pub(crate) words: String,
}

/// A contender, and how anybody can make it again.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Contender {
    /// `language/name`.
    pub(crate) name: ContenderName,
    /// The language.
    pub(crate) language: String,
    /// What kind of program it is.
    pub(crate) class: Class,
    /// What it does when it is measured.
    pub(crate) role: Role,
    /// The contender of the same folder that this one differs from in some keys.
    pub(crate) variant_of: Option<ContenderName>,
    /// Where it ran already.
    pub(crate) runs_at: Option<String>,
    /// What its version command printed.
    pub(crate) version: Option<String>,
    /// The toolchains as found.
    pub(crate) toolchains: Vec<String>,
    /// The command that fetched what it depends on.
    pub(crate) fetch: Option<String>,
    /// The command that built it.
    pub(crate) build: Option<String>,
    /// The command that started it.
    pub(crate) start: String,
    /// How it was built.
    pub(crate) built: Option<Build>,
    /// Conformance cases that had to pass.
    pub(crate) required_cases: u32,
    /// Those of them that did.
    pub(crate) passed_cases: u32,
    /// Its launches, in order.
    pub(crate) launches: Vec<Launch>,
    /// Its README, as HTML without scripts, pictures, or markup of its own.
    pub(crate) notes_html: Option<String>,
}

/// How a contender was built.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Build {
    /// SHA-256 over its folder, lower-case hex.
    pub(crate) content_hash: String,
    /// How long it took.
    pub(crate) duration_ns: u64,
}

/// One life of a contender's processes.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Launch {
    /// From 1.
    pub(crate) launch: u32,
    /// From exec to the first correct answer.
    pub(crate) startup_ns: Option<u64>,
    /// Processes after warm-up.
    pub(crate) processes: Option<u32>,
    /// Threads of all of them.
    pub(crate) threads: Option<u32>,
    /// Resident set size of the process tree, shared pages once, after the last block.
    pub(crate) memory_steady_bytes: Option<u64>,
    /// Why it ended before its plan.
    pub(crate) ended_early: Option<String>,
}

/// More launches of a contender are in nobody's plan.
const MOST_LAUNCHES: usize = 200;

pub(super) fn of<'a>(file: &RunFile, judgement: &'a Judgement, detail: Vec<WorkloadDetail>) -> PageData<'a> {
    let workloads = judgement.workloads.iter().zip(detail).map(|(workload, detail)| PageWorkload {
        answer: view::answer::answer(judgement, workload),
        load: match &workload.tasks {
            Some(table) if !view::has_servers(workload) => view::tasks::about(table),
            _ => view::load(workload),
        },
        source: view::source(workload),
        series: series::words(judgement, workload),
        headlines: headlines(workload),
        badges: badges(judgement, workload),
        notes: view::notes(workload).into_iter().map(Note::from).chain(calls(workload)).collect(),
        remarks: remarks(workload),
        detail,
    });
    let mut contenders: Vec<Contender> =
        file.contenders.iter().filter(|record| record.twin_of.is_none()).map(contender).collect();
    contenders.sort_by(|a, b| a.name.cmp(&b.name));
    PageData {
        format: FORMAT,
        judgement,
        head: view::head(judgement).into_iter().map(|(label, text)| (label.to_owned(), text)).collect(),
        notes: view::run_notes(judgement).into_iter().map(Note::from).collect(),
        workloads: workloads.collect(),
        contenders,
        terms: terms(),
    }
}

/// Single calls that waited for an acknowledgement.
fn calls(workload: &JudgedWorkload) -> impl Iterator<Item = Note> {
    let words = view::calls::notes(workload).into_iter();
    words.map(|words| Note { kind: Kind::Hint, names: Vec::new(), words })
}

fn remarks(workload: &JudgedWorkload) -> Vec<Remarks> {
    let notes = |verdicts: &[Verdict]| verdicts.iter().map(view::Note::of).map(Note::from).collect();
    let rows = workload.rows.iter().map(|row| Remarks {
        contender: row.contender.clone(),
        notes: notes(&row.verdicts),
        limit: row.limit.as_ref().map(|limit| clean(&limit.in_words())),
    });
    let tasks = workload.tasks.iter().flat_map(|table| &table.rows).map(|task| Remarks {
        contender: task.contender.clone(),
        notes: notes(&task.verdicts),
        limit: None,
    });
    rows.chain(tasks).collect()
}

impl From<view::Note> for Note {
    fn from(note: view::Note) -> Self {
        Self { kind: note.kind, names: note.names, words: note.words }
    }
}

fn contender(record: &ContenderRecord) -> Contender {
    let manifest = &record.manifest;
    let required = || record.cases.iter().filter(|case| case.required);
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Contender {
        name: manifest.name.clone(),
        language: manifest.name.language().to_owned(),
        class: manifest.class,
        role: manifest.role,
        variant_of: manifest.variant_of.clone(),
        runs_at: manifest.runs_at.as_deref().map(clean),
        version: record.version.as_deref().map(clean),
        toolchains: record.toolchains.iter().map(|toolchain| clean(toolchain)).collect(),
        fetch: manifest.fetch.as_deref().map(clean),
        build: manifest.build.as_deref().map(clean),
        start: clean(&manifest.start),
        built: record
            .build
            .as_ref()
            .map(|build| Build { content_hash: clean(&build.content_hash), duration_ns: build.duration_ns }),
        required_cases: number(required().count()),
        passed_cases: number(required().filter(|case| case.passed).count()),
        launches: record.launches.iter().take(MOST_LAUNCHES).map(launch).collect(),
        notes_html: record.notes.as_deref().map(notes::html),
    }
}

fn launch(record: &LaunchRecord) -> Launch {
    Launch {
        launch: record.launch,
        startup_ns: record.startup_ns,
        processes: record.processes,
        threads: record.threads,
        memory_steady_bytes: record.memory_steady_bytes,
        ended_early: record.ended_early.as_deref().map(clean),
    }
}
