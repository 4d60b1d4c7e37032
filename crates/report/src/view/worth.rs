//! What the run's numbers are worth, a sentence each.

use velo_judge::{Judgement, Row, RowState};

use super::phrases::plural;
use super::rows::table_rows;
use super::{pairs, tasks};
use crate::number::{count, percent, tidy_percent};
use crate::text::clean;

/// What the run's numbers are worth, a sentence each.
pub(crate) fn worth(judgement: &Judgement) -> Vec<String> {
    let answers = &judgement.answers;
    let tasks = tasks::worth(&judgement.workloads);
    let mut first = match answers.checked() {
        0 if tasks.is_some() && answers.requests() == 0 => String::new(),
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
        [Some(first), tasks].into_iter().flatten().filter(|line| !line.is_empty()).collect();
    let shown: Vec<&Row> = judgement.workloads.iter().flat_map(table_rows).collect();
    if !shown.is_empty() {
        let ranked = shown.iter().any(|row| matches!(row.state, RowState::Ranked { .. }));
        let ties = if ranked { "; ranks not told apart are shared" } else { "" };
        let confidence = tidy_percent(judgement.confidence);
        lines.push(format!("± is half of a {confidence} interval over launches{ties}"));
    }
    lines.extend(pairs::resolution(judgement).map(|line| clean(&line)));
    let host = &judgement.host;
    let shares = [(host.steal_share, "steal"), (host.others_share, "others")];
    let shares: Vec<String> = shares
        .iter()
        .filter_map(|(share, name)| share.map(|share| format!("{name} {}", percent(share))))
        .collect();
    if !shares.is_empty() {
        let fate = if host.counts_disturbed { "disturbed" } else { "dropped" };
        let blocks = plural(host.blocks, "block", "blocks");
        let disturbed = count(host.disturbed_blocks);
        lines.push(format!("host: {} of CPU time, {disturbed} of {blocks} {fate}", shares.join(", ")));
    }
    lines
}
