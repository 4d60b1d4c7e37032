//! The shipped rules against a known truth, in every cell.

use study_judge::{Rule, SimulationOptions, simulate};

#[test]
fn every_cell_keeps_its_bounds() {
    let report = simulate(&SimulationOptions { runs: 200, seed: 1 });
    let broken: Vec<_> = report.broken().collect();
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(
        report.cells.iter().any(|cell| matches!(cell.rule, Rule::Looks { .. }) && cell.mean_launches < 11.0)
    );

    // Why a bootstrap is not what is shipped: with few launches it tells equal contenders apart far too often.
    let most = report.bounds.false_separations_at_most;
    let counter_example =
        report.cells.iter().filter(|cell| cell.rule == Rule::Bootstrap && cell.launches == 5);
    assert!(counter_example.clone().count() > 0);
    assert!(counter_example.clone().any(|cell| cell.false_separations > most));
}
