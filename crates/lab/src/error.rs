use std::path::PathBuf;

/// Why the lab could not run.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The machine cannot do what was asked.
    #[error("{what}\n  {cure}")]
    Unfit {
        /// What is wrong.
        what: String,
        /// What to do.
        cure: String,
    },
    /// A file or folder could not be used.
    #[error("{path}: cannot be used")]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The record could not be written.
    #[error(transparent)]
    Record(#[from] velo_record::RecordError),
}
