//! A protocol whose answers come in any order, a line for each thing that is told of a request, so that the loop can be held
//! against what no answer of HTTP/1.1 can do.

use std::collections::VecDeque;
use std::rc::Rc;

use super::{AtEnd, Events, Head, Limits, RequestId, Session, Then};
use crate::mix::{Drawn, Mix};

/// Requests are lines with their numbers, with a minus when they are given up; the first line of a connection is `hello`. Answers
/// are lines: `3 begun`, `3 ok`, `3 bad`, `3 refused`, `ping` that `pong` is the answer to, and `bye` when no more requests are taken.
#[derive(Default)]
pub(crate) struct AnyOrder {
    /// Numbers in flight, the oldest first, and whether their answers have begun.
    in_flight: VecDeque<(u32, bool)>,
}

/// They share nothing.
pub(crate) struct Nothing;

impl From<Limits> for Nothing {
    fn from(_: Limits) -> Self {
        Self
    }
}

impl AnyOrder {
    fn at(&self, number: u32) -> Option<usize> {
        self.in_flight.iter().position(|(other, _)| *other == number)
    }
}

impl Session for AnyOrder {
    type Shared = Nothing;

    fn reset(&mut self) {
        self.in_flight.clear();
    }

    fn open(&mut self, out: &mut Vec<u8>) {
        out.extend(b"hello\n");
    }

    fn takes_more(&self, most: usize) -> usize {
        most.saturating_sub(self.in_flight.len())
    }

    fn bytes<'a>(&mut self, mix: &'a Mix, drawn: &Drawn, room: &'a mut Vec<u8>) -> (RequestId, &'a [u8]) {
        room.clear();
        (self.append(mix, drawn, room), room)
    }

    fn append(&mut self, _: &Mix, _: &Drawn, out: &mut Vec<u8>) -> RequestId {
        let number = (0..).find(|number| self.at(*number).is_none()).unwrap();
        self.in_flight.push_back((number, false));
        out.extend(format!("{number}\n").bytes());
        RequestId(number)
    }

    fn receive(
        &mut self,
        bytes: &[u8],
        _: bool,
        _: &mut Nothing,
        out: &mut Vec<u8>,
        events: &mut impl Events,
    ) -> Then {
        let mut then = Then::Goes;
        for line in str::from_utf8(bytes).unwrap().lines() {
            let Some((number, what)) = line.split_once(' ') else {
                match line {
                    "ping" => out.extend(b"pong\n"),
                    _ => then = Then::Ends,
                }
                continue;
            };
            let number: u32 = number.parse().unwrap();
            let (id, Some(at)) = (RequestId(number), self.at(number)) else { continue };
            if what == "begun" {
                self.in_flight[at].1 = true;
                events.first_byte(id);
                continue;
            }
            self.in_flight.remove(at);
            match what {
                "ok" => {
                    let head =
                        Head { status: 200, content_type: None, fields: Box::default(), trailers: None };
                    events.end(id, &Rc::new(head), b"ok");
                }
                "refused" => events.refused(id),
                _ => events.failed(id, "not ok", line.as_bytes()),
            }
        }
        then
    }

    fn oldest(&self) -> Option<RequestId> {
        self.in_flight.front().map(|(number, _)| RequestId(*number))
    }

    fn has_begun(&self, id: RequestId) -> bool {
        self.in_flight.contains(&(id.0, true))
    }

    fn cancel(&mut self, id: RequestId, out: &mut Vec<u8>) -> bool {
        self.in_flight.retain(|(number, _)| *number != id.0);
        out.extend(format!("-{}\n", id.0).bytes());
        true
    }

    fn forget_oldest(&mut self) -> Option<RequestId> {
        self.in_flight.pop_front().map(|(number, _)| RequestId(number))
    }

    fn end_oldest(&mut self) -> Option<(RequestId, AtEnd<'_>)> {
        let (number, has_begun) = self.in_flight.pop_front()?;
        Some((RequestId(number), if has_begun { AtEnd::Truncated } else { AtEnd::Nothing }))
    }
}
