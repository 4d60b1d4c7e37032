//! Files of protos: found, read within bounds, and looked at before they are parsed.

use std::path::{Path, PathBuf};
use std::{error, fmt};

use protox::Error;
use protox::file::{File, FileResolver, GoogleFileResolver, IncludeFileResolver};
use velo_request::text;

/// No file of protos that people write is larger.
const MOST_BYTES: usize = 4 << 20;
/// The parser calls itself for each level; protoc takes 32.
const MOST_NESTED: usize = 100;

/// Where protos are looked for: in these folders, in order, and among Google's own.
pub(crate) struct Folders(pub(crate) Vec<PathBuf>);

impl Folders {
    /// The file of this name.
    pub(crate) fn find(&self, name: &str) -> Option<PathBuf> {
        self.0.iter().map(|folder| folder.join(name)).find(|path| path.exists())
    }
}

impl FileResolver for Folders {
    fn resolve_path(&self, path: &Path) -> Option<String> {
        self.0.iter().find_map(|folder| IncludeFileResolver::new(folder.clone()).resolve_path(path))
    }

    fn open_file(&self, name: &str) -> Result<File, Error> {
        let Some(path) = self.find(name) else { return GoogleFileResolver::new().open_file(name) };
        let bytes = text::read(&path)
            .map_err(|problem| Error::new(Odd(format!("{}\n  {}", problem.what, problem.cure))))?;
        let odd = |what: String| Error::new(Odd(format!("{}: {what}", path.display())));
        if bytes.len() > MOST_BYTES {
            return Err(odd(format!("larger than {} MiB\n  expected a file of protos", MOST_BYTES >> 20)));
        }
        let source =
            String::from_utf8(bytes).map_err(|_| odd("not UTF-8\n  expected a file of protos".to_owned()))?;
        parse(name, &source)
    }
}

/// A file that is at hand; it may import Google's own.
pub(crate) struct OneFile {
    pub(crate) name: String,
    pub(crate) text: String,
}

impl FileResolver for OneFile {
    fn open_file(&self, name: &str) -> Result<File, Error> {
        if name == self.name { parse(name, &self.text) } else { GoogleFileResolver::new().open_file(name) }
    }
}

/// An error of our own among those of protox, which say in which file and line they are where they are shown for debugging.
struct Odd(String);

impl fmt::Display for Odd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Odd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl error::Error for Odd {}

/// What is wrong, with file, line and column.
pub(crate) fn in_words(error: &Error) -> String {
    format!("{error:?}")
}

fn parse(name: &str, text: &str) -> Result<File, Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if let Some((at, what)) = unreadable(text) {
        let line = text.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
        return Err(Error::new(Odd(format!("{name}:{line}: {what}"))));
    }
    File::from_source(name, text)
}

/// What the parser cannot be given, and where.
fn unreadable(text: &str) -> Option<(usize, String)> {
    let bytes = text.as_bytes();
    let (mut at, mut depth, mut is_first) = (0, 0_usize, true);
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        let line = || rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        at += match byte {
            b'/' if rest.starts_with(b"//") => line(),
            b'#' => line(),
            b'/' if rest.starts_with(b"/*") => {
                rest[2..].windows(2).position(|two| two == b"*/").map_or(rest.len(), |end| end + 4)
            }
            b'"' | b'\'' => text_bytes(rest),
            b'{' | b'[' | b'(' | b'<' => {
                depth += 1;
                if depth > MOST_NESTED {
                    return Some((
                        at,
                        format!(
                            "nested more than {MOST_NESTED} deep\n  expected messages that are less deep"
                        ),
                    ));
                }
                1
            }
            b'}' | b']' | b')' | b'>' => {
                depth = depth.saturating_sub(1);
                1
            }
            byte if byte.is_ascii_whitespace() => 1,
            _ if is_first => {
                is_first = false;
                let word =
                    rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
                if &rest[..word] == b"edition" {
                    let what = "editions of Protocol Buffers are not supported\n  expected syntax = \"proto3\" or \"proto2\"";
                    return Some((at, what.to_owned()));
                }
                word.max(1)
            }
            _ => 1,
        };
    }
    None
}

/// How long a text in quotes is, with them; it ends with its line at the latest.
fn text_bytes(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' if bytes.get(at + 1) != Some(&b'\n') => at += 2,
            b'\n' => break,
            byte if byte == bytes[0] => return at + 1,
            _ => at += 1,
        }
    }
    at.min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        in_words(&parse("a.proto", text).expect_err(text))
    }

    #[test]
    fn what_is_nested_too_deep_is_refused_before_it_is_parsed() {
        let nested = |open: &str, close: &str, count: usize| open.repeat(count) + &close.repeat(count);
        assert!(parse("a.proto", &nested("message A {\n", "}", 100)).is_ok());
        for text in [
            nested("message A {\n", "}", 101),
            nested("message A {\n", "}", 50_000),
            format!("option (a) = {{ b: {} }};\n", nested("[", "]", 50_000)),
            format!("option (a) = {}", nested("{ b ", "}", 50_000)),
            format!("option (a) = {{ b {} }};", nested("< c ", ">", 50_000)),
            nested("message A { oneof b { group C = 1 {\n", "}}}", 40),
        ] {
            assert!(refused(&text).contains("nested more than 100 deep"), "{text:.60}");
        }
        assert!(refused(&nested("message A {\n", "}", 101)).starts_with("a.proto:101: "));
    }

    #[test]
    fn brackets_in_comments_and_texts_do_not_nest() {
        let many = "{[(<".repeat(100);
        let text = format!(
            "// {many}\n/* {many}\n{many} */ syntax = \"proto3\";\nmessage A {{\n  // it's\n  option deprecated = false; /**/\n}}\n"
        );
        parse("a.proto", &text).expect("protos");
        let text = format!("import \"{many}\\\"{many}\"; import '{many}';");
        assert_eq!(unreadable(&text), None);
        for cut in ["\"", "'\\", "/*", "/", "\"\\\"\n{"] {
            assert_eq!(unreadable(cut), None, "{cut}");
        }
    }

    #[test]
    fn a_mark_at_the_start_is_skipped_and_an_edition_is_named() {
        parse("a.proto", "\u{feff}syntax = \"proto3\";").expect("protos");
        let said = refused("// A licence.\n\nedition = \"2023\";");
        assert!(said.starts_with("a.proto:3: editions") && said.contains("proto3"), "{said}");
        parse("a.proto", "message edition {}").expect("protos");
    }
}
