use crate::{
    Budget, PlanOf, Planned, Rule, Shape, SimulationCell, SimulationReport, SpreadOf, TakenCell, TakenRule,
    Truth, Windows,
};

/// What a simulation came to, as Markdown: the bounds, the worst cells, and all cells in tables.
pub fn markdown(report: &SimulationReport) -> String {
    let mut document = Document::default();
    let bounds = &report.bounds;
    document.paragraph(&format!(
        "{} simulated runs of each of {} cells, seed {}; 10 blocks a launch, where nothing else is said.",
        count(report.runs),
        report.cells.len(),
        report.seed
    ));
    let judged = || report.cells.iter().filter(|cell| cell.rule != Rule::Bootstrap);
    let planned = || report.cells.iter().filter(|cell| cell.rule == Rule::Plan);
    let most_false = judged().max_by(|a, b| a.false_separations.total_cmp(&b.false_separations));
    let least_held = judged().min_by(|a, b| a.coverage.total_cmp(&b.coverage));
    let most_held = planned().max_by(|a, b| a.coverage.total_cmp(&b.coverage));
    for (what, cell, share, bound) in [
        (
            "most false separations",
            most_false,
            most_false.map(|c| c.false_separations),
            bounds.false_separations_at_most,
        ),
        ("least coverage", least_held, least_held.map(|c| c.coverage), bounds.coverage_at_least),
        ("most coverage", most_held, most_held.map(|c| c.coverage), bounds.coverage_at_most),
    ] {
        if let (Some(cell), Some(share)) = (cell, share) {
            document.item(&format!(
                "{what}: {} %, bound {} % ({})",
                tenths(share),
                tenths(bound),
                name(cell)
            ));
        }
    }
    for cell in report.broken() {
        document.item(&format!("broken: {}: {}", name(cell), cell.broken.join("; ")));
    }
    for cell in report.taken.iter().filter(|cell| !cell.broken.is_empty()) {
        document.item(&format!(
            "broken: {}, {}: {}",
            taken_from(cell),
            taken_rule(cell),
            cell.broken.join("; ")
        ));
    }
    if report.keeps_its_bounds() {
        document.item("every cell keeps its bounds");
    }
    document.end();
    add_settings(report, &mut document);
    add_groups(report, &mut document);
    add_spread(report, &mut document);
    add_sizes(report, &mut document);
    add_plans(report, &mut document);
    add_taken(report, &mut document);
    add_counter_example(report, &mut document);
    document.text
}

/// All settings: a row each, with 5, 8 and 12 launches side by side.
fn add_settings(report: &SimulationReport, document: &mut Document) {
    let mut settings: Vec<&SimulationCell> = report
        .cells
        .iter()
        .filter(|cell| cell.truth == Truth::Equal && matches!(cell.rule, Rule::Looks { .. }))
        .collect();
    settings.sort_by_key(|cell| (cell.contenders, cell.windows == Windows::Shared));
    let mut table = Rows::new("r r l r r r r r r");
    for setting in settings {
        let like = |truth: Truth, is_its: fn(&Rule) -> bool| {
            report
                .cells
                .iter()
                .filter(move |cell| is_like(cell, setting) && cell.truth == truth && is_its(&cell.rule))
        };
        let planned = |truth: Truth| like(truth, |rule| *rule == Rule::Plan);
        let looking = |truth: Truth| like(truth, |rule| matches!(rule, Rule::Looks { .. }));
        table.row([
            Some(setting.contenders.to_string()),
            Some(format!("{} %", tenths(setting.between))),
            Some(noise(setting)),
            Some(shares(planned(Truth::Equal).map(|cell| cell.false_separations))),
            Some(shares(planned(Truth::Equal).map(|cell| cell.coverage))),
            Some(shares(planned(Truth::OneApart).filter_map(|cell| cell.power))),
            Some(shares(looking(Truth::Equal).map(|cell| cell.false_separations))),
            Some(shares(looking(Truth::OneApart).filter_map(|cell| cell.power))),
            looking(Truth::Equal).next().map(|cell| format!("{:.1}", cell.mean_launches)),
        ]);
    }
    document.table(
        [
            "contenders",
            "between launches",
            "noise",
            "false separations, %, with 5, 8, 12 launches",
            "coverage, %",
            "found of 3 %, %",
            "with looks: false, %",
            "found, %",
            "launches",
        ],
        table,
    );
}

