//! The table of faults in `docs/workloads.md` is that of the code.

use std::fmt::Write as _;
use std::path::Path;

use velo_model::Manner;

const REGENERATE: &str = "UPDATE_TABLES=1 cargo test -p velo-spec --test faults_table";
#[test]
fn the_faults_are_those_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/workloads.md");
    let mut document = std::fs::read_to_string(&path).expect("a document");
    let tables: [(&str, Vec<Manner>); 2] =
        [("faults", Manner::faults().collect()), ("faults of resuming", Manner::of_resuming().collect())];
    for (name, faults) in tables {
        let (begin, end) = (format!("<!-- BEGIN {name} -->"), format!("<!-- END {name} -->"));
        let (before, rest) = document.split_once(&begin).expect("where the table begins");
        let (found, after) = rest.split_once(&end).expect("where the table ends");
        let mut wanted = "\n\n| fault | what is sent | a careful client has |\n|---|---|---|\n".to_owned();
        for fault in faults {
            writeln!(wanted, "| `{}` | {} | {} |", fault.name(), fault.sends(), fault.expected())
                .expect("a String takes it");
        }
        wanted.push('\n');
        if std::env::var_os("UPDATE_TABLES").is_some() {
            document = format!("{before}{begin}{wanted}{end}{after}");
            std::fs::write(&path, &document).expect("the table is written");
            continue;
        }
        assert!(found == wanted, "the table of {name} differs from the code; regenerate it: {REGENERATE}");
    }
}
