use std::collections::BTreeSet;

use crate::number::count;
use crate::text::clean;

/// Of names that had no room, so many are kept apart; what comes after them is only known to be there.
const MOST_KEPT: usize = 1_000;
/// So many are said.
const MOST_NAMED: usize = 10;

/// What a site has no room for.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    names: BTreeSet<String>,
    has_more: bool,
}

impl LeftOut {
    pub(super) fn add(&mut self, name: &str) {
        let name = clean(name);
        if self.names.len() < MOST_KEPT {
            self.names.insert(name);
        } else if !self.names.contains(&name) {
            self.has_more = true;
        }
    }

    /// `2 runs are left out, as a site has at most 500: a, b`; `None` when there was room for all.
    pub(super) fn sentence(&self, one: &str, many: &str, most: usize) -> Option<String> {
        let all = self.names.len();
        if all == 0 {
            return None;
        }
        let more = if self.has_more { "more than " } else { "" };
        let verb = if all == 1 { format!("{one} is") } else { format!("{many} are") };
        let named: Vec<&str> = self.names.iter().take(MOST_NAMED).map(String::as_str).collect();
        let rest = match all - named.len() {
            0 => String::new(),
            rest => format!(" and {more}{} others", count(rest as u64)),
        };
        Some(format!(
            "{more}{} {verb} left out, as a site has at most {most}: {}{rest}",
            count(all as u64),
            named.join(", ")
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_are_named() {
        let mut left_out = LeftOut::default();
        assert_eq!(left_out.sentence("run", "runs", 500), None);
        left_out.add("a\u{1b}[31m");
        assert_eq!(
            left_out.sentence("run", "runs", 500).unwrap(),
            "1 run is left out, as a site has at most 500: a"
        );
        for number in 0..12 {
            left_out.add(&format!("b{number:02}"));
        }
        let sentence = left_out.sentence("run", "runs", 500).unwrap();
        assert!(sentence.starts_with("13 runs are left out"), "{sentence}");
        assert!(
            sentence.ends_with(": a, b00, b01, b02, b03, b04, b05, b06, b07, b08 and 3 others"),
            "{sentence}"
        );
    }

    #[test]
    fn what_is_kept_has_an_end() {
        let mut left_out = LeftOut::default();
        for number in 0..MOST_KEPT + 5 {
            left_out.add(&number.to_string());
        }
        assert_eq!(left_out.names.len(), MOST_KEPT);
        let sentence = left_out.sentence("run", "runs", 500).unwrap();
        assert!(sentence.starts_with("more than 1,000 runs are left out"), "{sentence}");
    }
}
