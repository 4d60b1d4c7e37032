//! What the run's numbers are worth, a sentence each.

use velo_judge::{HostSummary, Judgement, Row, RowState, bounds};

use super::phrases::plural;
use super::rows::table_rows;
use super::{calls, pairs, tasks};
use crate::number::{count, percent, tidy_percent};
use crate::text::clean;

/// What the run's numbers are worth, a sentence each.
pub(crate) fn worth(judgement: &Judgement) -> Vec<String> {
    let answers = &judgement.answers;
    let tasks = tasks::worth(&judgement.workloads);
    let calls = calls::worth(&judgement.workloads);
    let mut first = match answers.checked() {
        0 if (tasks.is_some() || calls.is_some()) && answers.requests() == 0 => String::new(),
        0 => "no answers".to_owned(),
        n => format!(
            "{}, every one checked, {} wrong",
            plural(n, "answer", "answers"),
            count(answers.wrong_answer)
        ),
    };
    if answers.failures() > 0 {
        first.push_str(&format!(", {}", plural(answers.failures(), "request failed", "requests failed")));
    }
    if let Some(worst) = judgement.littles_law_worst {
        first.push_str(&format!("; Little's law within {}", percent(worst)));
    }
    let mut lines: Vec<String> =
        [Some(first), tasks, calls].into_iter().flatten().filter(|line| !line.is_empty()).collect();
    let shown: Vec<&Row> = judgement.workloads.iter().flat_map(table_rows).collect();
    if !shown.is_empty() {
        let ranked = shown.iter().any(|row| matches!(row.state, RowState::Ranked { .. }));
        let ties = if ranked { "; contenders that were not told apart share a rank" } else { "" };
        let confidence = tidy_percent(judgement.confidence);
        let figures = || shown.iter().filter_map(|row| row.goodput_per_s);
        lines.push(if figures().any(|figure| figure.interval().is_some()) {
            format!(
                "± 1 % is a {confidence} confidence interval over launches: 1 % of the value to each side{ties}"
            )
        } else if figures().any(|figure| figure.range().is_some()) {
            "no intervals: two launches are too few; both stand in parentheses".to_owned()
        } else {
            "no intervals: one launch says nothing of how much launches differ".to_owned()
        });
    }
    lines.extend(pairs::resolution(judgement).map(|line| clean(&line)));
    let host = &judgement.host;
    if host.steal_share.or(host.others_share).is_some() {
        lines.push(format!("host {}: {}", quietness(host), host_shares(host)));
    }
    lines
}

/// How quiet the host was, in a word or two.
fn quietness(host: &HostSummary) -> &'static str {
    match host.dropped_share() {
        _ if host.counts_disturbed => "disturbed",
        share if share > bounds::DROPPED_BLOCKS_DOUBTFUL || host.is_busy => "not quiet",
        _ => "quiet",
    }
}

/// `steal 0.0 %, others 1.2 % of CPU time; 1 of 50 blocks dropped`.
pub(crate) fn host_shares(host: &HostSummary) -> String {
    let shares: Vec<String> = [(host.steal_share, "steal"), (host.others_share, "others")]
        .into_iter()
        .filter_map(|(share, name)| share.map(|share| format!("{name} {}", percent(share))))
        .collect();
    let shares =
        if shares.is_empty() { String::new() } else { format!("{} of CPU time; ", shares.join(", ")) };
    let fate = if host.counts_disturbed { "disturbed" } else { "dropped" };
    let blocks = plural(host.blocks, "block", "blocks");
    format!("{shares}{} of {blocks} {fate}", count(host.disturbed_blocks))
}
