use super::Html;
use crate::document::{Column, Link};

/// A cell of a table.
#[derive(Debug)]
pub(crate) struct Cell {
    text: String,
    links: Vec<Link>,
    class: Option<&'static str>,
}

impl Cell {
    /// Words.
    pub(crate) fn text(text: &str) -> Self {
        Self { text: text.to_owned(), links: Vec::new(), class: None }
    }

    /// Words that stand for a figure that is not there.
    pub(crate) fn soft(text: &str) -> Self {
        Self { class: Some("soft"), ..Self::text(text) }
    }

    /// A figure, on one line at the right; `-` for none.
    pub(crate) fn number(text: Option<String>) -> Self {
        Self { class: Some("number"), ..Self::text(text.as_deref().unwrap_or("-")) }
    }

    /// Parts of it lead somewhere. One that is a link as a whole is on one line.
    pub(crate) fn leading(self, links: Vec<Link>) -> Self {
        let is_whole = links.iter().any(|link| link.at == (0..self.text.len()));
        Self { class: if is_whole { Some("line") } else { self.class }, links, ..self }
    }

    fn write(&self, is_head: bool, html: &mut Html) {
        let tag = if is_head { "th" } else { "td" };
        let scope = is_head.then_some(("scope", "row"));
        let class = self.class.map(|class| ("class", class));
        let attributes: Vec<_> = [scope, class].into_iter().flatten().collect();
        html.within(tag, &attributes, |html| html.linked(&self.text, &self.links));
    }
}

/// A table that may be wider than the page. `label`: what it is, for who cannot see it; `head`: the column that names its rows.
pub(crate) fn table(
    html: &mut Html,
    label: &str,
    columns: &[Column],
    head: usize,
    rows: impl Iterator<Item = Vec<Cell>>,
) {
    // What scrolls must be reachable by the keyboard.
    html.within(
        "div",
        &[("class", "scroll"), ("tabindex", "0"), ("role", "group"), ("aria-label", label)],
        |html| {
            html.within("table", &[], |html| {
                html.within("thead", &[], |html| {
                    html.within("tr", &[], |html| {
                        for column in columns {
                            let class = column.is_number.then_some(("class", "number"));
                            let attributes: Vec<_> = [("scope", "col")].into_iter().chain(class).collect();
                            html.element("th", &attributes, &column.title);
                        }
                    });
                });
                html.within("tbody", &[], |html| {
                    for row in rows {
                        html.within("tr", &[], |html| {
                            row.iter().enumerate().for_each(|(index, cell)| cell.write(index == head, html));
                        });
                    }
                });
            });
        },
    );
}
