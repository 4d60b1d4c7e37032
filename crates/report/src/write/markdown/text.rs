//! Blocks of Markdown: text from outside is escaped, a table without rows is none.

use crate::text::clean;

#[derive(Default)]
pub(super) struct Markdown {
    pub(super) text: String,
}

impl Markdown {
    pub(super) fn heading(&mut self, level: usize, text: &str) {
        self.text.push_str(&format!("{} {}\n\n", "#".repeat(level), escape(text)));
    }

    pub(super) fn paragraph(&mut self, text: &str) {
        self.text.push_str(&format!("{}\n\n", block(text)));
    }

    pub(super) fn strong(&mut self, text: &str) {
        self.text.push_str(&format!("**{}**\n\n", escape(text)));
    }

    pub(super) fn item(&mut self, text: &str) {
        self.text.push_str(&format!("- {}\n", block(text)));
    }

    /// Ends a list.
    pub(super) fn end(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// A table by its headers, each with whether its column holds numbers; nothing when it has no rows.
    pub(super) fn table<'t>(
        &mut self,
        headers: impl Iterator<Item = (&'t str, bool)> + Clone,
        rows: impl Iterator<Item = impl Iterator<Item = &'t str>>,
    ) {
        let mut rows = rows.peekable();
        if rows.peek().is_none() {
            return;
        }
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        self.text.push_str(&line(headers.clone().map(|(header, _)| escape(header)).collect()));
        let rule = |is_number| if is_number { "---:" } else { "---" }.to_owned();
        self.text.push_str(&line(headers.map(|(_, is_number)| rule(is_number)).collect()));
        for row in rows {
            self.text.push_str(&line(row.map(escape).collect()));
        }
        self.text.push('\n');
    }
}

/// Text that begins a block: a mark that would open a list or a rule is escaped as well.
fn block(text: &str) -> String {
    let escaped = escape(text);
    let digits = escaped.bytes().take_while(u8::is_ascii_digit).count();
    let after = escaped[digits..].starts_with(['.', ')']) && digits > 0;
    if after || escaped.starts_with(['-', '+', '=']) {
        let (digits, rest) = escaped.split_at(digits);
        return format!("{digits}\\{rest}");
    }
    escaped
}

/// Text from outside, in one line, with nothing left that Markdown or HTML would take for its own.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for found in clean(text).chars() {
        match found {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '@' | '$' => escaped.extend(['\\', found]),
            _ => escaped.push(found),
        }
    }
    // A bare address would become a link.
    escaped.replace("://", ":\\//").replace("www.", "www\\.")
}
