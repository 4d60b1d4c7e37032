//! Which part of a file is asked for, and whether the client has it already (RFC 9110, sections 8.8, 13 and 14).

use std::fs::Metadata;
use std::io;
use std::ops::Range;

use jiff::Timestamp;
use jiff::fmt::rfc2822::{DateTimeParser, DateTimePrinter};

/// What a request says of parts and of what the client has; what is absent or not text is `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Conditions {
    pub(crate) range: Option<String>,
    pub(crate) if_range: Option<String>,
    pub(crate) if_none_match: Option<String>,
    pub(crate) if_modified_since: Option<String>,
}

/// How a client tells one version of a file from another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    /// With its quotation marks.
    etag: String,
    modified: Timestamp,
    /// `modified` as a header has it.
    last_modified: String,
}

/// What is to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// All of it: 200.
    Whole,
    /// So much of it: 206.
    Part(Range<u64>),
    /// The client has it: 304.
    NotModified,
    /// The file has no such part: 416.
    Unsatisfiable,
}

impl Version {
    /// Of a file as it is, or of one that is to seem changed.
    pub(crate) fn of(metadata: &Metadata, is_changed: bool) -> io::Result<Self> {
        let modified = Timestamp::try_from(metadata.modified()?).map_err(io::Error::other)?;
        let (of_time, length) = (modified.as_nanosecond(), metadata.len());
        let changed = if is_changed { "-changed" } else { "" };
        let seconds = modified.as_second() + i64::from(is_changed);
        let modified = Timestamp::from_second(seconds).map_err(io::Error::other)?;
        let printed = DateTimePrinter::new().timestamp_to_rfc9110_string(&modified);
        let last_modified = printed.map_err(io::Error::other)?;
        Ok(Self { etag: format!("\"{of_time:x}-{length:x}{changed}\""), modified, last_modified })
    }

    /// The lines of a head that name it.
    pub(crate) fn lines(&self) -> String {
        format!("ETag: {}\r\nLast-Modified: {}\r\nAccept-Ranges: bytes\r\n", self.etag, self.last_modified)
    }

    /// What a request is to get of this version, which has so many bytes.
    pub(crate) fn wanted(&self, asked: &Conditions, length: u64) -> Wanted {
        if self.is_had(asked) {
            return Wanted::NotModified;
        }
        let is_of_this =
            asked.if_range.as_ref().is_none_or(|of| *of == self.etag || *of == self.last_modified);
        match asked.range.as_deref().filter(|_| is_of_this).and_then(first_and_last) {
            None => Wanted::Whole,
            Some(asked) => part(asked, length).map_or(Wanted::Unsatisfiable, Wanted::Part),
        }
    }

    fn is_had(&self, asked: &Conditions) -> bool {
        if let Some(tags) = &asked.if_none_match {
            let tag = |tag: &str| tag.strip_prefix("W/").unwrap_or(tag) == self.etag;
            return tags.trim() == "*" || tags.split(',').any(|one| tag(one.trim()));
        }
        let since = asked.if_modified_since.as_deref();
        let since = since.and_then(|since| DateTimeParser::new().parse_timestamp(since).ok());
        since.is_some_and(|since| self.modified.as_second() <= since.as_second())
    }
}

/// `bytes=FIRST-LAST`, of which one may be absent. `None`: no range that is known, or several, which a server may answer as if
/// nothing had been asked.
fn first_and_last(range: &str) -> Option<(Option<u64>, Option<u64>)> {
    let (unit, range) = range.split_once('=')?;
    let (first, last) = range.trim().split_once('-')?;
    let number = |digits: &str| -> Option<Option<u64>> {
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        // More than any file has is as good as the greatest number.
        is_number.then(|| (!digits.is_empty()).then(|| digits.parse().unwrap_or(u64::MAX)))
    };
    let (first, last) = (number(first)?, number(last)?);
    let is_range = match (first, last) {
        (Some(first), Some(last)) => first <= last,
        (None, None) => false,
        _ => true,
    };
    (unit.trim().eq_ignore_ascii_case("bytes") && is_range).then_some((first, last))
}

