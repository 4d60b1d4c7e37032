//! Checks between definitions: every name must be somebody's.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use velo_model::{Class, Contender, ContenderName, Role, Subject, Workload};
use velo_request::{SourceFile, SpecError, definition, did_you_mean};

use super::file_names::{CONTENDER_FILE, WORKLOAD_FILE};

/// Checks that workloads and contenders name each other rightly.
///
/// # Errors
/// When two have the same name, when one names another that there is not, or when a workload's baseline or a
/// contender of its default set does not answer it.
pub fn cross_check(workloads: &[Workload], contenders: &[Contender]) -> Result<(), SpecError> {
    check_duplicates(workloads, contenders)?;
    check_contenders(workloads, contenders)?;
    workloads.iter().try_for_each(|workload| check_workload(workload, workloads, contenders))
}

/// Checks that contenders name rightly what they name, where the workloads' own contenders are not there.
///
/// # Errors
/// When a contender names another or a workload that there is not.
pub fn check_contenders(workloads: &[Workload], contenders: &[Contender]) -> Result<(), SpecError> {
    for contender in contenders {
        let refuse = |key: &str, needle: &str, fault: Fault| {
            refused(&contender.dir.join(CONTENDER_FILE), key, needle, fault)
        };
        if let Err((base, fault)) = check_bases(contender, contenders) {
            let named = base.of(contender).map_or("", ContenderName::as_str);
            return Err(refuse(base.key(), named, fault));
        }
        for name in &contender.workloads {
            let known = || workloads.iter().map(|workload| workload.name.as_str());
            if !known().any(|workload| workload == name) {
                return Err(refuse("workloads", name, unknown("workload", name, known())));
            }
        }
    }
    Ok(())
}

/// What is wrong and what was expected.
pub(super) struct Fault {
    pub(super) problem: String,
    pub(super) expected: String,
}

/// A contender that a manifest names to be compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    /// The raw one that a framework stands on.
    Raw,
    /// The one that answers over REST what a service of gRPC does.
    Rest,
}

impl Base {
    /// Its key in a manifest.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Rest => "rest",
        }
    }

    fn of(self, contender: &Contender) -> Option<&ContenderName> {
        match self {
            Self::Raw => contender.raw.as_ref(),
            Self::Rest => contender.rest.as_ref(),
        }
    }

    /// What a named contender is not, though it has to be.
    fn unlike(self, found: &Contender) -> Option<&'static str> {
        match self {
            Self::Raw => (found.class != Class::Raw).then_some("not of class raw"),
            Self::Rest if found.is_grpc() => Some("a service of gRPC itself"),
            Self::Rest => (found.role != Role::Server).then_some("no server"),
        }
    }

    fn expected(self) -> &'static str {
        match self {
            Self::Raw => "expected the raw contender of the same language and host",
            Self::Rest => "expected the contender of the same language that answers the same over REST",
        }
    }
}

/// Checks that those that a contender is compared with are there, of its language, and what they have to be.
pub(super) fn check_bases<'a>(
    contender: &Contender,
    all: impl IntoIterator<Item = &'a Contender> + Clone,
) -> Result<(), (Base, Fault)> {
    [Base::Raw, Base::Rest]
        .into_iter()
        .try_for_each(|base| check_base(base, contender, all.clone()).map_err(|fault| (base, fault)))
}

fn check_base<'a>(
    base: Base,
    contender: &Contender,
    all: impl IntoIterator<Item = &'a Contender> + Clone,
) -> Result<(), Fault> {
    let Some(named) = base.of(contender) else { return Ok(()) };
    let Some(found) = all.clone().into_iter().find(|other| other.name == *named) else {
        return Err(unknown("contender", named.as_str(), all.into_iter().map(|other| other.name.as_str())));
    };
    let is_foreign = named.language() != contender.name.language();
    let Some(unlike) = base.unlike(found).or(is_foreign.then_some("in another language")) else {
        return Ok(());
    };
    Err(Fault {
        problem: format!("`{}` names `{named}`, which is {unlike}", base.key()),
        expected: base.expected().to_owned(),
    })
}

