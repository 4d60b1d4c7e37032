use std::fmt;
use std::path::PathBuf;

/// Why a definition was refused.
#[derive(Debug, thiserror::Error)]
pub enum SpecError {
    /// A file or folder could not be read.
    #[error("{}: cannot be read", shown(file))]
    Io {
        /// Which.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A place in a definition holds something else than was expected.
    #[error("{0}")]
    Definition(Box<Definition>),
}

/// What is wrong in a definition, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The file or folder; or the flag.
    pub file: PathBuf,
    /// The line, from 1; `None` when it is about the whole file.
    pub line: Option<usize>,
    /// The key, with the tables that it lies in: `load.connections`.
    pub key: Option<String>,
    /// What is wrong.
    pub problem: String,
    /// What was expected, and what to do.
    pub expected: Option<String>,
}

impl fmt::Display for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", shown(&self.file))?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        write!(f, " {}", self.problem)?;
        match &self.key {
            Some(key) if !self.problem.contains(&format!("`{key}`")) => write!(f, " (in `{key}`)")?,
            _ => {}
        }
        match &self.expected {
            Some(expected) => write!(f, "\n  {expected}"),
            None => Ok(()),
        }
    }
}

impl From<Definition> for SpecError {
    fn from(definition: Definition) -> Self {
        Self::Definition(Box::new(definition))
    }
}

/// A path as people write it: no leading `./`.
fn shown(path: &std::path::Path) -> std::path::Display<'_> {
    path.strip_prefix("./").unwrap_or(path).display()
}
