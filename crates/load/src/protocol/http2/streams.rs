//! The streams of one connection that are open, each with the request that it carries.

use std::rc::Rc;

use super::frame::LAST_STREAM;
use super::head::FramedHead;
use crate::protocol::RequestId;

/// A stream that is open, or the place for one: a line of the cache, because hundreds of them take turns.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(super) struct Stream {
    /// Its number on the wire; 0 where there is none.
    pub(super) id: u32,
    pub(super) is_head: bool,
    /// Something of the answer has come.
    pub(super) has_begun: bool,
    /// Interim answers so far.
    pub(super) interim: u16,
    /// How much more of the request's body the server takes on it.
    pub(super) window: i32,
    /// What of the request's body has not been sent.
    pub(super) unsent: Option<Box<Unsent>>,
    /// The answer's head, when it has come.
    pub(super) head: Option<Rc<FramedHead>>,
    /// The answer's body so far.
    pub(super) body: Body,
    /// Bytes received since the server's window was last opened.
    pub(super) received: u32,
    older: Place,
    newer: Place,
}

impl Stream {
    /// The server takes so much more on it, or less; `false` when that is more than it may.
    pub(super) fn widen(&mut self, more: i64) -> bool {
        // No less than i32 holds: it began at 0 or more, and no more was sent than was allowed.
        let Ok(window) = i32::try_from(i64::from(self.window) + more) else { return false };
        self.window = window;
        true
    }
}

/// The body of an answer so far.
#[derive(Debug)]
pub(super) enum Body {
    Kept(Vec<u8>),
    /// How many bytes have come, where nobody wants them.
    Counted(usize),
}

impl Default for Body {
    fn default() -> Self {
        Self::Kept(Vec::new())
    }
}

impl Body {
    #[inline]
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Kept(bytes) => bytes.len(),
            Self::Counted(count) => *count,
        }
    }

    /// Empty again, with the room that it has unless that is large.
    #[inline]
    pub(super) fn clear(&mut self) {
        match self {
            Self::Kept(bytes) if bytes.capacity() <= LONGEST_KEPT_BODY => bytes.clear(),
            Self::Kept(_) | Self::Counted(_) => *self = Self::default(),
        }
    }

    #[cfg(any(test, feature = "fuzzing"))]
    fn held_bytes(&self) -> usize {
        match self {
            Self::Kept(bytes) => bytes.capacity(),
            Self::Counted(_) => 0,
        }
    }
}

/// A request's body on its way.
#[derive(Debug)]
pub(super) struct Unsent {
    pub(super) bytes: Vec<u8>,
    pub(super) sent: usize,
}

// All of a place is in one line.
const _: () = assert!(size_of::<Stream>() == 64);

/// The place of a stream, or none.
type Place = Option<std::num::NonZeroU32>;

fn place(at: usize) -> Place {
    std::num::NonZeroU32::new(at as u32 + 1)
}

fn at(place: Place) -> Option<usize> {
    place.map(|place| place.get() as usize - 1)
}

/// Streams in places that are used again, so that requests in flight are numbered close together.
#[derive(Debug)]
pub(super) struct Streams {
    places: Vec<Stream>,
    free: Vec<u32>,
    /// Where a stream is, by the lowest bits of its number, unless a later one has overwritten it.
    latest: Vec<u32>,
    oldest: Place,
    newest: Place,
    count: usize,
    /// The number of the next stream.
    next_id: u32,
}

/// What a stream is to this side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    Open(usize),
    /// Ended by either side: what still comes on it is dropped.
    Closed,
    NeverOpened,
}

/// Longer buffers of bodies are not kept for the next one.
const LONGEST_KEPT_BODY: usize = 1 << 16;

impl Default for Streams {
    fn default() -> Self {
        Self {
            places: Vec::new(),
            free: Vec::new(),
            latest: Vec::new(),
            oldest: None,
            newest: None,
            count: 0,
            next_id: 1,
        }
    }
}

impl Streams {
    /// Forgets everything.
    pub(super) fn reset(&mut self) {
        while let Some(oldest) = self.oldest() {
            self.close(oldest);
        }
        self.next_id = 1;
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Whether there is a number left for another stream.
    #[inline]
    pub(super) fn has_number(&self) -> bool {
        self.next_id <= LAST_STREAM
    }

    #[inline]
    pub(super) fn get(&self, at: usize) -> Option<&Stream> {
        self.places.get(at).filter(|stream| stream.id != 0)
    }

    #[inline]
    pub(super) fn get_mut(&mut self, at: usize) -> Option<&mut Stream> {
        self.places.get_mut(at).filter(|stream| stream.id != 0)
    }

    /// All that are open, in no order.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Stream> {
        self.places.iter_mut().filter(|stream| stream.id != 0)
    }

