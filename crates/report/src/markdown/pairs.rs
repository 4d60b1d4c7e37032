use velo_judge::{JudgedWorkload, Judgement};

use super::document::{Document, Rows};
use crate::view::pairs;

/// How the ranked ones compare, what would tell open pairs, and the control.
pub(super) fn add(workload: &JudgedWorkload, document: &mut Document) {
    if let Some(compared) = &workload.pairs {
        document.paragraph(&pairs::summary(compared));
        let mut open = Rows::new("l l");
        for one in pairs::open(compared) {
            open.row([Some(one.pair), Some(one.words)]);
        }
        document.table(["open", "goodput, and what would tell"], open);
    }
    let mut controls = Rows::new("l l r l");
    for control in &workload.controls {
        let (figure, holds) = pairs::control(control);
        controls.row([
            Some(control.contender.to_string()),
            Some(control.twin.to_string()),
            Some(figure),
            Some(holds.to_owned()),
        ]);
    }
    document.table(["A", "A'", "goodput of A' over A", "control"], controls);
}

/// One figure for each contender over all workloads.
pub(super) fn add_geometric_means(judgement: &Judgement, document: &mut Document) {
    let Some(geometric) = &judgement.geometric_mean else { return };
    document.heading(2, "All workloads");
    document.paragraph(&pairs::geometric_head(geometric));
    let mut means = Rows::new("l r");
    for (contender, mean) in pairs::geometric_means(judgement, geometric) {
        means.row([Some(contender), Some(mean)]);
    }
    document.table(["contender", "mean score"], means);
}
