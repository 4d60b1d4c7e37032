//! From a workload's definition to what the load engine takes.

use std::sync::Arc;

use velo_load::{BodyChecker, Calls, Mix, MixError, Order};
use velo_model::{Header, Protocol, Request, Workload};
use velo_request::{Checker, Tables, compile_for, prepare};

use super::calls;
use crate::build::data::DataSet;

/// Why a workload cannot be rendered, which a validated one does not cause.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotRendered {
    #[error("{0}")]
    Mix(#[from] MixError),
    #[error("{0}")]
    Call(String),
}

/// Requests as the engine takes them, with the check of bodies.
type Rendered = (Arc<Mix>, Arc<dyn BodyChecker>);

/// Renders a workload for a host and hands over the check of its bodies. Where each request has a connection of its own, it says so.
///
/// # Errors
/// When a request cannot be rendered.
pub(crate) fn translate(workload: &Workload, data: &DataSet, host: &str) -> Result<Rendered, NotRendered> {
    let order = if workload.in_order { Order::InOrder } else { Order::Weighted };
    let mut requests = workload.requests.clone();
    if workload.load.requests_per_connection == Some(1) {
        requests.iter_mut().for_each(|request| close(request, workload.load.protocol));
    }
    render(workload, &requests, order, data, host)
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
) -> Result<Rendered, NotRendered> {
    let mut request = workload.requests.get(request).cloned().ok_or(MixError::Empty)?;
    if closes {
        close(&mut request, workload.load.protocol);
    }
    render_one(workload, &request, data, host)
}

/// Says that the request is its connection's last (RFC 9112, 9.6). A connection of HTTP/2 has no such header: it is closed all the same.
fn close(request: &mut Request, protocol: Protocol) {
    let says_so = |header: &Header| header.name.eq_ignore_ascii_case("connection");
    if !protocol.is_http2() && !request.headers.iter().any(says_so) {
        request.headers.push(Header::fixed("Connection", "close"));
    }
}

/// A request that has the values of a workload, for its protocol.
///
/// # Errors
/// As [`translate`].
pub(crate) fn render_one(
    workload: &Workload,
    request: &Request,
    data: &DataSet,
    host: &str,
) -> Result<Rendered, NotRendered> {
    render(workload, &[always(request)], Order::Weighted, data, host)
}

/// The same of what is no call of gRPC, with what tells the texts of its values.
///
/// # Errors
/// When it cannot be rendered.
pub(crate) fn alone(
    workload: &Workload,
    request: &Request,
    data: &DataSet,
    host: &str,
) -> Result<(Arc<Mix>, Arc<Checker>), MixError> {
    let protocol = spoken(workload.load.protocol);
    compile_for(&[always(request)], &tables(workload, data), Order::Weighted, host, protocol)
}

/// One that is sent in bursts only has no weight in the mix.
fn always(request: &Request) -> Request {
    Request { weight: 1, ..request.clone() }
}

fn render(
    workload: &Workload,
    requests: &[Request],
    order: Order,
    data: &DataSet,
    host: &str,
) -> Result<Rendered, NotRendered> {
    let protocol = workload.load.protocol;
    let (mut specs, checker) = prepare(requests, &tables(workload, data));
    let mut checker: Arc<dyn BodyChecker> = Arc::new(checker);
    if let Some(grpc) = workload.grpc.as_ref().filter(|_| protocol.is_grpc()) {
        checker = calls::complete(grpc, requests, &mut specs, &checker).map_err(NotRendered::Call)?;
    }
    Ok((Arc::new(Mix::for_protocol(specs, order, host, spoken(protocol))?), checker))
}

/// What the engine calls a protocol.
pub(crate) fn spoken(protocol: Protocol) -> velo_load::Protocol {
    match protocol {
        Protocol::Http1 | Protocol::Https1 => velo_load::Protocol::Http1,
        Protocol::H2c => velo_load::Protocol::Http2 { is_https: false },
        Protocol::H2 => velo_load::Protocol::Http2 { is_https: true },
        Protocol::Grpc | Protocol::Grpcs => {
            velo_load::Protocol::Grpc(Calls { is_https: protocol.is_encrypted(), ..Calls::default() })
        }
    }
}

fn tables(workload: &Workload, data: &DataSet) -> Tables {
    Tables { data: data.tables(), ..Tables::of(&workload.tables) }
}
