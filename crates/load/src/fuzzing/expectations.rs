use std::sync::Arc;

use arbitrary::{Arbitrary, Unstructured};

use super::input::{Answer, Body, Input, Request};
use super::oracle::{self, Checker, Class, Received};
use crate::classifier::{Classifier, Verdict};
use crate::mix::{MOST_SLOTS, Mix};
use crate::protocol::Limits;
use crate::protocol::http1::{self, HeadCache, Reader};
use crate::request::BodyExpect;

const HOST: &str = "h:1";
/// A verdict's words are for one line of a terminal.
const MOST_WORDS: usize = 1000;

/// Requests, and answers to them: what is sent and what the answers are worth must be what a plain oracle says.
pub fn expectations(data: &[u8]) {
    let Ok(input) = Input::arbitrary(&mut Unstructured::new(data)) else { return };
    let specs = input.requests.iter().map(|request| request.spec.clone()).collect();
    let sound = oracle::is_sound(&input.requests, input.order);
    let mix = match Mix::new(specs, input.order, HOST) {
        Ok(mix) => mix,
        Err(error) => {
            assert!(!sound, "{error}");
            return one_line(&error.to_string());
        }
    };
    assert!(sound, "a mix that the oracle refuses");

    let mut drawer = mix.drawer(input.seed, input.worker, input.workers);
    let mut classifier = Classifier::new(&mix, Arc::new(Checker));
    let mut cache = HeadCache::default();
    let mut drawn_before = vec![0; input.requests.len()];
    let mut firsts = vec![None; input.requests.len()];
    for (turn, answer) in (0..).zip(&input.answers) {
        let drawn = mix.draw(&mut drawer, turn);
        let index = usize::from(drawn.request);
        let request = &input.requests[index];
        let mut room = [0; MOST_SLOTS];
        let values = mix.values(&drawn, &mut room);
        let (worker, workers) = (input.worker as u64, input.workers as u64);
        assert!(oracle::may_have(request, values, drawn_before[index], worker, workers), "{values:?}");
        drawn_before[index] += 1;

        let (mut scratch, mut appended) = (Vec::new(), Vec::new());
        let sent = oracle::render(request, HOST, values);
        assert_eq!(mix.bytes(&drawn, &mut scratch), sent);
        mix.append(&drawn, &mut appended);
        assert_eq!(appended, sent);

        let is_head = mix.is_head(&drawn);
        assert_eq!(is_head, request.spec.method == "HEAD");
        let body = body(answer, request, values, firsts[index].as_deref());
        let bytes = written(answer, &body);
        let body = if is_head || matches!(answer.status, 204 | 304) { &[] } else { body.as_slice() };
        if answer.forgotten {
            cache = HeadCache::default();
        }
        let mut reader = Reader::default();
        let (_, read) = reader.feed(&bytes, is_head, true, &mut cache, &Limits::default());
        let http1::Answer::Whole { head, body: read, .. } = read else {
            panic!("{read:?} of a whole answer")
        };
        assert_eq!((head.status, read), (answer.status, body));

        let received = Received { status: answer.status, fields: &answer.fields, body };
        let wanted = oracle::classify(index, request, values, &received, &mut firsts[index]);
        let got = match classifier.classify(&mix, &drawn, &head, body) {
            Verdict::Correct(toss) => Class::Correct(toss),
            Verdict::HttpError | Verdict::GrpcError { .. } => Class::HttpError,
            Verdict::Wrong(why) => {
                one_line(&why);
                Class::Wrong
            }
        };
        assert_eq!(got, wanted);
    }
}

/// The body that an answer has, or would have if its request were not `HEAD`.
fn body(answer: &Answer, request: &Request, values: &[u64], first: Option<&[u8]>) -> Vec<u8> {
    let wanted = || match &request.spec.expect.body {
        BodyExpect::Exact(template) => oracle::fill(template, &request.spec.slots, values),
        BodyExpect::Length { min, .. } => vec![b'x'; *min],
        BodyExpect::Same => first.unwrap_or(b"first").to_vec(),
        BodyExpect::Any | BodyExpect::Empty | BodyExpect::Checked | BodyExpect::CheckedAlike => Vec::new(),
    };
    match &answer.body {
        Body::Wanted => wanted(),
        Body::Nearly(change) => {
            let mut body = wanted();
            match body.len() {
                0 => body.push(*change),
                length if change % 3 == 0 => body.truncate(length - 1),
                length => body[usize::from(*change) % length] ^= change % 16,
            }
            body
        }
        Body::Bytes(bytes) => bytes.clone(),
    }
}

fn written(answer: &Answer, body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 {} x\r\n", answer.status).into_bytes();
    for (name, value) in &answer.fields {
        bytes.extend([name.as_bytes(), b":", value, b"\r\n"].concat());
    }
    let length = format!("Content-Length: {}\r\n\r\n", body.len());
    [bytes, length.into_bytes(), body.to_vec()].concat()
}

fn one_line(words: &str) {
    assert!(words.len() <= MOST_WORDS, "{} bytes: {words}", words.len());
    assert!(!words.chars().any(char::is_control), "{words:?}");
}
