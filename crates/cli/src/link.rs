//! `--link`: the distance between load and contenders.

use velo_model::{Contender, Link, Workload};

use crate::exit::usage;

/// What was asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum LinkChoice {
    /// None, also where a workload names one.
    None,
    /// This one.
    Link(Link),
}

/// Reads `none`, or a link as in `rtt=20ms,rate=100mbit,loss=0.1%`.
pub(crate) fn choice(text: &str) -> Result<LinkChoice, String> {
    match text {
        "none" => Ok(LinkChoice::None),
        _ => link(text).map(LinkChoice::Link),
    }
}

/// Reads a link.
pub(crate) fn link(text: &str) -> Result<Link, String> {
    text.parse().map_err(|problem: velo_model::LinkProblem| problem.to_string())
}

/// Sets what was asked in place of the workloads' own, and refuses what does not go together.
pub(crate) fn set(
    workloads: &mut [Workload],
    asked: Option<LinkChoice>,
    contenders: &[Contender],
) -> anyhow::Result<()> {
    if let Some(asked) = asked {
        let link = match asked {
            LinkChoice::None => None,
            LinkChoice::Link(link) => Some(link),
        };
        workloads.iter_mut().flat_map(Workload::load_settings_mut).for_each(|load| load.link = link);
    }
    if let Some(other) = workloads.iter().find(|other| other.load.link != workloads[0].load.link) {
        let first = &workloads[0];
        return Err(usage(format!(
            "{} is measured over {} and {} over {}\n  a run has one link: run them apart, or give --link for both",
            first.name,
            words(first.load.link),
            other.name,
            words(other.load.link)
        )));
    }
    let Some(link) = workloads.first().and_then(|workload| workload.load.link) else { return Ok(()) };
    if let Some(of_clients) = workloads.iter().find(|workload| workload.download.is_some()) {
        return Err(usage(format!(
            "--link: {} compares clients, whose server is next door\n  leave --link out, or run {} apart from what is measured over the link {link}",
            of_clients.name, of_clients.name
        )));
    }
    match contenders.iter().find(|contender| contender.runs_at.is_some()) {
        Some(contender) => Err(usage(format!(
            "--url {}: an externally started server cannot be put behind the link {link}\n  \
             expected --link none, or the server as a contender's folder; velo link runs a command of your own behind one",
            contender.name
        ))),
        None => Ok(()),
    }
}

/// What departs from the workloads' own settings, in words.
pub(crate) fn overrides(workloads: &[Workload], asked: Option<LinkChoice>) -> Vec<String> {
    let asked = match asked {
        None => return Vec::new(),
        Some(LinkChoice::None) => None,
        Some(LinkChoice::Link(link)) => Some(link),
    };
    let others = workloads.iter().filter(|workload| workload.load.link != asked);
    others
        .map(|Workload { name, load, .. }| {
            format!("over {} instead of {} on {name}", words(asked), words(load.link))
        })
        .collect()
}

fn words(link: Option<Link>) -> String {
    link.map_or_else(|| "no link".to_owned(), |link| format!("the link {link}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::carried::void_named as workload;
    use velo_model::ContenderName;

    #[test]
    fn what_is_asked_replaces_the_workloads_own() {
        let mut workloads = [workload("void"), workload("coin")];
        let asked = choice("rtt=20ms").ok();
        assert_eq!(
            overrides(&workloads, asked),
            [
                "over the link rtt=20ms instead of no link on void",
                "over the link rtt=20ms instead of no link on coin"
            ]
        );
        set(&mut workloads, asked, &[]).expect("it goes together");
        assert!(workloads.iter().all(|workload| workload.load.link.is_some()));
        assert!(overrides(&workloads, None).is_empty());
        assert_eq!(
            overrides(&workloads[..1], Some(LinkChoice::None)),
            ["over no link instead of the link rtt=20ms on void"]
        );
        set(&mut workloads, Some(LinkChoice::None), &[]).expect("it goes together");
        assert!(workloads.iter().all(|workload| workload.load.link.is_none()));
        assert!(choice("20ms").expect_err("no link").contains("rtt=20ms,rate=100mbit"));
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        let mut workloads = [workload("void"), workload("coin")];
        workloads[1].load.link = link("rtt=1ms").ok();
        let error = set(&mut workloads, None, &[]).expect_err("two links").to_string();
        assert!(error.contains("void is measured over no link and coin over the link rtt=1ms"), "{error}");
        let name = ContenderName::new("url/mine").expect("a name");
        let running = Contender::running(name, "127.0.0.1:3000".to_owned(), vec!["void".to_owned()]);
        let error = set(&mut workloads, choice("rtt=1ms").ok(), std::slice::from_ref(&running));
        let error = error.expect_err("it runs elsewhere").to_string();
        assert!(error.contains("url/mine: an externally started server"), "{error}");
        set(&mut workloads, Some(LinkChoice::None), &[running]).expect("without a link it may");
    }
}
