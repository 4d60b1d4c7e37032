//! Which workloads and contenders a command line means.

use std::path::PathBuf;

use globset::GlobBuilder;
use velo_lab::VerifyOptions;
use velo_model::{Class, Contender, Workload};
use velo_spec::read;

use crate::args::Filters;
use crate::carried;
use crate::exit::usage;
use crate::out;
use crate::root::Root;
use crate::running::Running;

/// What a command line named.
#[derive(Debug)]
pub(crate) struct Selection {
    /// The workloads, in the order named.
    pub(crate) workloads: Vec<Workload>,
    /// The contenders: the default sets' order, then by name.
    pub(crate) contenders: Vec<Contender>,
}

impl Selection {
    /// What the lab is asked to build, and to start where the command does that; logs lie beside the builds.
    pub(crate) fn into_options(self, root: &Root, seed: u64, faults: bool) -> VerifyOptions {
        let cache_dir = root.cache_dir();
        let log_dir = cache_dir.join("logs");
        VerifyOptions {
            workloads: self.workloads,
            contenders: self.contenders,
            cache_dir,
            log_dir,
            seed,
            faults,
            port: None,
        }
    }
}

/// What no filter and no `--all` stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unfiltered {
    /// The workloads' default sets, the reference, and the folders named; the reference is kept beside what `--only` names,
    /// since it is what runs of different contenders have in common.
    DefaultSet,
    /// The folders named, or the default sets and the reference when there are none.
    NamedFolders,
}

/// The names of the workloads meant: those given, else those whose folders were named.
pub(crate) fn workload_names(given: &[String], folders: &[PathBuf]) -> Vec<String> {
    if !given.is_empty() {
        return given.to_vec();
    }
    let name = |dir: &PathBuf| {
        let dir = dir.canonicalize().unwrap_or_else(|_| dir.clone());
        dir.file_name().map(|name| name.to_string_lossy().into_owned())
    };
    folders.iter().filter_map(name).collect()
}

/// The workloads named; each once.
pub(crate) fn workloads(root: &Root, names: &[String]) -> anyhow::Result<Vec<Workload>> {
    let mut found: Vec<Workload> = Vec::new();
    for name in names {
        let Some(workload) = root.workloads.iter().find(|workload| workload.name == *name) else {
            let all = root.workloads.iter().map(|workload| workload.name.as_str());
            return Err(usage(format!(
                "there is no workload `{name}`\n  {}",
                velo_request::one_of(name, all)
            )));
        };
        if found.iter().any(|earlier| earlier.name == *name) {
            return Err(usage(format!("the workload `{name}` is named twice")));
        }
        found.push(workload.clone());
    }
    Ok(found)
}

