//! The streams of a connection that are not done.

use std::collections::VecDeque;

use super::head::Head;
use super::sender::Outgoing;

/// A request under way.
pub struct Stream {
    pub id: u32,
    pub state: State,
    /// What the client takes of the answer's body.
    pub window: i64,
}

/// How far a request has come.
pub enum State {
    /// Its body has not come to its end.
    Reads(Box<Reading>),
    /// It is answered; so many bytes of its body may still come and are thrown away.
    Drains(usize),
    /// So many milliseconds are waited for.
    Waits(u16),
    /// The client's windows do not take the answer.
    Sends(Box<Outgoing>),
}

/// A request whose body has not come to its end.
pub struct Reading {
    pub head: Head,
    /// The part of its path that the answer depends on.
    pub part: Vec<u8>,
    pub body: Vec<u8>,
    /// What came of it against the stream's window.
    pub received: usize,
}

/// In the order of their ids, which is that in which they began.
#[derive(Default)]
pub struct Streams(VecDeque<Stream>);

impl Streams {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds one that is not there.
    pub fn insert(&mut self, stream: Stream) {
        if self.0.back().is_none_or(|last| last.id < stream.id) {
            self.0.push_back(stream);
        } else {
            let place = self.0.partition_point(|other| other.id < stream.id);
            self.0.insert(place, stream);
        }
    }

    /// Where it stands until another one is taken away.
    pub fn find(&self, id: u32) -> Option<usize> {
        // Requests are answered in nearly the order in which they come.
        if self.0.back()?.id == id {
            return Some(self.0.len() - 1);
        }
        self.0.binary_search_by_key(&id, |stream| stream.id).ok()
    }

    pub fn at(&mut self, place: usize) -> Option<&mut Stream> {
        self.0.get_mut(place)
    }

    pub fn take(&mut self, place: usize) -> Option<Stream> {
        self.0.remove(place)
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Stream> {
        self.0.iter_mut()
    }

    /// Keeps those of which it is true.
    pub fn retain_mut(&mut self, keep: impl FnMut(&mut Stream) -> bool) {
        self.0.retain_mut(keep);
    }
}
