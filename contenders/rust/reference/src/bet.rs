//! The coin's request body and the coin.

use crate::json::{is_space, token};

/// Reads `{"bet": true}` or `{"bet": false}`, with whitespace wherever JSON allows it, and nothing else.
pub fn parse(body: &[u8]) -> Option<bool> {
    let rest = token(body, b"{")?;
    let rest = token(rest, b"\"bet\"")?;
    let rest = token(rest, b":")?;
    let (bet, rest) = match token(rest, b"true") {
        Some(rest) => (true, rest),
        None => (false, token(rest, b"false")?),
    };
    let rest = token(rest, b"}")?;
    is_space(rest).then_some(bet)
}

/// Marsaglia's xorshift64 with a multiplied output; its highest bit is the draw.
pub struct Coin(u64);

impl Coin {
    pub fn new(seed: u64) -> Coin {
        // Zero is the one state that xorshift never leaves.
        Coin(seed.max(1))
    }

    pub fn toss(&mut self) -> bool {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 63 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_a_boolean_bet() {
        assert_eq!(parse(br#"{"bet":true}"#), Some(true));
        assert_eq!(parse(br#"{"bet": false}"#), Some(false));
        assert_eq!(parse(b" \t{\r\n\"bet\" : false\n}\n"), Some(false));
    }

    #[test]
    fn refuses_everything_else() {
        for body in [
            "",
            " ",
            "{",
            "{}",
            "[]",
            "true",
            "null",
            "\u{feff}{\"bet\":true}",
            "{\"bet\"}",
            "{\"bet\":}",
            "{\"bet\":tru",
            "{\"bet\":true",
            "{\"bet\":truefalse}",
            "{\"bet\":TRUE}",
            "{\"bet\":1}",
            "{\"bet\":null}",
            "{\"bet\":\"true\"}",
            "{\"bet\":\"maybe\"}",
            "{\"bet\":true,}",
            "{\"bet\":true}}",
            "{\"bet\":true} x",
            "{\"Bet\":true}",
            "{bet:true}",
            "{\"bet\":true,\"bet\":true}",
            "{\"bet\":\u{c}true}",
            "[{\"bet\":true}]",
        ] {
            assert_eq!(parse(body.as_bytes()), None, "{body}");
        }
    }

    #[test]
    fn the_coin_is_fair_and_has_no_memory() {
        let mut coin = Coin::new(7);
        let tosses: Vec<bool> = (0..1_000_000).map(|_| coin.toss()).collect();
        // Five standard deviations of a fair coin.
        let near_half = |count: usize| count.abs_diff(500_000) < 2_500;
        assert!(near_half(tosses.iter().filter(|toss| **toss).count()));
        for lag in [1, 2, 3, 64] {
            assert!(
                near_half(tosses.iter().zip(&tosses[lag..]).filter(|(a, b)| a == b).count()),
                "lag {lag}"
            );
        }
    }
}
