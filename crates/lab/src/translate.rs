//! From a workload's definition to what the load engine takes; the only place that knows both.

use std::sync::Arc;

use velo_load::{
    BodyChecker, BodyExpect, Expect, Mix, MixError, Order, Part, Pick, RequestSpec, Slot, Table, Template,
    Toss,
};
use velo_spec::{
    BodyExpectation, CheckedBody, DataFile, Request, SlotKind, SlotValue, TextPart, TextTemplate, Workload,
};

use crate::data::DataSet;

/// Renders a workload for a host and hands over the check of its bodies.
///
/// # Errors
/// When a request cannot be rendered, which a validated workload does not cause.
pub(crate) fn translate(
    workload: &Workload,
    data: &DataSet,
    host: &str,
) -> Result<(Arc<Mix>, Arc<dyn BodyChecker>), MixError> {
    mix(workload.requests.clone(), &tables(workload, data), host)
}

/// One request of a workload alone, for a burst. `closes`: each has a connection of its own, and says so.
///
/// # Errors
/// As [`translate`]; also when the workload does not have it.
pub(crate) fn translate_one(
    workload: &Workload,
    request: usize,
    closes: bool,
    data: &DataSet,
    host: &str,
) -> Result<(Arc<Mix>, Arc<dyn BodyChecker>), MixError> {
    // One that is sent in bursts only has no weight in the mix.
    let one = workload.requests.get(request).map(|one| Request { weight: 1, ..one.clone() });
    let requests: Vec<Request> = one.into_iter().collect();
    let tables = tables(workload, data);
    let mut specs: Vec<RequestSpec> = requests.iter().map(|one| self::request(one, &tables)).collect();
    if closes {
        for spec in &mut specs {
            spec.headers.push(("Connection".to_owned(), Template(vec![Part::Bytes(b"close".to_vec())])));
        }
    }
    let mix = Mix::new(specs, Order::Weighted, host)?;
    Ok((Arc::new(mix), Arc::new(Checker { requests, tables })))
}

fn mix(
    requests: Vec<Request>,
    tables: &[Arc<Table>],
    host: &str,
) -> Result<(Arc<Mix>, Arc<dyn BodyChecker>), MixError> {
    let specs = requests.iter().map(|one| request(one, tables)).collect();
    let mix = Mix::new(specs, Order::Weighted, host)?;
    Ok((Arc::new(mix), Arc::new(Checker { requests, tables: tables.to_vec() })))
}

/// The keys of each data file, a column for each slot; those that are none are empty.
fn tables(workload: &Workload, data: &DataSet) -> Vec<Arc<Table>> {
    let table = |(file, made): (usize, &DataFile)| {
        let cell = |row: usize, slot: usize| {
            data.keys(file, slot).get(row).map(|key| key.to_string().into_bytes()).unwrap_or_default()
        };
        let row = |row: usize| (0..made.slots.len()).map(|slot| cell(row, slot)).collect();
        Arc::new(Table { rows: (0..made.records as usize).map(row).collect(), pick: Pick::Random })
    };
    workload.data.iter().enumerate().map(table).collect()
}

fn request(request: &Request, tables: &[Arc<Table>]) -> RequestSpec {
    let content_type = request
        .content_type
        .iter()
        .map(|value| ("Content-Type".to_owned(), Template(vec![Part::Bytes(value.clone().into_bytes())])));
    RequestSpec {
        name: request.name.clone(),
        weight: request.weight,
        method: request.method.clone(),
        path: template(&request.path),
        headers: content_type.collect(),
        body: request.body.as_ref().map(template),
        slots: request.slots.iter().map(|slot| self::slot(slot.kind, tables)).collect(),
        expect: Expect {
            status: request.expect.status.into(),
            content_type: request.expect.content_type.as_ref().map(|text| text.to_ascii_lowercase()),
            headers: Vec::new(),
            body: match &request.expect.body {
                BodyExpectation::Empty => BodyExpect::Empty,
                BodyExpectation::Exact(text) => BodyExpect::Exact(template(text)),
                BodyExpectation::Json(_) => BodyExpect::Checked,
            },
            not_before_ms: request.expect.not_before_ms,
        },
    }
}

fn slot(kind: SlotKind, tables: &[Arc<Table>]) -> Slot {
    match kind {
        SlotKind::Bool => Slot::Choice(vec![b"false".to_vec(), b"true".to_vec()]),
        SlotKind::Int { min, max } => Slot::Int { min, max },
        SlotKind::Data { file, slot } => match tables.get(file) {
            Some(table) => Slot::Cell { table: Arc::clone(table), column: slot },
            // Only a definition that was not validated has one.
            None => Slot::Choice(vec![Vec::new()]),
        },
    }
}

fn template(text: &TextTemplate) -> Template {
    let part = |part: &TextPart| match part {
        TextPart::Literal(text) => Part::Bytes(text.clone().into_bytes()),
        TextPart::Slot(index) => Part::Slot(*index),
    };
    Template(text.parts.iter().map(part).collect())
}

struct Checker {
    requests: Vec<Request>,
    tables: Vec<Arc<Table>>,
}

impl Checker {
    /// What a slot held, from what the engine says of it.
    fn value(&self, kind: SlotKind, value: u64) -> SlotValue {
        match kind {
            SlotKind::Bool => SlotValue::Bool(value == 1),
            SlotKind::Int { .. } => SlotValue::Int(value),
            SlotKind::Data { file, slot } => {
                let row = self.tables.get(file).and_then(|table| table.rows.get(value as usize));
                let key = row.and_then(|row| std::str::from_utf8(row.get(slot)?).ok()?.parse().ok());
                SlotValue::Int(key.unwrap_or(0))
            }
        }
    }
}

impl BodyChecker for Checker {
    fn check(&self, request: usize, values: &[u64], body: &[u8]) -> Result<Option<Toss>, String> {
        let Some(request) = self.requests.get(request) else { return Err("no such request".to_owned()) };
        let values: Vec<SlotValue> =
            request.slots.iter().zip(values).map(|(slot, &value)| self.value(slot.kind, value)).collect();
        let draw = match request.expect.body.check(&values, body) {
            CheckedBody::Correct { draw } => draw,
            CheckedBody::Wrong(why) => return Err(why),
        };
        let BodyExpectation::Json(shape) = &request.expect.body else { return Ok(None) };
        Ok(draw.zip(shape.coin.as_ref()).and_then(|(draw, coin)| match values.get(coin.bet_slot) {
            Some(SlotValue::Bool(bet)) => Some(Toss { bet: *bet, draw }),
            _ => None,
        }))
    }
}
