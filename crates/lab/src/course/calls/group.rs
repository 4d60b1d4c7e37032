//! What is started together: the contenders that speak a protocol.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use velo_load::{CallSettings, Caller, Example, Sending};
use velo_model::{CallCondition, CallConnection, PartyRole, Protocol, Workload};
use velo_record::CallRecord;

use super::distances::Distances;
use super::first::first_call;
use super::pace::{is_called, warm_up};
use super::plan::Asked;
use crate::course::near::near;
use crate::course::rig::Rig;
use crate::sides::asked::first_answer;
use crate::sides::limits::limits;
use crate::sides::origin::{Origin, Peer};
use crate::sides::serve_side::Server;
use crate::sides::translate::{render_one, spoken};

/// Between two tries of a contender that listens and does not answer yet.
const READY_POLL: Duration = Duration::from_millis(10);

/// The conditions of a workload with one protocol.
pub(super) struct Group {
    /// By its index in the run's workloads.
    pub(super) workload: usize,
    pub(super) protocol: Protocol,
    /// Which request of it, by its index.
    pub(super) request: usize,
    pub(super) conditions: Vec<CallCondition>,
    pub(super) members: Vec<Member>,
}

/// A contender that takes part.
pub(super) struct Member {
    /// By its index in the records.
    pub(super) record: usize,
    pub(super) origin: Origin,
}

/// A contender that was started for a group, or why it was not.
pub(super) struct Life {
    pub(super) record: usize,
    pub(super) server: Result<Box<dyn Server>, String>,
    /// Over which it can be called.
    pub(super) distances: Distances,
    /// The first call that its process ever got, and under which condition.
    pub(super) cold: Option<(CallCondition, CallRecord)>,
    /// CPU time that the sampler knows of.
    pub(super) cpu_ns: u64,
}

impl Group {
    /// Its distances, each once.
    pub(super) fn rtts_ms(&self) -> Vec<u32> {
        let all: BTreeSet<u32> = self.conditions.iter().map(|condition| condition.rtt_ms).collect();
        all.into_iter().collect()
    }

