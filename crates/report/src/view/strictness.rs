//! What contenders did with odd input.

use velo_judge::JudgedWorkload;

use super::section::{Block, Named, Place, Section};
use crate::text::clean;

/// Of more contenders that answer alike a terminal has their number.
const MOST_NAMES: usize = 3;

/// What contenders did in each case.
pub(crate) fn section(workload: &JudgedWorkload) -> Option<Section> {
    let named = |place, most_names| {
        let cases = workload.strictness.iter();
        Block::Named(Named {
            place,
            titles: ["case", "answers"],
            rows: cases.map(|case| (case.case.clone(), strictness(case, most_names))).collect(),
            most_on_terminal: usize::MAX,
        })
    };
    let blocks = vec![named(Place::Terminal, MOST_NAMES), named(Place::Markdown, usize::MAX)];
    let about = "recorded, excludes nobody";
    (!workload.strictness.is_empty()).then(|| Section::new("strictness", about, blocks))
}

/// What contenders did in a case: `400: go/gin, python/fastapi; 200: js/fastify`. Of groups larger than `at_most` the
/// largest is `the others`.
fn strictness(case: &velo_judge::StrictnessCase, at_most: usize) -> String {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for answer in &case.answers {
        let got = status_or_all(&clean(&answer.got));
        let name = answer.contender.to_string();
        match groups.iter_mut().find(|(known, _)| *known == got) {
            Some((_, names)) => names.push(name),
            None => groups.push((got, vec![name])),
        }
    }
    groups.sort_by_key(|(got, names)| (names.len(), got.clone()));
    let alone = groups.len() == 1;
    let last = groups.len().saturating_sub(1);
    let groups: Vec<String> = groups
        .iter()
        .enumerate()
        .map(|(index, (got, names))| match names.len() {
            n if index < last || n <= at_most => format!("{got}: {}", names.join(", ")),
            n if alone => format!("{got}: all {n}"),
            n => format!("{got}: the {n} others"),
        })
        .collect();
    groups.join("; ")
}

/// Bodies differ in wording, so answers are grouped by their status.
pub(super) fn status_or_all(got: &str) -> String {
    let first = got.split(' ').next().unwrap_or_default();
    let is_status = first.len() == 3 && first.bytes().all(|byte| byte.is_ascii_digit());
    if is_status { first.to_owned() } else { got.to_owned() }
}
