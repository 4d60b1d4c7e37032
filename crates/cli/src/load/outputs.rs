//! The files that a result goes to.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use velo_record::ResultFile;

use crate::exit::usage;
use crate::out;

/// A flag, its file, and what makes the file's text of a result.
pub(crate) type Asked<'a, R> = (&'a str, &'a Option<PathBuf>, Render<R>);

type Render<R> = fn(&R) -> String;

/// Everything that was asked for of a result, found writable before the load so that no result is lost.
pub(crate) struct Outputs<R>(Vec<(Sink, Render<R>)>);

enum Sink {
    Stdout,
    File(PathBuf, ResultFile),
}

impl<R> Outputs<R> {
    /// Looks at the places; what stands there stays until the result is there, and nothing is made where nothing is.
    ///
    /// # Errors
    /// When one cannot be written, or two are the same.
    pub(crate) fn open(asked: &[Asked<'_, R>]) -> anyhow::Result<Self> {
        let mut outputs: Vec<(Sink, Render<R>)> = Vec::new();
        let mut paths: Vec<(&str, &Path)> = Vec::new();
        for &(flag, path, render) in asked {
            let Some(path) = path else { continue };
            if let Some((other, _)) = paths.iter().find(|(_, other)| other == path) {
                return Err(usage(format!(
                    "{other} and {flag} both write {}\n  expected one each",
                    path.display()
                )));
            }
            paths.push((flag, path));
            let sink = if path.as_os_str() == "-" {
                Sink::Stdout
            } else {
                let file = ResultFile::open(path);
                Sink::File(
                    path.clone(),
                    file.with_context(|| format!("{flag} {} cannot be written", path.display()))?,
                )
            };
            outputs.push((sink, render));
        }
        Ok(Self(outputs))
    }

    /// Whether one of them takes standard output, so that the table does not.
    pub(crate) fn take_stdout(&self) -> bool {
        self.0.iter().any(|(sink, _)| matches!(sink, Sink::Stdout))
    }

    /// Writes all of them, also when one cannot be written.
    ///
    /// # Errors
    /// Of the first that cannot be written; it is not there then, or as it was before.
    pub(crate) fn write(self, result: &R) -> anyhow::Result<()> {
        let write = |(sink, render): (Sink, Render<R>)| {
            let text = render(result);
            match sink {
                Sink::Stdout => out::print(&text),
                Sink::File(path, file) => file
                    .write(text.as_bytes())
                    .with_context(|| format!("{} cannot be written", path.display())),
            }
        };
        self.0.into_iter().map(write).fold(Ok(()), anyhow::Result::and)
    }
}
