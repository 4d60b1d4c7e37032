//! Files that contenders read: made from a seed, and replaced during a run so that what is kept from an earlier reading shows.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use velo_load::{Pick, Table};
use velo_model::{DataFile, DataSlotKind, Workload};

/// Keys are below this, so that a request cannot guess one and a record's length varies little.
const MOST_KEYS: u64 = 1_000_000;
const WORD_LETTERS: std::ops::RangeInclusive<usize> = 4..=10;

/// Versions of each file. Launches begin with the first; the second takes its place halfway.
pub(crate) const VERSIONS: u32 = 2;

/// The data files of all workloads of a run, in the order of the workloads.
#[derive(Debug, Clone, Default)]
pub(crate) struct AllData(Vec<Vec<DataSet>>);

impl AllData {
    /// All versions, the same for the same seed.
    pub(crate) fn make(workloads: &[Workload], seed: u64) -> Self {
        let versions =
            |workload| (0..VERSIONS).map(|version| DataSet::make(workload, seed, version)).collect();
        Self(workloads.iter().map(versions).collect())
    }

    /// A version of a workload's files.
    pub(crate) fn set(&self, workload: usize, version: u32) -> &DataSet {
        const NONE: &DataSet = &DataSet { files: Vec::new() };
        self.0.get(workload).and_then(|versions| versions.get(version as usize)).unwrap_or(NONE)
    }
}

/// One version of a workload's data files.
#[derive(Debug, Clone, Default)]
pub(crate) struct DataSet {
    files: Vec<MadeFile>,
}

#[derive(Debug, Clone)]
struct MadeFile {
    name: String,
    bytes: Vec<u8>,
    /// For each slot that is a key, its value in each record; nothing for the others.
    keys: Arc<Table>,
}

impl DataSet {
    /// The files of a workload in one of their versions, the same for the same seed. No key is in two versions.
    pub(crate) fn make(workload: &Workload, seed: u64, version: u32) -> Self {
        let files = workload.data.iter().enumerate().map(|(number, file)| {
            let seed = seed ^ (number as u64) << 48;
            MadeFile::make(file, seed, version)
        });
        Self { files: files.collect() }
    }

    /// Puts the files into a folder, each in one step, in place of those of an earlier version.
    pub(crate) fn write(&self, dir: &Path) -> io::Result<()> {
        for file in &self.files {
            let new = dir.join(format!(".{}.new", file.name));
            let mut out = create_new(&new)?;
            out.write_all(&file.bytes)?;
            drop(out);
            fs::rename(&new, dir.join(&file.name))?;
        }
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Of all files together.
    pub(crate) fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes.len() as u64).sum()
    }

    /// The keys of each file.
    pub(crate) fn tables(&self) -> Vec<Arc<Table>> {
        self.files.iter().map(|file| Arc::clone(&file.keys)).collect()
    }
}

/// A file of its own in a folder that its reader may write to as well: no link that lies there is followed.
fn create_new(path: &Path) -> io::Result<fs::File> {
    let create = || fs::OpenOptions::new().write(true).create_new(true).open(path);
    match create() {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::remove_file(path)?;
            create()
        }
        result => result,
    }
}

impl MadeFile {
    fn make(file: &DataFile, seed: u64, version: u32) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(u64::from(version));
        let records = file.records as usize;
        let keys: Vec<Vec<u64>> = file
            .slots
            .iter()
            .map(|slot| match slot.kind {
                DataSlotKind::Key => keys(records, seed, version),
                _ => Vec::new(),
            })
            .collect();
        let mut text = b"[".to_vec();
        for record in 0..records {
            if record > 0 {
                text.extend(b", ");
            }
            let values: Vec<String> = file
                .slots
                .iter()
                .zip(&keys)
                .map(|(slot, keys)| match slot.kind {
                    DataSlotKind::Key => keys[record].to_string(),
                    DataSlotKind::Word => word(&mut random),
                    DataSlotKind::Bool => (random.next_u64() & 1 == 1).to_string(),
                    DataSlotKind::Int { min, max } => between(min, max, &mut random).to_string(),
                })
                .collect();
            text.extend(file.record.render(&values));
        }
        text.push(b']');
        let cell = |keys: &Vec<u64>, row: usize| keys.get(row).map(|key| key.to_string().into_bytes());
        let row = |row| keys.iter().map(|keys| cell(keys, row).unwrap_or_default()).collect();
        let keys = Arc::new(Table { rows: (0..records).map(row).collect(), pick: Pick::Random });
        Self { name: file.file.clone(), bytes: text, keys }
    }
}

/// Keys of one version: of all numbers, those that leave the version as remainder, so that no two versions share one.
fn keys(records: usize, seed: u64, version: u32) -> Vec<u64> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(u64::from(version) | 1 << 32);
    let versions = u64::from(VERSIONS);
    let (mut keys, mut seen) = (Vec::with_capacity(records), HashSet::with_capacity(records));
    while keys.len() < records {
        let key =
            between(1, MOST_KEYS / versions - 1, &mut random) * versions + u64::from(version) % versions;
        if seen.insert(key) {
            keys.push(key);
        }
    }
    keys
}

