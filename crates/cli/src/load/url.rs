//! The URL to load.

use super::address;

/// A URL, checked but for its path, which may hold values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Url {
    /// As given, without a fragment.
    pub(crate) text: String,
    /// Whether it is `https`.
    pub(crate) is_https: bool,
    /// The host without brackets.
    pub(crate) host: String,
    /// The zone of an IPv6 address, which no server is told: the number of an interface, 0 where none is given.
    pub(crate) zone: u32,
    /// The port, or that of the scheme.
    pub(crate) port: u16,
    /// The path with its query; at least `/`.
    pub(crate) path: String,
}

impl Url {
    /// The value of `Host`: the port is left out when it is the scheme's.
    pub(crate) fn authority(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        let usual = if self.is_https { 443 } else { 80 };
        if self.port == usual { host } else { format!("{host}:{}", self.port) }
    }
}

/// Reads `http://HOST[:PORT][/PATH][?QUERY]`, or the same with `https`. Without a scheme it is `http`, and without a host too, as in
/// `:3000/path`, this machine.
pub(crate) fn parse(text: &str) -> Result<Url, String> {
    let text = text.split_once('#').map_or(text, |(text, _)| text);
    let text = with_scheme(text);
    let Some((scheme, rest)) = text.split_once("://") else { return Err("expected a URL".to_owned()) };
    let is_https = match scheme.to_ascii_lowercase().as_str() {
        "http" => false,
        "https" => true,
        _ => return Err(format!("`{scheme}` is an unsupported scheme; expected http:// or https://")),
    };
    let at = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(at);
    if authority.contains('@') {
        return Err("a user and password in a URL are not sent\n  \
                    expected -H 'Authorization: Basic ...', or -H 'Authorization: @FILE' to keep it off the command line"
            .to_owned());
    }
    let (host, zone, port) = host_and_port(authority)?;
    let port = match port {
        None => {
            if is_https {
                443
            } else {
                80
            }
        }
        Some(port) => port.parse().ok().filter(|&port| port > 0).ok_or("expected a port from 1 to 65535")?,
    };
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    Ok(Url { text: text.clone(), is_https, host, zone, port, path })
}

/// A scheme stands before the first slash; a path may hold another.
fn with_scheme(text: &str) -> String {
    let has_scheme = text.split_once("://").is_some_and(|(scheme, _)| !scheme.contains(['/', '?']));
    match text {
        _ if has_scheme => text.to_owned(),
        _ if text.starts_with(':') && !text.starts_with("::") => format!("http://localhost{text}"),
        _ => format!("http://{text}"),
    }
}

