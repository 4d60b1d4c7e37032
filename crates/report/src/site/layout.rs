use super::file::SiteFile;
use super::html::Html;
use super::map::{INDEX, relative};
use super::style::STYLE;

/// Nothing may be loaded or run; the pages have their style within them.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The parts of the first page, by the ids of their headings.
pub(super) const PARTS: [(&str, &str); 3] =
    [("workloads", "Workloads"), ("contenders", "Contenders"), ("runs", "Runs")];

/// A page at a path with its frame; `fill` puts in what is its own.
pub(super) fn page(path: &str, title: &str, fill: impl FnOnce(&mut Html)) -> SiteFile {
    let mut html = Html::default();
    html.own("<!doctype html>\n");
    html.within("html", &[("lang", "en")], |html| {
        html.within("head", &[], |html| head(title, html));
        html.own("\n");
        html.within("body", &[], |html| {
            html.within("header", &[], |html| navigation(path, html));
            html.within("main", &[], fill);
            html.element(
                "footer",
                &[],
                "Made by velo site from the folders of runs. Figures of different hosts are not compared.",
            );
        });
    });
    html.own("\n");
    SiteFile { path: path.to_owned(), text: html.finish() }
}

fn head(title: &str, html: &mut Html) {
    html.own("\n");
    html.empty("meta", &[("charset", "utf-8")]);
    html.empty("meta", &[("http-equiv", "Content-Security-Policy"), ("content", POLICY)]);
    html.empty("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]);
    html.empty("meta", &[("name", "color-scheme"), ("content", "light dark")]);
    html.element("title", &[], &format!("{title} \u{2013} Velodrome"));
    html.within("style", &[], |html| html.own(STYLE));
}

fn navigation(path: &str, html: &mut Html) {
    html.within("nav", &[("aria-label", "Site")], |html| {
        let index = relative(path, INDEX);
        let home: &[(&'static str, &str)] =
            if path == INDEX { &[("href", &index), ("aria-current", "page")] } else { &[("href", &index)] };
        html.element("a", home, "Results");
        for (id, title) in PARTS {
            html.text(" ");
            html.link(&format!("{index}#{id}"), title);
        }
    });
}
