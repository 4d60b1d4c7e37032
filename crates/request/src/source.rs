use serde::de::DeserializeOwned;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml_parser::lexer::TokenKind;
use velo_model::open_file;

use crate::error::{Definition, SpecError};

/// No definition comes near this.
const MAX_BYTES: u64 = 1024 * 1024;
/// Longer lines in a message help nobody.
const MAX_MESSAGE_CHARS: usize = 400;
/// The TOML reader bounds brackets and dots by 80 each, but their product overflows a stack.
const MAX_BRACKETS: usize = 16;
const MAX_DOTS: usize = 4;

/// A definition's text and where it came from.
pub struct SourceFile {
    path: PathBuf,
    text: String,
}

impl SourceFile {
    /// Reads a file of at most 1 MiB.
    ///
    /// # Errors
    /// When it cannot be read, is larger, or is not UTF-8.
    pub fn read(path: &Path) -> Result<Self, SpecError> {
        let io = |source| SpecError::Io { file: path.to_owned(), source };
        let mut bytes = Vec::new();
        open_file(path).map_err(io)?.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(io)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(whole_file(path, "larger than 1 MiB".to_owned(), "a definition is a page of text"));
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self { path: path.to_owned(), text }),
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let line = count_lines(&error.as_bytes()[..valid]);
                Err(definition(path, Some(line), None, "not UTF-8".to_owned(), "save the file as UTF-8")
                    .into())
            }
        }
    }

    /// A text that does not come from disk.
    pub fn of(path: &str, text: &str) -> Self {
        Self { path: PathBuf::from(path), text: text.to_owned() }
    }

    /// All of it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Reads the TOML into a wire type.
    ///
    /// # Errors
    /// When it is not TOML of that type; the error names line and key.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, SpecError> {
        self.refuse_deep_nesting()?;
        toml::from_str(&self.text).map_err(|error| self.explain(error))
    }

    /// An error about a place in this file: the bytes `at`, and the key that stands there.
    pub fn wrong(
        &self,
        at: Range<usize>,
        key: &str,
        problem: impl Into<String>,
        expected: impl Into<String>,
    ) -> SpecError {
        definition(&self.path, Some(self.line(at.start)), Some(key.to_owned()), problem.into(), expected)
            .into()
    }

    /// The line, from 1, that holds this byte.
    fn line(&self, offset: usize) -> usize {
        count_lines(&self.text.as_bytes()[..offset.min(self.text.len())])
    }

    fn refuse_deep_nesting(&self) -> Result<(), SpecError> {
        let (mut brackets, mut dots) = (0_usize, 0_usize);
        for token in toml_parser::Source::new(&self.text).lex() {
            match token.kind() {
                TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => {
                    brackets += 1;
                    dots = 0;
                }
                TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket => {
                    brackets = brackets.saturating_sub(1);
                    dots = 0;
                }
                TokenKind::Equals | TokenKind::Comma | TokenKind::Newline => dots = 0,
                TokenKind::Dot => dots += 1,
                _ => {}
            }
            if brackets > MAX_BRACKETS || dots > MAX_DOTS {
                let line = Some(self.line(token.span().start()));
                let problem = "nested too deeply".to_owned();
                let expected =
                    format!("expected at most {MAX_BRACKETS} brackets open and {MAX_DOTS} dots in a key");
                return Err(definition(&self.path, line, None, problem, expected).into());
            }
        }
        Ok(())
    }

    /// Puts what the TOML reader says into this crate's form.
    fn explain(&self, mut error: toml::de::Error) -> SpecError {
        let line = error.span().map(|span| self.line(span.start));
        let message = error.message().to_owned();
        // With its input the error prints an excerpt; without, the key.
        error.set_input(None);
        let printed = error.to_string();
        let key = printed
            .strip_prefix(&message)
            .and_then(|rest| rest.trim().strip_prefix("in `"))
            .and_then(|rest| rest.strip_suffix('`'))
            .map(str::to_owned);
        let (problem, expected) = rephrase(&message);
        definition(&self.path, line, key, problem, expected.unwrap_or_default()).into()
    }
}

