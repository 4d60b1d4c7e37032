//! What the matcher must say, worked out anew each time and without regard to cost.

use velo_model::Pick;

use super::input::Request;
use crate::check::{BodyChecker, Toss};
use crate::request::{BodyExpect, Order, Part, Slot, Template};

/// What a verdict is, without its words.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Class {
    Correct(Option<Toss>),
    HttpError,
    Wrong,
}

/// An answer as it was received.
pub(super) struct Received<'a> {
    pub(super) status: u16,
    pub(super) fields: &'a [(&'static str, Vec<u8>)],
    pub(super) body: &'a [u8],
}

/// Whether requests can make a mix.
pub(super) fn is_sound(requests: &[Request], order: Order) -> bool {
    let sum: u32 = requests.iter().map(|request| request.spec.weight).sum();
    !requests.is_empty() && (order == Order::InOrder || sum > 0) && requests.iter().all(can_be_sent)
}

fn can_be_sent(Request { spec, .. }: &Request) -> bool {
    let slot_is_sound = |slot: &Slot| match slot {
        Slot::Choice(values) => !values.is_empty(),
        Slot::Int { min, max } => min <= max,
        Slot::Signed { min, max } => min <= max,
        Slot::Counter { .. } => true,
        Slot::Cell { table, column } => {
            let columns: Vec<usize> = table.rows.iter().map(Vec::len).collect();
            columns.first().is_some_and(|first| column < first && columns.iter().all(|other| other == first))
        }
    };
    if spec.slots.len() > 16 || !spec.slots.iter().all(slot_is_sound) {
        return false;
    }
    let variants: usize = spec
        .slots
        .iter()
        .map(|slot| if let Slot::Choice(values) = slot { values.len() } else { 1 })
        .product();
    let mut drawn: Vec<usize> = Vec::new();
    for (index, slot) in spec.slots.iter().enumerate() {
        match slot {
            Slot::Choice(_) => {}
            Slot::Int { .. } | Slot::Signed { .. } | Slot::Counter { .. } => drawn.push(usize::MAX - index),
            // Two tables may be equal and still be two.
            Slot::Cell { table, .. } => drawn.push(std::sync::Arc::as_ptr(table) as usize),
        }
    }
    drawn.sort_unstable();
    drawn.dedup();
    if variants > 4096 || drawn.len() > 4 {
        return false;
    }
    let mut templates = vec![&spec.path];
    templates.extend(spec.headers.iter().map(|(_, value)| value));
    templates.extend(&spec.body);
    if let BodyExpect::Exact(body) = &spec.expect.body {
        templates.push(body);
    }
    let is_declared = |part: &Part| !matches!(part, Part::Slot(slot) if *slot >= spec.slots.len());
    if !templates.iter().all(|template| template.0.iter().all(is_declared)) {
        return false;
    }
    let all_texts = |template: &Template| -> Vec<Vec<Vec<u8>>> {
        template.0.iter().map(|part| texts(part, &spec.slots)).collect()
    };
    let path = all_texts(&spec.path);
    let never_empty = path.iter().any(|texts| texts.iter().all(|text| !text.is_empty()));
    let in_path = |b: u8| b > b' ' && b != 0x7f;
    let in_value = |b: u8| b != b'\r' && b != b'\n' && b != 0;
    let holds_only = |texts: &[Vec<Vec<u8>>], allowed: fn(u8) -> bool| {
        texts.iter().flatten().flatten().all(|&b| allowed(b))
    };
    let frames = ["content-length", "transfer-encoding"];
    is_token(&spec.method)
        && never_empty
        && holds_only(&path, in_path)
        && spec.headers.iter().all(|(name, value)| {
            is_token(name)
                && !frames.contains(&name.to_ascii_lowercase().as_str())
                && holds_only(&all_texts(value), in_value)
        })
        && spec.expect.headers.iter().all(|header| is_token(&header.name))
        && !matches!(spec.expect.body, BodyExpect::Length { min, max } if min > max)
}

fn is_token(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_graphic() && !"\"(),/:;<=>?@[\\]{}".contains(c);
    !text.is_empty() && text.chars().all(is_part)
}

/// All that a part may become; of numbers one.
fn texts(part: &Part, slots: &[Slot]) -> Vec<Vec<u8>> {
    match part {
        Part::Bytes(bytes) => vec![bytes.clone()],
        Part::Slot(slot) => match &slots[*slot] {
            Slot::Choice(values) => values.clone(),
            Slot::Int { .. } | Slot::Signed { .. } | Slot::Counter { .. } => vec![b"0".to_vec()],
            Slot::Cell { table, column } => table.rows.iter().map(|row| row[*column].clone()).collect(),
        },
        Part::Binary(_) => Vec::new(),
    }
}

/// A template with its slots filled.
pub(super) fn fill(template: &Template, slots: &[Slot], values: &[u64]) -> Vec<u8> {
    let mut text = Vec::new();
    for part in &template.0 {
        match part {
            Part::Bytes(bytes) => text.extend(bytes),
            Part::Slot(slot) => match &slots[*slot] {
                Slot::Choice(choices) => text.extend(&choices[values[*slot] as usize]),
                Slot::Int { .. } | Slot::Counter { .. } => text.extend(values[*slot].to_string().bytes()),
                Slot::Signed { .. } => text.extend((values[*slot] as i64).to_string().bytes()),
                Slot::Cell { table, column } => text.extend(&table.rows[values[*slot] as usize][*column]),
            },
            Part::Binary(_) => {}
        }
    }
    text
}

