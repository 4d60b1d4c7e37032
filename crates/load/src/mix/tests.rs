use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use velo_model::{Pick, Table};

use super::error::{MixError, RequestProblem};
use super::limits::*;
use super::testing::{choice, drawn, get, only, post, table, template};
use super::*;
use crate::request::{BodyExpect, HeaderExpect, Order, Part, RequestSpec, Slot, Template};

fn rendered(mix: &Mix, drawn: &Drawn) -> String {
    let (mut scratch, mut appended) = (b"left over".to_vec(), b"first".to_vec());
    let bytes = mix.bytes(drawn, &mut scratch).to_vec();
    mix.append(drawn, &mut appended);
    assert_eq!(appended, [b"first".as_slice(), &bytes].concat());
    String::from_utf8(bytes).unwrap()
}

fn problem(spec: RequestSpec) -> RequestProblem {
    match Mix::new(vec![spec], Order::Weighted, "h").unwrap_err() {
        MixError::Request { request, problem } => {
            assert_eq!(request, "it");
            problem
        }
        other => panic!("{other}"),
    }
}

fn shown(drawer: &mut Drawer, mix: &Mix, turns: u32) -> Vec<String> {
    (0..turns)
        .map(|turn| {
            let text = rendered(mix, &mix.draw(drawer, turn));
            text.split(' ').nth(1).unwrap().to_owned()
        })
        .collect()
}

#[test]
fn a_request_is_small_while_it_is_in_flight() {
    assert!(size_of::<Drawn>() <= 40, "{} bytes", size_of::<Drawn>());
}

#[test]
fn a_choice_is_rendered_once_with_the_body_length() {
    let mut spec = post("{\"bet\": {0}}", vec![choice(&["true", "false"])]);
    spec.headers = vec![("Content-Type".into(), template("application/json"))];
    let mix = only(spec);
    assert_eq!(
        rendered(&mix, &drawn(1, &[])),
        "POST / HTTP/1.1\r\nHost: h:1\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n{\"bet\": false}"
    );
    let mut scratch = Vec::new();
    assert!(mix.bytes(&drawn(0, &[]), &mut scratch).ends_with(b"Content-Length: 13\r\n\r\n{\"bet\": true}"));
    assert_eq!(scratch.capacity(), 0, "nothing is written anew");
}

#[test]
fn choices_multiply() {
    let slots = vec![choice(&["a", "b"]), Slot::Int { min: 0, max: 9 }, choice(&["x", "y", "z"])];
    let mix = only(get("/{0}/{1}/{2}", slots));
    let texts: BTreeSet<String> = (0..6)
        .map(|variant| {
            let drawn = drawn(variant, &[7]);
            let values = mix.values(&drawn, &mut [0; MOST_SLOTS]).to_vec();
            let path =
                format!("/{}/7/{}", ["a", "b"][values[0] as usize], ["x", "y", "z"][values[2] as usize]);
            assert_eq!(values[1], 7);
            assert!(rendered(&mix, &drawn).starts_with(&format!("GET {path} HTTP/1.1\r\n")));
            path
        })
        .collect();
    assert_eq!(texts.len(), 6);
}

#[test]
fn a_number_is_written_into_path_header_body_and_expectation() {
    for slot in [Slot::Int { min: 0, max: u64::MAX }, Slot::Counter { first: 0 }] {
        let mut spec = post("n={0}", vec![slot]);
        spec.path = template("/user/{0}");
        spec.headers = vec![("X-Id".into(), template("<{0}>"))];
        spec.expect.body = BodyExpect::Exact(template("{0}!"));
        let mix = only(spec);
        for value in [0, 7, 10, 99_999, u64::MAX] {
            let drawn = drawn(0, &[value]);
            let length = 2 + value.to_string().len();
            assert_eq!(
                rendered(&mix, &drawn),
                format!(
                    "POST /user/{value} HTTP/1.1\r\nHost: h:1\r\nX-Id: <{value}>\r\nContent-Length: {length}\r\n\r\nn={value}"
                )
            );
            assert!(mix.is_exact(&drawn, format!("{value}!").as_bytes()));
            assert!(!mix.is_exact(&drawn, format!("{value}").as_bytes()));
            assert!(!mix.is_exact(&drawn, format!("{value}!!").as_bytes()));
            assert!(!mix.is_exact(&drawn, b""));
            assert_eq!(mix.expected(&drawn), format!("{value}!").as_bytes());
        }
    }
}

