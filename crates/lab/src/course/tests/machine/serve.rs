//! What serves in tests.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use velo_model::{Contender, Digest, TextTemplate};
use velo_record::StopRecord;
use velo_request::digest_text;

use super::world::{Fault, World};
use crate::build::data::DataSet;
use crate::host::counters::Counters;
use crate::process::tree::{Snapshot, ThreadUse};
use crate::progress::Stop;
use crate::sides::feed::{Answer, NoAnswer};
use crate::sides::origin::{Origin, Peer};
use crate::sides::serve_side::{
    Finished, NotLaunched, Processes, Purpose, ServeSide, Server, TaskStart, Worker,
};

/// How long one that does not heed SIGTERM is waited for.
const KILLED_AFTER: Duration = Duration::from_secs(5);
/// How long the others take to end.
const ENDS_IN: Duration = Duration::from_millis(5);
/// A second process of the contender has a number so much above the first's.
const FORKED: u32 = 1_000_000;

/// The processes of one life.
struct FakeProcesses {
    world: World,
    process: u32,
}

/// A server, or a task.
struct FakeProcess {
    world: World,
    process: u32,
    peer: Peer,
    startup: Option<Duration>,
}

impl World {
    fn start(&self, contender: &Contender) -> (u32, Duration) {
        let mut state = self.state();
        let model = state.models.get(&contender.name).expect("every contender has a model").clone();
        let starts_in = model.starts_in;
        let process = state.begin_life(&contender.name, model);
        (process, starts_in)
    }
}

impl ServeSide for World {
    fn find(
        &mut self,
        _: &velo_model::ContenderName,
        _: &Peer,
    ) -> Result<crate::sides::serve_side::Found, String> {
        Err("nothing runs in this world before a test starts it".to_owned())
    }

    fn launch(
        &mut self,
        contender: &Contender,
        origin: &Origin,
        purpose: &Purpose<'_>,
        _: &Path,
        stop: &Stop,
    ) -> Result<Box<dyn Server>, NotLaunched> {
        let (process, starts_in) = self.start(contender);
        let mut state = self.state();
        if let Origin::Running { peer, .. } = origin {
            state.life(process).is_own = false;
            let address = ([127, 0, 0, 1], Self::port_of(process)).into();
            let peer = Peer { address, ..peer.clone() };
            return Ok(Box::new(FakeProcess { world: self.clone(), process, peer, startup: None }));
        }
        if state.life(process).has(Fault::DoesNotStart) {
            let limit = Duration::from_secs(u64::from(contender.ready_seconds));
            state.pass(limit);
            state.life(process).has_ended = true;
            let reason = if stop.asked() { "interrupted" } else { "no correct answer" };
            return Err(reason.to_owned().into());
        }
        if state.life(process).has(Fault::CannotBearEarlyConnections) && !purpose.connects_late {
            state.life(process).has_ended = true;
            // The next try is the same life.
            *state.counts.get_mut(&contender.name).expect("it was started") -= 1;
            return Err(NotLaunched { reason: "it ended while starting".to_owned(), ended_itself: true });
        }
        state.pass(starts_in);
        if stop.asked() {
            state.life(process).has_ended = true;
            return Err("interrupted".to_owned().into());
        }
        let peer = Peer::own(([127, 0, 0, 1], Self::port_of(process)).into(), None, Default::default());
        let startup = (!purpose.connects_late).then_some(starts_in);
        Ok(Box::new(FakeProcess { world: self.clone(), process, peer, startup }))
    }

    fn start_task(&mut self, task: &TaskStart<'_>) -> Result<Box<dyn Worker>, String> {
        let (process, starts_in) = self.start(task.contender);
        let mut state = self.state();
        if state.life(process).has(Fault::DoesNotStart) {
            state.life(process).has_ended = true;
            return Err("it cannot be started".to_owned());
        }
        let peer = Peer::own(([127, 0, 0, 1], 1).into(), None, Default::default());
        Ok(Box::new(FakeProcess { world: self.clone(), process, peer, startup: Some(starts_in) }))
    }
}

impl FakeProcess {
    fn all(&self) -> Arc<dyn Processes> {
        Arc::new(FakeProcesses { world: self.world.clone(), process: self.process })
    }

    fn end_life(&self) -> StopRecord {
        let mut state = self.world.state();
        let by_sigterm = !state.life(self.process).has(Fault::DoesNotLeave);
        let takes = if by_sigterm { ENDS_IN } else { KILLED_AFTER };
        state.pass_all(takes);
        let life = state.life(self.process);
        assert!(!life.has_ended, "it was ended before");
        life.has_ended = true;
        StopRecord { by_sigterm, duration_ns: takes.as_nanos() as u64, fault: None }
    }
}

impl Drop for FakeProcess {
    fn drop(&mut self) {
        let mut state = self.world.state();
        let life = state.life(self.process);
        if life.is_own && !life.has_ended {
            life.has_ended = true;
            state.abandoned += 1;
        }
    }
}

