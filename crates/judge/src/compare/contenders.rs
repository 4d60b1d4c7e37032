//! One run: several contenders against one another. The judge's own pairs are the answer, and where it has none the paired ratio.

use velo_model::{Class, ContenderName, Figure, FigureKind, LoadCondition};
use velo_record::{RunFile, Window};
use velo_stats::CONFIDENCE;

use super::comparable::{self, Comparable};
use super::hours::{Waiting, WaitingHours};
use super::result::{CompareError, ComparedContenders, ContenderPair, FORMAT, NotCompared, RunHead};
use crate::doubt::bounds::LEAST_LAUNCHES;
use crate::doubt::nothing_ranked::NothingRanked;
use crate::measure::estimate::Estimate;
use crate::rank::cost::inverse;
use crate::rank::pairs::{ComparedPair, Standing};
use crate::run::judge::{JudgedRun, judge_run};
use crate::run::judgement::Judgement;
use crate::run::workload::JudgedWorkload;
use crate::table;
use crate::table::measurement::Measurement;
use crate::words::{list, rate};

/// So many contenders of a run are named to somebody who has named another one.
const NAMED: usize = 40;

/// Compares contenders of one run with one another: each pair, the one that was named first over the other.
///
/// # Errors
/// When fewer than two are named, one twice, or one that the run does not have; and when they have nothing in common.
pub fn contenders(
    file: &RunFile,
    windows: &[Window],
    names: &[ContenderName],
) -> Result<ComparedContenders, CompareError> {
    check(file, names)?;
    let JudgedRun { judgement, table, no_task_ranked, .. } = judge_run(file, windows);
    let (mut pairs, mut waiting, mut not_compared) = (Vec::new(), Vec::new(), Vec::new());
    let is_external = |name: &ContenderName| {
        let mut records = file.contenders.iter().filter(|record| record.manifest.name == *name);
        records.any(|record| record.manifest.class == Class::Running)
    };
    let external = names.iter().all(is_external);
    for judged in &judgement.workloads {
        let of_workload = OfWorkload {
            judgement: &judgement,
            judged,
            comparable: comparable::of_workload(judged, &table, external),
            no_task_ranked: no_task_ranked.as_ref(),
        };
        let hours = of_workload.compare(names, &mut pairs, &mut not_compared);
        waiting.extend(hours.filter(|hours| !hours.pairs.is_empty()));
    }
    if pairs.is_empty() && not_compared.is_empty() {
        let reasons = vec!["no workload of the run has two of them".to_owned()];
        return Err(CompareError::NothingLeft { reasons });
    }
    Ok(ComparedContenders {
        format: FORMAT,
        run: RunHead {
            started_at: judgement.started_at.clone(),
            velo: judgement.identity.velo.clone(),
            nothing_ranked: judgement.nothing_ranked.as_ref().map(ToString::to_string),
        },
        confidence: judgement.confidence,
        contenders: names.to_vec(),
        pairs,
        waiting,
        not_compared,
    })
}

fn check(file: &RunFile, names: &[ContenderName]) -> Result<(), CompareError> {
    let known: Vec<&ContenderName> = file
        .contenders
        .iter()
        .filter(|record| record.twin_of.is_none())
        .map(|record| &record.manifest.name)
        .collect();
    if let Some(name) = names.iter().find(|name| !known.contains(name)) {
        let distance = |known: &&&ContenderName| strsim::damerau_levenshtein(name.as_str(), known.as_str());
        let near = known.iter().filter(|known| distance(known) <= 3).min_by_key(distance);
        return Err(CompareError::NoSuchContender {
            name: name.clone(),
            hint: near.map(|near| format!("; did you mean {near}?")).unwrap_or_default(),
            known: list(&known, NAMED),
        });
    }
    let is_twice = (1..names.len()).any(|at| names[..at].contains(&names[at]));
    if names.len() < 2 || is_twice { Err(CompareError::NotSeveral) } else { Ok(()) }
}

struct OfWorkload<'a> {
    judgement: &'a Judgement,
    judged: &'a JudgedWorkload,
    /// What its contenders have.
    comparable: Vec<Comparable<'a>>,
    no_task_ranked: Option<&'a NothingRanked>,
}

/// A pair before it is described: its ratio, first over second, and what the judge says of it.
struct Found {
    ratio: Option<Estimate>,
    state: Option<Standing>,
    p_holm: Option<f64>,
    reason: Option<String>,
}

