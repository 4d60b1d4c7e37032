use velo_judge::gate::{GateRun, GateState, GateVerdict};

use crate::section::gate::{in_words, verdict};

/// GitHub shows so many annotations of a step.
const MOST: usize = 10;

/// Commands that GitHub Actions read from what a step prints: an error for each figure that is worse, a
/// warning for what is undecided or accepted. `file`: the definition that it is shown at.
pub fn annotations(gate: &GateRun, file: &str) -> String {
    let worse = gate.figures.iter().filter(|one| one.state == GateState::Worse && !one.is_accepted);
    let lines: Vec<(&str, String)> = match gate.verdict {
        GateVerdict::Worse => worse.map(|one| ("error", format!("worse: {}", in_words(one)))).collect(),
        GateVerdict::HeadBroken | GateVerdict::BaseBroken | GateVerdict::Unfit => {
            vec![("error", verdict(gate))]
        }
        GateVerdict::Undecided | GateVerdict::Accepted | GateVerdict::Interrupted => {
            vec![("warning", verdict(gate))]
        }
        GateVerdict::New | GateVerdict::Better | GateVerdict::Within => vec![("notice", verdict(gate))],
    };
    let title = property(&format!("velo gate: {} on {}", gate.contender, gate.workload));
    let line = |(kind, words): (&str, String)| {
        format!("::{kind} file={},title={title}::{}\n", property(file), data(&words))
    };
    lines.into_iter().take(MOST).map(line).collect()
}

/// As a message stands behind the last colons.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// As the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_command_is_escaped() {
        assert_eq!(data("3 %\nand\r::"), "3 %25%0Aand%0D::");
        assert_eq!(property("a:b,c%"), "a%3Ab%2Cc%25");
    }
}
