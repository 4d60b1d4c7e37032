//! What calls are made of, and what is written down of them.

use std::sync::Arc;
use std::time::Duration;

use velo_link::{LinkHandle, Mark, Way, round_trips};
use velo_load::{BodyChecker, CallSettings, CallTimes, Example, Mix, Response, Sending, TlsVersions};
use velo_model::{CallCondition, CallConnection, CallSending, CallTls, Workload};
use velo_record::{CallAgreed, CallRecord};

use crate::course::rig::Rig;
use crate::sides::limits::limits;
use crate::sides::origin::Peer;
use crate::sides::translate::{render_one, spoken};

/// Round trips that a call may take before it counts as one without an answer, in addition to the timeout.
const MOST_ROUND_TRIPS: u32 = 10;

/// What is asked.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    /// The workload, by its index in those of the run.
    pub(super) number: usize,
    /// The workload in the protocol of the calls.
    pub(super) workload: &'a Workload,
    /// Which of its requests.
    pub(super) request: usize,
}

/// What is sent, how, and how its answers are judged.
pub(super) struct Plan {
    pub(super) mix: Arc<Mix>,
    checker: Arc<dyn BodyChecker>,
    pub(super) settings: CallSettings,
    pub(super) seed: u64,
}

impl Plan {
    pub(super) fn new(
        rig: &Rig<'_>,
        asked: &Asked<'_>,
        peer: &Peer,
        (condition, launch): (CallCondition, u32),
    ) -> Result<Self, String> {
        let Asked { number, workload, request } = *asked;
        let request = workload.requests.get(request).ok_or("the workload has no such request")?;
        let data = rig.context.data.set(number, 0);
        let (mix, checker) =
            render_one(workload, request, data, &peer.authority).map_err(|error| error.to_string())?;
        let versions = match condition.tls {
            Some(CallTls::Tls12) => TlsVersions::Tls12,
            Some(CallTls::Tls13) => TlsVersions::Tls13,
            None => TlsVersions::Both,
        };
        // Settings of its own, so that nothing is resumed but what this block was given.
        let tls = match &peer.tls {
            None => None,
            Some(tls) => {
                let own = tls.other(versions, condition.connection == CallConnection::Resumed);
                Some(Arc::new(own.map_err(|error| error.to_string())?))
            }
        };
        let rtt = Duration::from_nanos(condition.rtt_ns());
        Ok(Self {
            mix,
            checker,
            settings: CallSettings {
                address: peer.address,
                protocol: spoken(workload.load.protocol),
                tls,
                keeps: condition.connection == CallConnection::Kept,
                sending: match condition.sending {
                    CallSending::Whole => Sending::Whole,
                    CallSending::Apart => Sending::Apart,
                    CallSending::ApartNagle => Sending::ApartWithNagle,
                },
                timeout: rig.options.timeout + rtt * MOST_ROUND_TRIPS,
                limits: limits([workload]),
            },
            // The same requests for all contenders of a launch.
            seed: rig.options.seed ^ u64::from(launch) << 32,
        })
    }

    /// Whether an answer is right.
    pub(super) fn judge(
        &self,
        example: &Example,
        response: &Response,
        times: &CallTimes,
    ) -> Result<(), String> {
        let elapsed = Duration::from_nanos(times.first_byte_ns.saturating_add(times.rest_ns));
        example.judge(&self.mix, Arc::clone(&self.checker), response, elapsed)
    }
}

/// A call as it is written down. `link`: over which it went, and where its log ended before.
pub(super) fn record(times: CallTimes, link: Option<(&LinkHandle, Mark)>) -> CallRecord {
    let passed = link.map(|(link, mark)| link.since(mark)).filter(|passed| passed.missed == 0);
    // A call that opened nothing has no other connection before it.
    let passed = passed.map(|passed| if times.opening.is_some() { passed.of_the_opened() } else { passed });
    let tls = times.opening.as_ref().and_then(|opening| opening.tls.as_ref());
    CallRecord {
        connect_ns: times.opening.as_ref().map(|opening| opening.connect_ns),
        handshake_ns: tls.map(|(ns, _)| *ns),
        first_byte_ns: times.first_byte_ns,
        rest_ns: times.rest_ns,
        sent_bytes: times.sent_bytes,
        received_bytes: times.received_bytes,
        round_trips: times.round_trips,
        link_round_trips: passed.as_ref().map(|passed| round_trips(&passed.packets)),
        link_bytes: passed.as_ref().map(|passed| (passed.bytes(Way::Up), passed.bytes(Way::Down))),
        segments: times.packets.map(|packets| (packets.sent, packets.received)),
        sent_again: times.packets.map(|packets| packets.sent_again),
        tls: tls.map(|(_, agreed)| CallAgreed {
            version: agreed.version.to_owned(),
            is_resumed: agreed.is_resumed,
            alpn: agreed.alpn.as_ref().map(|name| String::from_utf8_lossy(name).into_owned()),
        }),
    }
}