/// The contenders that filters leave for workloads.
pub(crate) fn contenders(
    root: &Root,
    workloads: Vec<Workload>,
    filters: &Filters,
    unfiltered: Unfiltered,
) -> anyhow::Result<Selection> {
    let mut named = read_folders(root, &filters.contender)?;
    for contender in &named {
        // A variant may be for another workload than the one that it is a variant of.
        let others = || named.iter().filter(|other| other.dir == contender.dir);
        if !others().any(|other| answers(other, &workloads)) {
            return Err(usage(format!(
                "--contender {}: it answers none of {} (its `workloads` are {})",
                contender.dir.display(),
                names(&workloads),
                contender.workloads.join(", ")
            )));
        }
    }
    named.retain(|contender| answers(contender, &workloads));
    let running = running(root, &named, &workloads, &filters.url)?;
    let foreign = named.iter().filter(|contender| !is_own(root, contender));
    let all: Vec<&Contender> =
        root.contenders.iter().chain(foreign).filter(|contender| answers(contender, &workloads)).collect();
    if root.dir.is_none() && all.is_empty() && running.is_empty() {
        return Err(usage(format!(
            "there are no contenders here for {}\n  velo carries some: velo contenders DIR writes them out ({}); then cd DIR and run this again\n  or name your own with --contender DIR or --url NAME=URL, or a checkout of Velodrome with --root DIR",
            names(&workloads),
            carried::size()
        )));
    }
    let default = |contender: &Contender| {
        contender.class == Class::Reference
            || workloads.iter().any(|workload| workload.default.contains(&contender.name))
    };
    let is_named = |contender: &Contender| named.iter().any(|other| other.name == contender.name);
    let mut chosen = if !filters.only.is_empty() {
        let (chosen, left_out) = without_services(&all, &each(&filters.only), &workloads)?;
        if !left_out.is_empty() {
            out::talk(&format!(
                "note: {} left out: gRPC; --only with the whole name takes it\n",
                left_out.join(", ")
            ));
        }
        chosen
    } else if filters.all {
        all.clone()
    } else if unfiltered == Unfiltered::NamedFolders && !(named.is_empty() && running.is_empty()) {
        all.iter().copied().filter(|contender| is_named(contender)).collect()
    } else {
        all.iter().copied().filter(|contender| default(contender) || is_named(contender)).collect()
    };
    for contender in &named {
        let of_folder = || named.iter().filter(|other| other.dir == contender.dir);
        if !of_folder().any(|one| chosen.iter().any(|other| other.name == one.name)) {
            return Err(usage(format!(
                "--contender {}: no --only matches `{}`, so that it would not be used",
                contender.dir.display(),
                contender.name
            )));
        }
    }
    chosen.extend(&running);
    let mut skipped = Vec::new();
    if !filters.skip.is_empty() {
        let any: Vec<&Contender> = all.iter().copied().chain(&running).collect();
        skipped = matching(&any, "--skip", &each(&filters.skip), &workloads)?;
        chosen.retain(|contender| !skipped.iter().any(|other| other.name == contender.name));
    }
    if chosen.is_empty() {
        return Err(usage(format!("no contender is left for {}", names(&workloads))));
    }
    let is_reference = |contender: &Contender| contender.class == Class::Reference;
    let keeps_reference = unfiltered == Unfiltered::DefaultSet && !filters.only.is_empty();
    if keeps_reference && !chosen.iter().any(|contender| is_reference(contender)) {
        let is_skipped = |contender: &Contender| skipped.iter().any(|other| other.name == contender.name);
        chosen.extend(all.iter().copied().filter(|one| is_reference(one) && !is_skipped(one)));
    }
    let contenders = chosen.into_iter().cloned().collect();
    Ok(Selection { workloads, contenders })
}

/// Servers that run already.
fn running(
    root: &Root,
    named: &[Contender],
    workloads: &[Workload],
    urls: &[Running],
) -> anyhow::Result<Vec<Contender>> {
    let mut found: Vec<Contender> = Vec::new();
    for Running { name, runs_at } in urls {
        let flag = format!("--url {name}=http://{runs_at}");
        if let Some(workload) = workloads.iter().find(|workload| !workload.data.is_empty()) {
            return Err(usage(format!(
                "{flag}: {} gives each contender files to read, which a server that runs already cannot be given\n  start it as a contender: velo new contender",
                workload.name
            )));
        }
        if root.contenders.iter().chain(named).chain(&found).any(|other| other.name == *name) {
            return Err(usage(format!(
                "{flag}: there is another contender of that name; give it one of its own"
            )));
        }
        let workloads = workloads.iter().map(|workload| workload.name.clone()).collect();
        found.push(Contender::running(name.clone(), runs_at.clone(), workloads));
    }
    Ok(found)
}

