use crate::request::{BodyExpect, Order, Part, RequestSpec, Slot, Template};
use crate::rng::Rng;

/// The most variants that a request's choices may multiply to.
const MOST_VARIANTS: usize = 4096;
/// The most slots of a request.
pub(crate) const MOST_SLOTS: usize = 16;

/// Why a mix cannot be rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MixError {
    /// No request, or no weight.
    #[error("a mix needs at least one request of a weight above 0")]
    Empty,
    /// Too many slots or choices.
    #[error(
        "request `{0}` has more than {MOST_SLOTS} slots or its choices multiply to more than {MOST_VARIANTS}"
    )]
    TooManyVariants(String),
    /// A template names a slot that is not there, or a slot can hold nothing.
    #[error("request `{0}` uses a slot that is not declared or can hold no value")]
    BadSlot(String),
    /// A line break where none may be.
    #[error("request `{0}` has a line break or blank in its method, path or headers")]
    LineBreak(String),
}

/// A piece of a rendered request: bytes, or a number to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Bytes(Vec<u8>),
    Int(usize),
    BodyLength,
}

/// A request with its choices made.
#[derive(Debug)]
pub(crate) struct Variant {
    /// The slots' values; those of numbers are drawn for each request.
    pub(crate) values: [u64; MOST_SLOTS],
    head: Vec<Piece>,
    body: Vec<Piece>,
    expect: Vec<Piece>,
    /// The whole request, when no number has to be written into it.
    fixed: Option<Vec<u8>>,
}

/// A rendered request of the mix.
#[derive(Debug)]
pub(crate) struct Rendered {
    pub(crate) spec: RequestSpec,
    pub(crate) variants: Vec<Variant>,
    pub(crate) ints: Vec<(usize, u64, u64)>,
    pub(crate) is_head: bool,
}

/// All requests of a target, rendered into bytes with gaps for numbers.
#[derive(Debug)]
pub struct Mix {
    pub(crate) requests: Vec<Rendered>,
    /// Cumulated weights.
    weights: Vec<u64>,
}

/// A request drawn from the mix.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Drawn {
    pub(crate) request: usize,
    pub(crate) variant: usize,
    pub(crate) values: [u64; MOST_SLOTS],
}

impl Mix {
    /// Renders requests for a host, the value of `Host`.
    ///
    /// # Errors
    /// When a request cannot be rendered.
    pub fn new(requests: Vec<RequestSpec>, _order: Order, host: &str) -> Result<Self, MixError> {
        let mut sum = 0;
        let weights: Vec<u64> = requests
            .iter()
            .map(|request| {
                sum += u64::from(request.weight);
                sum
            })
            .collect();
        if sum == 0 {
            return Err(MixError::Empty);
        }
        let requests = requests.into_iter().map(|spec| render(spec, host)).collect::<Result<_, _>>()?;
        Ok(Self { requests, weights })
    }

