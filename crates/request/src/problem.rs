/// What is wrong with a text that a person wrote, and what was expected or what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub what: String,
    /// What was expected, and what to do.
    pub cure: String,
}

impl Problem {
    /// What is wrong, and what to do.
    pub fn new(what: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { what: what.into(), cure: cure.into() }
    }
}
