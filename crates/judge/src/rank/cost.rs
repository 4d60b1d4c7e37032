//! What a load would cost: cores, money, and the hours that people wait. Arithmetic on measured figures, with its
//! assumptions in the names: cores are used fully, and more of them serve in proportion.

use serde::Serialize;
use velo_model::{Class, ContenderName};
use velo_record::CostQuestion;

use crate::measure::estimate::Estimate;
use crate::rows::row::Row;

const NS_PER_S: f64 = 1e9;
const NS_PER_HOUR: f64 = 3_600e9;
const MILLION: f64 = 1e6;

/// The answer to what a stated load would cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cost {
    /// What was asked.
    pub question: CostQuestion,
    /// Cheapest first.
    pub rows: Vec<CostRow>,
}

/// What a contender would cost. A part that was not asked for, or whose figure is missing, is `None`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CostRow {
    /// The contender.
    pub contender: ContenderName,
    /// Where the CPU time per request was measured.
    pub cpu_basis: Basis,
    /// CPU time of the process tree per correct response.
    pub cpu_per_request_ns: Estimate,
    /// Requests that a core serves in a second of its CPU time.
    pub requests_per_core_second: Option<Estimate>,
    /// Cores that are fully used by the stated load: the contender's alone, without room for peaks.
    pub cores: Option<Estimate>,
    /// The price of a million requests, in the question's currency.
    pub price_per_million: Option<Estimate>,
    /// Where the time of a call was measured.
    pub waiting_basis: Option<Basis>,
    /// Hours that all users together wait in a year: the mean time of a call x calls x users.
    pub waiting_hours_per_year: Option<Estimate>,
}

/// Where a figure was measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum Basis {
    /// In an open loop at this rate, the same for all of a group.
    EqualWork {
        /// Requests per second.
        rate_per_s: f64,
    },
    /// In a closed loop with all connections busy, so each contender at its own rate.
    Saturation {
        /// Connections, each with a request in flight.
        connections: u32,
    },
}

/// Answers the question for all rows of a workload whose CPU time can be used, but the reference.
pub(crate) fn answer(question: &CostQuestion, rows: &[Row]) -> Cost {
    let mut answered: Vec<CostRow> = rows
        .iter()
        .filter(|row| row.class != Class::Reference && row.cpu_fault().is_none())
        .filter_map(|row| of_row(question, row))
        .collect();
    answered.sort_by(|a, b| {
        let by_cost = a.cpu_per_request_ns.value.total_cmp(&b.cpu_per_request_ns.value);
        by_cost.then_with(|| a.contender.cmp(&b.contender))
    });
    Cost { question: question.clone(), rows: answered }
}

fn of_row(question: &CostQuestion, row: &Row) -> Option<CostRow> {
    let at_common_rate = row.at_common_rates().find(|figures| figures.is_met);
    let basis = at_common_rate.map(|figures| Basis::EqualWork { rate_per_s: figures.rate_per_s });
    let saturation = Basis::Saturation { connections: row.connections.asked };
    let (cpu_basis, cpu) = basis
        .zip(at_common_rate.and_then(|figures| figures.cpu_per_request_ns))
        .or_else(|| Some((saturation, row.cpu_per_request_ns?)))?;
    let calls = calls_per_year(question);
    let waiting = calls.and_then(|calls| {
        let (basis, mean) = basis
            .zip(at_common_rate.and_then(|figures| figures.response.mean_ns))
            .or_else(|| Some((saturation, without_interval(row.service_time.as_ref()?.mean_ns?, row))))?;
        Some((basis, waiting_hours(mean, calls)?))
    });
    Some(CostRow {
        contender: row.contender.clone(),
        cpu_basis,
        cpu_per_request_ns: cpu,
        requests_per_core_second: per_core_second(cpu),
        cores: question.target_rps.filter(is_positive).and_then(|target_rps| cores(cpu, target_rps)),
        price_per_million: question
            .price_per_core_hour
            .filter(|price| price.is_finite() && *price >= 0.0)
            .and_then(|price| price_per_million(cpu, price)),
        waiting_basis: waiting.map(|(basis, _)| basis),
        waiting_hours_per_year: waiting.map(|(_, hours)| hours),
    })
}

fn without_interval(value: f64, row: &Row) -> Estimate {
    Estimate { value, launches: row.launches, ..Estimate::default() }
}

fn calls_per_year(question: &CostQuestion) -> Option<f64> {
    Some(question.users? as f64 * question.calls_per_user_per_year? as f64)
}

fn is_positive(value: &f64) -> bool {
    value.is_finite() && *value > 0.0
}

/// Requests that a core serves in a second of its CPU time: 1 s / CPU per request.
pub fn per_core_second(cpu_per_request_ns: Estimate) -> Option<Estimate> {
    inverse(NS_PER_S, cpu_per_request_ns)
}

