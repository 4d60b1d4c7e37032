use crate::{Rule, Shape, SimulationCell, SimulationReport, Truth, Windows};

/// What a simulation came to, as Markdown: the bounds, the worst cells, and all cells in tables.
pub fn markdown(report: &SimulationReport) -> String {
    let mut document = Document::default();
    let bounds = &report.bounds;
    document.paragraph(&format!(
        "{} simulated runs of each of {} cells, seed {}, {} blocks a launch.",
        count(report.runs),
        report.cells.len(),
        report.seed,
        report.blocks
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
    if report.broken().next().is_none() {
        document.item("every cell keeps its bounds");
    }
    document.end();
    add_settings(report, &mut document);
    add_groups(report, &mut document);
    add_spread(report, &mut document);
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
        cell.rule == Rule::Plan && cell.truth != Truth::Spread && !report.cells.iter().any(has_looks)
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
    (&cell.groups, cell.between, cell.shape, cell.windows)
        == (&setting.groups, setting.between, setting.shape, setting.windows)
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
    format!(
        "{} contenders, {} launches, {} % between launches, {}, {truth}, {rule}",
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
