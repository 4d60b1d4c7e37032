use velo_judge::{
    Cause, Estimate, JudgedWorkload, Judgement, NothingRanked, Reason, Row, RowState, Validity,
};
use velo_model::{Class, ContenderName};

use super::main_figures::at_main_rate;
use crate::number::{count, rate, time_ns};
use crate::shell;

/// Why nobody is ranked in a workload, and what was seen all the same. `has_ranked_tasks`: only its servers are meant.
pub(super) fn reason(
    judgement: &Judgement,
    workload: &JudgedWorkload,
    has_ranked_tasks: bool,
) -> Option<String> {
    if workload.rows.is_empty() && has_ranked_tasks {
        return None;
    }
    let what = if has_ranked_tasks { "No ranks of servers" } else { "No ranks" };
    match &judgement.nothing_ranked {
        Some(reason) => {
            let seen = seen(workload).map(|seen| format!(" {seen}")).unwrap_or_default();
            let ranks =
                ranking_command(judgement).map(|line| format!(" To rank them: {line}")).unwrap_or_default();
            Some(format!("{what}: {}.{seen}{ranks}", reason.to_string().trim_end_matches('.')))
        }
        None => {
            let causes = causes(workload);
            (!causes.is_empty()).then(|| format!("{what}: {}.", causes.join(", ")))
        }
    }
}

/// How many contenders have no rank for which cause: `3 not the limit`, `1 failed`.
fn causes(workload: &JudgedWorkload) -> Vec<String> {
    let of_servers = workload.rows.iter().map(|row| &row.state);
    let of_tasks = workload.tasks.iter().flat_map(|table| &table.rows).map(|row| &row.state);
    let states: Vec<&RowState> =
        if workload.rows.is_empty() { of_tasks.collect() } else { of_servers.collect() };
    let mut causes: Vec<(&str, u64)> = Vec::new();
    for cause in states.into_iter().filter_map(cause) {
        match causes.iter_mut().find(|(known, _)| *known == cause) {
            Some((_, contenders)) => *contenders += 1,
            None => causes.push((cause, 1)),
        }
    }
    causes.iter().map(|(cause, contenders)| format!("{} {cause}", count(*contenders))).collect()
}

fn cause(state: &RowState) -> Option<&'static str> {
    Some(match state {
        RowState::Ranked { .. } | RowState::Reference => return None,
        RowState::Skipped { .. } => "skipped",
        RowState::Excluded { .. } => "failed",
        RowState::NotRanked { cause } => match cause {
            Cause::NotServerBound { .. } => "not the limit",
            Cause::WrongAnswers { .. } => "with wrong answers",
            cause if cause.validity() == Validity::Invalid => "invalid",
            Cause::Failures { .. } | Cause::ProcessEndedEarly { .. } => "with failures",
            Cause::LittlesLaw { .. } | Cause::Inconsistent { .. } => "doubtful",
            Cause::Unsteady { .. } => "unsteady",
            Cause::StillWarming { .. } => "still warming up",
            Cause::RanAlready { .. } | Cause::OnlyExternal => "externally started",
            Cause::FewLaunches { .. } => "with too few launches",
            Cause::StatedRate { .. } => "without a rank at the stated rate",
            _ => "not measured",
        },
    })
}

/// From the least to the most of what was measured of rows that would be ranked but for the run's own reason. It is not
/// said that anybody is ahead.
fn seen(workload: &JudgedWorkload) -> Option<String> {
    let is_run = |state: &RowState| matches!(state, RowState::NotRanked { cause: Cause::Run { .. } });
    let goodput =
        workload.rows.iter().filter(|row| is_run(&row.state)).map(|row| (&row.contender, row.goodput_per_s));
    if let Some(ends) = Ends::of(goodput) {
        return Some(ends.words("Seen", rate, " requests/s", ""));
    }
    if let Some(group) = at_main_rate(workload) {
        let is_of_run = |reason: &Option<Reason>| reason.as_ref().is_some_and(Reason::is_of_run);
        let points = group.points.iter().filter(|point| is_of_run(&point.reason));
        if let Some(ends) = Ends::of(points.map(|point| (&point.contender, Some(point.estimate)))) {
            let at = format!("Seen at {} requests/s", rate(group.under.rate_per_s()?));
            return Some(ends.words(&at, time_ns, "", " of CPU time per request"));
        }
    }
    let tasks = workload.tasks.iter().flat_map(|table| &table.rows).filter(|row| is_run(&row.state));
    let ends = Ends::of(tasks.map(|row| (&row.contender, row.steady_ns)))?;
    Some(ends.words("Seen", time_ns, "", " for an iteration"))
}

/// The least and the most of some figures, with whose they are.
struct Ends<'j> {
    least: (&'j ContenderName, f64),
    most: (&'j ContenderName, f64),
}

impl<'j> Ends<'j> {
    fn of(figures: impl Iterator<Item = (&'j ContenderName, Option<Estimate>)>) -> Option<Self> {
        let mut ends: Option<Self> = None;
        for (name, figure) in figures {
            let Some(value) = figure.map(|figure| figure.value).filter(|value| value.is_finite()) else {
                continue;
            };
            let one = (name, value);
            ends = Some(match ends {
                None => Self { least: one, most: one },
                Some(Self { least, most }) => Self {
                    least: if value < least.1 { one } else { least },
                    most: if value > most.1 { one } else { most },
                },
            });
        }
        ends
    }

    /// `Seen from 5,250 requests/s (python/fastapi) to 48,100 (go/net-http).` `unit` stands behind the first figure,
    /// `about` at the end.
    fn words(&self, seen: &str, number: impl Fn(f64) -> String, unit: &str, about: &str) -> String {
        let (least, most) = (number(self.least.1), number(self.most.1));
        if self.least.0 == self.most.0 {
            return format!("{seen}: {most}{unit}{about} ({}).", self.most.0);
        }
        format!("{seen}: from {least}{unit} ({}) to {most} ({}){about}.", self.least.0, self.most.0)
    }
}

/// The command that ranks what a quick look has seen: the same without its flag, and in a folder of its own.
fn ranking_command(judgement: &Judgement) -> Option<String> {
    let kept = shell::without(&judgement.command, &["--seed", "--out", "--budget", "--plan"], &["--quick"]);
    let is_quick = judgement.nothing_ranked == Some(NothingRanked::QuickLook);
    (is_quick && judgement.workloads.iter().any(could_rank)).then(|| shell::line("velo", &kept))
}

/// Not of externally started servers alone of which fewer than two are seen: no run ranks those.
fn could_rank(workload: &JudgedWorkload) -> bool {
    let is_external = |row: &&Row| row.class == Class::Running;
    let is_unseen = |row: &&Row| matches!(row.state, RowState::NotRanked { cause: Cause::RanAlready { .. } });
    let external = workload.rows.iter().filter(is_external);
    external.clone().filter(|row| !is_unseen(row)).count() > 1
        || external.count() < workload.rows.len()
        || workload.rows.is_empty()
}
