//! The framework tax in words.

use velo_judge::{JudgedWorkload, Tax, Told};

use super::phrases::difference;
use super::section::{Block, Named, Place, Section};
use crate::text::clean;

/// What frameworks cost over the raw contender of their language and host.
pub(crate) fn section(workload: &JudgedWorkload) -> Option<Section> {
    let named = Named {
        place: Place::Both,
        titles: ["contender over raw", "CPU/request"],
        rows: workload.taxes.iter().map(tax).collect(),
        most_on_terminal: usize::MAX,
    };
    let about = "CPU/request over the raw contender's";
    (!workload.taxes.is_empty()).then(|| Section::new("framework tax", about, vec![Block::Named(named)]))
}

/// A tax: of what over what, and how much.
fn tax(tax: &Tax) -> (String, String) {
    let pair = format!("{} over {}", tax.contender, tax.raw);
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
    (pair, words)
}
