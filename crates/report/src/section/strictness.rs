//! What contenders did with odd input: on a terminal grouped by answer, in Markdown a matrix.

use std::collections::BTreeSet;

use serde_json::Value;
use velo_judge::{StrictnessAnswer, StrictnessCase, StrictnessTable};

use super::plural;
use crate::document::{Block, Column, Document, Groups, Room, Section, Table, TableRow};
use crate::text::{clean, cut};

/// Of more contenders that answer alike a terminal has their number.
const MOST_NAMES: usize = 3;
/// Cases that stand beside each other in a matrix: more make it wider than a page.
const MOST_CASES: usize = 8;
/// The columns that an answer may take.
const LONGEST_ANSWER: usize = 30;
/// The same of an answer that is told in full.
const LONGEST_BODY: usize = 120;
const NOT_OFFERED: &str = "not offered";
const NO_ANSWER: &str = "no answer";

/// What contenders did in each case; nothing where there is none.
pub(crate) fn section(cases: &[StrictnessCase]) -> Option<Section> {
    let mut blocks: Vec<Block> = cases.iter().map(|case| Block::Groups(groups(case))).collect();
    blocks.extend(parts(cases).map(|part| Block::Table(matrix(part))));
    blocks.push(Block::Table(bodies(cases)));
    blocks.push(Block::Table(requests(cases)));
    let about = "recorded, excludes nobody";
    (!cases.is_empty()).then(|| Section::new("strictness", about, blocks))
}

/// The tables alone.
pub(crate) fn document(tables: &[StrictnessTable]) -> Document {
    let part = |table: &StrictnessTable| Document {
        sections: section(&table.cases).into_iter().collect(),
        ..Document::new(title(table))
    };
    Document { parts: tables.iter().map(part).collect(), ..Document::new("velo strictness") }
}

/// What stands above a table of its own.
fn title(table: &StrictnessTable) -> String {
    let contenders: BTreeSet<_> =
        table.cases.iter().flat_map(|case| &case.answers).map(|answer| &answer.contender).collect();
    let cases = plural(table.cases.len() as u64, "case", "cases");
    let contenders = plural(contenders.len() as u64, "contender", "contenders");
    format!("{}: {cases} of odd input, {contenders}", table.workload)
}

/// An answer in a few letters, as `200 60`, `400` and `500 leaks`.
fn short(answer: &StrictnessAnswer) -> String {
    if let Some(outcome) = &answer.outcome {
        return cut(&clean(outcome), LONGEST_ANSWER);
    }
    let Some(status) = answer.status else { return NO_ANSWER.to_owned() };
    if !answer.is_offered {
        return NOT_OFFERED.to_owned();
    }
    let shown = answer.shown.as_ref().map(|shown| format!(" {}", clean(shown))).unwrap_or_default();
    let leaks = if answer.leaks { " leaks" } else { "" };
    cut(&format!("{status}{shown}{leaks}"), LONGEST_ANSWER)
}

/// `400: go/gin, python/fastapi`, `200: the 9 others`. Few who answer alike stand first, those who have nothing to answer last.
fn groups(case: &StrictnessCase) -> Groups {
    let mut groups: Vec<((String, String), Vec<String>)> = Vec::new();
    for answer in &case.answers {
        let (alike, name) = ((short(answer), what_went_wrong(answer)), answer.contender.to_string());
        match groups.iter_mut().find(|(known, _)| *known == alike) {
            Some((_, names)) => names.push(name),
            None => groups.push((alike, vec![name])),
        }
    }
    groups.sort_by_key(|((got, why), names)| (got == NOT_OFFERED, names.len(), got.clone(), why.clone()));
    let alone = groups.len() == 1;
    let largest = groups.iter().filter(|((got, _), _)| got != NOT_OFFERED).count().saturating_sub(1);
    let rows = groups.into_iter().enumerate().map(|(index, ((got, why), names))| {
        let said = match names.len() {
            count if count <= MOST_NAMES => names.join(", "),
            count if alone => format!("all {count}"),
            count if got == NOT_OFFERED => plural(count as u64, "contender", "contenders"),
            count if index == largest => format!("the {count} others"),
            _ => names.join(", "),
        };
        (got, if why.is_empty() { said } else { format!("{said}: {why}") })
    });
    Groups {
        title: case.case.clone(),
        about: [&case.request, &case.expected.as_ref().map(|expected| format!("expected {expected}"))]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join("; "),
        rows: rows.collect(),
    }
}

/// Why there is no answer; nothing where there is one, or where a client's answer is its outcome. In Markdown it is told below the matrix.
fn what_went_wrong(answer: &StrictnessAnswer) -> String {
    match answer.status {
        _ if answer.outcome.is_some() => String::new(),
        Some(_) => String::new(),
        None => cut(&clean(&answer.got), LONGEST_BODY),
    }
}

