//! Contenders that are started as for a run and left running, to be looked at by hand.

use std::time::Duration;

use velo_record::{ContenderRecord, ContenderState, Stage};

use crate::LabError;
use crate::options::VerifyOptions;
use crate::prepare::speech;
use crate::progress::{Event, Progress, Stop};
use crate::run::prepared;
use crate::sides::serve_side::Server;

/// Between two looks whether they run.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Builds contenders and starts each as for a run, on the same CPUs; [`Event::Serving`] tells of each that answers. Returns when the stop is
/// asked for, or when none is left; nothing that was started runs on.
///
/// # Errors
/// When the host is unfit or the log folder cannot be written. A contender's failure, also that it ended by itself later, is in its
/// record instead.
pub fn serve(
    options: &VerifyOptions,
    progress: &mut dyn Progress,
    stop: &Stop,
) -> Result<Vec<ContenderRecord>, LabError> {
    let mut context = prepared(options, progress, stop)?;
    for record in &mut context.records {
        let role = record.manifest.role;
        if !role.is_server() {
            let reason = "it is no server: a run asks its program by itself".to_owned();
            record.state = ContenderState::Skipped { reason, cure: None };
        }
    }
    let built = context.build(&options.cache_dir, speech::of(&options.workloads))?;
    let mut serving: Vec<(usize, Box<dyn Server>)> = Vec::new();
    for (index, origin) in built {
        let manifest = &context.records[index].manifest;
        let contender = manifest.name.clone();
        let Some(first) = options.workloads.iter().position(|workload| workload.is_for(manifest)) else {
            continue;
        };
        match context.launch(index, &origin, &options.workloads, first) {
            Ok(server) => {
                let peer = server.peer();
                let scheme = if peer.tls.is_some() { "https" } else { "http" };
                let url = format!("{scheme}://{}", peer.authority);
                context.progress.event(&Event::Serving { contender, url, pids: server.pids() });
                serving.push((index, server));
            }
            Err(reason) => context.exclude_unless_stopped(index, Stage::Start, reason),
        }
    }
    while !stop.asked() && !serving.is_empty() {
        context.clock.sleep(LOOK_EVERY);
        serving.retain_mut(|(index, server)| {
            let Err(reason) = server.is_running() else { return true };
            server.end();
            context.exclude_unless_stopped(*index, Stage::Start, reason);
            false
        });
    }
    for (_, server) in &mut serving {
        server.end();
    }
    Ok(context.records)
}
