//! Whether a request can be sent as it is, and get what it expects.

use velo_model::{BodyExpectation, Expectation, Request, TextTemplate};

use super::context::Context;
use crate::compile::compile;
use crate::header::{encoded, is_token, is_value, unfit_for_path};
use crate::problem::Problem;
use crate::text::excerpt;
use crate::value::unfit;
use velo_load::{MixError, Order};

/// Checks a request whose slots are indices among all values, and numbers them anew: from 0, those that it holds.
pub(super) fn settle(mut request: Request, context: &Context) -> Result<Request, Problem> {
    check_path(&request.path, context)?;
    let body = &request.expect.body;
    if request.method == "HEAD" && !matches!(body, BodyExpectation::Any | BodyExpectation::Empty) {
        return Err(Problem::new("an answer to HEAD has no body", "expected no expectation of one"));
    }
    let mut own: Vec<usize> = request.sent().flat_map(TextTemplate::slots).collect();
    own.sort_unstable();
    own.dedup();
    if let Some(foreign) = expected_slots(&request.expect).into_iter().find(|slot| !own.contains(slot)) {
        let name = &context.slots[foreign].name;
        return Err(Problem::new(
            format!("its expectation holds {{{name}}}, which the request itself does not"),
            format!("expected {{{name}}} in path, header or body too"),
        ));
    }
    let place = |slot: usize| own.iter().position(|one| *one == slot).unwrap_or_default();
    request.sent_mut().for_each(|template| template.renumber(&own));
    match &mut request.expect.body {
        BodyExpectation::Exact(body) => body.renumber(&own),
        BodyExpectation::Json(json) => {
            json.text.renumber(&own);
            if let Some(coin) = &mut json.coin {
                coin.bet_slot = place(coin.bet_slot);
            }
        }
        _ => {}
    }
    request.expect.not_before_ms = request.expect.not_before_ms.map(place);
    request.slots = own.iter().map(|&slot| context.slots[slot].clone()).collect();
    // What the engine checks by itself is told now, and not when a load begins.
    match compile(&[Request { weight: 1, ..request.clone() }], context.tables, Order::Weighted, "host") {
        Ok(_) => Ok(request),
        Err(MixError::Request { problem, .. }) => Err(Problem::new(problem.to_string(), "")),
        Err(error) => Err(Problem::new(error.to_string(), "")),
    }
}

fn expected_slots(expect: &Expectation) -> Vec<usize> {
    let mut slots: Vec<usize> = expect.not_before_ms.into_iter().collect();
    match &expect.body {
        BodyExpectation::Exact(text) => slots.extend(text.slots()),
        BodyExpectation::Json(json) => {
            slots.extend(json.text.slots().chain(json.coin.as_ref().map(|coin| coin.bet_slot)));
        }
        _ => {}
    }
    slots
}

/// Checks a method.
pub(super) fn method(method: &str) -> Result<(), Problem> {
    let expected = "expected a method, as in GET or POST";
    let shown = excerpt(method.as_bytes());
    if method.bytes().all(|byte| byte.is_ascii_digit()) && !method.is_empty() {
        return Err(Problem::new(
            format!("`{shown}` is no method"),
            format!(
                "{expected}; requests in flight on a connection (h2load: -m) are --streams with --http2, else --pipelining"
            ),
        ));
    }
    if !is_token(method.as_bytes()) {
        return Err(Problem::new(format!("`{shown}` is no method"), expected));
    }
    if method == "CONNECT" {
        return Err(Problem::new("CONNECT has no answer that could be checked", expected));
    }
    if method.bytes().any(|byte| byte.is_ascii_lowercase()) {
        return Err(Problem::new(
            format!("`{shown}` is in lower case, and methods are told by case"),
            format!("did you mean {}?", shown.to_ascii_uppercase()),
        ));
    }
    Ok(())
}

fn check_path(path: &TextTemplate, context: &Context) -> Result<(), Problem> {
    let names = context.names();
    let written = excerpt(path.written(&names).as_bytes());
    if !path.parts.first().and_then(|part| part.literal()).is_some_and(|bytes| bytes.starts_with(b"/")) {
        return Err(Problem::new(
            format!("the path `{written}` does not begin with `/`"),
            "expected a path as in /user/1?full=yes",
        ));
    }
    for literal in path.literals() {
        if let Some(brace) = literal.iter().find(|byte| matches!(byte, b'{' | b'}')) {
            let declared = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(Problem::new(
                format!("the path `{written}` has a brace that belongs to no value"),
                format!(
                    "expected {{name}} of a value declared ({declared}), or %{brace:02X} for the brace itself"
                ),
            ));
        }
        if unfit_for_path(literal).is_some() {
            return Err(Problem::new(
                format!("the path has what a path cannot hold: `{}`", excerpt(literal)),
                format!("did you mean `{}`?", excerpt(encoded(literal).as_bytes())),
            ));
        }
    }
    for slot in path.slots() {
        let kind = context.tables.slot(&context.slots[slot].kind);
        if let Some(text) = unfit(&kind, |text| unfit_for_path(text).is_none()) {
            return Err(Problem::new(
                format!(
                    "{{{}}} stands in a path and may be `{}`, which a path cannot hold",
                    names[slot],
                    excerpt(text)
                ),
                format!("expected it encoded: `{}`", excerpt(encoded(text).as_bytes())),
            ));
        }
    }
    Ok(())
}

/// Checks what a header is sent with.
pub(super) fn header(name: &str, value: &TextTemplate, context: &Context) -> Result<(), Problem> {
    let kinds = value.slots().map(|slot| context.tables.slot(&context.slots[slot].kind));
    if value.literals().all(is_value) && kinds.into_iter().all(|kind| unfit(&kind, is_value).is_none()) {
        return Ok(());
    }
    Err(Problem::new(format!("the value of `{name}` has a control character"), "expected text on one line"))
}
