//! Requests and answers out of bytes: mostly sound ones, so that what is behind the first checks is reached.

use std::sync::Arc;

use arbitrary::{Arbitrary, Result, Unstructured};
use velo_model::{Pick, Table};

use crate::request::{BodyExpect, Expect, HeaderExpect, Order, Part, RequestSpec, Slot, StatusSet, Template};

/// A mix and answers to requests drawn from it.
pub(super) struct Input {
    pub(super) requests: Vec<Request>,
    pub(super) order: Order,
    pub(super) seed: u64,
    pub(super) worker: usize,
    pub(super) workers: usize,
    pub(super) answers: Vec<Answer>,
}

/// A request with its statuses as they were before they became a set.
pub(super) struct Request {
    pub(super) spec: RequestSpec,
    pub(super) statuses: Vec<(u16, u16)>,
}

/// An answer before it becomes bytes.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) fields: Vec<(&'static str, Vec<u8>)>,
    pub(super) body: Body,
    /// The cache of heads has just lost them.
    pub(super) forgotten: bool,
}

pub(super) enum Body {
    /// What is wanted, where that can be said.
    Wanted,
    /// The same with a change.
    Nearly(u8),
    Bytes(Vec<u8>),
}

const NAMES: [&str; 6] = ["X-A", "x-a", "X-B", "content-type", "Host", "Server"];
const MEDIA: [&str; 4] = ["application/json", "text/plain", "a", ""];

impl<'a> Arbitrary<'a> for Input {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let requests = (0..u.int_in_range(0..=3)?).map(|_| request(u)).collect::<Result<_>>()?;
        let order = *u.choose(&[Order::Weighted, Order::InOrder])?;
        let workers = u.int_in_range(1..=4)?;
        let worker = u.int_in_range(0..=workers - 1)?;
        let seed = u.arbitrary()?;
        let mut answers = Vec::new();
        while !u.is_empty() && answers.len() < 24 {
            answers.push(answer(u)?);
        }
        Ok(Self { requests, order, seed, worker, workers, answers })
    }
}

/// Rarely anything, mostly one of a few.
fn text(u: &mut Unstructured<'_>, usual: &[&str]) -> Result<String> {
    if u.ratio(1, 16)? { short(u) } else { u.choose(usual).map(|text| (*text).to_owned()) }
}

fn short(u: &mut Unstructured<'_>) -> Result<String> {
    let length = u.int_in_range(0..=6)?;
    (0..length).map(|_| u.arbitrary::<char>()).collect()
}

fn bytes(u: &mut Unstructured<'_>, most: usize) -> Result<Vec<u8>> {
    let length = u.int_in_range(0..=most)?;
    if u.ratio(1, 8)? {
        return (0..length).map(|_| u.arbitrary()).collect();
    }
    (0..length).map(|_| u.int_in_range(b'!'..=b'~')).collect()
}

