use super::file::SiteFile;
use super::map::{INDEX, relative};
use crate::html::Html;
use crate::html::document::document;

/// The parts of the first page, by the ids of their headings.
pub(super) const PARTS: [(&str, &str); 3] =
    [("workloads", "Workloads"), ("contenders", "Contenders"), ("runs", "Runs")];

/// A page at a path with its frame; `fill` puts in what is its own.
pub(super) fn page(path: &str, title: &str, fill: impl FnOnce(&mut Html)) -> SiteFile {
    let text = document(title, |html| {
        html.within("header", &[], |html| navigation(path, html));
        html.within("main", &[], fill);
        html.element(
            "footer",
            &[],
            "Made by velo site from the folders of runs. Figures of different hosts are not compared.",
        );
    });
    SiteFile { path: path.to_owned(), text }
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
