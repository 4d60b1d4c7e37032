//! What the page's words mean, from the glossary itself.

use serde::Serialize;

const GLOSSARY: &str = include_str!("../../../../../GLOSSARY.md");

/// Those that the page uses without saying what they are; each is the beginning of a row of the glossary.
const SHOWN: &[&str] = &[
    "at least",
    "block",
    "common rate",
    "CPU per request",
    "disturbed",
    "framework tax",
    "goodput",
    "gRPC over REST",
    "headroom test",
    "interval",
    "knee",
    "launch",
    "Little's law",
    "noise floor",
    "rank",
    "response time",
    "separated",
    "service time",
    "smallest detectable difference",
];

/// A word of the page and what it means.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Term {
    /// As the page uses it.
    pub(crate) term: String,
    /// In a sentence.
    pub(crate) meaning: String,
}

/// The terms in their order.
pub(super) fn terms() -> Vec<Term> {
    SHOWN.iter().filter_map(|shown| find(shown)).collect()
}

fn find(shown: &str) -> Option<Term> {
    GLOSSARY.lines().find_map(|line| {
        let (term, meaning) = line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | ")?;
        let is_it = term.split(", ").any(|one| one == shown);
        is_it.then(|| Term { term: term.to_owned(), meaning: meaning.replace(['`', '*'], "") })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_glossary_has_each_of_them() {
        for shown in SHOWN {
            let term = find(shown).unwrap_or_else(|| panic!("{shown} is not in GLOSSARY.md"));
            assert!(term.meaning.len() > 20, "{shown}: {}", term.meaning);
        }
    }
}
