//! Lines of text that say a judgement, and how its parts are written in them.

use std::collections::BTreeSet;
use std::fmt::Debug;
use velo_model::LoadCondition;

use serde::Serialize;
use serde_json::Value;
use velo_judge::{Estimate, Verdict};

/// Lines, sorted; what is said twice stands once.
#[derive(Default)]
pub(crate) struct Lines(BTreeSet<String>);

impl Lines {
    /// A line of parts.
    pub(crate) fn say<const N: usize>(&mut self, parts: [&str; N]) {
        self.0.insert(parts.join(" | "));
    }

    /// A figure, where it is there.
    pub(crate) fn figure(&mut self, about: &str, of: &str, under: &str, figure: Option<Estimate>) {
        if let Some(figure) = figure {
            self.say([about, of, under, &estimate(&figure)]);
        }
    }

    /// A single number, where it is there.
    pub(crate) fn number<T: Debug>(&mut self, about: &str, of: &str, number: Option<T>) {
        if let Some(number) = number {
            self.say([about, of, &format!("{number:?}")]);
        }
    }

    /// What a check found.
    pub(crate) fn verdict(&mut self, about: &str, verdict: &Verdict) {
        let check = format!("check {}", data(&verdict.check));
        let held = format!("{} against {}", some(verdict.figure), some(verdict.bound));
        self.say([about, &check, &data(&verdict.kind), &held, &data(&verdict.finding)]);
    }

    /// The text.
    pub(crate) fn text(self) -> String {
        self.0.into_iter().map(|line| line.replace('\n', "\\n") + "\n").collect()
    }
}

/// `12345.6 | 12000.1 .. 12700.9 | n=5`.
pub(crate) fn estimate(estimate: &Estimate) -> String {
    let mut text = format!("{:?}", estimate.value);
    if let Some((low, high)) = estimate.interval() {
        text += &format!(" | {low:?} .. {high:?}");
    }
    if let Some((least, most)) = estimate.range() {
        text += &format!(" | {least:?} and {most:?}");
    }
    format!("{text} | n={}", estimate.launches)
}

/// A number, or that there is none.
pub(crate) fn some<T: Debug>(number: Option<T>) -> String {
    number.map_or_else(|| "none".to_owned(), |number| format!("{number:?}"))
}

/// The ends of an interval, or that there is none.
pub(crate) fn ends(low: Option<f64>, high: Option<f64>) -> String {
    format!("{} .. {}", some(low), some(high))
}

/// A reason, or nothing.
pub(crate) fn why<T: ToString>(reason: Option<&T>) -> String {
    reason.map_or_else(|| "no reason".to_owned(), ToString::to_string)
}

/// A small value by its members: `answers=3 share=0.1`; of an enum without any its name. What is missing is left out.
pub(crate) fn data(value: &impl Serialize) -> String {
    written(&serde_json::to_value(value).expect("JSON"))
}

/// What a list says of the party of a role.
fn of_role<'l>(parties: &'l Value, role: &str) -> &'l Value {
    let mut parties = parties.as_array().expect("a list of parties").iter();
    parties.find(|party| party["role"] == role).expect("a party of that role")
}

/// A word for those who were at their limit.
fn limit(at_limit: &Value) -> &'static str {
    let roles: Vec<&str> = at_limit.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    match roles.as_slice() {
        ["contender"] => "server",
        ["generator"] => "client",
        ["generator", "contender"] => "both",
        [] => "unknown",
        other => panic!("{other:?}: the texts have no word for them"),
    }
}

fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(written).collect::<Vec<_>>().join(", ")),
        Value::Object(members) => {
            let mut members = members.clone();
            if let Some(placement) = members.remove("placement") {
                for (role, name) in [("contender", "server_cpus"), ("generator", "load_cpus")] {
                    members.insert(name.to_owned(), of_role(&placement, role)["cpus"].clone());
                }
            }
            if let Some((at_limit, parties)) = members.remove("at_limit").zip(members.remove("parties")) {
                for (role, name) in [("contender", "server"), ("generator", "generator")] {
                    let share = of_role(&parties, role)["busy_share"].clone();
                    members.insert(format!("{name}_busy_share"), share);
                }
                members.insert("limit".to_owned(), limit(&at_limit).into());
            }
            let there = members.iter().filter(|(_, value)| !value.is_null());
            let mut members: Vec<String> = there
                .map(|(name, value)| match value {
                    Value::Object(_) => format!("{name}=({})", written(value)),
                    value => format!("{name}={}", written(value)),
                })
                .collect();
            members.sort();
            members.join(" ")
        }
        other => other.to_string(),
    }
}

/// The load that a figure was measured under.
pub(crate) fn under(load: &LoadCondition) -> String {
    match load {
        LoadCondition::ClosedLoop { connections } => format!("closed loop {connections}"),
        LoadCondition::OpenLoop { rate_per_s } => format!("open loop {rate_per_s:?}/s"),
        LoadCondition::Burst { requests, connections, first_alone } => {
            let first = if *first_alone { ", one first" } else { "" };
            format!("burst of {requests} over {connections}{first}")
        }
        LoadCondition::Call { condition } => format!("call {condition}"),
        LoadCondition::None => "no load".to_owned(),
    }
}
