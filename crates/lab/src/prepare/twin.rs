//! The control: the reference once more, as if it were another contender. The two are the same program, so their
//! ratio is 1, and what is measured instead is the noise.

use velo_model::{Class, ContenderName};
use velo_record::{ContenderRecord, ContenderState};

use crate::prepare::verify::Verified;

/// Adds a twin of each verified reference to the records. It shares build, version and answers, and has processes of
/// its own.
pub(crate) fn add(records: &mut Vec<ContenderRecord>, verified: &mut Vec<Verified>) {
    let references: Vec<Verified> = verified
        .iter()
        .filter(|verified| records[verified.record].manifest.class == Class::Reference)
        .cloned()
        .collect();
    for reference in references {
        let Some(twin) = twin_of(&records[reference.record], records) else { continue };
        records.push(twin);
        verified.push(Verified { record: records.len() - 1, ..reference });
    }
}

/// `None` when the name that it would have is too long, or taken.
fn twin_of(reference: &ContenderRecord, records: &[ContenderRecord]) -> Option<ContenderRecord> {
    let name = ContenderName::new(&format!("{}-twin", reference.manifest.name)).ok()?;
    if records.iter().any(|record| record.manifest.name == name) {
        return None;
    }
    let mut twin = reference.clone();
    twin.twin_of = Some(std::mem::replace(&mut twin.manifest.name, name));
    twin.state = ContenderState::Pending;
    twin.launches.clear();
    Some(twin)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use velo_model::{Contender, Role};
    use velo_record::BuildRecord;

    use super::*;
    use crate::build::builder::Built;
    use crate::sides::origin::Origin;

    fn record(name: &str, class: Class) -> ContenderRecord {
        ContenderRecord {
            manifest: Contender {
                name: ContenderName::new(name).expect("a name"),
                variant_of: None,
                role: Role::Server,
                dir: PathBuf::new(),
                borrows: Vec::new(),
                runs_at: None,
                class,
                raw: None,
                rest: None,
                workloads: vec!["coin".to_owned()],
                toolchain: Vec::new(),
                debian: Vec::new(),
                fetch: None,
                build: None,
                start: "exec ./server".to_owned(),
                version: "echo 1".to_owned(),
                process_for_each: false,
                ready_seconds: 20,
                protocols: vec![velo_model::Protocol::Http1],
                other_protocols: None,
            },
            twin_of: None,
            state: ContenderState::Pending,
            version: Some("1".to_owned()),
            notes: None,
            toolchains: Vec::new(),
            build: None,
            left_by_build: Vec::new(),
            cases: Vec::new(),
            idle_cpu_share: Some(0.0),
            listens_on: None,
            external: None,
            log_bytes: None,
            launches: Vec::new(),
            tasks: Vec::new(),
        }
    }

    fn verified(record: usize) -> Verified {
        let build = BuildRecord { content_hash: String::new(), cached: true, duration_ns: 1 };
        let built = Built {
            search_path: None,
            dir: PathBuf::new(),
            version: "1".to_owned(),
            toolchains: Vec::new(),
            record: build,
        };
        Verified { record, origin: Origin::Built(built), stop_ns: 5, processes: 2 }
    }

    fn names(records: &[ContenderRecord]) -> Vec<&str> {
        records.iter().map(|record| record.manifest.name.as_str()).collect()
    }

    #[test]
    fn the_reference_has_a_twin_that_says_whose() {
        let mut records =
            vec![record("go/gin", Class::Framework), record("rust/reference", Class::Reference)];
        let mut lanes = vec![verified(0), verified(1)];
        add(&mut records, &mut lanes);
        assert_eq!(names(&records), ["go/gin", "rust/reference", "rust/reference-twin"]);
        assert_eq!(records[2].twin_of.as_ref(), Some(&records[1].manifest.name));
        assert_eq!((records[2].version.as_deref(), records[2].idle_cpu_share), (Some("1"), Some(0.0)));
        let lanes: Vec<(usize, u64, usize)> =
            lanes.iter().map(|lane| (lane.record, lane.stop_ns, lane.processes)).collect();
        assert_eq!(lanes, [(0, 5, 2), (1, 5, 2), (2, 5, 2)]);
    }

    #[test]
    fn without_a_verified_reference_or_a_name_there_is_no_twin() {
        let mut records =
            vec![record("go/gin", Class::Framework), record("rust/reference", Class::Reference)];
        add(&mut records, &mut vec![verified(0)]);
        assert_eq!(records.len(), 2);
        records.push(record("rust/reference-twin", Class::Raw));
        add(&mut records, &mut vec![verified(0), verified(1)]);
        assert_eq!(records.len(), 3);
        let mut records = vec![record(&format!("c/{}", "x".repeat(64)), Class::Reference)];
        add(&mut records, &mut vec![verified(0)]);
        assert_eq!(records.len(), 1);
    }
}
