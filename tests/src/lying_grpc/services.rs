//! What each call is answered, right or wrong.

use velo_load::Rng;

use super::fields::{Value, read, text, truth};
use super::lie::Lie;
use crate::users;

/// The answer's message, or the `grpc-status` of a call that is refused.
pub(super) type Outcome = Result<Vec<u8>, u16>;

pub(super) const INVALID_ARGUMENT: u16 = 3;
const NOT_FOUND: u16 = 5;
const UNIMPLEMENTED: u16 = 12;

/// A field that no type of the workloads has: number 15, a text.
const UNKNOWN: &[u8] = &[0x7a, 1, b'x'];

/// The outcome of a call. `random`: what bets are tossed with.
pub(super) fn outcome(path: &str, message: &[u8], lie: Lie, random: &mut Rng) -> Outcome {
    let honest = honest(path, message, lie, random);
    match lie {
        Lie::WrongMessage => honest.map(|_| wrong(path)),
        Lie::UnknownField => honest.map(|message| [&message, UNKNOWN].concat()),
        Lie::NeverRefuses => Ok(honest.unwrap_or_default()),
        _ => honest,
    }
}

fn honest(path: &str, message: &[u8], lie: Lie, random: &mut Rng) -> Outcome {
    let fields = read(message).ok_or(INVALID_ARGUMENT)?;
    let field = |number| fields.iter().find(|(found, _)| *found == number).map(|(_, value)| value);
    let string = |number| match field(number) {
        Some(Value::Bytes(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
        _ => String::new(),
    };
    match path {
        "/user.User/Index" | "/user.User/Create" => Ok(Vec::new()),
        "/user.User/Get" => Ok(text(1, &string(1))),
        "/coin.Coin/Toss" => {
            let Some(Value::Number(bet)) = field(1) else { return Err(INVALID_ARGUMENT) };
            Ok(truth(1, lie == Lie::AlwaysWins || *bet == random.below(2)))
        }
        "/auth.Auth/Test" => {
            let Some(Value::Number(id)) = field(1) else { return Err(NOT_FOUND) };
            if !users::read().contains(&format!("\"id\": {id},")) {
                return Err(NOT_FOUND);
            }
            Ok(text(1, &users::sha512(string(2))))
        }
        _ => Err(UNIMPLEMENTED),
    }
}

/// A message of the right type where it can be wrong, else of another.
fn wrong(path: &str) -> Vec<u8> {
    match path {
        "/user.User/Get" => text(1, "none"),
        "/auth.Auth/Test" => text(1, &"0".repeat(128)),
        _ => UNKNOWN.to_vec(),
    }
}