#[test]
fn a_signed_number_is_drawn_from_its_range_and_written_with_its_sign() {
    let signed = |min, max| Slot::Signed { min, max };
    let mut spec = post("n={0}", vec![signed(i64::MIN, i64::MAX)]);
    spec.path = template("/{0}");
    spec.expect.body = BodyExpect::Exact(template("<{0}>"));
    let mix = only(spec);
    for value in [0, 7, -1, -10, i64::MAX, i64::MIN] {
        let drawn = drawn(0, &[value.cast_unsigned()]);
        let length = 2 + value.to_string().len();
        assert_eq!(
            rendered(&mix, &drawn),
            format!("POST /{value} HTTP/1.1\r\nHost: h:1\r\nContent-Length: {length}\r\n\r\nn={value}")
        );
        assert!(mix.is_exact(&drawn, format!("<{value}>").as_bytes()));
        assert!(!mix.is_exact(&drawn, format!("<{}>", value.wrapping_neg().wrapping_add(1)).as_bytes()));
    }
    let mix = only(get("/{0}", vec![signed(-2, 1)]));
    let seen: BTreeSet<String> = shown(&mut mix.drawer(5, 0, 1), &mix, 200).into_iter().collect();
    assert_eq!(seen, ["/-1", "/-2", "/0", "/1"].map(str::to_owned).into());
    assert_eq!(
        problem(get("/{0}", vec![signed(1, -1)])),
        RequestProblem::NoSigned { slot: 0, min: 1, max: -1 }
    );
}

#[test]
fn cells_of_a_table_are_of_one_row() {
    let people = table(&[&["ann", "1"], &["bob", "22"]], Pick::InOrder);
    let cell = |column| Slot::Cell { table: Arc::clone(&people), column };
    let mut spec = post("id={1}", vec![cell(0), cell(1), choice(&["x"])]);
    spec.path = template("/{0}");
    spec.headers = vec![("X-Name".into(), template("{0}"))];
    spec.expect.body = BodyExpect::Exact(template("{0} {1}"));
    let mix = only(spec);
    let mut drawer = mix.drawer(1, 0, 1);
    for (row, name, id) in [(0, "ann", "1"), (1, "bob", "22"), (0, "ann", "1")] {
        let drawn = mix.draw(&mut drawer, 0);
        let length = 3 + id.len();
        assert_eq!(
            rendered(&mix, &drawn),
            format!(
                "POST /{name} HTTP/1.1\r\nHost: h:1\r\nX-Name: {name}\r\nContent-Length: {length}\r\n\r\nid={id}"
            )
        );
        assert_eq!(mix.values(&drawn, &mut [9; MOST_SLOTS]), [row, row, 0]);
        assert!(mix.is_exact(&drawn, format!("{name} {id}").as_bytes()));
    }
}

#[test]
fn bodies_say_their_length_where_methods_usually_have_one() {
    let method = |method: &str| RequestSpec { method: method.into(), ..get("/", vec![]) };
    for name in ["POST", "PUT", "PATCH"] {
        assert!(
            rendered(&only(method(name)), &drawn(0, &[])).ends_with("Content-Length: 0\r\n\r\n"),
            "{name}"
        );
    }
    for name in ["GET", "HEAD", "DELETE", "OPTIONS"] {
        let mix = only(method(name));
        assert!(!rendered(&mix, &drawn(0, &[])).contains("Content-Length"), "{name}");
        assert_eq!(mix.is_head(&drawn(0, &[])), name == "HEAD");
    }
    let empty = RequestSpec { body: Some(Template::default()), ..get("/", vec![]) };
    assert!(rendered(&only(empty), &drawn(0, &[])).contains("Content-Length: 0"));
}

