//! Whether a contender answers as its workloads ask, before anything is measured.

use std::time::{Duration, Instant};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use velo_load::{Exchange, Response};
use velo_record::CaseRecord;
use velo_spec::{
    Case, CaseRequest, CheckedBody, Delivery, Expectation, Request, SlotValue, StatusExpectation, Workload,
};

use crate::data::DataSet;
use crate::origin::Peer;

/// The case of a contender that reads files.
pub(crate) const RENEWED: &str = "its files are read anew after a change";
const ANSWER_LIMIT: Duration = Duration::from_secs(5);
/// While it starts, a contender that accepts but does not answer yet is asked again soon.
const FIRST_ANSWER_LIMIT: Duration = Duration::from_secs(1);
/// Between the segments of a split request: long enough that the kernel does not join them.
const SEGMENT_PAUSE: Duration = Duration::from_millis(50);

/// The bytes of a request with drawn values, and the values.
pub(crate) fn render(
    request: &Request,
    data: &DataSet,
    host: &str,
    random: &mut impl Rng,
) -> (Vec<u8>, Vec<SlotValue>) {
    let values: Vec<SlotValue> = request.slots.iter().map(|slot| data.draw(slot.kind, random)).collect();
    let body = request.body.as_ref().map(|body| body.render(&values));
    let path = request.path.render(&values);
    (bytes(&request.method, &path, host, request.content_type.as_deref(), body.as_deref()), values)
}

/// A request as `velo` sends it.
pub fn bytes(
    method: &str,
    path: &str,
    host: &str,
    content_type: Option<&str>,
    body: Option<&str>,
) -> Vec<u8> {
    let mut text = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n");
    if let Some(content_type) = content_type {
        text.push_str(&format!("Content-Type: {content_type}\r\n"));
    }
    if body.is_some() || matches!(method, "POST" | "PUT" | "PATCH") {
        text.push_str(&format!("Content-Length: {}\r\n", body.map_or(0, str::len)));
    }
    text.push_str("\r\n");
    text.push_str(body.unwrap_or_default());
    text.into_bytes()
}

/// Whether a contender that is starting answers the workload's first request correctly by now.
pub(crate) fn first_answer(peer: &Peer, workload: &Workload, data: &DataSet) -> Result<(), String> {
    let Some(request) = workload.requests.first() else { return Err("the workload asks nothing".to_owned()) };
    let mut random = ChaCha8Rng::seed_from_u64(0);
    let (sent, values) = render(request, data, &peer.authority, &mut random);
    let mut exchange = Exchange::connect(peer.address, FIRST_ANSWER_LIMIT)
        .map_err(|error| format!("no connection: {error}"))?;
    let began = Instant::now();
    let answer = exchange
        .send(
            &[&sent],
            Duration::ZERO,
            request.method == "HEAD",
            FIRST_ANSWER_LIMIT + waits(request, &values),
        )
        .map_err(|error| error.to_string())?;
    check(&request.expect, &values, &answer, began.elapsed())
}

/// How long a request must wait for its answer at least.
fn waits(request: &Request, values: &[SlotValue]) -> Duration {
    match request.expect.not_before_ms.and_then(|slot| values.get(slot)) {
        Some(SlotValue::Int(ms)) => Duration::from_millis(*ms),
        _ => Duration::ZERO,
    }
}

/// Tries every case of a workload.
pub(crate) fn verify(peer: &Peer, workload: &Workload, data: &DataSet, seed: u64) -> Vec<CaseRecord> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let cases = workload.cases.iter();
    cases.map(|case| record(workload, case, run_case(peer, workload, case, data, &mut random))).collect()
}

/// Whether answers come from the files that lie there now, which are others than a moment ago.
pub(crate) fn verify_renewed(peer: &Peer, workload: &Workload, data: &DataSet, seed: u64) -> CaseRecord {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let case = Case {
        name: RENEWED.to_owned(),
        send: CaseRequest::Valid { request: 0 },
        delivery: Delivery::Whole,
        repeat: 3,
        required: true,
    };
    record(workload, &case, run_case(peer, workload, &case, data, &mut random))
}

fn record(workload: &Workload, case: &Case, result: Result<String, String>) -> CaseRecord {
    let (passed, got) = match result {
        Ok(got) => (true, got),
        Err(got) => (false, got),
    };
    CaseRecord {
        workload: workload.name.clone(),
        case: case.name.clone(),
        required: case.required,
        passed,
        got: one_line(&got),
    }
}

