//! What each call is answered, right or wrong.

use prost::Message as _;
use velo_load::Rng;

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
    match path {
        "/user.User/Index" | "/user.User/Create" => Ok(Vec::new()),
        "/user.User/Get" => Ok(read::<UserId>(message)?.encode_to_vec()),
        "/coin.Coin/Toss" => {
            let bet = read::<Bet>(message)?.bet.ok_or(INVALID_ARGUMENT)?;
            let win = lie == Lie::AlwaysWins || u64::from(bet) == random.below(2);
            Ok(Tossed { win }.encode_to_vec())
        }
        "/auth.Auth/Test" => {
            let RequestBody { id, password } = read(message)?;
            if !users::read().contains(&format!("\"id\": {id},")) {
                return Err(NOT_FOUND);
            }
            Ok(ResponseBody { hash: users::sha512(password) }.encode_to_vec())
        }
        _ => Err(UNIMPLEMENTED),
    }
}

fn read<M: prost::Message + Default>(message: &[u8]) -> Result<M, u16> {
    M::decode(message).map_err(|_| INVALID_ARGUMENT)
}

/// A message of the right type where it can be wrong, else of another.
fn wrong(path: &str) -> Vec<u8> {
    match path {
        "/user.User/Get" => UserId { id: "none".to_owned() }.encode_to_vec(),
        "/auth.Auth/Test" => ResponseBody { hash: "0".repeat(128) }.encode_to_vec(),
        _ => UNKNOWN.to_vec(),
    }
}

// As the protos of the workloads have them.

#[derive(Clone, PartialEq, prost::Message)]
struct UserId {
    #[prost(string, tag = "1")]
    id: String,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Bet {
    #[prost(bool, optional, tag = "1")]
    bet: Option<bool>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Tossed {
    #[prost(bool, tag = "1")]
    win: bool,
}

#[derive(Clone, PartialEq, prost::Message)]
struct RequestBody {
    #[prost(int64, tag = "1")]
    id: i64,
    #[prost(string, tag = "2")]
    password: String,
}

#[derive(Clone, PartialEq, prost::Message)]
struct ResponseBody {
    #[prost(string, tag = "1")]
    hash: String,
}