    /// Each contender under each condition that it is called under, by its index in the members.
    pub(super) fn blocks<'a>(
        &'a self,
        rig: &'a Rig<'_>,
    ) -> impl Iterator<Item = (usize, CallCondition)> + 'a {
        let workload = &rig.file.workloads[self.workload];
        let of_member = move |(number, member): (usize, &'a Member)| {
            let manifest = &rig.context.records[member.record].manifest;
            let own =
                self.conditions.iter().filter(move |condition| is_called(manifest, workload, condition));
            own.map(move |condition| (number, *condition))
        };
        self.members.iter().enumerate().flat_map(of_member)
    }

    /// The workload in the group's protocol.
    pub(super) fn workload(&self, rig: &Rig<'_>) -> Workload {
        let mut workload = rig.file.workloads[self.workload].clone();
        workload.load.protocol = self.protocol;
        workload.load.streams = 1;
        workload
    }

    /// Starts a contender, makes its first call where that is to be known, and warms it up. It waits for its turn then.
    pub(super) fn start(
        &self,
        rig: &mut Rig<'_>,
        workload: &Workload,
        distances: &Distances,
        member: usize,
    ) -> Life {
        let Member { record, ref origin } = self.members[member];
        // One that runs already is on this machine's own network.
        let distances = match origin {
            Origin::Built(_) => distances.clone(),
            Origin::Running { .. } => Distances::default(),
        };
        let is_first = self.first_condition().is_some() && matches!(origin, Origin::Built(_));
        let workload = &*workload.asked_of(&rig.context.records[record].manifest.clone());
        let numbered = (self.workload, workload);
        let server = rig.context.launch_for_calls(record, origin, numbered, &distances.none, is_first);
        let mut life = Life { record, server, distances, cold: None, cpu_ns: 0 };
        let Ok(server) = &life.server else { return life };
        let peer = server.peer().clone();
        if is_first {
            life.cold = self.first_call(rig, workload, &peer);
            let ready_s = rig.context.records[record].manifest.ready_seconds;
            let limit = Duration::from_secs(u64::from(ready_s));
            if let Some(reason) =
                life.cold.is_none().then(|| self.not_ready(rig, workload, &peer, limit)).flatten()
            {
                life.fail(rig, reason);
                return life;
            }
        }
        if let Err(reason) = self.warm_up(rig, workload, &peer) {
            life.fail(rig, reason);
            return life;
        }
        if let Ok(server) = &life.server {
            server.freeze();
        }
        life.account(rig);
        life
    }

    /// That of the first call of a process: the first one with a new connection and without distance.
    fn first_condition(&self) -> Option<CallCondition> {
        let is_it =
            |condition: &&CallCondition| condition.connection == CallConnection::New && condition.rtt_ms == 0;
        self.conditions.iter().find(is_it).copied()
    }

    /// Nothing where there is no condition for it.
    fn first_call(
        &self,
        rig: &Rig<'_>,
        workload: &Workload,
        peer: &Peer,
    ) -> Option<(CallCondition, CallRecord)> {
        let condition = self.first_condition()?;
        let call = first_call(rig, &self.asked(workload), peer, condition)?;
        Some((condition, call))
    }

    /// Waits until it answers correctly; why it does not.
    fn not_ready(&self, rig: &Rig<'_>, workload: &Workload, peer: &Peer, limit: Duration) -> Option<String> {
        let data = rig.context.data.set(self.workload, 0);
        let began = Instant::now();
        loop {
            let Err(why) = first_answer(peer, workload, data) else { return None };
            if rig.stopped() || began.elapsed() > limit {
                return Some(format!("no correct answer within {} s: {why}", limit.as_secs()));
            }
            std::thread::sleep(READY_POLL);
        }
    }

    /// Calls on a connection that is kept, without distance, which would make them fewer. What fails here fails again where it is
    /// counted.
    fn warm_up(&self, rig: &Rig<'_>, workload: &Workload, peer: &Peer) -> Result<(), String> {
        let Some(request) = workload.requests.get(self.request) else { return Ok(()) };
        let data = rig.context.data.set(self.workload, 0);
        let (mix, _) =
            render_one(workload, request, data, &peer.authority).map_err(|error| error.to_string())?;
        let settings = CallSettings {
            address: peer.address,
            protocol: spoken(workload.load.protocol),
            tls: peer.tls.clone(),
            keeps: true,
            sending: Sending::Whole,
            timeout: rig.options.timeout,
            limits: limits([workload]),
        };
        let (length, seed, stop) = (warm_up(rig.options), rig.options.seed, rig.context.stop);
        let act = || {
            let began = Instant::now();
            let mut caller = Caller::new(settings);
            for example in Example::all(&mix, seed) {
                if began.elapsed() >= length || stop.asked() || caller.call(&mix, &example).is_err() {
                    break;
                }
            }
            caller.close();
        };
        let done = near(&peer.network, rig.file.placement.cpus(PartyRole::Generator), act);
        done.map_err(|error| format!("no thread to warm it up: {error}"))
    }

    /// What is asked of its contenders. `workload`: in the group's protocol.
    pub(super) fn asked<'w>(&self, workload: &'w Workload) -> Asked<'w> {
        Asked { number: self.workload, workload, request: self.request }
    }
}

impl Life {
    /// Tells the sampler what its processes have used since it last heard.
    pub(super) fn account(&mut self, rig: &mut Rig<'_>) {
        let Ok(server) = &self.server else { return };
        let used = server.parties_cpu_ns().unwrap_or(self.cpu_ns);
        rig.sampler.contenders_used(used.saturating_sub(self.cpu_ns));
        self.cpu_ns = used;
    }

    fn fail(&mut self, rig: &mut Rig<'_>, reason: String) {
        self.account(rig);
        if let Ok(server) = &mut self.server {
            server.end();
        }
        self.server = Err(reason);
    }

    /// Ends its processes.
    pub(super) fn end(&mut self, rig: &mut Rig<'_>) {
        self.account(rig);
        if let Ok(server) = &mut self.server {
            server.end();
        }
    }
}
