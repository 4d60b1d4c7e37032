//! How much a contender's goodput varies, within a launch and between launches.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use velo_model::Class;
use velo_record::{Run, Window, WindowKind};
use velo_stats::median;

/// A row for each contender but the reference.
pub(crate) fn markdown(run: &Run) -> String {
    let mut out = String::from(
        "| contender | launches | standard deviation of a window | of a launch's median |\n|---|---:|---:|---:|\n",
    );
    let contenders = run.file.contenders.iter().filter(|record| record.manifest.class != Class::Reference);
    for record in contenders {
        let name = record.manifest.name.to_string();
        if let Some(spread) = of(&run.windows, &name) {
            // Writing to a String cannot fail.
            let _ = writeln!(
                out,
                "| {name} | {} | {:.1} % | {:.1} % |",
                record.launches.len(),
                spread.windows * 100.0,
                spread.launches * 100.0
            );
        }
    }
    out
}

/// Standard deviations as shares of the goodput.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    /// Of single windows within their launch.
    pub(crate) windows: f64,
    /// Of the launches' medians.
    pub(crate) launches: f64,
}

/// Of the counted windows of a contender; `None` with fewer than two launches of two windows.
pub(crate) fn of(windows: &[Window], contender: &str) -> Option<Spread> {
    let mut launches: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for window in windows {
        if window.kind() == WindowKind::Block && window.contender.to_string() == contender {
            launches.entry(window.launch).or_default().push(window.goodput_per_s().ln());
        }
    }
    let within: Vec<f64> = launches.values().filter_map(|logs| variance(logs)).collect();
    let medians: Vec<f64> = launches.values().filter_map(|logs| median(logs)).collect();
    let windows = (within.iter().sum::<f64>() / within.len() as f64).sqrt();
    let launches = variance(&medians)?.sqrt();
    (windows.is_finite() && launches.is_finite()).then_some(Spread { windows, launches })
}

fn variance(values: &[f64]) -> Option<f64> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() > 1).then(|| squares / (n - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variances_are_those_of_samples() {
        assert_eq!(variance(&[1.0, 3.0, 5.0]), Some(4.0));
        assert_eq!(variance(&[1.0]), None);
        assert_eq!(of(&[], "go/net-http"), None);
    }
}
