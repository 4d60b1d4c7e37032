//! The file by which `velo site` knows a folder as its own.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The marker's name in the site's folder.
pub(super) const FILE: &str = "velo-site.json";
/// The version of its format, and of what a site has.
const FORMAT: u32 = 1;
/// A site has not nearly as many files as that would list.
const MAX_BYTES: u64 = 4 << 20;

/// What `velo site` has put into a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Marker {
    format: u32,
    /// Still being written: nothing in the folder is anybody else's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) unfinished: bool,
    /// The names of the runs, as in `runs/`.
    pub(super) runs: Vec<String>,
    /// Every file but this one, by its path in the folder.
    pub(super) files: Vec<String>,
}

impl Marker {
    pub(super) fn unfinished() -> Self {
        Self { format: FORMAT, unfinished: true, runs: Vec::new(), files: Vec::new() }
    }

    pub(super) fn of(runs: Vec<String>, files: Vec<String>) -> Self {
        Self { format: FORMAT, unfinished: false, runs, files }
    }

    /// The marker of a folder; `None` when it has none that was written by this version.
    pub(super) fn read(dir: &Path) -> Option<Self> {
        let path = dir.join(FILE);
        if !fs::symlink_metadata(&path).ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        velo_model::open_file(&path).ok()?.take(MAX_BYTES + 1).read_to_end(&mut bytes).ok()?;
        if bytes.len() as u64 > MAX_BYTES {
            return None;
        }
        let marker: Self = serde_json::from_slice(&bytes).ok()?;
        (marker.format == FORMAT).then_some(marker)
    }

    pub(super) fn write(&self, dir: &Path) -> std::io::Result<()> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        fs::write(dir.join(FILE), text)
    }

    /// The files that it lists, as far as they can be ones of a site: a path that leads elsewhere was not written here.
    pub(super) fn own_files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str).filter(|path| is_own(path))
    }
}

fn is_own(path: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '.' || c == '-';
    path.split('/').all(|part| !part.is_empty() && !part.starts_with('.') && part.chars().all(is_plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_is_read_as_it_was_written() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Marker::read(dir.path()), None);
        let marker = Marker::of(vec!["a".to_owned()], vec!["index.html".to_owned()]);
        marker.write(dir.path()).unwrap();
        assert_eq!(Marker::read(dir.path()), Some(marker));
        for text in ["", "{}", r#"{"format": 2, "runs": [], "files": []}"#, "[]"] {
            fs::write(dir.path().join(FILE), text).unwrap();
            assert_eq!(Marker::read(dir.path()), None, "{text}");
        }
    }

    #[test]
    fn only_files_of_a_site_are_its_own() {
        let files = [
            "index.html",
            "runs/2026-11-21t10/index.html",
            "../x",
            "/etc/passwd",
            "a/../b",
            "a//b",
            ".git/config",
            "CNAME",
            "",
        ];
        let marker = Marker::of(Vec::new(), files.map(str::to_owned).to_vec());
        assert_eq!(marker.own_files().collect::<Vec<_>>(), ["index.html", "runs/2026-11-21t10/index.html"]);
    }
}
