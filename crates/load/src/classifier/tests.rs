use std::sync::Mutex;

use proptest::prelude::*;

use super::*;
use crate::mix::testing::{choice, drawn, get, only, template};
use crate::protocol::http1::{FramedHead, parse_head};
use crate::request::{Order, RequestSpec, Slot, StatusSet};

/// A request, its values and its answer's body.
type Asking = (usize, Vec<u64>, Vec<u8>);

/// Accepts the body `ok` and, with a toss, the body `win`; remembers what it was asked.
#[derive(Default)]
struct Asked(Mutex<Vec<Asking>>);

const TOSS: Toss = Toss { bet: true, draw: false };

impl BodyChecker for Asked {
    fn check(&self, request: usize, values: &[u64], body: &[u8]) -> Result<Option<Toss>, String> {
        self.0.lock().unwrap().push((request, values.to_vec(), body.to_vec()));
        match body {
            b"ok" => Ok(None),
            b"win" => Ok(Some(TOSS)),
            _ => Err("not\nok".to_owned()),
        }
    }
}

impl Asked {
    fn times(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

fn head(text: &str) -> Rc<Head> {
    parse_head(text.as_bytes()).unwrap().head
}

fn plain_head() -> Rc<Head> {
    head("HTTP/1.1 200 OK\r\n\r\n")
}

fn expecting(body: BodyExpect) -> RequestSpec {
    let mut spec = get("/", vec![]);
    spec.expect.body = body;
    spec
}

/// The verdict of a fresh classifier on an answer to the only request.
fn verdict(spec: RequestSpec, head: &Rc<Head>, body: &[u8]) -> Verdict {
    let mix = only(spec);
    Classifier::new(&mix, Arc::new(Asked::default())).classify(&mix, &drawn(0, &[]), head, body)
}

fn wrong(why: &str) -> Verdict {
    Verdict::Wrong(why.to_owned())
}

const CORRECT: Verdict = Verdict::Correct(None);

#[test]
fn the_status_is_one_of_the_set() {
    let mut spec = expecting(BodyExpect::Any);
    spec.expect.status = StatusSet::range(200, 204).and(404.into());
    for (code, expected) in [
        (199, Verdict::HttpError),
        (200, CORRECT),
        (204, CORRECT),
        (205, Verdict::HttpError),
        (404, CORRECT),
        (500, Verdict::HttpError),
        (999, Verdict::HttpError),
    ] {
        assert_eq!(
            verdict(spec.clone(), &head(&format!("HTTP/1.1 {code} x\r\n\r\n")), b"x"),
            expected,
            "{code}"
        );
    }
}

#[test]
fn the_content_type_is_compared_without_parameters() {
    let mut spec = expecting(BodyExpect::Any);
    spec.expect.content_type = Some("application/json".into());
    let with = |line: &str| verdict(spec.clone(), &head(&format!("HTTP/1.1 200 OK\r\n{line}\r\n")), b"");
    assert_eq!(with("Content-Type: Application/JSON; charset=utf-8\r\n"), CORRECT);
    assert_eq!(
        with("Content-Type: text/html\r\n"),
        wrong("content type text/html instead of application/json")
    );
    assert_eq!(with(""), wrong("content type none instead of application/json"));
}

#[test]
fn a_wanted_header_is_there_and_one_of_its_name_has_the_value() {
    let mut spec = expecting(BodyExpect::Any);
    let wanted =
        |name: &str, value: Option<&str>| HeaderExpect { name: name.into(), value: value.map(str::to_owned) };
    spec.expect.headers = vec![wanted("x-a", None), wanted("ETag", Some(" \"5\" "))];
    let with = |lines: &str| verdict(spec.clone(), &head(&format!("HTTP/1.1 200 OK\r\n{lines}\r\n")), b"");
    assert_eq!(with("X-A:\r\nEtag: \"5\"\r\n"), CORRECT);
    assert_eq!(with("X-A: b\r\nETAG: \"4\"\r\netag:\"5\" \r\n"), CORRECT);
    assert_eq!(with("ETag: \"5\"\r\n"), wrong("no header x-a"));
    assert_eq!(with("X-A: b\r\nX-ETag: \"5\"\r\n"), wrong("no header ETag"));
    assert_eq!(
        with("X-A: b\r\nETag: \"6\"\r\nETag: W/\"5\"\r\n"),
        wrong("header ETag is \"\\\"6\\\"\" instead of \"\\\"5\\\"\"")
    );
    assert_eq!(
        with("X-A: b\r\nETag: \u{85}\u{202e}\r\n"),
        wrong("header ETag is \"\\u{85}\\u{202e}\" instead of \"\\\"5\\\"\"")
    );
}

#[test]
fn bodies_are_any_empty_or_of_a_length() {
    assert_eq!(verdict(expecting(BodyExpect::Any), &plain_head(), b"\0\xff"), CORRECT);
    assert_eq!(verdict(expecting(BodyExpect::Empty), &plain_head(), b""), CORRECT);
    assert_eq!(
        verdict(expecting(BodyExpect::Empty), &plain_head(), b"\n"),
        wrong("a body where none belongs: \"\\n\"")
    );
    let length =
        |min, max, body: &[u8]| verdict(expecting(BodyExpect::Length { min, max }), &plain_head(), body);
    assert_eq!([length(2, 3, b"ab"), length(2, 3, b"abc"), length(0, 0, b"")], [CORRECT, CORRECT, CORRECT]);
    assert_eq!(length(2, 3, b"a"), wrong("a body of 1 bytes instead of 2 to 3: \"a\""));
    assert_eq!(length(2, 3, b"abcd"), wrong("a body of 4 bytes instead of 2 to 3: \"abcd\""));
    assert_eq!(length(2, 2, b"abc"), wrong("a body of 3 bytes instead of 2: \"abc\""));
}

#[test]
fn an_exact_body_holds_the_requests_own_slots() {
    let slots = vec![choice(&["a", "b"]), Slot::Int { min: 0, max: 99 }];
    let mut spec = get("/", slots);
    spec.expect.body = BodyExpect::Exact(template("{0}={1}."));
    let mix = only(spec);
    let mut classifier = Classifier::new(&mix, Arc::new(Asked::default()));
    let mut classified = |variant, value, body: &[u8]| {
        classifier.classify(&mix, &drawn(variant, &[value]), &plain_head(), body)
    };
    assert_eq!(classified(0, 5, b"a=5."), CORRECT);
    assert_eq!(classified(1, 50, b"b=50."), CORRECT);
    assert_eq!(classified(1, 5, b"b=50."), wrong("body \"b=50.\" instead of \"b=5.\""));
    assert_eq!(classified(0, 5, b"a=5"), wrong("body \"a=5\" instead of \"a=5.\""));
    assert_eq!(classified(0, 5, b"a=5.\n"), wrong("body \"a=5.\\n\" instead of \"a=5.\""));
    assert_eq!(classified(0, 5, b""), wrong("body \"\" instead of \"a=5.\""));
}

#[test]
fn long_bodies_are_shown_from_where_they_part() {
    let long = "x".repeat(1000);
    let spec = expecting(BodyExpect::Exact(template(&long)));
    let classified = |body: String| verdict(spec.clone(), &plain_head(), body.as_bytes());
    let xs = "x".repeat(80);
    assert_eq!(
        classified(long.replacen('x', "y", 1)),
        wrong(&format!("body \"y{}\"... instead of \"{xs}\"...", "x".repeat(79)))
    );
    assert_eq!(
        classified(format!("{}y", &long[1..])),
        wrong("body \"y\" instead of \"x\", after 999 equal bytes")
    );
    assert_eq!(
        classified(long[..990].to_owned()),
        wrong("body \"\" instead of \"xxxxxxxxxx\", after 990 equal bytes")
    );
}

#[test]
fn the_first_correct_body_is_what_all_workers_compare_with() {
    let mix = Mix::new(
        vec![expecting(BodyExpect::Same), RequestSpec { weight: 0, ..expecting(BodyExpect::Same) }],
        Order::InOrder,
        "h",
    )
    .unwrap();
    let mut drawer = mix.drawer(1, 0, 1);
    let (first, second) = (mix.draw(&mut drawer, 0), mix.draw(&mut drawer, 1));
    let classifier = || Classifier::new(&mix, Arc::new(Asked::default()));
    let (mut one, mut other) = (classifier(), classifier());
    assert_eq!(one.classify(&mix, &first, &head("HTTP/1.1 500 x\r\n\r\n"), b"error"), Verdict::HttpError);
    assert_eq!(one.classify(&mix, &first, &plain_head(), b"a"), CORRECT);
    assert_eq!(one.classify(&mix, &second, &plain_head(), b"b"), CORRECT, "each request has its own");
    for classifier in [&mut one, &mut other] {
        assert_eq!(classifier.classify(&mix, &first, &plain_head(), b"a"), CORRECT);
        assert_eq!(
            classifier.classify(&mix, &first, &plain_head(), b"b"),
            wrong("body \"b\" instead of \"a\" as in the first answer")
        );
        assert_eq!(classifier.classify(&mix, &second, &plain_head(), b"b"), CORRECT);
    }
}

#[test]
fn a_body_that_cannot_be_kept_is_not_called_the_same() {
    let mut body = vec![b'x'; LONGEST_SAME + 1];
    assert_eq!(
        verdict(expecting(BodyExpect::Same), &plain_head(), &body),
        wrong("a first body of 8388609 bytes: at most 8388608 can be compared with")
    );
    let mix = only(expecting(BodyExpect::Same));
    let mut classifier = Classifier::new(&mix, Arc::new(Asked::default()));
    let mut classified = |body: &[u8]| classifier.classify(&mix, &drawn(0, &[]), &plain_head(), body);
    body.pop();
    assert_eq!(classified(&body), CORRECT);
    body.push(b'x');
    assert!(matches!(classified(&body), Verdict::Wrong(_)));
    body.pop();
    assert_eq!(classified(&body), CORRECT);
    *body.last_mut().unwrap() = b'y';
    assert!(matches!(classified(&body), Verdict::Wrong(_)));
}

#[test]
fn a_checked_body_is_checked_once_for_each_variant() {
    let mut spec = get("/", vec![choice(&["a", "b"])]);
    spec.expect.body = BodyExpect::Checked;
    let mix = only(spec);
    let checker = Arc::new(Asked::default());
    let mut classifier = Classifier::new(&mix, Arc::clone(&checker) as Arc<dyn BodyChecker>);
    let mut classified =
        |variant, body: &[u8]| classifier.classify(&mix, &drawn(variant, &[]), &plain_head(), body);
    for _ in 0..3 {
        assert_eq!(classified(0, b"ok"), CORRECT);
        assert_eq!(classified(0, b"win"), Verdict::Correct(Some(TOSS)));
        assert_eq!(classified(1, b"win"), Verdict::Correct(Some(TOSS)));
    }
    let asked = [(0, vec![0], b"ok".to_vec()), (0, vec![0], b"win".to_vec()), (0, vec![1], b"win".to_vec())];
    assert_eq!(*checker.0.lock().unwrap(), asked);
    for _ in 0..2 {
        assert_eq!(classified(0, b"no\r\n"), wrong("not\\nok: \"no\\r\\n\""));
    }
    assert_eq!(checker.times(), 5, "what is wrong is not remembered");
}

#[test]
fn a_body_is_checked_each_time_when_a_number_may_decide() {
    let mut spec = get("/{0}", vec![choice(&["x"]), Slot::Counter { first: 0 }]);
    spec.expect.body = BodyExpect::Checked;
    let mix = only(spec);
    let checker = Arc::new(Asked::default());
    let mut classifier = Classifier::new(&mix, Arc::clone(&checker) as Arc<dyn BodyChecker>);
    for value in [7, 7, 8] {
        assert_eq!(classifier.classify(&mix, &drawn(0, &[value]), &plain_head(), b"ok"), CORRECT);
    }
    let values: Vec<Vec<u64>> = checker.0.lock().unwrap().iter().map(|asked| asked.1.clone()).collect();
    assert_eq!(values, [[0, 7], [0, 7], [0, 8]]);
}

#[test]
fn remembered_heads_are_few_and_only_those_that_may_come_again() {
    let mix = only(expecting(BodyExpect::Any));
    let mut classifier = Classifier::new(&mix, Arc::new(Asked::default()));
    let mut classified =
        |head: &Rc<Head>| assert_eq!(classifier.classify(&mix, &drawn(0, &[]), head, b""), CORRECT);
    let alone = plain_head();
    classified(&alone);
    assert_eq!(Rc::strong_count(&alone), 1);
    let kept: Vec<_> = (0..MOST_HEADS + 1).map(|_| plain_head()).collect();
    let cached = kept.clone();
    for _ in 0..2 {
        cached.iter().for_each(&mut classified);
    }
    let remembered = kept.iter().filter(|head| Rc::strong_count(head) == 3).count();
    assert_eq!(remembered, MOST_HEADS);
}

/// What a classifier must say, written without remembering anything but first bodies.
struct Oracle {
    first: Vec<Option<Vec<u8>>>,
}

#[derive(Debug, PartialEq, Eq)]
enum Class {
    Correct(Option<Toss>),
    HttpError,
    Wrong,
}

impl Oracle {
    fn classify(
        &mut self,
        specs: &[RequestSpec],
        request: usize,
        letter: &str,
        number: u64,
        head_text: &str,
        body: &[u8],
    ) -> Class {
        let expect = &specs[request].expect;
        let lines: Vec<&str> = head_text.lines().collect();
        let code: u16 = lines[0].split(' ').nth(1).unwrap().parse().unwrap();
        if !(0..960).filter(|&code| expect.status.contains(code)).any(|known| known == code) {
            return Class::HttpError;
        }
        let fields = |name: &str| -> Vec<&str> {
            let of = |line: &&str| line.to_lowercase().starts_with(&format!("{}:", name.to_lowercase()));
            lines[1..].iter().copied().filter(of).map(|line| line[name.len() + 1..].trim()).collect()
        };
        let media =
            fields("content-type").last().map(|value| value.split(';').next().unwrap().to_lowercase());
        if expect.content_type.is_some() && expect.content_type != media {
            return Class::Wrong;
        }
        for header in &expect.headers {
            let values = fields(&header.name);
            let met = match &header.value {
                Some(value) => values.contains(&value.as_str()),
                None => !values.is_empty(),
            };
            if !met {
                return Class::Wrong;
            }
        }
        let (fine, toss) = match &expect.body {
            BodyExpect::Any => (true, None),
            BodyExpect::Empty => (body.is_empty(), None),
            BodyExpect::Exact(_) => (body == format!("{letter}{number}").as_bytes(), None),
            BodyExpect::Length { min, max } => (body.len() >= *min && body.len() <= *max, None),
            BodyExpect::Same => (body == self.first[request].get_or_insert_with(|| body.to_vec()), None),
            BodyExpect::Checked | BodyExpect::CheckedAlike => {
                (matches!(body, b"ok" | b"win"), (body == b"win").then_some(TOSS))
            }
        };
        if fine { Class::Correct(toss) } else { Class::Wrong }
    }
}

fn is_one_line(text: &str) -> bool {
    !text.chars().any(char::is_control) && text.len() < 4000
}

fn body_expect() -> impl Strategy<Value = BodyExpect> {
    prop_oneof![
        Just(BodyExpect::Any),
        Just(BodyExpect::Empty),
        Just(BodyExpect::Exact(template("{0}{1}"))),
        (0usize..3, 0usize..3).prop_map(|(min, more)| BodyExpect::Length { min, max: min + more }),
        Just(BodyExpect::Same),
        Just(BodyExpect::Checked),
    ]
}

fn spec() -> impl Strategy<Value = RequestSpec> {
    let header = (0usize..3, 0usize..3).prop_map(|(name, value)| HeaderExpect {
        name: ["x-a", "Content-Type", "X-AB"][name].to_owned(),
        value: [None, Some("1"), Some("text/html")][value].map(str::to_owned),
    });
    let content_type = proptest::option::of(Just("text/html".to_owned()));
    (body_expect(), proptest::collection::vec(header, 0..2), content_type, any::<bool>(), any::<bool>())
        .prop_map(|(body, headers, content_type, wide, live)| {
            let second = if live { Slot::Int { min: 0, max: 3 } } else { choice(&["0", "1"]) };
            let mut spec = get("/", vec![choice(&["a", "b"]), second]);
            let more = if wide { StatusSet::range(201, 299) } else { StatusSet::EMPTY };
            spec.expect =
                Expect { status: more.and(200.into()), content_type, headers, body, not_before_ms: None };
            spec
        })
}

const HEADS: [&str; 6] = [
    "HTTP/1.1 200 OK\r\n\r\n",
    "HTTP/1.1 200 OK\r\nX-A: 1\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Type: TEXT/html;a=b\r\nX-A: 2\r\nx-a:\t1 \r\n\r\n",
    "HTTP/1.0 204 OK\r\nContent-type:text/html\r\nX-AB: 1\r\n\r\n",
    "HTTP/1.1 404 X-A: 1\r\nContent-Type: text/html\r\n\r\n",
    "HTTP/1.1 200 X-A: 1\r\nContent-Type: text/plain\r\nContent-Type: text/html\r\n\r\n",
];

proptest! {
    #[test]
    fn the_judge_agrees_with_one_that_remembers_nothing(
        specs in proptest::collection::vec(spec(), 1..4),
        seed in any::<u64>(),
        answers in proptest::collection::vec(
            (0usize..6, any::<bool>(), prop_oneof![
                Just(Vec::new()), Just(b"ok".to_vec()), Just(b"win".to_vec()), Just(b"a1".to_vec()),
                Just(b"b0".to_vec()), proptest::collection::vec(any::<u8>(), 0..5),
            ]),
            0..60,
        ),
    ) {
        let mix = Mix::new(specs.clone(), Order::Weighted, "h").unwrap();
        let mut classifier = Classifier::new(&mix, Arc::new(Asked::default()));
        let mut oracle = Oracle { first: vec![None; specs.len()] };
        let mut drawer = mix.drawer(seed, 0, 1);
        let cached: Vec<Rc<Head>> = HEADS.iter().map(|text| head(text)).collect();
        for (turn, (at, is_cached, body)) in answers.into_iter().enumerate() {
            let drawn = mix.draw(&mut drawer, turn as u32);
            let request = usize::from(drawn.request);
            let mut room = [0; MOST_SLOTS];
            let values = mix.values(&drawn, &mut room);
            let answer = if is_cached { Rc::clone(&cached[at]) } else { head(HEADS[at]) };
            let got = match classifier.classify(&mix, &drawn, &answer, &body) {
                Verdict::Correct(toss) => Class::Correct(toss),
                Verdict::HttpError | Verdict::GrpcError { .. } => Class::HttpError,
                Verdict::Wrong(why) => {
                    prop_assert!(is_one_line(&why), "{:?}", why);
                    Class::Wrong
                }
            };
            let letter = ["a", "b"][values[0] as usize];
            let wanted = oracle.classify(&specs, request, letter, values[1], HEADS[at], &body);
            prop_assert_eq!(got, wanted, "{:?} {:?}", HEADS[at], body);
        }
    }

    #[test]
    fn no_bytes_upset_the_judge(
        specs in proptest::collection::vec(spec(), 1..3),
        answers in proptest::collection::vec(
            (
                proptest::collection::vec((proptest::collection::vec(any::<u8>(), 0..9), any::<bool>()), 0..4),
                proptest::collection::vec(any::<u8>(), 0..300),
            ),
            0..10,
        ),
    ) {
        let mix = Mix::new(specs, Order::InOrder, "h").unwrap();
        let mut classifier = Classifier::new(&mix, Arc::new(Asked::default()));
        let mut drawer = mix.drawer(1, 0, 1);
        let mut held = Vec::new();
        for (turn, (fields, body)) in answers.into_iter().enumerate() {
            let mut text = b"HTTP/1.1 200 OK\r\n".to_vec();
            for (value, is_type) in fields {
                text.extend_from_slice(if is_type { b"Content-Type: " } else { b"X-A: " });
                text.extend(value);
                text.extend_from_slice(b"\r\n");
            }
            text.extend_from_slice(b"\r\n");
            let Ok(FramedHead { head, .. }) = parse_head(&text) else { continue };
            held.push(Rc::clone(&head));
            let drawn = mix.draw(&mut drawer, turn as u32);
            if let Verdict::Wrong(why) = classifier.classify(&mix, &drawn, &head, &body) {
                prop_assert!(is_one_line(&why), "{:?}", why);
            }
        }
    }
}
