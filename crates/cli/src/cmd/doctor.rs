use velo_lab::doctor::{self, Check, CheckState};

use crate::columns::wrap;
use crate::{exit, out};

const WIDTH: usize = 80;
/// Where the second column begins.
const INDENT: usize = 11;

pub(crate) fn run() -> anyhow::Result<u8> {
    let (facts, checks) = doctor::examine();
    let is_toolchain = |check: &&Check| facts.toolchains.iter().any(|fact| fact.name == check.name);
    let (toolchains, machine): (Vec<&Check>, Vec<&Check>) = checks.iter().partition(is_toolchain);
    let mut text: String = machine.iter().map(|check| line(check)).collect();
    text.push_str(&toolchain_lines(&toolchains));
    out::print(&text)?;
    let unfit = checks.iter().any(|check| check.state == CheckState::Unfit);
    Ok(if unfit { exit::UNFIT } else { exit::DONE })
}

fn line(check: &Check) -> String {
    let state = match check.state {
        CheckState::Ok => "ok",
        CheckState::Note => "note",
        CheckState::Unknown => "unknown",
        CheckState::Warning => "warning",
        CheckState::Unfit => "unfit",
    };
    let found = wrap(&check.found, INDENT, WIDTH - "  warning".len());
    let last = found.lines().last().unwrap_or_default();
    let used = if found.contains('\n') { last.chars().count() } else { INDENT + last.chars().count() };
    let gap = " ".repeat((WIDTH - "warning".len()).saturating_sub(used).max(2));
    let mut text = format!("{:INDENT$}{found}{gap}{state}\n", check.name);
    if let Some(advice) = &check.advice {
        text.push_str(&format!("{:INDENT$}{}\n", "", wrap(advice, INDENT, WIDTH)));
    }
    text
}

fn toolchain_lines(toolchains: &[&Check]) -> String {
    let (here, missing): (Vec<&Check>, Vec<&Check>) =
        toolchains.iter().partition(|check| check.state == CheckState::Ok);
    let found: Vec<String> = here.iter().map(|check| format!("{} {}", check.name, check.found)).collect();
    // A version stays on the line of its name.
    let joined = found.join(" · ").replace(' ', "\u{a0}").replace("\u{a0}·\u{a0}", " · ");
    let mut text =
        format!("{:INDENT$}{}\n", "toolchains", wrap(&joined, INDENT, WIDTH)).replace('\u{a0}', " ");
    for check in missing {
        let advice = check.advice.as_deref().unwrap_or_default();
        text.push_str(&format!("{:INDENT$}{} is not installed: {advice}\n", "", check.name));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, found: &str, state: CheckState, advice: Option<&str>) -> Check {
        Check { name: name.to_owned(), found: found.to_owned(), state, advice: advice.map(str::to_owned) }
    }

    #[test]
    fn the_state_stands_in_one_column() {
        let short = line(&check("clock", "tsc", CheckState::Ok, None));
        assert_eq!(short, format!("clock      tsc{}ok\n", " ".repeat(73 - 14)));
        let long = line(&check("CPU", &"word ".repeat(20), CheckState::Warning, Some("do this")));
        let lines: Vec<&str> = long.lines().collect();
        assert_eq!(lines.len(), 3, "{long}");
        assert!(lines[1].ends_with("warning") && lines[1].len() <= 80, "{long}");
        assert_eq!(lines[2], "           do this");
    }

    #[test]
    fn toolchains_are_one_paragraph_and_missing_ones_a_line_each() {
        let here: Vec<Check> =
            (0..12).map(|n| check(&format!("tool{n}"), "1.2.3", CheckState::Ok, None)).collect();
        let missing = check("ruby", "not installed", CheckState::Note, Some("apt-get install ruby"));
        let all: Vec<&Check> = here.iter().chain([&missing]).collect();
        let text = toolchain_lines(&all);
        assert!(text.starts_with("toolchains tool0 1.2.3 · tool1 1.2.3"), "{text}");
        assert!(text.ends_with("           ruby is not installed: apt-get install ruby\n"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}
