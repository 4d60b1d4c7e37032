use serde_json::Value;

use crate::harness::{Scene, place, read_json, root, text};

pub(crate) fn assert_valid(schema: &str, instance: &Value) {
    let schema = read_json(&root().join("schemas").join(schema));
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(instance).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn a_real_run_is_what_the_schemas_say() {
    let _place = place();
    let scene = Scene::new();
    let output = scene.quick_run("void", &["none", "errors", "ignores-sigterm"]).output().unwrap();
    assert!(scene.out().join("run.json").exists(), "{}", text(&output));
    assert_valid("run.schema.json", &read_json(&scene.out().join("run.json")));
    assert_valid("judgement.schema.json", &scene.judgement());
    let windows = std::fs::read_to_string(scene.out().join("windows.ndjson")).unwrap();
    assert!(windows.lines().count() > 20, "warm-up and blocks are kept");
    for line in windows.lines() {
        assert_valid("window.schema.json", &serde_json::from_str(line).unwrap());
    }
    let run = velo_record::read_run(&scene.out()).unwrap();
    let again = serde_json::to_value(velo_judge::judge(&run.file, &run.windows)).unwrap();
    assert_eq!(again, scene.judgement(), "an old run judged again gives the same");
}
