//! Whatever a definition holds, reading it ends with an answer: no panic, no hang, no overflow.

use proptest::prelude::*;
use std::path::Path;

use velo_model::{ContenderName, Workload};
use velo_request::SourceFile;
use velo_request::text::Folder;

use super::{contender, workload};

const WORKLOADS: [&str; 2] = [
    include_str!("../../../../workloads/void/workload.toml"),
    include_str!("../../../../workloads/coin/workload.toml"),
];

const CONTENDER: &str = r#"
class     = "framework"
raw       = "go/net-http"
workloads = ["void", "coin"]
toolchain = ["go >= 1.24", "java"]
debian    = ["golang-go"]
fetch     = "go mod download"
build     = "go build -o server ."
start     = "exec ./server"
version   = "go version"
ready_seconds = 30
"#;

fn try_workload(text: &str) -> Option<Workload> {
    match workload::read(&SourceFile::of("workload.toml", text), "coin", String::new(), Folder::None) {
        Ok(workload) => Some(workload),
        Err(error) => {
            assert_readable(&error.to_string());
            None
        }
    }
}

fn try_contender(text: &str) {
    let name = ContenderName::new("go/gin").expect("a name");
    if let Err(error) =
        contender::read(SourceFile::of("contender.toml", text), &name, Path::new("contenders/go/gin"))
    {
        assert_readable(&error.to_string());
    }
}

fn assert_readable(message: &str) {
    assert!(message.len() < 5000, "{} bytes", message.len());
    assert!(message.lines().count() <= 2, "{message}");
    assert!(!message.chars().any(|c| c.is_control() && c != '\n'), "{message:?}");
}

/// A change of a text at any place: a piece goes, a piece comes.
#[derive(Debug, Clone)]
struct Mutation {
    start: prop::sample::Index,
    length: usize,
    insert: String,
}

impl Mutation {
    fn apply(&self, text: &str) -> String {
        let chars: Vec<char> = text.chars().collect();
        let start = self.start.index(chars.len() + 1);
        let end = (start + self.length).min(chars.len());
        chars[..start]
            .iter()
            .copied()
            .chain(self.insert.chars())
            .chain(chars[end..].iter().copied())
            .collect()
    }
}

const PIECES: [&str; 22] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    "'",
    "'''",
    "\n",
    "=",
    "{bet}",
    "{id}",
    "{bets}",
    "nan",
    "inf",
    "true",
    "-1",
    "[[case]]\n",
    "[[request]]\n",
    "[[claim]]\n",
    "like = \"bet\"\n",
    "1979-05-27",
    "\u{0}\u{feff}",
];

fn mutation() -> impl Strategy<Value = Mutation> {
    let insert = prop_oneof![
        Just(String::new()),
        "[a-z{}\u{e9}\u{1f3b2}]{0,4}",
        "[0-9.eE+-]{1,30}",
        prop::sample::select(&PIECES[..]).prop_map(str::to_owned),
    ];
    (any::<prop::sample::Index>(), 0..40_usize, insert).prop_map(|(start, length, insert)| Mutation {
        start,
        length,
        insert,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text(text in prop::collection::vec(prop_oneof![any::<char>(), prop::sample::select(vec!['\n', '=', '[', ']', '"', '.'])], 0..200)) {
        let text: String = text.into_iter().collect();
        prop_assert!(try_workload(&text).is_none());
        try_contender(&text);
    }

    #[test]
    fn a_mutated_contender(mutations in prop::collection::vec(mutation(), 1..4)) {
        try_contender(&mutations.iter().fold(CONTENDER.to_owned(), |text, mutation| mutation.apply(&text)));
    }

    #[test]
    fn a_mutated_workload(which in 0..WORKLOADS.len(), mutations in prop::collection::vec(mutation(), 1..4)) {
        let text = mutations.iter().fold(WORKLOADS[which].to_owned(), |text, mutation| mutation.apply(&text));
        if let Some(workload) = try_workload(&text) {
            let kept = serde_json::to_string(&workload).expect("it can be kept");
            let read: Workload = serde_json::from_str(&kept).expect("it can be read again");
            prop_assert_eq!(read, workload);
        }
    }
}

#[test]
fn nesting_does_not_overflow_the_stack() {
    let dotted = vec!["a"; 78].join(".");
    let product = format!("x = {}1{}", format!("{{ {dotted} = ").repeat(78), " }".repeat(78));
    let brackets = format!("x = {}", "[".repeat(1_000_000));
    let dots = format!("{} = 1", vec!["a"; 500_000].join("."));
    let header = format!("[{}]", vec!["a"; 500_000].join("."));
    for text in [product, brackets, dots, header] {
        assert!(try_workload(&text).is_none());
        try_contender(&text);
    }
}

#[test]
fn long_words_are_cut_in_messages() {
    for text in [format!("{} = 1", "a".repeat(1_000_000)), format!("class = \"{}\"", "a".repeat(1_000_000))] {
        assert!(try_workload(&text).is_none());
        try_contender(&text);
    }
}
