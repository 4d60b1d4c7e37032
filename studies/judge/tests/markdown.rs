//! What a person sees of a simulation.

use study_judge::{
    Bounds, Budget, PlanOf, Planned, Rule, Shape, SimulationCell, SimulationReport, SpreadOf, TakenCell,
    TakenFrom, TakenRule, Truth, Windows, markdown,
};

#[test]
fn a_simulation_of_the_judge() {
    let cell = |truth, rule, launches, false_separations| SimulationCell {
        groups: vec![5],
        contenders: 5,
        launches,
        blocks: 10,
        between: 0.01,
        spread_of: SpreadOf::Numbers,
        shape: Shape::HeavyTails,
        windows: Windows::Quiet,
        truth,
        rule,
        runs: 2_000,
        false_separations,
        coverage: 0.951,
        power: (truth != Truth::Equal).then_some(0.912),
        half_width: (rule != Rule::Bootstrap).then_some(0.021),
        mean_launches: f64::from(launches),
        plan: None,
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
    let sized = |truth, launches, blocks| SimulationCell {
        blocks,
        spread_of: SpreadOf::Launches,
        windows: Windows::Shared,
        ..cell(truth, Rule::Plan, launches, 0.04)
    };
    for (launches, blocks) in [(5, 34), (40, 5)] {
        cells.extend([Truth::Equal, Truth::OneApart].map(|truth| sized(truth, launches, blocks)));
    }
    let budget = Budget { launch_ms: 1_500, block_ms: 350, budget_ms: 60_000 };
    for (of, launches, blocks, half_width) in
        [(PlanOf::TenBlocks, 11, 10, 0.05), (PlanOf::Narrowest, 9, 13, 0.045)]
    {
        let plan = Some(Planned { budget, of, launches, blocks });
        let planned =
            |truth| SimulationCell { plan, half_width: Some(half_width), ..sized(truth, launches, blocks) };
        cells.extend([Truth::Equal, Truth::OneApart].map(planned));
    }
    cells[2].broken = vec!["false separations 7.2 %, bound 6.9 %".to_owned()];
    let taken = |rule, ranked, broken: &[&str]| TakenCell {
        from: TakenFrom { server: 0.0, load: 0.05 },
        rule,
        runs: 2_000,
        ranked,
        false_separations: 0.021,
        coverage: 0.952,
        half_width: 0.043,
        found: 0.8 * ranked,
        broken: broken.iter().map(|&words| words.to_owned()).collect(),
    };
    let taken = vec![
        taken(TakenRule::Goodput, 1.0, &[]),
        taken(TakenRule::CpuTime, 1.0, &["coverage 92.0 %, bound 93.0 %"]),
        taken(TakenRule::Dropping, 0.0, &[]),
    ];
    let report = SimulationReport { runs: 2_000, seed: 1, bounds: Bounds::of(2_000), cells, taken };
    assert!(!report.keeps_its_bounds());
    insta::assert_snapshot!(markdown(&report));
}