impl Server for FakeProcess {
    fn peer(&self) -> &Peer {
        &self.peer
    }

    fn startup(&self) -> Option<Duration> {
        self.startup
    }

    fn processes(&self) -> Option<Arc<dyn Processes>> {
        self.world.state().life(self.process).is_own.then(|| self.all())
    }

    fn is_running(&mut self) -> Result<(), String> {
        if self.world.state().life(self.process).has_died { Err("it ended".to_owned()) } else { Ok(()) }
    }

    fn data_dir(&self) -> Option<PathBuf> {
        None
    }

    fn renew(&self, _: &DataSet) -> io::Result<()> {
        let keeps = self.world.state().life(self.process).has(Fault::KeepsItsFiles);
        if keeps { Err(io::Error::other("no space")) } else { Ok(()) }
    }

    fn end(&mut self) -> Option<StopRecord> {
        let is_own = self.world.state().life(self.process).is_own;
        is_own.then(|| self.end_life())
    }
}

impl Worker for FakeProcess {
    fn processes(&self) -> Arc<dyn Processes> {
        self.all()
    }

    fn age(&self) -> Duration {
        Duration::ZERO
    }

    /// What its model takes for a request is what a line takes. The answer is the digest of the line.
    fn ask(&mut self, line: &str, stop: &Stop) -> Result<Answer, NoAnswer> {
        let mut state = self.world.state();
        let noise = state.life(self.process).model.noise;
        let factor = state.noise(noise);
        let life = state.life(self.process);
        if life.left() == Some(0) {
            life.has_died = true;
            return Err(NoAnswer::Ended);
        }
        let takes = Duration::from_secs_f64(factor / life.model.per_s);
        if state.pass(takes) < takes || stop.asked() {
            return Err(NoAnswer::Stopped);
        }
        let ns = takes.as_nanos() as u64;
        let life = state.life(self.process);
        life.answered += 1;
        life.cpu_ns += ns;
        let answer = digest_text(&Digest::Sha512(TextTemplate::fixed(line)), &[""]);
        Ok(Answer { line: format!("{ns}\t{answer}").into_bytes(), outside_ns: ns })
    }

    fn renew(&self, _: &DataSet) -> io::Result<()> {
        Ok(())
    }

    fn explain(&mut self, why: &NoAnswer) -> String {
        why.to_string()
    }

    fn finish(self: Box<Self>, stop: &Stop) -> Finished {
        let by_itself = self.end_life().by_sigterm;
        let fault = (!by_itself && !stop.asked()).then(|| "it did not end".to_owned());
        Finished { fault, cpu_ns: self.all().cpu_ns(), lived: None }
    }

    fn abandon(self: Box<Self>) -> Finished {
        self.end_life();
        Finished { fault: None, cpu_ns: self.all().cpu_ns(), lived: None }
    }
}

impl Processes for FakeProcesses {
    fn pids(&self) -> Vec<u32> {
        let mut state = self.world.state();
        let life = state.life(self.process);
        match (life.has_ended || life.has_died, life.has_forked()) {
            (true, _) => Vec::new(),
            (false, false) => vec![self.process],
            (false, true) => vec![self.process, self.process + FORKED],
        }
    }

    fn cpu_ns(&self) -> Option<u64> {
        Some(self.world.state().life(self.process).cpu_ns)
    }

    fn freeze(&self) {
        self.world.state().life(self.process).is_frozen = true;
    }

    fn thaw(&self) {
        self.world.state().life(self.process).is_frozen = false;
    }

    fn used_by(&self, pids: &[u32]) -> Snapshot {
        let cpu_ns = self.world.state().life(self.process).cpu_ns;
        pids.iter()
            .take(1)
            .map(|&pid| ((pid, pid), ThreadUse { cpu_ns, timeslices: cpu_ns / 1_000_000 }))
            .collect()
    }

    fn outside_cpus(&self, _: &[((u32, u32), ThreadUse)], _: &[u32]) -> Vec<u32> {
        Vec::new()
    }

    fn threads(&self, pids: &[u32]) -> u32 {
        pids.len() as u32
    }

    fn memory(&self, pids: &[u32]) -> (Option<u64>, Option<u64>) {
        // As if all shared one library, of which each has its share.
        let alive = self.world.state().lives.values().filter(|life| !life.has_ended).count() as u64;
        if pids.is_empty() { (None, None) } else { (Some(60_000_000 / alive.max(1)), Some(72_000_000)) }
    }

    fn read_bytes(&self, _: &[u32]) -> Option<u64> {
        None
    }

    fn allowed_cpus(&self, _: &[u32]) -> Vec<u32> {
        vec![0]
    }

    fn count(&self, _: &[u32], _: &[u32]) -> Option<Counters> {
        None
    }
}