#[test]
fn a_given_host_replaces_the_own_one() {
    let mut spec = get("/", vec![Slot::Counter { first: 3 }]);
    spec.headers = vec![("Accept".into(), template("*/*")), ("hOST".into(), template("other{0}"))];
    assert_eq!(
        rendered(&only(spec), &drawn(0, &[3])),
        "GET / HTTP/1.1\r\nhOST: other3\r\nAccept: */*\r\n\r\n"
    );
}

#[test]
fn counters_are_dealt_so_that_each_number_comes_once() {
    for (first, workers) in [(0, 1), (100, 3), (u64::MAX - 5, 4)] {
        let mix = only(get("/{0}/{1}", vec![Slot::Counter { first }, Slot::Counter { first: 7 }]));
        let mut seen = BTreeSet::new();
        for worker in 0..workers {
            let mut drawer = mix.drawer(9, worker, workers);
            for turn in 0..10u64 {
                let drawn = mix.draw(&mut drawer, 0);
                let place = worker as u64 + turn * workers as u64;
                assert_eq!(drawn.values[..2], [first.wrapping_add(place), 7 + place]);
                seen.insert(drawn.values[0].wrapping_sub(first));
            }
        }
        assert_eq!(seen, (0..10 * workers as u64).collect());
    }
}

#[test]
fn rows_are_dealt_in_turn_and_again_from_the_first() {
    let rows = table(&[&["a"], &["b"], &["c"], &["d"], &["e"]], Pick::InOrder);
    let spec = || get("/{0}", vec![Slot::Cell { table: Arc::clone(&rows), column: 0 }]);
    let mix = Mix::new(vec![spec(), spec()], Order::InOrder, "h").unwrap();
    // Each of the two requests goes through the table by itself.
    let dealt = |worker, workers| shown(&mut mix.drawer(1, worker, workers), &mix, 10);
    let both = |row: [&str; 5]| row.iter().flat_map(|cell| vec![format!("/{cell}"); 2]).collect::<Vec<_>>();
    assert_eq!(dealt(0, 1), both(["a", "b", "c", "d", "e"]));
    assert_eq!(dealt(0, 2), both(["a", "c", "e", "b", "d"]));
    assert_eq!(dealt(1, 2), both(["b", "d", "a", "c", "e"]));
    assert_eq!(dealt(6, 7), both(["b", "d", "a", "c", "e"]));
}

#[test]
fn random_rows_and_numbers_reach_both_ends_and_follow_the_seed() {
    let rows = table(&[&["a"], &["b"], &["c"]], Pick::Random);
    let slots = vec![Slot::Cell { table: rows, column: 0 }, Slot::Int { min: 5, max: 6 }];
    let mix = only(get("/{0}{1}", slots));
    let draw = |seed, worker| shown(&mut mix.drawer(seed, worker, 2), &mix, 200);
    let all: BTreeSet<String> = draw(1, 0).into_iter().collect();
    assert_eq!(all.into_iter().collect::<Vec<_>>(), ["/a5", "/a6", "/b5", "/b6", "/c5", "/c6"]);
    assert_eq!(draw(1, 0), draw(1, 0));
    assert_ne!(draw(1, 0), draw(2, 0));
    assert_ne!(draw(1, 0), draw(1, 1), "workers do not draw alike");
}

#[test]
fn draws_follow_the_weights() {
    let weighed = |path: &str, weight| RequestSpec { weight, ..get(path, vec![]) };
    let mix =
        Mix::new(vec![weighed("/a", 1), weighed("/b", 0), weighed("/c", 3)], Order::Weighted, "h").unwrap();
    let mut counts = [0; 3];
    let mut drawer = mix.drawer(1, 0, 1);
    for turn in 0..40_000 {
        counts[usize::from(mix.draw(&mut drawer, turn).request)] += 1;
    }
    // 30,000 of the last, standard deviation 87: nearly six of them.
    assert!(counts[1] == 0 && (29_500..=30_500).contains(&counts[2]), "{counts:?}");
}

