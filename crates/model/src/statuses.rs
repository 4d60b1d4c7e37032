use std::fmt;

use serde::{Deserialize, Serialize};

/// Status codes: ranges with both ends included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "schema", schemars(with = "String"))]
pub struct Statuses(Vec<(u16, u16)>);

impl Statuses {
    /// What is correct unless said otherwise.
    pub fn successes() -> Self {
        Self(vec![(200, 299)])
    }

    /// One code alone, whatever it is a code of.
    pub fn only(code: u16) -> Self {
        Self(vec![(code, code)])
    }

    /// `200`, `2xx`, `200-204`, and several of them with commas between.
    ///
    /// # Errors
    /// When it is something else; what was expected.
    pub fn of(text: &str) -> Result<Self, String> {
        let expected = || "expected statuses from 200 to 599, as in 200, 200,3xx or 200-204".to_owned();
        let code =
            |text: &str| text.parse().ok().filter(|code| (200..=599).contains(code)).ok_or_else(expected);
        let range = |part: &str| {
            let (first, last) = match (part.as_bytes(), part.split_once('-')) {
                ([class @ b'2'..=b'5', b'x' | b'X', b'x' | b'X'], _) => {
                    let first = u16::from(class - b'0') * 100;
                    (first, first + 99)
                }
                (_, Some((first, last))) => (code(first)?, code(last)?),
                (_, None) => (code(part)?, code(part)?),
            };
            if first > last { Err(expected()) } else { Ok((first, last)) }
        };
        text.split(',').map(|part| range(part.trim())).collect::<Result<_, _>>().map(Self)
    }

    /// Whether a status is one of them.
    pub fn contains(&self, status: u16) -> bool {
        self.0.iter().any(|(first, last)| (*first..=*last).contains(&status))
    }

    /// The ranges, both ends included.
    pub fn ranges(&self) -> &[(u16, u16)] {
        &self.0
    }

    fn written(&self, between: &str) -> String {
        let range = |&(first, last): &(u16, u16)| match (first, last) {
            _ if first == last => first.to_string(),
            _ if first % 100 == 0 && last == first + 99 => format!("{}xx", first / 100),
            _ => format!("{first}-{last}"),
        };
        self.0.iter().map(range).collect::<Vec<_>>().join(between)
    }
}

impl fmt::Display for Statuses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written(" or "))
    }
}

impl TryFrom<String> for Statuses {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        // A code of `grpc-status`, which only a workload's calls have.
        match text.parse() {
            Ok(code @ 0..=16) => Ok(Self::only(code)),
            _ => Self::of(&text),
        }
    }
}

impl From<Statuses> for String {
    fn from(statuses: Statuses) -> Self {
        statuses.written(",")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_alone_is_read_from_a_file_as_it_was_written() {
        for code in [0, 5, 16, 404] {
            let only = Statuses::only(code);
            assert_eq!(Statuses::try_from(String::from(only.clone())), Ok(only));
        }
        assert!(Statuses::try_from("17".to_owned()).is_err());
    }
}
