//! Links within the documents lead somewhere: to a file that is there, and in it to a heading.

use std::fs;
use std::path::{Path, PathBuf};

/// Markdown of the checkout, without what is fetched or built.
fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        let is_made =
            name.starts_with('.') || ["target", "node_modules", "results", "vendor"].contains(&&*name);
        if path.is_dir() && !is_made && !path.is_symlink() {
            documents(&path, found);
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
}

/// The text without blocks and spans of code, in which nothing is a link.
fn prose(text: &str) -> String {
    let mut is_code = false;
    let lines = text.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    });
    let lines: Vec<String> = lines.map(|line| line.split('`').step_by(2).collect()).collect();
    lines.join("\n")
}

/// A heading as its anchor is written: letters and digits in lower case, hyphens for blanks.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

fn anchors(text: &str) -> Vec<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#'))).collect()
}

/// What each link of a document leads to.
fn links(text: &str) -> Vec<String> {
    let behind = text.split("](").skip(1);
    behind.filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())).collect()
}

#[test]
fn links_lead_to_files_and_headings() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = Vec::new();
    documents(&root, &mut all);
    assert!(all.len() > 20, "{} documents", all.len());
    let (mut checked, mut broken) = (0, Vec::new());
    for document in &all {
        let text = fs::read_to_string(document).unwrap();
        for link in
            links(&prose(&text)).iter().filter(|link| !link.contains("://") && !link.starts_with("mailto:"))
        {
            let (file, heading) =
                link.split_once('#').map_or((link.as_str(), None), |(file, at)| (file, Some(at)));
            let target =
                if file.is_empty() { document.clone() } else { document.parent().unwrap().join(file) };
            let has_heading = |heading: &str| {
                fs::read_to_string(&target)
                    .is_ok_and(|text| anchors(&text).iter().any(|known| known == heading))
            };
            checked += 1;
            if !target.exists() || heading.is_some_and(|heading| !has_heading(heading)) {
                broken.push(format!("{}: {link}", document.strip_prefix(&root).unwrap().display()));
            }
        }
    }
    assert!(checked > 50, "{checked} links");
    assert!(broken.is_empty(), "lead nowhere:\n{}", broken.join("\n"));
}

#[test]
fn anchors_are_those_of_headings() {
    assert_eq!(anchor(" Pairs (`stats/src/pairs.rs`)"), "pairs-statssrcpairsrs");
    assert_eq!(links("see [a](b.md#c) and [d](#e)"), ["b.md#c", "#e"]);
    assert_eq!(prose("a `](x)` b\n```\n](y)\n```\nc"), "a  b\nc");
}
