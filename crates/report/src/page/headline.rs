//! A contender in a workload in one line: its figure and its rank, else why it has none.

use velo_judge::{JudgedWorkload, RowState};
use velo_model::ContenderName;

use crate::number::time_ns;
use crate::text::clean;
use crate::view;

/// Each contender of a workload once, servers first.
pub(super) fn headlines(workload: &JudgedWorkload) -> Vec<(ContenderName, String)> {
    let servers = workload.rows.iter().map(|row| {
        let goodput = view::goodput(row).filter(|_| row.has_figures());
        let figure = goodput.map(|goodput| format!("{goodput} requests/s"));
        (row.contender.clone(), joined(figure, &row.state))
    });
    let tasks = workload.tasks.iter().flat_map(|table| &table.rows).map(|row| {
        let figure = row.steady_ns.map(|steady| format!("{} an iteration", time_ns(steady.value)));
        (row.contender.clone(), joined(figure, &row.state))
    });
    servers.chain(tasks).collect()
}

fn joined(figure: Option<String>, state: &RowState) -> String {
    let rank = match state {
        RowState::Ranked { .. } => format!("rank {}", view::rank_of(state)),
        state => state.in_words(),
    };
    clean(&figure.into_iter().chain([rank]).collect::<Vec<_>>().join("; "))
}
