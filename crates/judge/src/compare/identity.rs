//! What two runs must have in common to be compared, and what else differs.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use velo_model::{ContenderName, PartyRole};
use velo_record::CpuAccounting;

use super::snapshot::{Snapshot, SnapshotContender, SnapshotWorkload};

/// So much of a hash shows that it is another one.
const HASH: usize = 12;
/// So much of a variable of the environment is shown.
const MOST_CHARS: usize = 200;
/// A longer value is shown only where it differs, with so much of what is alike around it.
const MOST_WHOLE: usize = 60;
const AROUND: usize = 16;

/// What is not the same in two runs. It may be the very thing that is asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Difference {
    /// Of whom; none: of the run.
    pub contender: Option<ContenderName>,
    /// What: `kernel`.
    pub setting: &'static str,
    /// Before, in words.
    pub before: String,
    /// After, in words.
    pub after: String,
}

/// Why no workload of the two can be compared; `None` when that depends on the workload.
pub(super) fn refuse(before: &Snapshot, after: &Snapshot) -> Option<String> {
    (before.build != after.build).then(|| {
        format!("velo was a {} build, then a {} build: its figures do not compare", before.build, after.build)
    })
}

/// Why a workload cannot be compared; `None` when it can.
pub(super) fn refuse_workload(before: &SnapshotWorkload, after: &SnapshotWorkload) -> Option<String> {
    if before.hash != after.hash {
        let [before, after] = [&before.hash, &after.hash].map(|hash| short(hash));
        return Some(format!("the workload is not the same (hash {before}, then {after})"));
    }
    if before.protocol != after.protocol {
        return Some(format!("over {}, then over {}", before.protocol, after.protocol));
    }
    if before.connections != after.connections {
        return Some(format!("{} connections, then {}", before.connections, after.connections));
    }
    if before.link != after.link {
        let [before, after] = [before, after]
            .map(|workload| workload.link.map_or("no link".to_owned(), |link| format!("the link {link}")));
        return Some(format!("over {before}, then over {after}"));
    }
    (before.streams != after.streams)
        .then(|| format!("{} streams on each connection, then {}", before.streams, after.streams))
}

/// Why the reference does not stand for the machine; else which it is.
pub(super) fn reference<'s>(
    runs: [&Snapshot; 2],
    workloads: [&'s SnapshotWorkload; 2],
    contenders: [&ByName<'_>; 2],
) -> Result<&'s ContenderName, String> {
    let [before, after] = match workloads.map(|workload| workload.reference.as_ref()) {
        [Some(before), Some(after)] => [before, after],
        [None, None] => return Err("neither run has the reference".to_owned()),
        [None, Some(_)] => return Err("the run before has no reference that can be used".to_owned()),
        [Some(_), None] => return Err("the run after has no reference that can be used".to_owned()),
    };
    if before != after {
        return Err(format!("the reference was {before}, then {after}"));
    }
    if contenders[0].get(before).copied().map(program) != contenders[1].get(after).copied().map(program) {
        return Err(format!("{before} is not the same program in both runs"));
    }
    // The reference is limited by the generator, so that its level is that of both.
    if (&runs[0].velo, &runs[0].driver) != (&runs[1].velo, &runs[1].driver) {
        return Err(
            "the generator is not the same, and the reference's level is the generator's too".to_owned()
        );
    }
    Ok(before)
}

/// What was built and with what, as far as it is known.
fn program(contender: &SnapshotContender) -> (&Option<String>, &Option<String>, &[String]) {
    (&contender.version, &contender.content_hash, &contender.toolchains)
}

/// Contenders by name; of a name that stands twice in a hostile file the first.
pub(super) type ByName<'s> = BTreeMap<&'s ContenderName, &'s SnapshotContender>;

pub(super) fn by_name(snapshot: &Snapshot) -> ByName<'_> {
    snapshot.contenders.iter().rev().map(|contender| (&contender.name, contender)).collect()
}

