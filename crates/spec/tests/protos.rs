//! A contender of gRPC has the protos of its workloads, to the byte.

use std::fs;
use std::path::{Path, PathBuf};

use velo_spec::read;

/// The files of a folder and those below it that are protos.
fn protos(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        let path = entry.path();
        let is_made = ["target", "node_modules", ".venv"].iter().any(|name| path.ends_with(name));
        if path.is_dir() && !is_made {
            found.extend(protos(&path));
        } else if path.extension().is_some_and(|extension| extension == "proto") {
            found.push(path);
        }
    }
    found
}

#[test]
fn a_contender_has_the_protos_of_its_workloads() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let workloads = read::workloads(&root).unwrap_or_else(|error| panic!("{error}"));
    let contenders = read::contenders(&root).unwrap_or_else(|error| panic!("{error}"));
    let mut compared = 0;
    for contender in contenders.iter().filter(|contender| contender.is_grpc()) {
        let own = protos(&contender.dir);
        for workload in workloads.iter().filter(|workload| workload.is_for(contender)) {
            let grpc = workload.grpc.as_ref().expect("calls");
            let copy = own.iter().find(|path| path.ends_with(&grpc.proto_file));
            let copy = copy.unwrap_or_else(|| panic!("{}: no {}", contender.name, grpc.proto_file));
            assert_eq!(fs::read_to_string(copy).expect("a proto"), grpc.proto, "{}", copy.display());
            compared += 1;
        }
    }
    assert!(compared > 0);
}
