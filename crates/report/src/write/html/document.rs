use super::Html;
use super::style::STYLE;

/// Nothing may be loaded or run; the pages have their style within them.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
/// Whoever comes by a link has not seen anything else of it.
const MAKER: &str = "Velodrome compares HTTP service stacks on one machine and checks every answer.";

/// What is around a document.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    /// Ways to other pages.
    pub(crate) ways: Vec<Way>,
    /// At the end; may be empty.
    pub(crate) footer: String,
    /// What others show of a link to it, where it is known where it will be.
    pub(crate) card: Option<Card>,
}

/// A way to another page.
#[derive(Debug)]
pub(crate) struct Way {
    pub(crate) href: String,
    pub(crate) title: &'static str,
    /// It leads to this page.
    pub(crate) is_here: bool,
}

/// What others show of a link to a page: the tags of Open Graph.
#[derive(Debug)]
pub(crate) struct Card {
    /// Of the page.
    pub(crate) address: String,
    /// What it comes to.
    pub(crate) description: String,
}

/// A whole page with its style; `fill` puts in what is its own.
pub(super) fn page(title: &str, frame: &Frame, fill: impl FnOnce(&mut Html)) -> String {
    let mut html = Html::default();
    html.own("<!doctype html>\n");
    html.within("html", &[("lang", "en")], |html| {
        html.within("head", &[], |html| head(title, frame, html));
        html.own("\n");
        html.within("body", &[], |html| {
            html.within("header", &[], |html| {
                html.element("p", &[("class", "about")], MAKER);
                add_ways(&frame.ways, html);
            });
            html.within("main", &[], fill);
            if !frame.footer.is_empty() {
                html.element("footer", &[], &frame.footer);
            }
        });
    });
    html.own("\n");
    html.finish()
}

fn head(title: &str, frame: &Frame, html: &mut Html) {
    let title = format!("{title} \u{2013} Velodrome");
    html.own("\n");
    html.empty("meta", &[("charset", "utf-8")]);
    html.empty("meta", &[("http-equiv", "Content-Security-Policy"), ("content", POLICY)]);
    html.empty("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]);
    html.empty("meta", &[("name", "color-scheme"), ("content", "light dark")]);
    if let Some(card) = &frame.card {
        for (property, content) in [
            ("og:type", "website"),
            ("og:url", card.address.as_str()),
            ("og:title", title.as_str()),
            ("og:description", card.description.as_str()),
        ] {
            html.empty("meta", &[("property", property), ("content", content)]);
        }
    }
    html.element("title", &[], &title);
    html.within("style", &[], |html| html.own(STYLE));
}

fn add_ways(ways: &[Way], html: &mut Html) {
    if ways.is_empty() {
        return;
    }
    html.within("nav", &[("aria-label", "Site")], |html| {
        for Way { href, title, is_here } in ways {
            let here = is_here.then_some(("aria-current", "page"));
            let attributes: Vec<_> = [Some(("href", href.as_str())), here].into_iter().flatten().collect();
            html.element("a", &attributes, title);
            html.text(" ");
        }
    });
}
