//! What other tools' flags are called here.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::flags::LoadArgs;

/// Flags of other tools that `velo load` does not have, and what to type instead.
const ELSEWHERE: &[(&[&str], &str)] = &[
    (
        &["-s", "--script"],
        "there are no scripts (wrk: -s): several requests are --request, changing values --value and --csv-values, checks --expect-*; a timeout (ab: -s) is --timeout, stages (k6) are --steps and --ramp",
    ),
    (
        &["-p"],
        "a body's file (ab: -p) is --body @FILE; several requests on a connection (oha, h2load: -p) are --streams with --http2, else --pipelining",
    ),
    (&["-u"], "a body's file for PUT (ab: -u) is --body @FILE -m PUT; users (k6: -u) are connections, -c"),
    (
        &["-i"],
        "HEAD (ab: -i) is -m HEAD; iterations (k6: -i) are -n; a file of URLs (h2load: -i) is --requests-file",
    ),
    (
        &["-a", "--user", "--basic-auth"],
        "a user and password (hey, oha: -a; curl: --user) are -H 'Authorization: Basic ...', or @FILE as the value to keep it off the command line",
    ),
    (
        &["-A", "--accept"],
        "Accept (hey, oha: -A) is -H 'Accept: TYPE'; a user and password (ab: -A) are -H 'Authorization: Basic ...'",
    ),
    (&["-C", "--cookie"], "a cookie (ab: -C) is -H 'Cookie: NAME=VALUE'"),
    (&["--body-file"], "a body's file is --body @FILE, or -D FILE"),
    (
        &["--data-raw", "--data-binary", "--payload"],
        "a body is --body TEXT or --body @FILE, JSON is --json-body",
    ),
    (&["-F", "--form"], "a form is --body TEXT with -T application/x-www-form-urlencoded"),
    (&["-x", "--proxy"], "proxies are not used"),
    (&["-I", "--head"], "HEAD is -m HEAD"),
    (
        &["-b"],
        "a cookie (curl: -b) is -H 'Cookie: NAME=VALUE'; a body (autocannon: -b) is --body; buffers (ab: -b) have the system's size",
    ),
    (
        &["-e", "-g", "-o", "-j", "--output", "--output-format", "--out", "--summary-export", "--log-file"],
        "results go to --json FILE, --csv FILE and --hdr-log FILE; `--json -` prints JSON",
    ),
    (
        &["-r"],
        "failures never end a load (ab: -r); redirects (oha: -r) are not followed; a rate (vegeta: -rate, h2load: -r) is -R",
    ),
    (
        &["-w"],
        "a warm-up is --warm-up TIME; the shape of the output (curl: -w) is --json, --csv, a table (ab: -w) --html FILE",
    ),
    (&["-l"], "lengths are not compared unless --expect-length or --expect-same says so (ab: -l)"),
    (&["-N"], "a timeout (h2load: -N) is --timeout"),
    (
        &["-U", "--user-agent", "--u_latency"],
        "a user agent (hey: -U) is -H 'User-Agent: NAME'; service times (wrk2: -U) are always shown",
    ),
    (&["-B", "--bind", "--interface"], "an own address (ab: -B) is --source IP"),
    (&["-P"], "a proxy's password (ab: -P) has no use here: proxies are not used"),
    (&["-S", "-V"], "`velo --version` has the version, --latency all percentiles, --quiet says less"),
    (
        &["-2", "--h2", "--h2c", "--http-version", "--http2-prior-knowledge"],
        "HTTP/2 is --http2: with https:// by ALPN, with http:// by prior knowledge",
    ),
    (
        &["--http3", "--h3", "--alpn-list"],
        "HTTP/3 is not supported: it runs over QUIC, and velo speaks TCP; --http2 and --http1 are there",
    ),
    (
        &["--max-concurrent-streams", "--http2-parallel"],
        "several requests on a connection are --streams N, with --http2",
    ),
    (
        &["--no-connection-reuse", "--no-vu-connection-reuse"],
        "a connection for each request is --no-keepalive",
    ),
    (&["--keepalive", "--keep-alive"], "connections are kept open anyway; --no-keepalive closes them"),
    (
        &["--no-progress", "--silent", "--no-color"],
        "what is shown under way is left out with --live off, hints and plan too with --quiet; NO_COLOR is respected",
    ),
    (&["--burst-delay", "--burst-rate"], "bursts are --burst 'N every TIME'"),
    (
        &["--urls-from-file", "--targets"],
        "several requests are --request or --requests-file, values of a path --csv-values",
    ),
    (&["--rand-regex-url"], "a random path is --value id=1..1000 and {id} in the URL"),
    (
        &["--location", "--redirect", "--redirects", "--disable-redirects"],
        "redirects are not followed: they are answers, as --expect-status 3xx",
    ),
    (
        &["--disable-compression", "--compressed"],
        "compression is not asked for, unless by -H 'Accept-Encoding: gzip'",
    ),
    (&["--host"], "another Host is -H 'Host: NAME'"),
    (&["--connect-to", "--resolve"], "another address (curl: --resolve HOST:PORT:IP) is --address IP"),
    (&["--unix-socket"], "a Unix socket is --unix PATH"),
    (
        &["--vus", "--clients", "--workers", "--max-workers", "--concurrency", "--max-connections"],
        "users and workers are connections, -c",
    ),
    (&["--iterations", "--amount", "--number"], "a number of requests is -n"),
    (&["--stage", "--stages"], "stages (k6) are --ramp 'FROM..TO over TIME' and --steps 'RATE:TIME,...'"),
    (&["--rps", "--qps", "--arrival-rate"], "a rate is -R"),
    (&["--threshold", "--thresholds"], "thresholds are --fail-on 'p99<20ms,errors=0'"),
    (
        &["--max-time", "--connect-timeout", "--request-timeout"],
        "a timeout is --timeout, for a request with its connection",
    ),
    (&["--insecure-skip-tls-verify", "--skip-verify", "--skipverify"], "any certificate is accepted with -k"),
    (&["--root-certs", "--ca-certificate"], "own certificates are --cacert FILE"),
    (&["--warm-up-time", "--warmup"], "a warm-up is --warm-up TIME"),
    (
        &["--expect-json-slots"],
        "it is --expect-json now, in which \"<bool>\" and the like stand for any value of their kind",
    ),
    (&["--call"], "a method (ghz: --call) is --grpc METHOD"),
    (&["--plaintext"], "http:// is in clear, https:// over TLS (ghz: --insecure, grpcurl: -plaintext)"),
    (&["--import-paths"], "folders of protos (ghz: -i) are --import-path DIR, once for each"),
    (&["--total"], "a number of calls is -n"),
    (&["--binary", "--binary-file"], "a message from a file (ghz: --binary-file) is --data @FILE, as JSON"),
    (
        &["--har", "--openapi", "--swagger", "--postman", "--collection"],
        "recordings and descriptions of an API are not read: the requests to send are --request, or a TOML file for --requests-file",
    ),
    (&["-G", "--get"], "a query (curl: -G) is a part of the URL: 'http://HOST/PATH?NAME=VALUE'"),
    (
        &["-f", "--file", "--fail"],
        "a file of requests is --requests-file FILE, a body's file (bombardier: -f) --body @FILE, a version of TLS (ab: -f) --tls; an answer with another status than 2xx is an error anyway (curl: -f)",
    ),
    (&["--verify", "--expectBody"], "checks of answers are --expect-*"),
];

