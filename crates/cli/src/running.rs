//! `--url NAME=URL`: a server that runs already.

use velo_model::ContenderName;

use crate::load::url;

/// A server that runs already, and what it is called here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Running {
    pub(crate) name: ContenderName,
    /// `host` or `host:port`.
    pub(crate) runs_at: String,
}

/// In place of a language, for a name that has none.
const LANGUAGE: &str = "url";

/// Reads `mine=http://127.0.0.1:3000`, or the same with `language/name`.
pub(crate) fn parse(text: &str) -> Result<Running, String> {
    let expected = "expected NAME=URL, as in mine=http://127.0.0.1:3000";
    let (name, address) = text.split_once('=').ok_or(expected)?;
    let name = named(name)?;
    let url = url::parse(address)?;
    if url.is_https {
        return Err(
            "contenders are measured without TLS\n  expected http://; velo load measures https".to_owned()
        );
    }
    if url.path != "/" {
        return Err(format!(
            "the workload says which paths are asked\n  expected http://{} alone; velo load takes a path",
            url.authority()
        ));
    }
    Ok(Running { name, runs_at: url.authority() })
}

/// Reads `mine=4711`, or the same with `language/name`.
pub(crate) fn process(text: &str) -> Result<(ContenderName, u32), String> {
    let expected = || "expected NAME=PID, as in mine=4711".to_owned();
    let (name, pid) = text.split_once('=').ok_or_else(expected)?;
    let pid =
        pid.parse::<u32>().ok().filter(|pid| *pid > 0 && *pid <= i32::MAX as u32).ok_or_else(expected)?;
    Ok((named(name)?, pid))
}

fn named(name: &str) -> Result<ContenderName, String> {
    let name = if name.contains('/') { name.to_owned() } else { format!("{LANGUAGE}/{name}") };
    ContenderName::new(&name).map_err(|_| {
        "the name is of lower-case letters, digits and hyphens, as in mine or go/mine".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_and_an_address_are_read() {
        for (text, name, runs_at) in [
            ("mine=http://127.0.0.1:3000", "url/mine", "127.0.0.1:3000"),
            ("go/mine=http://127.0.0.1:3000/", "go/mine", "127.0.0.1:3000"),
            ("a-b=http://Localhost:80", "url/a-b", "localhost"),
            ("six=http://[::1]:8080", "url/six", "[::1]:8080"),
            ("mine=127.0.0.1:3000", "url/mine", "127.0.0.1:3000"),
        ] {
            let running = parse(text).expect(text);
            assert_eq!((running.name.as_str(), running.runs_at.as_str()), (name, runs_at));
        }
    }

    #[test]
    fn a_name_and_a_process_are_read() {
        let read = |text: &str| process(text).map(|(name, pid)| (name.to_string(), pid));
        assert_eq!(read("mine=4711"), Ok(("url/mine".to_owned(), 4711)));
        assert_eq!(read("go/mine=1"), Ok(("go/mine".to_owned(), 1)));
        for odd in ["", "4711", "mine=", "mine=0", "mine=-1", "mine=4294967295", "Mine=1"] {
            assert!(process(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, part) in [
            ("http://127.0.0.1:3000", "expected NAME=URL"),
            ("mine", "expected NAME=URL"),
            ("Mine=http://127.0.0.1", "lower-case"),
            ("mine=https://127.0.0.1", "velo load measures https"),
            ("mine=http://127.0.0.1:3000/coin", "expected http://127.0.0.1:3000 alone"),
            ("mine=http://127.0.0.1:3000/?a=b", "expected http://127.0.0.1:3000 alone"),
            ("mine=http://", "no host"),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