enum Judge<'a> {
    Valid(&'a Expectation, Vec<SlotValue>),
    Own(&'a [StatusExpectation], Option<&'a Expectation>),
}

fn run_case(
    peer: &Peer,
    workload: &Workload,
    case: &Case,
    data: &DataSet,
    random: &mut ChaCha8Rng,
) -> Result<String, String> {
    let host = &peer.authority;
    let mut exchange =
        Exchange::connect(peer.address, ANSWER_LIMIT).map_err(|error| format!("no connection: {error}"))?;
    let mut got = String::new();
    for round in 1..=case.repeat.max(1) {
        let mut limit = ANSWER_LIMIT;
        let (sent, method, judge) = match &case.send {
            CaseRequest::Valid { request } => {
                let Some(request) = workload.requests.get(*request) else {
                    return Err("the case names no request of the mix".to_owned());
                };
                let (sent, values) = render(request, data, host, random);
                limit += waits(request, &values);
                (sent, request.method.as_str(), Judge::Valid(&request.expect, values))
            }
            CaseRequest::Own { method, path, content_type, body, status, expect } => {
                let sent = bytes(method, path, host, content_type.as_deref(), body.as_deref());
                (sent, method.as_str(), Judge::Own(status, expect.as_ref()))
            }
        };
        let pieces = match case.delivery {
            Delivery::Whole => vec![sent.as_slice()],
            Delivery::Split => segments(&sent),
        };
        let began = Instant::now();
        let answer = exchange.send(&pieces, SEGMENT_PAUSE, method == "HEAD", limit).map_err(|error| {
            if case.repeat > 1 { format!("request {round}: {error}") } else { error.to_string() }
        })?;
        let elapsed = began.elapsed();
        got = describe(&answer);
        match judge {
            Judge::Valid(expect, values) => {
                check(expect, &values, &answer, elapsed).map_err(|why| format!("{got}: {why}"))?;
            }
            Judge::Own(status, expect) => {
                if !status.iter().any(|status| status.accepts(answer.status)) {
                    let wanted: Vec<String> = status.iter().map(ToString::to_string).collect();
                    return Err(format!("{got}, expected {}", wanted.join(" or ")));
                }
                if let Some(expect) = expect {
                    check(expect, &[], &answer, elapsed).map_err(|why| format!("{got}: {why}"))?;
                }
            }
        }
        if round < case.repeat && !exchange.is_open() {
            return Err(format!("closed the connection after {round} of {} requests", case.repeat));
        }
    }
    Ok(got)
}

fn check(
    expect: &Expectation,
    values: &[SlotValue],
    answer: &Response,
    elapsed: Duration,
) -> Result<(), String> {
    if answer.status != expect.status {
        return Err(format!("status {} instead of {}", answer.status, expect.status));
    }
    if let Some(wanted) = &expect.content_type {
        let got = answer.content_type.as_deref().unwrap_or("none");
        if !velo_spec::content_type_matches(wanted, got) {
            return Err(format!("content type {got} instead of {wanted}"));
        }
    }
    if let CheckedBody::Wrong(why) = expect.body.check(values, &answer.body) {
        return Err(why);
    }
    match expect.is_too_early(values, elapsed.as_nanos() as u64) {
        Some(least_ns) => Err(format!(
            "answered after {:.1} ms instead of {} or more",
            elapsed.as_secs_f64() * 1e3,
            least_ns / 1_000_000
        )),
        None => Ok(()),
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
    let mut pieces = Vec::new();
    let mut from = 0;
    for cut in cuts.into_iter().chain([sent.len()]) {
        if cut > from {
            pieces.push(&sent[from..cut]);
            from = cut;
        }
    }
    pieces
}

fn describe(answer: &Response) -> String {
    let body = String::from_utf8_lossy(&answer.body);
    if body.is_empty() { answer.status.to_string() } else { format!("{} {body}", answer.status) }
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_cut_in_line_header_and_body() {
        let sent = bytes("POST", "/coin", "h:1", Some("application/json"), Some("{\"bet\": true}"));
        let pieces = segments(&sent);
        assert_eq!(pieces.len(), 5);
        assert_eq!(pieces.concat(), sent);
        assert!(!pieces[0].contains(&b'\r'), "the first cut is inside the request line");
        assert!(pieces[3].starts_with(b"{"));
        let get = bytes("GET", "/", "h", None, None);
        assert_eq!(get, b"GET / HTTP/1.1\r\nHost: h\r\n\r\n");
        assert_eq!(segments(&get).concat(), get);
    }
}
