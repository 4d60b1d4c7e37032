//! Runs in one file: they are read as their folders are, and what was damaged or made up is refused.

mod common;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use common::{run_file, window};
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use tar::{Builder, EntryType, Header};
use tempfile::TempDir;
use velo_record::{Archive, ResultFile, Run, RunWriter, is_archive, read_archive, read_run};

/// A run's folder, and its archive beside it.
fn archived(dir: &TempDir, tail: &str) -> (PathBuf, PathBuf) {
    let (folder, file) = (dir.path().join("time-host"), dir.path().join("a.tar.gz"));
    let mut writer = RunWriter::create(&folder, &run_file()).expect("a folder");
    (1..=3).for_each(|launch| writer.append(&window(launch, 1)).expect("a window"));
    let windows = fs::read_to_string(folder.join("windows.ndjson")).expect("windows");
    fs::write(folder.join("windows.ndjson"), windows + tail).expect("windows");
    let archive = Archive::of(&folder).expect("a run");
    assert_eq!(archive.name(), "time-host");
    archive.write(ResultFile::open(&file).expect("a place")).expect("an archive");
    (folder, file)
}

/// A valid archive: its bytes, and the run in it.
static VALID: LazyLock<(Vec<u8>, Run)> = LazyLock::new(|| {
    let dir = tempfile::tempdir().expect("a folder");
    let (folder, file) = archived(&dir, "");
    (fs::read(file).expect("an archive"), read_run(&folder).expect("a run"))
});

/// A file of an archive: its path, kind, stated length and content.
type Member<'a> = (&'a str, EntryType, u64, &'a [u8]);

fn packed(members: &[Member<'_>]) -> Vec<u8> {
    let mut tar = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, kind, bytes, content) in members {
        let mut header = Header::new_ustar();
        // What a path may not be is not checked here.
        header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_entry_type(*kind);
        header.set_size(*bytes);
        header.set_cksum();
        tar.append(&header, *content).expect("a member");
    }
    tar.into_inner().expect("a tar").finish().expect("an archive")
}

fn read(bytes: &[u8]) -> Result<Run, String> {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("a.tar.gz");
    fs::write(&path, bytes).expect("a file");
    let run = read_archive(&path).map_err(|error| error.to_string());
    run.map_err(|error| error.replace(&format!("{}/", dir.path().display()), ""))
}

#[test]
fn an_archive_is_read_as_the_folder_is() {
    for tail in ["", "{\"half"] {
        let dir = tempfile::tempdir().expect("a folder");
        let (folder, file) = archived(&dir, tail);
        let run = read_run(&folder).expect("a run");
        assert_eq!((run.windows.len(), run.incomplete_tail), (3, !tail.is_empty()));
        fs::remove_dir_all(&folder).expect("the folder is gone");
        assert_eq!(read_archive(&file).expect("an archive"), run);
        assert!(is_archive(&file) && !is_archive(dir.path()) && !is_archive(Path::new("/dev/null")));
    }
}

#[test]
fn a_run_that_goes_on_is_not_archived() {
    let dir = tempfile::tempdir().expect("a folder");
    let (folder, file) = archived(&dir, "");
    let before = fs::read(&file).expect("an archive");
    let archive = Archive::of(&folder).expect("a run");
    fs::write(folder.join("windows.ndjson"), "").expect("windows");
    let error = archive.write(ResultFile::open(&file).expect("a place")).expect_err("it has changed");
    assert!(error.to_string().contains("windows.ndjson changed while it was read"), "{error}");
    assert_eq!(fs::read(&file).expect("an archive"), before, "the earlier one stands");
    let none = Archive::of(&dir.path().join("none")).expect_err("there is no run");
    assert!(none.to_string().contains("none/run.json"), "{none}");
}

