//! The command line without secrets.

const SECRET: [&str; 3] = ["authorization", "cookie", "proxy-authorization"];
/// Short flags without a value, which may stand in front of `H` in one word.
const ALONE: [char; 4] = ['k', 'L', '4', '6'];

/// The values of secret headers are replaced by `...`.
pub(crate) fn redacted(args: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let (flag, header) = split(arg);
        match header {
            Header::None => kept.push(arg.clone()),
            Header::Here(header) => kept.push(format!("{flag}{}", without_secret(header))),
            Header::Next => {
                kept.push(arg.clone());
                kept.extend(args.next().map(|header| without_secret(header)));
            }
        }
    }
    kept
}

enum Header<'a> {
    None,
    Here(&'a str),
    Next,
}

/// The flag, and where the header is that it brings.
fn split(arg: &str) -> (&str, Header<'_>) {
    for flag in ["--header", "--metadata"] {
        match arg.strip_prefix(flag) {
            Some("") => return (arg, Header::Next),
            Some(rest) if rest.starts_with('=') => {
                let (flag, header) = arg.split_at(flag.len() + 1);
                return (flag, Header::Here(header));
            }
            _ => {}
        }
    }
    let Some(short) = arg.strip_prefix('-') else { return (arg, Header::None) };
    match short.trim_start_matches(ALONE).strip_prefix('H') {
        Some("") => (arg, Header::Next),
        Some(header) => {
            let at = arg.len() - header.len();
            (&arg[..at], Header::Here(header))
        }
        None => (arg, Header::None),
    }
}

fn without_secret(header: &str) -> String {
    match header.split_once(':') {
        Some((name, _)) if SECRET.contains(&name.trim_matches([' ', '=']).to_ascii_lowercase().as_str()) => {
            format!("{name}: ...")
        }
        _ => header.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_taken_out_however_they_are_typed() {
        let args: Vec<String> = [
            "load",
            "-H",
            "Authorization: Basic c2VjcmV0",
            "-HCookie: secret",
            "-kH",
            "cookie:secret",
            "--header",
            "Proxy-Authorization: secret",
            "--header=AUTHORIZATION: secret",
            "--metadata",
            "authorization: secret",
            "--metadata=cookie: secret",
            "-H=Cookie: secret",
            "-H",
            "Accept: text/plain",
            "-n",
            "3",
            "http://h/",
        ]
        .map(str::to_owned)
        .to_vec();
        let kept = redacted(&args);
        assert_eq!(kept.len(), args.len());
        assert!(
            !kept.join(" ").to_lowercase().contains("secret") && !kept.join(" ").contains("c2Vj"),
            "{kept:?}"
        );
        assert_eq!(&kept[1..3], ["-H", "Authorization: ..."]);
        assert_eq!(&kept[kept.len() - 5..], ["-H", "Accept: text/plain", "-n", "3", "http://h/"]);
    }
}
