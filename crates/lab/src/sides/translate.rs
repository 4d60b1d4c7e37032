//! From a workload's definition to what the load engine takes.

use std::sync::Arc;

use velo_load::{BodyChecker, Mix, MixError, Order};
use velo_request::{Checker, Header, Tables, compile_for};
use velo_spec::{Protocol, Request, Workload};

use crate::prepare::data::DataSet;

/// Renders a workload for a host and hands over the check of its bodies.
///
/// # Errors
/// When a request cannot be rendered, which a validated workload does not cause.
pub(crate) fn translate(
    workload: &Workload,
    data: &DataSet,
    host: &str,
) -> Result<(Arc<Mix>, Arc<dyn BodyChecker>), MixError> {
    let order = if workload.in_order { Order::InOrder } else { Order::Weighted };
    let (mix, checker) = compile_for(
        &workload.requests,
        &tables(workload, data),
        order,
        host,
        spoken(workload.load.protocol),
    )?;
    Ok((mix, checker))
}

/// One request of a workload alone, for a burst. `closes`: each has a connection of its own, and says so.
///
/// # Errors
/// As [`translate`]; also when the workload does not have it.
pub(crate) fn translate_one(
    workload: &Workload,
    request: usize,
    closes: bool,
    data: &DataSet,
    host: &str,
) -> Result<(Arc<Mix>, Arc<dyn BodyChecker>), MixError> {
    let mut request = workload.requests.get(request).cloned().ok_or(MixError::Empty)?;
    // A connection of HTTP/2 has no such header: it is closed all the same.
    if closes && !workload.load.protocol.is_http2() {
        request.headers.push(Header::fixed("Connection", "close"));
    }
    let (mix, checker) = alone(workload, &request, data, host)?;
    Ok((mix, checker))
}

/// A request that has the values of a workload, for its protocol.
///
/// # Errors
/// When it cannot be rendered.
pub(crate) fn alone(
    workload: &Workload,
    request: &Request,
    data: &DataSet,
    host: &str,
) -> Result<(Arc<Mix>, Arc<Checker>), MixError> {
    // One that is sent in bursts only has no weight in the mix.
    let request = Request { weight: 1, ..request.clone() };
    compile_for(&[request], &tables(workload, data), Order::Weighted, host, spoken(workload.load.protocol))
}

/// What the engine calls a protocol.
pub(crate) fn spoken(protocol: Protocol) -> velo_load::Protocol {
    match protocol {
        Protocol::Http1 | Protocol::Https1 => velo_load::Protocol::Http1,
        Protocol::H2c => velo_load::Protocol::Http2 { is_https: false },
        Protocol::H2 => velo_load::Protocol::Http2 { is_https: true },
    }
}

fn tables(workload: &Workload, data: &DataSet) -> Tables {
    Tables { data: data.tables(), ..Tables::of(&workload.tables) }
}