/// Contenders in groups, of which only those of one are compared, and few contenders in one group.
fn add_groups(report: &SimulationReport, document: &mut Document) {
    let is_own = |cell: &&SimulationCell| {
        let has_looks =
            |other: &SimulationCell| is_like(other, cell) && matches!(other.rule, Rule::Looks { .. });
        let is_of_grid = cell.spread_of == SpreadOf::Numbers && cell.truth != Truth::Spread;
        cell.rule == Rule::Plan && is_of_grid && !report.cells.iter().any(has_looks)
    };
    let mut settings: Vec<&SimulationCell> = report
        .cells
        .iter()
        .filter(is_own)
        .filter(|cell| cell.truth == Truth::Equal && cell.launches == 5)
        .collect();
    settings.sort_by_key(|cell| (cell.groups.len(), cell.contenders));
    let mut table = Rows::new("l r l r r r");
    for setting in settings {
        let like = |truth: Truth| {
            let cells = report.cells.iter().filter(move |cell| is_like(cell, setting) && cell.truth == truth);
            cells.filter(|cell| cell.rule == Rule::Plan)
        };
        table.row([
            Some(groups(setting)),
            Some(format!("{} %", tenths(setting.between))),
            Some(noise(setting)),
            Some(shares(like(Truth::Equal).map(|cell| cell.false_separations))),
            Some(shares(like(Truth::Equal).map(|cell| cell.coverage))),
            Some(shares(like(Truth::OneApart).filter_map(|cell| cell.power))),
        ]);
    }
    document.table(
        [
            "contenders of each group",
            "between launches",
            "noise",
            "false separations, %, with 5, 8, 12 launches",
            "coverage, %",
            "found of 3 %, %",
        ],
        table,
    );
}

/// `3 + 2`.
fn groups(cell: &SimulationCell) -> String {
    cell.groups.iter().map(u32::to_string).collect::<Vec<_>>().join(" + ")
}

fn is_like(cell: &SimulationCell, setting: &SimulationCell) -> bool {
    (&cell.groups, cell.between, cell.spread_of, cell.shape, cell.windows)
        == (&setting.groups, setting.between, setting.spread_of, setting.shape, setting.windows)
}

/// Launches and blocks as they are planned: a row for each noise, the sizes side by side.
fn add_sizes(report: &SimulationReport, document: &mut Document) {
    let is_own = |cell: &&SimulationCell| cell.spread_of == SpreadOf::Launches && cell.plan.is_none();
    let cells: Vec<&SimulationCell> = report.cells.iter().filter(is_own).collect();
    let mut settings: Vec<&SimulationCell> = Vec::new();
    for cell in &cells {
        if !settings.iter().any(|setting| is_like(cell, setting)) {
            settings.push(cell);
        }
    }
    settings.sort_by(|a, b| {
        let place = |cell: &SimulationCell| (cell.contenders, cell.windows == Windows::Shared, cell.shape);
        place(a).cmp(&place(b)).then(a.between.total_cmp(&b.between))
    });
    let mut table = Rows::new("r r l r r r r");
    let mut sizes = String::new();
    for setting in settings {
        let of = |truth: Truth| {
            cells.iter().copied().filter(move |cell| is_like(cell, setting) && cell.truth == truth)
        };
        sizes = of(Truth::Equal).map(size).collect::<Vec<_>>().join(", ");
        table.row([
            Some(setting.contenders.to_string()),
            Some(format!("{} %", tenths(setting.between))),
            Some(noise(setting)),
            Some(shares(of(Truth::Equal).map(|cell| cell.false_separations))),
            Some(shares(of(Truth::Equal).map(|cell| cell.coverage))),
            Some(shares(of(Truth::OneApart).filter_map(|cell| cell.power))),
            Some(shares(of(Truth::Equal).filter_map(|cell| cell.half_width))),
        ]);
    }
    document.table(
        [
            "contenders",
            "launches add",
            "noise",
            &format!("false separations, %, with {sizes}"),
            "coverage, %",
            "found of 3 %, %",
            "half-width, %",
        ],
        table,
    );
}

/// `5x34`: launches and blocks.
fn size(cell: &SimulationCell) -> String {
    format!("{}x{}", cell.launches, cell.blocks)
}

