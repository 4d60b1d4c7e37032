//! Bytes from outside for people: short, on one line, without control characters.

/// The most bytes that are shown.
const MOST_BYTES: usize = 80;
/// The most characters of a text that are shown.
const MOST_CHARS: usize = 160;

/// The start of some bytes, quoted.
pub(crate) fn show(bytes: &[u8]) -> String {
    show_most(bytes, MOST_BYTES)
}

/// The start of some bytes, at most so many, quoted.
pub(crate) fn show_most(bytes: &[u8], most: usize) -> String {
    let start = &bytes[..bytes.len().min(most)];
    let dots = if start.len() < bytes.len() { "..." } else { "" };
    format!("{:?}{dots}", String::from_utf8_lossy(start))
}

/// The start of a text as it is, but for what cannot be printed.
pub(crate) fn plain(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text.chars();
    for c in rest.by_ref().take(MOST_CHARS) {
        if matches!(c, '"' | '\'' | '\\') {
            shown.push(c);
        } else {
            shown.extend(c.escape_debug());
        }
    }
    if rest.next().is_some() {
        shown.push_str("...");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_one_short_line() {
        assert_eq!(show(b"{\"a\": 1}\r\n\x1b[2J"), r#""{\"a\": 1}\r\n\u{1b}[2J""#);
        assert_eq!(show(&[b'x'; 81]), format!("\"{}\"...", "x".repeat(80)));
        assert_eq!(show(&[0xff, b'a']), "\"\u{fffd}a\"");
        assert_eq!(plain("expected \"true\" or 'x\\y'"), "expected \"true\" or 'x\\y'");
        assert_eq!(plain("a\nb\u{202e}c"), "a\\nb\\u{202e}c");
        assert_eq!(plain(&"x".repeat(161)), format!("{}...", "x".repeat(160)));
    }
}
