//! A line of a task's input, and whether the line that it answered with is right. Pure.

use std::borrow::Cow;

use rand::Rng;
use velo_load::Example;
use velo_model::{TaskSettings, Workload};
use velo_record::TaskIteration;
use velo_request::digest_text;

use crate::build::data::DataSet;
use crate::sides::feed::Answer;
use crate::sides::translate::alone;

/// What a program answers when there is no such record in its files.
pub(crate) const ABSENT: &str = "absent";
/// How much of a line and of an answer is shown.
const LINE_CHARS: usize = 40;
const ANSWER_CHARS: usize = 20;

/// A line of input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// Without its end.
    pub(crate) input: String,
    /// The answer, without the time before it.
    pub(crate) expected: String,
}

impl Line {
    /// Draws one about a record of these files.
    pub(crate) fn draw(
        workload: &Workload,
        task: &TaskSettings,
        data: &DataSet,
        random: &mut impl Rng,
    ) -> Self {
        let drawn = workload.requests.get(task.request).and_then(|request| {
            let (mix, checker) = alone(workload, request, data, "task").ok()?;
            let example = Example::all(&mix, random.next_u64()).next()?;
            Some(checker.texts(0, &example.values).into_iter().map(Cow::into_owned).collect())
        });
        // Nothing is drawn of a definition that was not validated.
        let texts: Vec<Vec<u8>> = drawn.unwrap_or_default();
        let input = String::from_utf8_lossy(&task.input.render(&texts)).into_owned();
        Self { input, expected: digest_text(&task.output, &texts) }
    }

    /// The same line where its record is in no file.
    pub(crate) fn absent(self) -> Self {
        Self { expected: ABSENT.to_owned(), ..self }
    }

    /// What an answer shows; where it is not right, in words.
    pub(crate) fn iteration(&self, answer: &Answer) -> Result<TaskIteration, String> {
        let outside_ns = answer.outside_ns;
        match self.check(&answer.line, outside_ns) {
            Ok(own_ns) => Ok(TaskIteration { own_ns, outside_ns }),
            Err(what) => Err(format!("{}: {what}", excerpt(&self.input, LINE_CHARS))),
        }
    }

    /// The time that a program says it took, in nanoseconds; else what is wrong with its answer, in words. `outside_ns`: what
    /// it took by the lab's clock.
    fn check(&self, answer: &[u8], outside_ns: u64) -> Result<u64, String> {
        let shown = || excerpt(&String::from_utf8_lossy(answer), LINE_CHARS);
        let malformed = || format!("`{}` is not nanoseconds, a tab and the answer", shown());
        let text = std::str::from_utf8(answer).map_err(|_| malformed())?;
        let (time, found) = text.split_once('\t').ok_or_else(malformed)?;
        // `parse` alone would take a sign.
        let is_number = !time.is_empty() && time.bytes().all(|byte| byte.is_ascii_digit());
        let own_ns: u64 = time.parse().ok().filter(|_| is_number).ok_or_else(malformed)?;
        if found != self.expected {
            let [found, expected] = [found, &self.expected].map(|text| excerpt(text, ANSWER_CHARS));
            return Err(format!("`{found}`, expected `{expected}`"));
        }
        if own_ns > outside_ns {
            return Err(format!("it says {own_ns} ns, and was back after {outside_ns} ns"));
        }
        Ok(own_ns)
    }
}

/// The start of a text, fit to be printed on a line.
pub(super) fn excerpt(text: &str, chars: usize) -> String {
    let mut shown: String = text.chars().take(chars).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(chars).is_some() {
        shown.push_str("...");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(expected: &str) -> Line {
        Line { input: "17\tsecret".to_owned(), expected: expected.to_owned() }
    }

    #[test]
    fn a_right_answer_has_a_time_a_tab_and_the_text() {
        assert_eq!(line("abc").check(b"1200\tabc", 1300), Ok(1200));
        assert_eq!(line("abc").check(b"0\tabc", 0), Ok(0));
        assert_eq!(line("abc").absent().check(b"5\tabsent", 6), Ok(5));
        for wrong in [
            &b""[..],
            b"abc",
            b"\tabc",
            b"1200 abc",
            b"-1\tabc",
            b"+1\tabc",
            b"1.5\tabc",
            b"99999999999999999999\tabc",
            b"1200\tabc\r",
            b"1200\tabd",
            b"1200\tabc ",
            b"1200\tab",
            b"1200\t\xff",
            b"1301\tabc",
        ] {
            assert!(line("abc").check(wrong, 1300).is_err(), "{}", String::from_utf8_lossy(wrong));
        }
    }

    #[test]
    fn what_is_wrong_is_said_in_a_short_line() {
        let said = |answer: &[u8]| line("abc").check(answer, 100).unwrap_err();
        assert_eq!(said(b"90\tabsent"), "`absent`, expected `abc`");
        assert_eq!(said(b"101\tabc"), "it says 101 ns, and was back after 100 ns");
        assert_eq!(said(b"\x1b[31m"), "` [31m` is not nanoseconds, a tab and the answer");
        let long = said("7\tä".repeat(2000).as_bytes());
        assert!(long.chars().count() < 120 && !long.contains('\t'), "{long}");
    }
}