/// A place and the key that stands there.
pub struct Place<'a> {
    file: &'a SourceFile,
    at: Range<usize>,
    key: &'a str,
}

impl SourceFile {
    /// The place of a value.
    pub fn at<'a, T>(&'a self, value: &Spanned<T>, key: &'a str) -> Place<'a> {
        Place { file: self, at: value.span(), key }
    }
}

impl Place<'_> {
    /// An error about this place.
    pub fn wrong(&self, problem: impl Into<String>, expected: impl Into<String>) -> SpecError {
        self.file.wrong(self.at.clone(), self.key, problem, expected)
    }
}

/// An error about a whole file.
pub fn whole_file(path: &Path, problem: String, expected: &str) -> SpecError {
    definition(path, None, None, problem, expected).into()
}

/// An error; an empty `expected` is left out.
pub fn definition(
    file: &Path,
    line: Option<usize>,
    key: Option<String>,
    problem: String,
    expected: impl Into<String>,
) -> Definition {
    let expected = expected.into();
    Definition {
        file: file.to_owned(),
        line,
        key: key.map(|key| one_line(&key)),
        problem: one_line(&problem),
        expected: (!expected.is_empty()).then(|| one_line(&expected)),
    }
}

/// `; did you mean ...?` when one of the candidates is near.
pub fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    match nearest(word, candidates) {
        Some(candidate) => format!("; did you mean `{candidate}`?"),
        None => String::new(),
    }
}

/// `expected one of: ...`, and what was meant when one of them is near.
pub fn one_of<'a>(word: &str, candidates: impl Iterator<Item = &'a str> + Clone) -> String {
    let all: Vec<&str> = candidates.clone().collect();
    format!("expected one of: {}{}", all.join(", "), did_you_mean(word, candidates))
}

/// The candidate that differs from the word in a few letters at most.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const LONGEST: usize = 200;
    if word.len() > LONGEST {
        return None;
    }
    let allowed = (word.chars().count() / 3).clamp(1, 3);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Keys of earlier versions, and what to write now.
const FORMER: [(&str, &str); 4] = [
    ("slots", "it is called `values` now, as in values.id = \"1..9\""),
    ("type", "it is called `content_type` now"),
    ("json_slots", "it is called `json` now"),
    ("status", "it is a key of `expect` now, as in expect.status = [404, \"4xx\"]"),
];

/// Problem and expectation from serde's sentences, in this project's words.
fn rephrase(message: &str) -> (String, Option<String>) {
    for (start, word) in [("unknown field `", "unknown key"), ("unknown variant `", "unknown value")] {
        if let Some((found, candidates)) = message.strip_prefix(start).and_then(split_candidates) {
            let former = FORMER.iter().find(|(former, _)| word == "unknown key" && *former == found);
            let expected = match former {
                Some((_, now)) => (*now).to_owned(),
                None => one_of(found, candidates.iter().copied()),
            };
            return (format!("{word} `{found}`"), Some(expected));
        }
    }
    if let Some(rest) = message.strip_prefix("missing field ") {
        return (format!("missing key {rest}"), None);
    }
    if message.starts_with("expected ") {
        return ("this value will not do".to_owned(), Some(message.to_owned()));
    }
    match message.split_once(", expected ") {
        Some((problem, expected)) => (problem.to_owned(), Some(format!("expected {expected}"))),
        None => (message.to_owned(), None),
    }
}

/// Splits serde's ``found`, expected one of `a`, `b```.
fn split_candidates(rest: &str) -> Option<(&str, Vec<&str>)> {
    let (found, list) = rest.rsplit_once("`, expected ")?;
    let list = list.strip_prefix("one of ").unwrap_or(list);
    let candidates: Vec<&str> = list.split('`').skip(1).step_by(2).collect();
    (!candidates.is_empty()).then_some((found, candidates))
}

fn one_line(text: &str) -> String {
    let mut line: String = text
        .chars()
        .take(MAX_MESSAGE_CHARS)
        .map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c })
        .collect();
    if text.chars().nth(MAX_MESSAGE_CHARS).is_some() {
        line.push_str("...");
    }
    line
}

fn count_lines(before: &[u8]) -> usize {
    before.iter().filter(|byte| **byte == b'\n').count() + 1
}
