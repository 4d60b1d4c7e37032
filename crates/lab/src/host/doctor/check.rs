//! What a check found, and what that means.

/// One line of `velo doctor`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What was looked at: `CPU`, `governor`, ...
    pub name: String,
    /// What was found, in words.
    pub found: String,
    /// What it means.
    pub state: CheckState,
    /// What to do, where something can be done.
    pub advice: Option<String>,
}

/// What a check means for a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckState {
    /// Nothing in the way.
    Ok,
    /// Good to know.
    Note,
    /// Could not be read.
    Unknown,
    /// Figures will suffer.
    Warning,
    /// No run is possible.
    Unfit,
}

impl CheckState {
    /// In one word: `ok`, `note`, `unknown`, `warning` or `unfit`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Unknown => "unknown",
            Self::Warning => "warning",
            Self::Unfit => "unfit",
        }
    }
}

impl Check {
    /// One without advice.
    pub(super) fn new(name: &str, found: impl Into<String>, state: CheckState) -> Self {
        Self { name: name.to_owned(), found: found.into(), state, advice: None }
    }

    /// With what to do.
    pub(super) fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }
}
