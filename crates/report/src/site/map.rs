//! Which pages there are, and how one leads to another.

use std::collections::BTreeMap;

use velo_model::ContenderName;

use super::left_out::LeftOut;
use super::limits::{MOST_CONTENDERS, MOST_WORKLOADS};
use super::names::Names;

/// The path of the first page.
pub(super) const INDEX: &str = "index.html";

/// The pages of workloads and contenders by name.
#[derive(Debug, Default)]
pub(super) struct Map {
    workloads: BTreeMap<String, String>,
    workload_files: Names,
    contenders: BTreeMap<ContenderName, String>,
    pub(super) workloads_left_out: LeftOut,
    pub(super) contenders_left_out: LeftOut,
}

impl Map {
    /// Gives a workload a page. False when there is no room for one.
    pub(super) fn admit_workload(&mut self, name: &str) -> bool {
        if self.workloads.contains_key(name) {
            return true;
        }
        if self.workloads.len() >= MOST_WORKLOADS {
            self.workloads_left_out.add(name);
            return false;
        }
        let file = self.workload_files.take(name, "workload");
        self.workloads.insert(name.to_owned(), format!("workloads/{file}.html"));
        true
    }

    /// Gives a contender a page. False when there is no room for one.
    pub(super) fn admit_contender(&mut self, name: &ContenderName) -> bool {
        if self.contenders.contains_key(name) {
            return true;
        }
        if self.contenders.len() >= MOST_CONTENDERS {
            self.contenders_left_out.add(name.as_str());
            return false;
        }
        // A contender's name has lower-case letters, digits and hyphens alone, and one slash.
        self.contenders.insert(name.clone(), format!("contenders/{name}.html"));
        true
    }

    /// The workloads with the paths of their pages, by name.
    pub(super) fn workloads(&self) -> impl Iterator<Item = (&str, &str)> {
        self.workloads.iter().map(|(name, path)| (name.as_str(), path.as_str()))
    }

    /// The contenders with the paths of their pages, by name.
    pub(super) fn contenders(&self) -> impl Iterator<Item = (&ContenderName, &str)> {
        self.contenders.iter().map(|(name, path)| (name, path.as_str()))
    }

    /// How the page at a path refers to a workload's page.
    pub(super) fn to_workload(&self, from: &str, name: &str) -> String {
        relative(from, self.workloads.get(name).map_or(INDEX, String::as_str))
    }

    /// How the page at a path refers to a contender's page.
    pub(super) fn to_contender(&self, from: &str, name: &ContenderName) -> String {
        relative(from, self.contenders.get(name).map_or(INDEX, String::as_str))
    }
}

/// How the page at a path refers to another one: relative, so that the site may lie anywhere, also on a disk.
pub(super) fn relative(from: &str, to: &str) -> String {
    format!("{}{to}", "../".repeat(from.matches('/').count()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_up_and_down_again() {
        assert_eq!(relative(INDEX, "runs/a/index.html"), "runs/a/index.html");
        assert_eq!(relative("workloads/coin.html", INDEX), "../index.html");
        assert_eq!(relative("contenders/go/gin.html", "workloads/coin.html"), "../../workloads/coin.html");
    }

    #[test]
    fn workloads_that_differ_only_in_signs_have_pages_of_their_own() {
        let mut map = Map::default();
        for name in ["coin", "coin/", "../coin", "coin"] {
            assert!(map.admit_workload(name));
        }
        let paths: Vec<&str> = map.workloads().map(|(_, path)| path).collect();
        assert_eq!(paths, ["workloads/coin-3.html", "workloads/coin.html", "workloads/coin-2.html"]);
    }
}
