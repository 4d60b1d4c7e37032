//! What answers depend on besides the request.

use crate::answers::{Answer, BAD_REQUEST, LOSE, NOT_FOUND, SERVER_ERROR, WIN};
use crate::bet::{self, Coin};
use crate::echo;
use crate::users::{self, HASH_LENGTH, Users};

pub struct Sources {
    pub coin: Coin,
    pub users: Users,
    /// The body of the last echo. Only its memory is used again.
    pub echo: Vec<u8>,
}

/// The answer to a password.
pub enum Made {
    Fixed(&'static Answer),
    Hash([u8; HASH_LENGTH]),
}

impl Sources {
    pub fn coin_answer(&mut self, body: &[u8]) -> &'static Answer {
        match bet::parse(body) {
            Some(bet) if self.coin.toss() == bet => &WIN,
            Some(_) => &LOSE,
            None => &BAD_REQUEST,
        }
    }

    /// The body that a query asks for; `None` where it is no good.
    pub fn echo_body(&mut self, query: &[u8]) -> Option<&[u8]> {
        self.echo.clear();
        echo::write(query, &mut self.echo).then_some(&self.echo)
    }

    pub fn hash_answer(&mut self, id: u64, body: &[u8]) -> Made {
        let Some(password) = users::password(body) else { return Made::Fixed(&BAD_REQUEST) };
        match self.users.contain(id) {
            Ok(true) => Made::Hash(users::hash(&password)),
            Ok(false) => Made::Fixed(&NOT_FOUND),
            Err(_) => Made::Fixed(&SERVER_ERROR),
        }
    }
}
