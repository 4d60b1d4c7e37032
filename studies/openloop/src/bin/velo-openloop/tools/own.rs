use std::process::Command;

use serde::Deserialize;
use velo_record::LoadRecord;

use super::{BARE, Load};
use crate::figures::{Figures, Times};
use crate::protocol::Protocol;
use crate::{CONNECTIONS, Outcome};

pub(super) fn prepare_bare(load: &Load, command: &mut Command) -> Outcome<()> {
    command.args([
        BARE,
        load.protocol.name(),
        &load.port.to_string(),
        &load.per_s.to_string(),
        &load.seconds.to_string(),
    ]);
    Ok(())
}

pub(super) fn prepare_sleep(load: &Load, command: &mut Command) -> Outcome<()> {
    command.args(["sleep", &load.per_s.to_string(), &load.seconds.to_string()]);
    Ok(())
}

pub(super) fn read_printed(_: &Load, stdout: &str) -> Outcome<Figures> {
    Ok(serde_json::from_str(stdout)?)
}

const FILE: &str = "velo.json";

pub(super) fn prepare_velo(load: &Load, command: &mut Command) -> Outcome<()> {
    command.args(["load", "-c", &CONNECTIONS.to_string(), "-d", &format!("{}s", load.seconds)]);
    command.args(["-R", &load.per_s.to_string(), "--arrivals", "constant", "--json"]);
    command.arg(load.folder.join(FILE)).arg(load.url());
    if load.protocol == Protocol::H2c {
        command.arg("--http2");
    }
    Ok(())
}

/// What matters here of the file that `velo load --json` writes.
#[derive(Deserialize)]
struct Document {
    record: LoadRecord,
}

pub(super) fn read_velo(load: &Load, _: &str) -> Outcome<Figures> {
    let Document { record } = serde_json::from_slice(&std::fs::read(load.folder.join(FILE))?)?;
    let seconds = record.duration_ns as f64 / 1e9;
    Ok(Figures {
        times: Times::of(&record.response_time.decode()?),
        achieved_per_s: Some(record.outcomes.correct as f64 / seconds),
        send_lag_p99_ns: record.send_lag.decode()?.quantile_ns(0.99),
        requests: record.sent,
        failed: record.outcomes.failed(),
    })
}
