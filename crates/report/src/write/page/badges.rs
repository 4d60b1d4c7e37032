//! What the run's numbers are worth, as badges: one for each of the run's own checks, with its bound.

use serde::Serialize;
use velo_judge::{JudgedWorkload, Judgement, bounds};
use velo_model::Figure;
use velo_record::RunState;

use crate::number::{count, percent, plus_minus, ratio, tidy_percent};
use crate::section::{self, pairs, plural};
use crate::text::clean;

/// A check of the run.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Badge {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it found, in two or three words.
    pub(crate) short: String,
    /// How good that is.
    pub(crate) state: BadgeState,
    /// The whole story, a paragraph each.
    pub(crate) words: Vec<String>,
}

/// What a check found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum BadgeState {
    /// Nothing wrong.
    Good,
    /// Something to keep in mind.
    Doubtful,
    /// Figures are worth less or nothing.
    Bad,
}

use BadgeState::{Bad, Doubtful, Good};

/// A run that cannot find a difference of this share is of little use to a reader.
const DETECTABLE: f64 = 0.1;

/// The badges of a workload and its run.
pub(super) fn badges(judgement: &Judgement, workload: &JudgedWorkload) -> Vec<Badge> {
    let worth = section::worth(judgement);
    let found = [
        answers(judgement, &worth),
        littles_law(judgement),
        noise_floor(workload),
        smallest_difference(workload),
        Some(host(judgement)),
        plan(judgement, &worth),
    ];
    let clean = |badge: Badge| Badge {
        short: clean(&badge.short),
        words: badge.words.iter().map(|words| clean(words)).collect(),
        ..badge
    };
    found.into_iter().flatten().map(clean).collect()
}

fn answers(judgement: &Judgement, worth: &[String]) -> Option<Badge> {
    let answers = &judgement.answers;
    (answers.requests() > 0).then(|| Badge {
        name: "Answers",
        short: format!(
            "{} checked, {} wrong",
            count(answers.correct.saturating_add(answers.wrong_answer)),
            count(answers.wrong_answer)
        ),
        state: match (answers.wrong_answer, answers.failures()) {
            (0, 0) => Good,
            (0, _) => Doubtful,
            _ => Bad,
        },
        words: ["Every response was checked while the load ran; only correct ones count.".to_owned()]
            .into_iter()
            .chain(worth.first().cloned())
            .collect(),
    })
}

fn littles_law(judgement: &Judgement) -> Option<Badge> {
    let worst = judgement.littles_law_worst?;
    Some(Badge {
        name: "Little's law",
        short: format!("within {}", percent(worst)),
        state: if worst <= bounds::LITTLES_LAW { Good } else { Bad },
        words: vec![format!(
            "Requests in flight, counted for themselves, must equal rate times service time. {} is the bound.",
            tidy_percent(bounds::LITTLES_LAW)
        )],
    })
}

fn noise_floor(workload: &JudgedWorkload) -> Option<Badge> {
    let control = workload.controls.first()?;
    let words = match &control.ratio {
        Some(found) => {
            let interval = plus_minus(found, ratio).unwrap_or_default();
            format!(
                "The reference against itself: {} {interval}. Half of that interval is the noise floor of this run.",
                ratio(found.value)
            )
        }
        None => "The reference was not measured twice, or not often enough.".to_owned(),
    };
    Some(Badge {
        name: "Noise floor",
        short: control.noise_floor.map_or_else(|| "not known".to_owned(), percent),
        state: if control.holds_one == Some(true) { Good } else { Doubtful },
        words: vec![words],
    })
}

fn smallest_difference(workload: &JudgedWorkload) -> Option<Badge> {
    let compared = workload.pairs_by(Figure::Goodput, None)?;
    let share = compared.could_have_seen?;
    Some(Badge {
        name: "Smallest detectable difference",
        short: percent(share),
        state: if share <= DETECTABLE { Good } else { Doubtful },
        words: vec![
            format!(
                "A difference of {} between two contenders would have been found in nine of ten such runs{}; a smaller one, such as \
                 a regression of a few per cent, may have gone unseen. A longer --budget makes it smaller.",
                pairs::smallest_difference(compared)?,
                if compared.compared.len() > 1 {
                    ": that of the median pair, and the range over all pairs"
                } else {
                    ""
                }
            ),
            "Whether a change of yours made a difference: velo compare BEFORE AFTER --fail-on regression:3%."
                .to_owned(),
        ],
    })
}

fn host(judgement: &Judgement) -> Badge {
    let host = &judgement.host;
    let rule = if host.counts_disturbed {
        "Most blocks were disturbed: the figures are of all blocks, and nothing is ranked."
    } else {
        "A block in which somebody else used the CPUs is dropped whole, for all contenders."
    };
    let model = host.cpu_model.as_deref().unwrap_or("unknown CPU");
    let hypervisor =
        host.virtualisation.as_ref().map(|name| format!(", virtual ({name})")).unwrap_or_default();
    let share = |share: Option<f64>| share.map_or_else(|| "not known".to_owned(), percent);
    Badge {
        name: "Host",
        short: section::host_shares(host),
        state: match host.dropped_share() {
            share if share > bounds::DROPPED_BLOCKS => Bad,
            share if share > bounds::DROPPED_BLOCKS_DOUBTFUL => Doubtful,
            _ => Good,
        },
        words: vec![
            format!("{model}, {}{hypervisor}.", plural(u64::from(host.cpus), "CPU", "CPUs")),
            format!(
                "Stolen by the hypervisor: {}; used by others: {}.",
                share(host.steal_share),
                share(host.others_share)
            ),
            rule.to_owned(),
        ],
    }
}

fn plan(judgement: &Judgement, worth: &[String]) -> Option<Badge> {
    let plan = judgement.plan.as_ref()?;
    let is_whole = judgement.state == RunState::Complete && judgement.nothing_ranked.is_none();
    let first = match &judgement.nothing_ranked {
        Some(reason) => format!("Nothing is ranked: {reason}."),
        None => "Fixed before the first counted window.".to_owned(),
    };
    let launches = plural(u64::from(plan.launches), "launch", "launches");
    Some(Badge {
        name: "Plan",
        short: format!("{launches} of {}", plural(u64::from(plan.blocks), "block", "blocks")),
        state: if is_whole { Good } else { Doubtful },
        words: [first].into_iter().chain(worth.iter().skip(1).cloned()).collect(),
    })
}
