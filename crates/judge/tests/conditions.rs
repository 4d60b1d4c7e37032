//! Conditions as they are typed, and whether they hold.

use std::sync::LazyLock;

use proptest::prelude::*;
use velo_fixtures::load::{closed_loop, open_loop};
use velo_judge::load::{Condition, ConditionResult, judge, parse_conditions};
use velo_record::LoadRecord;

static SMALL: LazyLock<LoadRecord> = LazyLock::new(|| open_loop(20, 1));

#[track_caller]
fn check(record: &LoadRecord, text: &str) -> ConditionResult {
    let conditions = parse_conditions(text).unwrap_or_else(|error| panic!("{error}"));
    let mut results = judge(record.clone(), &conditions).conditions;
    assert_eq!(results.len(), 1, "{text}");
    results.remove(0)
}

#[track_caller]
fn assert_words(record: &LoadRecord, text: &str, holds: Option<bool>, words: &str) {
    let result = check(record, text);
    assert_eq!((result.holds, result.words.as_str()), (holds, words), "{text}");
}

fn record() -> LoadRecord {
    let mut record = open_loop(5_000, 10);
    let outcomes = &mut record.outcomes;
    outcomes.correct -= 100;
    (outcomes.wrong_answer, outcomes.timeout, outcomes.dropped, outcomes.http_error) = (10, 20, 30, 40);
    record
}

#[test]
fn every_figure_can_be_asked_for() {
    let record = record();
    for (text, holds, words) in [
        ("p50<1ms", true, "p50 210 µs < 1 ms"),
        ("p99 <= 20ms", true, "p99 2.02 ms <= 20 ms"),
        ("p99.9>1s", false, "p99.9 11.2 ms is not > 1 s"),
        ("max<25ms", true, "max 24.9 ms < 25 ms"),
        ("mean < 500 µs", true, "mean 313 µs < 500 µs"),
        ("service.p50<0.2ms", true, "service.p50 190 µs < 0.2 ms"),
        ("response.p50<0.2ms", false, "response.p50 210 µs is not < 0.2 ms"),
        ("first-byte.p90<1ms", true, "first-byte.p90 344 µs < 1 ms"),
        ("send-lag.p99<100us", true, "send-lag.p99 20.0 µs < 100 us"),
        ("connect.max<1ms", true, "connect.max 71.6 µs < 1 ms"),
        ("rate>=4.9k", true, "rate 4,990/s >= 4.9k"),
        ("rate>5000/s", false, "rate 4,990/s is not > 5000/s"),
        ("achieved>=99%", true, "achieved 100 % >= 99 %"),
        ("generator<85%", true, "generator busy 2.20 % < 85 %"),
        ("errors=100", true, "errors 100"),
        ("errors<0.1%", false, "errors 0.200 % is not < 0.1 %"),
        ("wrong=0", false, "wrong 10 is not 0"),
        ("timeouts<=20", true, "timeouts 20 <= 20"),
        ("refused=0", true, "refused 0"),
        ("dropped<1k", true, "dropped 30 < 1k"),
    ] {
        assert_words(&record, text, Some(holds), words);
    }
}

#[test]
fn a_figure_that_lies_close_to_its_bound_is_written_so_that_the_side_is_seen() {
    let mut record = record();
    record.outcomes.correct = 49_998;
    assert_words(&record, "rate>=5000", Some(false), "rate 4,999.8/s is not >= 5000");
}

#[test]
fn what_cannot_be_told_is_undecided_and_says_why() {
    let (open, closed) = (record(), closed_loop(1));
    let lower_bound = "the generator was the limit";
    for (record, text, why) in [
        (&open, "handshake.p50<1s", "handshake.p50 < 1 s is undecided: there are no samples"),
        (&closed, "achieved>99%", "achieved > 99 % is undecided: a closed loop offers no rate"),
        (&closed, "rate>10000k", lower_bound),
        (&closed, "rate<10000k", lower_bound),
    ] {
        let result = check(record, text);
        assert!(result.holds.is_none() && result.words.ends_with(why), "{}", result.words);
    }
    let told = |text| {
        let result = judge(record(), &parse_conditions(text).unwrap());
        (result.has_failed_condition(), result.has_undecided_condition())
    };
    assert_eq!(told("p50<1s,p99.99<24ms"), (false, true));
    assert_eq!(told("p50<1s,p99.99<1us"), (true, false));
    assert_eq!(told("p50<1s"), (false, false));
}

#[test]
fn few_samples_decide_where_they_can() {
    let record = record();
    for (text, holds, words) in [
        ("p99.99<1s", Some(true), "p99.99 < 1 s; 0 of 50,000 samples are beyond it"),
        ("p99.99<1us", Some(false), "p99.99 is not < 1 us; 50,000 of 50,000 samples are beyond it"),
        ("p99.99>1s", Some(false), "p99.99 is not > 1 s; 0 of 50,000 samples are beyond it"),
        ("p99.99>=1us", Some(true), "p99.99 >= 1 us; 50,000 of 50,000 samples are beyond it"),
    ] {
        assert_words(&record, text, holds, words);
    }
    let close = check(&record, "p99.99<24ms");
    assert_eq!((close.holds, close.figure), (None, None));
    let why = "p99.99 < 24 ms is undecided: it needs 100,000 samples, and there are 50,000; ";
    assert!(
        close.words.starts_with(why) && close.words.ends_with(" samples are beyond it"),
        "{}",
        close.words
    );
    assert_eq!(check(&record, "p99.99<10ms").holds, Some(false), "far more than five beyond it");
}