/// The shipped plan of a budget beside the one with ten blocks a launch.
fn add_plans(report: &SimulationReport, document: &mut Document) {
    let of = |budget: Budget, between: f64, of: PlanOf, truth: Truth| {
        report.cells.iter().find(move |cell| {
            let is_its = |plan: Planned| (plan.budget, plan.of) == (budget, of);
            cell.plan.is_some_and(is_its) && (cell.between, cell.truth) == (between, truth)
        })
    };
    let mut table = Rows::new("r r r r r r r r r r");
    for cell in &report.cells {
        let Some(Planned { budget, of: PlanOf::TenBlocks, .. }) = cell.plan else { continue };
        if cell.truth != Truth::Equal {
            continue;
        }
        let both = |truth: Truth, figure: fn(&SimulationCell) -> Option<f64>| {
            let plans = [PlanOf::TenBlocks, PlanOf::Narrowest];
            Some(shares(plans.into_iter().filter_map(|plan| figure(of(budget, cell.between, plan, truth)?))))
        };
        let chosen = of(budget, cell.between, PlanOf::Narrowest, Truth::Equal);
        let seconds = |ms: u64| format!("{} s", ms as f64 / 1_000.0);
        let change = chosen.and_then(|chosen| Some(chosen.half_width? / cell.half_width? - 1.0));
        table.row([
            Some(seconds(budget.launch_ms)),
            Some(seconds(budget.block_ms)),
            Some(seconds(budget.budget_ms)),
            Some(format!("{} %", tenths(cell.between))),
            chosen.map(|chosen| format!("{}, {}", size(cell), size(chosen))),
            both(Truth::Equal, |cell| cell.half_width),
            change.map(|change| format!("{:+.0} %", change * 100.0)),
            both(Truth::OneApart, |cell| cell.power),
            both(Truth::Equal, |cell| Some(cell.false_separations)),
            both(Truth::Equal, |cell| Some(cell.coverage)),
        ]);
    }
    document.table(
        [
            "a launch",
            "a block",
            "budget",
            "launches add",
            "ten blocks a launch, as planned",
            "half-width, %",
            "change",
            "found of 3 %, %",
            "false separations, %",
            "coverage, %",
        ],
        table,
    );
}

fn add_spread(report: &SimulationReport, document: &mut Document) {
    let mut table = Rows::new("r r r r r r");
    for cell in report.cells.iter().filter(|cell| cell.truth == Truth::Spread) {
        table.row([
            Some(cell.contenders.to_string()),
            Some(format!("{} %", tenths(cell.between))),
            Some(cell.launches.to_string()),
            Some(tenths(cell.false_separations)),
            Some(tenths(cell.coverage)),
            cell.power.map(tenths),
        ]);
    }
    document.table(
        [
            "contenders, each 3 % above the next",
            "between launches",
            "launches",
            "false separations, %",
            "coverage, %",
            "neighbours found, %",
        ],
        table,
    );
}

/// Machines that others use, each judged by every rule.
fn add_taken(report: &SimulationReport, document: &mut Document) {
    let mut table = Rows::new("l l r r r r r");
    for cell in &report.taken {
        let of_ranked = |share: f64| (cell.ranked > 0.0).then(|| tenths(share));
        table.row([
            Some(taken_from(cell)),
            Some(taken_rule(cell).to_owned()),
            Some(tenths(cell.ranked)),
            of_ranked(cell.false_separations),
            of_ranked(cell.coverage),
            of_ranked(cell.half_width),
            Some(tenths(cell.found)),
        ]);
    }
    document.table(
        [
            "CPU time taken",
            "judged",
            "runs ranked, %",
            "false separations, %",
            "coverage, %",
            "half-width, %",
            "8 % found, %",
        ],
        table,
    );
}

/// `5 % of the contender's, 0 % of the load's`.
fn taken_from(cell: &TakenCell) -> String {
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    let (server, load) = (percent(cell.from.server), percent(cell.from.load));
    if server == load {
        return format!("{server} of either side");
    }
    format!("{server} of the contender's, {load} of the load's")
}

fn taken_rule(cell: &TakenCell) -> &'static str {
    match cell.rule {
        TakenRule::Goodput => "by goodput",
        TakenRule::CpuTime => "by CPU time",
        TakenRule::Dropping => "by goodput, blocks dropped from 1 % on",
    }
}

