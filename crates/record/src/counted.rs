//! What the load engine counted, as it is recorded: the one mapping from its tallies.
//!
//! Structs are taken apart by name: a count that the engine gets must not be lost here.

use velo_load::{PerRequest, Tally, WindowReport};

use crate::{
    ConnectionCounts, EncodedHistogram, LoadConnections, PacedWindow, RatePurpose, RequestCounts, RequestSpan,
};

impl From<&WindowReport> for ConnectionCounts {
    fn from(report: &WindowReport) -> Self {
        let tally = &report.tally;
        Self {
            asked: report.asked,
            established: tally.established,
            reopened_after_stop: tally.reopened_after_stop,
            carried: tally.carried,
            reconnects: tally.reconnects,
            completions: tally.completions.clone(),
        }
    }
}

impl From<&Tally> for LoadConnections {
    fn from(tally: &Tally) -> Self {
        Self {
            established: tally.established,
            closed_as_announced: tally.closed_as_announced,
            reconnects: tally.reconnects,
            closed_idle: tally.closed_idle,
            shortest_idle_ns: tally.shortest_idle_ns,
            no_port: tally.no_port,
            streams_allowed: tally.fewest_streams,
            completions: tally.completions.clone(),
        }
    }
}

impl RequestCounts {
    /// The counts of a mix, in its order.
    pub fn counted<'a>(names: impl Iterator<Item = &'a str>, counts: &[PerRequest]) -> Vec<Self> {
        let named = names.zip(counts);
        named
            .map(|(name, &PerRequest { correct, failed })| Self { name: name.to_owned(), correct, failed })
            .collect()
    }
}

/// The requests of a burst in the order sent, in which no worker comes before another.
pub fn spans_in_order(tally: &Tally) -> Vec<RequestSpan> {
    let mut spans = tally.spans.clone();
    spans.sort_unstable();
    spans
}

impl PacedWindow {
    /// What was counted at a rate, in requests a second.
    pub fn counted(rate_per_s: f64, purpose: RatePurpose, tally: &Tally) -> Self {
        Self {
            rate_per_s,
            purpose,
            offered: tally.offered,
            // What was sent has a lag; `Tally::sent` counts settling too.
            sent: tally.send_lag.count(),
            response_time: EncodedHistogram::new(&tally.response_time),
            send_lag: EncodedHistogram::new(&tally.send_lag),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_keep_their_names_and_spans_the_order_sent() {
        let span = |sent_ns| RequestSpan { sent_ns, done_ns: 9, is_correct: true };
        let tally = Tally {
            requests: vec![PerRequest { correct: 3, failed: 1 }],
            spans: vec![span(5), span(2)],
            ..Tally::default()
        };
        let counts = RequestCounts::counted(["a", "b"].into_iter(), &tally.requests);
        assert_eq!(counts, [RequestCounts { name: "a".to_owned(), correct: 3, failed: 1 }]);
        let sent: Vec<u64> = spans_in_order(&tally).iter().map(|span| span.sent_ns).collect();
        assert_eq!(sent, [2, 5]);
    }
}