/// What differs, that of the runs first.
pub(super) fn differences(before: &Snapshot, after: &Snapshot) -> Vec<Difference> {
    type Words = fn(&Snapshot) -> String;
    let settings: [(&'static str, Words); 14] = [
        ("velo", |run| run.velo.clone()),
        ("driver", |run| run.driver.clone()),
        ("CPU model", |run| or_unknown(run.host.cpu_model.as_deref())),
        ("CPUs", |run| run.host.cpus.to_string()),
        ("kernel", |run| run.host.kernel.clone()),
        ("virtualisation", |run| run.host.virtualisation.clone().unwrap_or_else(|| "none seen".to_owned())),
        ("server CPUs", |run| cpus(run.placement.cpus(PartyRole::Contender))),
        ("load CPUs", |run| cpus(run.placement.cpus(PartyRole::Generator))),
        ("CPU time", |run| accounting(run.cpu_accounting).to_owned()),
        ("quick", |run| yes_or_no(run.settings.quick)),
        ("as published", |run| yes_or_no(run.settings.as_published)),
        ("timeout", |run| format!("{} ms", run.settings.timeout_ns / 1_000_000)),
        ("memory limit", |run| {
            run.settings
                .memory_limit_bytes
                .map_or_else(|| "none".to_owned(), |bytes| format!("{bytes} bytes"))
        }),
        ("overrides", |run| list(&run.settings.overrides)),
    ];
    let of_runs = settings.into_iter().map(|(setting, words)| Difference {
        contender: None,
        setting,
        before: words(before),
        after: words(after),
    });
    let later = by_name(after);
    let of_contenders = by_name(before).into_iter().filter_map(|(name, before)| {
        let after = later.get(name)?;
        let difference = |setting, words: fn(&SnapshotContender) -> String| Difference {
            contender: Some(name.clone()),
            setting,
            before: words(before),
            after: words(after),
        };
        Some([
            difference("version", |contender| or_unknown(contender.version.as_deref())),
            difference("folder", |contender| {
                contender.content_hash.as_deref().map_or_else(|| "not built".to_owned(), short)
            }),
            difference("toolchains", |contender| list(&contender.toolchains)),
        ])
    });
    of_runs
        .chain(of_contenders.flatten())
        .filter(|difference| difference.before != difference.after)
        .chain(environment(before, after))
        .collect()
}

/// The variables of the environment that were added, removed or changed. A run from before they were recorded has none: of that
/// it is only said that they are not known.
fn environment(before: &Snapshot, after: &Snapshot) -> Vec<Difference> {
    let difference = |setting, before, after| Difference { contender: None, setting, before, after };
    if before.environment.is_empty() != after.environment.is_empty() {
        let [before, after] = [before, after].map(|run| match run.environment.is_empty() {
            true => "not recorded".to_owned(),
            false => {
                format!("recorded, {}", crate::words::count(run.environment.len(), "variable", "variables"))
            }
        });
        return vec![difference("environment", before, after)];
    }
    let names: BTreeSet<&String> = before.environment.keys().chain(after.environment.keys()).collect();
    let of_variables = names.into_iter().filter_map(|name| {
        let values = [before, after].map(|run| run.environment.get(name));
        let alike = match values {
            [Some(before), Some(after)] => alike(before, after),
            _ => (0, 0),
        };
        let [before, after] = values.map(|value| match value {
            Some(value) => format!("{}={}", cut(name), without(value, alike)),
            None => format!("{} is not set", cut(name)),
        });
        (values[0] != values[1]).then(|| difference("environment", before, after))
    });
    let names = [before, after].map(|run| list(&run.build_environment));
    let of_builds = (names[0] != names[1]).then(|| {
        let [before, after] = names;
        difference("build environment", before, after)
    });
    of_variables.chain(of_builds).collect()
}

/// How many characters at the start and at the end of two values are alike and need not be shown: of two search paths most are.
fn alike(before: &str, after: &str) -> (usize, usize) {
    let shorter = before.chars().count().min(after.chars().count());
    let start = before.chars().zip(after.chars()).take_while(|(a, b)| a == b).count();
    let end = before.chars().rev().zip(after.chars().rev()).take_while(|(a, b)| a == b).count();
    (start.saturating_sub(AROUND), end.min(shorter - start).saturating_sub(AROUND))
}

/// A value without so many characters at its start and at its end, when it is too long to be shown whole.
fn without(value: &str, (start, end): (usize, usize)) -> String {
    let length = value.chars().count();
    if length <= MOST_WHOLE {
        return value.to_owned();
    }
    let kept: String = value.chars().take(length - end).skip(start).collect();
    let dots = |cut: usize| if cut > 0 { "..." } else { "" };
    format!("{}{}{}", dots(start), cut(&kept), dots(end))
}

/// The start of a text that may be as long as a search path.
fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

fn accounting(accounting: CpuAccounting) -> &'static str {
    match accounting {
        CpuAccounting::CgroupV2 => "of control groups v2",
        CpuAccounting::CgroupV1 => "of control groups v1",
        CpuAccounting::Schedstat => "summed over threads",
    }
}

fn short(hash: &str) -> String {
    hash.chars().take(HASH).collect()
}

fn or_unknown(text: Option<&str>) -> String {
    text.unwrap_or("unknown").to_owned()
}

fn yes_or_no(value: bool) -> String {
    if value { "yes" } else { "no" }.to_owned()
}

fn list(items: &[String]) -> String {
    if items.is_empty() { "none".to_owned() } else { items.join(", ") }
}