fn add_counter_example(report: &SimulationReport, document: &mut Document) {
    let mut table = Rows::new("r r r r r");
    for cell in report.cells.iter().rev().filter(|cell| cell.rule == Rule::Bootstrap) {
        table.row([
            Some(cell.contenders.to_string()),
            Some(format!("{} %", tenths(cell.between))),
            Some(cell.launches.to_string()),
            Some(tenths(cell.false_separations)),
            Some(tenths(cell.coverage)),
        ]);
    }
    document.table(
        [
            "counter-example: bootstrap over launches and blocks, contenders",
            "between launches",
            "launches",
            "false separations, %",
            "coverage, %",
        ],
        table,
    );
}

/// `20 contenders, 12 launches, 0.5 % between launches, heavy tails, all equal, with looks`.
fn name(cell: &SimulationCell) -> String {
    let truth = match cell.truth {
        Truth::Equal => "all equal",
        Truth::OneApart => "one 3 % above the others",
        Truth::Spread => "each 3 % above the next",
    };
    let rule = match cell.rule {
        Rule::Plan => "as planned",
        Rule::Looks { .. } => "with looks",
        Rule::Bootstrap => "by bootstrap",
    };
    let of_blocks = if cell.blocks == 10 { String::new() } else { format!(" of {} blocks", cell.blocks) };
    format!(
        "{} contenders, {} launches{of_blocks}, {} % between launches, {}, {truth}, {rule}",
        groups(cell),
        cell.launches,
        tenths(cell.between),
        noise(cell)
    )
}

fn noise(cell: &SimulationCell) -> String {
    let shape = match cell.shape {
        Shape::Normal => "normal",
        Shape::Unequal => "unequal",
        Shape::Bimodal => "bimodal",
        Shape::SlowPhases => "slow phases",
        Shape::HeavyTails => "heavy tails (t, 4)",
        Shape::OneWider if cell.groups.len() > 1 => "one group three times the spread",
        Shape::OneWider => "one three times the spread",
    };
    match cell.windows {
        Windows::Quiet => shape.to_owned(),
        Windows::Shared => format!("{shape}, windows of a shared machine"),
    }
}

/// `3.9, 4.2, 4.0`.
fn shares(shares: impl Iterator<Item = f64>) -> String {
    shares.map(tenths).collect::<Vec<_>>().join(", ")
}

/// With separators between thousands: `2,000`.
fn count(n: u32) -> String {
    let digits = n.to_string().into_bytes();
    let groups: Vec<String> =
        digits.rchunks(3).rev().map(|group| String::from_utf8_lossy(group).into_owned()).collect();
    groups.join(",")
}

/// A share in percent, to a tenth.
fn tenths(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}

/// The rows of a table and how its columns are aligned.
struct Rows {
    aligned: &'static str,
    rows: Vec<Vec<String>>,
}

impl Rows {
    fn new(aligned: &'static str) -> Self {
        Self { aligned, rows: Vec::new() }
    }

    /// What there is none of stays empty.
    fn row<const N: usize>(&mut self, cells: [Option<String>; N]) {
        self.rows.push(cells.map(Option::unwrap_or_default).to_vec());
    }
}

/// All text in it is the study's own, so nothing is escaped.
#[derive(Default)]
struct Document {
    text: String,
}

impl Document {
    fn paragraph(&mut self, text: &str) {
        self.text.push_str(&format!("{text}\n\n"));
    }

    fn item(&mut self, text: &str) {
        self.text.push_str(&format!("- {text}\n"));
    }

    /// Ends a list.
    fn end(&mut self) {
        self.text.push('\n');
    }

    /// A table; nothing when it has no rows.
    fn table<const N: usize>(&mut self, headers: [&str; N], table: Rows) {
        if table.rows.is_empty() {
            return;
        }
        let rules = table.aligned.split(' ').map(|column| if column == "r" { "---:" } else { "---" });
        self.line(&headers);
        self.line(&rules.collect::<Vec<_>>());
        for row in &table.rows {
            self.line(row);
        }
        self.text.push('\n');
    }

    fn line<T: AsRef<str>>(&mut self, cells: &[T]) {
        let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
        self.text.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
}
