//! Checks that several tables share.

use std::ops::{Range, RangeInclusive};
use toml::Spanned;

use super::source::{SourceFile, did_you_mean};
use crate::{ContenderName, SpecError};

/// A place and the key that stands there.
pub(super) struct Place<'a> {
    file: &'a SourceFile,
    at: Range<usize>,
    key: &'a str,
}

impl SourceFile {
    /// The place of a value.
    pub(super) fn at<'a, T>(&'a self, value: &Spanned<T>, key: &'a str) -> Place<'a> {
        Place { file: self, at: value.span(), key }
    }
}

impl Place<'_> {
    /// An error about this place.
    pub(super) fn wrong(&self, problem: impl Into<String>, expected: impl Into<String>) -> SpecError {
        self.file.wrong(self.at.clone(), self.key, problem, expected)
    }
}

/// One line of text for people.
pub(super) fn sentence(file: &SourceFile, text: Spanned<String>, key: &str) -> Result<String, SpecError> {
    const LONGEST: usize = 1000;
    let place = file.at(&text, key);
    let text = text.into_inner();
    if text.trim().is_empty() || text.chars().any(char::is_control) || text.len() > LONGEST {
        return Err(place.wrong(
            format!("`{key}` is empty, too long or not one line"),
            format!("expected one line of at most {LONGEST} bytes"),
        ));
    }
    Ok(text)
}

/// A whole number within bounds.
pub(super) fn number(
    file: &SourceFile,
    value: &Spanned<u64>,
    key: &str,
    bounds: RangeInclusive<u32>,
) -> Result<u32, SpecError> {
    u32::try_from(*value.get_ref()).ok().filter(|number| bounds.contains(number)).ok_or_else(|| {
        file.at(value, key).wrong(
            format!("`{key}` is {}", value.get_ref()),
            format!("expected {} to {}", bounds.start(), bounds.end()),
        )
    })
}

/// A number above zero.
pub(super) fn positive(file: &SourceFile, value: &Spanned<f64>, key: &str) -> Result<f64, SpecError> {
    let number = *value.get_ref();
    if number.is_finite() && number > 0.0 {
        return Ok(number);
    }
    Err(file.at(value, key).wrong(format!("`{key}` is {number}"), "expected a number above 0"))
}

/// A contender's name.
pub(super) fn contender(
    file: &SourceFile,
    value: &Spanned<String>,
    key: &str,
) -> Result<ContenderName, SpecError> {
    ContenderName::new(value.get_ref()).map_err(|_| {
        file.at(value, key).wrong(
            format!("`{key}` holds `{}`, which is not a contender's name", value.get_ref()),
            "expected `<language>/<name>` of lower-case letters, digits and hyphens, as in `go/net-http`",
        )
    })
}

/// Contenders' names, each once.
pub(super) fn contenders(
    file: &SourceFile,
    values: &[Spanned<String>],
    key: &str,
) -> Result<Vec<ContenderName>, SpecError> {
    let mut names = Vec::new();
    for value in values {
        let name = contender(file, value, key)?;
        if names.contains(&name) {
            return Err(file
                .at(value, key)
                .wrong(format!("`{key}` names `{name}` twice"), "expected each name once"));
        }
        names.push(name);
    }
    Ok(names)
}

/// Whether a text may be the name of a workload: lower-case letters, digits and hyphens, at most 64, no hyphen at an end.
pub fn is_workload_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 64
        && !name.starts_with('-')
        && !name.ends_with('-')
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// A method: upper-case letters.
pub(super) fn method(file: &SourceFile, value: Spanned<String>, key: &str) -> Result<String, SpecError> {
    let text = value.get_ref();
    if (1..=20).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return Ok(value.into_inner());
    }
    const USUAL: [&str; 6] = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    let hint = did_you_mean(&text.to_ascii_uppercase(), USUAL);
    Err(file
        .at(&value, key)
        .wrong(format!("`{key}` is `{text}`"), format!("expected upper-case letters{hint}")))
}

/// A path with its query: what may stand in a request line.
pub(super) fn path(file: &SourceFile, value: &Spanned<String>, key: &str) -> Result<(), SpecError> {
    let text = value.get_ref();
    if text.starts_with('/')
        && text.len() <= 4096
        && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#')
    {
        return Ok(());
    }
    Err(file.at(value, key).wrong(
        format!("`{key}` is `{text}`"),
        "expected `/` and visible ASCII without `#`; encode the rest as `%20`",
    ))
}

/// A media type, as a request's header or as what an answer must have.
pub(super) fn media_type(file: &SourceFile, value: Spanned<String>, key: &str) -> Result<String, SpecError> {
    let text = value.get_ref();
    let token = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&byte))
    };
    if text.len() <= 255 && text.split_once('/').is_some_and(|(kind, subtype)| token(kind) && token(subtype))
    {
        return Ok(value.into_inner());
    }
    Err(file.at(&value, key).wrong(
        format!("`{key}` is `{text}`"),
        "expected a media type without parameters, as in `application/json`",
    ))
}
