//! From a workload's definition to what the load engine takes; the only place that knows both.

use std::sync::Arc;

use velo_load::{
    BodyChecker, BodyExpect, Expect, Mix, MixError, Order, Part, RequestSpec, Slot, Template, Toss,
};
use velo_spec::{
    BodyExpectation, CheckedBody, Request, SlotKind, SlotValue, TextPart, TextTemplate, Workload,
};

/// Renders a workload for a host and hands over the check of its bodies.
///
/// # Errors
/// When a request cannot be rendered, which a validated workload does not cause.
pub fn translate(workload: &Workload, host: &str) -> Result<(Arc<Mix>, Arc<dyn BodyChecker>), MixError> {
    let requests = workload.requests.iter().map(request).collect();
    let mix = Mix::new(requests, Order::Weighted, host)?;
    Ok((Arc::new(mix), Arc::new(Checker(workload.requests.clone()))))
}

fn request(request: &Request) -> RequestSpec {
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
        slots: request.slots.iter().map(|slot| self::slot(&slot.kind)).collect(),
        expect: Expect {
            status: request.expect.status.into(),
            content_type: request.expect.content_type.as_ref().map(|text| text.to_ascii_lowercase()),
            headers: Vec::new(),
            body: match &request.expect.body {
                BodyExpectation::Empty => BodyExpect::Empty,
                BodyExpectation::Exact(text) => BodyExpect::Exact(template(text)),
                BodyExpectation::Json(_) => BodyExpect::Checked,
            },
        },
    }
}

fn slot(kind: &SlotKind) -> Slot {
    match kind {
        SlotKind::Bool => Slot::Choice(vec![b"false".to_vec(), b"true".to_vec()]),
        SlotKind::Int { min, max } => Slot::Int { min: *min, max: *max },
    }
}

fn template(text: &TextTemplate) -> Template {
    let part = |part: &TextPart| match part {
        TextPart::Literal(text) => Part::Bytes(text.clone().into_bytes()),
        TextPart::Slot(index) => Part::Slot(*index),
    };
    Template(text.parts.iter().map(part).collect())
}

struct Checker(Vec<Request>);

impl BodyChecker for Checker {
    fn check(&self, request: usize, values: &[u64], body: &[u8]) -> Result<Option<Toss>, String> {
        let Some(request) = self.0.get(request) else { return Err("no such request".to_owned()) };
        let values: Vec<SlotValue> = request
            .slots
            .iter()
            .zip(values)
            .map(|(slot, &value)| match slot.kind {
                SlotKind::Bool => SlotValue::Bool(value == 1),
                SlotKind::Int { .. } => SlotValue::Int(value),
            })
            .collect();
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