/// The contenders in folders named; one of the checkout's own may be named too.
fn read_folders(root: &Root, dirs: &[PathBuf]) -> anyhow::Result<Vec<Contender>> {
    let mut named: Vec<Contender> = Vec::new();
    for dir in dirs {
        let contenders = read::contender(dir)?;
        if contenders.iter().any(|one| named.iter().any(|earlier| same_folder(earlier, one))) {
            return Err(usage(format!("--contender {}: named twice", dir.display())));
        }
        named.extend(contenders);
    }
    if !named.is_empty() {
        let together: Vec<Contender> = root
            .contenders
            .iter()
            .chain(named.iter().filter(|contender| !is_own(root, contender)))
            .cloned()
            .collect();
        root.check(&together)?;
    }
    Ok(named)
}

fn is_own(root: &Root, contender: &Contender) -> bool {
    root.contenders.iter().any(|own| same_folder(own, contender))
}

fn same_folder(a: &Contender, b: &Contender) -> bool {
    a.name == b.name
        && a.dir.canonicalize().ok().is_some_and(|dir| b.dir.canonicalize().is_ok_and(|other| dir == other))
}

fn answers(contender: &Contender, workloads: &[Workload]) -> bool {
    workloads.iter().any(|workload| workload.is_for(contender))
}

