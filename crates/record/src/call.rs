use serde::{Deserialize, Serialize};
use velo_model::{CallCondition, ContenderName};

/// Single calls on one contender under one condition, one after the other: a line of `calls.ndjson`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallBlock {
    /// The contender.
    pub contender: ContenderName,
    /// The workload.
    pub workload: String,
    /// The launch, from 1; those of calls have numbers of their own. In each a contender is started for each protocol and distance.
    pub launch: u32,
    /// Under which condition.
    pub condition: CallCondition,
    /// The first call that the process ever got, which is no other's; measured without a link, for the first condition of a
    /// protocol. `None`: not measured, or its answer was not right.
    pub cold: Option<CallRecord>,
    /// Right answers in their order. A call before them, which opens what is kept or resumed, is not among them.
    pub calls: Vec<CallRecord>,
    /// Answers that were not right.
    pub wrong_answers: u64,
    /// Calls without a whole answer.
    pub failed: u64,
    /// The first of both in words, a few at most.
    pub wrong_examples: Vec<String>,
    /// The share of all CPUs' time used by others meanwhile; the thread of a link is none of them.
    pub others_share: Option<f64>,
    /// The share stolen by the hypervisor.
    pub steal_share: Option<f64>,
    /// Why it ended before its plan.
    pub ended_early: Option<String>,
}

/// One call with a right answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallRecord {
    /// From the first attempt to connect until TCP was open; `None`: the connection was open.
    pub connect_ns: Option<u64>,
    /// The handshake of TLS, where there was one.
    pub handshake_ns: Option<u64>,
    /// From then to the first byte of the answer; the request is written in it.
    pub first_byte_ns: u64,
    /// From the first byte of the answer to its last.
    pub rest_ns: u64,
    /// Bytes that TCP carried to the server, those of TLS among them.
    pub sent_bytes: u64,
    /// Bytes that TCP carried back.
    pub received_bytes: u64,
    /// How often the client waited for the server to go on, by what went through its socket.
    pub round_trips: u32,
    /// The same by the packets on the link, where there was one.
    pub link_round_trips: Option<u32>,
    /// Bytes of IP packets on the link to the server and back.
    pub link_bytes: Option<(u64, u64)>,
    /// TCP segments sent and received (`TCP_INFO`).
    pub segments: Option<(u32, u32)>,
    /// Segments sent again.
    pub sent_again: Option<u32>,
    /// What the handshake agreed on.
    pub tls: Option<CallAgreed>,
}

/// What a handshake agreed on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallAgreed {
    /// As in `TLSv1.3`.
    pub version: String,
    /// An earlier session was resumed.
    pub is_resumed: bool,
    /// The protocol that ALPN chose.
    pub alpn: Option<String>,
}

impl CallRecord {
    /// The whole call: the sum of its phases.
    pub fn whole_ns(&self) -> u64 {
        [self.connect_ns.unwrap_or(0), self.handshake_ns.unwrap_or(0), self.first_byte_ns, self.rest_ns]
            .into_iter()
            .fold(0, u64::saturating_add)
    }
}
