//! What is said of a run in lines of its own.

use std::time::Duration;

use velo_judge::Looked;
use velo_judge::gate::{GateState, LookedFigure};
use velo_lab::doctor::Check;
use velo_lab::{Part, doctor};
use velo_model::PartyRole;
use velo_record::{ExpectedPrecision, Placement, Plan, PlannedTime, Stage};
use velo_stats::number;

use crate::{columns, values};

/// Lines within so many columns, going on below the text behind the label.
pub(super) fn wrapped(text: &str, width: usize) -> String {
    const LABEL: usize = 9;
    let lines = text.lines().map(|line| {
        let (label, rest) = match line.char_indices().nth(LABEL) {
            Some((at, _)) if line[..at].ends_with(' ') => line.split_at(at),
            _ => ("", line),
        };
        if label.is_empty() {
            return columns::wrap(rest, 0, width).replace('\n', &format!("\n{}", " ".repeat(LABEL)));
        }
        format!("{label}{}", columns::wrap(rest, LABEL, width))
    });
    lines.collect::<Vec<_>>().join("\n")
}

pub(super) fn host_line(placement: &Placement) -> String {
    let facts = doctor::facts_at_a_glance();
    let model = facts.cpu_model.as_deref().unwrap_or("unknown CPU");
    let virtual_word = if facts.virtualisation.is_some() { ", virtual" } else { "" };
    format!(
        "host     {model}, {} CPUs{virtual_word}; server on {}, load on {}",
        facts.cpus,
        values::cpus_in_words(placement.cpus(PartyRole::Contender)),
        values::cpus_in_words(placement.cpus(PartyRole::Generator))
    )
}

pub(super) fn plan_line(plan: &Plan) -> String {
    let launches = values::count_of(plan.launches, "launch", "launches");
    let blocks = values::count(plan.blocks as usize, "block");
    let time = values::clock(Duration::from_nanos(plan.expected_ns));
    let early = plan.looks.split_last().map_or(&[][..], |(_, early)| early);
    let early: Vec<String> = early.iter().map(|look| look.launch.to_string()).collect();
    let looks = if early.is_empty() {
        String::new()
    } else {
        format!(", less if precise enough after {}", early.join(" or "))
    };
    let mut lines = vec![format!("plan     {launches} of {blocks}, about {time}{looks}")];
    lines.extend(shares_line(plan));
    lines.extend(plan.expected_precision.map(precision_line));
    lines.extend(plan.not_ranked.iter().map(|reason| format!("no ranks: {reason}")));
    lines.extend(plan.left_out.iter().map(|what| format!("left out {what}")));
    lines.join("\n")
}

/// What the plan's time buys, and what half of that costs.
fn precision_line(expected: ExpectedPrecision) -> String {
    let ExpectedPrecision { half_width, halved_budget_s } = expected;
    let halved = halved_budget_s.map(|seconds| {
        let budget = number::budget(seconds * 1_000_000_000);
        format!("; ± {} with --budget {budget}", number::percent(half_width / 2.0))
    });
    format!("         ratios to about ± {}{}", number::percent(half_width), halved.unwrap_or_default())
}

/// What a look has found, and what follows.
pub(super) fn look_line(launch: u32, found: Looked) -> String {
    let found = match found {
        Looked::Precise { pairs } => {
            format!(
                "{} precise enough, the run ends",
                values::count_of(pairs as u32, "pair is", "pairs are all")
            )
        }
        Looked::NotYet { precise, pairs } => {
            format!("{precise} of {} precise enough, the run goes on", values::count(pairs, "pair"))
        }
        Looked::NoPair => "no two contenders can be ranked so far, the run goes on".to_owned(),
        Looked::Disturbed => "most blocks were disturbed, the run goes on".to_owned(),
    };
    format!("look     after launch {launch}: {found}")
}

/// What a look of a gate has found of each figure, and what follows.
pub(super) fn gate_line(launch: u32, found: &[LookedFigure], is_decided: bool) -> String {
    let figures = found.iter().filter_map(|one| {
        let state = match one.state {
            GateState::Worse => "worse",
            GateState::Better => "better",
            GateState::Within => "within its bound",
            GateState::Undecided => "undecided",
            GateState::Missing => return None,
        };
        Some(format!("{} {}, {state}", one.figure.row().name, number::change(one.ratio?)))
    });
    let figures: Vec<String> = figures.collect();
    let next = if is_decided { "the run ends" } else { "the run goes on" };
    format!("look     after launch {launch}: {}; {next}", figures.join("; "))
}

