//! Names of files, made from names of others.

use std::collections::BTreeSet;

/// A file's name may have 255 bytes; ends and numbers come on top of these.
const LONGEST: usize = 80;

/// Names of files of which each is given out once. They hold `a-z`, `0-9`, `.` and `-` alone and neither begin nor end with a
/// sign, so that none is hidden, leads upwards, or differs from another one in nothing but the case of its letters.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// A name like this one; with a number behind it where that is taken already. `fallback`: what a name without a usable
    /// letter is called.
    pub(super) fn take(&mut self, name: &str, fallback: &'static str) -> String {
        let base = match clean(name) {
            empty if empty.is_empty() => fallback.to_owned(),
            base => base,
        };
        let numbered = (2_u64..).map(|number| format!("{base}-{number}"));
        let mut free =
            std::iter::once(base.clone()).chain(numbered).filter(|name| !self.taken.contains(name));
        // OK because there are more numbers than names.
        let name = free.next().expect("a number that is not taken");
        self.taken.insert(name.clone());
        name
    }
}

fn clean(name: &str) -> String {
    let mut clean = String::new();
    for found in name.chars() {
        match found.to_ascii_lowercase() {
            kept @ ('a'..='z' | '0'..='9' | '.') => clean.push(kept),
            _ if clean.ends_with('-') => {}
            _ => clean.push('-'),
        }
        if clean.len() >= LONGEST {
            break;
        }
    }
    clean.trim_matches(['.', '-']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_are_kept_where_they_can_be() {
        let mut names = Names::default();
        let mut take = |name: &str| names.take(name, "run");
        assert_eq!(take("2026-11-21T10-31-02-myhost"), "2026-11-21t10-31-02-myhost");
        assert_eq!(take("../../etc/passwd"), "etc-passwd");
        assert_eq!(take("<script>"), "script");
        assert_eq!(take(".hidden"), "hidden");
        for (nothing, name) in [("", "run"), ("..", "run-2"), ("漢字", "run-3"), ("-", "run-4")] {
            assert_eq!(take(nothing), name);
        }
        assert_eq!(take("Void"), "void");
        assert_eq!(take("void"), "void-2");
        assert_eq!(take("void-2"), "void-2-2");
        assert_eq!(take(&"x".repeat(10_000)).len(), LONGEST);
    }

    proptest! {
        #[test]
        fn every_name_is_a_plain_one_and_given_once(texts in prop::collection::vec(any::<String>(), 1..20)) {
            let mut names = Names::default();
            let taken: Vec<String> = texts.iter().map(|text| names.take(text, "run")).collect();
            for name in &taken {
                let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '.' || c == '-';
                prop_assert!(!name.is_empty() && name.chars().all(is_plain), "{name}");
                prop_assert!(!name.starts_with(['.', '-']) && !name.ends_with(['.', '-']), "{name}");
            }
            prop_assert_eq!(taken.iter().collect::<BTreeSet<_>>().len(), taken.len());
        }
    }
}
