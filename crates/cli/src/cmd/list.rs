mod contender;
mod json;

use std::path::Path;

use velo_lab::toolchain;

use self::contender::{class, is_default};
use crate::args::ListArgs;
use crate::columns::{align, wrap};
use crate::root::Root;
use crate::{exit, out, select};

pub(crate) fn run(args: &ListArgs, root: Option<&Path>) -> anyhow::Result<u8> {
    let mut root = Root::read(root, &[])?;
    if !args.workloads.is_empty() {
        root.workloads = select::workloads(&root, &args.workloads)?;
        let workloads = &root.workloads;
        root.contenders.retain(|one| workloads.iter().any(|workload| workload.is_for(one)));
    }
    if args.default {
        let workloads = &root.workloads;
        root.contenders.retain(|one| is_default(workloads, one));
    }
    look_for_toolchains(&root);
    if args.json {
        let text = serde_json::to_string_pretty(&json::Listing::of(&root))?;
        out::print(&format!("{text}\n"))?;
    } else if args.missing_packages {
        let packages = toolchain::wanted_packages(&root.contenders);
        for reason in &packages.no_help {
            out::talk(&format!("note: {reason}\n"));
        }
        out::print(&packages.install.iter().map(|package| format!("{package}\n")).collect::<String>())?;
    } else {
        out::print(&format!("{}\n{}", workloads(&root), contenders(&root, !args.workloads.is_empty())))?;
        if root.dir.is_none() {
            out::talk("note: no contenders here; velo contenders DIR writes out those that velo carries\n");
        }
    }
    Ok(exit::DONE)
}

/// All at once: one after the other some of their version commands take half a second each.
fn look_for_toolchains(root: &Root) {
    let wanted = root.contenders.iter().flat_map(|contender| &contender.toolchain);
    let mut names: Vec<&str> = wanted.map(|toolchain| toolchain.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    toolchain::find_all(&names);
}

fn workloads(root: &Root) -> String {
    let mut text = "workloads\n".to_owned();
    for workload in &root.workloads {
        let source = &workload.source;
        text.push_str(&format!(
            "  {}  {}\n",
            workload.name,
            wrap(&workload.question, workload.name.len() + 4, 80)
        ));
        let source = format!("\"{}\", {}, {}", source.title, source.author, source.year);
        text.push_str(&format!("      {}\n", wrap(&source, 6, 80)));
    }
    text
}

fn contenders(root: &Root, is_filtered: bool) -> String {
    let of = if is_filtered { "" } else { " by a run of at least one of its workloads" };
    let mut text = format!("contenders (* measured by default{of})\n");
    let mut cures: Vec<(String, Vec<&str>)> = Vec::new();
    let mut rows = Vec::new();
    for contender in &root.contenders {
        let found = match toolchain::missing(contender) {
            None => toolchain::receipts(contender).join(", "),
            Some(missing) => {
                match cures.iter_mut().find(|(cure, _)| *cure == missing.cure) {
                    Some((_, names)) => names.push(contender.name.as_str()),
                    None => cures.push((missing.cure, vec![contender.name.as_str()])),
                }
                missing.reason
            }
        };
        let row = vec![
            if is_default(&root.workloads, contender) { "*" } else { " " }.to_owned(),
            contender.name.to_string(),
            class(contender).to_owned(),
            contender.workloads.join(" "),
            if contender.is_grpc() { "gRPC" } else { "" }.to_owned(),
        ];
        rows.push((contender.name.language(), found, row));
    }
    // Those with the same toolchains together, else by name.
    rows.sort_by(|(language, found, _), other| (*language, found).cmp(&(other.0, &other.1)));
    let (founds, rows): (Vec<String>, Vec<Vec<String>>) =
        rows.into_iter().map(|(_, found, row)| (found, row)).unzip();
    text.push_str(&under_their_toolchains(&align(&rows), &founds));
    if !cures.is_empty() {
        text.push_str("\nto install what is missing\n");
        for (cure, names) in cures {
            text.push_str(&format!("  {}: {cure}\n", names.join(", ")));
        }
    }
    text
}

/// A line with the toolchains before the first of those that have the same.
fn under_their_toolchains(lines: &str, founds: &[String]) -> String {
    let mut text = String::new();
    let mut last = None;
    for (line, found) in lines.lines().zip(founds) {
        if last.replace(found) != Some(found) {
            let found = if found.is_empty() { "no toolchain of its own" } else { found };
            text.push_str(&format!("  {}\n", wrap(found, 2, 80)));
        }
        text.push_str(&format!("{line}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toolchains_stand_once_before_those_that_have_them() {
        let founds = ["go 1", "go 1", "", "go 1"].map(str::to_owned);
        assert_eq!(
            under_their_toolchains("a\nb\nc\nd\n", &founds),
            "  go 1\na\nb\n  no toolchain of its own\nc\n  go 1\nd\n"
        );
    }
}
