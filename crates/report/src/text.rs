//! Text from outside, made fit to print, and broken into lines.

use std::borrow::Cow;

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
    // What was blank only beside characters that are not seen.
    line.trim().to_owned()
}

/// Text of several lines without characters that are not seen (joiners, marks that turn the direction of writing). Line ends and
/// escape sequences stay: what this is for has dealt with those of others.
pub fn visible(text: &str) -> Cow<'_, str> {
    let is_seen = |c: char| c.is_control() || c.width().is_some_and(|width| width > 0);
    if text.chars().all(is_seen) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|&c| is_seen(c)).collect())
}

/// The columns that cleaned text takes.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().filter_map(UnicodeWidthChar::width).sum()
}

/// Cleaned text in at most so many columns; where that is not all of it, it ends in three dots. At least four.
pub(crate) fn cut(text: &str, most: usize) -> String {
    const DOTS: &str = "...";
    if columns(text) <= most {
        return text.to_owned();
    }
    let mut kept = String::new();
    for letter in text.chars() {
        if columns(&kept) + letter.width().unwrap_or(0) + DOTS.len() > most.max(DOTS.len() + 1) {
            break;
        }
        kept.push(letter);
    }
    format!("{}{DOTS}", kept.trim_end())
}

/// The same for a name, of which the end may tell more than the middle: `language/cont...name-12`.
pub(crate) fn cut_in_the_middle(name: &str, most: usize) -> String {
    const DOTS: &str = "...";
    if columns(name) <= most {
        return name.to_owned();
    }
    let room = most.saturating_sub(DOTS.len()).max(2);
    let take = |letters: &mut dyn Iterator<Item = char>, room: usize| -> Vec<char> {
        let mut taken = 0;
        let fits = |letter: &char| {
            taken += letter.width().unwrap_or(0);
            taken <= room
        };
        letters.take_while(fits).collect()
    };
    let front = take(&mut name.chars(), room.div_ceil(2));
    let mut back = take(&mut name.chars().rev(), room / 2);
    back.reverse();
    front.into_iter().chain(DOTS.chars()).chain(back).collect()
}

/// Breaks cleaned text into lines of at most `width` columns, between words where that is possible.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    // A wide character needs two.
    let width = width.max(2);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in unbroken(text) {
        let gap = usize::from(!line.is_empty());
        if columns(&line) + gap + columns(&word) <= width {
            line.push_str(&" ".repeat(gap));
            line.push_str(&word);
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

/// Words, with a number and its sign of per cent as one, and so `±` and what follows it.
fn unbroken(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match words.last_mut() {
            Some(last)
                if last.ends_with('±')
                    || (word.starts_with('%') && last.ends_with(|c: char| c.is_ascii_digit())) =>
            {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

/// Adds a text so that it can neither end an attribute's value nor begin a tag or a reference. Control characters have no
/// place in a document, and XML has no way to write them: they are left out.
pub(crate) fn escape(text: &str, escaped: &mut String) {
    for found in text.chars() {
        match found {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => {}
            c if c.is_control() => {}
            _ => escaped.push(found),
        }
    }
}

/// With a capital letter at its beginning.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_number_stays_with_its_signs() {
        assert_eq!(wrap("law within 0.0 %; more", 14), ["law within", "0.0 %; more"]);
        assert_eq!(wrap("about 48,000 ± 0.7 % of", 14), ["about 48,000", "± 0.7 % of"]);
        assert_eq!(wrap("% and ± alone", 80), ["% and ± alone"]);
    }

    #[test]
    fn escapes_and_controls_do_not_reach_the_reader() {
        assert_eq!(clean("\x1b[31mred\x1b[0m\talert\r\n"), "red alert");
        assert_eq!(clean("a\u{7}b\u{0}c"), "abc", "dropped with the escapes");
        assert_eq!(clean("right\u{202e}left\u{200b}"), "rightleft");
        assert_eq!(clean("\u{2028}two\u{85}lines"), "two lines");
        assert_eq!(clean("\u{200b} blank beside \u{200b}"), "blank beside");
        assert_eq!(clean("testa o croce, però"), "testa o croce, però");
    }

    #[test]
    fn what_is_not_seen_is_left_out_of_many_lines() {
        assert_eq!(visible("a\u{202e}b\n\u{200b}\x1b[1mc\td\x1b[0m\n"), "ab\n\x1b[1mc\td\x1b[0m\n");
        assert!(matches!(visible("però\n"), Cow::Borrowed(_)));
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

    #[test]
    fn what_is_too_long_is_cut() {
        assert_eq!(cut("go/net-http", 11), "go/net-http");
        assert_eq!(cut("go/net-http", 10), "go/net-...");
        assert_eq!(cut("the generator", 7), "the...");
        assert_eq!(cut("漢字漢字", 7), "漢字...");
        assert_eq!(cut("abcdefgh", 0), "a...");
        assert_eq!(cut_in_the_middle("go/net-http", 11), "go/net-http");
        assert_eq!(cut_in_the_middle("language/contender-12", 12), "langu...r-12");
        assert_eq!(cut_in_the_middle("漢字漢字漢字", 9), "漢...字");
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
