use std::path::Path;

use velo_lab::{Event, Progress, Stop, VerifyOptions, example_request};
use velo_model::Workload;
use velo_record::{ContenderRecord, ContenderState};

use crate::args::ServeArgs;
use crate::progress::Display;
use crate::root::Root;
use crate::select::{self, Unfiltered};
use crate::{again, exit, out, protocol, signals, values};

/// The seed of the example that is shown, and of the data.
const SEED: u64 = 1;

pub(crate) fn run(args: &ServeArgs, root: Option<&Path>) -> anyhow::Result<u8> {
    let root = Root::read(root, &args.filters.workload)?;
    let names = select::workload_names(&args.workloads, &args.filters.workload);
    let workloads = select::workloads(&root, &names)?;
    let mut selection = select::contenders(&root, workloads, &args.filters, Unfiltered::NamedFolders)?;
    protocol::set(&mut selection.workloads, args.protocol, None)?;
    let stop = signals::stop_saying("\n")?;
    let options = VerifyOptions { port: args.port, ..selection.into_options(&root, SEED, false) };
    let example = options.workloads.first().and_then(example_path);
    let mut told = Told { display: Display::new(), stop: &stop, example, began: false, failed: None };
    let records = velo_lab::serve(&options, &mut told, &stop)?;
    told.display.end();
    if let Some(error) = told.failed {
        return Err(error);
    }
    for record in &records {
        if let ContenderState::Skipped { reason, cure } = &record.state {
            let cure = cure.as_ref().map_or(String::new(), |cure| format!("\n  {cure}"));
            out::talk(&format!("{} skipped: {reason}{cure}\n", record.manifest.name));
        }
    }
    let is_excluded = |record: &&ContenderRecord| matches!(record.state, ContenderState::Excluded { .. });
    let excluded = records.iter().filter(is_excluded).count();
    if excluded > 0 {
        let logs = again::shown_path(&options.log_dir);
        out::talk(&format!(
            "{} did not stay; what they wrote: {logs}\n",
            values::count(excluded, "contender")
        ));
    }
    Ok(match (excluded, told.began) {
        _ if stop.asked() => exit::INTERRUPTED,
        (0, false) => exit::UNFIT,
        _ => exit::CHECK_FAILED,
    })
}

/// Prints where contenders are, and has the rest told as of every command.
struct Told<'a> {
    display: Display,
    stop: &'a Stop,
    /// A path to try, with its query.
    example: Option<String>,
    began: bool,
    failed: Option<anyhow::Error>,
}

impl Progress for Told<'_> {
    fn event(&mut self, event: &Event) {
        self.display.event(event);
        let Event::Serving { contender, url, pids } = event else { return };
        if let Err(error) = out::print(&format!("{contender}  {url}\n")) {
            self.failed = Some(error);
            self.stop.flag().store(true, std::sync::atomic::Ordering::Relaxed);
        }
        let pids: Vec<String> = pids.iter().map(u32::to_string).collect();
        let mut text = format!("         processes {}", pids.join(", "));
        if let Some(path) = &self.example {
            text.push_str(&format!("; as in: curl -ik '{url}{path}'"));
        }
        if !std::mem::replace(&mut self.began, true) {
            text.push_str("\n         Ctrl-C ends what was started");
        }
        out::talk(&format!("{text}\n"));
    }
}

/// The path of a workload's first request with values drawn; `None` where it is no GET, or no shell would take it within quotes.
fn example_path(workload: &Workload) -> Option<String> {
    let request = workload.requests.first()?;
    let (bytes, _) = example_request(workload, request, "localhost", SEED).ok()?;
    let line = std::str::from_utf8(&bytes).ok()?.lines().next()?;
    let path = line.strip_prefix("GET ")?.strip_suffix(" HTTP/1.1")?;
    (!path.contains('\'')).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_is_a_get_that_can_be_typed() {
        let mut workload = crate::carried::void_named("void");
        let path = example_path(&workload).expect("it is asked with GET");
        assert!(path.starts_with('/') && !path.contains(' '), "{path}");
        workload.requests[0].path = velo_model::TextTemplate::fixed("/it's");
        assert_eq!(example_path(&workload), None);
        workload.requests.clear();
        assert_eq!(example_path(&workload), None);
    }
}
