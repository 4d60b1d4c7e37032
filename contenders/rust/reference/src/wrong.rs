//! Wrong answers on purpose, for `make bench`: a load generator that checks must count exactly these.

use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{process, thread};

/// Of so many requests one is answered wrongly.
const EVERY: u64 = 100_000;

static READ: AtomicU64 = AtomicU64::new(0);
static WRONG: AtomicU64 = AtomicU64::new(0);

/// Counts a request by its complete answer, and changes the last byte of the body when it is this one's turn. An
/// answer without a body stays right.
pub fn answered(end_of_body: Option<&mut u8>) {
    let turn = (READ.fetch_add(1, Ordering::Relaxed) + 1) % EVERY == 0;
    if let (true, Some(last)) = (turn, end_of_body) {
        spoil(last);
        WRONG.fetch_add(1, Ordering::Relaxed);
    }
}

/// The last byte of the body of an answer in HTTP/1.1, if it has one.
pub fn end_of_body(answer: &mut [u8]) -> Option<&mut u8> {
    if answer.ends_with(b"\r\n\r\n") { None } else { answer.last_mut() }
}

/// A digit becomes another digit and the length stays: only the content tells.
fn spoil(last: &mut u8) {
    *last ^= 1;
}

/// When standard input ends, so does the process, with its counts as its last line.
pub fn report_at_end_of_input() {
    thread::spawn(|| {
        // An input that cannot be read has ended too.
        let _ = io::stdin().read_to_end(&mut Vec::new());
        println!("requests {} wrong {}", READ.load(Ordering::Relaxed), WRONG.load(Ordering::Relaxed));
        process::exit(0);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_body_changes() {
        let mut answer = *b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n17";
        spoil(end_of_body(&mut answer).expect("it has a body"));
        assert_eq!(&answer, b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n16");
        let mut empty = *b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        assert!(end_of_body(&mut empty).is_none());
    }
}
