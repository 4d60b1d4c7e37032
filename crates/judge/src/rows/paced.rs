//! What windows of an open loop at one rate come to, and whether that rate was really offered and met.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use velo_model::{Figure, PartyRole};
use velo_record::{EncodedHistogram, Outcomes, PacedWindow, Placement, RatePurpose, Window, WindowKind};
use velo_stats::estimate::mean_over_launches;
use velo_stats::{CONFIDENCE, Histogram, median, percentile_over_launches};

use crate::doubt::answers;
use crate::doubt::finding::{Finding, StatedRate};
use crate::doubt::offered::{Offered, achieved_share, behind_share};
use crate::doubt::verdict::Verdict;
use crate::doubt::{samples, send_lag};
use crate::measure::busy::busy_share;
use crate::measure::estimate::Estimate;
use crate::measure::figures::{Launches, median_over};
use crate::measure::launch_logs::estimate;

/// No plan has nearly as many launches, and each has a histogram in memory; what a record holds beyond is left out.
const MOST_LAUNCHES: usize = 200;

/// All windows of a contender at one rate for one purpose.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PacedFigures {
    /// Why this rate.
    pub purpose: RatePurpose,
    /// Requests per second that the schedule had, on average.
    pub rate_per_s: f64,
    /// Launches with such a window.
    pub launches: u32,
    /// Windows.
    pub windows: u32,
    /// Requests that were due.
    pub offered: u64,
    /// Those of them that were sent.
    pub sent: u64,
    /// Due, but never sent.
    pub dropped: u64,
    /// What became of the requests.
    pub answers: Outcomes,
    /// Sent over offered.
    pub achieved_share: Option<f64>,
    /// How far behind its schedule a window was at its end, as a share of its length: twice the median send lag over the
    /// median length. What waits for a connection at the end is still sent for a while, so that the number sent alone
    /// would take an overload for met; under an overload each request waits longer than the one before, and the one in the
    /// middle half as long as the last.
    pub behind_share: Option<f64>,
    /// True when at least 99 % were sent, at most 1 % behind the schedule, at most 0.1 % failed, and no answer was wrong.
    pub is_met: bool,
    /// From the intended start to the last byte.
    pub response: ResponseTimes,
    /// The 99th percentile from the actual send to the last byte.
    pub service_p99_ns: Option<Estimate>,
    /// The 99th percentile from the intended start to the actual send: how late the generator was, or how long
    /// requests waited for a connection.
    pub send_lag_p99_ns: Option<u64>,
    /// CPU time of the contender's process tree per correct response at this rate.
    pub cpu_per_request_ns: Option<Estimate>,
    /// The share of its CPUs' time that the contender used, median over windows.
    pub utilisation: Option<f64>,
    /// The share of its CPUs' time that the generator used, median over windows.
    pub generator_busy_share: Option<f64>,
    /// Histograms that cannot be read and are missing from the percentiles.
    pub unreadable_histograms: u32,
}

impl PacedFigures {
    /// A figure at a common rate; `None` of others too.
    pub(crate) fn estimate(&self, figure: Figure) -> Option<Estimate> {
        match figure {
            Figure::CpuAtOneRate => self.cpu_per_request_ns,
            Figure::ResponseP50 => self.response.p50_ns,
            Figure::ResponseP99 => self.response.p99_ns,
            _ => None,
        }
    }
}

/// Response times over launches. A percentile of which fewer than 10 samples lie beyond is left out.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResponseTimes {
    /// Samples.
    pub samples: u64,
    /// The mean, of each launch, then over launches.
    pub mean_ns: Option<Estimate>,
    /// The median, of all samples together, as all percentiles.
    pub p50_ns: Option<Estimate>,
    /// The 75th percentile.
    pub p75_ns: Option<Estimate>,
    /// The 90th percentile.
    pub p90_ns: Option<Estimate>,
    /// The 95th percentile.
    pub p95_ns: Option<Estimate>,
    /// The 99th percentile.
    pub p99_ns: Option<Estimate>,
    /// The 99.9th percentile.
    pub p999_ns: Option<Estimate>,
    /// The greatest.
    pub max_ns: Option<u64>,
}

