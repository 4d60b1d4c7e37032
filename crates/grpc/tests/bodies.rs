//! What a call sends, against prost-reflect's own encoding of the same JSON with the values put in.

mod oracle;

use std::sync::Arc;

use proptest::prelude::*;
use velo_grpc::{Bodies, Schema};
use velo_load::{Part, Pick, Slot, Table};

use oracle::{Compared, method, schema, template};

/// Draws some calls of a message that must be written, and compares each with the oracle.
fn compare(json: &str, slots: &[Slot], seed: u64, exact: bool) -> Result<(), TestCaseError> {
    match oracle::compare(json, slots, seed, exact) {
        Ok(Compared::Same) => Ok(()),
        Ok(Compared::Refused(error)) => Err(TestCaseError::fail(format!("{json}: {error}"))),
        Err(what) => Err(TestCaseError::fail(what)),
    }
}

/// An inner check that takes all.
struct Anything;

impl velo_load::BodyChecker for Anything {
    fn check(&self, _: usize, _: &[u64], _: &[u8]) -> Result<Option<velo_load::Toss>, String> {
        Ok(None)
    }
}

fn choice(texts: &[&str]) -> Slot {
    Slot::Choice(texts.iter().map(|text| text.as_bytes().to_vec()).collect())
}

#[test]
fn every_kind_of_field_takes_what_is_drawn() {
    let table = Arc::new(Table {
        rows: vec![vec![b"ab".to_vec(), b"1".to_vec()], vec!["\u{e9}".as_bytes().to_vec(), b"-5".to_vec()]],
        pick: Pick::Random,
    });
    let cell = |column| Slot::Cell { table: Arc::clone(&table), column };
    let int = |min, max| Slot::Int { min, max };
    let cases: &[(&str, Vec<Slot>)] = &[
        (r#"{"aInt32": {0}, "aString": "x"}"#, vec![int(0, 300)]),
        (r#"{"a_int64": "{0}", "aUint32": {0}}"#, vec![int(0, 1)]),
        (
            r#"{"aBool": {0}, "colour": "{1}"}"#,
            vec![choice(&["true", "false"]), choice(&["RED", "NONE", "GREEN"])],
        ),
        (r#"{"someBytes": "{0}"}"#, vec![choice(&["AAEC", ""])]),
        (r#"{"aString": "a{0}b{1}"}"#, vec![cell(0), int(7, 1000)]),
        (r#"{"aString": "{0}", "aInt32": {1}, "second": "{0}"}"#, vec![cell(0), cell(1)]),
        (
            r#"{"inner": {"text": "{0}", "inner": {"number": {1}}}, "maybe": {1}}"#,
            vec![choice(&["", "long"]), int(0, 1)],
        ),
        (
            r#"{"numbers": [1, {0}, 3, {1}], "notPacked": [{0}, 5]}"#,
            vec![int(0, 70000), choice(&["7", "-7"])],
        ),
        (
            r#"{"texts": ["a", "{0}", ""], "inners": [{"number": {1}}, {}]}"#,
            vec![choice(&["", "b"]), int(0, 9)],
        ),
        (r#"{"first": {0}}"#, vec![int(0, 2)]),
        (r#"{"time": "2026-01-0{0}T00:00:00Z", "wrapped": 5}"#, vec![]),
        (r#"{"time": "{0}"}"#, vec![choice(&["2026-01-02T00:00:00Z", "1970-01-01T00:00:00.5Z"])]),
        (r#"{"wrapped": {0}}"#, vec![int(0, 3)]),
        (r#"{"aFloat": {0}, "aDouble": {0}}"#, vec![int(0, u64::MAX >> 11)]),
        (r#"{"colour": {0}}"#, vec![int(0, 2)]),
        (r#"{"numbers": {0}}"#, vec![choice(&["[]", "[1, 2]"])]),
    ];
    for (json, slots) in cases {
        if slots.is_empty() {
            continue;
        }
        for seed in 0..8 {
            compare(json, slots, seed, true).unwrap_or_else(|error| panic!("{json}: {error}"));
        }
    }
    let maps = r#"{"counts": {"a": {0}, "b": "5"}, "byNumber": {"7": {"text": "{1}"}}}"#;
    compare(maps, &[int(0, 3), cell(0)], 1, false).expect("maps");
}

#[test]
fn what_cannot_be_drawn_is_refused_with_its_place() {
    let int = Slot::Int { min: 0, max: 1 << 40 };
    let one = Bodies { messages: 1, gzip: false };
    let refused = |json: &str| {
        let slots = [int.clone(), choice(&["a", "b"])];
        method("Unary").body(&template(json), &slots, one).expect_err(json).to_string()
    };
    for (json, place, what) in [
        (r#"{"aInt32": {0}}"#, "`aInt32`", "1099511627776"),
        (r#"{"aBool": {0}}"#, "`aBool`", "bool"),
        (r#"{"aString": {0}}"#, "`aString`", "quotes"),
        (r#"{"aInt64": "1{0}"}"#, "`aInt64`", "alone"),
        (r#"{"time": "{0}"}"#, "`time`", "Timestamp"),
        (r#"{"counts": {"{0}": 1}}"#, "`counts", "name"),
        (r#"{"counts": {"a": {0}, "b": null}}"#, "`counts", "null"),
        (r#"{"inner": {"none": {0}}}"#, "`inner.none`", "text, number, inner"),
        (r#"{"aInt32": {1}}"#, "`aInt32`", "not JSON"),
        (r#"{"colour": "{1}"}"#, "`colour`", "All"),
        (r#"{"colour": "{0}"}"#, "`colour`", "quotes"),
        (r#"{"first": 5, "second": "{1}"}"#, "`second`", "`first`"),
        (r#"{"aUint64": {0}, "a_uint64": 5}"#, "`a_uint64`", "`aUint64`"),
        ("{0}", "", "cannot stand"),
        ("[", "", "JSON"),
        (r#"{"aInt32": "x"}"#, "", "tried.All"),
    ] {
        let error = refused(json);
        assert!(error.contains(place) && error.contains(what), "{json}: {error}");
    }
}

#[test]
fn a_stream_sends_its_messages_one_behind_the_other() {
    let up = method("Up");
    assert!(up.client_streams() && !up.server_streams());
    let three = Bodies { messages: 3, gzip: false };
    let body = up.body(&template(r#"{"aInt32": 5}"#), &[], three).expect("a body");
    assert_eq!(body.0, [Part::Bytes([0, 0, 0, 0, 2, 8, 5].repeat(3))]);
    let packed = up.body(&template("{}"), &[], Bodies { messages: 1, gzip: true }).expect("a body");
    assert!(
        matches!(&packed.0[..], [Part::Bytes(bytes)] if bytes.starts_with(&[1, 0, 0, 0]) && bytes[5..7] == [0x1f, 0x8b])
    );
    let many = Bodies { messages: 1_000_000, gzip: false };
    let long = format!(r#"{{"aString": "{}"}}"#, "x".repeat(1000));
    assert!(up.body(&template(&long), &[], many).expect_err("a gigabyte").to_string().contains("64 MiB"));
}

#[test]
fn methods_are_found_by_either_way_to_write_them() {
    let schema = schema();
    for name in ["tried.Tried/Unary", "tried.Tried.Unary", "/tried.Tried/Unary"] {
        assert_eq!(schema.method(name).expect(name).path(), "/tried.Tried/Unary");
    }
    let error = |name: &str| schema.method(name).expect_err(name).to_string();
    assert!(error("Unary").contains("package.Service/Method"));
    assert!(error("tried.None/Unary").contains("tried.Tried"));
    assert!(error("tried.Tried/Nary").contains("Unary, Down, Up, Both"));
}

#[test]
fn a_set_of_another_syntax_is_refused() {
    // A set with one file, whose name (field 1) and syntax (field 12) are these.
    let set = |syntax: &str| {
        let mut file = b"\x0a\x07a.proto\x62".to_vec();
        file.push(u8::try_from(syntax.len()).expect("a short text"));
        file.extend_from_slice(syntax.as_bytes());
        [&[0x0a, u8::try_from(file.len()).expect("a short file")], file.as_slice()].concat()
    };
    for known in ["proto2", "proto3"] {
        assert!(Schema::from_set(&set(known)).is_ok(), "{known}");
    }
    for other in ["editions", "", "proto4"] {
        let refused = Schema::from_set(&set(other)).expect_err(other).to_string();
        let said = format!("`a.proto` has the syntax `{other}`: expected proto2 or proto3");
        assert!(refused.contains(&said), "{refused}");
    }
}

#[test]
fn what_is_no_schema_is_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("odd.proto");
    std::fs::write(&path, "message {").expect("a file");
    let error = Schema::compile(std::slice::from_ref(&path), &[]).expect_err("no proto").to_string();
    assert!(error.starts_with("odd.proto:1:9: expected"), "{error}");
    let missing = Schema::compile(&[dir.path().join("none.proto")], &[]).expect_err("no file").to_string();
    assert!(missing.contains("none.proto` is not there"), "{missing}");
    assert!(Schema::from_set(b"\xff\xff\xff").is_err());
}

#[test]
fn what_is_wrong_with_protos_is_told_with_file_and_line() {
    let dir = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, text).expect("a file");
        path
    };
    let error = |path: &std::path::PathBuf, imports: &[std::path::PathBuf]| {
        Schema::compile(std::slice::from_ref(path), imports).expect_err("no protos").to_string()
    };
    let good = "syntax = \"proto3\";\nmessage M {}\nservice S { rpc E (M) returns (M); }\n";
    let marked = write("marked.proto", &format!("\u{feff}{good}"));
    assert!(Schema::compile(&[marked], &[]).expect("protos").method("S/E").is_ok());
    write("b.proto", "syntax = \"proto3\";\nmessage B {\n  string name = 1\n}\n");
    let a = write("a.proto", "syntax = \"proto3\";\nimport \"b.proto\";\n");
    assert!(error(&a, &[]).starts_with("b.proto:4:1: expected"), "{}", error(&a, &[]));
    let unknown = write("unknown.proto", "syntax = \"proto3\";\nmessage A {\n  Bee b = 1;\n}\n");
    assert!(error(&unknown, &[]).starts_with("unknown.proto:3:3: name 'Bee' is not defined"));
    let imports = write("imports.proto", "syntax = \"proto3\";\nimport \"nowhere.proto\";\n");
    assert!(error(&imports, &[]).starts_with("imports.proto:2:1: import 'nowhere.proto' not found"));
    let large = write("large.proto", &"// none\n".repeat(600_000));
    assert!(error(&large, &[]).contains("larger than 4 MiB"));
    assert!(error(&"/dev/zero".into(), &[]).contains("larger than 64 MiB"));
    std::fs::write(dir.path().join("bytes.proto"), b"\xff").expect("a file");
    assert!(error(&dir.path().join("bytes.proto"), &[]).contains("not UTF-8"));
    let folders = ["one", "two"].map(|name| dir.path().join(name));
    let [_, second] = ["one/same.proto", "two/same.proto"].map(|name| write(name, good));
    assert!(error(&second, &folders).contains("is hidden by"));
    assert!(Schema::compile(&["same.proto".into()], &folders).is_ok(), "named as an import is");
    assert!(error(&a, &folders).contains("below no --import-path"));
}

#[test]
fn a_message_is_read_as_it_is_expected() {
    struct Inner;
    impl velo_load::BodyChecker for Inner {
        fn check(&self, _: usize, _: &[u64], body: &[u8]) -> Result<Option<velo_load::Toss>, String> {
            Err(String::from_utf8_lossy(body).into_owned())
        }
    }
    let seen = |expected: &str, message: &[u8]| {
        let checker =
            method("Unary").checker(Some(Arc::new(Inner)), Some(&template(expected))).expect("JSON");
        let error = checker.check(0, &[], message).expect_err("it always fails");
        error.split(", and the message").next().unwrap_or_default().to_owned()
    };
    assert_eq!(seen(r#"{"aInt64": {0}}"#, &[0x10, 5]), r#"{"aInt64":5}"#);
    assert_eq!(seen(r#"{"aInt64": "5"}"#, &[0x10, 5]), r#"{"aInt64":"5"}"#);
    assert_eq!(seen(r#"{"aBool": false}"#, &[]), r#"{"aBool":false}"#);
    assert_eq!(seen("{}", &[8, 1]), r#"{"aInt32":1}"#);
    // As it is spelt, whichever of its spellings that is.
    let time = [0xd2, 1, 8, 8, 1, 0x10, 0x80, 0xca, 0xb5, 0xee, 1];
    let entry = [0xb2, 1, 6, 8, 7, 0x12, 2, 0x10, 5];
    for (expected, message) in [
        (r#"{"a_int32":1}"#, &[8, 1][..]),
        (r#"{"aInt32":"1"}"#, &[8, 1]),
        (r#"{"a_int64":"5"}"#, &[0x10, 5]),
        (r#"{"colour":1}"#, &[0x80, 1, 1]),
        (r#"{"colour":"RED"}"#, &[0x80, 1, 1]),
        (r#"{"colour":"NONE"}"#, &[]),
        (r#"{"a_string":null,"colour":0,"inner":null,"maybe":null,"numbers":null}"#, &[]),
        (r#"{"time":"1970-01-01T00:00:01.500Z"}"#, &time),
        (r#"{"time":"1970-01-01T01:00:01.5+01:00"}"#, &time),
        (r#"{"wrapped":5}"#, &[0xda, 1, 2, 8, 5]),
        (r#"{"wrapped":"5"}"#, &[0xda, 1, 2, 8, 5]),
        (r#"{"someBytes":"_w"}"#, &[0x7a, 1, 0xff]),
        (r#"{"inners":[{"number":5}]}"#, &[0xa2, 1, 2, 0x10, 5]),
        (r#"{"by_number":{"7":{"number":5}}}"#, &entry),
        (r#"{"not_packed":[1,2]}"#, &[0xe2, 1, 2, 1, 2]),
    ] {
        assert_eq!(seen(expected, message), expected);
    }
    // Beside what is open, and where it differs.
    for (expected, message, told) in [
        (r#"{"a_int32": "<int>", "colour": 1}"#, &[8, 1, 0x80, 1, 1][..], r#"{"a_int32":1,"colour":1}"#),
        (r#"{"colour": "<int>"}"#, &[0x80, 1, 1], r#"{"colour":1}"#),
        (r#"{"colour": "<string>"}"#, &[0x80, 1, 1], r#"{"colour":"RED"}"#),
        (r#"{"colour": 2}"#, &[0x80, 1, 1], r#"{"colour":1}"#),
        (r#"{"maybe": null}"#, &[0xb8, 1, 0], r#"{"maybe":0}"#),
        (r#"{"maybe": 0}"#, &[], "{}"),
        (r#"{"wrapped": "<int>"}"#, &[0xda, 1, 2, 8, 5], r#"{"wrapped":5}"#),
        (r#"{"inners": [{"number": "<int>"}, {}]}"#, &[0xa2, 1, 2, 0x10, 5], r#"{"inners":[{"number":5}]}"#),
        (r#"{"by_number": {"7": {"number": {0}}}}"#, &entry, r#"{"by_number":{"7":{"number":5}}}"#),
        (
            r#"{"inner": {"text": "{0}", "number": 5}}"#,
            &[0x8a, 1, 2, 0x10, 5],
            r#"{"inner":{"number":5,"text":""}}"#,
        ),
        (r#"{"a_int32": 2}"#, &[8, 1, 0x10, 5], r#"{"aInt64":"5","a_int32":1}"#),
    ] {
        assert_eq!(seen(expected, message), told);
    }
    let checker = method("Unary").checker(None, None).expect("a check");
    assert!(checker.check(0, &[], &[8, 1]).is_ok());
    assert!(checker.check(0, &[], &[8]).expect_err("cut short").contains("tried.All"));
    // Number 31 of an `All`, and number 4 of the `Inner` in a field, in a list and in a map: JSON shows none of them.
    for (message, told) in [
        (&[8, 1, 0xf8, 1, 1][..], "field 31, which tried.All does not have"),
        (&[0x8a, 1, 2, 0x20, 1], "field 4, which tried.Inner does not have"),
        (&[0xa2, 1, 2, 0x20, 1], "field 4, which tried.Inner does not have"),
        (&[0xb2, 1, 6, 8, 1, 0x12, 2, 0x20, 1], "field 4, which tried.Inner does not have"),
    ] {
        assert_eq!(seen("{}", message), told);
        assert!(checker.check(0, &[], message).is_ok(), "nothing is expected of it");
    }
}

#[test]
fn what_no_answer_can_be_is_refused_before_it_is_expected() {
    for (expected, place, what) in [
        (r#"{"a_int33": 1}"#, "`a_int33`", "expected one of: aInt32, aInt64"),
        (r#"{"aInt33": "<int>"}"#, "`aInt33`", "expected one of: aInt32, aInt64"),
        (r#"{"aInt32": 1, "a_int32": 1}"#, "`a", "the same field as"),
        (r#"{"inner": {"nr": "<int>"}}"#, "`inner.nr`", "text, number, inner"),
        (r#"{"inner": {"nr": 1}, "aInt32": "<int>"}"#, "`inner`", "nr"),
        (r#"{"inners": [{"nr": {0}}]}"#, "`inners.nr`", "text, number, inner"),
        (r#"{"by_number": {"7": {"nr": {0}}}}"#, "`by_number.nr`", "text, number, inner"),
        (r#"{"aInt32": "x"}"#, "`aInt32`", "tried.All"),
        (r#"{"time": "yesterday"}"#, "`time`", "tried.All"),
        ("5", "", "tried.All"),
    ] {
        let refused =
            method("Unary").checker(None, Some(&template(expected))).err().expect(expected).to_string();
        assert!(refused.contains(place) && refused.contains(what), "{expected}: {refused}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn drawn_numbers_are_encoded_as_prost_reflect_does(
        min in any::<u64>(), more in any::<u64>(), shift in 0u32..64, seed in any::<u64>(), first in 0u64..1000,
    ) {
        let min = min >> shift;
        let slots = [Slot::Int { min, max: min.saturating_add(more >> shift) }, Slot::Counter { first }];
        let small = [Slot::Int { min: min % 1000, max: min % 1000 + 5 }, Slot::Counter { first }];
        compare(r#"{"aUint64": {0}, "aFixed64": {0}, "aString": "{0}-{1}", "inner": {"number": {1}}}"#, &slots, seed, true)?;
        let json = r#"{"aInt32": {0}, "aSint32": {0}, "aSint64": {1}, "aFixed32": {0}, "aSfixed32": {1}, "aSfixed64": {0},
            "numbers": [{0}, {1}], "inners": [{"inner": {"text": "{0}"}}], "aUint32": {1}, "aFloat": {0}}"#;
        compare(json, &small, seed, true)?;
    }

    #[test]
    fn any_json_and_any_message_get_an_answer(text in "[{}\\[\\]\":,a-zA-Z0-9 .-]{0,40}|\\{\"(aInt32|inner|counts|numbers|time)\": ?[{}\\[\\]\":,a-z0-9]{0,12}\\}", message in proptest::collection::vec(any::<u8>(), 0..60)) {
        let slots = [Slot::Int { min: 0, max: 5 }, choice(&["a", "1", "[]"])];
        let _ = method("Unary").body(&template(&text), &slots, Bodies { messages: 2, gzip: false });
        let _ = method("Unary").checker(None, None).expect("a check").check(0, &[], &message);
        let _ = method("Unary").shown(&message);
        if let Ok(checker) = method("Unary").checker(Some(std::sync::Arc::new(Anything)), Some(&template(&text))) {
            let _ = checker.check(0, &[], &message);
        }
        let _ = Schema::from_set(&message);
    }
}