#[test]
fn choices_are_equally_likely() {
    let mix = only(get("/{0}", vec![choice(&["a", "b", "c"])]));
    let mut counts = [0; 3];
    let mut drawer = mix.drawer(1, 0, 1);
    for _ in 0..30_000 {
        counts[mix.draw(&mut drawer, 0).variant_index()] += 1;
    }
    // 10,000 each, standard deviation 82: six of them.
    assert!(counts.iter().all(|n| (9_500..=10_500).contains(n)), "{counts:?}");
}

#[test]
fn in_order_a_connection_goes_from_the_first_to_the_last_and_again() {
    let unweighed = |path: &str| RequestSpec { weight: 0, ..get(path, vec![]) };
    let mix = Mix::new(vec![unweighed("/a"), unweighed("/b"), unweighed("/c")], Order::InOrder, "h").unwrap();
    let mut drawer = mix.drawer(1, 0, 1);
    assert_eq!(shown(&mut drawer, &mix, 5), ["/a", "/b", "/c", "/a", "/b"]);
    assert_eq!(mix.draw(&mut drawer, u32::MAX).request, (u32::MAX % 3) as u16);
}

#[test]
fn a_mix_that_holds_nothing_to_send_is_refused() {
    let none = |order| Mix::new(vec![], order, "h").unwrap_err();
    assert_eq!([none(Order::Weighted), none(Order::InOrder)], [MixError::Empty, MixError::Empty]);
    let unweighed = RequestSpec { weight: 0, ..get("/", vec![]) };
    assert_eq!(Mix::new(vec![unweighed], Order::Weighted, "h").unwrap_err(), MixError::Empty);
    let many = vec![get("/", vec![]); MOST_REQUESTS + 1];
    assert_eq!(Mix::new(many, Order::Weighted, "h").unwrap_err(), MixError::TooManyRequests(65_537));
    for host in ["h\r\nX: y", "a b", "a\x7f"] {
        let error = Mix::new(vec![get("/", vec![])], Order::Weighted, host).unwrap_err();
        assert_eq!(error, MixError::BadHost(host.to_owned()));
    }
}

#[test]
fn slots_that_hold_nothing_are_refused() {
    let cell = |rows: &[&[&str]], column| Slot::Cell { table: table(rows, Pick::InOrder), column };
    let cases = [
        (vec![choice(&["a"]), choice(&[])], RequestProblem::NoChoice(1)),
        (vec![Slot::Int { min: 2, max: 1 }], RequestProblem::NoNumber { slot: 0, min: 2, max: 1 }),
        (vec![cell(&[], 0)], RequestProblem::NoRow(0)),
        (vec![cell(&[&[]], 0)], RequestProblem::NoColumn { slot: 0, column: 0, columns: 0 }),
        (vec![cell(&[&["a", "b"]], 2)], RequestProblem::NoColumn { slot: 0, column: 2, columns: 2 }),
        (
            vec![cell(&[&["a", "b"], &["c"]], 0)],
            RequestProblem::UnevenRow { slot: 0, row: 2, cells: 1, columns: 2 },
        ),
        (vec![choice(&["a"]); 17], RequestProblem::TooManySlots(17)),
        (vec![choice(&["a", "b"]); 13], RequestProblem::TooManyVariants),
        (vec![Slot::Counter { first: 0 }; 5], RequestProblem::TooManyLive(5)),
    ];
    for (slots, expected) in cases {
        assert_eq!(problem(get("/", slots)), expected);
    }
    only(get("/", vec![choice(&["a", "b"]); 12]));
    let four = vec![Slot::Counter { first: 0 }; 4];
    only(get("/", four.into_iter().chain(vec![choice(&["a"]); 12]).collect()));
}

#[test]
fn variants_that_would_fill_the_memory_are_refused() {
    let large = "x".repeat(20_000);
    let slots = vec![choice(&["a", "b"]); 12];
    assert_eq!(problem(post(&large, slots.clone())), RequestProblem::TooLarge((20_000 + 1) * 4096));
    let wide = Arc::new(Table { rows: vec![vec![large.clone().into_bytes()]], pick: Pick::InOrder });
    let mut with_cell = slots;
    with_cell.push(Slot::Cell { table: wide, column: 0 });
    only(post("{12}", with_cell));
    only(post(&large, vec![choice(&["a"])]));
}