/// A request as it must be sent.
pub(super) fn render(request: &Request, host: &str, values: &[u64]) -> Vec<u8> {
    let spec = &request.spec;
    let filled = |template: &Template| fill(template, &spec.slots, values);
    let is_host = |name: &str| name.eq_ignore_ascii_case("host");
    let mut lines = vec![[spec.method.as_bytes(), b" ", &filled(&spec.path), b" HTTP/1.1"].concat()];
    if !spec.headers.iter().any(|(name, _)| is_host(name)) {
        lines.push(format!("Host: {host}").into_bytes());
    }
    for wanted in [true, false] {
        let chosen = spec.headers.iter().filter(|(name, _)| is_host(name) == wanted);
        lines.extend(chosen.map(|(name, value)| [name.as_bytes(), b": ", &filled(value)].concat()));
    }
    let body = spec.body.as_ref().map(filled);
    if body.is_some() || ["POST", "PUT", "PATCH"].contains(&spec.method.as_str()) {
        lines.push(format!("Content-Length: {}", body.as_ref().map_or(0, Vec::len)).into_bytes());
    }
    let head = lines.join(b"\r\n".as_slice());
    assert_eq!(
        head.iter().filter(|&&b| b == b'\n' || b == b'\r').count(),
        2 * (lines.len() - 1),
        "lines stay whole"
    );
    [head, b"\r\n\r\n".to_vec(), body.unwrap_or_default()].concat()
}

/// Whether the values drawn for a request are ones that it may have. `before` is how often its worker has drawn it.
pub(super) fn may_have(request: &Request, values: &[u64], before: u64, worker: u64, workers: u64) -> bool {
    let place = worker + before * workers;
    request.spec.slots.len() == values.len()
        && request.spec.slots.iter().zip(values).all(|(slot, &value)| match slot {
            Slot::Choice(choices) => value < choices.len() as u64,
            Slot::Int { min, max } => (*min..=*max).contains(&value),
            Slot::Signed { min, max } => (*min..=*max).contains(&(value as i64)),
            Slot::Counter { first } => value == first.wrapping_add(place),
            Slot::Cell { table, .. } => match table.pick {
                Pick::InOrder => value == place % table.rows.len() as u64,
                Pick::Random => value < table.rows.len() as u64,
            },
        })
}

/// What an answer is worth. `first` is the body of the first correct answer to this request.
pub(super) fn classify(
    index: usize,
    request: &Request,
    values: &[u64],
    answer: &Received<'_>,
    first: &mut Option<Vec<u8>>,
) -> Class {
    let expect = &request.spec.expect;
    let is_among = |&(low, high): &(u16, u16)| low <= answer.status && answer.status <= high;
    if answer.status >= 960 || !request.statuses.iter().any(is_among) {
        return Class::HttpError;
    }
    let named = |name: &str| {
        let name = name.to_ascii_lowercase();
        let fields = answer.fields.iter().filter(move |(field, _)| field.to_ascii_lowercase() == name);
        fields.map(|(_, value)| value.trim_ascii().to_vec()).collect::<Vec<_>>()
    };
    if let Some(wanted) = &expect.content_type {
        let last = named("content-type").pop();
        let media = last.map(|value| {
            let media = value.split(|&b| b == b';').next().unwrap_or_default().to_vec();
            String::from_utf8_lossy(&media).trim().to_ascii_lowercase()
        });
        if media.as_ref() != Some(wanted) {
            return Class::Wrong;
        }
    }
    for header in &expect.headers {
        let values = named(&header.name);
        let is_there = match &header.value {
            None => !values.is_empty(),
            Some(wanted) => values.iter().any(|value| value == wanted.as_bytes().trim_ascii()),
        };
        if !is_there {
            return Class::Wrong;
        }
    }
    let body = answer.body;
    let is_right = match &expect.body {
        BodyExpect::Any => true,
        BodyExpect::Empty => body.is_empty(),
        BodyExpect::Exact(wanted) => body == fill(wanted, &request.spec.slots, values),
        BodyExpect::Length { min, max } => *min <= body.len() && body.len() <= *max,
        BodyExpect::Same => first.get_or_insert_with(|| body.to_vec()) == body,
        BodyExpect::Checked | BodyExpect::CheckedAlike => {
            return Checker.check(index, values, body).map_or(Class::Wrong, Class::Correct);
        }
    };
    if is_right { Class::Correct(None) } else { Class::Wrong }
}

/// A check that depends on all that it is given.
pub(super) struct Checker;

impl BodyChecker for Checker {
    fn check(&self, request: usize, values: &[u64], body: &[u8]) -> Result<Option<Toss>, String> {
        let sum = values
            .iter()
            .chain(&[request as u64])
            .fold(0u64, |sum, value| sum.wrapping_mul(31).wrapping_add(*value));
        let sum = body.iter().fold(sum, |sum, b| sum.wrapping_mul(31).wrapping_add(u64::from(*b)));
        match sum % 4 {
            0 => Err(String::from_utf8_lossy(body).into_owned()),
            1 => Ok(Some(Toss { bet: sum & 4 == 0, draw: sum & 8 == 0 })),
            _ => Ok(None),
        }
    }
}
