//! A client as its manifest has it: built in a folder of its own, and a process that fetches what it is told.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context as _, ensure};
use tempfile::TempDir;
use velo_model::Contender;

/// A client that was built.
pub(crate) struct Client {
    pub(crate) name: String,
    start: String,
    dir: TempDir,
}

impl Client {
    /// Builds the client `<language>/<name>` of the folder `contenders`.
    pub(crate) fn build(contenders: &Path, name: &str) -> anyhow::Result<Self> {
        let from = contenders.join(name);
        let all = velo_spec::read::contender(&from)?;
        let contender = all.first().context("no contender")?;
        ensure!(
            !contender.process_for_each,
            "{name} has a process for each file (`get`): name one with `serve`"
        );
        let dir = tempfile::tempdir()?;
        copy(&from, dir.path())?;
        for place in &contender.borrows {
            let borrowed = from.parent().context("no language")?.join(place);
            let last = borrowed.file_name().context("no name")?.to_owned();
            copy(&borrowed, &dir.path().join(last))?;
        }
        for command in commands(contender) {
            let output = shell(command, dir.path()).output()?;
            let error = String::from_utf8_lossy(&output.stderr);
            ensure!(output.status.success(), "{name}: `{command}` failed: {error}");
        }
        Ok(Self { name: name.to_owned(), start: contender.start.clone(), dir })
    }

    /// Starts a process on a CPU.
    pub(crate) fn start(&self, cpu: u32) -> anyhow::Result<Process> {
        let mut command = shell(&self.start, self.dir.path());
        let mut pinned = Command::new("taskset");
        pinned.args(["-c", &cpu.to_string(), "sh", "-c", &self.start]).current_dir(self.dir.path());
        pinned.envs(command.get_envs().filter_map(|(key, value)| Some((key, value?))));
        command = pinned;
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().context("taskset")?;
        let input = child.stdin.take().context("no standard input")?;
        let output = BufReader::new(child.stdout.take().context("no standard output")?);
        Ok(Process { child, input: Some(input), output })
    }
}

/// A process of a client.
pub(crate) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Process {
    /// What a file took by the client's own clock, in nanoseconds.
    pub(crate) fn fetch(&mut self, url: &str, out: &Path, bytes: u64) -> anyhow::Result<f64> {
        let input = self.input.as_mut().context("its input was closed")?;
        writeln!(input, "{url}\t{}", out.display())?;
        input.flush()?;
        let mut answer = String::new();
        self.output.read_line(&mut answer)?;
        let (took, saved) =
            answer.trim_end().split_once('\t').with_context(|| format!("it said {answer:?}"))?;
        ensure!(saved.parse() == Ok(bytes), "{saved} in place of {bytes} bytes");
        Ok(took.parse::<u64>()? as f64)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The end of its input ends it, unless it did not work at all.
        drop(self.input.take());
        for _ in 0..50 {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        // It has ended by itself meanwhile, or is ended here.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn commands(contender: &Contender) -> impl Iterator<Item = &str> {
    contender.fetch.as_deref().into_iter().chain(contender.build.as_deref())
}

fn shell(command: &str, dir: &Path) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(dir);
    shell.env("CORES", "1").env("AT_ONCE", "1").env("WORK_DIR", dir).env("SHARED", dir.join("shared"));
    shell
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| from.display().to_string())? {
        let path: PathBuf = entry?.path();
        let target = to.join(path.file_name().context("no name")?);
        if path.is_dir() {
            copy(&path, &target)?;
        } else {
            fs::copy(&path, &target)?;
        }
    }
    Ok(())
}