/// What the time is for, in per cent of it; `None` of a plan that says nothing of it.
fn shares_line(plan: &Plan) -> Option<String> {
    let PlannedTime { counted_ns, common_rate_ns, warm_up_ns, starts_ns, proof_ns } = plan.time;
    let parts = [
        ("counted", counted_ns),
        ("common rate", common_rate_ns),
        ("warm-up", warm_up_ns),
        ("starts", starts_ns),
        ("proof", proof_ns),
    ];
    let share = |ns: u64| (100.0 * ns as f64 / plan.expected_ns.max(1) as f64).round();
    let shares: Vec<String> = parts
        .into_iter()
        .filter(|(_, ns)| share(*ns) >= 1.0)
        .map(|(part, ns)| format!("{part} {} %", share(ns)))
        .collect();
    (!shares.is_empty()).then(|| format!("         {}", shares.join(", ")))
}

pub(super) fn tasks_line(tasks: usize, processes: u32, expected: Duration, over: Option<Duration>) -> String {
    let of_each = values::count_of(processes, "process", "processes");
    let longer = over.map_or_else(String::new, |budget| {
        format!(": longer than --budget {}, since {processes} are the least", values::clock(budget))
    });
    let tasks = values::count(tasks, "task");
    format!("tasks    {tasks}, {of_each} each, about {}{longer}", values::clock(expected))
}

pub(super) fn calls_line(contenders: usize, conditions: usize, launches: u32, expected: Duration) -> String {
    let launches = values::count_of(launches, "launch", "launches");
    format!(
        "calls    one at a time: {}, {}, {launches}, about {}",
        values::count(contenders, "contender"),
        values::count(conditions, "condition"),
        values::clock(expected)
    )
}

pub(super) fn part_line(part: Part, launches: u32, expected: Duration) -> String {
    let (stage, launches) = (stage_of(part), values::count_of(launches, "launch", "launches"));
    let what = match part {
        Part::Blocks => "blocks",
        Part::Latency => "response times at stated rates",
        Part::Curve => "rates upward to 110 % of the goodput",
    };
    format!("{stage:8} {what}: {launches}, about {}", values::clock(expected))
}

pub(super) fn bursts_line(first_launch: Duration, other_launches: Duration) -> String {
    let others = if other_launches.is_zero() {
        String::new()
    } else {
        format!(" and {} in each other", values::clock(other_launches))
    };
    format!(
        "bursts   in addition to the budget: at least {} in the first launch{others},\n         \
         more where requests hold a thread while they wait",
        values::clock(first_launch)
    )
}

pub(super) fn warning(check: &Check) -> String {
    let advice = check.advice.as_ref().map_or(String::new(), |advice| format!("\n         {advice}"));
    format!("{:8} {}: {}{advice}", check.state.word(), check.name, check.found)
}

pub(super) fn stage_of(part: Part) -> &'static str {
    match part {
        Part::Blocks => "measure",
        Part::Latency => "latency",
        Part::Curve => "curve",
    }
}

pub(super) fn block_of(part: Part) -> &'static str {
    match part {
        Part::Blocks => "block",
        Part::Latency => "round",
        Part::Curve => "point",
    }
}

pub(super) fn stage_in_words(stage: Stage) -> &'static str {
    match stage {
        Stage::Build => "at its build",
        Stage::Version => "at its version",
        Stage::Start => "at its start",
        Stage::Verify => "at its verification",
        Stage::Measure => "while it was measured",
    }
}

#[cfg(test)]
mod tests {
    use velo_lab::doctor::CheckState;
    use velo_model::Figure;
    use velo_record::Look;

    use super::*;

    #[test]
    fn lines_go_on_below_their_text() {
        assert_eq!(wrapped("host     one CPU, two CPUs", 18), "host     one CPU,\n         two CPUs");
        assert_eq!(wrapped("         again and again", 18), "         again and\n         again");
        assert_eq!(wrapped("go/gin excluded: it ended", 18), "go/gin excluded:\n         it ended");
        assert_eq!(wrapped("short", 18), "short");
    }

