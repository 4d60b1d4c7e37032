//! What a file may hold at most, told before anything of it is kept: a list of empty texts takes eight times as much memory
//! as its JSON, and an object that may hold anything eighty times.

use std::cell::Cell;
use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

/// Lists and objects whose key is not named below. Definitions, from which most of them come, have at most 1 MiB.
const MOST_OTHERS: usize = 4_096;
/// Members and items of all JSON that may be of any shape, in a whole `run.json`.
const MOST_FREE: usize = 100_000;
/// The same of a window's purpose, where most are the spans of a burst.
const MOST_OF_A_PURPOSE: usize = 10_000;
/// Items of all lists that are no objects, in a whole file: such as numbers and texts.
const MOST_ITEMS: usize = 2_000_000;

/// What the lists of a file hold at most, by the keys under which they stand, wherever that is.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Items of a list, or members of an object.
    lists: &'static [(&'static str, usize)],
    /// The largest number.
    numbers: &'static [(&'static str, u64)],
    /// The key of JSON that may be of any shape, and how many members and items all of it has at most.
    free: Option<(&'static str, usize)>,
}

/// The reference and 60 contenders, each with a twin, are 122.
const MOST_CONTENDERS: usize = 256;
const MOST_WORKLOADS: usize = 64;
/// A plan has at most 40, of response times 20 more.
const MOST_LAUNCHES: usize = 1_000;
const MOST_CPUS: usize = 4_096;
/// Each role is there once.
const MOST_PARTIES: usize = 16;
const MOST_CONNECTIONS: usize = 1_000_000;
/// The writer keeps 4.
const MOST_EXAMPLES: usize = 16;

impl Bounds {
    /// Of `run.json`.
    pub const RUN: Self = Self {
        lists: &[
            ("contenders", MOST_CONTENDERS),
            ("workloads", MOST_WORKLOADS),
            ("workload_hashes", MOST_WORKLOADS),
            ("launches", MOST_LAUNCHES),
            ("looks", MOST_LAUNCHES),
            // Each of a task's processes is one launch, on each workload.
            ("tasks", MOST_LAUNCHES * 4),
            ("iterations", 10_000),
            ("warm_up", MOST_WORKLOADS),
            ("cases", MOST_OTHERS),
            ("equal_work", MOST_CONTENDERS * MOST_WORKLOADS),
            ("wrong_examples", MOST_EXAMPLES),
            ("cpus_read_back", MOST_CPUS),
            ("parties", MOST_PARTIES),
            ("placement", MOST_PARTIES),
            ("conditions", 1_000),
        ],
        numbers: &[("launch", MOST_LAUNCHES as u64), ("launches", MOST_LAUNCHES as u64), ("blocks", 10_000)],
        free: Some(("value", MOST_FREE)),
    };

    /// Of a line of `windows.ndjson`.
    pub const WINDOW: Self = Self {
        lists: &[
            ("completions", MOST_CONNECTIONS),
            ("wrong_examples", MOST_EXAMPLES),
            ("cpu_by_process_ns", 64),
            ("parties", MOST_PARTIES),
            ("cpu_by_thread_ns", MOST_CPUS),
            ("others", 64),
            ("canary", MOST_CPUS),
            ("spans", 1_000),
        ],
        numbers: &[("launch", MOST_LAUNCHES as u64), ("block", 10_000)],
        // It is held once more until it is known which one it is.
        free: Some(("purpose", MOST_OF_A_PURPOSE)),
    };

    /// Of a line of `calls.ndjson`.
    pub const CALL: Self = Self {
        lists: &[("calls", 10_000), ("wrong_examples", MOST_EXAMPLES)],
        numbers: &[("launch", MOST_LAUNCHES as u64)],
        free: None,
    };

    /// Of the result of a load.
    pub const LOAD: Self = Self {
        lists: &[("completions", MOST_CONNECTIONS), ("examples", 64), ("generator_cpu_ns", MOST_CPUS)],
        numbers: &[],
        free: None,
    };

    /// Of a snapshot of a run.
    pub const SNAPSHOT: Self = Self {
        lists: &[
            ("contenders", MOST_CONTENDERS),
            ("workloads", MOST_WORKLOADS),
            ("series", MOST_CONTENDERS),
            ("points", MOST_CONTENDERS),
            ("launches", MOST_LAUNCHES * 4),
            ("log_over_reference", MOST_LAUNCHES * 4),
        ],
        numbers: &[],
        free: None,
    };

    /// Reads JSON without keeping anything.
    ///
    /// # Errors
    /// When it is no JSON, or a list, an object or a number is beyond its bound; the error names key, bound and line.
    pub fn check(&self, json: &[u8]) -> Result<(), serde_json::Error> {
        let found = Found::default();
        let mut reader = serde_json::Deserializer::from_slice(json);
        Walk { bounds: self, found: &found, key: None, place: Place::Member, is_free: false }
            .deserialize(&mut reader)?;
        reader.end()
    }
}

/// What has been met so far.
#[derive(Debug, Default)]
struct Found {
    items: Cell<usize>,
    free: Cell<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Member,
    Item,
}

/// A value under a key that has bounds (`None`: no such key), and all within it.
#[derive(Debug, Clone, Copy)]
struct Walk<'b> {
    bounds: &'b Bounds,
    found: &'b Found,
    key: Option<&'static str>,
    place: Place,
    is_free: bool,
}

/// A member's name: which of the bounds' keys it is.
struct Key<'b>(&'b Bounds);

