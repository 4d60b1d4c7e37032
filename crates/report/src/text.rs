//! Text from outside, made fit to print, and broken into lines.

use unicode_width::UnicodeWidthChar;

/// No reason is worth more columns than this; the whole story is in a log.
const LONGEST: usize = 600;

/// Text from outside in one line: without escape sequences, control characters, and characters that are not seen
/// (joiners, marks that turn the direction of writing).
pub(crate) fn clean(text: &str) -> String {
    let stripped = anstream::adapter::strip_str(text).to_string();
    let mut line = String::new();
    let mut columns = 0;
    for found in stripped.trim().chars() {
        let shown = match found {
            c if c.is_whitespace() => ' ',
            c if c.is_control() => '?',
            c => c,
        };
        columns += match shown.width() {
            Some(width) if width > 0 => width,
            _ => continue,
        };
        if columns > LONGEST {
            line.push_str("...");
            break;
        }
        line.push(shown);
    }
    line
}

/// The columns that cleaned text takes.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().filter_map(UnicodeWidthChar::width).sum()
}

/// Breaks cleaned text into lines of at most `width` columns, between words where that is possible.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    // A wide character needs two.
    let width = width.max(2);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let gap = usize::from(!line.is_empty());
        if columns(&line) + gap + columns(word) <= width {
            line.push_str(&" ".repeat(gap));
            line.push_str(word);
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for letter in word.chars() {
            if columns(&line) + letter.width().unwrap_or(0) > width {
                lines.push(std::mem::take(&mut line));
            }
            line.push(letter);
        }
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escapes_and_controls_do_not_reach_the_reader() {
        assert_eq!(clean("\x1b[31mred\x1b[0m\talert\r\n"), "red alert");
        assert_eq!(clean("a\u{7}b\u{0}c"), "abc", "dropped with the escapes");
        assert_eq!(clean("right\u{202e}left\u{200b}"), "rightleft");
        assert_eq!(clean("\u{2028}two\u{85}lines"), "two lines");
        assert_eq!(clean("testa o croce, però"), "testa o croce, però");
    }

    #[test]
    fn long_text_ends() {
        let long = clean(&"x".repeat(10_000));
        assert_eq!(long.len(), LONGEST + 3);
    }

    #[test]
    fn words_are_kept_whole_where_they_fit() {
        assert_eq!(wrap("the generator was busy", 13), ["the generator", "was busy"]);
        assert_eq!(wrap("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrap("", 10), [""]);
        assert_eq!(wrap("漢字漢字", 5), ["漢字", "漢字"]);
    }

    proptest! {
        #[test]
        fn cleaned_text_is_safe_and_wraps_within_the_width(text in any::<String>(), width in 2usize..90) {
            let cleaned = clean(&text);
            prop_assert!(!cleaned.chars().any(char::is_control));
            let lines = wrap(&cleaned, width);
            prop_assert!(lines.iter().all(|line| unicode_width::UnicodeWidthStr::width(line.as_str()) <= width));
            let letters = |text: &str| text.chars().filter(|c| *c != ' ').collect::<String>();
            prop_assert_eq!(letters(&lines.concat()), letters(&cleaned), "nothing is lost");
        }
    }
}
