//! A judgement as lines: all that it says, each thing once, in words and numbers of full precision. The lines do not follow the
//! types, so that they stay when these change.

use velo_judge::{Cost, FigurePairs, JudgedClaim, JudgedWorkload, Judgement, Pairs, Tax, per_core_second};
use velo_model::{ClaimFigure, ClaimLoad, Figure, LoadCondition};
use velo_record::RatePurpose;

use crate::lines::{Lines, data, ends, estimate, some, under, why};
use crate::{kinds, rows};

pub(crate) fn judgement(judgement: &Judgement) -> String {
    let mut lines = Lines::default();
    of_run(&mut lines, judgement);
    judgement.workloads.iter().for_each(|workload| of_workload(&mut lines, workload));
    lines.text()
}

fn of_run(lines: &mut Lines, judgement: &Judgement) {
    lines.say(["run", "began", &judgement.started_at]);
    lines.say(["run", "command", &judgement.command.join(" ")]);
    lines.say(["run", "seed", &judgement.seed.to_string()]);
    lines.say(["run", "identity", &data(&judgement.identity)]);
    lines.say(["run", "state", &data(&judgement.state)]);
    lines.say(["run", "plan", &data(&judgement.plan)]);
    lines.say(["run", "ended by", &data(&judgement.ended_by)]);
    lines.say(["run", "confidence", &format!("{:?}", judgement.confidence)]);
    lines.say(["run", "timings", &data(&judgement.timings)]);
    lines.say(["run", "nothing ranked", &why(judgement.nothing_ranked.as_ref())]);
    lines.say(["run", "host", &data(&judgement.host)]);
    lines.say(["run", "answers", &data(&judgement.answers)]);
    lines.number("run", "Little's law at worst", judgement.littles_law_worst);
    lines.number("run", "memory limit", judgement.memory_limit_bytes);
    if let Some(link) = &judgement.link {
        lines.say(["run", "link", &data(link)]);
    }
    judgement.overrides.iter().for_each(|setting| lines.say(["run", "override", setting]));
    judgement.verdicts.iter().for_each(|verdict| lines.verdict("run", verdict));
    if let Some(geometric) = &judgement.geometric_mean {
        let over = format!("geometric mean over {}", geometric.workloads.join(", "));
        for (place, one) in geometric.means.iter().enumerate() {
            lines.say([
                "run",
                &over,
                &format!("place {}", place + 1),
                one.contender.as_str(),
                &estimate(&one.mean),
            ]);
        }
    }
}

fn of_workload(lines: &mut Lines, workload: &JudgedWorkload) {
    let name = workload.name.as_str();
    lines.say([name, "question", &workload.question]);
    lines.say([name, "listed as", &workload.listed_as]);
    lines.say([name, "source", &data(&workload.source)]);
    let load = format!(
        "connections={} protocol={} streams={} closed after={} link={} rate={}",
        workload.connections,
        workload.protocol,
        workload.streams,
        some(workload.requests_per_connection),
        workload.link.map_or_else(|| "none".to_owned(), |link| link.to_string()),
        some(workload.rate_per_s),
    );
    lines.say([name, "load", &load]);
    lines.say([name, "baseline", workload.baseline.as_str(), &why(workload.baseline_fault.as_ref())]);
    lines.figure(name, "ceiling", "generator", workload.ceiling_per_s);
    for control in &workload.controls {
        let pair = format!("control {} as {}", control.contender, control.twin);
        lines.figure(name, &pair, "ratio", control.ratio);
        lines.number(name, &format!("{pair} | noise floor"), control.noise_floor);
        lines.say([name, &pair, "holds 1", &some(control.holds_one), &why(control.reason.as_ref())]);
    }
    let own = match workload.rate_per_s {
        None => LoadCondition::ClosedLoop { connections: workload.connections },
        Some(rate_per_s) => LoadCondition::OpenLoop { rate_per_s },
    };
    let order: Vec<&str> = workload.rows.iter().map(|row| row.contender.as_str()).collect();
    lines.say([name, "order", &order.join(", ")]);
    workload.rows.iter().for_each(|row| rows::row(lines, name, &under(&own), row));
    series(lines, workload);
    for FigurePairs { of, under: load, pairs: found } in &workload.pairs {
        match of {
            Figure::CpuAtOneRate => {}
            Figure::Call => pairs(lines, name, &under(load), found),
            of => pairs(lines, name, &data(of), found),
        }
    }
    at_common_rates(lines, workload);
    workload.cost.iter().for_each(|found| cost(lines, name, found));
    workload.tasks.iter().for_each(|table| kinds::tasks(lines, name, table));
    workload.calls.iter().for_each(|table| kinds::calls(lines, name, table));
    workload.bursts.iter().for_each(|burst| kinds::burst(lines, name, burst));
    workload.taxes.iter().for_each(|found| tax(lines, name, found));
    for row in &workload.published {
        let about = format!("{name} | published {}", row.row);
        let contender = row.contender.as_ref().map_or("nobody", |contender| contender.as_str());
        let there = format!("there {} times the baseline {}", some(row.there), some(row.times_baseline));
        let at_least = if row.at_least { "at least" } else { "exact" };
        lines.say([&about, &data(&row.figure), contender, &there, at_least, &why(row.reason.as_ref())]);
        lines.figure(&about, "here", "as published", row.here);
        lines.figure(&about, "here", "all at once", row.at_once);
        lines.figure(&about, "here", "cold", row.cold);
    }
    workload.claims.iter().for_each(|found| claim(lines, name, found));
    for case in &workload.strictness {
        let about = format!("{name} | strictness {}", case.case);
        let asked = [&case.operation, &case.request, &case.expected].map(|text| why(text.as_ref()));
        lines.say([&about, &asked.join(", ")]);
        case.answers.iter().for_each(|answer| lines.say([&about, answer.contender.as_str(), &data(answer)]));
    }
}