/// Long flags that Go's tools write with one hyphen, which is read as a short flag and its value here.
const ONE_HYPHEN: [&str; 16] = [
    "-plaintext",
    "-import-path",
    "-duration",
    "-rate",
    "-targets",
    "-connections",
    "-workers",
    "-max-workers",
    "-timeout",
    "-body",
    "-insecure",
    "-keepalive",
    "-cpus",
    "-host",
    "-disable-keepalive",
    "-http2",
];

/// A line for a command line that could not be read, where another tool's flag explains it.
pub(crate) fn for_error(error: &clap::Error, args: &[String]) -> Option<String> {
    let is_load = args.iter().skip(1).find(|arg| !arg.starts_with('-')).is_some_and(|verb| verb == "load");
    if !is_load
        || !matches!(
            error.kind(),
            ErrorKind::UnknownArgument | ErrorKind::InvalidValue | ErrorKind::ValueValidation
        )
    {
        return None;
    }
    let name = |arg: &str| arg.split_once('=').map_or(arg, |(name, _)| name).to_owned();
    if let Some(flag) = args.iter().map(|arg| name(arg)).find(|flag| ONE_HYPHEN.contains(&flag.as_str())) {
        let known =
            ["-import-path", "-duration", "-rate", "-connections", "-timeout", "-body", "-insecure", "-cpus"];
        return Some(if known.contains(&flag.as_str()) {
            format!("long flags have two hyphens: -{flag}")
        } else {
            elsewhere(&format!("-{flag}"))
                .unwrap_or("long flags have two hyphens; velo load --help lists them")
                .to_owned()
        });
    }
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else { return None };
    elsewhere(&name(flag)).map(str::to_owned)
}

fn elsewhere(flag: &str) -> Option<&'static str> {
    ELSEWHERE.iter().find(|(flags, _)| flags.contains(&flag)).map(|(_, hint)| *hint)
}

