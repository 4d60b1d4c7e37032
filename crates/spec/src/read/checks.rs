//! Checks that several tables share.

use std::ops::RangeInclusive;
use toml::Spanned;

use velo_model::ContenderName;
use velo_request::{SourceFile, SpecError};

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
