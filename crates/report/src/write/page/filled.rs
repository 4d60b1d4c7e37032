//! The run as a page: one HTML file without a network, built from `web/` and filled with the run's data.

use serde_json::Value;
use velo_judge::{Judgement, WorkloadDetail};
use velo_record::RunFile;

use super::data;

/// The page without data, as `npm run build` in `web/` makes it.
const TEMPLATE: &str = include_str!("page.html");
/// What stands in it where the data will.
const PLACE: &str = r#"<script type="application/json" id="velo-data">null</script>"#;

/// The longest text in the data, in bytes.
const LONGEST_TEXT: usize = 4 * 1024;
/// The page of a judged run.
pub fn page(file: &RunFile, judgement: &Judgement, detail: Vec<WorkloadDetail>) -> String {
    let data = data::of(file, judgement, &detail);
    // OK because the data have neither maps with keys that are not text nor types that fail to serialise.
    let mut value = serde_json::to_value(&data).expect("the data are JSON");
    shorten(&mut value);
    let json = inside_script(&value.to_string());
    let script = format!(r#"<script type="application/json" id="velo-data">{json}</script>"#);
    TEMPLATE.replacen(PLACE, &script, 1)
}

/// The JSON Schema of the page's data, `schemas/page.schema.json`.
#[cfg(feature = "schema")]
pub fn page_schema() -> Value {
    let generator = schemars::generate::SchemaSettings::draft2020_12().for_serialize().into_generator();
    generator.into_root_schema_for::<data::PageData>().to_value()
}

/// Cuts texts that nobody reads to their end, such as an answer of 10 MB; notes are HTML, pictures SVG, and both short already.
fn shorten(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > LONGEST_TEXT => {
            let mut cut = LONGEST_TEXT;
            while !text.is_char_boundary(cut) {
                cut -= 1;
            }
            text.truncate(cut);
            text.push('\u{2026}');
        }
        Value::Array(values) => values.iter_mut().for_each(shorten),
        Value::Object(values) => {
            values
                .iter_mut()
                .filter(|(key, _)| !matches!(key.as_str(), "notes_html" | "svg"))
                .for_each(|(_, value)| shorten(value));
        }
        _ => {}
    }
}

/// JSON that no text in it can end: within strings `<` may be written as an escape, and nowhere else does it stand.
fn inside_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_has_one_place_for_data() {
        assert_eq!(TEMPLATE.matches(PLACE).count(), 1);
    }

    #[test]
    fn long_texts_are_cut_but_for_notes() {
        let long = "\u{e4}".repeat(LONGEST_TEXT);
        let mut value = serde_json::json!({ "a": [long], "notes_html": long, "b": "short" });
        shorten(&mut value);
        assert!(value["a"][0].as_str().unwrap().len() <= LONGEST_TEXT + 3);
        assert_eq!(
            (value["notes_html"].as_str().unwrap().len(), &value["b"]),
            (2 * LONGEST_TEXT, &"short".into())
        );
    }

    #[test]
    fn nothing_in_the_data_ends_the_script() {
        let hostile = serde_json::to_string("</script><script>alert(1)</script><!--").expect("JSON");
        let written = inside_script(&hostile);
        assert!(!written.contains('<'), "{written}");
        let read: String = serde_json::from_str(&written).expect("JSON");
        assert_eq!(read, "</script><script>alert(1)</script><!--");
    }
}
