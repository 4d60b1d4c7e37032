//! The table of faults in `docs/downloads.md` is that of the code.

use std::fmt::Write as _;
use std::path::Path;

use velo_spec::Manner;

const REGENERATE: &str = "UPDATE_TABLES=1 cargo test -p velo-spec --test faults_table";
const BEGIN: &str = "<!-- BEGIN faults -->";
const END: &str = "<!-- END faults -->";

#[test]
fn the_faults_are_those_that_clients_are_tried_with() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/downloads.md");
    let document = std::fs::read_to_string(&path).expect("a document");
    let (before, rest) = document.split_once(BEGIN).expect("where the table begins");
    let (found, after) = rest.split_once(END).expect("where the table ends");
    let mut wanted = "\n\n| fault | what is sent | a careful client has |\n|---|---|---|\n".to_owned();
    for fault in Manner::faults() {
        writeln!(wanted, "| `{}` | {} | {} |", fault.name(), fault.sends(), fault.expected())
            .expect("a String takes it");
    }
    wanted.push('\n');
    if std::env::var_os("UPDATE_TABLES").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{wanted}{END}{after}")).expect("the table is written");
        return;
    }
    assert!(found == wanted, "the table of faults differs from the code; regenerate it: {REGENERATE}");
}