/// Hints about a command line that can be read, but may not mean what was meant.
pub(crate) fn for_flags(args: &LoadArgs) -> Vec<String> {
    let mut hints = Vec::new();
    if args.https.insecure && !args.url.is_https {
        hints.push("-k accepts any certificate and does nothing with http://; connections are kept open anyway (ab: -k)".to_owned());
    }
    hints
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::Args;

    fn hint(line: &[&str]) -> Option<String> {
        let args: Vec<String> = ["velo", "load"].iter().chain(line).map(|&arg| arg.to_owned()).collect();
        let error = Args::try_parse_from(&args).expect_err("no command line");
        for_error(&error, &args)
    }

    #[test]
    fn flags_of_other_tools_are_explained() {
        for (line, wanted) in [
            (&["-s", "a.lua", "http://h/"][..], "--request"),
            (&["-p", "body", "http://h/"], "--body @FILE"),
            (&["-w", "5s", "http://h/"], "--warm-up"),
            (&["--no-progress", "http://h/"], "--live off"),
            (&["-a", "user:pw", "http://h/"], "Authorization"),
            (&["--http3", "http://h/"], "QUIC"),
            (&["-duration=10s", "http://h/"], "--duration"),
            (&["-rate=50", "http://h/"], "--rate"),
            (&["-targets=file", "http://h/"], "--requests-file"),
            (&["--data-raw=x", "http://h/"], "--body"),
            (&["--call", "a.B/C", "http://h/"], "--grpc"),
            (&["-plaintext", "http://h/"], "http://"),
            (&["--har", "a.har", "http://h/"], "--requests-file"),
            (&["--openapi=a.yaml", "http://h/"], "--requests-file"),
            (&["-G", "http://h/"], "?NAME=VALUE"),
            (&["-f", "body", "http://h/"], "--body @FILE"),
        ] {
            let hint = hint(line).unwrap_or_default();
            assert!(hint.contains(wanted), "{line:?}: {hint}");
        }
        assert_eq!(hint(&["--nonsense", "http://h/"]), None);
        assert_eq!(hint(&["-c", "many", "http://h/"]), None);
    }

    #[test]
    fn flags_of_other_tools_that_mean_one_thing_are_taken() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let line = [
            "velo",
            "load",
            "-z",
            "3s",
            "-X",
            "PUT",
            "-D",
            file,
            "--no-tui",
            "--disable-keepalive",
            "-R",
            "5",
            "--latency-correction",
            "h:1",
        ];
        let args = Args::try_parse_from(line).expect("a command line");
        let crate::args::Verb::Load(args) = args.verb else { panic!("another verb") };
        assert_eq!(args.model.duration, Some(std::time::Duration::from_secs(3)));
        assert_eq!(args.requests.method.as_deref(), Some("PUT"));
        assert_eq!(args.requests.body(), Some(format!("@{file}")));
        assert!(args.result.no_tui && args.requests_per_connection() == Some(1));
        let closed = ["velo", "load", "--latency-correction", "h:1"];
        assert!(Args::try_parse_from(closed).is_err(), "a closed loop has nothing to correct");
        let seconds =
            Args::try_parse_from(["velo", "load", "-D", "10", "h:1"]).expect_err("seconds or a file");
        assert!(["-d 10", "./10"].iter().all(|cure| seconds.to_string().contains(cure)), "{seconds}");
    }

    #[test]
    fn no_flag_of_ours_is_in_the_list() {
        use clap::CommandFactory as _;
        let command = Args::command();
        let load = command.get_subcommands().find(|verb| verb.get_name() == "load").expect("the verb");
        for argument in load.get_arguments() {
            let long = argument.get_long().map(|long| format!("--{long}"));
            let short = argument.get_short().map(|short| format!("-{short}"));
            let aliases =
                argument.get_all_aliases().unwrap_or_default().into_iter().map(|long| format!("--{long}"));
            let letters = argument.get_all_short_aliases().unwrap_or_default();
            let letters = letters.into_iter().map(|short| format!("-{short}"));
            for flag in long.into_iter().chain(short).chain(aliases).chain(letters) {
                assert_eq!(elsewhere(&flag), None, "{flag} is a flag of velo load");
            }
        }
    }

    #[test]
    fn the_tables_of_other_tools_name_flags_that_are_there() {
        use clap::CommandFactory as _;
        let command = Args::command();
        let load = command.get_subcommands().find(|verb| verb.get_name() == "load").expect("the verb");
        let ours: Vec<String> =
            load.get_arguments().filter_map(|argument| argument.get_long().map(str::to_owned)).collect();
        let tables = include_str!("../../../../docs/other-tools.md");
        let mut seen = 0;
        for row in tables.lines().filter_map(|line| line.strip_prefix("| ")) {
            let Some((_, here)) = row.split_once(" | ") else { continue };
            for word in here.split(|c: char| !c.is_ascii_alphanumeric() && c != '-') {
                let Some(flag) = word.strip_prefix("--").filter(|flag| *flag != "expect-") else { continue };
                assert!(ours.iter().any(|own| own == flag), "--{flag} in: {row}");
                seen += 1;
            }
        }
        assert!(seen > 50, "{seen} flags");
    }
}
