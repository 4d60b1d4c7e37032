//! The rules by which a report is held against the truth. They know no tool.

use super::facts::Facts;
use super::report::Report;
use velo_tests::child::Ended;

/// What a report comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// The fault was seen and put where it belongs.
    Right,
    /// Something was counted as what it was not.
    Wrong,
    /// What was counted may be true, but nothing is said of the fault, or requests have vanished.
    Silent,
    /// It had not ended at the limit.
    Hang,
    /// It was ended by a signal of its own making.
    Crash,
    /// It asked in HTTP/1.0, where this fault cannot be.
    NotApplicable,
}

impl Grade {
    /// As in the table.
    pub fn word(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Wrong => "wrong",
            Self::Silent => "silent",
            Self::Hang => "hang",
            Self::Crash => "crash",
            Self::NotApplicable => "n/a",
        }
    }
}

/// What is noted beside a grade.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marks {
    /// `x`: a non-zero exit without statistics.
    pub no_statistics: bool,
    /// `0`: nothing worked, and the exit code is 0.
    pub exit_0: bool,
    /// `M`: over 500 MB of memory.
    pub memory: bool,
    /// `S`: busy retry, or a core of CPU time with nothing to show for it.
    pub busy: bool,
}

impl Marks {
    /// As in the table.
    pub fn letters(self) -> String {
        let marks = [(self.no_statistics, " x"), (self.exit_0, " 0"), (self.memory, " M"), (self.busy, " S")];
        marks.into_iter().filter(|(is, _)| *is).map(|(_, letter)| letter).collect()
    }
}

/// A grade with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The grade.
    pub grade: Grade,
    /// Why it is not [`Grade::Right`], with the numbers; empty when it is.
    pub why: String,
}

/// What a run left behind.
#[derive(Debug, Clone)]
pub struct Evidence<'a> {
    /// What the server knows.
    pub facts: Facts,
    /// Connections that the kernel refused meanwhile.
    pub refused: u64,
    /// The requests that were asked for; `None` when a time was.
    pub asked: Option<u64>,
    /// How the tool ended.
    pub ended: Ended,
    /// What it said in statistics, if it did.
    pub report: Option<&'a Report>,
    /// It said something beside its statistics.
    pub complained: bool,
}

/// Holds a run against the truth.
pub fn judge(evidence: &Evidence<'_>) -> Verdict {
    let (grade, why) = match weigh(evidence) {
        Ok(()) => (Grade::Right, String::new()),
        Err(found) => found,
    };
    Verdict { grade, why }
}

fn weigh(evidence: &Evidence<'_>) -> Result<(), (Grade, String)> {
    if evidence.facts.is_not_applicable {
        return Err((Grade::NotApplicable, "it asks in HTTP/1.0".to_owned()));
    }
    match evidence.ended {
        Ended::Limit => return Err((Grade::Hang, "it had not ended at the limit".to_owned())),
        Ended::Signal(signal) => return Err((Grade::Crash, format!("signal {signal}"))),
        Ended::Exit(_) => {}
    }
    let bounds = Bounds::of(evidence);
    let Some(report) = evidence.report else {
        return match (evidence.complained, bounds.anything_wrong) {
            (true, true) => Ok(()),
            (true, false) => Err((Grade::Wrong, "it gives up, and nothing was wrong".to_owned())),
            (false, _) => Err((Grade::Silent, "it says nothing at all".to_owned())),
        };
    };
    counted_wrong(evidence, report, &bounds)?;
    left_unsaid(evidence, report, &bounds)
}

/// What may and what must be in a report.
struct Bounds {
    /// For what nobody can know.
    slack: u64,
    /// Failures other than by status that must be told.
    must_fail: u64,
    /// And that may be.
    may_fail: u64,
    may_connect_fail: u64,
    may_time_out: u64,
    /// Connections refused by this server; while it listens, others are meant by what the kernel counts.
    refused: u64,
    /// Something happened that has to be said.
    anything_wrong: bool,
}

impl Bounds {
    fn of(evidence: &Evidence<'_>) -> Self {
        let facts = &evidence.facts;
        let slack = if evidence.asked.is_none() { facts.at_once } else { 0 };
        let never_read = match evidence.asked {
            Some(asked) if facts.is_deaf => asked.saturating_sub(facts.requests),
            _ => 0,
        };
        let may_time_out = facts.unanswered + facts.overlooked + never_read;
        let must_fail = facts.broken + facts.unanswered;
        // Where no connection was ever made, requests that could not be sent have failed.
        let never_sent = if facts.connections == 0 { evidence.asked.unwrap_or(0) } else { 0 };
        let refused = if facts.connections == 0 || facts.outages > 0 { evidence.refused } else { 0 };
        let may_connect_fail = refused.max(never_sent);
        Self {
            slack,
            must_fail,
            may_fail: must_fail + facts.unsure + never_read + may_connect_fail,
            may_connect_fail,
            may_time_out,
            refused,
            anything_wrong: must_fail + facts.unasked + facts.other_statuses + facts.outages > 0
                || facts.is_restless
                || facts.connections == 0,
        }
    }
}

