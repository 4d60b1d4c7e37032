/// Judges a body that has not been seen before; later ones are compared by bytes.
///
/// `values` are the request's slots: the index chosen for a [`crate::Slot::Choice`], the number itself for a
/// [`crate::Slot::Int`]. The verdict must depend on the arguments alone.
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
pub(crate) struct Seen(Vec<(Box<[u8]>, Option<Toss>)>);

/// A server that writes each answer differently is checked in full each time instead of filling the memory.
const MOST_BODIES: usize = 32;
const LONGEST_BODY: usize = 16 * 1024;

impl Seen {
    pub(crate) fn get(&self, body: &[u8]) -> Option<Option<Toss>> {
        self.0.iter().find(|(seen, _)| **seen == *body).map(|(_, toss)| *toss)
    }

    pub(crate) fn insert(&mut self, body: &[u8], toss: Option<Toss>) {
        if self.0.len() < MOST_BODIES && body.len() <= LONGEST_BODY {
            self.0.push((body.into(), toss));
        }
    }
}
