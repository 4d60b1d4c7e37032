use crate::text::{cut, escape, wrap};

/// How wide the picture is, in its own units.
pub(super) const WIDTH: f64 = 800.0;
/// What stays empty at each side.
pub(super) const MARGIN: f64 = 24.0;

/// Colours for a light and a dark page, and the type. A program that does not know variables takes the colour before.
const STYLE: &str = "\
.velo{--ink:#1f2328;--faint:#59636e;--rule:#d1d9e0;--accent:#0969da}
@media (prefers-color-scheme:dark){.velo{--ink:#f0f6fc;--faint:#9198a1;--rule:#3d444d;--accent:#4493f8}}
.velo text{font-family:system-ui,-apple-system,'Segoe UI',sans-serif;font-size:13px;fill:#1f2328;fill:var(--ink)}
.velo .question{font-size:17px;font-weight:600}
.velo .answer{font-size:14px}
.velo .faint{font-size:12px;fill:#59636e;fill:var(--faint)}
.velo .end{text-anchor:end}
.velo .middle{text-anchor:middle}
.velo path{fill:none}
.velo .rule{stroke:#d1d9e0;stroke:var(--rule)}
.velo .guide{stroke:#d1d9e0;stroke:var(--rule);stroke-dasharray:1 4}
.velo .bracket{stroke:#59636e;stroke:var(--faint)}
.velo .interval{stroke:#0969da;stroke:var(--accent);stroke-width:2}
.velo .dot{fill:#0969da;fill:var(--accent)}
.velo .seen{stroke:#59636e;stroke:var(--faint);stroke-width:1.5}
.velo .ring{fill:none;stroke:#59636e;stroke:var(--faint);stroke-width:1.5}
";

/// The elements of a picture, from top to bottom.
#[derive(Default)]
pub(super) struct Canvas {
    elements: String,
    /// Where the next thing begins.
    pub(super) y: f64,
}

impl Canvas {
    /// Text whose baseline begins, ends or has its middle at a point, as the classes say.
    pub(super) fn text(&mut self, x: f64, y: f64, class: &str, text: &str) {
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        let (x, y, text) = (units(x), units(y), escaped(text));
        self.elements.push_str(&format!("<text x=\"{x}\" y=\"{y}\"{class}>{text}</text>\n"));
    }

    /// Lines of text over the whole width, each so many units high and at most so many columns wide; what does not fit in
    /// `most` lines is cut.
    pub(super) fn paragraph(&mut self, class: &str, text: &str, columns: usize, height: f64, most: usize) {
        let mut lines = wrap(text, columns);
        if lines.len() > most {
            let rest = lines.split_off(most.saturating_sub(1)).join(" ");
            lines.push(cut(&rest, columns));
        }
        for line in lines {
            self.y += height;
            self.text(MARGIN, self.y, class, &line);
        }
    }

    /// A line that is drawn as the commands of a path say; these are no text from outside.
    pub(super) fn path(&mut self, class: &str, commands: &str) {
        self.elements.push_str(&format!("<path class=\"{class}\" d=\"{commands}\"/>\n"));
    }

    pub(super) fn circle(&mut self, class: &str, x: f64, y: f64, radius: f64) {
        let (x, y, radius) = (units(x), units(y), units(radius));
        self.elements
            .push_str(&format!("<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>\n"));
    }

    /// A line from side to side.
    pub(super) fn rule(&mut self) {
        let path = format!("M{} {}H{}", units(MARGIN), units(self.y), units(WIDTH - MARGIN));
        self.path("rule", &path);
    }

    /// Begins what belongs together, with the words for who reads or points at it.
    pub(super) fn begin(&mut self, words: &str) {
        self.elements.push_str(&format!("<g><title>{}</title>\n", escaped(words)));
    }

    /// Ends what [`Self::begin`] began.
    pub(super) fn end(&mut self) {
        self.elements.push_str("</g>\n");
    }

    /// The whole picture.
    pub(super) fn finish(self, title: &str, description: &str) -> String {
        let (width, height) = (units(WIDTH), units(self.y.ceil()));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"velo\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"velo-title velo-desc\">\n\
             <title id=\"velo-title\">{}</title>\n<desc id=\"velo-desc\">{}</desc>\n<style>\n{STYLE}</style>\n{}</svg>\n",
            escaped(title),
            escaped(description),
            self.elements
        )
    }
}

/// A length or a place to a tenth of a unit.
pub(super) fn units(value: f64) -> String {
    // The sum turns -0 into 0.
    let tenths = (value * 10.0).round() / 10.0 + 0.0;
    // What is not a number has no place; it is sorted out before.
    if tenths.is_finite() { tenths.to_string() } else { "0".to_owned() }
}

/// A text as XML has it.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    escape(text, &mut escaped);
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_a_tag() {
        assert_eq!(escaped("<b a=\"x\" c='y'>&amp;"), "&lt;b a=&quot;x&quot; c=&#39;y&#39;&gt;&amp;amp;");
        assert_eq!(escaped("a\u{0}\u{1b}\u{fffe}\u{ffff}\u{85}b"), "ab");
        assert_eq!(escaped("]]>"), "]]&gt;");
        assert_eq!(escaped("però 漢字"), "però 漢字");
    }

    #[test]
    fn places_are_short_and_always_numbers() {
        assert_eq!([1.0, 2.5, 1.0 / 3.0, -0.04].map(units), ["1", "2.5", "0.3", "0"]);
        assert_eq!([f64::NAN, f64::INFINITY].map(units), ["0", "0"]);
    }

    #[test]
    fn text_that_does_not_fit_is_cut() {
        let mut canvas = Canvas::default();
        canvas.paragraph("answer", &"word ".repeat(40), 20, 10.0, 2);
        assert_eq!(canvas.y, 20.0);
        assert_eq!(canvas.elements.matches("<text").count(), 2);
        assert!(canvas.elements.contains("word word word wo..."), "{}", canvas.elements);
    }
}
