use super::style::{Style, paint};
use crate::TerminalOptions;
use crate::text::{columns, wrap};

/// A page of lines that never are wider than it.
pub(crate) struct Page {
    text: String,
    pub(crate) width: usize,
    colour: bool,
}

/// A piece of a line: text that is clean already, and what it is.
pub(crate) type Piece<'a> = (&'a str, Style);

impl Page {
    /// An empty one of a sensible width.
    pub(crate) fn of(options: &TerminalOptions) -> Self {
        Self { text: String::new(), width: options.width.clamp(60, 100), colour: options.colour }
    }

    /// Nothing at the beginning.
    pub(crate) fn blank(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    /// A line of pieces that are known to fit.
    pub(crate) fn line(&mut self, pieces: &[Piece<'_>]) {
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
    pub(crate) fn labelled(
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

    pub(crate) fn paragraph(&mut self, text: &str, style: Style) {
        self.labelled("", Style::Plain, 0, text, style);
    }

    pub(crate) fn finish(self) -> String {
        self.text
    }
}
