//! What frameworks cost over the raw contender, and gRPC over REST, in words.

use velo_judge::{JudgedWorkload, Tax, TaxOf, Told, Unlike};
use velo_model::Protocol;

use super::phrases::{difference, plural};
use crate::document::{Block, Named, Section};
use crate::number::rate;
use crate::text::clean;

/// What contenders cost over those that they are compared with: a part for each kind that there is.
pub(crate) fn sections(workload: &JudgedWorkload) -> Vec<Section> {
    TaxOf::ALL.into_iter().filter_map(|of| section(of, workload)).collect()
}

fn section(of: TaxOf, workload: &JudgedWorkload) -> Option<Section> {
    let taxes: Vec<&Tax> = workload.taxes.iter().filter(|tax| tax.of == of).collect();
    let (title, about, pair) = match of {
        TaxOf::Framework => ("framework tax", "CPU/request over the raw contender's", "contender over raw"),
        TaxOf::Grpc => ("gRPC over REST", "CPU/request over the REST contender's", "gRPC over REST"),
    };
    let named = Named::new([pair, "CPU/request"], taxes.iter().map(|tax| words(tax)).collect());
    let blocks = vec![Block::Named(named), Block::remarks(differences(&taxes))];
    (!taxes.is_empty()).then(|| Section::new(title, about, blocks))
}

/// A tax: of what over what, and how much.
fn words(tax: &Tax) -> (String, String) {
    let pair = format!("{} over {}", tax.contender, tax.base);
    let words = match &tax.ratio {
        Some(ratio) => {
            let open = if tax.told == Told::Open { "not resolved: " } else { "" };
            let why = tax
                .reason
                .as_ref()
                .map(|reason| format!("; {}", clean(&reason.to_string())))
                .unwrap_or_default();
            format!("{open}{}{why}", difference(ratio))
        }
        None => {
            let reason = tax.reason.as_ref().map(ToString::to_string);
            format!("not known: {}", clean(reason.as_deref().unwrap_or("there is no figure")))
        }
    };
    let at_rate = tax
        .at_common_rate
        .as_ref()
        .map(|at| format!("; both at {} requests/s: {}", rate(at.rate_per_s), difference(&at.ratio)));
    (pair, format!("{words}{}", at_rate.unwrap_or_default()))
}

/// What else differed in pairs, each once with those of which it is so; without them where it is so of all.
fn differences(taxes: &[&Tax]) -> Vec<String> {
    let mut said: Vec<(String, Vec<String>)> = Vec::new();
    for tax in taxes {
        for difference in tax.unlike.iter().map(unlike) {
            let name = tax.contender.to_string();
            match said.iter_mut().find(|(known, _)| *known == difference) {
                Some((_, names)) => names.push(name),
                None => said.push((difference, vec![name])),
            }
        }
    }
    let compared = taxes.iter().filter(|tax| tax.ratio.is_some()).count();
    let line = |(difference, names): (String, Vec<String>)| {
        if names.len() >= compared { difference } else { format!("{}: {difference}", names.join(", ")) }
    };
    said.into_iter().map(line).collect()
}

fn unlike(difference: &Unlike) -> String {
    match *difference {
        Unlike::Protocol { contender, base } => {
            let alike = if base.is_encrypted() { Protocol::H2 } else { Protocol::H2c };
            format!(
                "not over the same protocol: gRPC over {}, REST over {}, so that this difference is in the figure too; \
                 --protocol {alike} measures both over HTTP/2",
                carrier(contender),
                carrier(base)
            )
        }
        Unlike::Connections { contender, base } => format!(
            "not over the same connections: {} were open, {} to the one that it is compared with",
            plural(u64::from(contender), "connection", "connections"),
            base
        ),
    }
}

fn carrier(protocol: Protocol) -> &'static str {
    if protocol.is_http2() { "HTTP/2" } else { "HTTP/1.1" }
}