#[test]
fn too_few_samples_are_said_before_the_load() {
    let lacks = |record: &LoadRecord, text: &str| {
        parse_conditions(text).unwrap().iter().find_map(|condition| condition.lacks_samples(&record.settings))
    };
    let open = open_loop(500, 2);
    let words = lacks(&open, "p50<1s,p99<20ms").expect("a warning");
    assert!(words.contains("p99 needs 1,000 samples, and about 1,000 requests"), "{words}");
    assert!(words.contains("-d 3s is needed"), "{words}");
    assert_eq!(lacks(&open_loop(500, 3), "p99<20ms,connect.p99<1s,errors=0"), None);
    let mut counted = open_loop(500, 2);
    counted.settings.most_requests = Some(1_000);
    assert_eq!(lacks(&counted, "p99<20ms"), None, "exactly so many");
    let mut closed = closed_loop(1);
    assert_eq!(lacks(&closed, "p99.99<1s"), None, "not known before");
    closed.settings.most_requests = Some(50);
    assert!(lacks(&closed, "p99<1s").expect("a warning").contains("1,000 requests are needed"));
    let never = |text: &str| parse_conditions(text).unwrap()[0].is_impossible(&closed.settings);
    assert!(never("achieved>90%").is_some() && never("p99<1s").is_none());
    assert!(parse_conditions("achieved>90%").unwrap()[0].is_impossible(&open.settings).is_none());
}

#[test]
fn a_lower_bound_tells_what_a_greater_figure_would_not_change() {
    let record = closed_loop(1);
    assert_eq!(check(&record, "rate>1k").holds, Some(true));
    assert_eq!(check(&record, "rate<1k").holds, Some(false));
    assert_eq!(check(&record, "rate=1k").holds, Some(false));
}

#[test]
fn counts_of_no_requests_are_not_zero_errors() {
    let mut record = record();
    record.outcomes = velo_record::Outcomes::default();
    for text in ["errors=0", "errors<1%", "timeouts=0"] {
        assert_eq!(check(&record, text).holds, None);
    }
}

#[test]
fn several_conditions_keep_their_order() {
    let conditions = parse_conditions(" p99<20ms , errors=0").unwrap();
    let texts: Vec<String> = conditions.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["p99<20ms", "errors=0"]);
}

#[test]
fn errors_say_what_is_allowed() {
    for (text, expected) in [
        ("", "no condition; expected a figure, a comparison and a bound, as in `p99<20ms,errors=0`"),
        ("p99<1s,", "no condition; expected a figure, a comparison and a bound, as in `p99<20ms,errors=0`"),
        (
            "p99 20ms",
            "`p99 20ms`: no comparison; expected one of <, <=, >, >=, = between a figure and its bound",
        ),
        ("p99<", "`p99<`: the bound `` is not a number; expected for instance `p99<20ms`"),
        ("p99<-1ms", "`p99<-1ms`: the bound `-1ms` is not a number; expected for instance `p99<20ms`"),
        ("rate>1.2.3", "`rate>1.2.3`: the bound `1.2.3` is not a number; expected for instance `rate>5k`"),
        ("p99<20", "`p99<20`: no unit; expected us, ms or s, for instance `p99<20ms`"),
        ("p99<20min", "`p99<20min`: unknown unit `min`; expected us, ms or s, for instance `p99<20ms`"),
        ("achieved>99", "`achieved>99`: no unit; expected %, for instance `achieved>99%`"),
        ("p99==20ms", "`p99==20ms`: the bound `=20ms` is not a number; expected for instance `p99=20ms`"),
        // A comma inside a number.
        (
            "rate>5,000",
            "`000`: no comparison; expected one of <, <=, >, >=, = between a figure and its bound",
        ),
    ] {
        assert_eq!(parse_conditions(text).unwrap_err().to_string(), expected, "{text}");
    }
    for (text, nearest) in [
        ("p98<1ms", "p99"),
        ("p999<1ms", "p99.9"),
        ("error=0", "errors"),
        ("servce.p99<1ms", "service.p99"),
        ("Rate>5k", "rate"),
    ] {
        let error = parse_conditions(text).unwrap_err().to_string();
        assert!(error.contains(&format!("; did you mean `{nearest}`?\n  expected one of: p50, ")), "{error}");
    }
    let error = parse_conditions("throughput>1").unwrap_err().to_string();
    assert!(!error.contains("did you mean"), "{error}");
}

proptest! {
    #[test]
    fn any_text_gets_an_answer(text in "(\\PC|[<>=,.%0-9kmsup]){0,60}") {
        let _ = parse_conditions(&text);
    }

    /// The oracle: the value itself.
    #[test]
    fn bounds_are_read_in_their_units(micros in 0u32..u32::MAX, unit in 0usize..3) {
        let (name, digits, nanoseconds) = [("us", 0, 1e3), ("ms", 3, 1e6), ("s", 6, 1e9)][unit];
        let typed = format!("max<={:.digits$}{name}", f64::from(micros) * 1e3 / nanoseconds);
        let result = check(&SMALL, &typed);
        prop_assert!((result.bound - f64::from(micros) * 1e3).abs() <= 1e-3 + f64::from(micros) * 1e-9);
        let max = result.figure.expect("a maximum");
        prop_assert_eq!(result.holds, Some(max <= result.bound));
    }

    #[test]
    fn words_never_contradict_the_finding(count in 1u64..100_000, bound in 1u64..100_000) {
        let mut record = SMALL.clone();
        record.outcomes.correct = count;
        let condition: Condition = format!("rate>{bound}").parse().expect("a condition");
        let result = &judge(record, &[condition]).conditions[0];
        let shown = result.words.split(['/', ' ']).nth(1).expect("a figure").replace(',', "");
        let shown: f64 = shown.parse().expect("a number");
        prop_assert_eq!(result.holds, Some(shown > bound as f64), "{}", result.words);
    }
}
