use std::ops::Range;

/// A part of a text that leads somewhere, where the writer can do that.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    /// Its bytes in the text.
    pub(crate) at: Range<usize>,
    /// Another page, as seen from this one.
    pub(crate) href: String,
}

/// A text of which parts lead somewhere.
#[derive(Debug, Clone, Default)]
pub(crate) struct Linked {
    /// All of it.
    pub(crate) words: String,
    /// From left to right.
    pub(crate) links: Vec<Link>,
}

impl Linked {
    pub(crate) fn text(mut self, words: &str) -> Self {
        self.words.push_str(words);
        self
    }

    pub(crate) fn link(mut self, words: &str, href: String) -> Self {
        let from = self.words.len();
        self.words.push_str(words);
        self.links.push(Link { at: from..self.words.len(), href });
        self
    }
}
