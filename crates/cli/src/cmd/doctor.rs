use serde_json::{Value, json};
use velo_lab::doctor::{self, Check, CheckState};
use velo_record::HostFacts;

use crate::args::DoctorArgs;
use crate::columns::wrap;
use crate::{exit, out};

const WIDTH: usize = 80;
/// Where the second column begins.
const INDENT: usize = 11;

pub(crate) fn run(args: &DoctorArgs) -> anyhow::Result<u8> {
    // While there is one thread. Where they are refused, trying a link says so.
    let _ = velo_link::obtain_rights();
    let (facts, checks) = doctor::examine();
    if args.json {
        out::print(&format!("{:#}\n", document(&facts, &checks)?))?;
    } else {
        out::print(&text(&facts, &checks))?;
    }
    let unfit = checks.iter().any(|check| check.state == CheckState::Unfit);
    Ok(if unfit { exit::UNFIT } else { exit::DONE })
}

fn document(facts: &HostFacts, checks: &[Check]) -> anyhow::Result<Value> {
    let line = |check: &Check| {
        json!({
            "name": check.name,
            "found": check.found,
            "state": check.state.word(),
            "advice": check.advice,
        })
    };
    let against: Vec<&str> = doctor::unfit(checks).into_iter().map(|check| check.name.as_str()).collect();
    Ok(json!({
        "facts": serde_json::to_value(facts)?,
        "checks": checks.iter().map(line).collect::<Vec<Value>>(),
        "against_a_run": against,
    }))
}

fn text(facts: &HostFacts, checks: &[Check]) -> String {
    let is_toolchain = |check: &&Check| facts.toolchains.iter().any(|fact| fact.name == check.name);
    let (toolchains, others): (Vec<&Check>, Vec<&Check>) = checks.iter().partition(is_toolchain);
    let (ceiling, machine): (Vec<&Check>, Vec<&Check>) =
        others.into_iter().partition(|check| check.name == "ceiling");
    let mut text: String = machine.into_iter().map(line).collect();
    if !toolchains.is_empty() {
        text.push_str(&toolchain_lines(&toolchains));
    }
    text.extend(ceiling.into_iter().map(line));
    text.push_str(&closing_line(checks));
    text
}

fn line(check: &Check) -> String {
    let state = check.state.word();
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
        let line = format!("{} is {}: {advice}", check.name, check.found);
        // A command stays on its line, so that it can be copied.
        let line = if advice.starts_with("apt-get") { line } else { wrap(&line, INDENT, WIDTH) };
        text.push_str(&format!("{:INDENT$}{line}\n", ""));
    }
    text
}

/// What a run would say to this, for who reads only the end.
fn closing_line(checks: &[Check]) -> String {
    let against = doctor::unfit(checks);
    let names: Vec<&str> = against.iter().map(|check| check.name.as_str()).collect();
    let words = if against.is_empty() {
        "fit for a run".to_owned()
    } else if against.iter().any(|check| check.state == CheckState::Unfit) {
        format!("no run is possible: {}", names.join(", "))
    } else {
        format!("figures would suffer ({}); velo run --strict would refuse", names.join(", "))
    };
    format!("{:INDENT$}{}\n", "overall", wrap(&words, INDENT, WIDTH))
}

#[cfg(test)]
mod tests {
    use super::*;
    use velo_record::ToolchainFact;

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
        let old = check("rust", "1.63.0, older than 1.85", CheckState::Note, Some("install it with rustup"));
        let line = toolchain_lines(&[&old]);
        assert!(
            line.ends_with("           rust is 1.63.0, older than 1.85: install it with rustup\n"),
            "{line}"
        );
        assert!(text.starts_with("toolchains tool0 1.2.3 · tool1 1.2.3"), "{text}");
        assert!(text.ends_with("           ruby is not installed: apt-get install ruby\n"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }

    fn some_checks() -> (HostFacts, Vec<Check>) {
        let go = ToolchainFact { name: "go".to_owned(), version: Some("1.26.8".to_owned()) };
        let facts = HostFacts { hostname: "desk".to_owned(), toolchains: vec![go], ..HostFacts::default() };
        let checks = vec![
            check("CPU", "Some CPU, 2 CPUs", CheckState::Note, Some("small")),
            check("steal", "2.0 %", CheckState::Warning, None),
            check("go", "1.26.8", CheckState::Ok, None),
            check("ceiling", "about 150,000 requests/s", CheckState::Ok, None),
        ];
        (facts, checks)
    }

    #[test]
    fn machine_toolchains_ceiling_and_what_it_comes_to_follow_one_another() {
        let (facts, mut checks) = some_checks();
        let first_words = |text: &str| -> Vec<String> {
            let first = |line: &str| line.split("  ").next().unwrap_or_default().trim().to_owned();
            text.lines().map(first).filter(|word| !word.is_empty()).collect()
        };
        let shown = text(&facts, &checks);
        assert_eq!(
            first_words(&shown),
            ["CPU", "steal", "toolchains go 1.26.8", "ceiling", "overall"],
            "{shown}"
        );
        assert!(shown.ends_with("figures would suffer (steal); velo run --strict would refuse\n"), "{shown}");
        checks[1].state = CheckState::Ok;
        assert!(text(&facts, &checks).ends_with("fit for a run\n"));
        checks[0].state = CheckState::Unfit;
        assert!(text(&facts, &checks).ends_with("no run is possible: CPU\n"));
    }

    #[test]
    fn programs_get_the_same() {
        let (facts, checks) = some_checks();
        let document = document(&facts, &checks).expect("a document");
        assert_eq!(document["facts"]["hostname"], "desk");
        assert_eq!(document["facts"]["memory_bytes"], Value::Null);
        assert_eq!(document["checks"][1]["state"], "warning");
        assert_eq!(document["checks"][0]["advice"], "small");
        assert_eq!(document["checks"][1]["advice"], Value::Null);
        assert_eq!(document["against_a_run"], json!(["steal"]));
    }
}
