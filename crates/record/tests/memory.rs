//! Whatever a run's files hold, reading them takes memory in proportion to their length. All of it is in one test, because the
//! allocator that counts is that of the whole process.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs;
use std::io::{self, Read as _};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use common::{run_file, window};
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use tar::{Builder, EntryType, Header};
use tempfile::NamedTempFile;
use velo_record::{read_archive, read_run};

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all is left to the system's allocator; what is counted beside it is no part of the memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(now, Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// A list of this many of these.
fn list(item: &str, items: usize) -> String {
    format!("[{}]", vec![item; items].join(","))
}

/// What small text can make: an item of a list, or a list of lists.
fn items() -> impl Strategy<Value = String> {
    let item = prop::sample::select(vec!["0", "\"\"", "{}", "[]", "null", "{\"a\":0}", "[[[]]]"]);
    let length = prop_oneof![Just(20_usize), Just(5_000), Just(300_000)];
    let lists = (item.clone(), length.clone()).prop_map(|(item, length)| list(item, length));
    let nested =
        (item, 1..4_000_usize, 1..80_usize).prop_map(|(item, inner, outer)| list(&list(item, inner), outer));
    prop_oneof![lists, nested]
}

/// JSON in which one member, found by counting, is this text.
fn with(document: &Value, place: usize, text: &str) -> String {
    const MARK: &str = "put it here";
    fn members(value: &mut Value, left: &mut usize) -> bool {
        let inner: Vec<&mut Value> = match value {
            Value::Object(map) => map.values_mut().collect(),
            Value::Array(list) => list.iter_mut().collect(),
            _ => return false,
        };
        for value in inner {
            if *left == 0 {
                *value = json!(MARK);
                return true;
            }
            *left -= 1;
            if members(value, left) {
                return true;
            }
        }
        false
    }
    let mut document = document.clone();
    assert!(members(&mut document, &mut { place }), "a member");
    document.to_string().replace(&format!("\"{MARK}\""), text)
}

fn members(value: &Value) -> usize {
    match value {
        Value::Object(map) => map.values().map(|value| 1 + members(value)).sum(),
        Value::Array(list) => list.iter().map(|value| 1 + members(value)).sum(),
        _ => 0,
    }
}

/// The most memory that reading takes beside what was there before.
fn peak_of_reading(run: &str, windows: &str) -> usize {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("run.json"), run).expect("a file");
    fs::write(dir.path().join("windows.ndjson"), windows).expect("a file");
    let before = NOW.load(Relaxed);
    PEAK.store(before, Relaxed);
    let read = read_run(dir.path());
    let peak = PEAK.load(Relaxed) - before;
    drop(read);
    peak
}

