use std::path::Path;

use velo_lab::toolchain;
use velo_spec::{Class, Contender};

use crate::args::ListArgs;
use crate::columns::{align, wrap};
use crate::root::Root;
use crate::{exit, out};

pub(crate) fn run(args: &ListArgs, root: Option<&Path>) -> anyhow::Result<u8> {
    let root = Root::read(root, &[])?;
    look_for_toolchains(&root);
    if args.missing_packages {
        let packages = toolchain::wanted_packages(&root.contenders);
        for reason in &packages.no_help {
            out::talk(&format!("note: {reason}\n"));
        }
        out::print(&packages.install.iter().map(|package| format!("{package}\n")).collect::<String>())?;
    } else {
        out::print(&format!("{}\n{}", workloads(&root), contenders(&root)))?;
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

fn contenders(root: &Root) -> String {
    let mut text = "contenders (* measured by default)\n".to_owned();
    let mut cures: Vec<(String, Vec<&str>)> = Vec::new();
    let mut rows = Vec::new();
    for contender in &root.contenders {
        let is_default = contender.class == Class::Reference
            || root.workloads.iter().any(|workload| workload.default.contains(&contender.name));
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
        rows.push(vec![
            if is_default { "*" } else { " " }.to_owned(),
            contender.name.to_string(),
            class(contender).to_owned(),
            contender.workloads.join(" "),
            found,
        ]);
    }
    text.push_str(&align(&rows));
    if !cures.is_empty() {
        text.push_str("\nto install what is missing\n");
        for (cure, names) in cures {
            text.push_str(&format!("  {}: {cure}\n", names.join(", ")));
        }
    }
    text
}

fn class(contender: &Contender) -> &'static str {
    match contender.class {
        Class::Reference => "reference",
        Class::Raw => "raw",
        Class::Micro => "micro",
        Class::Framework => "framework",
    }
}