fn series(lines: &mut Lines, workload: &JudgedWorkload) {
    for series in &workload.series {
        let (of, load) = (data(&series.of), under(&series.under));
        let ranking = format!("{} | ranking by {of}, {load}", workload.name);
        lines.say([&ranking, &data(&series.unit), &format!("{} is better", data(&series.better))]);
        for (place, point) in series.points.iter().enumerate() {
            let over = point.over.as_ref().map_or_else(String::new, |over| format!(" over {over}"));
            let whose = format!("{}{over}", point.contender);
            lines.figure(&format!("{} | {whose}", workload.name), &of, &load, Some(point.estimate));
            let rank = format!("rank {} .. {}", some(point.best), some(point.worst));
            let at_least = if point.at_least { "at least" } else { "stands" };
            let place = format!("place {}", place + 1);
            lines.say([&ranking, &whose, &place, &rank, at_least, &why(point.reason.as_ref())]);
        }
    }
}

/// All pairs of a ranking.
pub(crate) fn pairs(lines: &mut Lines, about: &str, by: &str, pairs: &Pairs) {
    let about = format!("{about} | pairs by {by}");
    let counts = format!("separated={} equal={} open={}", pairs.separated, pairs.equal, pairs.open);
    let rules = format!("level={:?} equal within={:?}", pairs.level, pairs.equal_within);
    let seen = [pairs.could_have_seen, pairs.could_have_seen_most, pairs.could_have_seen_least];
    lines.say([&about, &counts, &rules, &format!("could have seen {}", seen.map(some).join(", "))]);
    for pair in &pairs.compared {
        let whose = format!("pair {} over {}", pair.over, pair.under);
        let tests = format!("p={} p by Holm={}", some(pair.p), some(pair.p_holm));
        let simultaneous = format!("all at once {}", ends(pair.simultaneous_low, pair.simultaneous_high));
        let resolved = format!(
            "could have seen {}, launches to 2 % {}",
            some(pair.could_have_seen),
            some(pair.launches_to_2_percent)
        );
        let would = format!("would tell: {}", data(&pair.would_tell));
        lines.say([&about, &whose, &data(&pair.state), &simultaneous, &tests, &resolved, &would]);
        lines.figure(&about, &whose, "ratio", pair.ratio);
    }
}

