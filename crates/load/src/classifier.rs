//! Whether an answer is the one that its request must get. No sockets, no clocks.

use std::rc::Rc;
use std::sync::Arc;

use crate::check::{BodyChecker, Seen, Toss};
use crate::mix::{Drawn, MOST_SLOTS, Mix};
use crate::protocol::{GrpcStatus, Head};
use crate::request::{BodyExpect, Expect, HeaderExpect, Protocol};
use crate::show::{plain, show, show_most};

/// What an answer is worth.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// As expected, with the toss that it tells of, if any.
    Correct(Option<Toss>),
    /// Another status.
    HttpError,
    /// Another `grpc-status`, with its `grpc-message`.
    GrpcError { code: u16, message: String },
    /// The status as expected, but not the rest: what is wrong, in one line.
    Wrong(String),
}

/// Classifies the answers to the requests of one mix. What it has found correct before it compares by pointer or by
/// bytes, because that is all that there is time for at some hundred thousand answers a second.
pub(crate) struct Classifier {
    checker: Arc<dyn BodyChecker>,
    requests: Vec<Known>,
    /// Whether the first answer is kept.
    pub(crate) keeps_first: bool,
    pub(crate) first: Option<FirstAnswer>,
    /// How many bytes of bodies may still be remembered.
    room: usize,
}

/// The first answer to anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstAnswer {
    /// The status code.
    pub status: u16,
    /// The fields, each on a line, those behind the body last; not always UTF-8.
    pub fields: Vec<u8>,
    /// The body; of a stream of messages, none.
    pub body: Vec<u8>,
}

/// What is known to be correct for a request.
#[derive(Default)]
struct Known {
    heads: Heads,
    /// For each variant, when its bodies are checked and depend on nothing else.
    bodies: Vec<Seen>,
}

/// Heads found correct, by address: the cache of heads hands out the same one for the same bytes. Holding them
/// keeps an address from being used again.
#[derive(Default)]
struct Heads {
    heads: Vec<Rc<Head>>,
    oldest: usize,
}

/// As many as the cache of heads holds.
const MOST_HEADS: usize = 8;
/// The most bytes of bodies remembered for all requests together.
const MOST_BYTES: usize = 8 << 20;
/// The longest body that later ones can be compared with.
const LONGEST_SAME: usize = 8 << 20;
/// The most bytes that are shown of the body of an answer with another status.
const MOST_OF_A_BODY: usize = 200;
/// Where two bodies that part later are not shown from their start.
const LATE: usize = 40;

impl Classifier {
    /// A classifier that has seen nothing.
    pub(crate) fn new(mix: &Mix, checker: Arc<dyn BodyChecker>) -> Self {
        let requests = mix
            .requests
            .iter()
            .map(|request| {
                let mut known = Known::default();
                // A number in the request may decide what is correct, so such answers are checked one by one.
                let is_known = match request.expect.body {
                    BodyExpect::Checked => request.is_fixed(),
                    BodyExpect::CheckedAlike => true,
                    _ => false,
                };
                if is_known {
                    known.bodies.resize_with(request.variant_count(), Seen::default);
                }
                known
            })
            .collect();
        Self { checker, requests, keeps_first: false, first: None, room: MOST_BYTES }
    }

    /// Classifies the answer to a request that was drawn from the mix.
    // Left to itself the compiler calls it, which costs 20 instructions a request.
    #[inline(always)]
    pub(crate) fn classify(&mut self, mix: &Mix, drawn: &Drawn, head: &Rc<Head>, body: &[u8]) -> Verdict {
        if let Some(verdict) = self.refuses_head(mix, drawn, head, body) {
            return verdict;
        }
        self.classify_body(mix, drawn, head, body)
    }

    /// Classifies the end of a stream of messages that were classified one by one.
    pub(crate) fn classify_end(&mut self, mix: &Mix, drawn: &Drawn, head: &Rc<Head>) -> Verdict {
        self.refuses_head(mix, drawn, head, &[]).unwrap_or(Verdict::Correct(None))
    }

