use serde::{Deserialize, Serialize};
use std::fmt;

/// A contender's name: `<language>/<name>`, both of lower-case letters, digits and single hyphens; of one of two
/// revisions that are measured against each other with that revision behind it, `go/net-http@base`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "schema", schemars(extend("pattern" = "^[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*(@[a-z0-9]+)?$")))]
pub struct ContenderName(String);

/// Why a text is not a contender's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a contender's name: expected `<language>/<name>` of lower-case letters, digits and hyphens, as in `go/net-http`"
)]
pub struct NameError(pub String);

impl ContenderName {
    /// Reads a name.
    ///
    /// # Errors
    /// When the text is not of the form `<language>/<name>`.
    pub fn new(text: &str) -> Result<Self, NameError> {
        let part = |part: &str| {
            !part.is_empty()
                && part.len() <= 64
                && !part.starts_with('-')
                && !part.ends_with('-')
                && !part.contains("--")
                && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        };
        match text.split_once('/') {
            Some((language, name)) if part(language) && part(name) => Ok(Self(text.to_owned())),
            _ => Err(NameError(text.to_owned())),
        }
    }

    /// Reads a name as a run has it: one of a definition, or of a revision.
    ///
    /// # Errors
    /// When the text is neither.
    pub fn recorded(text: &str) -> Result<Self, NameError> {
        match text.split_once('@') {
            Some((name, revision)) => Self::new(name)?.at(revision),
            None => Self::new(text),
        }
    }

    /// The same program at a revision: lower-case letters and digits.
    ///
    /// # Errors
    /// When that is no name of a revision, or the name has one already.
    pub fn at(&self, revision: &str) -> Result<Self, NameError> {
        let named = format!("{self}@{revision}");
        let is_plain = (1..=64).contains(&revision.len())
            && revision.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        if is_plain && !self.0.contains('@') { Ok(Self(named)) } else { Err(NameError(named)) }
    }

    /// The whole name, `go/net-http`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The language, `go`.
    pub fn language(&self) -> &str {
        self.0.split_once('/').map_or("", |(language, _)| language)
    }

    /// The part after the language, `net-http`, with the revision where there is one.
    pub fn short(&self) -> &str {
        self.0.split_once('/').map_or(&self.0, |(_, name)| name)
    }

    /// The part after the language without a revision: the name of its folder.
    pub fn folder(&self) -> &str {
        self.short().split('@').next().unwrap_or_default()
    }

    /// The name as a part of a file's name: `go-net-http`.
    pub fn file_stem(&self) -> String {
        self.0.replace('/', "-")
    }
}

impl TryFrom<String> for ContenderName {
    type Error = NameError;
    fn try_from(text: String) -> Result<Self, NameError> {
        Self::recorded(&text)
    }
}

impl From<ContenderName> for String {
    fn from(name: ContenderName) -> Self {
        name.0
    }
}

impl fmt::Display for ContenderName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_language_and_name() {
        for good in ["go/net-http", "c/x", "php/7-zip", "a1/b2-c3"] {
            let name = ContenderName::new(good).expect("a name");
            assert_eq!(format!("{}/{}", name.language(), name.short()), good);
            assert_eq!(name.file_stem(), good.replace('/', "-"));
        }
        let long = format!("go/{}", "x".repeat(65));
        for bad in [
            "", "/", "go", "go/", "/gin", "go/Gin", "go/g_n", "go/-gin", "go/gin-", "go/a--b", "go/a/b",
            "go/../x", &long,
        ] {
            assert_eq!(ContenderName::new(bad), Err(NameError(bad.to_owned())), "{bad}");
        }
    }

    #[test]
    fn a_revision_stands_behind_the_name() {
        let base = ContenderName::new("go/net-http").and_then(|name| name.at("base")).expect("a name");
        assert_eq!(
            (base.as_str(), base.short(), base.folder()),
            ("go/net-http@base", "net-http@base", "net-http")
        );
        assert_eq!(ContenderName::recorded("go/net-http@base"), Ok(base.clone()));
        assert_eq!(serde_json::from_str::<ContenderName>("\"go/net-http@base\"").expect("a name"), base);
        assert!(base.at("head").is_err(), "it has one");
        for bad in
            ["go/net-http@", "go/net-http@Base", "go/net-http@a-b", "go/net-http@a@b", "@base", "go@a/b"]
        {
            assert!(ContenderName::recorded(bad).is_err(), "{bad}");
        }
        assert!(ContenderName::new("go/net-http@base").is_err(), "no definition has a revision");
    }

    #[test]
    fn a_bad_name_in_json_is_refused() {
        let error = serde_json::from_str::<ContenderName>("\"gin\"").expect_err("it was read").to_string();
        assert!(error.contains("`gin` is not a contender's name"), "{error}");
    }
}