#[test]
fn templates_use_declared_slots_only() {
    let place = |spec: RequestSpec| match problem(spec) {
        RequestProblem::UnknownSlot { place, slot: 1, slots: 1 } => place,
        other => panic!("{other}"),
    };
    let one = || vec![choice(&["a"])];
    assert_eq!(place(get("/{1}", one())), "the path");
    assert_eq!(place(post("{1}", one())), "the body");
    let header = vec![("X-A".to_owned(), template("{1}"))];
    assert_eq!(place(RequestSpec { headers: header, ..get("/", one()) }), "the header `X-A`");
    let mut exact = get("/", one());
    exact.expect.body = BodyExpect::Exact(template("{1}"));
    assert_eq!(place(exact), "the expected body");
}

#[test]
fn a_request_line_that_would_break_is_refused() {
    for method in ["", "GE T", "GET\r\n", "G\u{e9}T", "GET/"] {
        let spec = RequestSpec { method: method.into(), ..get("/", vec![]) };
        assert_eq!(problem(spec), RequestProblem::Method(method.to_owned()));
    }
    let empty = |slots| problem(get("{0}", slots));
    assert_eq!(problem(get("", vec![])), RequestProblem::EmptyPath);
    assert_eq!(empty(vec![choice(&["/", ""])]), RequestProblem::EmptyPath);
    assert_eq!(
        empty(vec![Slot::Cell { table: table(&[&["/"], &[""]], Pick::Random), column: 0 }]),
        RequestProblem::EmptyPath
    );
    only(get("{0}", vec![Slot::Int { min: 0, max: 0 }]));
    only(get("*", vec![]));
    for bad in ["/a b", "/\r\nX: y", "/\t", "/\x7f", "/\0"] {
        let shown = RequestProblem::Path(format!("{bad:?}"));
        assert_eq!(problem(get(bad, vec![])), shown);
        assert_eq!(problem(get("/{0}", vec![choice(&["fine", bad])])), shown);
        let cell = Slot::Cell { table: table(&[&["fine", "b"], &[bad, "b"]], Pick::InOrder), column: 0 };
        assert_eq!(problem(get("/{0}", vec![cell])), shown);
    }
    let only_in_body = Slot::Cell { table: table(&[&["a b\r\n"]], Pick::InOrder), column: 0 };
    only(post("{0}", vec![only_in_body]));
}

#[test]
fn headers_that_would_break_are_refused() {
    let with = |name: &str, value: &str, slots| RequestSpec {
        headers: vec![(name.to_owned(), template(value))],
        ..get("/", slots)
    };
    for name in ["", "X Y", "X:", "X\r\n", "\u{e9}"] {
        assert_eq!(problem(with(name, "v", vec![])), RequestProblem::HeaderName(name.to_owned()));
    }
    for name in ["Content-Length", "content-length", "Transfer-encoding"] {
        assert_eq!(problem(with(name, "5", vec![])), RequestProblem::Framing(name.to_owned()));
    }
    for bad in ["a\r\nX: y", "a\n", "a\r", "a\0"] {
        let expected = RequestProblem::HeaderValue { name: "X".into(), value: format!("{bad:?}") };
        assert_eq!(problem(with("X", bad, vec![])), expected);
        assert_eq!(problem(with("X", "{0}", vec![choice(&["fine", bad])])), expected);
        let cell = Slot::Cell { table: table(&[&["fine"], &[bad]], Pick::InOrder), column: 0 };
        assert_eq!(problem(with("X", "{0}", vec![cell])), expected);
    }
    only(with("X", " a b\t\u{e9} ", vec![]));
}

