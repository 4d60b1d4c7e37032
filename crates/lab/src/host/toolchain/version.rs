use velo_model::Version;

/// Versions stand near the start; warnings before them are short.
const LINES: usize = 50;

/// The version after a label in the first line that has one, and that line.
pub(super) fn in_output(output: &str, label: &str) -> Option<(Version, String)> {
    output.lines().take(LINES).find_map(|line| {
        let line = plain(line);
        let at = if label.is_empty() { 0 } else { line.find(label)? + label.len() };
        let version = leading(line.get(at..)?.trim_start())?;
        Some((version, line.trim().to_owned()))
    })
}

/// The version that a text begins with: `3.1.2` of `3.1.2p20`, `1.95.0` of `1.95.0-nightly`.
pub(super) fn leading(text: &str) -> Option<Version> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    Version::parse(text[..end].trim_end_matches('.'))
}

/// A line without what terminals act on; Maven colours its version even into a pipe.
fn plain(line: &str) -> String {
    let mut text = String::new();
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            // OK to swallow the rest: a sequence that never ends is no text.
            chars.by_ref().skip(1).find(char::is_ascii_alphabetic);
        } else if !c.is_control() || c == '\t' {
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::known::by_name;
    use super::*;

    fn version(toolchain: &str, output: &str) -> Option<String> {
        in_output(output, by_name(toolchain).expect("known").label).map(|(version, _)| version.to_string())
    }

    #[test]
    fn real_outputs_are_read() {
        for (toolchain, output, expected) in [
            ("go", "go version go1.26.8 linux/amd64", "1.26.8"),
            ("go", "go version go1.27rc1 linux/amd64", "1.27"),
            ("node", "v20.20.2\n", "20.20.2"),
            ("npm", "11.19.1\n", "11.19.1"),
            ("python", "Python 3.11.7\n", "3.11.7"),
            ("python", "Python 3.14.0a1+\n", "3.14.0"),
            ("rust", "cargo 1.95.0 (f2d3ce0bd 2026-03-21)", "1.95.0"),
            ("rust", "cargo 1.97.0-nightly (f2d3ce0bd 2026-03-21)", "1.97.0"),
            ("java", "Picked up JAVA_TOOL_OPTIONS: -Xmx512m\njavac 17.0.15\n", "17.0.15"),
            ("java", "javac 26-ea\n", "26"),
            (
                "maven",
                "\u{1b}[1mApache Maven 3.8.7\u{1b}[m\nMaven home: /usr/share/maven\nJava version: 17.0.15",
                "3.8.7",
            ),
            (
                "php",
                "PHP 8.2.36 (cli) (built: Nov 18 2026 20:02:04) (NTS)\nCopyright (c) The PHP Group",
                "8.2.36",
            ),
            ("php-fpm", "PHP 8.2.36 (fpm-fcgi) (built: Nov 18 2026 20:02:04)", "8.2.36"),
            ("nginx", "nginx version: nginx/1.22.1\n", "1.22.1"),
            (
                "composer",
                "PHP Deprecated: 8.4 something\nComposer version 2.5.5 2023-03-21 11:50:05",
                "2.5.5",
            ),
            ("ruby", "ruby 3.1.2p20 (2022-04-12 revision 4491bb740a) [x86_64-linux-gnu]", "3.1.2"),
            ("puma", "puma version 5.6.5\n", "5.6.5"),
            ("thin", "thin 1.8.1 codename Infinite Smoothie\n", "1.8.1"),
            ("dotnet", "8.0.404\n", "8.0.404"),
            (
                "mono",
                "Mono JIT compiler version 6.8.0.105 (Debian 6.8.0.105+dfsg-3.3 Wed Feb 22 18:44:57 UTC 2023)",
                "6.8.0.105",
            ),
        ] {
            assert_eq!(version(toolchain, output).as_deref(), Some(expected), "{toolchain}: {output}");
        }
    }

    #[test]
    fn other_outputs_have_no_version() {
        for output in ["", "bash: go: command not found", "go version devel +abc", "go version go", "v1.2"] {
            assert_eq!(version("go", output), None, "{output}");
        }
    }

    #[test]
    fn a_dotnet_without_its_sdk_has_no_version() {
        let output = "The command could not be loaded, possibly because:\n  * You intended to execute a .NET \
                      application:\n      The application '--version' does not exist.\n";
        assert_eq!(version("dotnet", output), None);
    }

    #[test]
    fn the_line_is_kept_without_colours() {
        let (_, line) =
            in_output("\u{1b}[1mApache Maven 3.8.7\u{1b}[m\n", "Apache Maven ").expect("a version");
        assert_eq!(line, "Apache Maven 3.8.7");
    }

    proptest! {
        #[test]
        fn any_output_gets_an_answer(output in "\\PC{0,100}|.{0,100}", label in ".{0,5}") {
            in_output(&output, &label);
        }
    }
}
