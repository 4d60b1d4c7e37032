use std::fs::File;
use std::io::Read;
use std::path::Path;

/// No file that is read here is longer; what lies beyond is not looked at.
const MOST_BYTES: u64 = 1024 * 1024;

/// A small file's text; `None` when it is not there or not readable.
pub(super) fn text(path: impl AsRef<Path>) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A file's first line without blanks around it; `None` also when it is empty.
pub(super) fn line(path: impl AsRef<Path>) -> Option<String> {
    let text = text(path)?;
    let line = text.lines().next()?.trim_matches(['\0', ' ', '\t']);
    (!line.is_empty()).then(|| line.to_owned())
}

/// The value after `key` and a colon or an equals sign, in a file of such lines.
pub(super) fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once([':', '='])?;
        (name.trim() == key).then(|| value.trim().trim_matches('"'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_whole_key() {
        let text = "model\t\t: 207\nmodel name\t: Some CPU @ 2: fast\nNAME=\"Debian GNU/Linux\"\nodd line\n";
        assert_eq!(value(text, "model name"), Some("Some CPU @ 2: fast"));
        assert_eq!(value(text, "NAME"), Some("Debian GNU/Linux"));
        assert_eq!(value(text, "odd line"), None);
        assert_eq!(value("", "x"), None);
    }

    #[test]
    fn a_file_that_is_not_there_has_no_text() {
        assert_eq!(text("/nonexistent/file"), None);
        assert_eq!(line("/dev/null"), None);
    }
}
