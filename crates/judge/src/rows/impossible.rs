//! A CPU time per request that nobody can have: then somebody else did the work.

use velo_model::{Class, Figure};

use crate::doubt::cause::Cause;
use crate::doubt::state::RowState;
use crate::measure::cell::{Cell, Cells};
use crate::measure::figures::{Launches, medians};
use crate::rows::row::Row;

/// A contender below this part of what the reference needs at least has not done the work itself. The reference does nothing but
/// receive, compare and send; what is left is mostly the kernel's, which nobody is spared. The same program needs up to three
/// times as much at one load as at another, so the reference's own figure is the least over the loads that it was seen at.
const LEAST_PART: f64 = 0.5;

/// Takes the rank of rows whose CPU time per request is impossible, with both figures.
pub(crate) fn add(cells: &Cells<'_>, workload: &str, rows: &mut [Row]) {
    let references = rows.iter().filter(|row| row.class == Class::Reference);
    let of_reference = references.filter_map(|row| cells.get(workload, &row.contender)).flat_map(figures_ns);
    let least_ns = of_reference.filter(|cpu_ns| *cpu_ns > 0.0).reduce(f64::min);
    for row in rows.iter_mut().filter(|row| row.class != Class::Reference) {
        let may_be_ranked = match &row.state {
            RowState::Ranked { .. } => true,
            RowState::NotRanked { cause } => matches!(
                cause,
                Cause::Run { .. }
                    | Cause::FewLaunches { .. }
                    | Cause::NotServerBound { .. }
                    | Cause::StatedRate { .. }
            ),
            _ => false,
        };
        let own = cells.get(workload, &row.contender).map(figures_ns).unwrap_or_default();
        if let Some(cause) = fault(&own, least_ns).filter(|_| may_be_ranked) {
            row.state = RowState::NotRanked { cause };
        }
    }
}

/// CPU time per request in the closed loop, and at each rate that was common to several: the greatest of the medians of its
/// launches, so that one launch that went wrong accuses nobody.
fn figures_ns(cell: &Cell<'_>) -> Vec<f64> {
    let mut rates: Vec<f64> = Vec::new();
    for (_, rate_per_s) in cell.at_common_rates() {
        if !rates.contains(&rate_per_s) {
            rates.push(rate_per_s);
        }
    }
    let of = Figure::CpuAtOneRate;
    let closed = medians(&cell.of_blocks(of));
    let at_rates = rates.into_iter().map(|rate| medians(&cell.of_rate(of, rate)));
    let greatest = |launches: Launches| launches.into_values().reduce(f64::max);
    [closed].into_iter().chain(at_rates).filter_map(greatest).collect()
}

fn fault(own_ns: &[f64], least_of_reference_ns: Option<f64>) -> Option<Cause> {
    let cpu_ns = own_ns.iter().copied().reduce(f64::min)?;
    let least_ns = least_of_reference_ns.filter(|least_ns| cpu_ns < LEAST_PART * least_ns);
    let reference_ns = if cpu_ns <= 0.0 { None } else { Some(least_ns?) };
    Some(Cause::ImpossibleCpuTime { cpu_ns, reference_ns, least_share: LEAST_PART })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_figures_are_in_the_reason() {
        let reason = |own: &[f64], least| fault(own, least).map(|cause| cause.to_string());
        assert_eq!(reason(&[], Some(5_000.0)), None, "its CPU time is not known");
        assert_eq!(reason(&[2_600.0, 4_000.0], Some(5_000.0)), None, "cheap, and possible");
        assert_eq!(reason(&[40.0], None), None, "nothing to hold it against");
        assert!(reason(&[0.0], None).unwrap().contains("no CPU time at all"));
        assert_eq!(
            reason(&[2_400.0, 40_000.0], Some(5_000.0)).unwrap(),
            "its CPU time of 2.4 µs a request is not possible for the work, of which the reference needs 5.0 us at least \
             (the bound is 50 % of that): others did the work"
        );
    }
}