    /// The requests' names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.requests.iter().map(|request| request.spec.name.as_str())
    }

    /// Draws the next request.
    pub(crate) fn draw(&self, rng: &mut Rng) -> Drawn {
        let request = match self.weights.as_slice() {
            [_] => 0,
            weights => {
                // OK because a mix has at least one weight above 0.
                let at = rng.below(weights[weights.len() - 1]);
                weights.partition_point(|&sum| sum <= at)
            }
        };
        let rendered = &self.requests[request];
        let variant =
            if rendered.variants.len() == 1 { 0 } else { rng.below(rendered.variants.len() as u64) as usize };
        let mut values = rendered.variants[variant].values;
        for &(slot, min, max) in &rendered.ints {
            values[slot] = rng.between(min, max);
        }
        Drawn { request, variant, values }
    }

    /// The bytes of a drawn request; `scratch` holds them when they have to be written anew.
    pub(crate) fn bytes<'a>(&'a self, drawn: &Drawn, scratch: &'a mut Vec<u8>) -> &'a [u8] {
        let variant = &self.requests[drawn.request].variants[drawn.variant];
        if let Some(fixed) = &variant.fixed {
            return fixed;
        }
        scratch.clear();
        let body_bytes: usize = variant.body.iter().map(|piece| piece_length(piece, &drawn.values)).sum();
        write_pieces(&variant.head, &drawn.values, body_bytes, scratch);
        write_pieces(&variant.body, &drawn.values, body_bytes, scratch);
        scratch
    }

    /// Whether a body is exactly the one that a drawn request with [`BodyExpect::Exact`] must get.
    pub(crate) fn is_exact(&self, drawn: &Drawn, mut body: &[u8]) -> bool {
        let mut digits = [0u8; 20];
        for piece in &self.requests[drawn.request].variants[drawn.variant].expect {
            let part = match piece {
                Piece::Bytes(bytes) => bytes.as_slice(),
                Piece::Int(slot) => decimal(drawn.values[*slot], &mut digits),
                Piece::BodyLength => &[],
            };
            match body.strip_prefix(part) {
                Some(rest) => body = rest,
                None => return false,
            }
        }
        body.is_empty()
    }

    /// A drawn request's exact expectation, for people.
    pub(crate) fn expected_text(&self, drawn: &Drawn) -> String {
        let mut bytes = Vec::new();
        write_pieces(
            &self.requests[drawn.request].variants[drawn.variant].expect,
            &drawn.values,
            0,
            &mut bytes,
        );
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

fn render(spec: RequestSpec, host: &str) -> Result<Rendered, MixError> {
    let name = || spec.name.clone();
    let choices: usize = spec
        .slots
        .iter()
        .map(|slot| if let Slot::Choice(values) = slot { values.len() } else { 1 })
        .try_fold(1usize, |product, n| product.checked_mul(n).filter(|&n| n <= MOST_VARIANTS))
        .ok_or_else(|| MixError::TooManyVariants(name()))?;
    if spec.slots.len() > MOST_SLOTS {
        return Err(MixError::TooManyVariants(name()));
    }
    let bad_slot = spec.slots.iter().any(|slot| matches!(slot, Slot::Int { min, max } if min > max));
    let exact = if let BodyExpect::Exact(template) = &spec.expect.body { Some(template) } else { None };
    let unknown = [Some(&spec.path), spec.body.as_ref(), exact]
        .into_iter()
        .flatten()
        .flat_map(|template| &template.0)
        .any(|part| matches!(part, Part::Slot(index) if *index >= spec.slots.len()));
    if choices == 0 || bad_slot || unknown {
        return Err(MixError::BadSlot(name()));
    }
    let unclean = |text: &str| text.bytes().any(|b| b == b'\r' || b == b'\n');
    let path_unclean = spec
        .path
        .0
        .iter()
        .any(|part| matches!(part, Part::Bytes(bytes) if bytes.iter().any(|&b| b <= b' ' || b == 0x7f)));
    if unclean(&spec.method)
        || spec.method.contains(' ')
        || path_unclean
        || unclean(host)
        || spec.headers.iter().any(|(key, value)| {
            unclean(key)
                || value.0.iter().any(|part| matches!(part, Part::Bytes(bytes) if bytes.contains(&b'\n')))
        })
    {
        return Err(MixError::LineBreak(name()));
    }

    let variants = (0..choices).map(|index| render_variant(&spec, host, index)).collect();
    let ints = spec
        .slots
        .iter()
        .enumerate()
        .filter_map(|(index, slot)| match slot {
            Slot::Int { min, max } => Some((index, *min, *max)),
            _ => None,
        })
        .collect();
    let is_head = spec.method == "HEAD";
    Ok(Rendered { spec, variants, ints, is_head })
}

/// The variant with this index, counted as a number whose digits are the choices.
fn render_variant(spec: &RequestSpec, host: &str, index: usize) -> Variant {
    let mut values = [0u64; MOST_SLOTS];
    let mut rest = index;
    for (value, slot) in values.iter_mut().zip(&spec.slots) {
        if let Slot::Choice(choices) = slot {
            *value = (rest % choices.len()) as u64;
            rest /= choices.len();
        }
    }
    let pieces = |template: &Template| -> Vec<Piece> {
        template
            .0
            .iter()
            .map(|part| match part {
                Part::Bytes(bytes) => Piece::Bytes(bytes.clone()),
                Part::Slot(slot) => match &spec.slots[*slot] {
                    Slot::Choice(choices) => Piece::Bytes(choices[values[*slot] as usize].clone()),
                    Slot::Int { .. } | Slot::Counter { .. } | Slot::Cell { .. } => Piece::Int(*slot),
                },
            })
            .collect()
    };
    let text = |text: String| Piece::Bytes(text.into_bytes());
    let mut head = vec![text(format!("{} ", spec.method))];
    head.extend(pieces(&spec.path));
    head.push(text(format!(" HTTP/1.1\r\nHost: {host}\r\n")));
    for (key, value) in &spec.headers {
        head.push(text(format!("{key}: ")));
        head.extend(pieces(value));
        head.push(text("\r\n".to_owned()));
    }
    let body = spec.body.as_ref().map(pieces).unwrap_or_default();
    // A method that usually carries a body says so even when it is empty (RFC 9110, 8.6).
    if spec.body.is_some() || matches!(spec.method.as_str(), "POST" | "PUT" | "PATCH") {
        head.extend([text("Content-Length: ".to_owned()), Piece::BodyLength, text("\r\n".to_owned())]);
    }
    head.push(text("\r\n".to_owned()));
    let expect = match &spec.expect.body {
        BodyExpect::Exact(template) => pieces(template),
        _ => Vec::new(),
    };
    let has_int = head.iter().chain(&body).any(|piece| matches!(piece, Piece::Int(_)));
    let fixed = (!has_int).then(|| {
        let body_bytes = body.iter().map(|piece| piece_length(piece, &values)).sum();
        let mut bytes = Vec::new();
        write_pieces(&head, &values, body_bytes, &mut bytes);
        write_pieces(&body, &values, body_bytes, &mut bytes);
        bytes
    });
    Variant { values, head, body, expect, fixed }
}

fn piece_length(piece: &Piece, values: &[u64]) -> usize {
    match piece {
        Piece::Bytes(bytes) => bytes.len(),
        Piece::Int(slot) => values[*slot].checked_ilog10().map_or(1, |log| log as usize + 1),
        Piece::BodyLength => 0,
    }
}

fn write_pieces(pieces: &[Piece], values: &[u64], body_bytes: usize, out: &mut Vec<u8>) {
    let mut digits = [0u8; 20];
    for piece in pieces {
        out.extend_from_slice(match piece {
            Piece::Bytes(bytes) => bytes,
            Piece::Int(slot) => decimal(values[*slot], &mut digits),
            Piece::BodyLength => decimal(body_bytes as u64, &mut digits),
        });
    }
}

fn decimal(mut value: u64, digits: &mut [u8; 20]) -> &[u8] {
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            return &digits[at..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Expect;

    fn user() -> RequestSpec {
        RequestSpec {
            name: "user".into(),
            weight: 1,
            method: "GET".into(),
            path: Template(vec![Part::Bytes(b"/user/".to_vec()), Part::Slot(0)]),
            headers: vec![],
            body: None,
            slots: vec![Slot::Int { min: 0, max: u64::MAX }],
            expect: Expect {
                status: 200.into(),
                content_type: None,
                headers: vec![],
                body: BodyExpect::Exact(Template(vec![Part::Slot(0)])),
            },
        }
    }

    fn coin() -> RequestSpec {
        RequestSpec {
            name: "coin".into(),
            weight: 3,
            method: "POST".into(),
            path: Template(vec![Part::Bytes(b"/coin".to_vec())]),
            headers: vec![("Content-Type".into(), Template(vec![Part::Bytes(b"application/json".to_vec())]))],
            body: Some(Template(vec![
                Part::Bytes(b"{\"bet\": ".to_vec()),
                Part::Slot(0),
                Part::Bytes(b"}".to_vec()),
            ])),
            slots: vec![Slot::Choice(vec![b"true".to_vec(), b"false".to_vec()])],
            expect: Expect {
                status: 200.into(),
                content_type: None,
                headers: vec![],
                body: BodyExpect::Checked,
            },
        }
    }

    #[test]
    fn a_request_is_rendered_with_its_choice_and_length() {
        let mix = Mix::new(vec![coin()], Order::Weighted, "h:1").unwrap();
        let mut scratch = Vec::new();
        let drawn = Drawn { request: 0, variant: 1, values: mix.requests[0].variants[1].values };
        assert_eq!(
            mix.bytes(&drawn, &mut scratch),
            b"POST /coin HTTP/1.1\r\nHost: h:1\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n{\"bet\": false}"
        );
    }

    #[test]
    fn a_number_is_written_into_path_and_expectation() {
        let mix = Mix::new(vec![user()], Order::Weighted, "h").unwrap();
        let mut scratch = Vec::new();
        for value in [0, 7, 10, 99_999, u64::MAX] {
            let mut drawn = Drawn::default();
            drawn.values[0] = value;
            assert_eq!(
                mix.bytes(&drawn, &mut scratch),
                format!("GET /user/{value} HTTP/1.1\r\nHost: h\r\n\r\n").as_bytes()
            );
            assert!(mix.is_exact(&drawn, value.to_string().as_bytes()));
            assert!(!mix.is_exact(&drawn, format!("{value}0").as_bytes()));
            assert!(!mix.is_exact(&drawn, b""));
        }
    }

    #[test]
    fn a_body_with_a_number_has_its_own_length() {
        let mut spec = user();
        spec.method = "POST".into();
        spec.body = Some(Template(vec![Part::Bytes(b"n=".to_vec()), Part::Slot(0)]));
        let mix = Mix::new(vec![spec], Order::Weighted, "h").unwrap();
        let mut drawn = Drawn::default();
        drawn.values[0] = 1234;
        let mut scratch = Vec::new();
        assert!(mix.bytes(&drawn, &mut scratch).ends_with(b"Content-Length: 6\r\n\r\nn=1234"));
    }

    #[test]
    fn draws_follow_the_weights() {
        let mix = Mix::new(vec![user(), coin()], Order::Weighted, "h").unwrap();
        let mut rng = Rng::new(1);
        let coins = (0..40_000).filter(|_| mix.draw(&mut rng).request == 1).count();
        assert!((29_500..=30_500).contains(&coins), "{coins} of 40,000 at a weight of 3 in 4");
    }

    #[test]
    fn what_cannot_be_rendered_is_refused() {
        assert_eq!(Mix::new(vec![], Order::Weighted, "h").unwrap_err(), MixError::Empty);
        let mut spec = user();
        spec.slots.clear();
        assert!(matches!(Mix::new(vec![spec], Order::Weighted, "h").unwrap_err(), MixError::BadSlot(_)));
        let mut spec = user();
        spec.slots = vec![Slot::Choice(vec![b"x".to_vec(); 100]); 3];
        assert!(matches!(
            Mix::new(vec![spec], Order::Weighted, "h").unwrap_err(),
            MixError::TooManyVariants(_)
        ));
        let mut spec = coin();
        spec.headers[0].1 = Template(vec![Part::Bytes(b"a\r\nX: y".to_vec())]);
        assert!(matches!(Mix::new(vec![spec], Order::Weighted, "h").unwrap_err(), MixError::LineBreak(_)));
    }
}
