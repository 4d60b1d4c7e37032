//! All requests of a target, rendered, and what belongs to one that was drawn.

use super::drawn::Drawn;
use super::error::MixError;
use super::fields::{Carried, Fields};
use super::limits::{MOST_REQUESTS, MOST_SLOTS};
use super::render::Rendered;
use crate::request::{BodyExpect, Order, Protocol, RequestSpec};

/// Timers of whole milliseconds end up to one too early by a finer clock.
const EARLY_NS: u64 = 1_000_000;

/// All requests of a target, rendered.
#[derive(Debug)]
pub struct Mix {
    pub(crate) requests: Vec<Rendered>,
    /// Cumulated weights.
    pub(super) weights: Vec<u64>,
    pub(super) order: Order,
    protocol: Protocol,
    /// The requests as HTTP/2 carries them.
    carried: Carried,
}

impl Mix {
    /// Renders requests for HTTP/1.1 and a host, the value of `Host` where a request does not give its own.
    ///
    /// # Errors
    /// When a request cannot be rendered.
    pub fn new(requests: Vec<RequestSpec>, order: Order, host: &str) -> Result<Self, MixError> {
        Self::for_protocol(requests, order, host, Protocol::Http1)
    }

    /// Renders requests for a protocol and a host, the value of `Host` or `:authority` where a request does not give its own.
    ///
    /// # Errors
    /// When a request cannot be rendered.
    pub fn for_protocol(
        requests: Vec<RequestSpec>,
        order: Order,
        host: &str,
        protocol: Protocol,
    ) -> Result<Self, MixError> {
        if requests.len() > MOST_REQUESTS {
            return Err(MixError::TooManyRequests(requests.len()));
        }
        if host.bytes().any(|b| b <= b' ' || b == 0x7f) {
            return Err(MixError::BadHost(host.to_owned()));
        }
        let mut sum = 0;
        let weights: Vec<u64> = requests
            .iter()
            .map(|request| {
                sum += u64::from(request.weight);
                sum
            })
            .collect();
        if requests.is_empty() || (order == Order::Weighted && sum == 0) {
            return Err(MixError::Empty);
        }
        let render = |spec: RequestSpec| {
            let request = spec.name.clone();
            Rendered::new(spec, host, protocol).map_err(|problem| MixError::Request { request, problem })
        };
        let rendered = requests.into_iter().map(render).collect::<Result<Vec<_>, _>>()?;
        let (requests, listed): (Vec<_>, Vec<_>) = rendered.into_iter().unzip();
        Ok(Self { requests, weights, order, protocol, carried: Carried::new(listed) })
    }

    /// What the requests were rendered for.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// The requests as HTTP/2 carries them.
    #[inline]
    pub(crate) fn carried(&self) -> &Carried {
        &self.carried
    }

    /// A drawn request as HTTP/2 carries it.
    #[inline]
    pub(crate) fn fields(&self, drawn: &Drawn) -> &Fields {
        self.carried.fields(drawn)
    }

    /// The requests' names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.requests.iter().map(|request| request.name.as_str())
    }

    /// What a drawn request was rendered to.
    #[inline]
    pub(crate) fn request(&self, drawn: &Drawn) -> &Rendered {
        &self.requests[usize::from(drawn.request)]
    }

    /// The bytes of a drawn request; `scratch` holds them when they have to be written anew.
    #[inline]
    pub(crate) fn bytes<'a>(&'a self, drawn: &Drawn, scratch: &'a mut Vec<u8>) -> &'a [u8] {
        let variant = self.request(drawn).variant(drawn);
        if let Some(fixed) = variant.fixed() {
            return fixed;
        }
        scratch.clear();
        variant.write(&drawn.values, scratch);
        scratch
    }

    /// Appends the bytes of a drawn request.
    pub(crate) fn append(&self, drawn: &Drawn, out: &mut Vec<u8>) {
        self.request(drawn).variant(drawn).write(&drawn.values, out);
    }

    /// Whether a drawn request is answered without a body (RFC 9110, 9.3.2).
    #[inline]
    pub(crate) fn is_head(&self, drawn: &Drawn) -> bool {
        self.request(drawn).is_head
    }

    /// Whether an answer to any request depends on its body.
    pub(crate) fn needs_bodies(&self) -> bool {
        self.requests.iter().any(|request| !matches!(request.expect.body, BodyExpect::Any))
    }

    /// Whether a body is the one that a drawn request with [`crate::BodyExpect::Exact`] must get.
    #[inline]
    pub(crate) fn is_exact(&self, drawn: &Drawn, body: &[u8]) -> bool {
        self.request(drawn).variant(drawn).is_expected(&drawn.values, body)
    }

    /// Whether the answer to a drawn request must not come before a time.
    #[inline]
    pub(crate) fn must_wait(&self, drawn: &Drawn) -> bool {
        self.request(drawn).expect.not_before_ms.is_some()
    }

    /// How many milliseconds had to pass before the answer to a drawn request, when it came before that.
    pub(crate) fn too_early(&self, drawn: &Drawn, elapsed_ns: u64) -> Option<u64> {
        let slot = self.request(drawn).expect.not_before_ms?;
        let ms = *self.values(drawn, &mut [0; MOST_SLOTS]).get(slot)?;
        (elapsed_ns.saturating_add(EARLY_NS) < ms.saturating_mul(1_000_000)).then_some(ms)
    }

    /// The body that a drawn request with [`crate::BodyExpect::Exact`] must get.
    pub(crate) fn expected(&self, drawn: &Drawn) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.request(drawn).variant(drawn).write_expected(&drawn.values, &mut bytes);
        bytes
    }
}
