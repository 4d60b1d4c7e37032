//! One life of a server: started, ready, and ended for certain; or found where it ran already.

use std::ffi::OsStr;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use velo_model::{Contender, ContenderName};
use velo_record::{External, StopRecord};

use crate::build::builder::Built;
use crate::process::cage::Cage;
use crate::process::found::FoundTree;
use crate::process::listening::is_listening;
use crate::process::tree;
use crate::progress::Stop;
use crate::sides::answering;
use crate::sides::asked::first_answer;
use crate::sides::astray::Astray;
use crate::sides::external;
use crate::sides::origin::{Origin, Peer};
use crate::sides::serve_side::{
    Found, NotLaunched, Processes, Purpose, ServeSide, Server, TaskStart, Worker,
};
use crate::sides::started::{LaunchPad, Program, Started, ended};
use crate::sides::worker::TaskProcess;

/// A contender that answers.
#[derive(Debug)]
struct Launched {
    peer: Peer,
    /// `None` of one that ran already: it is neither stopped nor ended.
    own: Option<Own>,
    /// The processes of one that ran already, where they are seen.
    found: Option<Arc<FoundTree>>,
}

/// A contender that was started.
#[derive(Debug)]
struct Own {
    started: Started,
    startup: Option<Duration>,
    listens_on: Vec<SocketAddr>,
}

/// A few servers cannot bear a connection in the moment in which they begin to listen (.NET's HttpListener).
const QUIET: Duration = Duration::from_millis(100);
/// Between two tries while it starts: fine enough for the startup figure, coarse enough to cost nothing.
const READY_POLL: Duration = Duration::from_millis(2);
/// How often a server that ran already is asked before it counts as one that does not answer.
const RUNNING_TRIES: u32 = 3;

impl ServeSide for LaunchPad {
    fn launch(
        &mut self,
        contender: &Contender,
        origin: &Origin,
        purpose: &Purpose<'_>,
        log: &Path,
        stop: &Stop,
    ) -> Result<Box<dyn Server>, NotLaunched> {
        Ok(Box::new(match origin {
            Origin::Built(built) => self.launch_built(contender, built, purpose, log, stop)?,
            Origin::Running { peer, found } => already(peer, found, purpose)?,
        }))
    }

    fn log_bytes(&self, log: &Path) -> Option<u64> {
        self.written_logs().of(log)
    }

    fn find(&mut self, name: &ContenderName, peer: &Peer) -> Result<Found, String> {
        let named = self.external.pids.get(name).copied();
        let found = match external::find(peer, named) {
            Ok(found) => found,
            Err(External::Unseen { reason, cure }) if named.is_some() => {
                return Err(format!("--url-pid: {reason}; {cure}"));
            }
            Err(External::Unseen { reason, cure }) if self.external.pins => {
                return Err(format!("--pin finds no process to move: {reason}; {cure}, or leave --pin out"));
            }
            Err(unseen) => return Ok((unseen, None)),
        };
        let pids = found.pids();
        if self.external.pins {
            self.pin(&pids)?;
        }
        let program = pids.first().and_then(|&pid| tree::name(pid));
        let (cpus, is_pinned) = (tree::allowed_cpus(&pids), self.external.pins);
        Ok((External::Seen { pids, program, cpus, is_pinned }, Some(Arc::new(found))))
    }

    fn start_task(&mut self, task: &TaskStart<'_>) -> Result<Box<dyn Worker>, String> {
        Ok(Box::new(TaskProcess::start(self, task)?))
    }
}

/// A server that ran already, if it answers correctly in one of some tries: others may be asking it too, and one late or
/// wrong answer between two launches is not a server that is gone. The error is one line.
fn already(peer: &Peer, found: &Option<Arc<FoundTree>>, purpose: &Purpose<'_>) -> Result<Launched, String> {
    let mut tries = 1;
    loop {
        let answer = first_answer(peer, purpose.workload, purpose.data);
        let Err(why) = answer else {
            return Ok(Launched { peer: peer.clone(), own: None, found: found.clone() });
        };
        if tries == RUNNING_TRIES {
            return Err(format!("no correct answer from {} in {tries} tries: {why}", peer.authority));
        }
        tries += 1;
        std::thread::sleep(QUIET);
    }
}