/// The host without its brackets, its zone, and the text behind its colon.
fn host_and_port(authority: &str) -> Result<(String, u32, Option<&str>), String> {
    if let Some(rest) = authority.strip_prefix('[') {
        let (host, port) = rest.split_once(']').ok_or("expected `]` behind the IPv6 address")?;
        let (_, zone) = address::ipv6(host)?;
        let host = host.split_once('%').map_or(host, |(host, _)| host);
        return match port.strip_prefix(':') {
            None if port.is_empty() => Ok((host.to_owned(), zone, None)),
            Some(port) => Ok((host.to_owned(), zone, Some(port))),
            None => Err("expected `:` and a port behind `]`".to_owned()),
        };
    }
    let (host, port) = match authority.split_once(':') {
        Some((_, port)) if port.contains(':') => return Err(colons(authority)),
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    if host.is_empty() {
        return Err("it names no host, as in http://127.0.0.1:3000/".to_owned());
    }
    let sign = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    if host.len() > 253 || !host.bytes().all(sign) {
        return Err(format!(
            "`{host}` is no host\n  expected letters, digits, hyphens and dots; a name in other letters as its punycode (xn--...)"
        ));
    }
    Ok((host.to_ascii_lowercase(), 0, port))
}

/// What several colons outside of brackets may have meant.
fn colons(authority: &str) -> String {
    if let Some((scheme, rest)) =
        authority.split_once(':').filter(|(name, _)| matches!(*name, "http" | "https"))
    {
        return format!("two slashes belong behind `{scheme}:`; did you mean {scheme}://{rest}?");
    }
    let is_ip = |text: &str| text.parse::<std::net::Ipv6Addr>().is_ok();
    let with_port = authority.rsplit_once(':').filter(|(ip, port)| is_ip(ip) && port.parse::<u16>().is_ok());
    match with_port {
        Some((ip, port)) => format!("an IPv6 address stands in brackets; did you mean [{ip}]:{port}?"),
        None if is_ip(authority) => {
            format!("an IPv6 address stands in brackets; did you mean [{authority}]?")
        }
        None => {
            format!("`{authority}` is no host and port\n  expected HOST:PORT, or [ADDRESS]:PORT with IPv6")
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parts(text: &str) -> (bool, String, u16, String) {
        let url = parse(text).expect("a URL");
        (url.is_https, url.host, url.port, url.path)
    }

    #[test]
    fn urls_are_taken_apart() {
        let owned = |https, host: &str, port, path: &str| (https, host.to_owned(), port, path.to_owned());
        assert_eq!(parts("http://127.0.0.1:3000/a?b=c#top"), owned(false, "127.0.0.1", 3000, "/a?b=c"));
        assert_eq!(parts("HTTPS://Example.COM"), owned(true, "example.com", 443, "/"));
        assert_eq!(parts("http://h?x"), owned(false, "h", 80, "/?x"));
        assert_eq!(parts("http://[::1]:8080/user/{id}"), owned(false, "::1", 8080, "/user/{id}"));
        assert_eq!(parts("127.0.0.1:3000/x?to=http://h"), owned(false, "127.0.0.1", 3000, "/x?to=http://h"));
        assert_eq!(parts("localhost"), owned(false, "localhost", 80, "/"));
        assert_eq!(parts(":3000/x"), owned(false, "localhost", 3000, "/x"));
        assert_eq!(parse(":3000").expect("a URL").text, "http://localhost:3000");
        assert_eq!(parts("http://h/a@b:c"), owned(false, "h", 80, "/a@b:c"));
    }

    #[test]
    fn colons_are_explained_and_a_zone_is_no_part_of_the_host() {
        for (text, wanted) in [
            ("::1:3000/", "did you mean [::1]:3000?"),
            ("2001:db8:0:0:0:0:0:1/", "did you mean [2001:db8:0:0:0:0:0:1]?"),
            ("fe80::/", "did you mean [fe80::]?"),
            ("http:127.0.0.1:3000/", "did you mean http://127.0.0.1:3000?"),
            ("a:b:c/", "expected HOST:PORT"),
        ] {
            let why = parse(text).expect_err(text);
            assert!(why.contains(wanted), "{text}: {why}");
        }
        for text in ["http://[fe80::1%lo]:3000/", "http://[fe80::1%25lo]:3000/"] {
            let url = parse(text).expect(text);
            assert_eq!((url.host.as_str(), url.authority().as_str()), ("fe80::1", "[fe80::1]:3000"));
            assert!(url.zone > 0);
        }
    }

    #[test]
    fn host_has_the_port_unless_it_is_the_usual() {
        for (text, host) in [
            ("http://h:80/", "h"),
            ("http://h:443/", "h:443"),
            ("https://h:443/", "h"),
            ("http://[::1]:8080/", "[::1]:8080"),
            ("https://[::1]/", "[::1]"),
        ] {
            assert_eq!(parse(text).expect("a URL").authority(), host, "{text}");
        }
    }

    #[test]
    fn what_is_no_url_is_refused_with_what_was_meant() {
        for (text, wanted) in [
            ("", "no host"),
            ("/path", "no host"),
            ("::1", "[::1]"),
            ("ftp://h/", "http://"),
            ("http://", "no host"),
            ("http:///path", "no host"),
            ("http://h:0/", "port"),
            ("http://h:99999/", "port"),
            ("http://h:/", "port"),
            ("http://::1/", "[::1]"),
            ("http://[::1/", "]"),
            ("http://[x]/", "IPv6"),
            ("http://user:secret@h/", "Authorization"),
            ("http://a b/", "no host"),
            ("http://m\u{fc}nchen.de/", "punycode"),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.contains(wanted), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn any_text_gets_an_answer(text in "(https?://)?[a-z0-9.:/?#@\\[\\]-]{0,30}|.{0,40}") {
            if let Ok(url) = parse(&text) {
                prop_assert!(url.path.starts_with('/') && url.port > 0 && !url.host.is_empty());
                prop_assert_eq!(&parse(&format!("http://{}/", url.authority())).expect("again").host, &url.host);
            }
        }
    }
}
