//! The words for figures: a row for each, which headings, tables, charts and addresses take theirs from.

use velo_model::{FIGURES, Figure};

/// What a figure is called, and what it is.
pub(crate) struct FigureWords {
    /// In a page's address and its data.
    pub(crate) id: &'static str,
    /// In the heading of a column, and in a list.
    pub(crate) short: &'static str,
    /// The ranking by it.
    pub(crate) ranking: &'static str,
    /// What it is, in a few words.
    pub(crate) what: &'static str,
    /// Above its chart.
    pub(crate) label: &'static str,
    /// Below that: what it is, and which values are better.
    pub(crate) about: &'static str,
}

/// The words for a figure.
pub(crate) fn of(figure: Figure) -> &'static FigureWords {
    &WORDS[figure as usize]
}

const RESPONSE: &str =
    "response time from the intended start, open loop, all at the same rate; less is better";

/// In the order of [`FIGURES`].
static WORDS: [FigureWords; FIGURES.len()] = [
    FigureWords {
        id: "goodput",
        short: "goodput",
        ranking: "goodput",
        what: "correct responses per second",
        label: "Goodput",
        about: "correct responses per second, closed loop; more is better",
    },
    FigureWords {
        id: "cpu",
        short: "CPU/request",
        ranking: "CPU/request",
        what: "CPU time per correct response, each contender at its own goodput",
        label: "CPU per request",
        about: "CPU time of all its processes for each correct response, under the load of the workload; less is better",
    },
    FigureWords {
        id: "cpu-at-rate",
        short: "CPU/request at the common rate",
        ranking: "equal work",
        what: "CPU time per correct response at the common rate",
        label: "CPU per request",
        about: "CPU time for each correct response while all are given the same work; less is better",
    },
    FigureWords {
        id: "p50",
        short: "median response time",
        ranking: "median response time",
        what: "median response time at the common rate, from the intended start",
        label: "Median response time",
        about: RESPONSE,
    },
    FigureWords {
        id: "p99",
        short: "p99 response time",
        ranking: "p99 response time",
        what: "99th percentile of response times at the common rate, from the intended start",
        label: "p99 response time",
        about: RESPONSE,
    },
    FigureWords {
        id: "memory",
        short: "memory",
        ranking: "memory",
        what: "resident set size after the last block, shared pages once",
        label: "Memory",
        about: "resident set size of all its processes after the last block, pages that they share counted once, median over launches; less is better",
    },
    FigureWords {
        id: "task-steady",
        short: "steady time",
        ranking: "tasks",
        what: "steady time of an iteration",
        label: "Task, steady",
        about: "an iteration once warm: the median of the second half of a process's iterations; less is better",
    },
    FigureWords {
        id: "task-cold",
        short: "cold time",
        ranking: "tasks, cold",
        what: "first iteration of a process",
        label: "Task, cold",
        about: "the first iteration of a process, by the program's own clock; less is better",
    },
    FigureWords {
        id: "process",
        short: "time of a process",
        ranking: "processes",
        what: "from the start to the end of a process that fetches one file",
        label: "Process",
        about: "from the start to the end of a process that fetches one file; less is better",
    },
    FigureWords {
        id: "peak-memory",
        short: "peak memory",
        ranking: "peak memory",
        what: "largest resident set size of a process",
        label: "Peak memory",
        about: "the largest resident set size, summed over processes, median; less is better",
    },
    FigureWords {
        id: "startup",
        short: "startup",
        ranking: "startup",
        what: "from exec to the first correct answer",
        label: "Startup",
        about: "from exec to the first correct answer; less is better",
    },
    FigureWords {
        id: "tax",
        short: "framework tax",
        ranking: "framework tax",
        what: "CPU time per request over that of the raw contender",
        label: "Framework tax",
        about: "CPU per request over that of the raw contender of the same language and host; less is better",
    },
    FigureWords {
        id: "grpc-over-rest",
        short: "gRPC over REST",
        ranking: "gRPC over REST",
        what: "CPU time per request over that of the REST contender",
        label: "gRPC over REST",
        about: "CPU per request over that of the contender of the same language that answers the same over REST; less is better",
    },
    FigureWords {
        id: "burst",
        short: "makespan",
        ranking: "makespan",
        what: "from the first attempt to connect to the last answer",
        label: "Makespan",
        about: "from the first attempt to connect to the last answer; less is better",
    },
    FigureWords {
        id: "call",
        short: "whole call",
        ranking: "whole call",
        what: "one request at a time, nothing else in flight: the whole call",
        label: "Single call",
        about: "one request at a time, nothing else in flight: the whole call",
    },
    FigureWords {
        id: "call-connect",
        short: "call, connect",
        ranking: "call, connect",
        what: "of a single call: opening TCP",
        label: "Single call",
        about: "of a single call: opening TCP",
    },
    FigureWords {
        id: "call-tls",
        short: "call, TLS",
        ranking: "call, TLS",
        what: "of a single call: the handshake of TLS",
        label: "Single call",
        about: "of a single call: the handshake of TLS",
    },
    FigureWords {
        id: "call-first-byte",
        short: "call, first byte",
        ranking: "call, first byte",
        what: "of a single call: from then to the first byte of the answer",
        label: "Single call",
        about: "of a single call: from then to the first byte of the answer",
    },
    FigureWords {
        id: "call-rest",
        short: "call, rest",
        ranking: "call, rest",
        what: "of a single call: from the first byte of the answer to its last",
        label: "Single call",
        about: "of a single call: from the first byte of the answer to its last",
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_words_of_a_figure_are_its_own() {
        assert_eq!(of(Figure::Goodput).id, "goodput");
        assert_eq!(of(Figure::IterationSteady).id, "task-steady");
        assert_eq!(of(Figure::CallRest).id, "call-rest");
        let ids: BTreeSet<&str> = FIGURES.iter().map(|row| of(row.figure).id).collect();
        assert_eq!(ids.len(), FIGURES.len());
        for row in FIGURES.iter().filter(|row| row.is_ranked) {
            let better = if row.better == velo_model::Better::More { "more" } else { "less" };
            assert!(of(row.figure).about.ends_with(&format!("; {better} is better")), "{:?}", row.figure);
        }
    }
}
