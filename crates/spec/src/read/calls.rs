//! `[[calls]]`: what one request costs when it is the only one.

use serde::Deserialize;
use toml::Spanned;
use velo_model::{
    CallCondition, CallConnection, CallProblem, CallSending, CallSettings, CallTls, Protocol, Request,
};
use velo_request::{SourceFile, SpecError, one_of};

use super::{checks, kinds};

/// More conditions than this in a workload would take hours.
const MOST_CONDITIONS: usize = 200;
/// Calls under a condition, where the workload does not say.
const CALLS: u32 = 10;

/// `[[calls]]` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireCalls {
    request: Spanned<String>,
    protocols: Spanned<Vec<Spanned<String>>>,
    connections: Spanned<Vec<Spanned<String>>>,
    tls: Option<Spanned<Vec<Spanned<String>>>>,
    rtt_ms: Option<Spanned<Vec<Spanned<u64>>>>,
    sending: Option<Spanned<Vec<Spanned<String>>>>,
    calls: Option<Spanned<u64>>,
}

/// Checks all of a workload's.
pub(super) fn read(
    file: &SourceFile,
    tables: &[WireCalls],
    requests: &[Request],
) -> Result<Vec<CallSettings>, SpecError> {
    let mut all: Vec<CallSettings> = Vec::new();
    for wire in tables {
        let settings = table(file, wire, requests)?;
        let known =
            |condition: &CallCondition| all.iter().any(|earlier| earlier.conditions.contains(condition));
        if let Some(twice) = settings.conditions.iter().find(|condition| known(condition)) {
            return Err(file.at(&wire.connections, "calls").wrong(
                format!("a second table `calls` has the condition `{twice}`"),
                "expected each condition once in a workload",
            ));
        }
        all.push(settings);
        let count: usize = all.iter().map(|settings| settings.conditions.len()).sum();
        if count > MOST_CONDITIONS {
            return Err(file.at(&wire.connections, "calls").wrong(
                format!("the tables `calls` have {count} conditions"),
                format!("expected at most {MOST_CONDITIONS}: each protocol with each connection, TLS version, distance and sending"),
            ));
        }
    }
    Ok(all)
}

/// A condition that one of the workload's tables has.
pub(super) fn condition(
    file: &SourceFile,
    text: &Spanned<String>,
    key: &str,
    calls: &[CallSettings],
) -> Result<CallCondition, SpecError> {
    let condition: CallCondition = text
        .get_ref()
        .parse()
        .map_err(|problem: CallProblem| file.at(text, key).wrong(problem.what, problem.expected))?;
    if calls.iter().any(|settings| settings.conditions.contains(&condition)) {
        return Ok(condition);
    }
    let known = calls.iter().flat_map(|settings| &settings.conditions);
    let known: Vec<String> = known.map(ToString::to_string).collect();
    Err(file.at(text, key).wrong(
        format!("no table `calls` of the workload has the condition `{condition}`"),
        match known.is_empty() {
            true => "expected a table `[[calls]]` with it".to_owned(),
            false => format!("expected one of: {}", known.join(", ")),
        },
    ))
}

fn table(file: &SourceFile, wire: &WireCalls, requests: &[Request]) -> Result<CallSettings, SpecError> {
    let protocols =
        listed(file, &wire.protocols, "calls.protocols", Protocol::of_run, &Protocol::names_of_runs())?;
    let connections = listed(
        file,
        &wire.connections,
        "calls.connections",
        CallConnection::named,
        &CallConnection::ALL.map(CallConnection::name),
    )?;
    let encrypted = protocols.iter().any(|protocol| protocol.is_encrypted());
    if let Some(resumed) = wire.connections.get_ref().iter().find(|name| name.get_ref() == "resumed")
        && !encrypted
    {
        return Err(file.at(resumed, "calls.connections").wrong(
            "`calls.connections` holds `resumed`, and no protocol has TLS",
            "expected `https1` or `h2` among `protocols`",
        ));
    }
    let tls = match &wire.tls {
        None => vec![CallTls::default()],
        Some(tls) if !encrypted => {
            return Err(file.at(tls, "calls.tls").wrong(
                "`calls.tls` is given, and no protocol has TLS",
                "expected `https1` or `h2` among `protocols`; without TLS are `http1` and `h2c`",
            ));
        }
        Some(tls) => listed(file, tls, "calls.tls", CallTls::named, &CallTls::ALL.map(CallTls::name))?,
    };
    let sending = match &wire.sending {
        None => vec![CallSending::default()],
        Some(sending) => {
            let names = CallSending::ALL.map(CallSending::name);
            listed(file, sending, "calls.sending", CallSending::named, &names)?
        }
    };
    let distances = match &wire.rtt_ms {
        None => vec![0],
        Some(distances) => numbers(file, distances)?,
    };
    let mut conditions = Vec::new();
    for &rtt_ms in &distances {
        for &protocol in &protocols {
            let versions: Vec<Option<CallTls>> = match protocol.is_encrypted() {
                true => tls.iter().copied().map(Some).collect(),
                false => vec![None],
            };
            for &tls in &versions {
                for &connection in &connections {
                    // What has no TLS resumes nothing.
                    if connection == CallConnection::Resumed && tls.is_none() {
                        continue;
                    }
                    conditions.extend(sending.iter().map(|&sending| CallCondition {
                        protocol,
                        connection,
                        tls,
                        rtt_ms,
                        sending,
                    }));
                }
            }
        }
    }
    Ok(CallSettings {
        request: kinds::request(file, &wire.request, requests, "calls.request")?,
        conditions,
        calls: match &wire.calls {
            None => CALLS,
            Some(calls) => checks::number(file, calls, "calls.calls", 3..=1_000)?,
        },
    })
}

/// Names of one kind, each once and at least one.
fn listed<T: Copy + PartialEq>(
    file: &SourceFile,
    values: &Spanned<Vec<Spanned<String>>>,
    key: &str,
    named: fn(&str) -> Option<T>,
    names: &[&'static str],
) -> Result<Vec<T>, SpecError> {
    let mut all = Vec::new();
    for value in values.get_ref() {
        let name = value.get_ref();
        let found = named(name).ok_or_else(|| {
            let expected = one_of(name, names.iter().copied());
            file.at(value, key).wrong(format!("`{key}` holds `{name}`"), expected)
        })?;
        if all.contains(&found) {
            return Err(file
                .at(value, key)
                .wrong(format!("`{key}` holds `{name}` twice"), "expected each once"));
        }
        all.push(found);
    }
    match all.is_empty() {
        true => Err(file
            .at(values, key)
            .wrong(format!("`{key}` is empty"), format!("expected some of: {}", names.join(", ")))),
        false => Ok(all),
    }
}

fn numbers(file: &SourceFile, values: &Spanned<Vec<Spanned<u64>>>) -> Result<Vec<u32>, SpecError> {
    const KEY: &str = "calls.rtt_ms";
    let mut all = Vec::new();
    for value in values.get_ref() {
        let number = checks::number(file, value, KEY, 0..=CallCondition::LONGEST_RTT_MS)?;
        if all.contains(&number) {
            return Err(file
                .at(value, KEY)
                .wrong(format!("`{KEY}` holds {number} twice"), "expected each once"));
        }
        all.push(number);
    }
    if all.is_empty() {
        return Err(file.at(values, KEY).wrong(
            format!("`{KEY}` is empty"),
            "expected round-trip times in milliseconds, as in [0, 20, 100]",
        ));
    }
    Ok(all)
}
