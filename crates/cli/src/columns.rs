//! Rows of text in columns.

use std::fmt::Write as _;

/// Two blanks between columns, none at a line's end. The last column is not padded, so that it may be of any width.
pub(crate) fn align(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            // OK to ignore: a String takes all text.
            let _ = write!(line, "{cell:width$}  ");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Breaks text at blanks so that no line is longer than asked, unless a word is; lines after the first begin with
/// as many blanks as asked.
pub(crate) fn wrap(text: &str, first_column: usize, width: usize) -> String {
    let mut wrapped = String::new();
    let mut at = first_column;
    for word in text.split(' ') {
        let length = word.chars().count();
        if wrapped.is_empty() {
        } else if at + 1 + length > width {
            wrapped.push('\n');
            wrapped.push_str(&" ".repeat(first_column));
            at = first_column;
        } else {
            wrapped.push(' ');
            at += 1;
        }
        wrapped.push_str(word);
        at += length;
    }
    wrapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let row = |cells: &[&str]| cells.iter().map(|&cell| cell.to_owned()).collect::<Vec<_>>();
        let text = align(&[row(&["a", "bb", "long text"]), row(&["aaa", "b"]), row(&["", "", "x"])]);
        assert_eq!(text, "a    bb  long text\naaa  b\n         x\n");
        assert_eq!(align(&[]), "");
    }

    #[test]
    fn text_is_broken_at_blanks() {
        assert_eq!(wrap("one two three", 2, 9), "one two\n  three");
        assert_eq!(wrap("unbreakable word", 0, 4), "unbreakable\nword");
        assert_eq!(wrap("", 2, 9), "");
    }
}