impl OfWorkload<'_> {
    fn compare(
        &self,
        names: &[ContenderName],
        pairs: &mut Vec<ContenderPair>,
        not_compared: &mut Vec<NotCompared>,
    ) -> Option<WaitingHours> {
        let out = |figure, contender: &ContenderName, load, reason: String| NotCompared {
            figure,
            workload: Some(self.judged.name.clone()),
            contender: contender.clone(),
            load,
            reason,
            is_lost: false,
        };
        let is_here = |name: &&ContenderName| {
            let mut rows = self.judged.rows.iter().map(|row| &row.contender);
            rows.any(|own| own == *name) || self.comparable.iter().any(|one| one.measured.contender == **name)
        };
        let (here, missing): (Vec<&ContenderName>, Vec<&ContenderName>) = names.iter().partition(is_here);
        if here.len() < 2 {
            return None;
        }
        let mut hours = self.waiting();
        not_compared.extend(
            missing.into_iter().map(|name| out(None, name, None, "not measured on this workload".to_owned())),
        );
        for (of, load) in self.compared() {
            let mut usable: Vec<&Comparable<'_>> = Vec::new();
            for name in &here {
                let is_own = |one: &&Comparable<'_>| {
                    let Measurement { of: figure, under, contender, .. } = one.measured;
                    (*figure, figure.told_apart_by(*under)) == (of, load) && contender == *name
                };
                let own = self.comparable.iter().find(is_own);
                let Some(own) = own else { continue };
                match self.fault(own) {
                    Some(reason) => not_compared.push(out(Some(of), name, load, reason)),
                    None if own.estimate.is_some() => usable.push(own),
                    None => {}
                }
            }
            for (at, over) in usable.iter().enumerate() {
                for under in &usable[at + 1..] {
                    if let Some(hours) = hours.as_mut().filter(|_| of == Figure::Call) {
                        hours.pairs.extend(hours.of.apart(over, under));
                    }
                    match self.pair(over, under) {
                        Ok(found) => pairs.push(self.describe(over, under, found)),
                        Err(reason) => {
                            let reason = format!("beside {}: {reason}", over.measured.contender);
                            not_compared.push(out(Some(of), &under.measured.contender, load, reason));
                        }
                    }
                }
            }
        }
        hours
    }

    /// How many people wait for the calls of the workload, before it is known how long.
    fn waiting(&self) -> Option<WaitingHours> {
        let table = self.judged.calls.as_ref()?;
        let of = Waiting { users: table.users, calls_per_user_per_year: table.calls_per_user_per_year };
        Some(WaitingHours { workload: self.judged.name.clone(), of, pairs: Vec::new() })
    }

    /// The figures, each under every load that it is told apart by.
    fn compared(&self) -> Vec<(Figure, Option<LoadCondition>)> {
        let mut all: Vec<(Figure, Option<LoadCondition>)> = Vec::new();
        for of in Figure::compared() {
            for one in self.comparable.iter().filter(|one| one.measured.of == of) {
                let figure = (of, of.told_apart_by(one.measured.under));
                if !all.contains(&figure) {
                    all.push(figure);
                }
            }
        }
        all
    }

    fn fault(&self, own: &Comparable<'_>) -> Option<String> {
        if own.is_reference && own.measured.of == Figure::Goodput {
            // It shows the level of the machine and the generator, not its own.
            let row = self.judged.rows.iter().find(|row| row.contender == own.measured.contender)?;
            return Some(row.standing());
        }
        own.fault.as_ref().map(|fault| fault.reason.clone())
    }

    fn describe(&self, over: &Comparable<'_>, under: &Comparable<'_>, found: Found) -> ContenderPair {
        ContenderPair {
            figure: over.measured.of,
            workload: self.judged.name.clone(),
            load: over.measured.of.told_apart_by(over.measured.under),
            over: over.measured.contender.clone(),
            under: under.measured.contender.clone(),
            over_figure: over.estimate,
            under_figure: under.estimate,
            ratio: found.ratio,
            state: found.state,
            p_holm: found.p_holm,
            reason: found.reason,
        }
    }

    /// What the judge says of two contenders, else the ratio of the two without a verdict.
    fn pair(&self, over: &Comparable<'_>, under: &Comparable<'_>) -> Result<Found, String> {
        let (over, under) = (over.measured, under.measured);
        let pairs = self.judged.pairs_by(over.of, Some(over.under));
        let judged = pairs.and_then(|pairs| in_pairs(&pairs.compared, &over.contender, &under.contender));
        if let Some(found) = judged {
            return Ok(found);
        }
        if let (LoadCondition::OpenLoop { rate_per_s: one }, LoadCondition::OpenLoop { rate_per_s: other }) =
            (over.under, under.under)
            && one != other
        {
            return Err(format!("not given the same rate: {} and {}", rate(other, 3), rate(one, 3)));
        }
        let is_planned = over.of.kind().row().is_planned;
        let confidence = if is_planned { self.judgement.confidence } else { CONFIDENCE };
        let ratio = table::ratio((&self.judged.name, over), (&self.judged.name, under)).estimate(confidence);
        let ratio = ratio.ok_or_else(|| "no launch has a ratio of the two".to_owned())?;
        let nothing_ranked =
            if is_planned { self.judgement.nothing_ranked.as_ref() } else { self.no_task_ranked };
        let reason = match over.of {
            of if of.kind() == FigureKind::OwnLoad && !of.row().is_ranked => {
                "not judged in pairs: each is at a goodput of its own".to_owned()
            }
            of if of.row().part_of.is_some() => "not judged in pairs: a phase of the whole call".to_owned(),
            _ => nothing_ranked.map_or_else(
                || format!("one of them is not ranked: fewer than {LEAST_LAUNCHES} launches"),
                ToString::to_string,
            ),
        };
        Ok(Found { ratio: Some(ratio), state: None, p_holm: None, reason: Some(reason) })
    }
}

/// What the judge says of two contenders, the first over the second.
fn in_pairs(pairs: &[ComparedPair], over: &ContenderName, under: &ContenderName) -> Option<Found> {
    let is_it = |pair: &&ComparedPair| {
        (&pair.over, &pair.under) == (over, under) || (&pair.under, &pair.over) == (over, under)
    };
    let pair = pairs.iter().find(is_it)?;
    let is_upright = pair.over == *over;
    let ratio = if is_upright { pair.ratio } else { pair.ratio.and_then(|ratio| inverse(1.0, ratio)) };
    Some(Found { ratio, state: Some(pair.state), p_holm: pair.p_holm, reason: None })
}
