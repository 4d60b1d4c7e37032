use super::file::SiteFile;
use super::map::{INDEX, relative};
use super::run::SWITCHED;
use crate::document::Document;
use crate::write::html::{Card, Frame, Way, write};

/// The parts of the first page, by the names that lead to them.
pub(super) const PARTS: [(&str, &str); 3] =
    [("workloads", "Workloads"), ("contenders", "Contenders"), ("runs", "Runs")];

/// The page of a document at a path. `address`: of the site, with a slash at its end, where that is known.
pub(super) fn page(path: &str, document: &Document, address: Option<&str>) -> SiteFile {
    with_ways(path, document, address, Vec::new())
}

/// The page of a run, with a way to the one of it whose charts can be switched.
pub(super) fn run(path: &str, document: &Document, address: Option<&str>) -> SiteFile {
    let switched = Way { href: SWITCHED.to_owned(), title: "This run with charts to switch", is_here: false };
    with_ways(path, document, address, vec![switched])
}

fn with_ways(path: &str, document: &Document, address: Option<&str>, own: Vec<Way>) -> SiteFile {
    let index = relative(path, INDEX);
    let to = |(anchor, title)| Way { href: format!("{index}#{anchor}"), title, is_here: false };
    let home = Way { href: index.clone(), title: "Results", is_here: path == INDEX };
    let card = address.map(|address| Card {
        address: format!("{address}{}", if path == INDEX { "" } else { path }),
        description: description(document).to_owned(),
    });
    let frame = Frame {
        ways: std::iter::once(home).chain(PARTS.map(to)).chain(own).collect(),
        footer: "Made by velo site from the folders of runs. Figures of different hosts are not compared."
            .to_owned(),
        card,
    };
    SiteFile { path: path.to_owned(), text: write(document, &frame) }
}

/// What a page comes to, as far as it says that.
fn description(document: &Document) -> &str {
    match &document.answer {
        Some((answer, _)) => answer,
        None if document.about.is_empty() => &document.question,
        None => &document.about,
    }
}
