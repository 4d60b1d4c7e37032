//! HTML under construction. Tags and the names of attributes are this program's own words; whatever else goes in is
//! escaped, so that text from outside stays text.

mod chart;
mod document;
mod style;
mod table;
mod written;

pub(crate) use document::{Card, Frame, Way};
pub(crate) use written::write;

use crate::document::Link;
use crate::text::escape;

/// After the end of these a line ends, so that a page can be read and compared as text.
const ENDS_LINE: &[&str] = &[
    "div", "figure", "footer", "h1", "h2", "h3", "h4", "header", "li", "main", "nav", "p", "section",
    "style", "svg", "table", "tbody", "thead", "title", "tr", "ul",
];

/// The names and values of attributes.
pub(crate) type Attributes<'a> = &'a [(&'static str, &'a str)];

/// Elements in their order.
#[derive(Debug, Default)]
pub(crate) struct Html {
    text: String,
}

impl Html {
    /// Text.
    pub(crate) fn text(&mut self, text: &str) {
        escape(text, &mut self.text);
    }

    /// An element that holds text alone.
    pub(crate) fn element(&mut self, tag: &'static str, attributes: Attributes<'_>, text: &str) {
        self.within(tag, attributes, |html| html.text(text));
    }

    /// A link to another page of the site.
    pub(crate) fn link(&mut self, href: &str, text: &str) {
        self.element("a", &[("href", href)], text);
    }

    /// A text of which parts lead somewhere.
    pub(crate) fn linked(&mut self, text: &str, links: &[Link]) {
        let mut from = 0;
        for link in links {
            self.text(text.get(from..link.at.start).unwrap_or_default());
            self.link(&link.href, text.get(link.at.clone()).unwrap_or_default());
            from = link.at.end;
        }
        self.text(text.get(from..).unwrap_or_default());
    }

    /// An element that holds what is put into it.
    pub(crate) fn within(
        &mut self,
        tag: &'static str,
        attributes: Attributes<'_>,
        fill: impl FnOnce(&mut Self),
    ) {
        self.begin(tag, attributes);
        self.text.push('>');
        fill(self);
        self.text.push_str("</");
        self.text.push_str(tag);
        self.text.push('>');
        if ENDS_LINE.contains(&tag) {
            self.text.push('\n');
        }
    }

    /// An element that holds nothing, such as `meta` or `circle`.
    pub(crate) fn empty(&mut self, tag: &'static str, attributes: Attributes<'_>) {
        self.begin(tag, attributes);
        self.text.push_str("/>\n");
    }

    /// What stands in this program's source as it is.
    pub(crate) fn own(&mut self, text: &'static str) {
        self.text.push_str(text);
    }

    /// All of it.
    pub(crate) fn finish(self) -> String {
        self.text
    }

    fn begin(&mut self, tag: &'static str, attributes: Attributes<'_>) {
        self.text.push('<');
        self.text.push_str(tag);
        for (name, value) in attributes {
            self.text.push(' ');
            self.text.push_str(name);
            self.text.push_str("=\"");
            escape(value, &mut self.text);
            self.text.push('"');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn escaped(text: &str) -> String {
        let mut html = Html::default();
        html.text(text);
        html.finish()
    }

    #[test]
    fn text_stays_text() {
        assert_eq!(
            escaped("<script>alert(\"1\" + '2')</script>"),
            "&lt;script&gt;alert(&quot;1&quot; + &#39;2&#39;)&lt;/script&gt;"
        );
        assert_eq!(escaped("a &amp; b"), "a &amp;amp; b");
        assert_eq!(escaped("\u{0}\u{1b}[31mred\u{85}\u{ffff}\n"), "[31mred");
        assert_eq!(escaped("però 漢字"), "però 漢字");
    }

    #[test]
    fn what_is_open_is_closed() {
        let mut html = Html::default();
        html.within("p", &[("class", "a\" onclick=\"b")], |html| {
            html.text("one ");
            html.link("x.html", "<two>");
            html.empty("br", &[]);
        });
        assert_eq!(
            html.finish(),
            "<p class=\"a&quot; onclick=&quot;b\">one <a href=\"x.html\">&lt;two&gt;</a><br/>\n</p>\n"
        );
    }

    proptest! {
        #[test]
        fn no_text_opens_or_ends_anything(text in any::<String>()) {
            let escaped = escaped(&text);
            prop_assert!(!escaped.contains(['<', '>', '"', '\'']));
            prop_assert!(!escaped.chars().any(char::is_control));
        }
    }
}