impl Walk<'_> {
    fn within(self, key: Option<&'static str>, place: Place) -> Self {
        let starts_free = key.is_some() && key == self.bounds.free.map(|(key, _)| key);
        Self { key, place, is_free: self.is_free || starts_free, ..self }
    }

    /// Counts an item or a member of a list or object that has so many by now.
    fn count<E: de::Error>(self, count: usize, what: &str) -> Result<(), E> {
        let own = self.bounds.lists.iter().find(|(key, _)| Some(*key) == self.key);
        let most = own.map_or(MOST_OTHERS, |(_, most)| *most);
        if count > most {
            let whose = self.key.map_or_else(|| format!("{what} has"), |key| format!("`{key}` has"));
            return Err(E::custom(beyond(&format!("{whose} more than {most} items"))));
        }
        let free = self.found.free.get() + usize::from(self.is_free);
        self.found.free.set(free);
        match self.bounds.free {
            Some((key, most)) if free > most => {
                Err(E::custom(beyond(&format!("all `{key}` have more than {most} members"))))
            }
            _ => Ok(()),
        }
    }

    fn scalar<E: de::Error>(self) -> Result<(), E> {
        if self.place == Place::Member {
            return Ok(());
        }
        let items = self.found.items.get() + 1;
        self.found.items.set(items);
        if items > MOST_ITEMS {
            return Err(E::custom(beyond(&format!("all lists have more than {MOST_ITEMS} items"))));
        }
        Ok(())
    }
}

fn beyond(what: &str) -> String {
    format!("{what}: not a file that velo wrote")
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<(), E> {
        self.scalar()
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<(), E> {
        self.scalar()
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<(), E> {
        let bound = self.bounds.numbers.iter().find(|(key, _)| Some(*key) == self.key);
        if let Some((key, most)) = bound.filter(|(_, most)| number > *most && self.place == Place::Member) {
            return Err(E::custom(beyond(&format!("`{key}` is more than {most}"))));
        }
        self.scalar()
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<(), E> {
        self.scalar()
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<(), E> {
        self.scalar()
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        self.scalar()
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.scalar()?;
        let mut count = 0;
        while items.next_element_seed(self.within(None, Place::Item))?.is_some() {
            count += 1;
            self.count(count, "a list")?;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut count = 0;
        while let Some(key) = members.next_key_seed(Key(self.bounds))? {
            count += 1;
            self.count(count, "an object")?;
            members.next_value_seed(self.within(key, Place::Member))?;
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Option<&'static str>;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key<'_> {
    type Value = Option<&'static str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Self::Value, E> {
        let Bounds { lists, numbers, free } = self.0;
        let keys = lists
            .iter()
            .map(|(key, _)| *key)
            .chain(numbers.iter().map(|(key, _)| *key))
            .chain(free.map(|(key, _)| key));
        Ok(keys.into_iter().find(|key| *key == name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(bounds: Bounds, json: &str) -> String {
        bounds.check(json.as_bytes()).expect_err("it was within its bounds").to_string()
    }

    fn list(items: usize, item: &str) -> String {
        vec![item; items].join(",")
    }

    #[test]
    fn what_is_beyond_its_bound_is_named_with_its_line() {
        for (bounds, json, expected) in [
            (
                Bounds::WINDOW,
                format!("{{\n\"wrong_examples\": [{}]}}", list(17, "\"\"")),
                "`wrong_examples` has more than 16 items",
            ),
            (
                Bounds::WINDOW,
                format!("{{\"host\":\n{{\"canary\": [{}]}}}}", list(4_097, "0")),
                "`canary` has more than 4096 items",
            ),
            (Bounds::WINDOW, "{\"a\": 1,\n\"launch\": 1001}".to_owned(), "`launch` is more than 1000"),
            (Bounds::RUN, format!("{{\"a\":\n[{}]}}", list(4_097, "0")), "a list has more than 4096 items"),
            (
                Bounds::RUN,
                format!("{{\"contenders\":\n[{}]}}", list(257, "{}")),
                "`contenders` has more than 256 items",
            ),
            (Bounds::RUN, "{\"plan\":\n{\"launches\": 1001}}".to_owned(), "`launches` is more than 1000"),
        ] {
            let error = bounds.check(json.as_bytes()).expect_err("it was within its bounds");
            assert!(
                error.to_string().starts_with(&format!("{expected}: not a file that velo wrote")),
                "{error}"
            );
            assert_eq!(error.line(), 2, "{error}");
        }
    }

    #[test]
    fn what_is_at_its_bound_is_not_refused() {
        for json in [
            format!("{{\"wrong_examples\": [{}]}}", list(16, "\"\"")),
            "{\"launch\": 1000, \"block\": 10000, \"duration_ns\": 18446744073709551615}".to_owned(),
            // As an item it is no launch.
            "{\"launch\": [5000]}".to_owned(),
            "null".to_owned(),
        ] {
            Bounds::WINDOW.check(json.as_bytes()).expect("within its bounds");
        }
    }

    #[test]
    fn lists_within_lists_are_counted_together() {
        let row = format!("[{}]", list(4_000, "0"));
        let json = format!("[{}]", list(501, &row));
        assert!(refused(Bounds::RUN, &json).starts_with("all lists have more than 2000000 items"));
        let free = format!("{{\"value\": [{}]}}", list(30, &format!("[{}]", list(4_000, "{\"a\":0}"))));
        assert!(refused(Bounds::RUN, &free).starts_with("all `value` have more than 100000 members"));
    }

    #[test]
    fn what_is_no_json_is_told_as_before() {
        for json in ["", "{", "{\"a\" 1}", "[1,]", "1 2", &"[".repeat(1_000)] {
            let own = refused(Bounds::RUN, json);
            let expected = serde_json::from_str::<serde_json::Value>(json).unwrap_err().to_string();
            assert_eq!(own, expected);
        }
    }
}