fn check_duplicates(workloads: &[Workload], contenders: &[Contender]) -> Result<(), SpecError> {
    let twice = |name: &str| Fault {
        problem: format!("a second definition of `{name}`"),
        expected: "expected each name once".to_owned(),
    };
    let mut seen = HashSet::new();
    for contender in contenders {
        if !seen.insert(contender.name.as_str()) {
            let fault = twice(contender.name.as_str());
            return Err(refused(&contender.dir.join(CONTENDER_FILE), "name", "", fault));
        }
    }
    let mut seen = HashSet::new();
    for workload in workloads {
        if !seen.insert(workload.name.as_str()) {
            return Err(refused(&workload_file(workload, contenders), "name", "", twice(&workload.name)));
        }
    }
    Ok(())
}

fn check_workload(
    workload: &Workload,
    workloads: &[Workload],
    contenders: &[Contender],
) -> Result<(), SpecError> {
    let refuse = |key: &str, needle: &str, fault: Fault| {
        refused(&workload_file(workload, contenders), key, needle, fault)
    };
    let find = |name: &ContenderName, key: &str| {
        contenders.iter().find(|contender| contender.name == *name).ok_or_else(|| {
            let known = contenders.iter().map(|contender| contender.name.as_str());
            refuse(key, name.as_str(), unknown("contender", name.as_str(), known))
        })
    };
    let needed = workload.default.iter().map(|name| ("default", name));
    for (key, name) in std::iter::once(("baseline", &workload.baseline)).chain(needed) {
        if !find(name, key)?.workloads.contains(&workload.name) {
            let fault = Fault {
                problem: format!(
                    "`{key}` names `{name}`, which does not list the workload `{}`",
                    workload.name
                ),
                expected: format!("expected a contender whose `workloads` hold `{}`", workload.name),
            };
            return Err(refuse(key, name.as_str(), fault));
        }
    }
    for name in workload.published.iter().filter_map(|row| row.contender.as_ref()) {
        find(name, "published.contender")?;
    }
    for name in workload.bursts.iter().flat_map(|burst| &burst.contenders) {
        find(name, "burst.contenders")?;
    }
    // However many CPUs there are, the names are the same.
    let loads = workloads.iter().flat_map(|workload| workload.loads(1));
    let known: Vec<String> = loads.map(|load| load.name).collect();
    for claim in &workload.claims {
        let (key, sides) = match &claim.subject {
            Subject::Ratio(over, under) => ("claim.ratio", vec![over, under]),
            Subject::Order(sides) => ("claim.order", sides.iter().collect()),
            Subject::Value(side) => ("claim.value", vec![side]),
        };
        for side in sides {
            find(&side.contender, key)?;
            if !known.contains(&side.workload) {
                let needle = format!("{}:{}", side.workload, side.contender);
                let known = known.iter().map(String::as_str);
                return Err(refuse(key, &needle, unknown("workload", &side.workload, known)));
            }
        }
    }
    Ok(())
}

fn unknown<'a>(kind: &str, name: &str, known: impl Iterator<Item = &'a str>) -> Fault {
    let known: Vec<&str> = known.collect();
    let hint = did_you_mean(name, known.iter().copied());
    Fault {
        problem: format!("there is no {kind} `{name}`"),
        expected: format!("expected one of: {}{hint}", known.join(", ")),
    }
}

/// The file of a workload, from the checkout that the contenders came from.
fn workload_file(workload: &Workload, contenders: &[Contender]) -> PathBuf {
    let root = contenders
        .iter()
        .find(|contender| contender.dir.ends_with(Path::new("contenders").join(contender.name.as_str())))
        .and_then(|contender| contender.dir.ancestors().nth(3));
    root.unwrap_or(Path::new("")).join("workloads").join(&workload.name).join(WORKLOAD_FILE)
}

/// The validated types hold no lines, so the first line with the name in quotes is looked up.
fn refused(file: &Path, key: &str, needle: &str, fault: Fault) -> SpecError {
    let ends = [format!("{needle}\""), format!("{needle}'")];
    let line = (!needle.is_empty())
        .then(|| SourceFile::read(file).ok())
        .flatten()
        .and_then(|source| source.text().lines().position(|line| ends.iter().any(|end| line.contains(end))))
        .map(|index| index + 1);
    definition(file, line, Some(key.to_owned()), fault.problem, fault.expected).into()
}
