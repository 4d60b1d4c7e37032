//! What a failed build has to say: compilers print the cause first, and end with how many there were.

use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// From the beginning of what a build printed, and from its end, so much is looked at.
const MOST_BYTES: u64 = 256 * 1024;
const LONGEST_LINE: usize = 300;
/// Lines shown of a longer output: from the first error on, and the last ones.
const FIRST_LINES: usize = 4;
const LAST_LINES: usize = 4;
/// What stands before the output of a command in a log.
const PROMPT: &str = "$ ";

/// In one line what a log holds from a place on: the first line that names an error, and the last.
pub(crate) fn gist(log: &Path, begins: u64) -> String {
    gist_of(&read(log, begins).unwrap_or_default())
}

/// The last line with anything on it that a log holds from a place on.
pub(crate) fn last_line(log: &Path, begins: u64) -> String {
    let text = read(log, begins).unwrap_or_default();
    text.lines().rev().find_map(shown).unwrap_or_default().trim().to_owned()
}

/// Some lines of what the last command in a build's log printed: the first that names an error with those after it, and the
/// last ones. Empty where there is no log.
pub fn excerpt(log: &Path) -> Vec<String> {
    let text = read(log, 0).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let command = lines.iter().rposition(|line| line.starts_with(PROMPT)).map_or(0, |prompt| prompt + 1);
    excerpt_of(&lines[command..])
}

fn gist_of(text: &str) -> String {
    let lines: Vec<String> = text.lines().filter_map(shown).collect();
    let Some(last) = lines.last() else { return String::new() };
    match lines.iter().find(|line| names_error(line)) {
        Some(first) if first != last => format!("{first}; last line: {last}"),
        _ => last.clone(),
    }
}

fn excerpt_of(lines: &[&str]) -> Vec<String> {
    let lines: Vec<String> = lines.iter().filter_map(|line| shown(line)).collect();
    let first = lines.iter().position(|line| names_error(line)).unwrap_or(0);
    let from_error = &lines[first..];
    if from_error.len() <= FIRST_LINES + LAST_LINES {
        // Without an error of its own the last lines tell the most.
        return from_error.to_vec();
    }
    let (head, tail) = (&from_error[..FIRST_LINES], &from_error[from_error.len() - LAST_LINES..]);
    [head, &["...".to_owned()], tail].concat()
}

/// A line without what terminals act on; `None` when nothing is left of it.
fn shown(line: &str) -> Option<String> {
    let plain = without_controls(line);
    let line: String = plain.trim_end().chars().take(LONGEST_LINE).collect();
    (!line.trim().is_empty()).then_some(line)
}

/// Without colours and other control characters.
fn without_controls(line: &str) -> String {
    let mut text = String::new();
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => {
                // OK to swallow the rest: a sequence that never ends is no text.
                let _ = chars.by_ref().skip(1).find(char::is_ascii_alphabetic);
            }
            '\t' => text.push(' '),
            c if !c.is_control() => text.push(c),
            _ => {}
        }
    }
    text
}

/// Whether a line names an error as compilers and package managers do: `x.c:3:10: fatal error: ...`, `error[E0425]: ...`,
/// `npm ERR! ...`, `[ERROR] ...`, `ModuleNotFoundError: ...`. `0 errors` and `-Werror` do not.
fn names_error(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    ["error:", "error[", "[error]", "npm err", "fatal:"].iter().any(|mark| line.contains(mark))
        || line.starts_with("error ")
}

/// The beginning and the end of what stands from a place on.
fn read(log: &Path, begins: u64) -> io::Result<String> {
    // A contender may have put a pipe in its place, at which a reader would wait.
    let mut file = velo_model::open_file(log)?;
    let length = file.metadata()?.len();
    // It may have been cut since.
    let begins = if begins > length { 0 } else { begins };
    file.seek(SeekFrom::Start(begins))?;
    let mut bytes = Vec::new();
    (&mut file).take(MOST_BYTES).read_to_end(&mut bytes)?;
    let end = length.saturating_sub(MOST_BYTES).max(begins.saturating_add(bytes.len() as u64));
    file.seek(SeekFrom::Start(end))?;
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_error_and_the_last_line_are_told() {
        let gcc = "In file included from x.c:1:\nserver.c:3:10: fatal error: nothere.h: No such file or directory\n    3 | \
                   #include <nothere.h>\n      |          ^~~~~\ncompilation terminated.\n\n";
        assert_eq!(
            gist_of(gcc),
            "server.c:3:10: fatal error: nothere.h: No such file or directory; last line: compilation terminated."
        );
        assert_eq!(gist_of("# x\n./main.go:5:2: undefined: y\n"), "./main.go:5:2: undefined: y");
        assert_eq!(gist_of("\u{1b}[1;31merror\u{1b}[0m: bad\n"), "error: bad");
        assert_eq!(gist_of("\n \n"), "");
        let long = format!("error: {}", "x".repeat(1000));
        assert_eq!(gist_of(&long).len(), LONGEST_LINE);
    }

    #[test]
    fn what_names_an_error_is_told_from_what_counts_them() {
        for line in [
            "error[E0425]: x",
            "npm ERR! code E404",
            "[ERROR] no",
            "ModuleNotFoundError: no",
            "error TS2304: x",
        ] {
            assert!(names_error(line), "{line}");
        }
        for line in ["0 errors, 0 warnings", "cc -Werror x.c", "errors.go", "compiled"] {
            assert!(!names_error(line), "{line}");
        }
    }

    #[test]
    fn an_excerpt_begins_at_the_error_and_is_bounded() {
        let printed: Vec<String> = (0..100).map(|n| format!("line {n}")).collect();
        let mut lines: Vec<&str> = printed.iter().map(String::as_str).collect();
        lines[40] = "x.rs: error: bad";
        assert_eq!(
            excerpt_of(&lines),
            [
                "x.rs: error: bad",
                "line 41",
                "line 42",
                "line 43",
                "...",
                "line 96",
                "line 97",
                "line 98",
                "line 99"
            ]
        );
        assert_eq!(excerpt_of(&["a", "", "error: b", "c"]), ["error: b", "c"]);
        assert!(excerpt_of(&[]).is_empty());
    }

    #[test]
    fn an_excerpt_is_of_the_last_command_and_of_its_end_too() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("build.log");
        assert!(excerpt(&log).is_empty());
        std::fs::write(&log, "$ make\nerror: old\n$ make\nerror: new\nstopped\n").unwrap();
        assert_eq!(excerpt(&log), ["error: new", "stopped"]);
        let long = format!("$ make\nerror: first\n{}the end\n", "filling the log\n".repeat(60_000));
        std::fs::write(&log, &long).unwrap();
        let shown = excerpt(&log);
        assert_eq!((shown[0].as_str(), shown[shown.len() - 1].as_str()), ("error: first", "the end"));
        assert_eq!(gist(&log, 7), "error: first; last line: the end");
    }

    proptest! {
        #[test]
        fn any_output_gets_a_bounded_answer(text in "(?s).{0,2000}") {
            prop_assert!(gist_of(&text).chars().count() <= 2 * LONGEST_LINE + 20);
            let lines: Vec<&str> = text.lines().collect();
            prop_assert!(excerpt_of(&lines).len() <= FIRST_LINES + LAST_LINES + 1);
        }
    }
}
