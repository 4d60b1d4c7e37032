//! Whether a contender's calls say anything: the rules in the order in which a reader would want to hear of them.

use velo_model::{CallCondition, CallConnection, CallTls};
use velo_record::{CallBlock, CallRecord};

use crate::doubt::reason::{CallFault, CallPhase, Reason};
use crate::measure::blocks::is_taken;

/// Whether others took so much that a block does not count.
pub(super) fn is_disturbed(block: &CallBlock) -> bool {
    is_taken(block.others_share, block.steal_share)
}

/// Whether a call was made as its condition says.
pub(super) fn is_like(call: &CallRecord, condition: &CallCondition) -> bool {
    match condition.connection {
        CallConnection::New => call.connect_ns.is_some(),
        CallConnection::Resumed => call.tls.as_ref().is_some_and(|agreed| agreed.is_resumed),
        CallConnection::Kept => call.connect_ns.is_none(),
    }
}

/// What is wrong with a contender's calls under a condition.
pub(super) fn fault(blocks: &[&CallBlock], condition: &CallCondition) -> Option<Reason> {
    let call = |fault| Some(Reason::Call(fault));
    let wrong: u64 = blocks.iter().map(|block| block.wrong_answers).fold(0, u64::saturating_add);
    let failed: u64 = blocks.iter().map(|block| block.failed).fold(0, u64::saturating_add);
    let right: u64 = blocks.iter().map(|block| block.calls.len() as u64).sum();
    let example = blocks.iter().flat_map(|block| &block.wrong_examples).next().cloned();
    if wrong > 0 {
        return call(CallFault::WrongAnswers { wrong, of: right.saturating_add(wrong), example });
    }
    if let Some((launch, ended)) =
        blocks.iter().find_map(|block| Some((block.launch, block.ended_early.clone()?)))
    {
        return call(CallFault::EndedEarly { launch, ended });
    }
    if failed > 0 {
        return call(CallFault::NoAnswer { failed, of: right.saturating_add(failed), example });
    }
    let calls = || blocks.iter().flat_map(|block| &block.calls);
    let unlike = calls().filter(|call| !is_like(call, condition)).count() as u64;
    if unlike > right / 2 {
        return call(match condition.connection {
            CallConnection::Resumed => CallFault::NotResumed { resumed: right - unlike, of: right },
            CallConnection::New | CallConnection::Kept => CallFault::NotKept { opened: unlike, of: right },
        });
    }
    if let Some(wanted) = condition.tls {
        let wanted = match wanted {
            CallTls::Tls12 => "TLSv1.2",
            CallTls::Tls13 => "TLSv1.3",
        };
        let other = calls().filter_map(|call| call.tls.as_ref()).find(|agreed| agreed.version != wanted);
        if let Some(other) = other {
            return call(CallFault::OtherTls { agreed: other.version.clone(), asked: wanted.to_owned() });
        }
    }
    calls().find_map(|call| too_short(call, condition)).and_then(call)
}

/// A phase that took less than its packets were on their way.
fn too_short(call: &CallRecord, condition: &CallCondition) -> Option<CallFault> {
    let rtt_ns = condition.rtt_ns();
    let phases = [
        (CallPhase::Connect, call.connect_ns),
        (CallPhase::Handshake, call.handshake_ns),
        (CallPhase::FirstByte, Some(call.first_byte_ns)),
    ];
    phases.into_iter().find_map(|(phase, ns)| {
        let ns = ns.filter(|ns| *ns < rtt_ns)?;
        Some(CallFault::Impossible { phase, ns, rtt_ns })
    })
}
