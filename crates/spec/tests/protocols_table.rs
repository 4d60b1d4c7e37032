//! The table of who speaks what in `contenders/common.md` is that of the manifests.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use velo_model::{Contender, Protocol, Role};
use velo_spec::read;

const REGENERATE: &str = "UPDATE_TABLES=1 cargo test -p velo-spec --test protocols_table";
const BEGIN: &str = "<!-- BEGIN protocols -->";
const END: &str = "<!-- END protocols -->";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A variant is in its folder's row unless it speaks something else.
fn has_row(contender: &Contender, all: &[Contender]) -> bool {
    let of = contender.variant_of.as_ref().and_then(|of| all.iter().find(|other| other.name == *of));
    contender.role == Role::Server && of.is_none_or(|of| of.protocols != contender.protocols)
}

/// A row for each set of protocols, the largest first.
fn table(contenders: &[Contender]) -> String {
    let mut rows: Vec<(Vec<Protocol>, Vec<String>)> = Vec::new();
    for contender in contenders.iter().filter(|contender| has_row(contender, contenders)) {
        let spoken: Vec<_> =
            Protocol::ALL.into_iter().filter(|protocol| contender.protocols.contains(protocol)).collect();
        let name = code(contender.name.as_str());
        match rows.iter_mut().find(|(protocols, _)| *protocols == spoken) {
            Some((_, names)) => names.push(name),
            None => rows.push((spoken, vec![name])),
        }
    }
    rows.sort_by_key(|(protocols, _)| std::cmp::Reverse(protocols.len()));
    let mut table = "| speaks | contenders |\n|---|---|".to_owned();
    for (protocols, names) in rows {
        let spoken = protocols.into_iter().map(|protocol| code(protocol.name())).collect::<Vec<_>>();
        write!(table, "\n| {} | {} |", spoken.join(", "), names.join(", ")).expect("a String takes it");
    }
    table
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

#[test]
fn who_speaks_what_is_what_the_manifests_say() {
    let contenders = read::contenders(&root()).unwrap_or_else(|error| panic!("{error}"));
    let path = root().join("contenders/common.md");
    let document = std::fs::read_to_string(&path).expect("a document");
    let (before, rest) = document.split_once(BEGIN).expect("where the table begins");
    let (found, after) = rest.split_once(END).expect("where the table ends");
    let wanted = format!("\n\n{}\n\n", table(&contenders));
    if std::env::var_os("UPDATE_TABLES").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{wanted}{END}{after}")).expect("the table is written");
        return;
    }
    assert!(
        found == wanted,
        "the table of protocols differs from the manifests; regenerate it: {REGENERATE}"
    );
}

#[test]
fn whoever_does_not_speak_all_says_why() {
    for contender in read::contenders(&root()).unwrap_or_else(|error| panic!("{error}")) {
        let speaks_all = contender.protocols.len() == Protocol::OF_RUNS.len();
        let is_explained = !contender.role.is_server() || speaks_all || contender.other_protocols.is_some();
        assert!(is_explained, "{}: `other_protocols` does not say why", contender.name);
    }
}
