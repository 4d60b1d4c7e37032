use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;

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

/// A file that holds one number.
pub(super) fn number<T: FromStr>(path: impl AsRef<Path>) -> Option<T> {
    line(path)?.parse().ok()
}

/// The entries of a folder that are called `stem` and a number: `cpu0`, `cpu1`, ...; in no order.
pub(super) fn numbered(folder: &Path, stem: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_numbered = |name: &str| name.strip_prefix(stem).is_some_and(|rest| rest.parse::<u32>().is_ok());
    entries
        .filter(|entry| entry.file_name().to_str().is_some_and(is_numbered))
        .map(|entry| entry.path())
        .collect()
}

/// The value after `key` and a colon or an equals sign, in a file of such lines.
pub(super) fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once([':', '='])?;
        (name.trim() == key).then(|| value.trim().trim_matches('"'))
    })
}

/// The number after `key` and a blank, in a file of such lines.
pub(super) fn count(text: &str, key: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' ')?.trim().parse().ok())
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
        assert_eq!(count("pswpin 7\npswpout 12\n", "pswpout"), Some(12));
        assert_eq!(count("pswpinx 7\npswpin -1\n", "pswpin"), None);
    }

    #[test]
    fn a_file_that_is_not_there_has_no_text() {
        assert_eq!(text("/nonexistent/file"), None);
        assert_eq!(line("/dev/null"), None);
        assert_eq!(number::<u32>("/dev/null"), None);
        assert!(numbered(Path::new("/nonexistent"), "cpu").is_empty());
    }

    #[test]
    fn only_names_with_a_number_are_listed() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["cpu0", "cpu12", "cpufreq", "cpu", "gpu1", "cpu-1"] {
            std::fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        let mut found = numbered(folder.path(), "cpu");
        found.sort();
        assert_eq!(found, [folder.path().join("cpu0"), folder.path().join("cpu12")]);
    }
}
