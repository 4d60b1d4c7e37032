use std::path::PathBuf;

/// Why a record cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// A file could not be read or written.
    #[error("{path}: cannot be used")]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file does not hold what it should.
    #[error("{path}:{line}: {problem}")]
    Json {
        /// Which.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// The run was written by another version.
    #[error(
        "{path}: a run of format {found}, while this velo reads format {}: read it with {}, which wrote it, or measure again",
        crate::FORMAT,
        velo.as_deref().map_or_else(|| "the version of velo".to_owned(), |velo| format!("velo {velo}"))
    )]
    Format {
        /// Which.
        path: PathBuf,
        /// The format that it names.
        found: u64,
        /// The version of `velo` that wrote it, where the file says so.
        velo: Option<String>,
    },
    /// A file is longer than any that is written here.
    #[error("{path}: longer than {limit_bytes} bytes: not a file that velo wrote")]
    TooLong {
        /// Which.
        path: PathBuf,
        /// What is allowed.
        limit_bytes: u64,
    },
    /// An archive, or a file in it, is not one that is written here.
    #[error("{path}: {problem}")]
    Archive {
        /// Which: the archive's path, and the file's name behind it.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// A histogram's text is not one.
    #[error("a window's histogram cannot be decoded: {0}")]
    Histogram(String),
}
