//! A request of a workload, asked of one peer, and what its answer is worth.

use std::sync::Arc;
use std::time::{Duration, Instant};

use velo_load::{BodyChecker, Example, Exchange, Mix, Pieces, Response};
use velo_model::{Delivery, Request, Workload};

use crate::build::data::DataSet;
use crate::sides::limits::limits;
use crate::sides::origin::Peer;
use crate::sides::translate::{render_one, spoken};

/// While it starts, a contender that accepts but does not answer yet is asked again soon.
const FIRST_ANSWER_LIMIT: Duration = Duration::from_secs(1);
/// So many bytes of a body are kept before a secret that it holds.
const BEFORE_SECRET: usize = 40;
/// Between the segments of a split request: long enough that the kernel does not join them.
const SEGMENT_PAUSE: Duration = Duration::from_millis(50);
/// How much of what came back is kept, in characters.
const LONGEST: usize = 200;

/// Whether a contender that is starting answers the workload's first request correctly by now.
pub(crate) fn first_answer(peer: &Peer, workload: &Workload, data: &DataSet) -> Result<(), String> {
    let Some(request) = workload.requests.first() else { return Err("workload has no requests".to_owned()) };
    let asked = Asked::new(peer, workload, request, data)?;
    let mut exchange = connect(peer, workload, FIRST_ANSWER_LIMIT)?;
    let example = asked.examples(0).next().ok_or("workload has no requests")?;
    asked.try_once(&mut exchange, &example, Delivery::Whole, FIRST_ANSWER_LIMIT)?.verdict
}

/// A connection in the workload's protocol.
pub(crate) fn connect(peer: &Peer, workload: &Workload, limit: Duration) -> Result<Exchange, String> {
    let protocol = spoken(workload.load.protocol);
    let limit = limit + peer.network.allowance();
    let stream =
        peer.network.connect(peer.address, limit).map_err(|error| format!("no connection: {error}"))?;
    Exchange::over(stream, protocol, peer.tls.as_deref(), limits([workload]), limit)
        .map_err(|error| format!("no connection: {error}"))
}

/// A request, ready to be sent and its answers to be judged as under load.
pub(crate) struct Asked<'a> {
    request: &'a Request,
    /// How much longer an answer may take because of the network.
    allowance: Duration,
    mix: Arc<Mix>,
    checker: Arc<dyn BodyChecker>,
}

impl<'a> Asked<'a> {
    pub(crate) fn new(
        peer: &Peer,
        workload: &Workload,
        request: &'a Request,
        data: &DataSet,
    ) -> Result<Self, String> {
        let (mix, checker) =
            render_one(workload, request, data, &peer.authority).map_err(|error| error.to_string())?;
        Ok(Self { request, allowance: peer.network.allowance(), mix, checker })
    }

    pub(crate) fn examples(&self, seed: u64) -> impl Iterator<Item = Example> {
        Example::all(&self.mix, seed)
    }

    /// What the answer was, in words, and whether it is correct.
    pub(crate) fn try_once(
        &self,
        exchange: &mut Exchange,
        example: &Example,
        delivery: Delivery,
        limit: Duration,
    ) -> Result<Tried, String> {
        let pieces = match delivery {
            Delivery::Whole => Pieces::Whole,
            Delivery::Split if self.mix.protocol() == velo_load::Protocol::Http1 => {
                Pieces::Cut { by: segments, pause: SEGMENT_PAUSE }
            }
            Delivery::Split => Pieces::Cut { by: framed_segments, pause: SEGMENT_PAUSE },
        };
        let waits_ms = self.request.expect.not_before_ms.and_then(|slot| example.values.get(slot));
        let limit = limit + self.allowance + Duration::from_millis(waits_ms.copied().unwrap_or(0));
        let began = Instant::now();
        let answer = exchange.send(&self.mix, example, pieces, limit).map_err(|error| error.to_string())?;
        let elapsed = began.elapsed();
        let expected = &self.request.expect.status;
        let is_call = matches!(self.mix.protocol(), velo_load::Protocol::Grpc(_));
        let status = if is_call { answer.grpc_status() } else { Ok(answer.status) };
        let verdict = status.and_then(|status| {
            if expected.contains(status) {
                example.judge(&self.mix, self.checker.clone(), &answer, elapsed)
            } else {
                Err(format!("{}status {status} instead of {expected}", if is_call { "grpc-" } else { "" }))
            }
        });
        Ok(Tried { answer, is_call, verdict })
    }
}

/// An answer, and whether it is correct.
pub(crate) struct Tried {
    answer: Response,
    is_call: bool,
    verdict: Result<(), String>,
}

impl Tried {
    /// What the answer was, in words.
    pub(crate) fn described(&self, secret: Option<&str>) -> String {
        match self.is_call {
            true => describe_call(&self.answer),
            false => describe(self.answer.status, &self.answer.body, secret),
        }
    }