    /// What the head alone decides.
    #[inline(always)]
    fn refuses_head(&mut self, mix: &Mix, drawn: &Drawn, head: &Rc<Head>, body: &[u8]) -> Option<Verdict> {
        let expect = &mix.request(drawn).expect;
        let known = &mut self.requests[usize::from(drawn.request)];
        if !known.heads.contains(head) {
            // The first head of all is one that is not known.
            if self.keeps_first && self.first.is_none() {
                self.first = Some(FirstAnswer::new(head, body));
            }
            if let Some(verdict) = refused_head(mix, expect, head) {
                return Some(verdict);
            }
            known.heads.insert(head);
        }
        None
    }

    /// Classifies a body whose head is as expected.
    #[inline(always)]
    pub(crate) fn classify_body(&mut self, mix: &Mix, drawn: &Drawn, head: &Head, body: &[u8]) -> Verdict {
        let expect = &mix.request(drawn).expect;
        let known = &mut self.requests[usize::from(drawn.request)];
        match &expect.body {
            BodyExpect::Any => Verdict::Correct(None),
            BodyExpect::Empty if body.is_empty() => Verdict::Correct(None),
            BodyExpect::Exact(_) if mix.is_exact(drawn, body) => Verdict::Correct(None),
            BodyExpect::Length { min, max } if (*min..=*max).contains(&body.len()) => Verdict::Correct(None),
            BodyExpect::Same => same(mix, drawn, body),
            BodyExpect::Checked | BodyExpect::CheckedAlike => {
                match known.bodies.get(drawn.variant_index()).and_then(|seen| seen.get(body)) {
                    Some(toss) => Verdict::Correct(toss),
                    None => self.check(mix, drawn, head, body),
                }
            }
            BodyExpect::Empty | BodyExpect::Exact(_) | BodyExpect::Length { .. } => {
                Verdict::Wrong(wrong_body(&expect.body, mix, drawn, body))
            }
        }
    }

    #[inline(never)]
    fn check(&mut self, mix: &Mix, drawn: &Drawn, head: &Head, body: &[u8]) -> Verdict {
        // A call that fails has no message.
        if body.is_empty() && has_failed(mix, head) {
            return Verdict::Correct(None);
        }
        let mut room = [0; MOST_SLOTS];
        match self.checker.check(usize::from(drawn.request), mix.values(drawn, &mut room), body) {
            Ok(toss) => {
                let bodies = &mut self.requests[usize::from(drawn.request)].bodies;
                if let Some(seen) = bodies.get_mut(drawn.variant_index()) {
                    seen.insert(body, toss, &mut self.room);
                }
                Verdict::Correct(toss)
            }
            Err(why) => Verdict::Wrong(format!("{}: {}", plain(&why), show(body))),
        }
    }
}

impl FirstAnswer {
    #[cold]
    fn new(head: &Head, body: &[u8]) -> Self {
        Self { status: head.status, fields: head.lines(), body: body.to_vec() }
    }
}

/// An answer of another status than its request must get, in one line.
pub(crate) fn other_status(mix: &Mix, drawn: &Drawn, head: &Head, body: &[u8]) -> String {
    let status = head.status;
    let what = match mix.protocol() {
        Protocol::Grpc(_) => format!("HTTP status {status}, which is no answer of gRPC"),
        _ => format!("{status} where {} was expected", mix.request(drawn).expect.status),
    };
    if body.is_empty() {
        return format!("{what}, without a body");
    }
    format!("{what}: {}", show_most(body, MOST_OF_A_BODY))
}

impl Heads {
    #[inline]
    fn contains(&self, head: &Rc<Head>) -> bool {
        self.heads.iter().any(|known| Rc::ptr_eq(known, head))
    }

    fn insert(&mut self, head: &Rc<Head>) {
        // One that nobody else holds will not come again.
        if Rc::strong_count(head) == 1 {
            return;
        }
        if self.heads.len() < MOST_HEADS {
            self.heads.push(Rc::clone(head));
        } else {
            self.heads[self.oldest] = Rc::clone(head);
            self.oldest = (self.oldest + 1) % MOST_HEADS;
        }
    }
}

