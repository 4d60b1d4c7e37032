//! Each figure that a bound is held against: what the looks found of it.

use velo_model::{Better, Figure};
use velo_stats::{CONFIDENCE, SequentialLook, SequentialState, sequential_test};

use super::numbers::Sides;
use super::question::{self, Bound, GateQuestion};
use super::result::{GateFigure, GateState};
use crate::doubt::cause::Cause;
use crate::doubt::reason::Reason;
use crate::doubt::state::RowState;
use crate::measure::launch_logs::LaunchLogs;

/// All figures of a question, in its order. Looks after launch `launches` are not made.
pub(super) fn of(
    sides: &Sides<'_, '_>,
    question: &GateQuestion,
    looks: &[SequentialLook],
    launches: u32,
) -> Vec<GateFigure> {
    let figure = |bound: &Bound| one(sides, question, *bound, looks, launches);
    question.bounds.iter().map(figure).collect()
}

fn one(
    sides: &Sides<'_, '_>,
    question: &GateQuestion,
    Bound { figure, share }: Bound,
    looks: &[SequentialLook],
    launches: u32,
) -> GateFigure {
    let [base, head] = sides.logs(figure);
    let ratio = head.over(&base);
    let fault = fault(sides, figure, &ratio);
    let judged = match &fault {
        Some(_) => Judged::default(),
        None => judged(&ratio, figure, share, looks, launches),
    };
    GateFigure {
        figure,
        name: question::name(figure).to_owned(),
        bound: share,
        is_accepted: question.accepted.contains(&figure),
        state: if fault.is_some() { GateState::Missing } else { judged.state },
        reason: fault,
        decided_after: judged.decided_after,
        p_worse: judged.p_worse,
        base: base.estimate(CONFIDENCE),
        head: head.estimate(CONFIDENCE),
        ratio: ratio.estimate(CONFIDENCE),
    }
}

/// Why a figure cannot be had.
fn fault(sides: &Sides<'_, '_>, figure: Figure, ratio: &LaunchLogs) -> Option<Reason> {
    if figure == Figure::Goodput {
        if sides.stated_per_s.is_some() {
            return Some(Reason::NoFigure { contender: sides.head.row.contender.clone() });
        }
        // What the generator can send says nothing of the server.
        let limited = [&sides.base, &sides.head].into_iter().find(|side| {
            matches!(side.row.state, RowState::NotRanked { cause: Cause::NotServerBound { .. } })
        });
        if let Some(side) = limited {
            let (contender, state) = (side.row.contender.clone(), Box::new(side.row.state.clone()));
            return Some(Reason::StateOf { contender, state });
        }
    }
    (ratio.len() == 0).then(|| Reason::NoFigure { contender: sides.head.row.contender.clone() })
}

/// What the looks found.
struct Judged {
    state: GateState,
    decided_after: Option<u32>,
    p_worse: Option<f64>,
}

impl Default for Judged {
    fn default() -> Self {
        Self { state: GateState::Undecided, decided_after: None, p_worse: None }
    }
}

/// The first look that decides it does so for good.
fn judged(ratio: &LaunchLogs, figure: Figure, share: f64, looks: &[SequentialLook], launches: u32) -> Judged {
    // Above 0 is worse, and so is the limit.
    let (sign, limit) = match figure.row().better {
        Better::Less => (1.0, share.ln_1p()),
        Better::More => (-1.0, -(-share).ln_1p()),
    };
    let mut judged = Judged::default();
    for look in looks.iter().filter(|look| look.pairs <= launches) {
        let seen: Vec<f64> = ratio
            .logs()
            .iter()
            .filter(|(launch, _)| **launch <= look.pairs)
            .map(|(_, log)| sign * log)
            .collect();
        let Some(test) = sequential_test(&seen, look, limit) else { continue };
        judged.p_worse = Some(test.p_worse);
        judged.state = match test.state {
            SequentialState::Worse => GateState::Worse,
            SequentialState::Better => GateState::Better,
            SequentialState::Within => GateState::Within,
            SequentialState::Open => continue,
        };
        judged.decided_after = Some(look.pairs);
        break;
    }
    judged
}
