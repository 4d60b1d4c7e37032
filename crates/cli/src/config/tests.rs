use std::path::Path;

use clap::CommandFactory as _;

use super::*;

const REGENERATE: &str = "UPDATE_SCHEMAS=1 cargo test -p velo-cli config";

/// What a file adds to a line, by a space each.
fn added(toml: &str, line: &str) -> Result<String, String> {
    let line: Vec<&str> = line.split(' ').collect();
    let matches = Args::command().ignore_errors(true).try_get_matches_from(line).expect("a line");
    let (verb, given) = matches.subcommand().expect("a verb");
    let path = Path::new("conf/velo.toml");
    let source = SourceFile::of("conf/velo.toml", toml);
    let tables = source.parse::<Tables>().map_err(|error| error.to_string())?;
    let section = tables.of(verb).expect("a table");
    let (words, _) =
        Adding::new(verb, path, &source).all(&section, given).map_err(|error| error.to_string())?;
    Ok(words.join(" "))
}

#[test]
fn keys_become_flags() {
    let file = "\
        [load]\nurl = \"http://127.0.0.1:3000/\"\nrate = 5000\nduration = \"1m\"\nconnections = 64\n\
        fail_on = [\"p99<20ms\", \"errors=0\"]\nlatency = true\nquiet = false\nheader = [\"A: 1\", \"B: 2\"]\n";
    assert_eq!(
        added(file, "velo load").unwrap(),
        "--connections=64 --duration=1m --fail-on=p99<20ms,errors=0 --header=A: 1 --header=B: 2 --latency --rate=5000 \
         http://127.0.0.1:3000/"
    );
    let file =
        "[run]\nworkloads = [\"coin\"]\nbudget = \"2m\"\nonly = [\"go/*\", \"js/*\"]\nlatency = \"12s\"";
    assert_eq!(added(file, "velo run").unwrap(), "--budget=2m --latency=12s --only=go/* --only=js/* coin");
    assert_eq!(added(file, "velo load").unwrap(), "");
}

#[test]
fn a_contender_stands_beside_the_flags_of_a_gate() {
    let file = "[gate]\nbound = [\"cpu=3%\", \"p99=10%\"]\nstrict = true\n[contender]\nclass = \"raw\"\n";
    assert_eq!(added(file, "velo gate").unwrap(), "--bound=cpu=3%,p99=10% --strict");
}

#[test]
fn what_was_typed_wins_also_over_what_conflicts_with_it() {
    let file = "[load]\nrate = 5000\nconnections = 64\nbody = \"x\"";
    assert_eq!(added(file, "velo load -c 3").unwrap(), "--body=x --rate=5000");
    let ramp = ["velo", "load", "--ramp", "100..500 over 3s"];
    let matches = Args::command().ignore_errors(true).try_get_matches_from(ramp).unwrap();
    let given = matches.subcommand().unwrap().1;
    let source = SourceFile::of("velo.toml", file);
    let section = source.parse::<Tables>().unwrap().load;
    let (words, used) = Adding::new("load", Path::new("velo.toml"), &source).all(&section, given).unwrap();
    assert_eq!(words, ["--body=x", "--connections=64"]);
    assert_eq!(used, ["body", "connections"]);
    assert_eq!(added(file, "velo load --request GET").unwrap(), "--connections=64 --rate=5000");
    let file = "[run]\nbudget = \"2m\"\nonly = \"go/*\"\nworkloads = [\"coin\"]";
    assert_eq!(added(file, "velo run --quick void").unwrap(), "--only=go/*");
    assert_eq!(added(file, "velo run --all").unwrap(), "--budget=2m coin");
}

#[test]
fn files_are_looked_for_beside_the_file() {
    let file = "[load]\nrequests_file = \"a.toml\"\ncsv_values = \"/b.csv\"\njson = \"-\"\nbody = \"@c\"\nexpect_body = \"@@d\"";
    assert_eq!(
        added(file, "velo load").unwrap(),
        "--body=@conf/c --csv-values=/b.csv --expect-body=@@d --json=- --requests-file=conf/a.toml"
    );
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    for (file, wanted) in [
        ("[load]\nrat = 5", "conf/velo.toml:2: unknown key `rat` (in `load.rat`)\n  did you mean `rate`?"),
        ("[load]\nnonsense = 5", "expected a long flag with `_` for `-`; velo help load lists them"),
        (
            "[load]\n\nlatency = 5",
            "conf/velo.toml:3: this value is of another type (in `load.latency`)\n  expected true or false",
        ),
        (
            "[load]\nrate = [5]",
            "conf/velo.toml:2: this value is of another type (in `load.rate`)\n  expected a text or a number",
        ),
        ("[load]\nheader = [1979-05-27]", "expected a list of texts"),
        ("[load]\nconnections = 0", "conf/velo.toml:2: this value will not do (in `load.connections`)\n  "),
        (
            "[load]\nduration = \"ten\"",
            "conf/velo.toml:2: this value will not do (in `load.duration`)\n  expected",
        ),
        ("[load]\narrivals = \"even\"", "conf/velo.toml:2: this value will not do"),
        (
            "[laod]\n",
            "conf/velo.toml:1: unknown key `laod`\n  expected one of: load, run, gate, contender; did you mean `load`?",
        ),
        ("load = 5\n", "conf/velo.toml:1: "),
        ("[load\n", "conf/velo.toml:1: "),
        ("[load]\nconfig = \"other\"", "unknown key `config`"),
    ] {
        let error = added(file, "velo load").unwrap_err();
        assert!(error.contains(wanted), "{file}: {error}");
    }
    assert!(added("[load]\nrate = \"x\"", "velo load -R 5").is_err(), "also what is not used");
}

#[test]
fn words_stand_behind_the_command() {
    let line = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
    let with = |text: &str| inserted(line(text), "run", vec!["-x".to_owned()]);
    assert_eq!(with("velo run coin -- a"), line("velo run -x coin -- a"));
    assert_eq!(with("velo --root run run coin"), line("velo --root run run -x coin"));
    assert_eq!(with("velo run --url run"), line("velo run -x --url run"));
}

#[test]
fn the_schema_is_that_of_the_flags() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/config.schema.json");
    let text = format!("{:#}\n", keys::schema::of_file());
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "schemas/config.schema.json differs from the flags; regenerate it: {REGENERATE}");
}

#[test]
fn the_document_names_keys_that_are_there() {
    let page = include_str!("../../../../docs/load.md");
    let mut seen = 0;
    for example in page.split("```toml\n").skip(1) {
        let example = example.split("```").next().unwrap();
        let source = SourceFile::of("docs/load.md", example);
        let tables = source.parse::<Tables>().unwrap();
        for (verb, section) in [("load", tables.load), ("run", tables.run)] {
            let matches = Args::command().ignore_errors(true).try_get_matches_from(["velo", verb]).unwrap();
            let given = matches.subcommand().unwrap().1;
            let (_, used) = Adding::new(verb, Path::new("velo.toml"), &source).all(&section, given).unwrap();
            seen += used.len();
        }
    }
    assert!(seen >= 10, "{seen} keys");
}