impl LaunchPad {
    /// Starts a contender and waits until it answers correctly.
    fn launch_built(
        &mut self,
        contender: &Contender,
        built: &Built,
        purpose: &Purpose<'_>,
        stderr_log: &Path,
        stop: &Stop,
    ) -> Result<Launched, NotLaunched> {
        let network = purpose.network.as_ref().unwrap_or(self.network()).clone();
        let wanted = self.next_port;
        self.next_port = wanted.and_then(|port| port.checked_add(1));
        let address = network.at_contenders(|| free_address(wanted.unwrap_or(0))).flatten();
        let address = address.map_err(|error| match wanted {
            Some(port) => format!("port {port} cannot be had: {error}"),
            None => format!("no free port: {error}"),
        })?;
        let (host, port) = (address.ip().to_string(), address.port().to_string());
        let workload = purpose.workload.asked_of(contender);
        let protocol = workload.load.protocol;
        let certificates = self.certificates().filter(|_| protocol.is_encrypted());
        let tls = certificates.and_then(|made| made.settings(protocol));
        let peer = Peer::own(address, tls, network.clone());
        let mut environment: Vec<(&str, &OsStr)> =
            vec![("HOST", host.as_ref()), ("PORT", port.as_ref()), ("PROTOCOL", protocol.name().as_ref())];
        let files = certificates.map(|made| (made.certificate.clone(), made.key.clone()));
        if let Some((certificate, key)) = &files {
            environment.extend([("TLS_CERT", certificate.as_os_str()), ("TLS_KEY", key.as_os_str())]);
        }
        let mut started = self.start(&Program {
            command: &contender.start,
            dir: &built.dir,
            search_path: built.search_path.as_deref(),
            environment: &environment,
            data: &purpose.all_data,
            log: stderr_log,
            title: &format!("launch on port {port}"),
            is_piped: false,
            network: &network,
        })?;
        let limit = Duration::from_secs(u64::from(contender.ready_seconds));
        let mut listens_since = None;
        let mut astray = Astray::new(address, network.clone());
        loop {
            if stop.asked() {
                started.end();
                return Err("interrupted".to_owned().into());
            }
            if let Some(status) = started.ended() {
                let what =
                    started.cage.out_of_memory().unwrap_or_else(|| ended("it ended while starting", status));
                let what = started.with_last_line(&what);
                // Nobody is there who could end the rest in order.
                started.cage.kill();
                started.end();
                return Err(NotLaunched { reason: what, ended_itself: !status.success() });
            }
            let listens =
                || network.at_contenders(|| is_listening(address.port())).is_ok_and(|listens| listens);
            let waits = purpose.connects_late || purpose.leaves_first_call;
            if waits && listens_since.is_none() && listens() {
                listens_since = Some(Instant::now());
            }
            let may_connect = !waits || listens_since.is_some_and(|since| since.elapsed() >= QUIET);
            let answer = match may_connect {
                true if purpose.leaves_first_call => Ok(()),
                true => first_answer(&peer, &workload, purpose.data),
                false => Err("nobody listens on its port".to_owned()),
            };
            let Err(why) = answer else { break };
            if let Some(what) = astray.look(&started) {
                started.end();
                return Err(started.with_last_line(&what).into());
            }
            if started.began.elapsed() > limit {
                let why = astray.words().unwrap_or(why);
                let what = format!(
                    "no correct answer within {} s of its start (ready_seconds in its contender.toml): {why}",
                    limit.as_secs()
                );
                started.end();
                return Err(started.with_last_line(&what).into());
            }
            std::thread::sleep(READY_POLL);
        }
        let waited = purpose.connects_late || purpose.leaves_first_call;
        let startup = (!waited).then(|| started.began.elapsed());
        match answering::look(&started, address, &network) {
            Ok(listens_on) => {
                Ok(Launched { peer, own: Some(Own { started, startup, listens_on }), found: None })
            }
            Err(what) => {
                started.end();
                Err(what.into())
            }
        }
    }
}

/// A port that nobody listens on now, or this one where it is not 0. It is given back before the contender takes it; who comes between makes
/// that launch fail with the contender's own message.
fn free_address(port: u16) -> io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port))?.local_addr()
}

impl Server for Launched {
    fn peer(&self) -> &Peer {
        &self.peer
    }

    fn listens_on(&self) -> &[SocketAddr] {
        self.own.as_ref().map_or(&[], |own| &own.listens_on)
    }

    fn startup(&self) -> Option<Duration> {
        self.own.as_ref()?.startup
    }

    fn processes(&self) -> Option<Arc<dyn Processes>> {
        if let Some(found) = &self.found {
            let found: Arc<FoundTree> = Arc::clone(found);
            return Some(found);
        }
        let cage: Arc<Cage> = Arc::clone(&self.own.as_ref()?.started.cage);
        Some(cage)
    }

    fn is_running(&mut self) -> Result<(), String> {
        match (&mut self.own, &self.found) {
            (Some(own), _) => own.started.is_running(),
            (None, Some(found)) if !found.is_alive() => Err("its process ended".to_owned()),
            (None, _) => Ok(()),
        }
    }

    fn data_dir(&self) -> Option<PathBuf> {
        Some(self.own.as_ref()?.started.data_dir())
    }

    fn end(&mut self) -> Option<StopRecord> {
        self.own.as_mut().map(|own| own.started.end())
    }
}