fn word(random: &mut impl Rng) -> String {
    let letters = between(*WORD_LETTERS.start() as u64, *WORD_LETTERS.end() as u64, random);
    (0..letters).map(|_| char::from(b'a' + between(0, 25, random) as u8)).collect()
}

/// Both ends included; the remainder's bias is below 1e-12 for the ranges that there are.
fn between(min: u64, max: u64, random: &mut impl Rng) -> u64 {
    let span = u128::from(max - min) + 1;
    min + (u128::from(random.next_u64()) % span) as u64
}

#[cfg(test)]
mod tests {
    use velo_model::{DataSlot, TextPart, TextTemplate};

    use super::*;

    fn file(records: u32) -> DataFile {
        let part = |text: &str| TextPart::Literal(text.to_owned());
        let slot = |name: &str, kind| DataSlot { name: name.to_owned(), kind };
        DataFile {
            file: "user.json".to_owned(),
            records,
            record: TextTemplate {
                parts: vec![
                    part("{\"id\": "),
                    TextPart::Slot(0),
                    part(", \"name\": \""),
                    TextPart::Slot(1),
                    part("\", \"on\": "),
                    TextPart::Slot(2),
                    part(", \"age\": "),
                    TextPart::Slot(3),
                    part("}"),
                ],
            },
            slots: vec![
                slot("id", DataSlotKind::Key),
                slot("name", DataSlotKind::Word),
                slot("on", DataSlotKind::Bool),
                slot("age", DataSlotKind::Int { min: 18, max: 90 }),
            ],
        }
    }

    fn keys(made: &MadeFile) -> Vec<u64> {
        let key = |row: &Vec<Vec<u8>>| std::str::from_utf8(&row[0]).unwrap().parse().unwrap();
        made.keys.rows.iter().map(key).collect()
    }

    fn parsed(made: &MadeFile) -> Vec<serde_json::Value> {
        serde_json::from_slice(&made.bytes).unwrap()
    }

    #[test]
    fn a_file_is_a_json_array_of_records_with_keys_of_their_own() {
        let made = MadeFile::make(&file(500), 7, 0);
        let records = parsed(&made);
        let ids: Vec<u64> = records.iter().map(|record| record["id"].as_u64().unwrap()).collect();
        assert_eq!(ids, keys(&made));
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 500);
        assert!(!ids.is_sorted(), "the order tells nothing");
        for record in &records {
            assert!((4..=10).contains(&record["name"].as_str().unwrap().len()));
            assert!(record["on"].is_boolean() && (18..=90).contains(&record["age"].as_u64().unwrap()));
        }
    }

    #[test]
    fn versions_follow_from_the_seed_and_share_no_key() {
        let of = |seed, version| MadeFile::make(&file(300), seed, version);
        assert_eq!(of(1, 0).bytes, of(1, 0).bytes);
        assert_ne!(of(1, 0).bytes, of(2, 0).bytes);
        let first: HashSet<u64> = keys(&of(1, 0)).into_iter().collect();
        assert!(keys(&of(1, 1)).iter().all(|key| !first.contains(key)));
    }

    #[test]
    fn files_are_replaced_in_one_step() {
        let dir = tempfile::tempdir().unwrap();
        let set = |version| DataSet { files: vec![MadeFile::make(&file(20), 3, version)] };
        set(0).write(dir.path()).unwrap();
        set(1).write(dir.path()).unwrap();
        assert_eq!(fs::read(dir.path().join("user.json")).unwrap(), set(1).files[0].bytes);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing else is left");
        assert_eq!(set(1).bytes(), set(1).files[0].bytes.len() as u64);
    }

    #[test]
    fn no_link_is_followed() {
        let dir = tempfile::tempdir().unwrap();
        let victim = dir.path().join("victim");
        fs::write(&victim, "as it was").unwrap();
        std::os::unix::fs::symlink(&victim, dir.path().join(".user.json.new")).unwrap();
        let set = DataSet { files: vec![MadeFile::make(&file(20), 3, 0)] };
        set.write(dir.path()).unwrap();
        assert_eq!(fs::read_to_string(&victim).unwrap(), "as it was");
        let path = dir.path().join("user.json");
        assert!(fs::symlink_metadata(&path).unwrap().is_file());
        assert_eq!(fs::read(&path).unwrap(), set.files[0].bytes);
    }

    #[test]
    fn tables_hold_keys_and_nothing_else() {
        let set = DataSet { files: vec![MadeFile::make(&file(20), 3, 0)] };
        let tables = set.tables();
        assert_eq!((tables.len(), tables[0].rows.len(), tables[0].pick), (1, 20, Pick::Random));
        assert!(tables[0].rows.iter().all(|row| !row[0].is_empty() && row[1..].iter().all(Vec::is_empty)));
        assert!(DataSet::default().tables().is_empty());
    }
}
