/// Checks a body that has not been seen before; later ones are compared by bytes.
///
/// `values` are the request's slots: the index chosen for a [`crate::Slot::Choice`], the number itself for a
/// [`crate::Slot::Int`] or [`crate::Slot::Counter`], in two's complement for a [`crate::Slot::Signed`], the row, from 0, for a [`crate::Slot::Cell`]. The verdict must
/// depend on the arguments alone.
pub trait BodyChecker: Send + Sync {
    /// `Ok` for a correct body, with the toss that it tells of, if any; `Err` says in a few words what is wrong.
    ///
    /// # Errors
    /// When the body is not a correct answer to the request.
    fn check(&self, request: usize, values: &[u64], body: &[u8]) -> Result<Option<Toss>, String>;
}

/// A coin's toss as told by an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Toss {
    /// What was bet.
    pub bet: bool,
    /// What was drawn.
    pub draw: bool,
}

/// Bodies already found correct for one variant of a request.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    bodies: Vec<(Box<[u8]>, Option<Toss>)>,
    bytes: usize,
}

/// A server that writes each answer differently is checked in full each time instead of filling the memory.
const MOST_BODIES: usize = 32;
/// The most bytes of all bodies of a variant.
const MOST_BYTES: usize = 1 << 20;

impl Seen {
    #[inline]
    pub(crate) fn get(&self, body: &[u8]) -> Option<Option<Toss>> {
        self.bodies.iter().find(|(seen, _)| **seen == *body).map(|(_, toss)| *toss)
    }

    /// Remembers a body, unless there are too many or the `room` that is left, in bytes, is too small.
    pub(crate) fn insert(&mut self, body: &[u8], toss: Option<Toss>, room: &mut usize) {
        let fits = self.bytes + body.len() <= MOST_BYTES && body.len() <= *room;
        if fits && self.bodies.len() < MOST_BODIES {
            self.bodies.push((body.into(), toss));
            self.bytes += body.len();
            *room -= body.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_remembered_until_the_memory_is_full() {
        let (mut seen, mut room) = (Seen::default(), MOST_BYTES * 2);
        let toss = Some(Toss { bet: true, draw: false });
        seen.insert(b"a", toss, &mut room);
        seen.insert(&vec![b'b'; MOST_BYTES - 1], None, &mut room);
        seen.insert(b"c", None, &mut room);
        assert_eq!(seen.get(b"a"), Some(toss));
        assert_eq!(seen.get(&vec![b'b'; MOST_BYTES - 1]), Some(None));
        assert_eq!(seen.get(b"c"), None, "the variant is full");
        assert_eq!(room, MOST_BYTES);

        let (mut seen, mut room) = (Seen::default(), 3);
        seen.insert(b"abc", None, &mut room);
        seen.insert(b"d", None, &mut room);
        assert_eq!((seen.get(b"abc"), seen.get(b"d"), room), (Some(None), None, 0));

        let (mut seen, mut room) = (Seen::default(), MOST_BYTES);
        for n in 0..=MOST_BODIES as u8 {
            seen.insert(&[n], None, &mut room);
        }
        assert_eq!((seen.get(&[31]), seen.get(&[32])), (Some(None), None));
    }
}