fn several<T>(
    u: &mut Unstructured<'_>,
    most: usize,
    mut one: impl FnMut(&mut Unstructured<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    (0..u.int_in_range(0..=most)?).map(|_| one(u)).collect()
}

fn request(u: &mut Unstructured<'_>) -> Result<Request> {
    let most_slots = if u.ratio(1, 32)? { 18 } else { 5 };
    let tables = several(u, 2, table)?;
    let slots = several(u, most_slots, |u| slot(u, &tables))?;
    let count = slots.len();
    let mut path = template(u, count)?;
    if !u.ratio(1, 16)? {
        path.0.insert(0, Part::Bytes(b"/".to_vec()));
    }
    let headers = several(u, 3, |u| Ok((text(u, &NAMES)?, template(u, count)?)))?;
    let body = if u.arbitrary()? { Some(template(u, count)?) } else { None };
    let statuses = several(u, 2, status_range)?;
    let set = statuses.iter().fold(StatusSet::EMPTY, |set, &(a, b)| set.and(StatusSet::range(a, b)));
    let expect = Expect {
        status: set,
        content_type: if u.ratio(1, 3)? { Some(text(u, &MEDIA)?) } else { None },
        headers: several(u, 2, header_expect)?,
        body: body_expect(u, count)?,
        not_before_ms: None,
    };
    let spec = RequestSpec {
        name: "it".into(),
        weight: u.int_in_range(0..=3)?,
        method: text(u, &["GET", "POST", "HEAD", "PUT", "DELETE"])?,
        path,
        headers,
        body,
        slots,
        expect,
    };
    Ok(Request { spec, statuses })
}

fn status_range(u: &mut Unstructured<'_>) -> Result<(u16, u16)> {
    let usual = [(200, 200), (200, 299), (204, 204), (304, 404), (959, 1000), (0, 999)];
    if u.ratio(1, 8)? { u.arbitrary() } else { u.choose(&usual).copied() }
}

fn header_expect(u: &mut Unstructured<'_>) -> Result<HeaderExpect> {
    let value = if u.arbitrary()? { Some(text(u, &["", "a", " b ", "\tb", "1"])?) } else { None };
    Ok(HeaderExpect { name: text(u, &NAMES)?, value })
}

fn body_expect(u: &mut Unstructured<'_>, slots: usize) -> Result<BodyExpect> {
    Ok(match u.int_in_range(0..=6)? {
        0 => BodyExpect::Any,
        1 => BodyExpect::Empty,
        2 | 3 => BodyExpect::Exact(template(u, slots)?),
        4 => BodyExpect::Length { min: u.int_in_range(0..=6)?, max: u.int_in_range(0..=30)? },
        5 => BodyExpect::Same,
        _ => BodyExpect::Checked,
    })
}

fn template(u: &mut Unstructured<'_>, slots: usize) -> Result<Template> {
    let parts = several(u, 4, |u| {
        if slots == 0 || u.arbitrary()? {
            return Ok(Part::Bytes(bytes(u, 8)?));
        }
        let beyond = usize::from(u.ratio(1, 32)?);
        Ok(Part::Slot(u.int_in_range(0..=slots - 1 + beyond)?))
    })?;
    Ok(Template(parts))
}

fn table(u: &mut Unstructured<'_>) -> Result<Arc<Table>> {
    let columns = u.int_in_range(1..=3)?;
    let uneven = u.ratio(1, 32)?;
    let rows = several(u, 4, |u| {
        let columns = if uneven { u.int_in_range(0..=columns)? } else { columns };
        (0..columns).map(|_| bytes(u, 4)).collect()
    })?;
    Ok(Arc::new(Table { rows, pick: *u.choose(&[Pick::InOrder, Pick::Random])? }))
}

fn slot(u: &mut Unstructured<'_>, tables: &[Arc<Table>]) -> Result<Slot> {
    Ok(match u.int_in_range(0..=4)? {
        0 => Slot::Int { min: u.int_in_range(0..=9)?, max: u.arbitrary()? },
        1 if u.arbitrary()? => Slot::Signed { min: u.arbitrary()?, max: i64::MAX },
        1 => Slot::Int { min: u.arbitrary()?, max: u64::MAX },
        2 => Slot::Counter { first: u.arbitrary()? },
        3 if !tables.is_empty() => {
            Slot::Cell { table: Arc::clone(u.choose(tables)?), column: u.int_in_range(0..=2)? }
        }
        _ => Slot::Choice(several(u, 3, |u| bytes(u, 4))?),
    })
}

fn answer(u: &mut Unstructured<'_>) -> Result<Answer> {
    let usual = [200, 200, 200, 200, 201, 204, 304, 404, 500, 959, 960];
    let status = if u.ratio(1, 8)? { u.int_in_range(200..=999)? } else { *u.choose(&usual)? };
    let fields = several(u, 3, |u| {
        let name = *u.choose(&NAMES)?;
        let value = text(u, if name == "content-type" { &MEDIA } else { &["", "a", "b", " b", "1"] })?;
        // What a field may hold; what else there is belongs to the fuzzer of the parser.
        let value: Vec<u8> = value.into_bytes().into_iter().filter(|&b| b >= b' ' && b != 0x7f).collect();
        Ok((name, value))
    })?;
    let body = match u.int_in_range(0..=3)? {
        0 | 1 => Body::Wanted,
        2 => Body::Nearly(u.arbitrary()?),
        _ => Body::Bytes(bytes(u, 12)?),
    };
    Ok(Answer { status, fields, body, forgotten: u.ratio(1, 8)? })
}
