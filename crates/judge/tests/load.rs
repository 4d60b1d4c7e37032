//! Simulated loads, whose figures are known.

use velo_fixtures::load::{closed_loop, open_loop, service_ns};
use velo_judge::load::{Headline, LoadFileError, LoadResult, compare, judge, parse_conditions};
use velo_judge::{Check, Kind};

#[track_caller]
fn assert_near(found: Option<f64>, expected: f64) {
    let found = found.expect("a figure");
    assert!((found - expected).abs() <= expected.abs() * 0.002, "{found} is not {expected}");
}

#[test]
fn an_open_loop_has_the_figures_that_were_simulated() {
    let result = judge(open_loop(5_000, 10), &[]);
    let figures = &result.figures;
    assert_eq!(figures.headline, Headline::Response);
    assert_near(figures.goodput_per_s, 5_000.0);
    assert_near(figures.offered_per_s, 5_000.0);
    assert_near(figures.sent_per_s, 5_000.0);
    assert_eq!(figures.achieved_share, Some(1.0));
    assert_near(figures.generator_busy_share, 0.022);
    assert_near(figures.cpu_per_request_ns, 4_400.0);
    assert_near(figures.received_bytes_per_s, 900_000.0);
    assert_eq!((figures.littles_law, figures.kept_busy, figures.at_least), (Some(0.0), None, false));
    let (response, service) = (figures.response.as_ref().unwrap(), figures.service.as_ref().unwrap());
    for ((name, q, response), (.., service)) in response.listed().into_iter().zip(service.listed()) {
        if name == "p99.99" {
            assert_eq!((response, service), (None, None), "5 samples beyond are too few");
            continue;
        }
        // The middle of the sample at this rank.
        let expected = service_ns(q - 0.5 / 50_000.0);
        assert_near(service.map(|ns| ns as f64), expected);
        assert_near(response.map(|ns| ns as f64), expected + 20_000.0);
    }
    assert_near(figures.send_lag.as_ref().and_then(|lag| lag.mean_ns), 20_000.0);
    // Little's law from the other side: the rate times the mean service time.
    let mean_ns = service.mean_ns.unwrap();
    assert_near(figures.in_flight, 5_000.0 * mean_ns / 1e9);
    let checks: Vec<Check> = result.verdicts.iter().map(|verdict| verdict.check).collect();
    assert_eq!(checks, []);
}

#[test]
fn a_closed_loop_has_the_figures_that_were_simulated() {
    let result = judge(closed_loop(1), &[]);
    let figures = &result.figures;
    assert_eq!(figures.headline, Headline::Service);
    assert_eq!((figures.offered_per_s, figures.achieved_share), (None, None));
    assert!(figures.kept_busy.unwrap() >= 0.98, "{:?}", figures.kept_busy);
    let verdicts: Vec<Check> = result.verdicts.iter().map(|verdict| verdict.check).collect();
    assert_eq!(figures.generator_busy_share.unwrap() >= 0.85, figures.at_least);
    assert_eq!(verdicts, [Check::Model, Check::Limit]);
    assert!(figures.at_least);
}

#[test]
fn the_generator_as_the_limit_is_said_and_makes_a_lower_bound_of_a_closed_loop_only() {
    for (mut record, at_least) in [(closed_loop(1), true), (open_loop(5_000, 10), false)] {
        record.generator_cpu_ns = vec![record.duration_ns * 84 / 100];
        assert!(!judge(record.clone(), &[]).figures.at_least);
        record.generator_cpu_ns = vec![record.duration_ns * 85 / 100];
        let result = judge(record.clone(), &[]);
        assert_eq!(result.figures.at_least, at_least);
        assert!(result.verdicts.iter().any(|verdict| verdict.check == Check::Limit));
        record.settings.busy_poll = true;
        let result = judge(record, &[]);
        assert!(!result.figures.at_least, "a busy wait proves nothing");
        assert!(
            result.verdicts.iter().any(|verdict| (verdict.kind, verdict.check) == (Kind::Hint, Check::Limit))
        );
    }
}

#[test]
fn what_is_written_is_read_as_it_was() {
    let conditions = parse_conditions("p99<20ms,errors=0,p99.99<1s").unwrap();
    for record in [open_loop(777, 3), closed_loop(1)] {
        let result = judge(record, &conditions);
        let written = serde_json::to_vec(&result).unwrap();
        assert_eq!(LoadResult::from_json(&written), Ok(result));
    }
}

#[test]
fn another_version_and_another_file_are_named() {
    assert_eq!(LoadResult::from_json(b"{\"format\": 7}"), Err(LoadFileError::Format(7)));
    let error = LoadResult::from_json(b"{\"format\": 2}").unwrap_err().to_string();
    assert!(error.starts_with("not a load result: missing field `record`"), "{error}");
    let error = LoadResult::from_json(b"{\"\x1b[31m").unwrap_err().to_string();
    assert!(!error.chars().any(char::is_control), "{error:?}");
}

#[test]
fn the_same_load_twice_differs_in_nothing_and_still_has_no_interval() {
    let result = judge(open_loop(5_000, 10), &[]);
    let comparison = compare(&result, &result);
    assert!(comparison.same_load && comparison.differences.is_empty());
    assert!(comparison.notes.len() == 1 && comparison.notes[0].contains("no interval"));
    for figure in comparison.figures {
        let expected = figure.now.filter(|now| *now != 0.0).map(|_| 1.0);
        assert_eq!(figure.ratio, expected, "{}", figure.name);
    }
}

#[test]
fn what_differs_between_two_loads_is_said() {
    let before = judge(open_loop(5_000, 10), &[]);
    let mut record = closed_loop(1);
    record.settings.connections = 128;
    record.driver = "epoll".to_owned();
    record.velo = "0.2.0".to_owned();
    record.settings.requests_hash = "0".repeat(64);
    record.target.url = "http://[::1]/".to_owned();
    let comparison = compare(&judge(record, &[]), &before);
    let differences: Vec<&str> = comparison.differences.iter().map(|difference| difference.setting).collect();
    assert_eq!(differences, ["target", "load model", "connections", "requests", "driver", "velo"]);
    assert!(!comparison.same_load);
    assert_eq!(comparison.differences[1].before, "open loop 5,000/s, Poisson");
    assert!(
        comparison.figures[1].name == "service p50",
        "an open and a closed loop share service times only"
    );

    let mut elsewhere = open_loop(5_000, 10);
    elsewhere.target.url = "http://[::1]/".to_owned();
    assert!(compare(&judge(elsewhere, &[]), &before).same_load, "another server under the same load");
}

#[test]
fn ratios_are_now_over_before() {
    let before = judge(open_loop(2_500, 20), &[]);
    let now = judge(open_loop(5_000, 10), &[]);
    let comparison = compare(&now, &before);
    let ratio = |name: &str| {
        comparison.figures.iter().find(|figure| figure.name == name).and_then(|figure| figure.ratio)
    };
    assert_eq!(ratio("goodput"), Some(2.0));
    assert_eq!(ratio("response p99"), Some(1.0));
    assert_eq!(ratio("errors"), None, "nothing failed before");
}
