//! A contender's README as HTML that can do nothing: its markup is text, its pictures are their descriptions, and its links lead
//! to the web or nowhere.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html as writer};

/// Longer ones are cut: a page shows notes, not books.
const MOST_BYTES: usize = 32 * 1024;

pub(super) fn html(markdown: &str) -> String {
    let mut cut = markdown.len().min(MOST_BYTES);
    while !markdown.is_char_boundary(cut) {
        cut -= 1;
    }
    let mut links = Vec::new();
    let events = Parser::new_ext(&markdown[..cut], Options::ENABLE_TABLES).filter_map(|event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
        Event::Start(Tag::Link { dest_url, link_type, title, id }) => {
            let leads = dest_url.starts_with("https://") || dest_url.starts_with("http://");
            links.push(leads);
            leads.then_some(Event::Start(Tag::Link { dest_url, link_type, title, id }))
        }
        Event::End(TagEnd::Link) => links.pop().unwrap_or(false).then_some(Event::End(TagEnd::Link)),
        Event::Start(Tag::Image { .. } | Tag::HtmlBlock) | Event::End(TagEnd::Image | TagEnd::HtmlBlock) => {
            None
        }
        // The page has headings of its own above these.
        Event::Start(Tag::Heading { .. }) => Some(Event::Start(Tag::Paragraph)),
        Event::End(TagEnd::Heading(_)) => Some(Event::End(TagEnd::Paragraph)),
        event => Some(event),
    });
    let mut text = String::new();
    writer::push_html(&mut text, events);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_paragraphs_lists_and_tables() {
        let text = html("# net/http\n\nOne *process*.\n\n- a\n- b\n\n| a |\n|---|\n| 1 |\n");
        assert!(text.contains("<p>net/http</p>") && text.contains("<em>process</em>"), "{text}");
        assert!(text.contains("<li>a</li>") && text.contains("<table>"), "{text}");
    }

    #[test]
    fn nothing_in_notes_acts() {
        let text = html(
            "<script>alert(1)</script>\n\n<img src=x onerror=alert(1)> [a](javascript:alert(1)) [b](https://example.org/\"onclick=\"x) ![c](https://example.org/c.png)\n",
        );
        assert!(
            !text.contains("<script") && !text.contains("<img") && !text.contains("javascript:"),
            "{text}"
        );
        assert!(
            text.contains("&lt;script&gt;") && text.contains("a <a href=") || text.contains(" a "),
            "{text}"
        );
        assert!(!text.contains("\"onclick"), "{text}");
    }

    #[test]
    fn long_notes_are_cut_between_letters() {
        let text = html(&"\u{e4}".repeat(MOST_BYTES));
        assert!(text.len() <= MOST_BYTES + 10, "{}", text.len());
    }
}
