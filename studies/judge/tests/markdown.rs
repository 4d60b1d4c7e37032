//! What a person sees of a simulation.

use study_judge::{Bounds, Rule, Shape, SimulationCell, SimulationReport, Truth, Windows, markdown};

#[test]
fn a_simulation_of_the_judge() {
    let cell = |truth, rule, launches, false_separations| SimulationCell {
        groups: vec![5],
        contenders: 5,
        launches,
        between: 0.01,
        shape: Shape::HeavyTails,
        windows: Windows::Quiet,
        truth,
        rule,
        runs: 2_000,
        false_separations,
        coverage: 0.951,
        power: (truth != Truth::Equal).then_some(0.912),
        mean_launches: f64::from(launches),
        broken: Vec::new(),
    };
    let looks = Rule::Looks { precision: 0.02 };
    let mut cells = vec![
        cell(Truth::Equal, Rule::Plan, 5, 0.041),
        cell(Truth::Equal, Rule::Plan, 8, 0.038),
        cell(Truth::Equal, Rule::Plan, 12, 0.072),
        cell(Truth::Equal, looks, 12, 0.029),
        cell(Truth::OneApart, Rule::Plan, 5, 0.031),
        cell(Truth::OneApart, Rule::Plan, 8, 0.033),
        cell(Truth::OneApart, Rule::Plan, 12, 0.02),
        cell(Truth::OneApart, looks, 12, 0.01),
        cell(Truth::Spread, Rule::Plan, 6, 0.0),
        cell(Truth::Equal, Rule::Bootstrap, 5, 0.31),
    ];
    for (truth, launches, false_separations) in
        [(Truth::Equal, 5, 0.046), (Truth::Equal, 8, 0.049), (Truth::OneApart, 5, 0.03)]
    {
        cells.push(SimulationCell {
            groups: vec![3, 2],
            shape: Shape::OneWider,
            ..cell(truth, Rule::Plan, launches, false_separations)
        });
    }
    cells[2].broken = vec!["false separations 7.2 %, bound 6.9 %".to_owned()];
    let report = SimulationReport { runs: 2_000, seed: 1, blocks: 10, bounds: Bounds::of(2_000), cells };
    insta::assert_snapshot!(markdown(&report));
}
