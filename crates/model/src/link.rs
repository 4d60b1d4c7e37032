use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A link with distance between load and contender: how long packets take, how fast they are sent, how many are lost.
///
/// Its text is that of flags and workload files: `rtt=20ms,rate=100mbit,loss=0.1%`, each part once and none needed but one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Link {
    /// The round-trip time of an empty link; each direction takes half of it. At most [`Link::LONGEST_RTT_NS`].
    pub rtt_ns: u64,
    /// Bits a second in each direction, counted over whole IP packets; `None`: no limit.
    pub rate_bits_per_s: Option<u64>,
    /// The share of packets lost at random in each direction, from 0 to [`Link::MOST_LOSS`].
    pub loss: f64,
}

/// Why a text is no link: what is wrong, and what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}\n  {expected}")]
pub struct LinkProblem {
    /// What is wrong.
    pub what: String,
    /// What was expected.
    pub expected: String,
}

const WHOLE: &str = "expected as in rtt=20ms,rate=100mbit,loss=0.1%";

impl Link {
    /// The longest round-trip time.
    pub const LONGEST_RTT_NS: u64 = 10_000_000_000;
    /// The lowest and the highest rate, in bits a second.
    pub const RATES: std::ops::RangeInclusive<u64> = 1_000..=100_000_000_000;
    /// The highest share of packets lost.
    pub const MOST_LOSS: f64 = 0.5;

    /// How long one direction holds a packet, beside the time to send it.
    pub fn one_way_ns(&self) -> u64 {
        self.rtt_ns / 2
    }

    /// How long it takes to send so many bytes, rounded up; 0 where the rate has no limit.
    pub fn sending_ns(&self, bytes: u64) -> u64 {
        let Some(rate) = self.rate_bits_per_s else { return 0 };
        let bits_ns = u128::from(bytes) * 8 * 1_000_000_000;
        u64::try_from(bits_ns.div_ceil(u128::from(rate.max(1)))).unwrap_or(u64::MAX)
    }
}

impl FromStr for Link {
    type Err = LinkProblem;

    fn from_str(text: &str) -> Result<Self, LinkProblem> {
        let (mut rtt_ns, mut rate_bits_per_s, mut loss) = (None, None, None);
        for part in text.split(',') {
            let part = part.trim();
            let Some((key, value)) = part.split_once('=') else {
                return Err(problem(format!("`{part}` is no part of a link"), WHOLE));
            };
            let (key, value) = (key.trim(), value.trim());
            let is_again = match key {
                "rtt" => rtt_ns.replace(rtt(value)?).is_some(),
                "rate" => rate_bits_per_s.replace(rate(value)?).is_some(),
                "loss" => loss.replace(share(value)?).is_some(),
                _ => {
                    return Err(problem(
                        format!("a link has no `{key}`"),
                        "expected rtt, rate and loss, as in rtt=20ms,rate=100mbit,loss=0.1%",
                    ));
                }
            };
            if is_again {
                return Err(problem(format!("`{key}` is given twice"), "expected each part once"));
            }
        }
        Ok(Self { rtt_ns: rtt_ns.unwrap_or(0), rate_bits_per_s, loss: loss.unwrap_or(0.0) })
    }
}

fn problem(what: String, expected: &str) -> LinkProblem {
    LinkProblem { what, expected: expected.to_owned() }
}

/// A number of decimal digits with at most one point, and what follows it.
fn number_and_unit(text: &str) -> Option<(f64, String)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number: f64 = number.parse().ok()?;
    number.is_finite().then(|| (number, unit.trim().to_ascii_lowercase()))
}

fn rtt(text: &str) -> Result<u64, LinkProblem> {
    let expected = "expected a time from 0 to 10s, as in 20ms or 500us";
    let scaled = number_and_unit(text).and_then(|(number, unit)| {
        let scale = match unit.as_str() {
            "s" => 1e9,
            "ms" => 1e6,
            "us" | "µs" => 1e3,
            "ns" => 1.0,
            "" if number == 0.0 => 1.0,
            _ => return None,
        };
        Some(number * scale)
    });
    match scaled {
        Some(ns) if ns <= Link::LONGEST_RTT_NS as f64 => Ok(ns.round() as u64),
        _ => Err(problem(format!("`rtt` is `{text}`"), expected)),
    }
}

fn rate(text: &str) -> Result<u64, LinkProblem> {
    let expected = "expected bits a second from 1kbit to 100gbit, as in 100mbit";
    let scaled = number_and_unit(text).and_then(|(number, unit)| {
        let scale = match unit.trim_end_matches("/s") {
            "bit" | "bps" => 1.0,
            "kbit" | "kbps" => 1e3,
            "mbit" | "mbps" => 1e6,
            "gbit" | "gbps" => 1e9,
            _ => return None,
        };
        Some((number * scale).round() as u64)
    });
    scaled
        .filter(|rate| Link::RATES.contains(rate))
        .ok_or_else(|| problem(format!("`rate` is `{text}`"), expected))
}

