//! Flags that do not fit together.

use super::flags::LoadArgs;
use super::model::Model;
use crate::exit::usage;
use crate::values;

/// Refuses more in flight on a connection than it may carry.
///
/// # Errors
/// When flags contradict each other.
pub(crate) fn connections(args: &LoadArgs) -> anyhow::Result<()> {
    if let Some(streams) = args.connections.streams
        && !args.speaks_http2()
    {
        return Err(usage(format!(
            "--streams is for HTTP/2\n  expected --http2 with it, or --pipelining {streams} for HTTP/1.1"
        )));
    }
    let each = args.requests_per_connection();
    let in_flight = args.connections.in_flight_on_each();
    if each.is_some_and(|requests| requests < in_flight) {
        let flag = if args.connections.streams.is_some() { "--streams" } else { "--pipelining" };
        return Err(usage(format!(
            "{flag} {in_flight} does not fit into {} per connection",
            values::count(each.unwrap_or(1) as usize, "request")
        )));
    }
    Ok(())
}

/// Refuses a count that a closed loop's warm-up uses up: what is in flight when that is over are the first of the
/// requests that are asked for.
///
/// # Errors
/// When there are too few.
pub(crate) fn count(args: &LoadArgs, model: &Model) -> anyhow::Result<()> {
    let in_flight = u64::from(model.connections) * u64::from(args.connections.in_flight_on_each());
    match model.count {
        Some(count) if count < in_flight && !model.is_open() && !model.warm_up.is_zero() => {
            Err(usage(format!(
                "-n {count} is less than the {in_flight} requests that are in flight when the warm-up ends\n  \
                 expected a larger -n, or fewer connections (-c)"
            )))
        }
        _ => Ok(()),
    }
}
