//! HTTP/2 in clear, by prior knowledge: the tools.

use std::path::Path;

use super::over_http2::{self, BODY_FILE, CONNECTIONS};
use super::read;
use super::tool::{Asked, TIMEOUT_S, Tool, words};
use velo_tests::faults_h2::{ALL, Row};

/// The faults.
pub fn cases() -> Vec<&'static Row> {
    ALL.iter().filter(|row| !row.is_grpc()).collect()
}

/// The tools that are installed; velo is the program given.
pub fn tools(velo: &Path) -> Vec<Tool<Row>> {
    let tools = [
        Some(Tool::velo(velo, velo_arguments, read::velo)),
        Tool::installed("h2load", h2load_arguments, read::h2load, &["--version"]),
        Tool::installed("oha", oha_arguments, read::oha, &["--version"]),
    ];
    tools.into_iter().flatten().collect()
}

fn velo_arguments(asked: &Asked<'_, Row>) -> Vec<String> {
    let mut arguments = over_http2::velo_arguments(asked);
    arguments.push("--http2".to_owned());
    if asked.case.body_bytes > 0 {
        arguments.extend(words(["-m", "POST", "--body", &format!("@{BODY_FILE}")]));
    }
    arguments.push(asked.url());
    arguments
}

fn h2load_arguments(asked: &Asked<'_, Row>) -> Vec<String> {
    let mut arguments = words(["-c", &CONNECTIONS.to_string(), "-m", &asked.case.streams.to_string()]);
    arguments.extend(words(["-N", &TIMEOUT_S.to_string()]));
    arguments.extend(asked.amount("-n", "-D", ""));
    if asked.case.body_bytes > 0 {
        arguments.extend(words(["-d", BODY_FILE]));
    }
    arguments.push(asked.url());
    arguments
}

fn oha_arguments(asked: &Asked<'_, Row>) -> Vec<String> {
    let mut arguments = words(["--no-tui", "--output-format", "json", "--http2"]);
    arguments.extend(words(["-c", &CONNECTIONS.to_string(), "-p", &asked.case.streams.to_string()]));
    arguments.extend(words(["-t", &format!("{TIMEOUT_S}s")]));
    arguments.extend(asked.amount("-n", "-z", "s"));
    if asked.case.body_bytes > 0 {
        arguments.extend(words(["-m", "POST", "-D", BODY_FILE]));
    }
    arguments.push(asked.url());
    arguments
}