/// Nothing may be counted as what it was not.
fn counted_wrong(evidence: &Evidence<'_>, report: &Report, bounds: &Bounds) -> Result<(), (Grade, String)> {
    let (facts, slack) = (&evidence.facts, bounds.slack);
    let at_most = |counted: u64, most: u64, what: &str| {
        if counted <= most + slack {
            Ok(())
        } else {
            Err((Grade::Wrong, format!("{counted} {what}, at most {most} were")))
        }
    };
    // A redirect is no error: to call it a success is to say nothing of it, which is looked at later.
    let redirects = facts.other_statuses.saturating_sub(facts.answers_with(facts.errors.clone()));
    at_most(report.succeeded, facts.correct + redirects, "successes")?;
    for listed in &report.listed {
        let (first, last) = (listed.codes.start, listed.codes.end - 1);
        let codes = if first == last { first.to_string() } else { format!("{first} to {last}") };
        let most = facts.answers_with(listed.codes.clone()) + facts.heads;
        at_most(listed.count, most, &format!("answers with status {codes}"))?;
    }
    let others = facts.other_answers().map(|(_, count)| count).sum();
    at_most(report.other_statuses, others, "answers with other statuses")?;
    at_most(report.timeouts, bounds.may_time_out, "timeouts")?;
    at_most(report.connect_errors, bounds.may_connect_fail, "connections refused")?;
    at_most(report.broken, bounds.may_fail - bounds.may_connect_fail, "broken answers")?;
    // A failure without a name may be one by its status.
    let by_status = report.unnamed.min(facts.other_statuses);
    at_most(report.failed() - by_status, bounds.may_fail, "failures")?;
    if let Some(asked) = evidence.asked {
        let most = asked + facts.unasked + bounds.refused;
        at_most(report.total(), most, "requests")?;
    }
    Ok(())
}