/// Rate x CPU per request: the cores that are fully used.
fn cores(cpu_per_request_ns: Estimate, target_rps: f64) -> Option<Estimate> {
    times(cpu_per_request_ns, target_rps / NS_PER_S)
}

/// A million x CPU per request, in core-hours, x the price of one.
fn price_per_million(cpu_per_request_ns: Estimate, price_per_core_hour: f64) -> Option<Estimate> {
    times(cpu_per_request_ns, MILLION / NS_PER_HOUR * price_per_core_hour)
}

/// The sum of the published comparison of users: 100 ms x 1,000 calls x 10,000 users = 278 hours a year, "280".
fn waiting_hours(mean_ns: Estimate, calls_per_year: f64) -> Option<Estimate> {
    times(mean_ns, calls_per_year / NS_PER_HOUR)
}

/// `factor` must not be negative. `None` when the value is then not finite.
fn times(estimate: Estimate, factor: f64) -> Option<Estimate> {
    scaled(estimate, estimate.interval(), estimate.range(), |value| value * factor)
}

/// The numerator over an estimate above 0.
pub(crate) fn inverse(numerator: f64, estimate: Estimate) -> Option<Estimate> {
    let turned = |ends: Option<(f64, f64)>| ends.filter(|(low, _)| *low > 0.0).map(|(low, high)| (high, low));
    let (interval, range) = (turned(estimate.interval()), turned(estimate.range()));
    (estimate.value > 0.0).then(|| scaled(estimate, interval, range, |value| numerator / value)).flatten()
}

fn scaled(
    estimate: Estimate,
    interval: Option<(f64, f64)>,
    range: Option<(f64, f64)>,
    scale: impl Fn(f64) -> f64,
) -> Option<Estimate> {
    let value = scale(estimate.value);
    let scaled = |ends: Option<(f64, f64)>| {
        let ends = ends.map(|(low, high)| (scale(low), scale(high)));
        ends.filter(|(low, high)| low.is_finite() && high.is_finite()).unzip()
    };
    let ((low, high), (least, most)) = (scaled(interval), scaled(range));
    value.is_finite().then_some(Estimate { value, low, high, least, most, launches: estimate.launches })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(value: f64) -> Estimate {
        Estimate {
            value,
            low: Some(value * 0.8),
            high: Some(value * 1.25),
            launches: 5,
            ..Estimate::default()
        }
    }

    #[test]
    fn known_answers() {
        // 20 us: 50,000 requests a core-second; 100,000 a second keep 2 cores busy.
        let per_core_second = per_core_second(of(20_000.0)).unwrap();
        assert_eq!(per_core_second, Estimate { low: Some(40_000.0), high: Some(62_500.0), ..of(50_000.0) });
        let cores = cores(of(20_000.0), 100_000.0).unwrap();
        assert!((cores.value - 2.0).abs() < 1e-12 && (cores.high.unwrap() - 2.5).abs() < 1e-12);
        // A million requests of 3.6 ms are one core-hour.
        let price = price_per_million(of(3_600_000.0), 0.04).unwrap();
        assert!((price.value - 0.04).abs() < 1e-12 && (price.low.unwrap() - 0.032).abs() < 1e-12);
        assert_eq!(price_per_million(of(1.0), 0.0).unwrap().value, 0.0);
    }

    #[test]
    fn the_published_sum_of_280_hours() {
        let question = CostQuestion {
            users: Some(10_000),
            calls_per_user_per_year: Some(1_000),
            ..CostQuestion::default()
        };
        let hours = waiting_hours(of(100e6), calls_per_year(&question).unwrap()).unwrap();
        assert!((hours.value - 277.8).abs() < 0.1, "{}", hours.value);
        assert_eq!(calls_per_year(&CostQuestion { users: Some(1), ..CostQuestion::default() }), None);
    }

    #[test]
    fn what_has_no_inverse() {
        assert_eq!(inverse(1.0, Estimate { value: 0.0, ..of(1.0) }), None);
        assert_eq!(inverse(1.0, Estimate { value: -1.0, ..of(1.0) }), None);
        let open = inverse(1.0, Estimate { low: Some(-0.1), ..of(2.0) }).unwrap();
        assert_eq!((open.value, open.interval()), (0.5, None), "the value has one, the interval has none");
        assert_eq!(inverse(1.0, Estimate { value: f64::MIN_POSITIVE / 4.0, ..of(1.0) }), None);
    }

    proptest! {
        #[test]
        fn finite_and_in_order_or_nothing(value in 0.0..1e300_f64, factor in 0.0..1e300_f64) {
            for found in [times(of(value), factor), inverse(factor, of(value))].into_iter().flatten() {
                prop_assert!(found.value.is_finite());
                if let Some((low, high)) = found.interval() {
                    prop_assert!(low <= found.value && found.value <= high && high.is_finite());
                }
            }
        }
    }
}
