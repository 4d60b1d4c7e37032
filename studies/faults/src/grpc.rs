//! gRPC in clear: the tools.

use std::path::Path;

use super::over_http2::{self, CONNECTIONS, PROTO_FILE, SCRIPT_FILE};
use super::read_grpc as read;
use super::tool::{Asked, TIMEOUT_S, Tool, words};
use velo_tests::faults_h2::{ALL, Row};

const METHOD: &str = "faults.Faults/Ask";
const MESSAGE: &str = r#"{"text": "heads"}"#;

/// The faults.
pub fn cases() -> Vec<&'static Row> {
    ALL.iter().filter(|row| row.is_grpc()).collect()
}

/// The tools that are installed; velo is the program given.
pub fn tools(velo: &Path) -> Vec<Tool<Row>> {
    let tools = [
        Some(Tool::velo(velo, velo_arguments, read::velo)),
        Tool::installed("ghz", ghz_arguments, read::ghz, &[]),
        Tool::installed("k6", k6_arguments, read::k6, &["version"]),
        Tool::installed("fortio", fortio_arguments, read::fortio, &["version"]),
    ];
    tools.into_iter().flatten().collect()
}

fn velo_arguments(asked: &Asked<'_, Row>) -> Vec<String> {
    let mut arguments = over_http2::velo_arguments(asked);
    arguments.extend(words(["--grpc", METHOD, "--proto", PROTO_FILE, "--data", MESSAGE]));
    arguments.extend(words(["--expect-json", r#"{"win": true}"#]));
    arguments.push(asked.url());
    arguments
}

fn ghz_arguments(asked: &Asked<'_, Row>) -> Vec<String> {
    let workers = CONNECTIONS * asked.case.streams;
    let mut arguments = words(["--insecure", "--proto", PROTO_FILE, "--call", METHOD, "-d", MESSAGE]);
    arguments.extend(words(["--connections", &CONNECTIONS.to_string(), "-c", &workers.to_string()]));
    arguments.extend(words(["-t", &format!("{TIMEOUT_S}s"), "-O", "json"]));
    arguments.extend(asked.amount("-n", "-z", "s"));
    arguments.push(asked.address.to_string());
    arguments
}

/// It has one call at once on each connection.
fn k6_arguments(asked: &Asked<'_, Row>) -> Vec<String> {
    let mut arguments = words(["run", "--quiet", "--no-usage-report", "--address", ""]);
    arguments.extend(words(["--vus", &CONNECTIONS.to_string()]));
    arguments.extend(asked.amount("--iterations", "--duration", "s"));
    let variables = [
        format!("AUTHORITY={}", asked.address),
        format!("METHOD={METHOD}"),
        format!("MESSAGE={MESSAGE}"),
        format!("TIMEOUT={TIMEOUT_S}s"),
    ];
    arguments.extend(variables.into_iter().flat_map(|variable| ["-e".to_owned(), variable]));
    arguments.push(SCRIPT_FILE.to_owned());
    arguments
}

/// It asks for the state of health; the bytes of the answer to any call mean `SERVING` there.
fn fortio_arguments(asked: &Asked<'_, Row>) -> Vec<String> {
    let mut arguments =
        words(["load", "-grpc", "-qps", "0", "-allow-initial-errors", "-quiet", "-json", "-"]);
    arguments.extend(words(["-c", &CONNECTIONS.to_string(), "-s", &asked.case.streams.to_string()]));
    arguments.extend(words(["-timeout", &format!("{TIMEOUT_S}s")]));
    arguments.extend(asked.amount("-n", "-t", "s"));
    arguments.push(asked.address.to_string());
    arguments
}
