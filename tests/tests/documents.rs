use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// Folders that hold nothing of the repository's own.
const FOREIGN: [&str; 8] = ["target", "node_modules", ".git", ".velo", "results", "dist", "vendor", "corpus"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if entry.file_type().unwrap().is_dir() {
            let is_foreign = FOREIGN.contains(&name.as_str()) && path != root().join("docs/results");
            if !is_foreign {
                documents(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

/// Lines outside of fenced code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// What links lead to; code between backticks has none.
fn targets(line: &str) -> Vec<&str> {
    let outside_of_code = line.split('`').step_by(2).collect::<Vec<_>>();
    let of_piece = |piece: &'_ str| -> Vec<(usize, usize)> {
        let offset = piece.as_ptr() as usize - line.as_ptr() as usize;
        let starts = piece.match_indices("](").map(|(at, _)| offset + at + 2);
        starts.filter_map(|start| Some((start, start + line[start..].find(')')?))).collect()
    };
    let ranges = outside_of_code.into_iter().flat_map(of_piece);
    ranges.map(|(start, end)| line[start..end].split(' ').next().unwrap_or_default()).collect()
}

/// The name by which a heading is linked to, as GitHub makes it.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn anchors(text: &str) -> Vec<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let headings = prose(text).filter(|line| line.starts_with('#')).map(anchor);
    headings
        .map(|name| {
            let times = seen.entry(name.clone()).or_default();
            *times += 1;
            if *times == 1 { name } else { format!("{name}-{}", *times - 1) }
        })
        .collect()
}

/// Without `..`, so that a link out of the repository is seen.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, component| {
        match component {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
        plain
    })
}

fn broken(document: &Path, target: &str) -> Option<&'static str> {
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let file = match file {
        "" => document.to_owned(),
        file => plain(&document.parent().unwrap().join(file)),
    };
    if !file.starts_with(root()) {
        return Some("it leads out of the repository");
    }
    if !file.exists() {
        return Some("there is no such file");
    }
    if anchor.is_empty() || file.extension().is_none_or(|extension| extension != "md") {
        return None;
    }
    let has_it = anchors(&std::fs::read_to_string(&file).unwrap()).iter().any(|name| name == anchor);
    (!has_it).then_some("there is no such heading")
}

#[test]
fn every_link_between_documents_leads_somewhere() {
    let mut all = Vec::new();
    documents(&root(), &mut all);
    let (mut links, mut faults) = (0, Vec::new());
    for document in &all {
        let text = std::fs::read_to_string(document).unwrap();
        let own =
            prose(&text).flat_map(targets).filter(|target| !target.contains("://") && !target.is_empty());
        for target in own {
            links += 1;
            if let Some(why) = broken(document, target) {
                faults.push(format!("{}: {target}: {why}", document.display()));
            }
        }
    }
    assert!(all.len() > 20 && links > 50, "{} documents with {links} links", all.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_versions_are_those_of_the_manifest() {
    let read = |file: &str| std::fs::read_to_string(root().join(file)).unwrap();
    let manifest = read("Cargo.toml");
    let value = |key: &str| {
        let line = manifest.lines().find_map(|line| line.strip_prefix(&format!("{key} = \"")));
        line.and_then(|rest| rest.strip_suffix('"')).unwrap_or_else(|| panic!("no {key} in Cargo.toml"))
    };
    assert!(read("CITATION.cff").contains(&format!("\nversion: {}\n", value("version"))));
    for document in ["README.md", "CONTRIBUTING.md"] {
        assert!(read(document).contains(&format!("Rust {}", value("rust-version"))), "{document}");
    }
}

#[test]
fn a_link_that_leads_nowhere_is_found() {
    let readme = root().join("README.md");
    assert_eq!(broken(&readme, "docs/none.md"), Some("there is no such file"));
    assert_eq!(broken(&readme, "../outside.md"), Some("it leads out of the repository"));
    assert_eq!(broken(&readme, "GLOSSARY.md#no-such-heading"), Some("there is no such heading"));
    assert_eq!(broken(&readme, "#install"), None);
    assert_eq!(targets("see [a](b.md), `[c](d)` and ![e](f.svg)"), ["b.md", "f.svg"]);
    assert_eq!(anchor("### Who has `x`: a/b (`c/d.rs`)"), "who-has-x-ab-cdrs");
}
