//! The files that a result goes to.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use velo_judge::load::LoadResult;
use velo_record::ResultFile;

use super::flags::ResultFlags;
use crate::exit::usage;
use crate::out;

type Render = fn(&LoadResult) -> String;

/// Everything that was asked for, found writable before the load so that no result is lost.
pub(crate) struct Outputs(Vec<(Sink, Render)>);

enum Sink {
    Stdout,
    File(PathBuf, ResultFile),
}

impl Outputs {
    /// Looks at the places; what stands there stays until the result is there, and nothing is made where nothing is.
    ///
    /// # Errors
    /// When one cannot be written, or two are the same.
    pub(crate) fn open(flags: &ResultFlags) -> anyhow::Result<Self> {
        let asked: [(&str, &Option<PathBuf>, Render); 4] = [
            ("--json", &flags.json, velo_report::load::json),
            ("--csv", &flags.csv, velo_report::load::csv),
            ("--html", &flags.html, velo_report::load::html),
            ("--hdr-log", &flags.hdr_log, velo_report::load::hdr_log),
        ];
        let mut outputs: Vec<(Sink, Render)> = Vec::new();
        let mut paths: Vec<(&str, &Path)> = Vec::new();
        for (flag, path, render) in asked {
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
    pub(crate) fn write(self, result: &LoadResult) -> anyhow::Result<()> {
        let write = |(sink, render): (Sink, Render)| {
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
