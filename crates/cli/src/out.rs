//! Results go to standard output, talk to standard error.

use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write};

/// Writes a result. A reader that has gone away (`velo list | head -1`) is no error.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    // What a program reads is left as it is.
    let is_terminal = io::stdout().is_terminal();
    let text = if is_terminal { velo_report::visible(text) } else { Cow::Borrowed(text) };
    let text = for_locale(&text, is_terminal);
    let mut stdout = anstream::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Says something that is no result.
pub(crate) fn talk(text: &str) {
    let text = velo_report::visible(text);
    let text = for_locale(&text, io::stderr().is_terminal());
    // Nobody can be told that nobody can be told.
    let _ = anstream::stderr().write_all(text.as_bytes());
}

/// Whether standard error is a terminal on which a line can be drawn again.
pub(crate) fn talks_to_terminal() -> bool {
    io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// The columns of the terminal that is talked to; 80 where there is none.
pub(crate) fn width() -> usize {
    let columns = console::Term::stderr().size_checked().map_or(80, |(_, columns)| usize::from(columns));
    columns.max(40)
}

/// Whether text on standard error may have colours.
pub(crate) fn talks_in_colour() -> bool {
    anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never
}

/// Text as the terminal's locale has it, without characters that are not seen.
pub(crate) fn for_terminal(text: &str) -> String {
    for_locale(&velo_report::visible(text), true).into_owned()
}

/// A terminal shows what its locale has; files and pipes are always UTF-8.
fn for_locale(text: &str, is_terminal: bool) -> Cow<'_, str> {
    if is_terminal && !is_utf8(|name| std::env::var(name).ok()) { ascii(text) } else { Cow::Borrowed(text) }
}

/// The first of the three that is set decides, as in POSIX; without any, a terminal of today is UTF-8.
fn is_utf8(variable: impl Fn(&str) -> Option<String>) -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(variable).find(|value| !value.is_empty());
    set.is_none_or(|value| {
        let value = value.to_ascii_lowercase();
        value.contains("utf-8") || value.contains("utf8")
    })
}

/// Each sign takes the columns that it took before, so that tables stay as they are.
fn ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let signs = [
        ("▁", "_"),
        ("▂", "."),
        ("▃", "."),
        ("▄", "-"),
        ("▅", "-"),
        ("▆", "="),
        ("▇", "="),
        ("▉", "#"),
        ("▊", "#"),
        ("▋", "#"),
        ("▍", "|"),
        ("▎", "|"),
        ("± ", "+-"),
        ("±", "+"),
        ("≥ ", ">="),
        ("≤ ", "<="),
        ("µ", "u"),
        ("×", "x"),
        ("·", "-"),
        ("−", "-"),
        ("█", "#"),
        ("▌", "#"),
        ("▏", "|"),
    ];
    Cow::Owned(signs.into_iter().fold(text.to_owned(), |text, (sign, plain)| text.replace(sign, plain)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_that_is_set_names_the_locale() {
        let is_utf8 = |set: &[(&str, &str)]| {
            is_utf8(|name| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
        };
        assert!(is_utf8(&[]));
        assert!(is_utf8(&[("LANG", "de_DE.UTF-8")]) && is_utf8(&[("LANG", "C.utf8"), ("LC_ALL", "")]));
        assert!(!is_utf8(&[("LANG", "C")]) && !is_utf8(&[("LC_ALL", "POSIX"), ("LANG", "C.UTF-8")]));
        assert!(!is_utf8(&[("LC_CTYPE", "en_US.ISO-8859-1"), ("LANG", "C.UTF-8")]));
    }

    #[test]
    fn signs_keep_their_width_in_ascii() {
        let text = "48,000 ± 0.7 %  ≥ 196,000  20.5 µs  1.07×";
        let plain = ascii(text);
        assert_eq!(plain, "48,000 +-0.7 %  >=196,000  20.5 us  1.07x");
        assert_eq!(plain.chars().count(), text.chars().count());
        let bars = ascii("▁▂▃▄▅▆▇█ ▏▎▍▌▋▊▉█ ·");
        assert_eq!(bars, "_..--==# |||##### -");
        assert!(matches!(ascii("no signs"), Cow::Borrowed(_)));
    }
}