#[test]
fn reading_takes_memory_in_proportion_to_what_is_read() {
    const MIB: usize = 1 << 20;
    let file = serde_json::to_value(run_file()).expect("JSON");
    let line = serde_json::to_value(window(1, 1)).expect("JSON");
    let good = (file.to_string(), format!("{line}\n"));
    let usual = peak_of_reading(&good.0, &good.1);
    assert!(usual > good.0.len() && usual < MIB, "{usual} bytes: the measure works");

    let mut runner = TestRunner::new(ProptestConfig::with_cases(40));
    let inputs = (any::<prop::sample::Index>(), any::<bool>(), items());
    let tried = runner.run(&inputs, |(place, in_windows, text)| {
        let (peak, length, most) = if in_windows {
            let line = with(&line, place.index(members(&line)), &text);
            let windows = format!("{line}\n").repeat(3);
            // A line that is refused has been held once, and a purpose once more until it is known which it is.
            (peak_of_reading(&good.0, &windows), windows.len(), 4 * windows.len() + 4 * MIB)
        } else {
            let run = with(&file, place.index(members(&file)), &text);
            // JSON of any shape may have 100,000 members, each in a map of its own.
            (peak_of_reading(&run, &good.1), run.len(), 4 * run.len() + 80 * MIB)
        };
        prop_assert!(peak <= most, "{} bytes of {}", peak, length);
        Ok(())
    });
    tried.unwrap_or_else(|error| panic!("{error}"));

    // Lists in lists are dearest where a reader holds a value until it knows what it is.
    let nested = list(&list("[[[]]]", 10), 2_000);
    for place in 0..members(&line) {
        let windows = format!("{}\n", with(&line, place, &nested));
        let peak = peak_of_reading(&good.0, &windows);
        assert!(peak < 4 * windows.len() + 2 * MIB, "{peak} bytes of {}: member {place}", windows.len());
    }

    // The worst that was found by hand: each takes far more without bounds.
    let texts = format!("{}\n", with(&line, place_of(&line, "wrong_examples"), &list("\"\"", 1_000_000)));
    let peak = peak_of_reading(&good.0, &texts);
    assert!(peak < 4 * texts.len() + 2 * MIB, "{peak} bytes of {}", texts.len());
    let purposes =
        format!("{}\n", with(&line, place_of(&line, "purpose"), &list(&list("{\"a\":0}", 4_000), 250)));
    let peak = peak_of_reading(&good.0, &purposes);
    assert!(peak < 2 * purposes.len() + 2 * MIB, "{peak} bytes of {}", purposes.len());
    let objects = with(&file, place_of(&file, "value"), &list(&list("{\"a\":0}", 4_000), 250));
    let peak = peak_of_reading(&objects, &good.1);
    assert!(peak < 4 * objects.len() + 80 * MIB, "{peak} bytes of {}", objects.len());

    // What is small only as long as it is packed.
    for (path, kind) in [
        ("r/windows.ndjson", EntryType::Regular),
        ("r/windows.ndjson", EntryType::GNULongName),
        ("r/windows.ndjson", EntryType::XHeader),
        ("r/other", EntryType::Regular),
    ] {
        let peak = peak_of_unpacking(path, kind, 32 * MIB as u64);
        assert!(peak < 16 * MIB, "{peak} bytes of {path}, {kind:?}");
    }
}

/// The most memory that reading an archive takes that holds such a file of zeros, of so many bytes.
fn peak_of_unpacking(path: &str, kind: EntryType, bytes: u64) -> usize {
    let packed = NamedTempFile::new().expect("a file");
    let mut tar = Builder::new(GzEncoder::new(packed.as_file(), Compression::fast()));
    for (path, kind, bytes) in [("r/SHA256SUMS", EntryType::Regular, 0), (path, kind, bytes)] {
        let mut header = Header::new_gnu();
        header.set_path(path).expect("a path");
        header.set_entry_type(kind);
        header.set_size(bytes);
        header.set_cksum();
        tar.append(&header, io::repeat(0).take(bytes)).expect("a member");
    }
    tar.into_inner().and_then(GzEncoder::finish).expect("an archive");
    let before = NOW.load(Relaxed);
    PEAK.store(before, Relaxed);
    let read = read_archive(packed.path());
    let peak = PEAK.load(Relaxed) - before;
    assert!(read.is_err());
    peak
}

/// Which member, counted as [`with`] does, is the first of this name.
fn place_of(document: &Value, name: &str) -> usize {
    fn find(value: &Value, name: &str, place: &mut usize) -> bool {
        let inner: Vec<(&str, &Value)> = match value {
            Value::Object(map) => map.iter().map(|(key, value)| (key.as_str(), value)).collect(),
            Value::Array(list) => list.iter().map(|value| ("", value)).collect(),
            _ => return false,
        };
        for (key, value) in inner {
            if key == name {
                return true;
            }
            *place += 1;
            if find(value, name, place) {
                return true;
            }
        }
        false
    }
    let mut place = 0;
    assert!(find(document, name, &mut place), "{name}");
    place
}