fn cpus(cpus: &[u32]) -> String {
    crate::words::list(cpus, 16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use velo_fixtures::{Simulated, Simulation};
    use velo_model::Protocol;

    fn snapshot() -> Snapshot {
        let simulation = Simulation::new(vec![Simulated::new("go/gin", 40_000.0)]);
        let (file, windows) = simulation.run();
        Snapshot::of(&file, &windows)
    }

    #[test]
    fn what_differs_is_said_once_and_the_runs_first() {
        let before = snapshot();
        assert!(differences(&before, &before.clone()).is_empty());
        let mut after = before.clone();
        after.host.kernel = "6.18.0".to_owned();
        after.contenders[0].version = Some("1.1.0".to_owned());
        after.contenders[0].content_hash = Some("ab".repeat(32));
        let found = differences(&before, &after);
        let said: Vec<(&str, &str, &str)> = found
            .iter()
            .map(|difference| (difference.setting, difference.before.as_str(), difference.after.as_str()))
            .collect();
        assert_eq!(
            said,
            [
                ("kernel", "6.1.0", "6.18.0"),
                ("version", "1.0.0", "1.1.0"),
                ("folder", "not built", "abababababab")
            ]
        );
        assert_eq!(found[1].contender.as_ref().map(ContenderName::as_str), Some("go/gin"));
    }

    #[test]
    fn of_a_long_value_what_differs_is_shown() {
        let path =
            |own: &str| format!("{}{own}:{}", "/usr/local/bin:".repeat(20), "/opt/tool/bin:".repeat(20));
        let [before, after] = [path("/home/a/.cargo/bin"), path("/home/b/.cargo/bin")];
        let said = of_environments(&[("PATH", &before)], &[("PATH", &after)]);
        assert_eq!(
            said,
            [[
                "environment",
                "PATH=...local/bin:/home/a/.cargo/bin:/opt...",
                "PATH=...local/bin:/home/b/.cargo/bin:/opt..."
            ]]
        );
        let [whole, longer] = [before.clone(), format!("{before}/more")];
        let said = of_environments(&[("PATH", &whole)], &[("PATH", &longer)]);
        assert_eq!(said, [["environment", "PATH=...n:/opt/tool/bin:", "PATH=...n:/opt/tool/bin:/more"]]);
    }

    /// What differs in the environment, as setting, before and after.
    fn of_environments(before: &[(&str, &str)], after: &[(&str, &str)]) -> Vec<[String; 3]> {
        let [before, after] = [before, after].map(|variables| {
            let owned = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            Snapshot { environment: owned.collect(), ..snapshot() }
        });
        let found = differences(&before, &after);
        found.into_iter().map(|found| [found.setting.to_owned(), found.before, found.after]).collect()
    }

    #[test]
    fn variables_that_were_added_removed_or_changed_are_named() {
        let before = [("GOGC", "50"), ("LANG", "C.UTF-8"), ("NODE_OPTIONS", "--jitless"), ("PATH", "/bin")];
        let after = [("GOGC", "off"), ("LANG", "C.UTF-8"), ("MALLOC_ARENA_MAX", "1"), ("PATH", "/bin")];
        let said = of_environments(&before, &after);
        assert_eq!(
            said,
            [
                ["environment", "GOGC=50", "GOGC=off"],
                ["environment", "MALLOC_ARENA_MAX is not set", "MALLOC_ARENA_MAX=1"],
                ["environment", "NODE_OPTIONS=--jitless", "NODE_OPTIONS is not set"],
            ]
        );
        assert_eq!(of_environments(&before, &before), [[""; 3]; 0]);
        assert_eq!(
            of_environments(&[], &[("LANG", "C"), ("PATH", "/bin")]),
            [["environment", "not recorded", "recorded, 2 variables"]]
        );
        // What differs in more than is shown differs all the same.
        let said = of_environments(&[("A", &"x".repeat(300))], &[("A", &"y".repeat(300))]);
        assert!(said[0][1].ends_with("x...") && said[0][1].len() < 210, "{said:?}");
        let mut built = snapshot();
        built.build_environment = vec!["CARGO_HOME".to_owned()];
        let found = differences(&snapshot(), &built);
        assert_eq!((found[0].setting, found[0].after.as_str()), ("build environment", "CARGO_HOME"));
    }

    #[test]
    fn another_build_workload_or_load_is_refused() {
        let before = snapshot();
        let mut after = before.clone();
        assert_eq!(refuse(&before, &after), None);
        assert_eq!(refuse_workload(&before.workloads[0], &after.workloads[0]), None);
        after.workloads[0].connections = 32;
        assert_eq!(
            refuse_workload(&before.workloads[0], &after.workloads[0]).as_deref(),
            Some("64 connections, then 32")
        );
        after.workloads[0].protocol = Protocol::H2c;
        assert_eq!(
            refuse_workload(&before.workloads[0], &after.workloads[0]).as_deref(),
            Some("over http1, then over h2c")
        );
        let mut link = before.workloads[0].clone();
        link.link = Some("rtt=20ms".parse().unwrap());
        assert_eq!(
            refuse_workload(&before.workloads[0], &link).as_deref(),
            Some("over no link, then over the link rtt=20ms")
        );
        let mut streams = before.workloads[0].clone();
        streams.streams = 8;
        assert_eq!(
            refuse_workload(&before.workloads[0], &streams).as_deref(),
            Some("1 streams on each connection, then 8")
        );
        after.workloads[0].hash = "1".repeat(64);
        let reason = refuse_workload(&before.workloads[0], &after.workloads[0]).unwrap();
        assert!(reason.contains("000000000000, then 111111111111"), "{reason}");
        after.build = "debug".to_owned();
        assert!(refuse(&before, &after).unwrap().contains("release build, then a debug build"));
    }
}
