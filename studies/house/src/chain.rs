//! How long the longest chain of crates is that wait for each other to be compiled.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result};
use petgraph::algo::toposort;
use petgraph::graph::DiGraph;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// What a manifest says of a crate and of whom it needs; what only its tests need is left out.
#[derive(Deserialize)]
pub(crate) struct Manifest {
    package: Package,
    #[serde(default)]
    dependencies: BTreeMap<String, IgnoredAny>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
}

impl Manifest {
    /// # Errors
    /// What is no manifest of a package, by name.
    pub(crate) fn read(path: &PathBuf) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        toml::from_str(&text).with_context(|| path.display().to_string())
    }
}

/// The crates of the longest chain, the one that needs no other first.
///
/// # Errors
/// Crates that need each other.
pub(crate) fn longest(manifests: &[Manifest]) -> Result<Vec<&str>> {
    let mut graph = DiGraph::<&str, ()>::new();
    let nodes: BTreeMap<&str, _> = manifests
        .iter()
        .map(|manifest| (manifest.package.name.as_str(), graph.add_node(&manifest.package.name)))
        .collect();
    for manifest in manifests {
        for needed in manifest.dependencies.keys().filter_map(|name| nodes.get(name.as_str())) {
            graph.add_edge(*needed, nodes[manifest.package.name.as_str()], ());
        }
    }
    let order = toposort(&graph, None)
        .map_err(|circle| anyhow::anyhow!("{} needs itself", graph[circle.node_id()]))?;
    let mut chains: BTreeMap<_, Vec<&str>> = BTreeMap::new();
    for node in order {
        let before = graph.neighbors_directed(node, petgraph::Direction::Incoming);
        let mut chain = before.map(|needed| &chains[&needed]).max_by_key(|chain| chain.len()).cloned();
        chain.get_or_insert_default().push(graph[node]);
        chains.extend(chain.map(|chain| (node, chain)));
    }
    Ok(chains.into_values().max_by_key(Vec::len).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifests(texts: &[&str]) -> Vec<Manifest> {
        texts.iter().map(|text| toml::from_str(text).unwrap()).collect()
    }

    #[test]
    fn the_longest_chain_goes_through_crates_of_the_house_alone() {
        let all = manifests(&[
            "[package]\nname = \"top\"\n[dependencies]\nserde.workspace = true\nlow.workspace = true\nmid = { path = \"mid\" }",
            "[package]\nname = \"mid\"\n[dependencies]\nlow.workspace = true\n[dev-dependencies]\ntop.workspace = true",
            "[package]\nname = \"low\"",
        ]);
        assert_eq!(longest(&all).unwrap(), ["low", "mid", "top"]);
    }

    #[test]
    fn crates_that_need_each_other_are_refused() {
        let all = manifests(&[
            "[package]\nname = \"a\"\n[dependencies]\nb.workspace = true",
            "[package]\nname = \"b\"\n[dependencies]\na.workspace = true",
        ]);
        assert!(longest(&all).unwrap_err().to_string().ends_with("needs itself"));
    }
}
