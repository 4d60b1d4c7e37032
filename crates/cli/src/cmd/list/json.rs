//! `velo list --json`.

use serde::Serialize;
use velo_lab::toolchain;
use velo_model::{Contender, Role, Workload};

use super::contender::{class, is_default};
use crate::root::Root;

/// What `velo list --json` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Listing<'a> {
    /// By name.
    workloads: Vec<ListedWorkload<'a>>,
    /// By name.
    contenders: Vec<ListedContender<'a>>,
}

/// A workload.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ListedWorkload<'a> {
    name: &'a str,
    /// What it asks.
    question: &'a str,
    /// The title of what it reproduces.
    source: &'a str,
    author: &'a str,
    year: u16,
    /// The contender that scores are relative to.
    baseline: &'a str,
    /// Contenders that are measured without a filter.
    default: Vec<&'a str>,
}

/// A contender.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ListedContender<'a> {
    /// `language/name`.
    name: &'a str,
    /// `reference`, `raw`, `micro`, `framework`, `program` for one without a server, or `client`.
    class: &'a str,
    /// Whether it is a program without a server.
    is_task: bool,
    /// The workloads that it answers.
    workloads: &'a [String],
    /// What it speaks: `http1`, `https1`, `h2c`, `h2`, `grpc`, `grpcs`; empty for a program without a server.
    protocols: Vec<&'static str>,
    /// Whether it is measured without a filter.
    is_default: bool,
    /// The toolchains that it needs and that are here, with their versions.
    toolchains: Vec<String>,
    /// What it lacks; null when it can be built here.
    missing: Option<Lack>,
}

/// What a contender wants and the machine lacks.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Lack {
    /// What is missing or too old.
    reason: String,
    /// What to do.
    cure: String,
}

impl<'a> Listing<'a> {
    pub(super) fn of(root: &'a Root) -> Self {
        Self {
            workloads: root.workloads.iter().map(workload).collect(),
            contenders: root.contenders.iter().map(|contender| listed(root, contender)).collect(),
        }
    }
}

fn workload(workload: &Workload) -> ListedWorkload<'_> {
    ListedWorkload {
        name: &workload.name,
        question: &workload.question,
        source: &workload.source.title,
        author: &workload.source.author,
        year: workload.source.year,
        baseline: workload.baseline.as_str(),
        default: workload.default.iter().map(velo_model::ContenderName::as_str).collect(),
    }
}

fn listed<'a>(root: &Root, contender: &'a Contender) -> ListedContender<'a> {
    ListedContender {
        name: contender.name.as_str(),
        class: class(contender),
        is_task: contender.role == Role::Task,
        workloads: &contender.workloads,
        protocols: match contender.role {
            Role::Server => contender.protocols.iter().map(|protocol| protocol.name()).collect(),
            Role::Task | Role::Client => Vec::new(),
        },
        is_default: is_default(&root.workloads, contender),
        toolchains: toolchain::receipts(contender),
        missing: toolchain::missing(contender)
            .map(|missing| Lack { reason: missing.reason, cure: missing.cure }),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use schemars::generate::SchemaSettings;

    use super::*;

    #[test]
    fn the_schema_is_that_of_the_type() {
        let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
        let text = format!("{:#}\n", generator.into_root_schema_for::<Listing<'_>>().to_value());
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/list.schema.json");
        if std::env::var_os("UPDATE_SCHEMAS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            found == text,
            "schemas/list.schema.json differs from the type; regenerate it: UPDATE_SCHEMAS=1 cargo test -p velo-cli list"
        );
    }
}
