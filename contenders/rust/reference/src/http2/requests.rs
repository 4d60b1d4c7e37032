//! Header blocks to requests. A block that came before, while the client's table was the same, is not decoded again.

use crate::routes::Route;

use super::head::{Asks, Broken, Fields, Head};
use super::hpack::{Decoder, Malformed};

/// Different blocks that are kept for a connection: more than a load generator's kinds of requests.
const KEPT: usize = 16;
/// Longer ones are not.
const KEPT_LENGTH: usize = 1024;

/// What comes of a block that could be decoded.
pub type Read = Result<Head, Broken>;

/// The requests of a connection.
pub struct Requests {
    decoder: Decoder,
    fields: Fields,
    kept: Vec<(Box<[u8]>, Head)>,
    /// The one that makes room for the next.
    oldest: usize,
    /// The state of the decoder for which they hold.
    changes: u64,
}

impl Requests {
    pub fn new() -> Requests {
        let decoder = Decoder::new();
        let changes = decoder.changes();
        Requests { decoder, fields: Fields::default(), kept: Vec::new(), oldest: 0, changes }
    }

    /// A request's head.
    pub fn read(&mut self, block: &[u8]) -> Result<Read, Malformed> {
        if let Some((_, head)) = self.kept.iter().find(|(kept, _)| **kept == *block) {
            return Ok(Ok(*head));
        }
        let head = self.decode(block)?.head();
        if self.changes != self.decoder.changes() {
            self.changes = self.decoder.changes();
            self.kept.clear();
            self.oldest = 0;
        } else if let Ok(head) = &head {
            self.keep(block, head);
        }
        Ok(head)
    }

    /// Fields after a body: whether they may stand there.
    pub fn read_trailers(&mut self, block: &[u8]) -> Result<bool, Malformed> {
        let are_trailers = self.decode(block)?.are_trailers();
        if self.changes != self.decoder.changes() {
            self.changes = self.decoder.changes();
            self.kept.clear();
            self.oldest = 0;
        }
        Ok(are_trailers)
    }

    /// The path of the head that was read last, unless it was a kept one.
    pub fn path(&self) -> &[u8] {
        self.fields.path()
    }

    fn decode(&mut self, block: &[u8]) -> Result<&Fields, Malformed> {
        self.fields.clear();
        self.decoder.decode(block, |field| self.fields.take(field))?;
        Ok(&self.fields)
    }

    /// Where each request has another id, its block will hardly come again, and its path is needed.
    fn keep(&mut self, block: &[u8], head: &Head) {
        if matches!(head.asks, Asks::Route(Route::User { .. } | Route::Password(_) | Route::Echo { .. }))
            || block.len() > KEPT_LENGTH
        {
            return;
        }
        let entry = (block.into(), *head);
        if self.kept.len() < KEPT {
            self.kept.push(entry);
        } else {
            self.kept[self.oldest] = entry;
            self.oldest = (self.oldest + 1) % KEPT;
        }
    }
}
