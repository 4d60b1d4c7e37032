//! Whether a request can be sent as it is, before it is rendered.

use super::error::RequestProblem;
use super::limits::{MOST_RENDERED_BYTES, MOST_SLOTS, MOST_VARIANTS};
use crate::request::{Binary, BodyExpect, Part, RequestSpec, Slot, Template};
use crate::show::{plain, show};

/// How many variants a request has, when nothing is wrong with it.
pub(super) fn validate(spec: &RequestSpec) -> Result<usize, RequestProblem> {
    if spec.slots.len() > MOST_SLOTS {
        return Err(RequestProblem::TooManySlots(spec.slots.len()));
    }
    for (index, slot) in spec.slots.iter().enumerate() {
        check_slot(index, slot)?;
    }
    check_places(spec)?;
    if !is_token(spec.method.as_bytes()) {
        return Err(RequestProblem::Method(spec.method.clone()));
    }
    check_path(spec)?;
    for (name, value) in &spec.headers {
        check_header(spec, name, value)?;
    }
    for header in &spec.expect.headers {
        if !is_token(header.name.as_bytes()) {
            return Err(RequestProblem::ExpectedHeader(header.name.clone()));
        }
    }
    if let BodyExpect::Length { min, max } = spec.expect.body
        && min > max
    {
        return Err(RequestProblem::ExpectedLength { min, max });
    }
    count_variants(spec)
}

/// Whether HTTP/1.1 can carry a request.
pub(super) fn check_text(spec: &RequestSpec) -> Result<(), RequestProblem> {
    let body = spec.body.iter().flat_map(|body| &body.0);
    match body.into_iter().any(|part| matches!(part, Part::Binary(_))) {
        true => Err(RequestProblem::Binary("the body".to_owned())),
        false => Ok(()),
    }
}

/// Whether HTTP/2 can carry a request (RFC 9113, 8.2.2).
pub(super) fn check_fields(spec: &RequestSpec) -> Result<(), RequestProblem> {
    if spec.method == "CONNECT" {
        return Err(RequestProblem::Connect);
    }
    let is_bound = |name: &str| {
        ["connection", "keep-alive", "proxy-connection", "upgrade"]
            .iter()
            .any(|bound| name.eq_ignore_ascii_case(bound))
    };
    let is_te = |name: &str, value: &Template| {
        let trailers = [Part::Bytes(b"trailers".to_vec())];
        name.eq_ignore_ascii_case("te") && value.0 != trailers
    };
    match spec.headers.iter().find(|(name, value)| is_bound(name) || is_te(name, value)) {
        Some((name, _)) => Err(RequestProblem::OfConnection(name.clone())),
        None => Ok(()),
    }
}

fn check_slot(index: usize, slot: &Slot) -> Result<(), RequestProblem> {
    match slot {
        Slot::Choice(values) if values.is_empty() => Err(RequestProblem::NoChoice(index)),
        Slot::Int { min, max } if min > max => {
            Err(RequestProblem::NoNumber { slot: index, min: *min, max: *max })
        }
        Slot::Signed { min, max } if min > max => {
            Err(RequestProblem::NoSigned { slot: index, min: *min, max: *max })
        }
        Slot::Choice(_) | Slot::Int { .. } | Slot::Signed { .. } | Slot::Counter { .. } => Ok(()),
        Slot::Cell { table, column } => {
            let columns = table.rows.first().ok_or(RequestProblem::NoRow(index))?.len();
            if let Some(row) = table.rows.iter().position(|row| row.len() != columns) {
                let cells = table.rows[row].len();
                return Err(RequestProblem::UnevenRow { slot: index, row: row + 1, cells, columns });
            }
            if *column >= columns {
                return Err(RequestProblem::NoColumn { slot: index, column: *column, columns });
            }
            Ok(())
        }
    }
}

/// Whether every slot that a template names is there.
fn check_places(spec: &RequestSpec) -> Result<(), RequestProblem> {
    let mut places = vec![("the path".to_owned(), &spec.path)];
    places.extend(spec.headers.iter().map(|(name, value)| (format!("the header `{}`", plain(name)), value)));
    places.extend(spec.body.iter().map(|body| ("the body".to_owned(), body)));
    if let BodyExpect::Exact(template) = &spec.expect.body {
        places.push(("the expected body".to_owned(), template));
    }
    let slots = spec.slots.len();
    for (place, template) in places {
        if place != "the body" && template.0.iter().any(|part| matches!(part, Part::Binary(_))) {
            return Err(RequestProblem::Binary(place));
        }
        if let Some(slot) = template.0.iter().find_map(|part| slot_beyond(part, slots)) {
            return Err(RequestProblem::UnknownSlot { place, slot, slots });
        }
    }
    Ok(())
}

