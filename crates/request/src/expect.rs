//! What a correct answer is.

use regex::bytes::{Regex, RegexBuilder};
use sha2::Digest as _;
use velo_load::StatusSet;
use velo_model::{Digest, Statuses};

/// As the load engine takes them.
pub(crate) fn status_set(statuses: &Statuses) -> StatusSet {
    let ranges = statuses.ranges().iter();
    ranges.fold(StatusSet::EMPTY, |set, (first, last)| set.and(StatusSet::range(*first, *last)))
}

/// The text that a hash makes of these slots.
pub fn digest_text(digest: &Digest, texts: &[impl AsRef<[u8]>]) -> String {
    let Digest::Sha512(of) = digest;
    hex(&sha2::Sha512::digest(of.render(texts)))
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// `N`, or `A..B` with both ends included.
///
/// # Errors
/// When it is something else; what was expected.
pub fn length(text: &str) -> Result<(usize, usize), String> {
    let (min, max) = text.split_once("..").unwrap_or((text, text));
    match (min.trim().parse(), max.trim().parse()) {
        (Ok(min), Ok(max)) if min <= max => Ok((min, max)),
        _ => Err("expected bytes, as in 13 or 10..2000".to_owned()),
    }
}

/// A regular expression over bytes.
///
/// # Errors
/// When it is none, or would take too much memory; what is wrong with it.
pub fn regex(text: &str) -> Result<Regex, String> {
    const MOST_BYTES: usize = 8 * 1024 * 1024;
    RegexBuilder::new(text).size_limit(MOST_BYTES).build().map_err(|error| {
        // The whole message draws the expression with a mark under it; its last line says what is wrong.
        let error = error.to_string();
        let last = error.lines().last().unwrap_or_default();
        format!("it is no regular expression: {}", last.trim_start_matches("error: "))
    })
}

/// 64 hexadecimal digits, in lower case.
///
/// # Errors
/// When it is something else; what was expected.
pub fn sha256(text: &str) -> Result<String, String> {
    if text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(text.to_ascii_lowercase());
    }
    Err("expected 64 hexadecimal digits, as sha256sum prints".to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn codes(text: &str) -> Vec<u16> {
        let statuses = Statuses::of(text).expect("statuses");
        let set = status_set(&statuses);
        assert!((0..1000).all(|code| statuses.contains(code) == set.contains(code)), "{text}");
        assert_eq!(Statuses::of(&String::from(statuses.clone())), Ok(statuses));
        (0..1000).filter(|&code| set.contains(code)).collect()
    }

    #[test]
    fn statuses_are_codes_classes_and_ranges() {
        assert_eq!(codes("200, 404"), [200, 404]);
        assert_eq!(codes("200-202,204"), [200, 201, 202, 204]);
        assert_eq!(codes("3xx").len(), 100);
        assert!(codes("2xx,5XX").contains(&599));
        for odd in ["", "2x", "1xx", "100", "600", "204-200", "200,", "ok", "2xx-3xx"] {
            assert!(Statuses::of(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn lengths_sums_and_expressions_are_read() {
        assert_eq!(length("13"), Ok((13, 13)));
        assert_eq!(length("0..20"), Ok((0, 20)));
        assert!(length("5..1").is_err() && length("x").is_err() && length("..5").is_err());
        let sum = sha256("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855").expect("a sum");
        assert_eq!(sha256(&sum.to_uppercase()), Ok(sum));
        assert!(sha256("e3b0").is_err() && sha256(&"\u{e9}".repeat(32)).is_err());
        assert!(regex("^\\d+$").expect("an expression").is_match(b"42"));
        assert!(regex("(").expect_err("unclosed").contains("unclosed group"));
        assert!(regex("(\\w{1000}){1000}").is_err(), "bounded memory");
    }

    proptest! {
        #[test]
        fn any_text_gets_an_answer(text in "[0-9x,.-]{0,12}|.{0,30}") {
            if let Ok(set) = Statuses::of(&text) {
                prop_assert!((200..600).any(|code| set.contains(code)));
            }
            if let Ok((min, max)) = length(&text) {
                prop_assert!(min <= max);
            }
            let _ = regex(&text);
        }
    }
}
