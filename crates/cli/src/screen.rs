//! Lines at the end of a terminal that are drawn again in place.

use std::io::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use console::{Term, measure_text_width};

use crate::out;

/// Columns that stay free at the right: none wraps when the terminal writes `^C` behind the last line.
const MARGIN: usize = 3;

/// The lines drawn last, on standard error, which is a terminal. The cursor stays behind them.
#[derive(Debug)]
pub(crate) struct Screen {
    term: Term,
    drawn: Mutex<Drawn>,
}

#[derive(Debug, Default)]
struct Drawn {
    /// The columns of each line.
    columns: Vec<usize>,
    is_closed: bool,
}

impl Screen {
    /// Nothing is drawn yet.
    pub(crate) fn new() -> Self {
        Self { term: Term::stderr(), drawn: Mutex::default() }
    }

    /// The columns and lines that there is room for; none in a terminal that is too small for any.
    pub(crate) fn room(&self) -> Option<(usize, usize)> {
        let (lines, columns) = self.term.size_checked().map_or((24, 80), |(lines, columns)| {
            // Where it is not known, both are 0.
            if lines == 0 || columns == 0 { (24, 80) } else { (usize::from(lines), usize::from(columns)) }
        });
        // The plan above stays in sight as far as it can.
        (columns >= 20 && lines >= 4).then(|| (columns - MARGIN, lines - 1))
    }

    /// Draws these lines in place of those before, unless it was closed.
    pub(crate) fn draw(&self, lines: &[String]) {
        let mut drawn = self.drawn();
        if drawn.is_closed {
            return;
        }
        let text = over(&drawn.columns, lines, self.width());
        drawn.columns = lines.iter().map(|line| measure_text_width(line)).collect();
        self.write(&text);
    }

    /// Removes the lines for good. Says whether there were any.
    pub(crate) fn close(&self) -> bool {
        let mut drawn = self.drawn();
        let had_lines = !drawn.columns.is_empty();
        self.write(&over(&drawn.columns, &[], self.width()));
        *drawn = Drawn { columns: Vec::new(), is_closed: true };
        had_lines
    }

    fn width(&self) -> usize {
        usize::from(self.term.size().1)
    }

    fn write(&self, text: &str) {
        // Nobody can be told that nobody can be told.
        let _ = (&self.term).write_all(out::for_terminal(text).as_bytes());
    }

    fn drawn(&self) -> MutexGuard<'_, Drawn> {
        self.drawn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is written to have these lines in place of others, which had so many columns and may be on a terminal that is narrower by now:
/// most break them then.
fn over(before: &[usize], lines: &[String], width: usize) -> String {
    let rows: usize = before.iter().map(|columns| columns.div_ceil(width.max(1)).max(1)).sum();
    let mut text = String::new();
    if rows > 0 {
        text.push('\r');
    }
    if rows > 1 {
        text.push_str(&format!("\x1b[{}A", rows - 1));
    }
    // Each line is cleared behind its end and not before, which would flicker.
    let cleared: Vec<String> = lines.iter().map(|line| format!("{line}\x1b[K")).collect();
    text.push_str(&cleared.join("\r\n"));
    match (rows, lines) {
        (0, _) => {}
        (1, []) => text.push_str("\x1b[K"),
        // From its second row on: tmux keeps a screen that is cleared from its first one in its history.
        (_, []) => text.push_str("\x1b[K\x1b[B\x1b[J\x1b[A"),
        (_, _) => text.push_str("\x1b[J"),
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stand_where_those_before_stood() {
        let lines = |lines: &[&str]| lines.iter().map(|&line| line.to_owned()).collect::<Vec<_>>();
        assert_eq!(over(&[], &lines(&["a", "bc"]), 80), "a\x1b[K\r\nbc\x1b[K");
        assert_eq!(over(&[1, 2], &lines(&["d"]), 80), "\r\x1b[1Ad\x1b[K\x1b[J");
        assert_eq!(over(&[7], &[], 80), "\r\x1b[K");
        assert_eq!(over(&[], &[], 80), "");
        assert_eq!(
            over(&[77, 0, 61], &[], 60),
            "\r\x1b[4A\x1b[K\x1b[B\x1b[J\x1b[A",
            "two of three are broken by now"
        );
        assert_eq!(over(&[3], &[], 0), "\r\x1b[2A\x1b[K\x1b[B\x1b[J\x1b[A");
    }
}
