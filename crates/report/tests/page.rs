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
    let mut data = data(&page_of(&file, &windows));
    assert_fits(&data);
    insta::assert_snapshot!(format!("{data:#}"));
}

#[test]
fn tasks_have_their_processes() {
    let (mut file, windows) = small();
    SimulatedTask::add(&[SimulatedTask::new("rust/program", 4e6, 3e6)], &mut file, 1);
    let data = data(&page_of(&file, &windows));
    assert_fits(&data);
    let contenders = data["workloads"][0]["detail"]["contenders"].as_array().unwrap();
    let program = contenders.iter().find(|one| one["contender"] == "rust/program").unwrap();
    assert_eq!(program["processes"].as_array().unwrap().len(), 10);
    assert!(
        program["processes"][0]["iterations_ns"][0].as_u64()
            > program["processes"][0]["iterations_ns"][39].as_u64()
    );
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
    let contenders = data["workloads"][0]["detail"]["contenders"].as_array().unwrap();
    let of_it = contenders.iter().find(|one| one["contender"] == name.as_str()).unwrap();
    for burst in of_it["bursts"].as_array().unwrap() {
        let spans = burst["spans"].as_array().unwrap();
        let is_in_time = burst["requests"] == 40 && burst["sweep"] == false && burst["launch"] == 1;
        assert_eq!(spans.len(), if is_in_time { 40 } else { 0 }, "{burst}");
        let answered = burst["answered"].as_array().unwrap().len();
        assert_eq!(answered > 0, burst["requests"] == 501, "what spans show is not said twice: {burst}");
        if let [first, second, ..] = spans.as_slice() {
            // Ten rounds of four, and an eleventh where one is over before the others are sent.
            let rounds = if burst["first_alone"] == true { 11.0 } else { 10.0 };
            let places = |span: &Value| [0, 1].map(|end| span[end].as_f64().unwrap() / 10_000.0 * rounds);
            let [sent, done] = places(first);
            assert!(sent == 0.0 && (done - 1.0).abs() < 0.05, "{first}");
            let expected = if burst["first_alone"] == true { 1.0 } else { 0.0 };
            assert!((places(second)[0] - expected).abs() < 0.05, "{second}");
            assert_eq!(burst["failed_spans"], serde_json::json!([39]), "the last one failed");
        }
    }
}

#[test]
fn ratios_are_paired() {
    let (file, windows) = small();
    let data = data(&page_of(&file, &windows));
    let ratios = data["workloads"][0]["detail"]["ratios"].as_array().unwrap();
    let goodput = ratios.iter().find(|one| one["of"] == "goodput").unwrap();
    let pair = goodput["pairs"][0].as_array().unwrap();
    let names = &data["workloads"][0]["detail"]["contenders"];
    let name = |place: &Value| names[place.as_u64().unwrap() as usize]["contender"].as_str().unwrap();
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
    assert_eq!(data["judgement"]["workloads"][0]["question"], script);
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
}
