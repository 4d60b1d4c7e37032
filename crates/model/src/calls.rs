use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::Protocol;

/// Single calls: what one request costs when it is the only one in flight, under some conditions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallSettings {
    /// Which request of the mix, by its index.
    pub request: usize,
    /// Under which conditions, each once.
    pub conditions: Vec<CallCondition>,
    /// Counted calls under each of them, in each launch.
    pub calls: u32,
}

/// Under which condition a call is made.
///
/// Its text is that of workload files and claims: `https1 new tls1.3 20ms`, with what is not said being `new`, TLS 1.3 where there
/// is TLS, no distance, and one write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallCondition {
    /// What is spoken.
    pub protocol: Protocol,
    /// What it is spoken on.
    pub connection: CallConnection,
    /// The version of TLS, where the protocol is encrypted.
    pub tls: Option<CallTls>,
    /// The round-trip time of the link in between, in milliseconds; 0: there is none.
    pub rtt_ms: u32,
    /// How the request is written.
    #[serde(default)]
    pub sending: CallSending,
}

/// The connection of a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CallConnection {
    /// A new one for each call.
    #[default]
    New,
    /// A new one for each call, on which an earlier session of TLS is resumed.
    Resumed,
    /// One that is kept for all of them.
    Kept,
}

/// A version of TLS, which is the only one that is offered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum CallTls {
    /// 1.2.
    #[serde(rename = "1.2")]
    Tls12,
    /// 1.3.
    #[default]
    #[serde(rename = "1.3")]
    Tls13,
}

/// How a request is written to its connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CallSending {
    /// In one write, sent at once (`TCP_NODELAY`).
    #[default]
    Whole,
    /// Head and body in a write each, sent at once.
    Apart,
    /// Head and body in a write each, with Nagle's algorithm, by which the body waits until the head is acknowledged.
    ApartNagle,
}

impl CallConnection {
    /// All of them, in the order to show them.
    pub const ALL: [Self; 3] = [Self::New, Self::Resumed, Self::Kept];

    /// Its name in workload files.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Resumed => "resumed",
            Self::Kept => "kept",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|connection| connection.name() == name)
    }
}

impl CallTls {
    /// All of them, in the order to show them.
    pub const ALL: [Self; 2] = [Self::Tls12, Self::Tls13];

    /// Its name in workload files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tls12 => "1.2",
            Self::Tls13 => "1.3",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.name() == name)
    }
}

impl CallSending {
    /// All of them, in the order to show them.
    pub const ALL: [Self; 3] = [Self::Whole, Self::Apart, Self::ApartNagle];

    /// Its name in workload files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Apart => "apart",
            Self::ApartNagle => "apart-nagle",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|sending| sending.name() == name)
    }
}

impl CallCondition {
    /// The longest round-trip time, in milliseconds.
    pub const LONGEST_RTT_MS: u32 = 1_000;

    /// How many round trips a call takes at least, by the protocols' own rules: opening a connection one, a handshake of TLS 1.2
    /// two and one that is resumed one, of TLS 1.3 one, the request one.
    pub fn least_round_trips(&self) -> u32 {
        if self.connection == CallConnection::Kept {
            return 1;
        }
        let handshake = match (self.tls, self.connection) {
            (None, _) => 0,
            (Some(CallTls::Tls12), CallConnection::New) => 2,
            (Some(_), _) => 1,
        };
        2 + handshake
    }

    /// The round-trip time of the link, in nanoseconds.
    pub fn rtt_ns(&self) -> u64 {
        u64::from(self.rtt_ms) * 1_000_000
    }
}

impl fmt::Display for CallCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.protocol, self.connection.name())?;
        if let Some(tls) = self.tls {
            write!(f, " tls{}", tls.name())?;
        }
        if self.rtt_ms > 0 {
            write!(f, " {}ms", self.rtt_ms)?;
        }
        match self.sending {
            CallSending::Whole => Ok(()),
            sending => write!(f, " {}", sending.name()),
        }
    }
}

/// Why a text is no condition: the word, and what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}\n  {expected}")]
pub struct CallProblem {
    /// What is wrong.
    pub what: String,
    /// What was expected.
    pub expected: String,
}

const WHOLE: &str = "expected a protocol, and what differs from a new connection, TLS 1.3, no distance and one write, as in \
                     `https1 new tls1.2 100ms` or `h2 kept`";

