//! `velo new`: a workload or a contender from a template.

mod routes;
mod templates;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use velo_model::{ContenderName, Workload};

use crate::args::{NewArgs, NewContenderArgs, NewWhat, NewWorkloadArgs};
use crate::exit::{self, usage};
use crate::{carried, out};

pub(crate) fn run(args: &NewArgs) -> anyhow::Result<u8> {
    let (dir, files, then) = match &args.what {
        NewWhat::Contender(args) => contender(args)?,
        NewWhat::Workload(args) => workload(args)?,
    };
    write(&dir, &files)?;
    let mut text = String::new();
    for (name, _) in &files {
        text.push_str(&format!("{}\n", dir.join(name).display()));
    }
    out::print(&text)?;
    out::talk(&then);
    Ok(exit::DONE)
}

type Made = (PathBuf, Vec<(&'static str, String)>, String);

fn contender(args: &NewContenderArgs) -> anyhow::Result<Made> {
    let name = ContenderName::new(&args.name).map_err(|error| usage(error.to_string()))?;
    let known = templates::LANGUAGES;
    let Some(language) = known.iter().find(|language| language.name == name.language()) else {
        let names: Vec<&str> = known.iter().map(|language| language.name).collect();
        return Err(usage(format!(
            "velo new has no template in `{}`\n  expected one of: {}; or copy a folder of contenders/ in the repository",
            name.language(),
            names.join(", ")
        )));
    };
    let workload = args.workload.as_deref().unwrap_or(if args.client { "download" } else { "void" });
    let fill = |text: &str| {
        let text = text.replace("WORKLOAD", workload);
        text.replace("NAME", name.as_str()).replace("LANGUAGE", language.title)
    };
    let program = match (args.task, args.client) {
        (true, _) => &language.task,
        (_, true) => &language.client,
        _ => &language.server,
    };
    let mut files: Vec<_> = program.iter().map(|(file, text)| (*file, fill(text))).collect();
    let is_server = !args.task && !args.client;
    let asked = if is_server { known_workload(&args.dir, workload)? } else { None };
    let made = asked.map(|asked| routes::source(&asked, language.name)).transpose()?.flatten();
    let to_write = made.is_some();
    if let (Some(made), Some((_, source))) =
        (made, files.iter_mut().find(|(file, _)| *file == language.source))
    {
        *source = made;
    }
    let dir = args.dir.join("contenders").join(name.language()).join(name.short());
    let shown = dir.display();
    let first = if to_write {
        format!(
            "write what its routes answer: {shown}/{}\nas asked:   velo show {workload}\n",
            language.source
        )
    } else {
        String::new()
    };
    let then = format!(
        "{first}try it:     velo verify {workload} --contender {shown}\nmeasure it: velo run {workload} --contender {shown}\n"
    );
    Ok((dir, files, then))
}

/// The workload, of the folder in which contenders/ is or will be, or else of those that velo carries.
fn known_workload(dir: &Path, name: &str) -> anyhow::Result<Option<Workload>> {
    let own = dir.join("workloads").join(name);
    if own.is_dir() {
        return Ok(Some(velo_spec::read::workload(&own)?));
    }
    let carried = carried::workloads();
    Ok(carried.get(name).map(|files| velo_spec::read::workload_of(name, files)).transpose()?)
}

fn workload(args: &NewWorkloadArgs) -> anyhow::Result<Made> {
    let name = args.name.as_str();
    if !velo_spec::read::is_workload_name(name) {
        return Err(usage(format!(
            "`{name}` is not a workload's name\n  expected lower-case letters, digits and hyphens"
        )));
    }
    let baseline = args.baseline.clone().unwrap_or_else(|| format!("python/{name}"));
    let baseline = ContenderName::new(&baseline).map_err(|error| usage(format!("--baseline: {error}")))?;
    let year = jiff::Zoned::now().year().to_string();
    let text = templates::WORKLOAD
        .replace("BASELINE", baseline.as_str())
        .replace("NAME", name)
        .replace("YEAR", &year);
    let dir = args.dir.join("workloads").join(name);
    let then = format!(
        "it needs a contender: velo new contender {baseline} --workload {name}\nthen:                 velo run {name} --workload {}\n",
        dir.display()
    );
    Ok((dir, vec![("workload.toml", text)], then))
}

/// Writes a new folder; one that is there is left alone.
fn write(dir: &Path, files: &[(&str, String)]) -> anyhow::Result<()> {
    let shown = dir.display();
    if let Some(parent) = dir.parent() {
        fs::create_dir_all(parent).with_context(|| format!("{} cannot be made", parent.display()))?;
    }
    match fs::create_dir(dir) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            return Err(usage(format!("{shown} is there already\n  expected a new name")));
        }
        Err(error) => return Err(error).with_context(|| format!("{shown} cannot be made")),
    }
    for (name, text) in files {
        let path = dir.join(name);
        fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new_contender(dir: &Path, name: &str, task: bool) -> anyhow::Result<Made> {
        let args = NewContenderArgs {
            name: name.to_owned(),
            workload: Some("hello".to_owned()),
            task,
            client: false,
            dir: dir.to_owned(),
        };
        contender(&args)
    }

    #[test]
    fn what_is_made_is_a_definition() {
        let root = tempfile::tempdir().unwrap();
        let args = NewWorkloadArgs { name: "hello".to_owned(), baseline: None, dir: root.path().to_owned() };
        let (dir, files, _) = workload(&args).unwrap();
        write(&dir, &files).unwrap();
        for language in templates::LANGUAGES {
            for (short, task) in [("hello", false), ("program", true)] {
                let (dir, files, _) =
                    new_contender(root.path(), &format!("{}/{short}", language.name), task).unwrap();
                write(&dir, &files).unwrap();
            }
        }
        let workloads = velo_spec::read::workloads(root.path()).unwrap();
        let contenders = velo_spec::read::contenders(root.path()).unwrap();
        assert_eq!((workloads.len(), contenders.len()), (1, 2 * templates::LANGUAGES.len()));
        velo_spec::read::cross_check(&workloads, &contenders).unwrap();
        assert!(contenders.iter().all(|one| workloads[0].is_for(one)));
        assert_eq!(
            contenders.iter().filter(|one| one.role == velo_model::Role::Task).count(),
            templates::LANGUAGES.len()
        );
    }

    #[test]
    fn a_client_is_a_definition_too() {
        let root = tempfile::tempdir().unwrap();
        for language in templates::LANGUAGES {
            let args = NewContenderArgs {
                name: format!("{}/mine", language.name),
                workload: None,
                task: false,
                client: true,
                dir: root.path().to_owned(),
            };
            let (dir, files, then) = contender(&args).unwrap();
            write(&dir, &files).unwrap();
            assert!(then.contains("velo run download --contender"));
        }
        let contenders = velo_spec::read::contenders(root.path()).unwrap();
        assert!(contenders.iter().all(|one| one.role == velo_model::Role::Client && !one.process_for_each));
        assert_eq!(contenders.len(), templates::LANGUAGES.len());
    }

    #[test]
    fn a_server_has_the_routes_of_its_workload_and_says_what_is_left_to_write() {
        for (name, source, route) in [
            ("go/mine", "main.go", "mux.HandleFunc(\"POST /coin\", answer1)"),
            (
                "java/mine",
                "Server.java",
                "new Route(\"POST\", Pattern.compile(\"^/coin$\"), 200, \"application/json\",",
            ),
            ("js/mine", "server.js", "path: new RegExp(\"^/coin$\")"),
            (
                "python/mine",
                "server.py",
                "(\"POST\", re.compile(\"^/coin$\"), 200, \"application/json\", answer1)",
            ),
        ] {
            let args = NewContenderArgs {
                name: name.to_owned(),
                workload: Some("coin".to_owned()),
                task: false,
                client: false,
                dir: "nowhere".into(),
            };
            let (_, files, then) = contender(&args).unwrap();
            let (_, text) = files.iter().find(|(file, _)| *file == source).unwrap();
            assert!(text.contains(route), "{text}");
            assert!(text.contains("POST /coin: status 200"), "{text}");
            assert!(
                then.contains("write what its routes answer") && then.contains("velo show coin"),
                "{then}"
            );
        }
    }

    #[test]
    fn what_is_there_stays() {
        let root = tempfile::tempdir().unwrap();
        let (dir, files, _) = new_contender(root.path(), "python/mine", false).unwrap();
        write(&dir, &files).unwrap();
        fs::write(dir.join("server.py"), "mine").unwrap();
        assert!(write(&dir, &files).unwrap_err().to_string().contains("is there already"));
        assert_eq!(fs::read_to_string(dir.join("server.py")).unwrap(), "mine");
    }

    #[test]
    fn names_that_will_not_do_are_refused() {
        let dir = Path::new("nowhere");
        for (name, said) in [("mine", "not a contender's name"), ("cobol/mine", "no template in `cobol`")] {
            let error = new_contender(dir, name, false).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
        let args = NewWorkloadArgs { name: "Hello".to_owned(), baseline: None, dir: dir.to_owned() };
        assert!(workload(&args).unwrap_err().to_string().contains("not a workload's name"));
    }
}