/// What is wrong with a head.
fn refused_head(mix: &Mix, expect: &Expect, head: &Head) -> Option<Verdict> {
    if matches!(mix.protocol(), Protocol::Grpc(_)) {
        return refused_call(expect, head);
    }
    if !expect.status.contains(head.status) {
        return Some(Verdict::HttpError);
    }
    wrong_head(expect, head).map(Verdict::Wrong)
}

/// The same of the answer to a call.
fn refused_call(expect: &Expect, head: &Head) -> Option<Verdict> {
    match GrpcStatus::of(head) {
        GrpcStatus::HttpError => Some(Verdict::HttpError),
        GrpcStatus::Wrong(why) => Some(Verdict::Wrong(why)),
        GrpcStatus::Code { code, .. } if expect.status.contains(code) => {
            wrong_head(expect, head).map(Verdict::Wrong)
        }
        GrpcStatus::Code { code, message } => Some(Verdict::GrpcError { code, message }),
    }
}

/// What is wrong with a head of the right status.
fn wrong_head(expect: &Expect, head: &Head) -> Option<String> {
    if let Some(wanted) = &expect.content_type
        && head.content_type.as_ref() != Some(wanted)
    {
        let got = plain(head.content_type.as_deref().unwrap_or("none"));
        return Some(format!("content type {got} instead of {}", plain(wanted)));
    }
    expect.headers.iter().find_map(|wanted| wrong_header(wanted, head))
}

fn wrong_header(wanted: &HeaderExpect, head: &Head) -> Option<String> {
    let Some(first) = head.header(&wanted.name).next() else {
        return Some(format!("no header {}", plain(&wanted.name)));
    };
    let value = wanted.value.as_ref()?.trim_ascii();
    if head.header(&wanted.name).any(|got| got == value.as_bytes()) {
        return None;
    }
    Some(format!("header {} is {} instead of {}", plain(&wanted.name), show(first), show(value.as_bytes())))
}

fn same(mix: &Mix, drawn: &Drawn, body: &[u8]) -> Verdict {
    let first = &mix.request(drawn).first_body;
    let first = match first.get() {
        Some(first) => first,
        None if body.len() > LONGEST_SAME => {
            let bytes = body.len();
            return Verdict::Wrong(format!(
                "a first body of {bytes} bytes: at most {LONGEST_SAME} can be compared with"
            ));
        }
        None => first.get_or_init(|| body.into()),
    };
    if **first == *body {
        return Verdict::Correct(None);
    }
    Verdict::Wrong(difference(body, first, "as in the first answer"))
}

/// Whether an answer tells of a call that failed, as its request may expect.
#[cold]
fn has_failed(mix: &Mix, head: &Head) -> bool {
    matches!(mix.protocol(), Protocol::Grpc(_))
        && matches!(GrpcStatus::of(head), GrpcStatus::Code { code: 1.., .. })
}

#[cold]
fn wrong_body(expect: &BodyExpect, mix: &Mix, drawn: &Drawn, body: &[u8]) -> String {
    match expect {
        BodyExpect::Empty => format!("a body where none belongs: {}", show(body)),
        BodyExpect::Length { min, max } if min == max => {
            format!("a body of {} bytes instead of {min}: {}", body.len(), show(body))
        }
        BodyExpect::Length { min, max } => {
            format!("a body of {} bytes instead of {min} to {max}: {}", body.len(), show(body))
        }
        _ => difference(body, &mix.expected(drawn), ""),
    }
}

/// Where a body parts from the one that was wanted.
fn difference(body: &[u8], wanted: &[u8], why: &str) -> String {
    let blank = if why.is_empty() { "" } else { " " };
    let alike = body.iter().zip(wanted).take_while(|(got, wanted)| got == wanted).count();
    if alike < LATE {
        return format!("body {} instead of {}{blank}{why}", show(body), show(wanted));
    }
    let (got, wanted) = (&body[alike..], &wanted[alike..]);
    format!("body {} instead of {}{blank}{why}, after {alike} equal bytes", show(got), show(wanted))
}

#[cfg(test)]
mod tests;