impl FromStr for CallCondition {
    type Err = CallProblem;

    fn from_str(text: &str) -> Result<Self, CallProblem> {
        let problem = |what: String| CallProblem { what, expected: WHOLE.to_owned() };
        let (mut protocol, mut connection, mut tls, mut rtt_ms, mut sending) = (None, None, None, None, None);
        for word in text.split_ascii_whitespace() {
            let is_again = if let Some(named) = Protocol::of_run(word) {
                protocol.replace(named).is_some()
            } else if let Some(named) = CallConnection::named(word) {
                connection.replace(named).is_some()
            } else if let Some(named) = word.strip_prefix("tls").and_then(CallTls::named) {
                tls.replace(named).is_some()
            } else if let Some(named) = CallSending::named(word) {
                sending.replace(named).is_some()
            } else if let Some(ms) = word.strip_suffix("ms").and_then(|ms| ms.parse::<u32>().ok()) {
                if ms > Self::LONGEST_RTT_MS {
                    return Err(problem(format!("`{word}` is longer than {} ms", Self::LONGEST_RTT_MS)));
                }
                rtt_ms.replace(ms).is_some()
            } else {
                return Err(problem(format!("`{word}` is no part of a condition of calls")));
            };
            if is_again {
                return Err(problem(format!("`{word}` is the second of its kind")));
            }
        }
        let Some(protocol) = protocol else { return Err(problem(format!("`{text}` names no protocol"))) };
        let condition = Self {
            protocol,
            connection: connection.unwrap_or_default(),
            tls: tls.or_else(|| protocol.is_encrypted().then(CallTls::default)),
            rtt_ms: rtt_ms.unwrap_or(0),
            sending: sending.unwrap_or_default(),
        };
        if !protocol.is_encrypted() && condition.tls.is_some() {
            return Err(problem(format!("{protocol} has no TLS")));
        }
        if !protocol.is_encrypted() && condition.connection == CallConnection::Resumed {
            return Err(problem(format!("{protocol} has no session of TLS to resume")));
        }
        Ok(condition)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn condition(text: &str) -> CallCondition {
        text.parse().expect("a condition")
    }

    #[test]
    fn what_is_not_said_is_usual() {
        let short = condition("https1");
        assert_eq!((short.connection, short.tls), (CallConnection::New, Some(CallTls::Tls13)));
        assert_eq!((short.rtt_ms, short.sending), (0, CallSending::Whole));
        assert_eq!(short, condition("new https1 tls1.3 0ms whole"));
        assert_eq!(condition("http1 kept 20ms").to_string(), "http1 kept 20ms");
    }

    #[test]
    fn other_words_are_refused() {
        for text in
            ["", "new", "h2 h2c", "h2 old", "http1 tls1.3", "h2c resumed", "h2 tls1.1", "h2 99999ms", "h2 ms"]
        {
            let problem = text.parse::<CallCondition>().expect_err(text);
            assert!(problem.expected.contains("expected"), "{problem}");
        }
    }

    #[test]
    fn round_trips_by_the_rules() {
        let expected = [
            ("http1", 2),
            ("http1 kept", 1),
            ("h2 kept tls1.2", 1),
            ("https1 tls1.3", 3),
            ("https1 tls1.2", 4),
            ("h2 resumed tls1.2", 3),
            ("h2 resumed tls1.3", 3),
        ];
        for (text, trips) in expected {
            assert_eq!(condition(text).least_round_trips(), trips, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_text_leads_back(
            protocol in 0..4_usize,
            connection in 0..3_usize,
            tls in 0..2_usize,
            rtt_ms in 0..=CallCondition::LONGEST_RTT_MS,
            sending in 0..3_usize,
        ) {
            let protocol = Protocol::OF_RUNS[protocol];
            let connection = CallConnection::ALL[connection];
            prop_assume!(protocol.is_encrypted() || connection != CallConnection::Resumed);
            let condition = CallCondition {
                protocol,
                connection,
                tls: protocol.is_encrypted().then_some(CallTls::ALL[tls]),
                rtt_ms,
                sending: CallSending::ALL[sending],
            };
            prop_assert_eq!(condition.to_string().parse::<CallCondition>(), Ok(condition));
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".{0,60}") {
            let _ = text.parse::<CallCondition>();
        }
    }
}