/// The bytes of a file of this length; `None` where it has none of them.
fn part((first, last): (Option<u64>, Option<u64>), length: u64) -> Option<Range<u64>> {
    let part = match (first, last) {
        (Some(first), last) => first..last.map_or(length, |last| last.saturating_add(1).min(length)),
        (None, last) => length.saturating_sub(last.unwrap_or(0))..length,
    };
    (part.start < part.end).then_some(part)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn version() -> (tempfile::NamedTempFile, Version) {
        let file = tempfile::NamedTempFile::new().unwrap();
        let version = Version::of(&file.as_file().metadata().unwrap(), false).unwrap();
        (file, version)
    }

    fn ranged(range: &str) -> Conditions {
        Conditions { range: Some(range.to_owned()), ..Conditions::default() }
    }

    #[test]
    fn a_range_is_a_part_the_whole_or_nothing() {
        let (_file, version) = version();
        let of = |range: &str| version.wanted(&ranged(range), 1_000);
        assert_eq!(of("bytes=0-99"), Wanted::Part(0..100));
        assert_eq!(of("Bytes = 999-"), Wanted::Part(999..1_000));
        assert_eq!(of("bytes=500-99999999999999999999999"), Wanted::Part(500..1_000));
        assert_eq!(of("bytes=-1"), Wanted::Part(999..1_000));
        assert_eq!(of("bytes=-5000"), Wanted::Part(0..1_000));
        for none in ["bytes=1000-", "bytes=-0", "bytes=5000-6000"] {
            assert_eq!(of(none), Wanted::Unsatisfiable, "{none}");
        }
        for other in
            ["bytes=5-1", "bytes=-", "bytes=a-b", "bytes=+1-2", "lines=0-1", "bytes", "bytes=0-1,5-6"]
        {
            assert_eq!(of(other), Wanted::Whole, "{other}");
        }
        assert_eq!(version.wanted(&ranged("bytes=0-"), 0), Wanted::Unsatisfiable, "an empty file");
    }

    #[test]
    fn a_part_is_of_the_version_that_was_meant() {
        let (file, version) = version();
        let of = |if_range: &str| {
            let asked = Conditions { if_range: Some(if_range.to_owned()), ..ranged("bytes=5-") };
            version.wanted(&asked, 10)
        };
        assert_eq!(of(&version.etag), Wanted::Part(5..10));
        assert_eq!(of(&version.last_modified), Wanted::Part(5..10));
        let changed = Version::of(&file.as_file().metadata().unwrap(), true).unwrap();
        assert_eq!(of(&changed.etag), Wanted::Whole);
        assert_eq!(of(&changed.last_modified), Wanted::Whole);
        assert_eq!(of(&format!("W/{}", version.etag)), Wanted::Whole, "a weak one is for no part");
    }

    #[test]
    fn what_the_client_has_is_not_sent_again() {
        let (file, version) = version();
        let has = |if_none_match: Option<&str>, if_modified_since: Option<&str>| {
            let text = |value: Option<&str>| value.map(str::to_owned);
            let (if_none_match, if_modified_since) = (text(if_none_match), text(if_modified_since));
            let asked = Conditions { if_none_match, if_modified_since, ..Conditions::default() };
            version.wanted(&asked, 10) == Wanted::NotModified
        };
        assert!(has(Some(&version.etag), None) && has(Some("*"), None));
        assert!(has(Some(&format!("\"a\", W/{}", version.etag)), None));
        assert!(has(None, Some(&version.last_modified)));
        let changed = Version::of(&file.as_file().metadata().unwrap(), true).unwrap();
        assert!(!has(Some(&changed.etag), Some(&version.last_modified)), "the tag decides");
        assert!(!has(None, Some("Thu, 01 Jan 1970 00:00:00 GMT")) && !has(None, Some("yesterday")));
    }

    proptest! {
        #[test]
        fn a_part_lies_within_the_file(range in "(bytes=)?[0-9-]{0,24}|.{0,30}", length in 0..3_000_u64) {
            let (_file, version) = version();
            if let Wanted::Part(part) = version.wanted(&ranged(&range), length) {
                prop_assert!(part.start < part.end && part.end <= length);
            }
        }
    }
}
