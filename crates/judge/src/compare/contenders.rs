//! One run: several contenders against one another. The judge's own pairs are the answer, and where it has none the paired ratio.

use velo_record::{RatePurpose, RunFile, Window};
use velo_spec::{ContenderName, Side, Workload};
use velo_stats::CONFIDENCE;

use super::figure::Figure;
use super::result::{CompareError, ComparedContenders, ContenderPair, FORMAT, NotCompared, RunHead};
use crate::load::words::rate;
use crate::rank::cost::inverse;
use crate::rank::equal_work::{self, EqualWorkPair};
use crate::rank::pairs::{ComparedPair, Pairs, Standing};
use crate::rows::paced::PacedFigures;
use crate::rows::row::Row;
use crate::rows::state::LEAST_LAUNCHES;
use crate::rows::state::{Cause, RowState};
use crate::run::judgement::Judgement;
use crate::run::verdicts;
use crate::run::workload::JudgedWorkload;
use crate::series::blocks::Disturbed;
use crate::series::cell::{Cell, Cells};
use crate::series::estimate::Estimate;
use crate::series::figures::Quantity;
use crate::series::launch_logs::LaunchLogs;
use crate::tasks::{self, TaskRow, TaskTime, Tasks};
use crate::words::list;

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
    let judgement = crate::judge(file, windows);
    let disturbed = Disturbed::find(windows.iter());
    let cells = Cells::new(file, windows.iter(), &disturbed);
    let no_task_ranked = verdicts::no_task_ranked(file);
    let judged_tasks: Vec<(&str, Option<Tasks>)> = file
        .workloads
        .iter()
        .map(|workload| (workload.name.as_str(), tasks::judge(workload, file, no_task_ranked.as_deref())))
        .collect();
    let (mut pairs, mut not_compared) = (Vec::new(), Vec::new());
    for (judged, workload) in judgement.workloads.iter().zip(&file.workloads) {
        let of_workload = OfWorkload {
            judgement: &judgement,
            judged,
            workload,
            cells: &cells,
            tasks: &judged_tasks,
            no_task_ranked: no_task_ranked.as_deref(),
        };
        of_workload.compare(names, &mut pairs, &mut not_compared);
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
            nothing_ranked: judgement.nothing_ranked.clone(),
        },
        confidence: judgement.confidence,
        contenders: names.to_vec(),
        pairs,
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
    workload: &'a Workload,
    cells: &'a Cells<'a>,
    /// Of all workloads, by name.
    tasks: &'a [(&'a str, Option<Tasks>)],
    no_task_ranked: Option<&'a str>,
}

