use crate::style::{Style, paint};
use crate::text::{columns, wrap};

/// A page of lines that never are wider than it.
pub(super) struct Page {
    text: String,
    pub(super) width: usize,
    colour: bool,
}

/// A piece of a line: text that is clean already, and what it is.
pub(super) type Piece<'a> = (&'a str, Style);

impl Page {
    pub(super) fn new(width: usize, colour: bool) -> Self {
        Self { text: String::new(), width, colour }
    }

    pub(super) fn blank(&mut self) {
        self.text.push('\n');
    }

    /// A line of pieces that are known to fit.
    pub(super) fn line(&mut self, pieces: &[Piece<'_>]) {
        // What follows the last letter is blank: text from outside may be empty.
        if let Some(last) = pieces.iter().rposition(|(text, _)| !text.trim_end().is_empty()) {
            for (text, style) in &pieces[..last] {
                self.text.push_str(&paint(text, *style, self.colour));
            }
            let (text, style) = pieces[last];
            self.text.push_str(&paint(text.trim_end(), style, self.colour));
        }
        self.blank();
    }

    /// Text behind a label, further lines under the first; `indent` is the column where the text begins.
    pub(super) fn labelled(
        &mut self,
        label: &str,
        label_style: Style,
        indent: usize,
        text: &str,
        style: Style,
    ) {
        let lines = wrap(text, self.width.saturating_sub(indent));
        let fits = label.is_empty() || columns(label) < indent;
        if !fits {
            for line in wrap(label.trim_start(), self.width - 2) {
                self.line(&[("  ", Style::Plain), (&line, label_style)]);
            }
        }
        for (index, line) in lines.iter().enumerate() {
            let lead = if index == 0 && fits { label } else { "" };
            let pad = " ".repeat(indent - columns(lead));
            self.line(&[(lead, label_style), (&pad, Style::Plain), (line, style)]);
        }
    }

    pub(super) fn paragraph(&mut self, text: &str, style: Style) {
        self.labelled("", Style::Plain, 0, text, style);
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}