#[test]
fn expectations_that_nothing_meets_are_refused() {
    let mut spec = get("/", vec![]);
    spec.expect.headers = vec![HeaderExpect { name: "X:".into(), value: None }];
    assert_eq!(problem(spec), RequestProblem::ExpectedHeader("X:".into()));
    let mut spec = get("/", vec![]);
    spec.expect.body = BodyExpect::Length { min: 2, max: 1 };
    assert_eq!(problem(spec), RequestProblem::ExpectedLength { min: 2, max: 1 });
}

#[test]
fn an_error_names_the_request_and_what_is_wrong() {
    let spec = RequestSpec { headers: vec![("Content-Length".into(), template("5"))], ..get("/", vec![]) };
    assert_eq!(
        Mix::new(vec![spec], Order::Weighted, "h").unwrap_err().to_string(),
        "request `it`: the header `Content-Length` may not be given: the body's length is written for each request"
    );
}

/// Slots that may stand anywhere, head included.
fn slots() -> impl Strategy<Value = Vec<Slot>> {
    let text = || proptest::collection::vec(b'!'..=b'~', 0..6);
    let cell = (proptest::collection::vec(text(), 1..4), any::<bool>()).prop_map(|(cells, random)| {
        let pick = if random { Pick::Random } else { Pick::InOrder };
        let rows = cells.into_iter().map(|cell| vec![cell]).collect();
        Slot::Cell { table: Arc::new(Table { rows, pick }), column: 0 }
    });
    let slot = prop_oneof![
        proptest::collection::vec(text(), 1..4).prop_map(Slot::Choice),
        (any::<u64>(), any::<u64>()).prop_map(|(a, b)| Slot::Int { min: a.min(b), max: a.max(b) }),
        any::<u64>().prop_map(|first| Slot::Counter { first }),
        cell,
    ];
    proptest::collection::vec(slot, 4)
}

fn parts(byte: impl Strategy<Value = u8>) -> impl Strategy<Value = Vec<Part>> {
    let part = prop_oneof![
        proptest::collection::vec(byte, 0..20).prop_map(Part::Bytes),
        (0usize..4).prop_map(Part::Slot),
    ];
    proptest::collection::vec(part, 0..6)
}

proptest! {
    #[test]
    fn what_is_rendered_is_one_request_with_its_body(
        slots in slots(),
        path in parts(b'!'..=b'~'),
        header in parts(b' '..=b'~'),
        body in proptest::option::of(parts(any::<u8>())),
        seed in any::<u64>(),
        worker in 0usize..3,
    ) {
        let mut spec = get("/", slots);
        spec.path.0.extend(path);
        spec.headers = vec![("X-A".into(), Template(header))];
        spec.expect.body = BodyExpect::Exact(Template(body.clone().unwrap_or_default()));
        let has_body = body.is_some();
        spec.body = body.map(Template);
        let mix = only(spec);
        let mut drawer = mix.drawer(seed, worker, 3);
        let mut scratch = Vec::new();
        for turn in 0..5 {
            let drawn = mix.draw(&mut drawer, turn);
            let bytes = mix.bytes(&drawn, &mut scratch);
            let mut headers = [httparse::EMPTY_HEADER; 4];
            let mut request = httparse::Request::new(&mut headers);
            let httparse::Status::Complete(head_bytes) = request.parse(bytes).unwrap() else {
                panic!("an unfinished head");
            };
            let field = |name| request.headers.iter().find(|h| h.name == name).map(|h| h.value);
            prop_assert_eq!(request.method, Some("GET"));
            prop_assert_eq!(field("Host"), Some(b"h:1".as_slice()));
            prop_assert!(field("X-A").is_some());
            prop_assert_eq!(request.headers.len(), 2 + usize::from(has_body));
            let length = field("Content-Length").map(|value| std::str::from_utf8(value).unwrap().parse());
            prop_assert_eq!(length.unwrap_or(Ok(0)), Ok(bytes.len() - head_bytes));
            // The expected body was made from the same template.
            prop_assert!(mix.is_exact(&drawn, &bytes[head_bytes..]));
            prop_assert_eq!(&mix.expected(&drawn), &bytes[head_bytes..]);
        }
    }
}