/// A slot of a part that is not there.
fn slot_beyond(part: &Part, slots: usize) -> Option<usize> {
    let beyond = |slot: usize| (slot >= slots).then_some(slot);
    match part {
        Part::Bytes(_) => None,
        Part::Slot(slot) => beyond(*slot),
        Part::Binary(binary) => match binary.as_ref() {
            Binary::Number { slot, .. } | Binary::Chosen { slot, .. } => beyond(*slot),
            Binary::Delimited { content, .. } => content.0.iter().find_map(|part| slot_beyond(part, slots)),
        },
    }
}

fn check_path(spec: &RequestSpec) -> Result<(), RequestProblem> {
    if spec.path.0.iter().all(|part| least_bytes(spec, part) == 0) {
        return Err(RequestProblem::EmptyPath);
    }
    let unclean = |bytes: &&[u8]| bytes.iter().any(|&b| b <= b' ' || b == 0x7f);
    match spec.path.0.iter().flat_map(|part| texts(spec, part)).find(unclean) {
        Some(bytes) => Err(RequestProblem::Path(show(bytes))),
        None => Ok(()),
    }
}

fn check_header(spec: &RequestSpec, name: &str, value: &Template) -> Result<(), RequestProblem> {
    if !is_token(name.as_bytes()) {
        return Err(RequestProblem::HeaderName(name.to_owned()));
    }
    if name.eq_ignore_ascii_case("content-length") || name.eq_ignore_ascii_case("transfer-encoding") {
        return Err(RequestProblem::Framing(name.to_owned()));
    }
    let unclean = |bytes: &&[u8]| bytes.iter().any(|b| matches!(b, b'\r' | b'\n' | 0));
    match value.0.iter().flat_map(|part| texts(spec, part)).find(unclean) {
        Some(bytes) => Err(RequestProblem::HeaderValue { name: name.to_owned(), value: show(bytes) }),
        None => Ok(()),
    }
}

fn count_variants(spec: &RequestSpec) -> Result<usize, RequestProblem> {
    let variants = spec
        .slots
        .iter()
        .map(|slot| if let Slot::Choice(values) = slot { values.len() } else { 1 })
        .try_fold(1usize, |product, n| product.checked_mul(n).filter(|&n| n <= MOST_VARIANTS))
        .ok_or(RequestProblem::TooManyVariants)?;
    let exact = if let BodyExpect::Exact(template) = &spec.expect.body { Some(template) } else { None };
    let templates = [Some(&spec.path), spec.body.as_ref(), exact].into_iter().flatten();
    let bytes = templates
        .chain(spec.headers.iter().map(|(_, value)| value))
        .flat_map(|template| &template.0)
        .map(|part| kept_bytes(spec, part))
        .fold(0, usize::saturating_add)
        .saturating_mul(variants);
    // A single variant takes no more than the caller's own copy did.
    if variants > 1 && bytes > MOST_RENDERED_BYTES {
        return Err(RequestProblem::TooLarge(bytes));
    }
    Ok(variants)
}

/// Everything that a part may be rendered to, but for numbers, which are harmless everywhere.
fn texts<'a>(spec: &'a RequestSpec, part: &'a Part) -> Box<dyn Iterator<Item = &'a [u8]> + 'a> {
    match part {
        Part::Bytes(bytes) => Box::new(std::iter::once(bytes.as_slice())),
        Part::Slot(slot) => match &spec.slots[*slot] {
            Slot::Choice(values) => Box::new(values.iter().map(Vec::as_slice)),
            Slot::Cell { table, column } => Box::new(table.rows.iter().map(|row| row[*column].as_slice())),
            Slot::Int { .. } | Slot::Signed { .. } | Slot::Counter { .. } => Box::new(std::iter::empty()),
        },
        Part::Binary(_) => Box::new(std::iter::empty()),
    }
}

/// The fewest bytes that a part may be rendered to.
fn least_bytes(spec: &RequestSpec, part: &Part) -> usize {
    // Without a text it is a number, which has at least one digit.
    texts(spec, part).map(<[u8]>::len).min().unwrap_or(1)
}

/// The most bytes that a variant keeps of a part.
fn kept_bytes(spec: &RequestSpec, part: &Part) -> usize {
    match part {
        Part::Slot(slot) if !matches!(spec.slots[*slot], Slot::Choice(_)) => 0,
        Part::Binary(binary) => match binary.as_ref() {
            Binary::Chosen { values, .. } => values.iter().map(Vec::len).max().unwrap_or(0),
            Binary::Number { tag, .. } => tag.len(),
            Binary::Delimited { tag, content, .. } => {
                let content = content.0.iter().map(|part| kept_bytes(spec, part));
                content.fold(tag.len(), usize::saturating_add)
            }
        },
        _ => texts(spec, part).map(<[u8]>::len).max().unwrap_or(0),
    }
}

/// RFC 9110, 5.6.2.
fn is_token(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(b))
}