/// A window with the open loop that it is.
pub(crate) type OpenLoop<'w> = (&'w Window, &'w PacedWindow);

/// The windows of an open loop in a cell, by purpose and rate: the common rate first, then shares, then the curve, each
/// by rising rate.
pub(crate) fn by_rate<'w>(windows: &[&'w Window]) -> Vec<Vec<OpenLoop<'w>>> {
    let mut groups: BTreeMap<(RatePurpose, u64), Vec<OpenLoop<'w>>> = BTreeMap::new();
    for window in windows.iter().copied().filter(|window| window.kind() == WindowKind::Paced) {
        let Some(paced) = window.paced().filter(|paced| is_rate(paced.rate_per_s)) else { continue };
        // Tries on the way to a rate; the rate that was found is measured for itself.
        if paced.purpose == RatePurpose::Search {
            continue;
        }
        // The bits of positive numbers are in the order of the numbers.
        groups.entry((paced.purpose, paced.rate_per_s.to_bits())).or_default().push((window, paced));
    }
    groups.into_values().collect()
}

fn is_rate(rate_per_s: f64) -> bool {
    rate_per_s.is_finite() && rate_per_s > 0.0
}

/// The figures of a group of [`by_rate`]; `None` for an empty one.
pub(crate) fn figures(group: &[OpenLoop<'_>], placement: &Placement) -> Option<PacedFigures> {
    let (_, first) = group.first()?;
    let windows: Vec<&Window> = group.iter().map(|&(window, _)| window).collect();
    let answers = answers::of(&windows);
    let sum = |part: &dyn Fn(&Window, &PacedWindow) -> u64| {
        group.iter().map(|&(window, paced)| part(window, paced)).fold(0, u64::saturating_add)
    };
    let (offered, sent) = (sum(&|_, paced| paced.offered), sum(&|_, paced| paced.sent));
    let mut unreadable = 0;
    let response = merged(group, |_, paced| &paced.response_time, &mut unreadable);
    let service = merged(group, |window, _| &window.service_time, &mut unreadable);
    let send_lag = merged(group, |_, paced| &paced.send_lag, &mut unreadable);
    let send_lag = all_of(&send_lag);
    let window_ns = median_over(&windows, |window| Some(window.duration_ns as f64));
    let dropped = sum(&|window, _| window.outcomes.dropped);
    let pace = Offered {
        achieved_share: achieved_share(sent, offered),
        behind_share: window_ns.and_then(|window_ns| behind_share(&send_lag, window_ns)),
        dropped,
    };
    let launches = windows.iter().map(|window| window.launch).collect::<BTreeSet<_>>();
    Some(PacedFigures {
        purpose: first.purpose,
        rate_per_s: first.rate_per_s,
        launches: u32::try_from(launches.len()).unwrap_or(u32::MAX),
        windows: u32::try_from(windows.len()).unwrap_or(u32::MAX),
        offered,
        sent,
        dropped,
        achieved_share: pace.achieved_share,
        behind_share: pace.behind_share,
        is_met: pace.is_met(&answers),
        answers,
        response: ResponseTimes::of(&response),
        service_p99_ns: percentile(&service, 0.99),
        send_lag_p99_ns: send_lag.quantile_ns(0.99),
        cpu_per_request_ns: cpu_per_request(&windows),
        utilisation: median_over(&windows, |window| utilisation(window, placement)),
        generator_busy_share: median_over(&windows, |window| {
            busy_share(window, PartyRole::Generator, placement)
        }),
        unreadable_histograms: unreadable,
    })
}

/// One histogram a launch.
fn merged<'w>(
    group: &[OpenLoop<'w>],
    which: impl Fn(&'w Window, &'w PacedWindow) -> &'w EncodedHistogram,
    unreadable: &mut u32,
) -> Vec<Histogram> {
    let mut launches: BTreeMap<u32, Histogram> = BTreeMap::new();
    for &(window, paced) in group {
        match which(window, paced).decode() {
            Ok(histogram) if launches.len() < MOST_LAUNCHES || launches.contains_key(&window.launch) => {
                launches.entry(window.launch).or_default().merge(&histogram);
            }
            Ok(_) => {}
            Err(_) => *unreadable = unreadable.saturating_add(1),
        }
    }
    launches.into_values().collect()
}

fn all_of(launches: &[Histogram]) -> Histogram {
    let mut all = Histogram::new();
    launches.iter().for_each(|launch| all.merge(launch));
    all
}

fn percentile(launches: &[Histogram], q: f64) -> Option<Estimate> {
    percentile_over_launches(launches, q, CONFIDENCE).map(Into::into)
}

fn cpu_per_request(windows: &[&Window]) -> Option<Estimate> {
    let mut launches: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for window in windows {
        launches.entry(window.launch).or_default().extend(window.cpu_per_request_ns());
    }
    let medians: Launches =
        launches.iter().filter_map(|(launch, of_launch)| Some((*launch, median(of_launch)?))).collect();
    estimate(&medians, CONFIDENCE)
}

fn utilisation(window: &Window, placement: &Placement) -> Option<f64> {
    let whole = window.duration_ns as f64 * placement.cpus(PartyRole::Contender).len() as f64;
    let used = window.cpu_ns(PartyRole::Contender)? as f64;
    (whole > 0.0).then(|| used / whole)
}

impl ResponseTimes {
    fn of(launches: &[Histogram]) -> Self {
        let all = all_of(launches);
        let means: Vec<f64> = launches.iter().filter_map(Histogram::mean_ns).collect();
        Self {
            samples: all.count(),
            mean_ns: mean_over_launches(&means, CONFIDENCE).map(Into::into),
            p50_ns: percentile(launches, 0.5),
            p75_ns: percentile(launches, 0.75),
            p90_ns: percentile(launches, 0.9),
            p95_ns: percentile(launches, 0.95),
            p99_ns: percentile(launches, 0.99),
            p999_ns: percentile(launches, 0.999),
            max_ns: all.max_ns(),
        }
    }

    /// The percentiles in ascending order: name, quantile, value.
    pub fn listed(&self) -> [(&'static str, f64, Option<Estimate>); 6] {
        [
            ("p50", 0.5, self.p50_ns),
            ("p75", 0.75, self.p75_ns),
            ("p90", 0.9, self.p90_ns),
            ("p95", 0.95, self.p95_ns),
            ("p99", 0.99, self.p99_ns),
            ("p99.9", 0.999, self.p999_ns),
        ]
    }
}

impl PacedFigures {
    /// The verdicts on them. A curve is there to find the rates that are not met, so it has none.
    pub(crate) fn verdicts(&self) -> Vec<Verdict> {
        if matches!(self.purpose, RatePurpose::Curve { .. }) {
            return Vec::new();
        }
        let at = Some(StatedRate { purpose: self.purpose, rate_per_s: self.rate_per_s });
        let offered = Offered {
            achieved_share: self.achieved_share,
            behind_share: self.behind_share,
            dropped: self.dropped,
        };
        let listed = self.response.listed().into_iter();
        let missing = listed.filter(|(_, _, value)| value.is_none()).map(|(name, q, _)| (name, q));
        let checks = [
            offered.verdict(at, None),
            answers::failures(self.answers, self.answers.requests(), at),
            send_lag::verdict(self.send_lag_p99_ns, self.response.p50_ns.map(|p50| p50.value), at, false),
            samples::verdict(missing, self.response.samples, |percentiles| Finding::ResponseTimeSamples {
                at,
                percentiles,
            }),
        ];
        checks.into_iter().flatten().collect()
    }
}
