//! What share of a server's answer is its handler's: the same work by a program without a server.

use serde::Serialize;
use velo_model::{Class, ContenderName, Workload};

use super::judge::Tasks;
use super::row::TaskRow;
use crate::doubt::reason::Reason;
use crate::measure::estimate::Estimate;
use crate::rows::row::{Row, RowsByWorkload};
use crate::words::as_json::some_in_words;

/// A server and the task of its language.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HandlerShare {
    /// The language of both.
    pub language: String,
    /// The task.
    pub task: ContenderName,
    /// The server; none when the run had none of the language.
    pub server: Option<ContenderName>,
    /// Connections at which the server was measured, the fewest of the run's loads.
    pub connections: Option<u32>,
    /// Steady time of the task.
    pub handler_ns: Option<Estimate>,
    /// The server's median service time.
    pub service_p50_ns: Option<u64>,
    /// The first over the second. It may be above 1: a server is warmed up longer.
    pub share: Option<f64>,
    /// Why it is not known.
    #[serde(serialize_with = "some_in_words")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub reason: Option<Reason>,
}

/// The shares of a workload: each language's task beside each of its servers; none in a run without servers. A variant is not
/// its language's task.
/// `rows`: those of all workloads of the run, by name.
pub(crate) fn shares(
    workload: &Workload,
    tasks: &Tasks,
    workloads: &[Workload],
    rows: &RowsByWorkload<'_>,
) -> Vec<HandlerShare> {
    let servers = servers(workload, workloads, rows);
    if servers.is_empty() {
        return Vec::new();
    }
    let mut shares = Vec::new();
    for task in tasks.rows().filter(|task| task.variant_of.is_none()) {
        let language = task.contender.language();
        let own = || servers.iter().filter(|server| server.row.contender.language() == language);
        shares.extend(own().map(|server| share(task, Some(server))));
        if own().next().is_none() {
            shares.push(share(task, None));
        }
    }
    shares.sort_by(|a, b| {
        let key = |share: &HandlerShare| (share.language.clone(), share.task.clone(), share.server.clone());
        key(a).cmp(&key(b))
    });
    shares
}

/// A server at the load with the fewest connections that it was measured at.
struct Server<'r> {
    row: &'r Row,
    connections: u32,
}

fn servers<'r>(workload: &Workload, workloads: &[Workload], rows: &RowsByWorkload<'r>) -> Vec<Server<'r>> {
    let mut loads: Vec<&Workload> = workloads
        .iter()
        .filter(|load| load.listed_as() == workload.listed_as() && load.load.rate_per_s.is_none())
        .collect();
    loads.sort_by_key(|load| load.load.connections);
    let mut servers: Vec<Server<'r>> = Vec::new();
    for load in loads {
        let of_load = rows.iter().filter(|(name, _)| *name == load.name).flat_map(|(_, rows)| *rows);
        for row in of_load.filter(|row| row.class != Class::Reference) {
            match servers.iter_mut().find(|known| known.row.contender == row.contender) {
                None => servers.push(Server { row, connections: load.load.connections }),
                Some(known) if p50_ns(known.row).is_err() && p50_ns(row).is_ok() => {
                    *known = Server { row, connections: load.load.connections };
                }
                Some(_) => {}
            }
        }
    }
    servers
}

/// The median service time, or why it cannot be used, in short: the whole reason stands with its row.
fn p50_ns(row: &Row) -> Result<u64, Reason> {
    if row.cpu_fault().is_some() {
        return Err(Reason::StateInShort {
            contender: row.contender.clone(),
            state: Box::new(row.state.clone()),
        });
    }
    let p50_ns = row.service_time.as_ref().and_then(|times| times.p50_ns).filter(|ns| *ns > 0);
    p50_ns.ok_or_else(|| Reason::NoServiceTime { contender: row.contender.clone() })
}

fn share(task: &TaskRow, server: Option<&Server<'_>>) -> HandlerShare {
    let language = task.contender.language().to_owned();
    let service = match server {
        Some(server) => p50_ns(server.row),
        None => Err(Reason::NoServer { language: language.clone() }),
    };
    let steady = task.steady_ns.filter(|_| task.is_comparable());
    let handler = steady.ok_or_else(|| Reason::StateInShort {
        contender: task.contender.clone(),
        state: Box::new(task.state.clone()),
    });
    let share = match (&handler, &service) {
        (Ok(handler), Ok(service)) => Some(handler.value / *service as f64).filter(|share| share.is_finite()),
        _ => None,
    };
    HandlerShare {
        language,
        task: task.contender.clone(),
        server: server.map(|server| server.row.contender.clone()),
        connections: server.map(|server| server.connections),
        reason: service.as_ref().err().or(handler.as_ref().err()).cloned(),
        handler_ns: handler.ok(),
        service_p50_ns: service.ok(),
        share,
    }
}