/// A pair before it is described: its ratio, first over second, and what the judge says of it.
#[derive(Default)]
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
    ) {
        let out = |figure, contender: &ContenderName, reason: String| NotCompared {
            figure,
            workload: Some(self.judged.name.clone()),
            contender: contender.clone(),
            reason,
            is_lost: false,
        };
        let is_here = |name: &&ContenderName| self.row(name).is_some() || self.task(name).is_some();
        let (here, missing): (Vec<&ContenderName>, Vec<&ContenderName>) = names.iter().partition(is_here);
        if here.len() < 2 {
            return;
        }
        not_compared.extend(
            missing.into_iter().map(|name| out(None, name, "not measured on this workload".to_owned())),
        );
        for figure in [Figure::Goodput, Figure::Cpu, Figure::EqualWorkCpu, Figure::Steady] {
            let mut usable: Vec<&ContenderName> = Vec::new();
            for name in &here {
                match self.figure(figure, name) {
                    Some(Ok(_)) => usable.push(name),
                    Some(Err(reason)) => not_compared.push(out(Some(figure), name, reason)),
                    None => {}
                }
            }
            for (at, over) in usable.iter().enumerate() {
                for under in &usable[at + 1..] {
                    match self.pair(figure, over, under) {
                        Ok(found) => pairs.push(self.describe(figure, over, under, found)),
                        Err(reason) => {
                            not_compared.push(out(Some(figure), under, format!("beside {over}: {reason}")));
                        }
                    }
                }
            }
        }
    }

    fn describe(
        &self,
        figure: Figure,
        over: &ContenderName,
        under: &ContenderName,
        found: Found,
    ) -> ContenderPair {
        let own = |name| self.figure(figure, name).and_then(Result::ok);
        ContenderPair {
            figure,
            workload: self.judged.name.clone(),
            over: over.clone(),
            under: under.clone(),
            over_figure: own(over),
            under_figure: own(under),
            ratio: found.ratio,
            state: found.state,
            p_holm: found.p_holm,
            reason: found.reason,
        }
    }

    /// A contender's figure, or why it cannot be compared; `None` when it was not measured.
    fn figure(&self, figure: Figure, name: &ContenderName) -> Option<Result<Estimate, String>> {
        let usable = |fault: Option<String>, value: Option<Estimate>| match fault {
            Some(fault) => Some(Err(fault)),
            None => value.map(Ok),
        };
        match figure {
            Figure::Goodput => {
                let row = self.row(name)?;
                let is_stated = matches!(row.state, RowState::NotRanked { cause: Cause::StatedRate, .. });
                let fault = (!row.is_comparable() && !is_stated).then(|| row.standing());
                usable(fault, row.goodput_per_s.filter(|_| !is_stated))
            }
            Figure::Cpu => {
                let row = self.row(name)?;
                usable(row.cpu_fault().map(|_| row.standing()), row.cpu_per_request_ns)
            }
            Figure::EqualWorkCpu => {
                let (row, figures) = self.at_rate(name)?;
                let fault = row.cpu_fault().map(|_| row.standing());
                usable(fault.or_else(|| equal_work::rate_fault(figures)), figures.cpu_per_request_ns)
            }
            Figure::Steady => {
                let row = self.task(name)?;
                usable((!row.is_comparable()).then(|| row.state.in_words()), row.steady_ns)
            }
            Figure::Startup => None,
        }
    }

    fn pair(&self, figure: Figure, over: &ContenderName, under: &ContenderName) -> Result<Found, String> {
        match figure {
            Figure::Goodput => self.goodput(over, under),
            Figure::Cpu => {
                let ratio = self.paired(over, under, Quantity::CpuPerRequest)?;
                let reason = "not judged in pairs: each is at a goodput of its own".to_owned();
                Ok(Found { ratio: Some(ratio), reason: Some(reason), ..Found::default() })
            }
            Figure::EqualWorkCpu => self.equal_work(over, under),
            Figure::Steady => self.steady(over, under),
            Figure::Startup => Err("startup is not compared within a run".to_owned()),
        }
    }

    fn goodput(&self, over: &ContenderName, under: &ContenderName) -> Result<Found, String> {
        if let Some(found) = in_pairs(self.judged.pairs.as_ref(), over, under) {
            return Ok(found);
        }
        let ratio = self.paired(over, under, Quantity::Goodput)?;
        Ok(self.without_verdict(ratio, self.judgement.nothing_ranked.as_deref()))
    }

    fn equal_work(&self, over: &ContenderName, under: &ContenderName) -> Result<Found, String> {
        let judged = self.judged.equal_work.groups.iter().flat_map(|group| &group.pairs).find(|pair| {
            (&pair.cheaper, &pair.dearer) == (over, under) || (&pair.dearer, &pair.cheaper) == (over, under)
        });
        if let Some(pair) = judged {
            return Ok(of_equal_work(pair, over));
        }
        let none = || "not measured at one rate for all".to_owned();
        let rates = [over, under].map(|name| self.at_rate(name).map(|(_, figures)| figures.rate_per_s));
        let [Some(one), Some(other)] = rates else { return Err(none()) };
        if one != other {
            return Err(format!("not given the same rate: {} and {}", rate(other, 3), rate(one, 3)));
        }
        let [Some(over), Some(under)] = [over, under].map(|name| self.cell(name)) else { return Err(none()) };
        let logs = over.logs_at(one).over(&under.logs_at(one));
        let ratio = self.known(&logs, self.judgement.confidence)?;
        Ok(self.without_verdict(ratio, self.judgement.nothing_ranked.as_deref()))
    }

    fn steady(&self, over: &ContenderName, under: &ContenderName) -> Result<Found, String> {
        let table = self.judged.tasks.as_ref();
        if let Some(found) = in_pairs(table.and_then(|table| table.pairs.as_ref()), over, under) {
            return Ok(found);
        }
        let [over, under] =
            [over, under].map(|name| Side { workload: self.workload.name.clone(), contender: name.clone() });
        let logs = tasks::log_ratios(self.tasks, &over, &under, TaskTime::Steady)?;
        Ok(self.without_verdict(self.known(&logs, CONFIDENCE)?, self.no_task_ranked))
    }

    fn paired(
        &self,
        over: &ContenderName,
        under: &ContenderName,
        quantity: Quantity,
    ) -> Result<Estimate, String> {
        match [over, under].map(|name| self.cell(name)) {
            [Some(over), Some(under)] => self.known(&over.over(under, quantity), self.judgement.confidence),
            _ => self.known(&LaunchLogs::default(), self.judgement.confidence),
        }
    }

    fn known(&self, log_ratios: &LaunchLogs, confidence: f64) -> Result<Estimate, String> {
        log_ratios.estimate(confidence).ok_or_else(|| "no launch has a ratio of the two".to_owned())
    }

    fn without_verdict(&self, ratio: Estimate, nothing_ranked: Option<&str>) -> Found {
        let few = || format!("one of them is not ranked: fewer than {LEAST_LAUNCHES} launches");
        let reason = nothing_ranked.map_or_else(few, str::to_owned);
        Found { ratio: Some(ratio), reason: Some(reason), ..Found::default() }
    }

    fn row(&self, name: &ContenderName) -> Option<&Row> {
        self.judged.rows.iter().find(|row| row.contender == *name)
    }

    fn cell(&self, name: &ContenderName) -> Option<&Cell<'_>> {
        self.cells.get(&self.judged.name, name)
    }

    fn at_rate(&self, name: &ContenderName) -> Option<(&Row, &PacedFigures)> {
        let row = self.row(name)?;
        let is_it = |figures: &&PacedFigures| figures.purpose == RatePurpose::EqualWork;
        Some((row, row.latency.iter().find(is_it)?))
    }

    fn task(&self, name: &ContenderName) -> Option<&TaskRow> {
        self.judged.tasks.as_ref()?.rows.iter().find(|row| row.contender == *name)
    }
}

/// What the judge says of two contenders, the first over the second.
fn in_pairs(pairs: Option<&Pairs>, over: &ContenderName, under: &ContenderName) -> Option<Found> {
    let is_it = |pair: &&ComparedPair| {
        (&pair.over, &pair.under) == (over, under) || (&pair.under, &pair.over) == (over, under)
    };
    let pair = pairs?.compared.iter().find(is_it)?;
    let ratio =
        if pair.over == *over { pair.ratio } else { pair.ratio.and_then(|ratio| inverse(1.0, ratio)) };
    Some(Found { ratio, state: Some(pair.state), p_holm: pair.p_holm, reason: None })
}

fn of_equal_work(pair: &EqualWorkPair, over: &ContenderName) -> Found {
    let ratio =
        if pair.dearer == *over { pair.ratio } else { pair.ratio.and_then(|ratio| inverse(1.0, ratio)) };
    Found { ratio, state: Some(pair.state), p_holm: pair.p_holm, reason: None }
}
