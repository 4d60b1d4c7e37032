use crate::exit;

/// What is wrong with a text that a person wrote, and what was expected or what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    /// What is wrong.
    pub(crate) what: String,
    /// What was expected, and what to do.
    pub(crate) cure: String,
}

impl Problem {
    pub(crate) fn new(what: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { what: what.into(), cure: cure.into() }
    }

    /// The error of a flag, or of another place that is named in front.
    pub(crate) fn at(&self, place: &str) -> anyhow::Error {
        exit::usage(format!("{place}: {}\n  {}", self.what, self.cure))
    }
}