fn names(workloads: &[Workload]) -> String {
    workloads.iter().map(|workload| workload.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// The globs of lists with commas between; those within braces belong to a glob.
fn each(lists: &[String]) -> Vec<String> {
    let parts = |list: &String| {
        let mut depth = 0_usize;
        let is_between = |c: char| {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            c == ',' && depth == 0
        };
        list.split(is_between).map(str::to_owned).collect::<Vec<_>>()
    };
    lists.iter().flat_map(parts).collect()
}

/// A glob that matches nothing is a slip, so it is refused.
fn matching<'a>(
    all: &[&'a Contender],
    flag: &str,
    globs: &[String],
    workloads: &[Workload],
) -> anyhow::Result<Vec<&'a Contender>> {
    let mut matchers = Vec::new();
    for glob in globs {
        // `*` is any contender; with a `/` in the glob the language and the rest are matched apart.
        let matcher = GlobBuilder::new(glob)
            .literal_separator(glob.contains('/'))
            .build()
            .map_err(|error| usage(format!("{flag} {glob}: {}", error.kind())))?
            .compile_matcher();
        if !all.iter().any(|contender| matcher.is_match(contender.name.as_str())) {
            let near = nearest(glob, all.iter().map(|contender| contender.name.as_str()));
            let cure = if near.is_empty() {
                "there is none to choose from".to_owned()
            } else {
                format!("nearest: {}", near.join(", "))
            };
            return Err(usage(format!(
                "{flag} {glob}: matches no contender of {}\n  {cure}",
                names(workloads)
            )));
        }
        matchers.push(matcher);
    }
    let matches =
        |contender: &&&Contender| matchers.iter().any(|matcher| matcher.is_match(contender.name.as_str()));
    Ok(all.iter().filter(matches).copied().collect())
}

/// What `--only` matches, and the services of gRPC that it leaves out: a glob that matches others too does not mean them, unless a
/// workload measures them by default.
fn without_services<'a>(
    all: &[&'a Contender],
    globs: &[String],
    workloads: &[Workload],
) -> anyhow::Result<(Vec<&'a Contender>, Vec<&'a str>)> {
    let mut meant: Vec<&Contender> = Vec::new();
    for glob in globs {
        let mut matched = matching(all, "--only", std::slice::from_ref(glob), workloads)?;
        let is_default =
            |one: &Contender| workloads.iter().any(|workload| workload.default.contains(&one.name));
        if matched.iter().any(|contender| !contender.is_grpc()) {
            matched.retain(|contender| !contender.is_grpc() || is_default(contender));
        }
        meant.extend(matched);
    }
    let is_meant = |contender: &&Contender| meant.iter().any(|other| other.name == contender.name);
    let (chosen, others): (Vec<_>, Vec<_>) =
        matching(all, "--only", globs, workloads)?.into_iter().partition(is_meant);
    Ok((chosen, others.iter().map(|contender| contender.name.as_str()).collect()))
}

/// The three names that look most like a glob, taken as text without its signs.
fn nearest<'a>(glob: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    const SHOWN: usize = 3;
    let text: String = glob.chars().filter(|c| !"*?[]{}!\\".contains(*c)).take(100).collect();
    let mut near: Vec<(f64, &str)> = names
        .map(|name| {
            let short = name.split_once('/').map_or(name, |(_, short)| short);
            (strsim::jaro_winkler(&text, name).max(strsim::jaro_winkler(&text, short)), name)
        })
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    near.into_iter().take(SHOWN).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use velo_model::{ContenderName, LoadSettings, Role, Source};

    fn contender(name: &str, class: Class) -> Contender {
        Contender {
            name: ContenderName::new(name).expect("a name"),
            variant_of: None,
            role: Role::Server,
            dir: PathBuf::new(),
            borrows: Vec::new(),
            runs_at: None,
            class,
            raw: None,
            rest: None,
            workloads: vec![if name.starts_with("php") { "void" } else { "coin" }.to_owned()],
            toolchain: vec![],
            debian: vec![],
            fetch: None,
            build: None,
            start: "true".to_owned(),
            version: "true".to_owned(),
            process_for_each: false,
            ready_seconds: 20,
            protocols: vec![velo_model::Protocol::Http1],
            other_protocols: None,
        }
    }

    fn workload(name: &str, default: &[&str]) -> Workload {
        Workload {
            name: name.to_owned(),
            question: "which?".to_owned(),
            source: Source {
                title: "A table".to_owned(),
                author: "somebody".to_owned(),
                year: 2020,
                command: "wrk".to_owned(),
                machine: "a machine".to_owned(),
                notes: vec![],
            },
            baseline: ContenderName::new("go/gin").expect("a name"),
            default: default.iter().map(|name| ContenderName::new(name).expect("a name")).collect(),
            load: LoadSettings {
                connections: 64,
                protocol: velo_model::Protocol::Http1,
                streams: 1,
                link: None,
                connections_per_core: None,
                requests_per_connection: None,
                request: None,
                rate_per_s: None,
                budget_s: None,
                warm_up_s: None,
                as_published: None,
            },
            further: Vec::new(),
            load_of: None,
            grpc: None,
            in_order: false,
            tables: Vec::new(),
            data: vec![],
            bursts: vec![],
            task: None,
            download: None,
            calls: vec![],
            requests: vec![],
            cases: vec![],
            published: vec![],
            claims: vec![],
            hash: String::new(),
        }
    }

    fn root() -> Root {
        Root {
            dir: Some(PathBuf::from(".")),
            workloads: vec![workload("coin", &["go/gin"]), workload("void", &["php/slim"])],
            contenders: vec![
                contender("go/gin", Class::Framework),
                contender("go/net-http", Class::Raw),
                contender("php/slim", Class::Micro),
                contender("rust/reference", Class::Reference),
            ],
        }
    }

    fn chosen(workloads: &[&str], filters: &Filters) -> Result<Vec<String>, String> {
        let root = root();
        let names: Vec<String> = workloads.iter().map(|&name| name.to_owned()).collect();
        super::workloads(&root, &names)
            .and_then(|workloads| contenders(&root, workloads, filters, Unfiltered::DefaultSet))
            .map(|selection| {
                selection.contenders.iter().map(|contender| contender.name.to_string()).collect()
            })
            .map_err(|error| error.to_string())
    }

    fn filters(only: &[&str], skip: &[&str], all: bool) -> Filters {
        let owned = |globs: &[&str]| globs.iter().map(|&glob| glob.to_owned()).collect();
        Filters {
            only: owned(only),
            skip: owned(skip),
            all,
            contender: vec![],
            url: vec![],
            workload: vec![],
        }
    }

    #[test]
    fn without_a_filter_the_default_sets_and_the_reference() {
        assert_eq!(chosen(&["coin"], &filters(&[], &[], false)).expect("some"), ["go/gin", "rust/reference"]);
        assert_eq!(
            chosen(&["void", "coin"], &filters(&[], &[], false)).expect("some"),
            ["go/gin", "php/slim", "rust/reference"]
        );
    }

    #[test]
    fn a_list_has_commas_between_its_globs() {
        for list in ["go/gin,go/net-http", "go/{gin,net-http}", "{go/gin,go/net-http}"] {
            let found = chosen(&["coin"], &filters(&[list], &[], false)).expect("some");
            assert_eq!(found[..2], ["go/gin", "go/net-http"], "{list}");
        }
        let refused = chosen(&["coin"], &filters(&["go/gin,go/gim"], &[], false)).expect_err("a slip");
        assert!(refused.contains("--only go/gim: matches no contender"), "{refused}");
        assert!(chosen(&["coin"], &filters(&["go/gin,"], &[], false)).is_err());
    }

    #[test]
    fn a_glob_without_a_slash_is_of_whole_names() {
        for glob in ["*", "*o/*", "go*"] {
            let found = chosen(&["coin"], &filters(&[glob], &[], false)).expect("some");
            assert_eq!(found[..2], ["go/gin", "go/net-http"], "{glob}");
        }
        assert!(chosen(&["coin"], &filters(&["gin"], &[], false)).is_err());
    }

    #[test]
    fn a_glob_that_matches_servers_of_http_does_not_mean_services_of_grpc() {
        let mut service = contender("go/grpc", Class::Framework);
        service.protocols = vec![velo_model::Protocol::Grpc];
        let server = contender("go/gin", Class::Framework);
        let found = |globs: &[&str]| {
            let globs: Vec<String> = globs.iter().map(|&glob| glob.to_owned()).collect();
            let (chosen, left_out) = without_services(&[&server, &service], &globs, &[]).expect("some");
            let chosen: Vec<String> = chosen.iter().map(|contender| contender.name.to_string()).collect();
            (chosen, left_out.len())
        };
        assert_eq!(found(&["go/*"]), (vec!["go/gin".to_owned()], 1));
        assert_eq!(found(&["go/*", "go/grpc"]), (vec!["go/gin".to_owned(), "go/grpc".to_owned()], 0));
        assert_eq!(found(&["*/grpc"]), (vec!["go/grpc".to_owned()], 0));
        let users = [workload("users", &["go/grpc"])];
        let (chosen, _) = without_services(&[&server, &service], &["go/*".to_owned()], &users).expect("some");
        assert_eq!(chosen.len(), 2, "it measures both by default");
    }

    #[test]
    fn all_are_those_that_answer() {
        assert_eq!(
            chosen(&["coin"], &filters(&[], &[], true)).expect("some"),
            ["go/gin", "go/net-http", "rust/reference"]
        );
    }

    #[test]
    fn only_picks_among_all_beside_the_reference_and_skip_takes_away() {
        assert_eq!(
            chosen(&["coin"], &filters(&["go/*"], &[], false)).expect("some"),
            ["go/gin", "go/net-http", "rust/reference"]
        );
        assert_eq!(
            chosen(&["coin"], &filters(&["go/*"], &["*/gin"], false)).expect("some"),
            ["go/net-http", "rust/reference"]
        );
        assert_eq!(chosen(&["coin"], &filters(&["go/gin"], &["rust/*"], false)).expect("some"), ["go/gin"]);
        assert_eq!(chosen(&["coin"], &filters(&["rust/*"], &[], false)).expect("some"), ["rust/reference"]);
        assert_eq!(chosen(&["coin"], &filters(&[], &["rust/*"], false)).expect("some"), ["go/gin"]);
    }

    #[test]
    fn a_glob_that_matches_nothing_names_the_nearest() {
        let error = chosen(&["coin"], &filters(&["go/jin"], &[], false)).expect_err("a slip");
        assert!(
            error.starts_with("--only go/jin: matches no contender of coin\n  nearest: go/gin"),
            "{error}"
        );
        let error = chosen(&["coin"], &filters(&[], &["java/*"], false)).expect_err("a slip");
        assert!(error.starts_with("--skip java/*: matches no contender of coin"), "{error}");
        let error = chosen(&["coin"], &filters(&["go/["], &[], false)).expect_err("no glob");
        assert!(error.starts_with("--only go/[: "), "{error}");
    }

    #[test]
    fn workloads_are_known_and_named_once() {
        let error = chosen(&["coins"], &filters(&[], &[], false)).expect_err("a slip");
        assert_eq!(
            error,
            "there is no workload `coins`\n  expected one of: coin, void; did you mean `coin`?"
        );
        let error = chosen(&["coin", "coin"], &filters(&[], &[], false)).expect_err("a slip");
        assert_eq!(error, "the workload `coin` is named twice");
    }

    /// A checkout on disk, and a folder outside it.
    fn checkout(dir: &std::path::Path) -> Root {
        let manifest =
            "class = \"raw\"\nworkloads = [\"coin\"]\nstart = \"exec ./server\"\nversion = \"true\"\n";
        for folder in ["root/contenders/go/own", "outside/go/foreign", "outside/go/own"] {
            std::fs::create_dir_all(dir.join(folder)).expect("a folder");
            std::fs::write(dir.join(folder).join("contender.toml"), manifest).expect("a manifest");
        }
        Root {
            dir: Some(dir.join("root")),
            workloads: vec![Workload {
                baseline: ContenderName::new("go/own").expect("a name"),
                ..workload("coin", &["go/own"])
            }],
            contenders: read::contenders(&dir.join("root")).expect("contenders"),
        }
    }

    #[test]
    fn a_folder_may_be_foreign_or_the_checkouts_own() {
        let dir = tempfile::tempdir().expect("a folder");
        let root = checkout(dir.path());
        let chosen = |folders: &[&str], only: &[&str]| {
            let filters = Filters {
                contender: folders.iter().map(|folder| dir.path().join(folder)).collect(),
                ..filters(only, &[], false)
            };
            contenders(&root, root.workloads.clone(), &filters, Unfiltered::NamedFolders)
                .map(|selection| {
                    selection.contenders.iter().map(|contender| contender.name.to_string()).collect()
                })
                .map_err(|error| error.to_string())
        };
        let names =
            |names: &[&str]| Ok::<Vec<String>, String>(names.iter().map(|&name| name.to_owned()).collect());
        assert_eq!(chosen(&[], &[]), names(&["go/own"]));
        assert_eq!(chosen(&["outside/go/foreign"], &[]), names(&["go/foreign"]));
        assert_eq!(chosen(&["root/contenders/go/own"], &[]), names(&["go/own"]));
        assert_eq!(chosen(&["outside/go/foreign"], &["go/*"]), names(&["go/own", "go/foreign"]));
        assert!(chosen(&["outside/go/own"], &[]).is_err(), "two contenders of one name");
        assert!(chosen(&["outside/go/foreign"; 2], &[]).expect_err("twice").ends_with("named twice"));
        let unused = chosen(&["outside/go/foreign"], &["go/own"]).expect_err("a flag that does nothing");
        assert!(unused.contains("no --only matches `go/foreign`"), "{unused}");
    }

    #[test]
    fn something_must_be_left() {
        let error = chosen(&["coin"], &filters(&["go/gin"], &["go/*"], false)).expect_err("nothing");
        assert_eq!(error, "no contender is left for coin");
    }

    #[test]
    fn without_a_checkout_it_is_said_where_contenders_are_had() {
        let root = Root { dir: None, workloads: Vec::new(), contenders: Vec::new() };
        let filters = Filters { only: vec!["go/*".to_owned()], ..Filters::default() };
        let error = contenders(&root, Vec::new(), &filters, Unfiltered::DefaultSet).expect_err("none");
        assert!(error.to_string().contains("velo contenders DIR"), "{error}");
    }
}
