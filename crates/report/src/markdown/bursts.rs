use velo_judge::JudgedWorkload;

use super::document::{Document, Rows};
use crate::view::bursts;

/// Requests sent at once, and the sweep of connections.
pub(super) fn add(workload: &JudgedWorkload, document: &mut Document) {
    if let Some(head) = bursts::head(workload) {
        document.heading(3, "Bursts");
        document.paragraph(&format!("Requests sent at once, {head}."));
        document.paragraph(&format!("In two ways: {}.", bursts::WAYS));
        let mut table = Rows::new("r l r r r");
        for line in bursts::lines(workload) {
            table.row([line.load, line.contender, line.as_ab, line.at_once, line.at_a_time].map(Some));
        }
        document.table(["requests", "contender", "as ab", "at once", "at a time"], table);
        bursts::faults(workload).iter().for_each(|fault| document.item(fault));
        document.end();
    }
    if let Some(head) = bursts::sweep_head(workload) {
        document.heading(3, "Sweep of connections");
        document.paragraph(&format!("Each point: {head}."));
        let mut table = Rows::new("r l r r r r r l");
        bursts::sweep_details(workload).into_iter().for_each(|row| table.row(row));
        let headers = [
            "connections",
            "contender",
            "took",
            "at a time",
            "memory before",
            "while they wait",
            "for each request",
            "what else",
        ];
        document.table(headers, table);
    }
}

/// The published seconds beside those measured here, in both ways.
pub(super) fn add_published(workload: &JudgedWorkload, document: &mut Document) {
    let mut table = Rows::new("l r r r l");
    for row in bursts::published(workload) {
        let [there, as_ab, at_once, reason] = bursts::there_and_here(row);
        table.row([row.row.clone(), there, as_ab, at_once, reason].map(Some));
    }
    document.table(["burst", "there", "here as ab", "here at once", "why not"], table);
}