    /// Opens a stream and says where it is.
    #[inline]
    pub(super) fn open(&mut self, is_head: bool, window: i32) -> usize {
        let at = match self.free.pop() {
            Some(free) => free as usize,
            None => self.grow(),
        };
        let id = self.next_id;
        self.next_id = id.saturating_add(2);
        let newest = self.newest;
        let stream = &mut self.places[at];
        (stream.id, stream.is_head, stream.window) = (id, is_head, window);
        (stream.older, stream.newer) = (newest, None);
        match self::at(newest) {
            Some(newest) => self.places[newest].newer = place(at),
            None => self.oldest = place(at),
        }
        self.newest = place(at);
        self.count += 1;
        let mask = self.latest.len() - 1;
        self.latest[(id >> 1) as usize & mask] = at as u32;
        at
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> usize {
        let at = self.places.len();
        self.places.push(Stream::default());
        if self.latest.len() < 4 * self.places.len() {
            let length = (4 * self.places.len()).next_power_of_two();
            self.latest.clear();
            self.latest.resize(length, 0);
            for (at, stream) in self.places.iter().enumerate().filter(|(_, stream)| stream.id != 0) {
                self.latest[(stream.id >> 1) as usize & (length - 1)] = at as u32;
            }
        }
        at
    }

    #[inline]
    pub(super) fn find(&self, id: u32) -> Found {
        let mask = self.latest.len().wrapping_sub(1);
        if let Some(&at) = self.latest.get((id >> 1) as usize & mask)
            && self.places[at as usize].id == id
            && id != 0
        {
            return Found::Open(at as usize);
        }
        self.find_slowly(id)
    }

    /// A stream that has been overtaken by many others, or is not open.
    #[cold]
    #[inline(never)]
    fn find_slowly(&self, id: u32) -> Found {
        if id.is_multiple_of(2) || id >= self.next_id {
            return Found::NeverOpened;
        }
        self.places.iter().position(|stream| stream.id == id).map_or(Found::Closed, Found::Open)
    }

    /// The stream that has been open for longest.
    #[inline]
    pub(super) fn oldest(&self) -> Option<usize> {
        at(self.oldest)
    }

    /// A stream is not open any more.
    // Left to itself the compiler calls it, which costs 20 instructions a request.
    #[inline(always)]
    pub(super) fn close(&mut self, at: usize) {
        let stream = &mut self.places[at];
        stream.id = 0;
        (stream.has_begun, stream.interim, stream.received) = (false, 0, 0);
        stream.unsent = None;
        stream.head = None;
        stream.body.clear();
        let (older, newer) = (stream.older, stream.newer);
        match self::at(older) {
            Some(older) => self.places[older].newer = newer,
            None => self.oldest = newer,
        }
        match self::at(newer) {
            Some(newer) => self.places[newer].older = older,
            None => self.newest = older,
        }
        self.count -= 1;
        self.free.push(at as u32);
    }

    /// The places of the streams above a number.
    pub(super) fn above(&self, id: u32) -> Vec<usize> {
        let is_above = |(_, stream): &(usize, &Stream)| stream.id > id;
        self.places.iter().enumerate().filter(is_above).map(|(at, _)| at).collect()
    }

    /// Gives a place the room of a body that was handed out, unless it is large.
    #[inline]
    pub(super) fn keep_room(&mut self, at: usize, room: Vec<u8>) {
        if room.capacity() <= LONGEST_KEPT_BODY {
            self.places[at].body = Body::Kept(room);
        }
    }

    #[cfg(test)]
    pub(super) fn set_next_id(&mut self, id: u32) {
        self.next_id = id;
    }

    #[cfg(any(test, feature = "fuzzing"))]
    pub(super) fn held_bytes(&self) -> usize {
        self.places.iter().map(|stream| stream.body.held_bytes()).sum()
    }
}

/// The request of the stream at a place.
#[inline]
pub(super) fn request(at: usize) -> RequestId {
    RequestId(at as u32)
}