    #[test]
    fn a_plan_says_when_nothing_will_be_ranked() {
        let plan = Plan {
            launches: 5,
            blocks: 10,
            expected_ns: 160_000_000_000,
            time: PlannedTime::default(),
            needed_budget_s: None,
            not_ranked: None,
            looks: vec![Look { launch: 5, level: 0.05 }],
            proof_pairs: 10,
            common_rates: Vec::new(),
            expected_precision: None,
            full_every: 1,
            left_out: Vec::new(),
        };
        assert_eq!(plan_line(&plan), "plan     5 launches of 10 blocks, about 2:40");
        let time = PlannedTime {
            counted_ns: 80_000_000_000,
            common_rate_ns: 16_000_000_000,
            warm_up_ns: 32_000_000_000,
            starts_ns: 100_000_000,
            proof_ns: 1_600_000_000,
        };
        let shares = "         counted 50 %, common rate 10 %, warm-up 20 %, proof 1 %";
        let told = plan_line(&Plan { time, ..plan.clone() });
        assert_eq!(told.lines().nth(1), Some(shares), "the starts take less than one per cent");
        let buys = |halved_budget_s| {
            let expected_precision = Some(ExpectedPrecision { half_width: 0.048, halved_budget_s });
            plan_line(&Plan { expected_precision, ..plan.clone() }).lines().last().map(str::to_owned)
        };
        assert_eq!(buys(None).as_deref(), Some("         ratios to about ± 4.8 %"));
        assert_eq!(
            buys(Some(720)).as_deref(),
            Some("         ratios to about ± 4.8 %; ± 2.4 % with --budget 12m")
        );
        let quick = Plan {
            launches: 1,
            blocks: 1,
            expected_ns: 1,
            needed_budget_s: None,
            not_ranked: Some("quick look".to_owned()),
            ..plan.clone()
        };
        assert_eq!(plan_line(&quick), "plan     1 launch of 1 block, about 0:01\nno ranks: quick look");
        let precise = Plan {
            launches: 12,
            looks: [5, 8, 12].map(|launch| Look { launch, level: 0.01 }).to_vec(),
            left_out: vec!["the proof: --budget 60s would do".to_owned()],
            ..plan
        };
        assert_eq!(
            plan_line(&precise),
            "plan     12 launches of 10 blocks, about 2:40, less if precise enough after 5 or 8\n\
             left out the proof: --budget 60s would do"
        );
    }

    #[test]
    fn a_look_says_what_it_found() {
        let told = |found| look_line(5, found).split_once(": ").expect("a finding").1.to_owned();
        assert_eq!(told(Looked::Precise { pairs: 6 }), "6 pairs are all precise enough, the run ends");
        assert_eq!(told(Looked::Precise { pairs: 1 }), "1 pair is precise enough, the run ends");
        let some = Looked::NotYet { precise: 4, pairs: 6 };
        assert_eq!(told(some), "4 of 6 pairs precise enough, the run goes on");
        assert_eq!(told(Looked::NoPair), "no two contenders can be ranked so far, the run goes on");
        assert_eq!(told(Looked::Disturbed), "most blocks were disturbed, the run goes on");
    }

    #[test]
    fn a_look_of_a_gate_says_what_is_known_of_each_figure() {
        let one = |figure, state, ratio| LookedFigure { figure, state, ratio, is_accepted: false };
        let found = [
            one(Figure::CpuPerRequest, GateState::Worse, Some(1.05)),
            one(Figure::Goodput, GateState::Undecided, Some(0.98)),
            one(Figure::ResponseP99, GateState::Missing, None),
        ];
        assert_eq!(
            gate_line(4, &found, true),
            "look     after launch 4: CPU time per request +5.0 %, worse; goodput -2.0 %, undecided; the run ends"
        );
    }

    #[test]
    fn tasks_say_how_long_they_take() {
        assert_eq!(
            tasks_line(12, 10, Duration::from_secs(95), None),
            "tasks    12 tasks, 10 processes each, about 1:35"
        );
        assert_eq!(
            tasks_line(1, 2, Duration::from_millis(1), None),
            "tasks    1 task, 2 processes each, about 0:01"
        );
        let seconds = Duration::from_secs;
        assert_eq!(
            tasks_line(48, 10, seconds(557), Some(seconds(100))),
            "tasks    48 tasks, 10 processes each, about 9:17: longer than --budget 1:40, since 10 are the least"
        );
    }

    #[test]
    fn what_is_beside_the_plan_has_a_line_of_its_own() {
        assert_eq!(
            part_line(Part::Latency, 5, Duration::from_secs(110)),
            "latency  response times at stated rates: 5 launches, about 1:50"
        );
        assert_eq!(
            part_line(Part::Curve, 1, Duration::from_secs(70)),
            "curve    rates upward to 110 % of the goodput: 1 launch, about 1:10"
        );
    }

    #[test]
    fn the_length_of_bursts_is_said_before_they_begin() {
        assert_eq!(
            bursts_line(Duration::from_secs(754), Duration::from_secs(160)),
            "bursts   in addition to the budget: at least 12:34 in the first launch and 2:40 in each other,\n         \
             more where requests hold a thread while they wait"
        );
        let once = bursts_line(Duration::from_secs(3), Duration::ZERO);
        assert!(once.contains("at least 0:03 in the first launch,\n"), "{once}");
    }

    #[test]
    fn a_warning_says_what_to_do() {
        let mut check = Check {
            name: "others".to_owned(),
            found: "12 % of the CPUs are busy".to_owned(),
            state: CheckState::Warning,
            advice: Some("end them".to_owned()),
        };
        assert_eq!(warning(&check), "warning  others: 12 % of the CPUs are busy\n         end them");
        check.advice = None;
        check.state = CheckState::Unfit;
        assert_eq!(warning(&check), "unfit    others: 12 % of the CPUs are busy");
    }
}
