//! What the sections share: settings, files, the server, and who is there.

use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;
use velo_tests::child::{on_cpu, run};

use crate::Outcome;
use crate::server::{Reference, Server as _};
use crate::settings::{LOAD_CPU, SERVER_CPU, Settings, reference_server};
use crate::table;
use crate::tools::{Amount, Job, Tool, Workload, write_files};

/// What the sections share.
pub(crate) struct Bench {
    pub(crate) settings: Settings,
    folder: TempDir,
    reference: String,
}

impl Bench {
    pub(crate) fn new(settings: Settings) -> Outcome<Self> {
        let folder = tempfile::tempdir()?;
        write_files(folder.path(), settings.seed)?;
        Ok(Self { settings, folder, reference: reference_server()? })
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The reference server, ready to begin.
    pub(crate) fn server(&self) -> Reference {
        Reference::new(&self.reference)
    }

    /// The driver that velo, as this tool starts it, uses here; an error when it cannot.
    pub(crate) fn velo_driver(&self, tool: &'static Tool, connections: u32) -> Outcome<&'static str> {
        let mut server = self.server();
        let url = server.begin()?;
        let job = Job {
            workload: Workload::Coin,
            server: &url,
            connections,
            pipelining: 1,
            amount: Amount::OneRequest,
            folder: self.folder(),
        };
        let finished = run(on_cpu(&mut tool.command(&job), LOAD_CPU), Duration::from_secs(30))?;
        let completed = (tool.completed)(&job, &finished)?;
        server.end()?;
        completed.driver.ok_or_else(|| format!("{} has no drivers", tool.name).into())
    }

    /// The lines under a section's tables: how it was measured, by which versions, and which are missing.
    pub(crate) fn footer(&self, tools: &[&'static Tool], rounds: usize) -> String {
        let mut programs: Vec<&Tool> = Vec::new();
        for tool in tools {
            if !programs.iter().any(|known| known.program == tool.program) {
                programs.push(tool);
            }
        }
        let (mut here, mut missing) = (Vec::new(), Vec::new());
        for tool in programs {
            match tool.installed() {
                Some(version) => here.push(version),
                None => missing.push(tool.program.to_owned()),
            }
        }
        let mut text = format!(
            "{rounds} rounds of {} s, order within a round by seed {}; server on CPU {SERVER_CPU}, generator on CPU {LOAD_CPU}; {}.",
            self.settings.seconds,
            self.settings.seed,
            here.join(", "),
        );
        if !missing.is_empty() {
            text.push_str(&format!(" Not installed, so not measured: {}.", table::list(&missing)));
        }
        text.push('\n');
        text
    }
}
