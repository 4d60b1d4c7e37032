//! What a series is of, in words.

use velo_judge::{SeriesOf, SeriesUnit};

use crate::number::{bytes, rate, ratio, time_ns};

/// Its name in a heading.
pub(crate) fn name(of: SeriesOf) -> &'static str {
    match of {
        SeriesOf::CpuAtOneRate => "equal work",
        SeriesOf::IterationSteady => "tasks",
        SeriesOf::IterationCold => "tasks, cold",
        _ => in_words(of),
    }
}

/// What stands under that name.
pub(crate) fn what(of: SeriesOf) -> &'static str {
    match of {
        SeriesOf::Goodput => "correct responses per second",
        SeriesOf::CpuPerRequest => "CPU time per correct response, each contender at its own goodput",
        SeriesOf::CpuAtOneRate => "CPU time per correct response at the one rate for all",
        SeriesOf::ResponseP50 => "median response time at the one rate for all, from the intended start",
        SeriesOf::ResponseP99 => {
            "99th percentile of response times at the one rate for all, from the intended start"
        }
        SeriesOf::Memory => "proportional set size after the last block",
        SeriesOf::IterationSteady => "steady time of an iteration",
        SeriesOf::IterationCold => "first iteration of a process",
        SeriesOf::Startup => "from exec to the first correct answer",
        SeriesOf::Tax => "CPU time per request over that of the raw contender",
        SeriesOf::Makespan => "from the first attempt to connect to the last answer",
    }
}

/// Its name inside a sentence.
pub(crate) fn in_words(of: SeriesOf) -> &'static str {
    match of {
        SeriesOf::Goodput => "goodput",
        SeriesOf::CpuPerRequest => "CPU/request",
        SeriesOf::CpuAtOneRate => "CPU/request at one rate",
        SeriesOf::ResponseP50 => "median response time",
        SeriesOf::ResponseP99 => "p99 response time",
        SeriesOf::Memory => "memory",
        SeriesOf::IterationSteady => "steady time",
        SeriesOf::IterationCold => "cold time",
        SeriesOf::Startup => "startup",
        SeriesOf::Tax => "framework tax",
        SeriesOf::Makespan => "makespan",
    }
}

/// A value with its unit.
pub(crate) fn value(unit: SeriesUnit, value: f64) -> String {
    match unit {
        SeriesUnit::PerSecond => rate(value),
        SeriesUnit::Nanoseconds => time_ns(value),
        SeriesUnit::Bytes => bytes(value as u64),
        SeriesUnit::Ratio => ratio(value),
    }
}
