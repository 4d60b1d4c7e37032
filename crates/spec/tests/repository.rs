//! The definitions in this repository are valid, and say what they should.

use std::path::{Path, PathBuf};

use velo_model::{
    BodyExpectation, ClaimFigure, ClaimLoad, ContenderName, Figure, PublishedFigure, Side, Subject, Workload,
};
use velo_spec::read;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn workload(name: &str) -> Workload {
    read::workload(&root().join("workloads").join(name)).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn workloads_and_contenders_fit_together() {
    let workloads = read::workloads(&root()).unwrap_or_else(|error| panic!("{error}"));
    let contenders = read::contenders(&root()).unwrap_or_else(|error| panic!("{error}"));
    read::cross_check(&workloads, &contenders).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn voids_routes_have_equal_shares() {
    let void = workload("void");
    let routes: Vec<(u32, &str)> =
        void.requests.iter().map(|request| (request.weight, request.method.as_str())).collect();
    assert_eq!(routes, [(1, "GET"), (1, "GET"), (1, "POST")]);
}

#[test]
fn coins_draws_can_be_derived() {
    let coin = workload("coin");
    let BodyExpectation::Json(shape) = &coin.requests[0].expect.body else { panic!("the answer is JSON") };
    assert_eq!(shape.coin.as_ref().map(|coin| coin.win_member.as_str()), Some("win"));
    assert_eq!(coin.cases.iter().filter(|case| !case.required).count(), 3);
}

/// The published figure of a contender that a claim about this figure is about, in the unit of the table.
fn published(workload: &Workload, contender: &ContenderName, figure: ClaimFigure) -> Option<f64> {
    let own = workload.published.iter().filter(|row| row.contender.as_ref() == Some(contender));
    own.map(|row| row.figure).find_map(|published| match (published, figure.of) {
        (PublishedFigure::RequestsPerS(rate), Figure::Goodput) if figure.is_score => {
            Some(rate / published_rate(workload, &workload.baseline)?)
        }
        (PublishedFigure::RequestsPerS(rate), Figure::Goodput) => Some(rate),
        (PublishedFigure::Makespan { requests, seconds }, Figure::Makespan) => {
            let is_it = |load| matches!(load, ClaimLoad::Burst { requests: asked, .. } if asked == requests);
            figure.under.is_some_and(is_it).then_some(seconds)
        }
        (PublishedFigure::IterationMs(ms), Figure::IterationCold | Figure::IterationSteady) => Some(ms),
        (PublishedFigure::Call { ms, .. }, Figure::Call) => Some(ms),
        _ => None,
    })
}

fn published_rate(workload: &Workload, contender: &ContenderName) -> Option<f64> {
    published(workload, contender, ClaimFigure::of(Figure::Goodput))
}

/// What a claim prints must follow from the published tables, or the verdict would judge a typing error.
#[test]
fn printed_figures_follow_from_the_published_tables() {
    let workloads = ["void", "coin", "wait", "users", "echo"].map(workload);
    let figure = |side: &Side, figure| {
        let workload = workloads.iter().find(|one| one.name == side.workload).expect("a workload");
        published(workload, &side.contender, figure)
    };
    let (mut looked_at, mut about_others) = (0, 0);
    for claim in workloads.iter().flat_map(|workload| &workload.claims) {
        let printed = |found: Option<f64>, printed: f64| match found {
            Some(found) => {
                assert!((found - printed).abs() < 0.006 * printed.max(1.0), "{}: {found}", claim.says);
                true
            }
            None => false,
        };
        let follows = match (&claim.subject, claim.printed) {
            // One contender under two conditions: the source has but one figure of it.
            (Subject::Ratio(over, under), Some(_)) if over == under => false,
            (Subject::Ratio(over, under), Some(value)) => {
                let ratio = figure(over, claim.figure).zip(figure(under, claim.figure));
                printed(ratio.map(|(over, under)| over / under), value)
            }
            // About contenders that the source did not have: its figure is in the sentence and the bound.
            (Subject::Ratio(..), None) => false,
            (Subject::Value(side), Some(value)) => printed(figure(side, claim.figure), value),
            (Subject::Order(sides), None) => {
                let figures: Option<Vec<f64>> = sides.iter().map(|side| figure(side, claim.figure)).collect();
                assert!(figures.is_some_and(|figures| figures.is_sorted_by(|a, b| a > b)), "{}", claim.says);
                true
            }
            other => panic!("{}: {other:?}", claim.says),
        };
        if follows { looked_at += 1 } else { about_others += 1 }
    }
    // The claim about Spring MVC is about what the table only seemed to hold; three are about calls of one contender; two about wrapping,
    // on the host that the source had; the others hold frameworks of today and of other languages against what echo's source says of them.
    assert_eq!((looked_at, about_others), (28, 16));
}

/// What sets a load apart from the other ones of its workload, and what of that it keeps.
fn line(load: &Workload, of: &Workload) -> String {
    let settings = &load.load;
    let sent: Vec<_> = (load.requests.iter().filter(|request| request.weight > 0))
        .map(|request| format!("{}*{}", request.name, request.weight))
        .collect();
    let calls = load.grpc.iter().flat_map(|grpc| &grpc.requests).filter(|call| call.weight > 0).count();
    let fetched: Vec<_> = (load.downloads())
        .map(|one| format!("{} {}x{} {} {}", one.name, one.files, one.bytes, one.at_once, one.iterations))
        .collect();
    format!(
        "{} of {:?}{}: {} connections, {:?} requests each, {} streams, {}, {:?}, {:?}/s, {:?} s, {:?} s; \
         {sent:?} {calls} {fetched:?}; {} published, {} claims, {} tasks, {} bursts, {} calls",
        load.name,
        load.load_of,
        load.question.strip_prefix(&of.question).expect("it asks what its workload asks"),
        settings.connections,
        settings.requests_per_connection,
        settings.streams,
        settings.protocol,
        settings.link,
        settings.rate_per_s,
        settings.budget_s,
        settings.warm_up_s,
        load.published.len(),
        load.claims.len(),
        load.task.iter().count(),
        load.bursts.len(),
        load.calls.len(),
    )
}

#[test]
fn each_workload_has_its_loads() {
    let workloads = read::workloads(&root()).unwrap_or_else(|error| panic!("{error}"));
    let lines = workloads.iter().flat_map(|workload| {
        let loads = workload.loads(3).into_iter();
        loads.map(|load| line(&load, workload)).collect::<Vec<_>>()
    });
    let lines: Vec<String> = lines.collect();
    assert_eq!(lines.join("\n"), include_str!("loads.txt").trim_end());
}
