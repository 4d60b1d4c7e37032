//! The picture of a run: `INSTA_UPDATE=always cargo test -p velo-report --test svg` renews the snapshots.

mod common;
#[path = "common/xml.rs"]
mod xml;

use common::{name, run};
use proptest::prelude::*;
use velo_fixtures::{Simulated, SimulatedBurst, SimulatedOpenLoop, SimulatedTask, Simulation};
use velo_judge::{Judgement, judge};
use velo_record::{ContenderState, RatePurpose, RunState, WindowKind};
use velo_report::svg;
use xml::Element;

const HOSTILE: &str =
    "<script>alert(1)</script> \"' onload=\"x\" ]]> --> <!-- &amp; &lt; \u{fffe}\x1b[31m \u{202e} 漢字 \u{0}";

fn judgement() -> Judgement {
    let (file, windows) = run(10);
    judge(&file, &windows)
}

/// The elements, after it was seen that each stays within the picture, and that nothing is there that can do or fetch
/// anything.
#[track_caller]
fn checked(picture: &str) -> Vec<Element> {
    let elements = xml::elements(picture).unwrap_or_else(|fault| panic!("{fault} in\n{picture}"));
    let root = &elements[0];
    let number = |element: &Element, name: &str| -> f64 {
        let value = element.attribute(name).unwrap_or_else(|| panic!("{element:?} has {name}"));
        value.parse().unwrap_or_else(|_| panic!("{name}=\"{value}\" is a number"))
    };
    let (width, height) = (number(root, "width"), number(root, "height"));
    assert_eq!((root.name.as_str(), width), ("svg", 800.0));
    assert_eq!(root.attribute("role"), Some("img"));
    for element in &elements {
        let is_known = matches!(
            element.name.as_str(),
            "svg" | "title" | "desc" | "style" | "g" | "text" | "path" | "circle"
        );
        assert!(is_known, "{element:?}");
        for (name, _) in &element.attributes {
            let is_harmless = !name.starts_with("on") && !name.contains("href") && name != "style";
            assert!(is_harmless, "{element:?}");
        }
        if matches!(element.name.as_str(), "text" | "circle") {
            let [x, y] = if element.name == "text" { ["x", "y"] } else { ["cx", "cy"] }
                .map(|name| number(element, name));
            assert!((0.0..=width).contains(&x) && (0.0..=height).contains(&y), "{element:?}");
        }
        if let Some(commands) = element.attribute("d") {
            for place in commands.split(['M', 'H', 'V', ' ']).filter(|place| !place.is_empty()) {
                let place: f64 = place.parse().unwrap_or_else(|_| panic!("{commands}"));
                assert!((0.0..=height.max(width)).contains(&place), "{commands}");
            }
        }
    }
    let styles: Vec<&Element> = elements.iter().filter(|element| element.name == "style").collect();
    assert!(styles.len() == 1 && styles[0].text.contains("prefers-color-scheme:dark"));
    assert!(!styles[0].text.contains("url(") && !styles[0].text.contains("@import"));
    elements
}

fn count(elements: &[Element], class: &str) -> usize {
    elements.iter().filter(|element| element.attribute("class") == Some(class)).count()
}