/// Cases that all offer, and those of operations, in parts that are narrow enough for a page and as wide as one another.
fn parts(cases: &[StrictnessCase]) -> impl Iterator<Item = &[StrictnessCase]> {
    cases.chunk_by(|a, b| a.operation.is_some() == b.operation.is_some()).flat_map(|of_one| {
        let each = of_one.len().div_ceil(of_one.len().div_ceil(MOST_CASES));
        of_one.chunks(each)
    })
}

/// Contenders by cases, below what is expected.
fn matrix(cases: &[StrictnessCase]) -> Table {
    let mut names: Vec<String> = Vec::new();
    for answer in cases.iter().flat_map(|case| &case.answers) {
        let name = answer.contender.to_string();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.sort();
    let expected = cases.iter().map(|case| case.expected.as_deref().map(clean));
    let mut rows: Vec<TableRow> = Vec::new();
    if cases.iter().any(|case| case.expected.is_some()) {
        rows.push([Some("expected".to_owned())].into_iter().chain(expected).collect::<Vec<_>>().into());
    }
    rows.extend(names.into_iter().map(|name| {
        let answer = |case: &StrictnessCase| {
            case.answers.iter().find(|answer| answer.contender.to_string() == name).map(short)
        };
        let answers: Vec<Option<String>> = cases.iter().map(answer).collect();
        [Some(name)].into_iter().chain(answers).collect::<Vec<_>>().into()
    }));
    let titles = cases.iter().map(|case| Column::text(case.case.clone()));
    let columns = [Column::text("contender")].into_iter().chain(titles);
    Table::new(columns, rows).only(Room::Wide)
}

/// Answers that look alike in the matrix and differ in their bodies, and what went wrong.
fn bodies(cases: &[StrictnessCase]) -> Table {
    let mut rows = Vec::new();
    for case in cases {
        let shorts: BTreeSet<String> = case.answers.iter().map(short).collect();
        for short_form in shorts {
            let alike = case.answers.iter().filter(|answer| short(answer) == short_form);
            let mut kinds: Vec<(Body, &str, Vec<String>)> = Vec::new();
            for answer in alike.filter(|answer| answer.status.is_none() || answer.shown.is_some()) {
                let (body, name) = (Body::of(answer), answer.contender.to_string());
                match kinds.iter_mut().find(|(known, ..)| *known == body) {
                    Some((.., names)) => names.push(name),
                    None => kinds.push((body, &answer.got, vec![name])),
                }
            }
            let is_told = kinds.len() > 1 || kinds.iter().any(|(_, got, _)| is_more(got, &short_form));
            rows.extend(kinds.into_iter().filter(|_| is_told).map(|(_, got, names)| {
                [case.case.clone(), cut(&clean(got), LONGEST_BODY), names.join(", ")].map(Some)
            }));
        }
    }
    let columns = ["in the case", "the answers differ", "of"].map(Column::text);
    Table::new(columns, rows).only(Room::Wide)
}

/// Whether what went wrong says more than its short form.
fn is_more(got: &str, short: &str) -> bool {
    short == NO_ANSWER || got.strip_prefix(short).is_some_and(|rest| rest.starts_with([':', ';']))
}

/// A body of which neither blanks nor the order of members count.
#[derive(PartialEq)]
enum Body<'a> {
    Json(Value),
    Text(&'a str),
}

impl<'a> Body<'a> {
    fn of(answer: &'a StrictnessAnswer) -> Self {
        let body = answer.got.split_once(' ').map_or("", |(_, body)| body);
        match (answer.status, serde_json::from_str(body)) {
            (Some(_), Ok(value)) => Self::Json(value),
            _ => Self::Text(&answer.got),
        }
    }
}

/// What is sent in each case.
fn requests(cases: &[StrictnessCase]) -> Table {
    let asked = cases.iter().filter(|case| case.request.is_some());
    let rows = asked.map(|case| [Some(case.case.clone()), case.request.clone()]);
    Table::new(["case", "request"].map(Column::text), rows).only(Room::Wide)
}

#[cfg(test)]
mod tests {
    use super::*;
    use velo_model::ContenderName;

    fn answer(contender: &str, got: &str) -> StrictnessAnswer {
        let status = got.get(..3).and_then(|first| first.parse().ok());
        StrictnessAnswer {
            contender: ContenderName::new(contender).expect("a name"),
            got: got.to_owned(),
            status,
            outcome: None,
            shown: got.split_once("\"Sum\": ").map(|(_, sum)| sum.trim_end_matches('}').to_owned()),
            leaks: got.contains("secret"),
            is_offered: status != Some(404),
            is_expected: false,
        }
    }

    fn case(name: &str, operation: Option<&str>, answers: &[(&str, &str)]) -> StrictnessCase {
        StrictnessCase {
            case: name.to_owned(),
            operation: operation.map(str::to_owned),
            request: Some("GET /?x=abc".to_owned()),
            expected: Some("4xx".to_owned()),
            answers: answers.iter().map(|(contender, got)| answer(contender, got)).collect(),
        }
    }

    fn rows(groups: &Groups) -> Vec<(&str, &str)> {
        groups.rows.iter().map(|(got, who)| (got.as_str(), who.as_str())).collect()
    }

    #[test]
    fn contenders_that_answer_alike_are_a_group_and_the_largest_is_a_number() {
        let named: Vec<String> = (0..5).map(|n| format!("go/n{n}")).collect();
        let mut answers: Vec<(&str, &str)> = named.iter().map(|name| (name.as_str(), "400 no")).collect();
        answers.push(("js/a", "200 {\"Sum\": 60}"));
        answers.push(("js/b", "500 the secret"));
        let odd = groups(&case("an x of abc", None, &answers));
        assert_eq!(rows(&odd), [("200 60", "js/a"), ("500 leaks", "js/b"), ("400", "the 5 others")]);
        assert_eq!(odd.about, "GET /?x=abc; expected 4xx");
        assert_eq!(rows(&groups(&case("alike", None, &answers[..5]))), [("400", "all 5")]);
    }

    #[test]
    fn why_there_is_no_answer_stands_behind_those_who_gave_none() {
        let answers = [
            ("go/a", "the connection was closed"),
            ("go/b", "400"),
            ("go/c", "the connection was closed"),
            ("go/d", "nothing within 5 s"),
        ];
        let throw = groups(&case("an unhandled error", None, &answers));
        let expected = [
            ("400", "go/b"),
            (NO_ANSWER, "go/d: nothing within 5 s"),
            (NO_ANSWER, "go/a, go/c: the connection was closed"),
        ];
        assert_eq!(rows(&throw), expected);
    }

    #[test]
    fn those_who_do_not_offer_it_stand_last_and_are_no_others() {
        let answers =
            [("go/a", "404"), ("go/b", "404"), ("go/c", "404"), ("go/d", "404 no"), ("js/a", "400")];
        let flags = groups(&case("f=abc", Some("flags"), &answers));
        assert_eq!(rows(&flags), [("400", "js/a"), (NOT_OFFERED, "4 contenders")]);
    }

    #[test]
    fn a_matrix_has_no_operation_beside_what_all_offer_and_is_no_wider_than_a_page() {
        let plain: Vec<StrictnessCase> = (0..9).map(|n| case(&format!("case {n}"), None, &[])).collect();
        let all = [plain, vec![case("f=7", Some("flags"), &[])]].concat();
        assert_eq!(parts(&all).map(<[_]>::len).collect::<Vec<_>>(), [5, 4, 1]);
        let mut few =
            [case("a", None, &[("go/b", "400"), ("go/a", "the server closed")]), case("b", None, &[])];
        few[1].answers = vec![answer("go/a", "404")];
        let cells = |row: &TableRow| {
            row.cells.iter().map(|cell| cell.clone().unwrap_or_default()).collect::<Vec<_>>()
        };
        let table = matrix(&few);
        assert_eq!(
            table.columns.iter().map(|column| column.title.as_str()).collect::<Vec<_>>(),
            ["contender", "a", "b"]
        );
        let printed: Vec<Vec<String>> = table.rows.iter().map(cells).collect();
        assert_eq!(printed[0], ["expected", "4xx", "4xx"]);
        assert_eq!(printed[1], ["go/a", NO_ANSWER, NOT_OFFERED]);
        assert_eq!(printed[2], ["go/b", "400", ""]);
    }

    #[test]
    fn bodies_are_told_where_they_differ_behind_one_short_form() {
        let alike = case("alike", None, &[("go/a", "200 {\"Sum\": 60}"), ("go/b", "200 {  \"Sum\": 60}")]);
        assert!(bodies(&[alike]).rows.is_empty());
        let mut differ = case(
            "no name",
            None,
            &[("go/a", "200 {\"N\":null}"), ("go/b", "200 {\"N\":\"\"}"), ("go/c", "gone")],
        );
        differ.answers.iter_mut().take(2).for_each(|answer| answer.shown = Some("60".to_owned()));
        let told: Vec<String> = bodies(&[differ])
            .rows
            .into_iter()
            .map(|row| row.cells.into_iter().flatten().collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(
            told,
            ["no name 200 {\"N\":null} go/a", "no name 200 {\"N\":\"\"} go/b", "no name gone go/c"]
        );
    }
}