fn share(text: &str) -> Result<f64, LinkProblem> {
    let expected = "expected a share of packets from 0% to 50%, as in 0.1%";
    let scaled = number_and_unit(text).and_then(|(number, unit)| match unit.as_str() {
        "%" => Some(number / 100.0),
        "" if number == 0.0 => Some(0.0),
        _ => None,
    });
    scaled
        .filter(|share| (0.0..=Link::MOST_LOSS).contains(share))
        .ok_or_else(|| problem(format!("`loss` is `{text}`"), expected))
}

/// A time in the largest unit that needs no point.
fn shown_time(ns: u64) -> String {
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")];
    match units.into_iter().find(|(unit, _)| ns >= *unit && ns.is_multiple_of(*unit)) {
        _ if ns == 0 => "0ms".to_owned(),
        Some((unit, name)) => format!("{}{name}", ns / unit),
        None => format!("{ns}ns"),
    }
}

fn shown_rate(bits: u64) -> String {
    let units = [(1_000_000_000, "gbit"), (1_000_000, "mbit"), (1_000, "kbit")];
    match units.into_iter().find(|(unit, _)| bits >= *unit && bits.is_multiple_of(*unit)) {
        Some((unit, name)) => format!("{}{name}", bits / unit),
        None => format!("{bits}bit"),
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rtt={}", shown_time(self.rtt_ns))?;
        if let Some(rate) = self.rate_bits_per_s {
            write!(f, ",rate={}", shown_rate(rate))?;
        }
        if self.loss > 0.0 {
            // A share of percent as it was typed: 0.001 times 100 is not 0.1 in binary.
            let percent = (self.loss * 1e8).round() / 1e6;
            write!(f, ",loss={percent}%")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn link(text: &str) -> Result<Link, String> {
        text.parse().map_err(|problem: LinkProblem| problem.to_string())
    }

    #[test]
    fn each_part_is_read() {
        let whole = Link { rtt_ns: 20_000_000, rate_bits_per_s: Some(100_000_000), loss: 0.001 };
        assert_eq!(link("rtt=20ms,rate=100mbit,loss=0.1%"), Ok(whole));
        assert_eq!(link(" loss = 0.1% , rate=0.1gbit/s, rtt=20000us"), Ok(whole));
        let bare = Link { rtt_ns: 0, rate_bits_per_s: None, loss: 0.0 };
        for text in ["rtt=0", "rtt=0ms", "loss=0", "rtt=0s,loss=0%"] {
            assert_eq!(link(text), Ok(bare), "{text}");
        }
        assert_eq!(link("rtt=1.5ms").map(|link| link.rtt_ns), Ok(1_500_000));
        assert_eq!(link("rate=56kbps").map(|link| link.rate_bits_per_s), Ok(Some(56_000)));
    }

    #[test]
    fn what_is_wrong_is_named_with_what_was_expected() {
        for (text, part) in [
            ("", "`` is no part of a link"),
            ("20ms", "expected as in rtt=20ms"),
            ("rtt=20", "`rtt` is `20`\n  expected a time from 0 to 10s"),
            ("rtt=11s", "`rtt` is `11s`"),
            ("rtt=-1ms", "`rtt` is `-1ms`"),
            ("rtt=1e9s", "`rtt` is `1e9s`"),
            ("rate=100", "expected bits a second"),
            ("rate=0mbit", "from 1kbit"),
            ("rate=1tbit", "`rate` is `1tbit`"),
            ("loss=0.1", "expected a share of packets"),
            ("loss=51%", "`loss` is `51%`"),
            ("rtt=1ms,rtt=1ms", "`rtt` is given twice"),
            ("jitter=1ms", "a link has no `jitter`"),
            ("rtt=1ms,", "`` is no part of a link"),
        ] {
            let problem = link(text).expect_err(text);
            assert!(problem.contains(part), "{text}: {problem}");
        }
    }

    #[test]
    fn sending_takes_its_time() {
        let link = link("rate=100mbit").expect("a link");
        assert_eq!(link.sending_ns(1_500), 120_000);
        assert_eq!(link.sending_ns(1 << 20), 83_886_080);
        assert_eq!(Link { rate_bits_per_s: None, ..link }.sending_ns(1 << 20), 0);
        assert_eq!(Link { rate_bits_per_s: Some(3), ..link }.sending_ns(1), 2_666_666_667, "rounded up");
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_back(
            rtt_ns in 0..=Link::LONGEST_RTT_NS, rate in proptest::option::of(Link::RATES), millionths in 0u32..=500_000,
        ) {
            let link = Link { rtt_ns, rate_bits_per_s: rate, loss: f64::from(millionths) / 1e6 };
            let back: Link = link.to_string().parse().expect("what is shown is a link");
            prop_assert_eq!((back.rtt_ns, back.rate_bits_per_s), (rtt_ns, rate));
            prop_assert!((back.loss - link.loss).abs() < 1e-12);
        }

        #[test]
        fn odd_text_is_refused_or_within_bounds(text in "[a-z0-9=,.% -]{0,40}|.{0,40}") {
            if let Ok(link) = text.parse::<Link>() {
                prop_assert!(link.rtt_ns <= Link::LONGEST_RTT_NS && (0.0..=Link::MOST_LOSS).contains(&link.loss));
                prop_assert!(link.rate_bits_per_s.is_none_or(|rate| Link::RATES.contains(&rate)));
            }
        }
    }
}