#[test]
fn what_is_wrong_names_file_and_member() {
    const FILE: EntryType = EntryType::Regular;
    fn text<'a>(path: &'a str, content: &'a str) -> Member<'a> {
        (path, FILE, content.len() as u64, content.as_bytes())
    }
    let long = [b'a'; 5_000];
    // The checksum of nothing.
    let sums = text(
        "r/SHA256SUMS",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  windows.ndjson\n",
    );
    let windows = text("r/windows.ndjson", "");
    let cases: &[(&[Member<'_>], &str)] = &[
        (&[], "a.tar.gz/SHA256SUMS: it is missing"),
        (&[windows], "a.tar.gz/windows.ndjson: expected SHA256SUMS before it"),
        (&[sums, windows], "a.tar.gz/run.json: it is missing"),
        (&[sums, windows, windows], "a.tar.gz/windows.ndjson: it is there twice"),
        (&[sums, sums], "a.tar.gz/SHA256SUMS: it is there twice"),
        (
            &[sums, text("r/windows.ndjson", "{}\n")],
            "a.tar.gz/windows.ndjson: its checksum is not that of SHA256SUMS",
        ),
        (&[sums, text("r/run.json", "{}")], "a.tar.gz/run.json: its checksum is not that of SHA256SUMS"),
        (&[text("r/SHA256SUMS", "none")], "a.tar.gz/SHA256SUMS: expected a checksum and a name"),
        (&[("r/SHA256SUMS", FILE, 5_000, &long)], "a.tar.gz/SHA256SUMS: longer than 4096 bytes"),
        (&[sums, ("r/run.json", FILE, 1 << 40, b"{}")], "a.tar.gz/run.json: longer than 33554432 bytes"),
        (
            &[sums, ("r/windows.ndjson", FILE, 1 << 40, b"{}")],
            "a.tar.gz/windows.ndjson: longer than 2147483648 bytes",
        ),
        (&[text("run.json", "{}")], "a.tar.gz: run.json: not a file that velo archive wrote"),
        (&[text("../run.json", "{}")], "a.tar.gz: ../run.json: not a file"),
        (&[text("/run.json", "{}")], "a.tar.gz: /run.json: not a file"),
        (&[text("r/../../run.json", "{}")], "a.tar.gz: r/../../run.json: not a file"),
        (&[text("r/\u{1b}[2J", "{}")], "a.tar.gz: r/\u{fffd}[2J: not a file"),
        (&[("r/run.json", EntryType::Symlink, 0, b"")], "a.tar.gz: r/run.json: not a file"),
        (&[("r/run.json", EntryType::GNULongName, 2, b"{}")], "a.tar.gz: r/run.json: not a file"),
        (&[("r/run.json", EntryType::XHeader, 2, b"{}")], "a.tar.gz: r/run.json: not a file"),
    ];
    for (members, wanted) in cases {
        let error = read(&packed(members)).map(|_| ()).expect_err(wanted);
        assert!(error.starts_with(wanted), "{error}, not {wanted}");
    }
    let error = read(b"{\"format\": 5}").map(|_| ()).expect_err("no archive");
    assert!(error.starts_with("a.tar.gz: damaged or not an archive"), "{error}");
    let error = read(&VALID.0[..VALID.0.len() / 2]).map(|_| ()).expect_err("half of one");
    assert!(error.starts_with("a.tar.gz") && error.contains("copy"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_get_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
        prop_assert!(read(&bytes).is_err());
        let gzip = |bytes: &[u8]| {
            let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
            packed.write_all(bytes).expect("memory");
            packed.finish().expect("memory")
        };
        prop_assert!(read(&gzip(&bytes)).is_err());
        // Behind a header that is one.
        let mut header = Header::new_ustar();
        header.as_old_mut().name[..10].copy_from_slice(b"r/run.json");
        header.set_size(bytes.len() as u64 * 7);
        header.set_cksum();
        prop_assert!(read(&gzip(&[header.as_bytes(), &bytes[..]].concat())).is_err());
    }

    #[test]
    fn a_changed_byte_is_found_or_changes_nothing(at: prop::sample::Index, to: u8) {
        let (mut bytes, run) = VALID.clone();
        let at = at.index(bytes.len());
        bytes[at] = to;
        if let Ok(read) = read(&bytes) {
            prop_assert_eq!(read, run);
        }
    }

    #[test]
    fn any_members_get_an_answer(
        members in prop::collection::vec(
            (
                prop::sample::select(vec!["r/SHA256SUMS", "r/run.json", "s/windows.ndjson", "r/calls.ndjson", "r/", "r"]),
                any::<u8>(),
                prop_oneof![0..600_u64, any::<u64>()],
                prop::collection::vec(any::<u8>(), 0..600),
            ),
            0..6,
        ),
    ) {
        let members: Vec<Member<'_>> = members
            .iter()
            .map(|(path, kind, bytes, content)| {
                (*path, if kind % 2 == 0 { EntryType::Regular } else { EntryType::new(*kind) }, *bytes, content.as_slice())
            })
            .collect();
        prop_assert!(read(&packed(&members)).is_err());
    }
}
