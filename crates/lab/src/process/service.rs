//! The processes of a service that somebody else started and that keeps running: who listens, and what it started.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use super::kin::with_descendants;
use super::listening::owners_at;
use super::tree::{self, Process, Snapshot};

/// What was started since is looked for so often: all of `/proc` is read for it.
const LOOKED_FOR_EVERY: Duration = Duration::from_secs(1);
/// They only pass on to a service in another network namespace, whose CPU time is not theirs.
const FORWARDERS: [&str; 3] = ["docker-proxy", "rootlessport", "slirp4netns"];
/// The first process of a system, which holds the sockets of services that it starts when they are asked.
const INIT: u32 = 1;

/// A service and all that belongs to it.
#[derive(Debug)]
pub(crate) struct ServiceProcesses {
    /// Those that listen, or the one that was named.
    roots: Vec<Process>,
    /// With what they have started.
    pids: Vec<u32>,
    looked_at: Instant,
}

impl ServiceProcesses {
    /// Those that a connection to this address of this machine reaches.
    ///
    /// # Errors
    /// When nobody is seen to listen, or who does is not the service; one line that says what to do.
    pub(crate) fn listening(at: SocketAddr) -> Result<Self, String> {
        let mut owners = owners_at(at);
        if owners.len() > 1 {
            owners.retain(|pid| *pid != INIT);
        }
        let roots: Vec<Process> = owners.into_iter().filter_map(tree::process).collect();
        let Some(first) = roots.first() else {
            return Err(format!(
                "no process is seen to listen at {at}: one of another user needs root to be looked into"
            ));
        };
        let name = tree::name(first.pid).unwrap_or_default();
        if FORWARDERS.contains(&name.as_str()) {
            return Err(format!("{name} (process {}) listens at {at}, and only passes on", first.pid));
        }
        Ok(Self::of(roots))
    }

    /// The process of this number.
    ///
    /// # Errors
    /// When there is none; one line.
    pub(crate) fn named(pid: u32) -> Result<Self, String> {
        let root = tree::process(pid).filter(|one| !one.is_zombie);
        root.map(|root| Self::of(vec![root])).ok_or_else(|| format!("there is no process {pid}"))
    }

    fn of(roots: Vec<Process>) -> Self {
        let mut service = Self { roots, pids: Vec::new(), looked_at: Instant::now() };
        service.look();
        service
    }

    /// Finds what belongs to it now. What starts `velo` itself may be the service, as a test is; `velo` and its children
    /// never are.
    fn look(&mut self) {
        let all = tree::processes();
        let numbers =
            |processes: Vec<Process>| processes.into_iter().map(|one| one.pid).collect::<BTreeSet<_>>();
        let roots = self.roots.iter().map(|root| root.pid).collect();
        let own = numbers(with_descendants(BTreeSet::from([std::process::id()]), &all));
        self.pids = numbers(with_descendants(roots, &all)).difference(&own).copied().collect();
        self.looked_at = Instant::now();
    }

    /// What its threads have used so far.
    pub(crate) fn snapshot(&mut self) -> Snapshot {
        if self.looked_at.elapsed() >= LOOKED_FOR_EVERY {
            self.look();
        }
        tree::snapshot(&self.pids)
    }

    /// CPU time since a snapshot, in nanoseconds; `None` where no thread of it can be read any more.
    pub(crate) fn used_ns(&mut self, since: &Snapshot) -> Option<u64> {
        let now = self.snapshot();
        (!now.is_empty()).then(|| tree::difference(since, &now).iter().map(|(_, used)| used.cpu_ns).sum())
    }

    /// The numbers of those that listen, or of the one that was named.
    pub(crate) fn roots(&self) -> Vec<u32> {
        self.roots.iter().map(|root| root.pid).collect()
    }

    /// The name of the first one's program.
    pub(crate) fn name(&self) -> Option<String> {
        tree::name(self.roots.first()?.pid)
    }

    /// Whether one of them is gone, and what answers now is another launch.
    pub(crate) fn has_ended(&self) -> bool {
        self.roots.iter().any(|root| {
            tree::process(root.pid).is_none_or(|now| now.start_ticks != root.start_ticks || now.is_zombie)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::process::Command;

    use super::*;

    #[test]
    fn who_listens_is_found_without_velo_and_its_children() {
        let listener = TcpListener::bind("0.0.0.0:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let mut child = Command::new("sleep").arg("600").spawn().unwrap();
        let found = ServiceProcesses::listening(SocketAddr::new([127, 0, 0, 1].into(), port));
        child.kill().unwrap();
        child.wait().unwrap();
        // This process stands for velo here, and the service is nobody else.
        let mut found = found.unwrap();
        assert_eq!((found.roots(), found.pids.len()), (vec![std::process::id()], 0));
        assert_eq!(found.used_ns(&Snapshot::new()), None, "nothing to read");
        drop(listener);
        let error = ServiceProcesses::listening(SocketAddr::new([127, 0, 0, 1].into(), port)).unwrap_err();
        assert!(error.contains("no process is seen to listen"), "{error}");
    }

    #[test]
    fn a_service_is_its_process_and_what_that_started() {
        let mut child = Command::new("sh")
            .args(["-c", "sleep 600 & echo; wait"])
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut ready = [0; 1];
        std::io::Read::read_exact(&mut child.stdout.take().unwrap(), &mut ready).unwrap();
        let mut all: Vec<Process> = tree::processes();
        all.retain(|one| one.parent == child.id() || one.pid == child.id());
        // As it is seen from elsewhere: here its parent is velo.
        let pids: Vec<u32> =
            with_descendants(BTreeSet::from([child.id()]), &all).iter().map(|one| one.pid).collect();
        let mut service = ServiceProcesses::named(child.id()).unwrap();
        assert_eq!((service.name().as_deref(), service.has_ended()), (Some("sh"), false));
        service.pids.clone_from(&pids);
        assert_eq!(pids.len(), 2);
        let then = service.snapshot();
        assert!(service.used_ns(&then).is_some());
        for held in tree::hold(&pids) {
            held.signal(rustix::process::Signal::KILL);
        }
        child.wait().unwrap();
        assert!(service.has_ended());
        assert!(ServiceProcesses::named(child.id()).unwrap_err().contains("there is no process"));
    }
}
