//! The page's data: what they are, that they fit their schema, and that hostile ones stay data.

use std::path::Path;

use serde_json::Value;
use velo_fixtures::{Simulated, SimulatedBurst, SimulatedTask, Simulation};
use velo_judge::judge_run;
use velo_record::{Purpose, RunFile, Window};
use velo_report::{page, page_schema};

const REGENERATE: &str = "UPDATE_SCHEMAS=1 cargo test -p velo-report --test page";

fn page_of(file: &RunFile, windows: &[Window]) -> String {
    let judged = judge_run(file, windows);
    page(file, &judged.judgement, judged.detail())
}

/// What a browser reads out of the page.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once(r#"<script type="application/json" id="velo-data">"#).unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[track_caller]
fn assert_fits(data: &Value) {
    let validator = jsonschema::draft202012::new(&page_schema()).unwrap();
    let faults: Vec<String> = validator.iter_errors(data).map(|error| error.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?}");
}

fn small() -> (RunFile, Vec<Window>) {
    let contenders =
        vec![Simulated::new("go/net-http", 48_100.0).coin(), Simulated::new("js/fastify", 33_500.0).coin()];
    let mut simulation = Simulation::new(contenders);
    (simulation.launches, simulation.blocks) = (5, 1);
    simulation.run()
}

#[test]
fn the_schema_is_that_of_the_data() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/page.schema.json");
    let text = format!("{:#}\n", page_schema());
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "schemas/page.schema.json differs from the type; regenerate it: {REGENERATE}");
}

#[test]
fn the_data_are_these() {
    let (file, windows) = small();
    let data = data(&page_of(&file, &windows));
    assert_fits(&data);
    insta::assert_snapshot!(format!("{data:#}"));
}

#[test]
fn tasks_have_their_processes() {
    let (mut file, windows) = small();
    SimulatedTask::add(&[SimulatedTask::new("rust/program", 4e6, 3e6)], &mut file, 1);
    let data = data(&page_of(&file, &windows));
    assert_fits(&data);
    let chart = charts(&data).into_iter().find(|chart| chart["id"] == "iterations").unwrap();
    assert_eq!((&chart["lines"][0]["name"], &chart["x"]["is_log"]), (&"rust/program".into(), &true.into()));
    let points = chart["lines"][0]["points"].as_array().unwrap();
    assert_eq!(points.len(), 40);
    assert!(points[0]["y"].as_f64() > points[39]["y"].as_f64(), "the first one is cold");
}

/// All charts of the first workload, those of its sections and those that open.
fn charts(data: &Value) -> Vec<&Value> {
    fn within(blocks: &Value) -> Vec<&Value> {
        let blocks = blocks.as_array().unwrap().iter();
        let found = blocks.flat_map(|block| match block["is"].as_str().unwrap() {
            "chart" => vec![block],
            "fold" => within(&block["blocks"]),
            _ => Vec::new(),
        });
        found.collect()
    }
    let sections = data["workloads"][0]["sections"].as_array().unwrap();
    sections.iter().flat_map(|section| within(&section["blocks"])).collect()
}

#[test]
fn bursts_have_their_requests_in_time() {
    let (mut file, mut windows) = small();
    let name = file.contenders[0].manifest.name.clone();
    for burst in
        [SimulatedBurst::new(40, 4), SimulatedBurst::new(40, 4).as_ab(), SimulatedBurst::sweep(40, 4)]
    {
        burst.add_to(&mut file, &mut windows, &name, 1..=2);
    }
    SimulatedBurst::new(501, 100).add_to(&mut file, &mut windows, &name, 1..=1);
    for window in &mut windows {
        if let Purpose::Burst(burst) = &mut window.purpose
            && burst.spans.len() == 40
        {
            burst.spans[39].is_correct = false;
        }
    }
    let data = data(&page_of(&file, &windows));
    assert_fits(&data);
    let all = charts(&data);
    let chart = |id: &str| {
        *all.iter()
            .find(|chart| chart["id"] == id)
            .unwrap_or_else(|| panic!("{id}: {:?}", all.iter().map(|one| &one["id"]).collect::<Vec<_>>()))
    };
    for (id, rounds) in [("burst-40-40", 10.0), ("burst-40-40-ab", 11.0)] {
        let requests = &chart(&format!("{id}-requests"))["lines"][0]["points"];
        let requests = requests.as_array().unwrap();
        assert_eq!(requests.len(), 40);
        let end = requests.iter().filter_map(|one| one["end"].as_f64()).fold(0.0, f64::max);
        // Ten rounds of four, and an eleventh where one is over before the others are sent.
        let places = |request: &Value| ["x", "end"].map(|key| request[key].as_f64().unwrap() / end * rounds);
        let [sent, done] = places(&requests[0]);
        assert!(sent == 0.0 && (done - 1.0).abs() < 0.05, "{}", requests[0]);
        let expected = if rounds > 10.0 { 1.0 } else { 0.0 };
        assert!((places(&requests[1])[0] - expected).abs() < 0.05, "{}", requests[1]);
        assert_eq!((&requests[39]["sign"], &requests[38]["sign"]), (&"cross".into(), &Value::Null));
        let answers = &chart(&format!("{id}-answers"))["lines"][0]["points"];
        assert_eq!(answers.as_array().unwrap().len(), 40, "nothing, and the 39 that were answered");
    }
    assert!(
        all.iter().all(|chart| chart["id"] != "burst-501-40-requests"),
        "of more than 500 there are none"
    );
    assert!(!chart("burst-501-40-answers")["lines"][0]["points"].as_array().unwrap().is_empty());
    assert!(all.iter().any(|chart| chart["id"] == "connections"), "the sweep");
}

#[test]
fn ratios_are_paired() {
    let (file, windows) = small();
    let data = data(&page_of(&file, &windows));
    let ranking = &data["workloads"][0]["rankings"][0];
    assert_eq!((&ranking["id"], &ranking["better"]), (&"goodput".into(), &"more".into()));
    let pair = ranking["ratios"][0].as_array().unwrap();
    let name =
        |place: &Value| ranking["points"][place.as_u64().unwrap() as usize]["contender"].as_str().unwrap();
    assert_eq!((name(&pair[0]), name(&pair[1])), ("go/net-http", "js/fastify"));
    let value = pair[2].as_f64().unwrap();
    assert!((value - 48_100.0 / 33_500.0).abs() < 0.1, "{value}");
    assert!(pair[3].as_f64() < pair[4].as_f64(), "{pair:?}");
}

#[test]
fn hostile_texts_stay_in_the_data() {
    let (mut file, mut windows) = small();
    let script = "</script><script>alert(1)</script>";
    file.workloads[0].question = script.to_owned();
    file.contenders[0].version = Some(script.to_owned());
    file.contenders[0].notes = Some(script.to_owned());
    for window in &mut windows {
        window.started_ns = u64::MAX;
        window.duration_ns = 0;
        window.wrong_examples = vec![script.repeat(10_000)];
    }
    let page = page_of(&file, &windows);
    assert!(!page.contains("<script>alert"), "a text has become markup");
    let data = data(&page);
    assert_fits(&data);
    assert_eq!(data["workloads"][0]["question"], script);
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
}