/// Everything that was wrong must be told, and every request must be somewhere.
fn left_unsaid(evidence: &Evidence<'_>, report: &Report, bounds: &Bounds) -> Result<(), (Grade, String)> {
    let facts = &evidence.facts;
    let silent = |what: String| Err((Grade::Silent, what));
    let failed = report.failed();
    if bounds.must_fail > 0 && (failed == 0 || failed + bounds.slack < bounds.must_fail) {
        return silent(format!("{failed} failures told, {} were", bounds.must_fail));
    }
    if facts.unasked > 0 && failed == 0 && !evidence.complained {
        return silent(format!("no word of {} times that more came than was asked for", facts.unasked));
    }
    if bounds.refused > 0 && failed == 0 && !evidence.complained {
        return silent(format!("no word of {} refused connections", bounds.refused));
    }
    let others = facts.other_answers().filter(|_| facts.other_statuses > 0);
    for (status, count) in others {
        let listed = report.listed.iter().find(|listed| listed.codes.contains(&status));
        let told = listed.map_or(0, |listed| listed.count);
        if told == 0 || told + bounds.slack < count {
            return silent(format!("{told} answers with status {status} told, {count} were"));
        }
    }
    let total = report.total();
    let gave_up = bounds.refused > 0 && failed > 0 && evidence.ended != Ended::Exit(0);
    let least = match evidence.asked {
        Some(_) if gave_up => 0,
        Some(asked) => asked,
        None => facts.requests.saturating_sub(bounds.slack),
    };
    if total < least || (total == 0 && facts.requests > 0) {
        return silent(format!("{total} requests told, {} read by the server", facts.requests));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::http1::facts;
    use super::super::report::Listed;
    use super::*;
    use velo_tests::faults::{Fault, Truth};

    fn truth(correct: u64) -> Truth {
        Truth {
            connections: 16,
            requests: 2_000,
            correct,
            statuses: [(200, correct)].into(),
            ..Truth::default()
        }
    }

    fn grade(fault: Fault, truth: &Truth, report: &Report) -> Grade {
        judge(&evidence(fault, truth, Some(report))).grade
    }

    fn evidence<'a>(fault: Fault, truth: &Truth, report: Option<&'a Report>) -> Evidence<'a> {
        let (asked, ended) = (Some(2_000), Ended::Exit(0));
        let facts = facts(fault.row(), truth);
        Evidence { facts, refused: 0, asked, ended, report, complained: false }
    }

    fn ok(succeeded: u64) -> Report {
        Report { succeeded, ..Report::default() }
    }

    #[test]
    fn without_a_fault_all_must_be_successes() {
        let truth = truth(2_000);
        assert_eq!(grade(Fault::None, &truth, &ok(2_000)), Grade::Right);
        assert_eq!(grade(Fault::None, &truth, &ok(1_999)), Grade::Silent);
        assert_eq!(grade(Fault::None, &truth, &ok(2_001)), Grade::Wrong);
        let failed = Report { broken: 1, ..ok(1_999) };
        assert_eq!(grade(Fault::None, &truth, &failed), Grade::Wrong);
    }

    #[test]
    fn a_wrong_body_counted_as_a_success_is_wrong() {
        let truth = Truth { wrong_bodies: 20, ..truth(1_980) };
        assert_eq!(grade(Fault::WrongBody, &truth, &ok(2_000)), Grade::Wrong);
        assert_eq!(grade(Fault::WrongBody, &truth, &Report { broken: 20, ..ok(1_980) }), Grade::Right);
        assert_eq!(grade(Fault::WrongBody, &truth, &ok(1_980)), Grade::Silent);
    }

    #[test]
    fn statuses_must_be_listed_and_are_no_successes() {
        let mut truth = Truth { other_statuses: 20, ..truth(1_980) };
        truth.statuses.insert(500, 20);
        let listed = |count| vec![Listed { codes: 400..600, count }];
        let right = Report { other_statuses: 20, listed: listed(20), ..ok(1_980) };
        assert_eq!(grade(Fault::Status500, &truth, &right), Grade::Right);
        assert_eq!(
            grade(Fault::Status500, &truth, &Report { listed: listed(20), ..ok(2_000) }),
            Grade::Wrong
        );
        assert_eq!(
            grade(Fault::Status500, &truth, &Report { listed: listed(0), ..right.clone() }),
            Grade::Silent
        );
        assert_eq!(grade(Fault::Status500, &truth, &Report { listed: listed(21), ..right }), Grade::Wrong);
    }

    #[test]
    fn a_failure_by_status_without_a_name_is_not_wrong_but_says_too_little() {
        let truth = Truth { other_statuses: 20, statuses: [(200, 1_980), (500, 20)].into(), ..truth(1_980) };
        assert_eq!(grade(Fault::Status500, &truth, &Report { unnamed: 20, ..ok(1_980) }), Grade::Silent);
        assert_eq!(grade(Fault::Status500, &truth, &Report { unnamed: 21, ..ok(1_979) }), Grade::Wrong);
        assert_eq!(grade(Fault::Status500, &truth, &Report { broken: 20, ..ok(1_980) }), Grade::Wrong);
    }

    #[test]
    fn a_redirect_called_a_success_must_be_listed() {
        let truth = Truth { other_statuses: 2_000, statuses: [(302, 2_000)].into(), ..self::truth(0) };
        assert_eq!(grade(Fault::Found, &truth, &ok(2_000)), Grade::Silent);
        let listed = vec![Listed { codes: 300..400, count: 2_000 }];
        assert_eq!(grade(Fault::Found, &truth, &Report { listed, ..ok(2_000) }), Grade::Right);
    }

    #[test]
    fn an_end_without_a_word_may_be_told_of() {
        let truth = Truth { unannounced: 40, ..truth(2_000) };
        assert_eq!(grade(Fault::IdleClose, &truth, &ok(2_000)), Grade::Right);
        let told = Report { broken: 40, ..ok(2_000) };
        let timed = Evidence { asked: None, ..evidence(Fault::IdleClose, &truth, Some(&told)) };
        assert_eq!(judge(&timed).grade, Grade::Right);
        let told = Report { broken: 57, ..ok(2_000) };
        assert_eq!(judge(&Evidence { report: Some(&told), ..timed }).grade, Grade::Wrong);
    }

    #[test]
    fn each_kind_of_failure_has_its_own_bound() {
        let truth = Truth { unanswered: 4, ..truth(1_996) };
        let timeouts = Report { timeouts: 4, ..ok(1_996) };
        assert_eq!(grade(Fault::StopsAnswering, &truth, &timeouts), Grade::Right);
        let refused = Report { connect_errors: 4, ..ok(1_996) };
        assert_eq!(grade(Fault::StopsAnswering, &truth, &refused), Grade::Wrong);
        let never_sent = Report { unnamed: 1_500, ..ok(500) };
        assert_eq!(grade(Fault::StopsAnswering, &truth, &never_sent), Grade::Wrong);
    }

    #[test]
    fn a_resend_that_hides_a_lost_request_is_silent() {
        let truth = Truth { requests: 2_040, lost: 40, ..truth(2_000) };
        assert_eq!(grade(Fault::RequestLost, &truth, &ok(2_000)), Grade::Silent);
    }

    #[test]
    fn more_than_was_asked_for_may_count_or_be_complained_of() {
        let truth = Truth { unasked: 2_000, ..truth(2_000) };
        assert_eq!(grade(Fault::TwoAnswers, &truth, &Report { broken: 2_000, ..ok(2_000) }), Grade::Right);
        assert_eq!(grade(Fault::TwoAnswers, &truth, &Report { broken: 2_000, ..ok(0) }), Grade::Right);
        assert_eq!(grade(Fault::TwoAnswers, &truth, &ok(2_000)), Grade::Silent);
        assert_eq!(grade(Fault::TwoAnswers, &truth, &ok(4_000)), Grade::Wrong);
        let said = ok(2_000);
        let complained = Evidence { complained: true, ..evidence(Fault::TwoAnswers, &truth, Some(&said)) };
        assert_eq!(judge(&complained).grade, Grade::Right);
    }

    #[test]
    fn a_run_for_a_time_has_slack_but_not_for_saying_nothing() {
        let truth = Truth { unanswered: 4, ..truth(250_000) };
        let report = ok(250_010);
        let timed = Evidence { asked: None, ..evidence(Fault::StopsAnswering, &truth, Some(&report)) };
        assert_eq!(judge(&timed).grade, Grade::Silent);
        let truth = Truth { requests: 16, ..self::truth(16) };
        let nothing = ok(0);
        let timed = Evidence { asked: None, ..evidence(Fault::HeadLength, &truth, Some(&nothing)) };
        assert_eq!(judge(&timed).grade, Grade::Silent);
    }

    #[test]
    fn a_closed_port_fails_everything_that_could_not_be_sent() {
        let (truth, all) = (Truth::default(), Report { connect_errors: 2_000, ..ok(0) });
        let closed = Evidence { refused: 16, ..evidence(Fault::ClosedPort, &truth, Some(&all)) };
        assert_eq!(judge(&closed).grade, Grade::Right);
        let nothing = ok(0);
        assert_eq!(judge(&Evidence { report: Some(&nothing), ..closed.clone() }).grade, Grade::Silent);
        let gone = Evidence { report: None, ended: Ended::Exit(1), complained: true, ..closed.clone() };
        assert_eq!(judge(&gone).grade, Grade::Right);
        assert_eq!(judge(&Evidence { complained: false, ..gone }).grade, Grade::Silent);
    }

    #[test]
    fn an_outage_fails_what_was_under_way_and_what_was_tried() {
        let truth = Truth { outages: 1, requests: 1_990, ..truth(1_980) };
        let tried = Report { connect_errors: 300, broken: 20, ..ok(1_980) };
        let outage = Evidence { refused: 300, ..evidence(Fault::Outage, &truth, Some(&tried)) };
        assert_eq!(judge(&outage).grade, Grade::Wrong, "16 connections can lose 16 requests");
        let tried = Report { broken: 16, connect_errors: 300, ..ok(1_980) };
        assert_eq!(judge(&Evidence { report: Some(&tried), ..outage.clone() }).grade, Grade::Right);
        let misnamed = Report { broken: 316, ..ok(1_980) };
        assert_eq!(judge(&Evidence { report: Some(&misnamed), ..outage }).grade, Grade::Wrong);
    }

    #[test]
    fn the_end_of_a_tool_is_judged_before_its_words() {
        let truth = truth(2_000);
        let report = ok(2_000);
        let ended = |ended| judge(&Evidence { ended, ..evidence(Fault::None, &truth, Some(&report)) }).grade;
        assert_eq!(ended(Ended::Limit), Grade::Hang);
        assert_eq!(ended(Ended::Signal(6)), Grade::Crash);
        let old = Truth { http10_requests: 2_000, ..truth.clone() };
        assert_eq!(grade(Fault::EndlessChunks, &old, &report), Grade::NotApplicable);
        assert_eq!(grade(Fault::None, &old, &report), Grade::Right);
        let gone = Evidence {
            complained: true,
            ended: Ended::Exit(1),
            ..evidence(Fault::NotModified, &truth, None)
        };
        assert_eq!(judge(&gone).grade, Grade::Wrong);
    }

    #[test]
    fn marks_are_letters() {
        assert_eq!(Marks { exit_0: true, busy: true, ..Marks::default() }.letters(), " 0 S");
        assert_eq!(Marks::default().letters(), "");
    }
}