fn at_common_rates(lines: &mut Lines, workload: &JudgedWorkload) {
    let name = &workload.name;
    for series in workload.series.iter().filter(|series| series.of == Figure::CpuAtOneRate) {
        let load = under(&series.under);
        let about = format!("{name} | equal work, {load}");
        for (place, point) in series.points.iter().enumerate() {
            let whose = point.contender.as_str();
            let own = format!("{name} | {whose}");
            lines.figure(&own, &data(&Figure::CpuAtOneRate), &load, Some(point.estimate));
            lines.figure(&own, "requests of a core's second", &load, per_core_second(point.estimate));
            let rank = format!("rank {} .. {}", some(point.best), some(point.worst));
            let row = workload.rows.iter().find(|row| row.contender == point.contender).expect("a row");
            let figures = row.latency.iter().find(|figures| {
                figures.purpose == RatePurpose::CommonRate
                    && series.under == LoadCondition::OpenLoop { rate_per_s: figures.rate_per_s }
            });
            let figures = figures.expect("its figures");
            let met = format!(
                "utilisation={} achieved={}",
                some(figures.utilisation),
                some(figures.achieved_share)
            );
            let place = format!("place {}", place + 1);
            lines.say([&about, whose, &place, &rank, &met, &why(point.reason.as_ref())]);
        }
        let pairs = workload.pairs_by(series.of, Some(series.under));
        for pair in pairs.into_iter().flat_map(|pairs| &pairs.compared) {
            let whose = format!("pair {} over {}", pair.over, pair.under);
            let simultaneous = format!("all at once {}", ends(pair.simultaneous_low, pair.simultaneous_high));
            let tests = format!("p by Holm={}", some(pair.p_holm));
            lines.say([&about, &whose, &data(&pair.state), &simultaneous, &tests]);
            lines.figure(&about, &whose, "ratio", pair.ratio);
        }
    }
}

fn cost(lines: &mut Lines, name: &str, cost: &Cost) {
    lines.say([name, "cost", &data(&cost.question)]);
    for (place, row) in cost.rows.iter().enumerate() {
        let about = format!("{name} | cost | {}", row.contender);
        let waiting = row.waiting_basis.as_ref().map_or_else(|| "none".to_owned(), data);
        let bases = format!("CPU time by {}; waiting by {waiting}", data(&row.cpu_basis));
        lines.say([&about, &format!("place {}", place + 1), &bases]);
        lines.figure(&about, "CPU time of a request", "ns", Some(row.cpu_per_request_ns));
        lines.figure(&about, "requests of a core's second", "per second", row.requests_per_core_second);
        lines.figure(&about, "cores", "cores", row.cores);
        lines.figure(&about, "price of a million", "of the currency", row.price_per_million);
        lines.figure(&about, "waiting", "hours a year", row.waiting_hours_per_year);
    }
}

fn tax(lines: &mut Lines, name: &str, tax: &Tax) {
    let about = format!("{name} | tax of {}, {} over {}", data(&tax.of), tax.contender, tax.base);
    let unlike: Vec<String> = tax.unlike.iter().map(data).collect();
    lines.say([
        &about,
        &data(&tax.told),
        &why(tax.reason.as_ref()),
        &format!("unlike: {}", unlike.join("; ")),
    ]);
    lines.figure(&about, "ratio", "own goodput", tax.ratio);
    if let Some(common) = &tax.at_common_rate {
        lines.figure(&about, "ratio", &format!("open loop {:?}/s", common.rate_per_s), Some(common.ratio));
    }
}

fn claimed(figure: ClaimFigure) -> String {
    match figure.under {
        Some(load @ ClaimLoad::Call { .. }) => data(&load),
        Some(load @ ClaimLoad::Burst { .. }) => data(&load).replace("burst", "makespan"),
        Some(ClaimLoad::Load(load)) => format!("{}, {}", data(&figure.of), under(&load)),
        None if figure.is_score => "score".to_owned(),
        None => figure.of.row().claimed_as.expect("a figure that is claimed").to_owned(),
    }
}

fn claim(lines: &mut Lines, name: &str, claim: &JudgedClaim) {
    let about = format!("{name} | claim \"{}\"", claim.claim.says);
    lines.say([&about, &data(&claim.holds), &why(claim.reason.as_ref())]);
    let published = [claimed(claim.claim.figure), data(&claim.claim.subject), data(&claim.claim.bound)];
    lines.say([&about, &published.join("; "), &format!("printed {}", some(claim.claim.printed))]);
    lines.figure(&about, "measured", "here", claim.measured);
    for pair in &claim.pairs {
        let [over, under] =
            [&pair.over, &pair.under].map(|side| format!("{}:{}", side.workload, side.contender));
        let whose = format!("{over} over {under}");
        lines.say([&about, &whose, &data(&pair.holds), &why(pair.reason.as_ref())]);
        lines.figure(&about, &whose, "measured", pair.measured);
    }
}