/// What is written in the picture, a line each.
fn written(elements: &[Element]) -> String {
    let texts = elements.iter().filter(|element| element.name == "text");
    texts.map(|element| element.text.as_str()).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_run_as_a_picture() {
    insta::assert_snapshot!(svg(&judgement()));
}

#[test]
fn ranked_ones_have_dots_and_those_who_share_a_rank_a_bracket() {
    let mut judged = judgement();
    let wide = &mut judged.workloads[0].series[0].points[1].estimate;
    (wide.low, wide.high) = (Some(wide.value / 1.1), Some(wide.value * 1.1));
    let elements = checked(&svg(&judged));
    assert_eq!((count(&elements, "dot"), count(&elements, "bracket")), (6, 1));
    assert!((1..6).contains(&count(&elements, "interval")), "those within their dots are not seen");
    let written = written(&elements);
    assert_eq!(
        written.lines().filter(|line| *line == "1-2").count(),
        1,
        "a shared rank stands once:\n{written}"
    );
    for said in
        ["POST a bet, the server tosses a coin", "95 % intervals", "velo 0.1.0, seed 7341; AMD EPYC 7R13"]
    {
        assert!(written.contains(said), "{said} in\n{written}");
    }
    assert!(written.contains("skipped: Composer could not fetch mark"), "{written}");
    assert!(!written.contains("logarithmic"), "{written}");
    assert!(elements[2].name == "desc" && elements[2].text.contains("1-2. go/net-http: 48,000"));
}

/// The oracle of the check itself.
#[test]
fn what_is_not_well_formed_is_found() {
    assert!(xml::elements("<a b=\"c\"><d/>text &lt;</a>\n").is_ok());
    for fault in [
        "<a>",
        "<a></b>",
        "<a></a><b/>",
        "text",
        "<a>&nbsp;</a>",
        "<a>a & b</a>",
        "<a b=c/>",
        "<a b=\"c\" b=\"d\"/>",
        "<a b=\"c\"d=\"e\"/>",
        "<a>\u{1b}</a>",
        "<a>\u{fffe}</a>",
        "</a>",
        "<a",
        "",
    ] {
        assert!(xml::elements(fault).is_err(), "{fault}");
    }
}

#[test]
fn far_apart_is_drawn_on_a_logarithmic_axis_that_says_so() {
    let simulated = [("go/net-http", 40_000.0), ("ruby/rack", 1_500.0), ("python/slow", 900.0)];
    let (file, windows) =
        Simulation::new(simulated.map(|(name, rate)| Simulated::new(name, rate)).to_vec()).run();
    let elements = checked(&svg(&judge(&file, &windows)));
    assert!(written(&elements).contains("logarithmic axis"));
    let x = |n: usize| -> f64 {
        let dots = elements.iter().filter(|element| element.attribute("class") == Some("dot"));
        dots.collect::<Vec<_>>()[n].attribute("cx").unwrap().parse().unwrap()
    };
    // 40,000 / 1,500 is 26.7, 1,500 / 900 is 1.67: their logarithms are as 6.43 to 1.
    assert!(((x(0) - x(1)) / (x(1) - x(2)) - 6.43).abs() < 0.3, "{} {} {}", x(0), x(1), x(2));
}

#[test]
fn one_contender() {
    let (file, windows) = Simulation::new(vec![Simulated::new("go/gin", 40_000.0)]).run();
    let elements = checked(&svg(&judge(&file, &windows)));
    assert_eq!((count(&elements, "dot"), count(&elements, "bracket")), (1, 0));
    assert!(written(&elements).contains("Only go/gin is ranked"));
}

#[test]
fn sixty_contenders() {
    let contenders = (0..60).map(|index| {
        Simulated::new(
            &format!("language/contender-with-a-long-name-{index}"),
            1_000.0 * f64::from(index + 1),
        )
    });
    let mut simulation = Simulation::new(contenders.collect());
    simulation.blocks = 1;
    let (file, windows) = simulation.run();
    let elements = checked(&svg(&judge(&file, &windows)));
    assert_eq!(count(&elements, "dot"), 60);
    let height: f64 = elements[0].attribute("height").unwrap().parse().unwrap();
    assert!((1_560.0..2_000.0).contains(&height), "{height}");
}

#[test]
fn at_most_two_hundred_rows_are_drawn() {
    let contenders = (0..90).map(|index| Simulated::new(&format!("c/c{index}"), 1_000.0)).collect();
    let mut simulation = Simulation::new(contenders);
    (simulation.blocks, simulation.launches) = (1, 1);
    simulation.workloads = ["a", "b", "c", "d", "e"].map(str::to_owned).to_vec();
    let (file, windows) = simulation.run();
    let elements = checked(&svg(&judge(&file, &windows)));
    let rows = elements.iter().filter(|element| element.name == "g").count();
    assert_eq!(rows, 200);
    let written = written(&elements);
    assert!(written.contains("and 70 more rows in the report"), "{written}");
    assert!(written.contains("and 2 more workloads in the report"), "{written}");
}

#[test]
fn a_partial_run_says_so_and_has_rings_for_what_was_seen() {
    let (mut file, windows) = run(2);
    file.state = RunState::Interrupted;
    let elements = checked(&svg(&judge(&file, &windows)));
    let written = written(&elements).replace('\n', " ");
    assert!(written.contains("No ranks: partial run: it was stopped. Seen: from"), "{written}");
    assert!(written.contains("; partial run"), "{written}");
    assert_eq!((count(&elements, "dot"), count(&elements, "ring")), (0, 6));
    let none = judge(&file, &[]);
    assert_eq!(count(&checked(&svg(&none)), "ring"), 0);
    assert!(svg(&none).contains("No figure to draw"));
}

#[test]
fn a_debug_build_is_named_at_the_foot() {
    let (mut file, windows) = run(1);
    file.identity.build = "debug".to_owned();
    file.settings.overrides = vec!["3 connections".to_owned()];
    let written = written(&checked(&svg(&judge(&file, &windows))));
    assert!(written.contains("error: this is a debug build of velo"), "{written}");
    assert!(written.contains("warning: not the usual settings: 3 connections"), "{written}");
}

/// Where goodput is not ranked, what is: CPU time at one rate, else the time of an iteration; where nothing is, a makespan.
#[test]
fn what_is_ranked_is_drawn() {
    let simulated = [("go/gin", 40_000.0), ("ruby/rack", 9_000.0)];
    let simulation = Simulation::new(simulated.map(|(name, rate)| Simulated::new(name, rate)).to_vec());
    let (mut file, mut windows) = simulation.run();
    for contender in ["go/gin", "ruby/rack"] {
        SimulatedOpenLoop::new(RatePurpose::CommonRate, 1_000.0).add_to(&mut windows, &name(contender));
        SimulatedBurst::new(400, 10).add_to(&mut file, &mut windows, &name(contender), 1..=5);
    }
    SimulatedTask::add(&[SimulatedTask::new("go/program", 9e6, 3e6)], &mut file, 5);
    let shown = |file: &velo_record::RunFile, windows: &[velo_record::Window]| {
        let elements = checked(&svg(&judge(file, windows)));
        assert!(count(&elements, "dot") > 0);
        written(&elements).replace('\n', " ")
    };
    assert!(shown(&file, &windows).contains("Goodput: correct responses per second"));
    windows.retain(|window| window.kind() != WindowKind::Block);
    file.workloads[0].load.rate_per_s = Some(1_000.0);
    let said = shown(&file, &windows);
    assert!(
        said.contains("CPU per request at the common rate: CPU time for each correct response"),
        "{said}"
    );
    windows.retain(|window| window.kind() != WindowKind::Paced);
    let said = shown(&file, &windows);
    assert!(said.contains("Task, steady: an iteration once warm") && said.contains("go/program"), "{said}");
    file.contenders.retain(|record| record.manifest.role != velo_model::Role::Task);
    let said = shown(&file, &windows);
    assert!(said.contains("Makespan: 400 requests over 40 connections"), "{said}");
}

fn hostile(text: &str) -> Judgement {
    let (mut file, windows) = run(1);
    file.started_at = text.to_owned();
    file.identity.velo = text.to_owned();
    file.host.cpu_model = Some(text.to_owned());
    file.host.virtualisation = Some(text.to_owned());
    file.settings.overrides = vec![text.to_owned(); 9];
    file.workloads[0].question = text.to_owned();
    for record in &mut file.contenders[4..8] {
        record.state = ContenderState::Skipped { reason: text.to_owned(), cure: Some(text.to_owned()) };
    }
    file.plan.as_mut().unwrap().not_ranked = Some(text.to_owned());
    let mut judgement = judge(&file, &windows);
    judgement.workloads[0].name = text.to_owned();
    judgement
}

#[test]
fn text_from_outside_is_only_text() {
    let picture = svg(&hostile(HOSTILE));
    let written = written(&checked(&picture));
    assert!(written.contains("<script>alert(1)</script>"), "it is shown as it is:\n{written}");
    assert!(!picture.contains("<script") && !picture.contains('\u{202e}'));
}

#[test]
fn figures_that_are_no_numbers_are_left_out() {
    let mut judgement = judgement();
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, f64::MAX, 5e-324];
    for (point, value) in judgement.workloads[0].series[0].points.iter_mut().zip(odd) {
        let goodput = &mut point.estimate;
        (goodput.value, goodput.low, goodput.high) = (value, Some(value), Some(f64::INFINITY));
    }
    for pair in &mut judgement.workloads[0].pairs[0].pairs.compared {
        pair.ratio.as_mut().unwrap().high = Some(f64::NAN);
    }
    let elements = checked(&svg(&judgement));
    assert_eq!(count(&elements, "dot"), 0);
    for not_a_number in ["NaN", "inf"] {
        assert!(!written(&elements).contains(not_a_number), "{}", written(&elements));
    }
    assert!(written(&elements).contains("no figure"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn any_text_is_neutralised(text in "(\\PC|[\\x00-\\x7f]|\\s){0,200}") {
        checked(&svg(&hostile(&text)));
    }

    #[test]
    fn any_figures_stay_in_the_picture(
        values in proptest::collection::vec((any::<f64>(), any::<f64>(), any::<f64>()), 6),
    ) {
        let mut judgement = judgement();
        for (row, (value, low, high)) in judgement.workloads[0].rows.iter_mut().zip(values) {
            let goodput = row.goodput_per_s.as_mut().unwrap();
            (goodput.value, goodput.low, goodput.high) = (value, Some(low), Some(high));
        }
        checked(&svg(&judgement));
    }
}
