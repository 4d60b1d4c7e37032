use super::Html;
use super::style::STYLE;

/// Nothing may be loaded or run; the pages have their style within them.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// A whole document with its style; `fill` puts in what its body holds.
pub(crate) fn document(title: &str, fill: impl FnOnce(&mut Html)) -> String {
    let mut html = Html::default();
    html.own("<!doctype html>\n");
    html.within("html", &[("lang", "en")], |html| {
        html.within("head", &[], |html| head(title, html));
        html.own("\n");
        html.within("body", &[], fill);
    });
    html.own("\n");
    html.finish()
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
