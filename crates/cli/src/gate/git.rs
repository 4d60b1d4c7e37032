//! The repository: its revisions, and the work tree as a commit.

use std::ffi::OsStr;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

use crate::exit::usage;

/// Where a branch may have begun, the likeliest first.
const UPSTREAMS: [&str; 6] = ["@{upstream}", "origin/HEAD", "origin/main", "origin/master", "main", "master"];
/// What velo itself writes into a work tree is none of its content.
const OWN_FOLDERS: [&str; 2] = [":(exclude,top)results", ":(exclude,top).velo"];
/// The author of the work tree's commit, which no branch has.
const AUTHOR: [(&str, &str); 4] = [
    ("GIT_AUTHOR_NAME", "velo gate"),
    ("GIT_AUTHOR_EMAIL", "velo@localhost"),
    ("GIT_COMMITTER_NAME", "velo gate"),
    ("GIT_COMMITTER_EMAIL", "velo@localhost"),
];

/// A git repository with a work tree.
#[derive(Debug, Clone)]
pub(crate) struct Repository {
    /// The root of the work tree.
    pub(crate) dir: PathBuf,
}

/// A revision, resolved.
#[derive(Debug, Clone)]
pub(crate) struct Revision {
    /// As a person names it.
    pub(crate) name: String,
    /// The commit that it is; of the work tree the one that it is based on.
    pub(crate) commit: String,
    /// The commit to check out: of the work tree one with what is not committed.
    pub(crate) checkout: String,
    pub(crate) is_work_tree: bool,
}

impl Repository {
    /// The repository of the current folder.
    ///
    /// # Errors
    /// When there is none, or no `git`.
    pub(crate) fn here() -> anyhow::Result<Self> {
        let mut command = git(Path::new("."), &["rev-parse", "--show-toplevel"]);
        let output =
            command.output().context("git cannot be started: velo gate needs it to check out revisions")?;
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr);
            return Err(usage(format!("velo gate needs a git repository: {}", why.trim())));
        }
        Ok(Self { dir: PathBuf::from(String::from_utf8_lossy(&output.stdout).trim_end()) })
    }

    /// The last part of its folder's name, as a part of a contender's name.
    pub(crate) fn name(&self) -> String {
        let name = self.dir.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        let name: String = words.collect::<Vec<_>>().join("-").chars().take(64).collect();
        if name.is_empty() { "service".to_owned() } else { name.trim_end_matches('-').to_owned() }
    }

    /// Runs git there; its output without the last line's end.
    pub(crate) fn git(&self, arguments: &[&str]) -> anyhow::Result<String> {
        told(git(&self.dir, arguments), arguments)
    }

    /// The head that is named, else the work tree.
    pub(crate) fn head(&self, named: Option<&str>) -> anyhow::Result<Revision> {
        if let Some(name) = named {
            return self.revision(name, "--head");
        }
        let commit = self.commit("HEAD").ok_or_else(|| {
            usage("velo gate needs a commit to measure against, and this repository has none")
        })?;
        let checkout = self.snapshot(&commit)?;
        Ok(Revision { name: "work tree".to_owned(), commit, checkout, is_work_tree: true })
    }

    /// The base that is named, else where the head's branch began.
    pub(crate) fn base(&self, named: Option<&str>, head: &Revision) -> anyhow::Result<Revision> {
        if let Some(name) = named {
            return self.revision(name, "--base");
        }
        for upstream in UPSTREAMS.into_iter().filter(|name| self.commit(name).is_some()) {
            if let Ok(commit) = self.git(&["merge-base", upstream, &head.commit]) {
                let upstream = self.git(&["rev-parse", "--abbrev-ref", upstream])?;
                let name = format!("merge base with {upstream}");
                return Ok(Revision { name, checkout: commit.clone(), commit, is_work_tree: false });
            }
        }
        Err(usage(
            "there is no upstream, origin/HEAD or main that the head has a commit in common with\n  \
             name the base with --base, and fetch the whole history in CI (fetch-depth: 0)",
        ))
    }

    fn revision(&self, name: &str, flag: &str) -> anyhow::Result<Revision> {
        let commit = self.commit(name).ok_or_else(|| {
            usage(format!(
                "{flag} {name}: there is no such commit here\n  \
                 expected a branch, a tag or a commit; in CI fetch the whole history (fetch-depth: 0)"
            ))
        })?;
        Ok(Revision { name: name.to_owned(), checkout: commit.clone(), commit, is_work_tree: false })
    }

    fn commit(&self, name: &str) -> Option<String> {
        let name = format!("{name}^{{commit}}");
        self.git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &name]).ok()
    }

    /// The work tree as a commit of no branch: what is tracked, and what is new and not ignored. Its index is
    /// a copy, so that what is staged stays as it is.
    fn snapshot(&self, parent: &str) -> anyhow::Result<String> {
        let scratch = tempfile::tempdir().context("there is no place for temporary files")?;
        let index = scratch.path().join("index");
        let own = self.git(&["rev-parse", "--git-path", "index"])?;
        // A repository in which nothing was ever staged has none.
        let _ = std::fs::copy(self.dir.join(own), &index);
        let run = |arguments: &[&str]| {
            let mut command = git(&self.dir, arguments);
            command.env("GIT_INDEX_FILE", &index).envs(AUTHOR);
            told(command, arguments)
        };
        run(&[&["add", "--all", "--", "."], &OWN_FOLDERS[..]].concat())?;
        let tree = run(&["write-tree"])?;
        run(&["commit-tree", &tree, "-p", parent, "-m", "velo gate: the work tree"])
    }

    /// What commits between the two accept: the commit, and the value of each of its trailers `Velo-Accept`.
    pub(crate) fn accepted(&self, base: &Revision, head: &Revision) -> anyhow::Result<Vec<(String, String)>> {
        let range = format!("{}..{}", base.commit, head.commit);
        let format = "--format=%h %(trailers:key=Velo-Accept,valueonly,separator=%x2C)";
        let lines = self.git(&["log", format, &range])?;
        let of_line = |line: &str| -> Vec<(String, String)> {
            let Some((commit, values)) = line.split_once(' ') else { return Vec::new() };
            let values = values.split(',').map(str::trim).filter(|value| !value.is_empty());
            values.map(|value| (commit.to_owned(), value.to_owned())).collect()
        };
        Ok(lines.lines().flat_map(of_line).collect())
    }
}

/// Git in a folder. A signal to velo's group is velo's to answer: git ends what it has begun.
fn git(dir: &Path, arguments: &[impl AsRef<OsStr>]) -> Command {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(dir).process_group(0);
    command.stdin(std::process::Stdio::null()).env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0");
    command
}

fn told(mut command: Command, arguments: &[&str]) -> anyhow::Result<String> {
    let output = command.output().context("git cannot be started")?;
    let line = arguments.first().copied().unwrap_or_default();
    if !output.status.success() {
        anyhow::bail!("git {line} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}
