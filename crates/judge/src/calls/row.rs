//! A contender's calls under one condition.

use serde::Serialize;
use velo_model::{Class, ContenderName, Protocol};

use crate::doubt::reason::Reason;
use crate::measure::estimate::Estimate;
use crate::words::as_json::some_in_words;

/// A contender's calls under one condition. Times are of launches in which nobody disturbed; in each of them the mean of the middle
/// half of its calls, by the whole call.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallRow {
    /// The contender.
    pub contender: ContenderName,
    /// What kind of program it is.
    pub class: Class,
    /// What was spoken to it: of a service of gRPC that, whatever the condition's own protocol.
    pub protocol: Protocol,
    /// The contender of the same folder that this one differs from in some keys.
    pub variant_of: Option<ContenderName>,
    /// Why its times cannot be used.
    #[serde(serialize_with = "some_in_words")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub fault: Option<Reason>,
    /// Launches that count.
    pub launches: u32,
    /// Launches that do not, because others or the hypervisor took CPU time meanwhile.
    pub dropped: u32,
    /// Too few launches were left, so that all of them count, and it is compared with nobody.
    pub counts_disturbed: bool,
    /// Right answers in all launches.
    pub calls: u64,
    /// The whole call, with an interval over launches. As JSON it stands in the series of the workload.
    #[serde(skip)]
    pub whole_ns: Option<Estimate>,
    /// Opening TCP, mean over launches; `None`: the call has no such phase. The four phases add up to the mean of the whole.
    pub connect_ns: Option<f64>,
    /// The handshake of TLS.
    pub handshake_ns: Option<f64>,
    /// From then to the first byte of the answer, the writing of the request included.
    pub first_byte_ns: Option<f64>,
    /// From the first byte of the answer to its last.
    pub rest_ns: Option<f64>,
    /// The first call that a process ever got, over launches; only under the condition that it was made under.
    pub cold_ns: Option<Estimate>,
    /// Round trips by what went through the client's socket.
    pub round_trips: Option<CallCount>,
    /// Round trips by the packets on the link.
    pub link_round_trips: Option<CallCount>,
    /// Bytes that TCP carried to the server, median.
    pub sent_bytes: Option<u64>,
    /// Bytes that TCP carried back, median.
    pub received_bytes: Option<u64>,
    /// Bytes of IP packets on the link to the server and back, median.
    pub link_bytes: Option<(u64, u64)>,
    /// TCP segments sent and received, median.
    pub segments: Option<(u32, u32)>,
    /// TCP segments that were sent again, in all calls.
    pub sent_again: u64,
    /// The version of TLS that handshakes agreed on, and the protocol that ALPN chose.
    pub agreed: Option<String>,
    /// Calls whose handshake resumed a session.
    pub resumed: u64,
    /// Calls that cannot count under the condition: on a connection that had to be opened anew, or without a session to resume.
    pub unlike: u64,
    /// Answers that were not right.
    pub wrong_answers: u64,
    /// Calls without an answer.
    pub failed: u64,
    /// The first of both in words, a few at most.
    pub wrong_examples: Vec<String>,
    /// How much longer it takes than its round trips and the contender's own work explain, where that is about the 40 ms for which an
    /// acknowledgement is held back.
    pub held_back_ns: Option<f64>,
    /// Hours that all users of the table wait in a year.
    pub waiting_hours_per_year: Option<f64>,
    /// Of those, more than for the fastest contender under the condition; `None` for the reference, which is no choice.
    pub extra_hours_per_year: Option<f64>,
}

/// A count that was found in each call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallCount {
    /// The least.
    pub least: u32,
    /// The most.
    pub most: u32,
}

impl CallRow {
    /// True when its times are worth a look, though others may have disturbed them.
    pub fn has_figures(&self) -> bool {
        self.whole_ns.is_some() && (self.fault.is_none() || self.counts_disturbed)
    }

    /// True when its times stand.
    pub fn is_comparable(&self) -> bool {
        self.fault.is_none() && self.whole_ns.is_some()
    }
}
