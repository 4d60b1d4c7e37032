//! `--protocol` and `--streams`: what contenders are spoken to in.

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use velo_model::{LoadSettings, Protocol, Workload};

use crate::exit::usage;

/// Takes the protocols by their names.
pub(crate) fn parser() -> impl clap::builder::TypedValueParser<Value = Protocol> {
    // OK because nothing else passes the names.
    PossibleValuesParser::new(Protocol::names_of_runs())
        .map(|name| Protocol::named(&name).expect("a protocol's name is one of those that are taken"))
}

/// Sets what was asked in place of the workloads' own, and refuses what does not go together.
pub(crate) fn set(
    workloads: &mut [Workload],
    protocol: Option<Protocol>,
    streams: Option<u32>,
) -> anyhow::Result<()> {
    for load in workloads.iter_mut().flat_map(Workload::load_settings_mut) {
        load.protocol = protocol.unwrap_or(load.protocol);
        if !load.protocol.is_http2() {
            load.streams = 1;
        }
    }
    if let Some(other) = workloads.iter().find(|other| other.load.protocol != workloads[0].load.protocol) {
        let first = &workloads[0];
        return Err(usage(format!(
            "{} is measured over {} and {} over {}\n  a server is started for one protocol: run them apart, or give --protocol for both",
            first.name, first.load.protocol, other.name, other.load.protocol
        )));
    }
    let Some(streams) = streams else { return Ok(()) };
    for LoadSettings { protocol, streams: own, .. } in
        workloads.iter_mut().flat_map(Workload::load_settings_mut)
    {
        if !protocol.is_http2() {
            return Err(usage(format!(
                "--streams {streams}: a connection of {protocol} has one request in flight\n  expected --protocol h2c or h2 beside it"
            )));
        }
        *own = streams;
    }
    Ok(())
}

/// What departs from the workloads' own settings, in words.
pub(crate) fn overrides(
    workloads: &[Workload],
    protocol: Option<Protocol>,
    streams: Option<u32>,
) -> Vec<String> {
    let of_protocol = workloads.iter().filter_map(|Workload { name, load, .. }| {
        let asked = protocol.filter(|asked| *asked != load.protocol)?;
        Some(format!("{asked} instead of {} on {name}", load.protocol))
    });
    let of_streams = workloads.iter().filter_map(|workload| {
        let asked = streams?;
        let own = workload.load_settings().map(|load| load.streams).find(|own| *own != asked)?;
        Some(format!("{asked} streams on each connection instead of {own} on {}", workload.name))
    });
    of_protocol.chain(of_streams).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::carried::void_named as workload;

    #[test]
    fn what_is_asked_replaces_the_workloads_own() {
        let mut workloads = [workload("void")];
        assert_eq!(
            overrides(&workloads, Some(Protocol::H2c), Some(8)),
            ["h2c instead of http1 on void", "8 streams on each connection instead of 1 on void"]
        );
        set(&mut workloads, Some(Protocol::H2c), Some(8)).expect("it goes together");
        assert_eq!((workloads[0].load.protocol, workloads[0].load.streams), (Protocol::H2c, 8));
        assert!(overrides(&workloads, Some(Protocol::H2c), None).is_empty());
        set(&mut workloads, Some(Protocol::Https1), None).expect("it goes together");
        assert_eq!(workloads[0].load.streams, 1, "the workload's streams go with its HTTP/2");
        set(&mut [], None, Some(8)).expect("nothing to set");
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        let mut workloads = [workload("void"), workload("coin")];
        let error = set(&mut workloads, None, Some(2)).expect_err("HTTP/1.1 has no streams").to_string();
        assert!(error.contains("--protocol h2c or h2"), "{error}");
        workloads[1].load.protocol = Protocol::H2;
        let error = set(&mut workloads, None, None).expect_err("two protocols").to_string();
        assert!(error.contains("void is measured over http1 and coin over h2"), "{error}");
    }
}
