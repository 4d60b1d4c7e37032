use std::sync::LazyLock;

use velo_fixtures::load::open_loop;
use velo_judge::load::{LoadResult, compare, judge, parse_conditions};

static GOOD: LazyLock<LoadResult> = LazyLock::new(|| judge(open_loop(20, 1), &[]));

/// Bytes that begin with a brace as the file of a load, others as conditions.
pub(crate) fn conditions(data: &[u8]) {
    if data.starts_with(b"{") { file(data) } else { text(&String::from_utf8_lossy(data)) }
}

fn text(text: &str) {
    let conditions = match parse_conditions(text) {
        Ok(conditions) => conditions,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert_eq!(conditions.len(), text.split(',').count());
    let again: Vec<String> = conditions.iter().map(ToString::to_string).collect();
    assert_eq!(parse_conditions(&again.join(",")), Ok(conditions.clone()));
    let results = judge(GOOD.record.clone(), &conditions).conditions;
    assert_eq!(results.len(), conditions.len());
    for result in results {
        assert!(result.bound.is_finite() && !result.words.contains(char::is_control), "{result:?}");
    }
}

fn file(bytes: &[u8]) {
    let read = match LoadResult::from_json(bytes) {
        Ok(read) => read,
        Err(error) => return assert!(!error.to_string().contains(char::is_control)),
    };
    let written = serde_json::to_vec(&read).expect("a result that was read can be written");
    assert_eq!(LoadResult::from_json(&written).as_ref(), Ok(&read), "what is written is read as it was");
    for comparison in [compare(&GOOD, &read), compare(&read, &GOOD)] {
        let finite = |figure: Option<f64>| figure.is_none_or(f64::is_finite);
        assert!(comparison.figures.iter().all(|figure| finite(figure.ratio) && finite(figure.now)));
    }
    judge(read.record, &parse_conditions("p50<1ms,errors<1%,rate>1k").expect("conditions"));
}