    /// A correct answer that holds what it must not is none.
    pub(crate) fn judged(self, secret: Option<&str>) -> Result<(), String> {
        self.verdict?;
        match secret.filter(|secret| place_of(secret, &self.answer.body).is_some()) {
            Some(secret) => Err(format!("the body holds `{secret}`")),
            None => Ok(()),
        }
    }
}

/// Cut inside the request line, inside a header, and inside the body if there is one.
fn segments(sent: &[u8]) -> Vec<&[u8]> {
    let line = sent.windows(2).position(|pair| pair == b"\r\n").unwrap_or(0);
    let head = sent.windows(4).position(|four| four == b"\r\n\r\n").map_or(sent.len(), |at| at + 4);
    let mut cuts = vec![line / 2, (line + head) / 2, head];
    if sent.len() > head {
        cuts.push(head + (sent.len() - head) / 2);
    }
    cut(sent, cuts)
}

/// Cut inside the first frame's own head, inside the fields, behind them, and inside the frames of the body if there are some.
fn framed_segments(sent: &[u8]) -> Vec<&[u8]> {
    const HEAD: usize = 9;
    let [a, b, c] = [0, 1, 2].map(|at| usize::from(sent.get(at).copied().unwrap_or(0)));
    let fields = (HEAD + (a << 16 | b << 8 | c)).min(sent.len());
    let mut cuts = vec![HEAD / 2, (HEAD + fields) / 2, fields];
    if sent.len() > fields {
        cuts.push(fields + (sent.len() - fields) / 2);
    }
    cut(sent, cuts)
}

/// The pieces between these places, which go upward.
fn cut(sent: &[u8], cuts: Vec<usize>) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    let mut from = 0;
    for cut in cuts.into_iter().chain([sent.len()]) {
        if cut > from && cut <= sent.len() {
            pieces.push(&sent[from..cut]);
            from = cut;
        }
    }
    pieces
}

/// The status and the start of the body; where a secret stands further behind, the part of the body around it.
fn describe(status: u16, body: &[u8], secret: Option<&str>) -> String {
    let at = secret.and_then(|secret| place_of(secret, body)).unwrap_or(0);
    let from = at.saturating_sub(BEFORE_SECRET);
    let dots = if from > 0 { "..." } else { "" };
    let body = String::from_utf8_lossy(&body[from..]);
    if body.is_empty() { status.to_string() } else { format!("{status} {dots}{body}") }
}

fn place_of(text: &str, body: &[u8]) -> Option<usize> {
    body.windows(text.len()).position(|part| part == text.as_bytes())
}

/// A message is no text; what it holds is said where it is wrong.
fn describe_call(answer: &Response) -> String {
    let code = answer.grpc_status();
    let name = code.as_ref().ok().and_then(|&code| velo_load::grpc_status_name(code));
    let bytes = answer.body.len();
    match (name, code) {
        (Some(name), _) => format!("{name}, {bytes} bytes"),
        (None, Ok(code)) => format!("grpc-status {code}, {bytes} bytes"),
        (None, Err(_)) => format!("status {}, {bytes} bytes", answer.status),
    }
}

/// Without line ends, and no longer than is kept.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_cut_in_line_header_and_body() {
        let sent = b"POST /coin HTTP/1.1\r\nHost: h:1\r\nContent-Length: 13\r\n\r\n{\"bet\": true}";
        let pieces = segments(sent);
        assert_eq!(pieces.len(), 5);
        assert_eq!(pieces.concat(), sent);
        assert!(!pieces[0].contains(&b'\r'), "the first cut is inside the request line");
        assert!(pieces[3].starts_with(b"{"));
        let get = b"GET / HTTP/1.1\r\nHost: h\r\n\r\n";
        assert_eq!(segments(get).concat(), get);
    }

    #[test]
    fn a_secret_is_found_far_behind_and_kept() {
        let page = format!("<html>{}<pre>Error: the-secret\n  at f</pre>", "\u{e9}".repeat(5000));
        let got = one_line(&describe(500, page.as_bytes(), Some("the-secret")));
        assert!(got.starts_with("500 ...") && got.contains("the-secret   at f"), "{got}");
        assert!(got.chars().count() <= LONGEST);
        assert_eq!(describe(500, b"the-secret", Some("the-secret")), "500 the-secret");
        assert_eq!(describe(204, b"", Some("the-secret")), "204");
        assert_eq!(describe(200, b"{}", None), "200 {}");
        assert_eq!((place_of("secret", b"the-secret"), place_of("secret", b"secre")), (Some(4), None));
    }

    #[test]
    fn frames_are_cut_in_head_fields_and_body() {
        let sent = b"\0\0\x06\x01\x04\0\0\0\x01fields\0\0\x04\0\x01\0\0\0\x01body";
        let pieces = framed_segments(sent);
        let lengths: Vec<usize> = pieces.iter().map(|piece| piece.len()).collect();
        assert_eq!((lengths, pieces.concat().as_slice()), (vec![4, 8, 3, 6, 7], &sent[..]));
        for odd in [&b""[..], b"\xff", b"\xff\xff\xff\x01"] {
            assert_eq!(framed_segments(odd).concat(), odd);
        }
    }
}
