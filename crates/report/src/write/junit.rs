//! Outcomes as JUnit's XML, as Jenkins, GitLab and others read it.

use std::fmt::Write as _;
use std::time::Duration;

use crate::text::clean;

/// Cases that belong together.
#[derive(Debug)]
pub(crate) struct Suite {
    pub(crate) name: String,
    pub(crate) took: Duration,
    pub(crate) cases: Vec<Case>,
}

/// Something that was tried.
#[derive(Debug)]
pub(crate) struct Case {
    /// What it is listed under: names with points between.
    pub(crate) class: String,
    pub(crate) name: String,
    pub(crate) outcome: Outcome,
}

/// What became of it. Texts are sentences.
#[derive(Debug)]
pub(crate) enum Outcome {
    Passed,
    Failed(String),
    /// Not tried, or not known.
    Skipped(String),
}

/// The whole file.
pub(crate) fn write(name: &str, suites: &[Suite]) -> String {
    let cases = || suites.iter().flat_map(|suite| &suite.cases);
    let took = suites.iter().map(|suite| suite.took).sum();
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(text, "<testsuites name=\"{}\" {}>", escaped(name), counts(cases(), took));
    for suite in suites {
        let counts = counts(suite.cases.iter(), suite.took);
        let _ = writeln!(text, "  <testsuite name=\"{}\" {counts}>", escaped(&suite.name));
        suite.cases.iter().for_each(|case| add(case, &mut text));
        text.push_str("  </testsuite>\n");
    }
    text.push_str("</testsuites>\n");
    text
}

fn counts<'c>(cases: impl Iterator<Item = &'c Case> + Clone, took: Duration) -> String {
    let count = |is: fn(&Outcome) -> bool| cases.clone().filter(|case| is(&case.outcome)).count();
    format!(
        "tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{:.3}\"",
        cases.clone().count(),
        count(|outcome| matches!(outcome, Outcome::Failed(_))),
        count(|outcome| matches!(outcome, Outcome::Skipped(_))),
        took.as_secs_f64()
    )
}

fn add(case: &Case, text: &mut String) {
    let head = format!("classname=\"{}\" name=\"{}\"", escaped(&case.class), escaped(&case.name));
    let (element, words) = match &case.outcome {
        Outcome::Passed => {
            let _ = writeln!(text, "    <testcase {head}/>");
            return;
        }
        Outcome::Failed(words) => ("failure", words),
        Outcome::Skipped(words) => ("skipped", words),
    };
    let _ = writeln!(
        text,
        "    <testcase {head}>\n      <{element} message=\"{}\"/>\n    </testcase>",
        escaped(words)
    );
}

/// For an attribute, in one line.
fn escaped(text: &str) -> String {
    clean(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_counted_and_text_is_escaped() {
        let case = |name: &str, outcome| Case { class: "velo.x".to_owned(), name: name.to_owned(), outcome };
        let suite = Suite {
            name: "a & b".to_owned(),
            took: Duration::from_millis(1500),
            cases: vec![
                case("one", Outcome::Passed),
                case("two", Outcome::Failed("got <b>\u{1b}[1m\"x\"\u{0}".to_owned())),
                case("three", Outcome::Skipped("no go".to_owned())),
            ],
        };
        let text = write("velo", &[suite]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[1..3],
            [
                r#"<testsuites name="velo" tests="3" failures="1" errors="0" skipped="1" time="1.500">"#,
                r#"  <testsuite name="a &amp; b" tests="3" failures="1" errors="0" skipped="1" time="1.500">"#,
            ]
        );
        assert_eq!(lines[3], r#"    <testcase classname="velo.x" name="one"/>"#);
        assert!(text.contains("<failure message=\"got &lt;b&gt;"), "{text}");
        assert!(text.contains("&quot;x&quot;") && !text.contains(['\u{1b}', '\u{0}']), "{text}");
        assert!(text.contains(r#"<skipped message="no go"/>"#), "{text}");
        assert!(write("nothing", &[]).contains("tests=\"0\""));
    }
}
