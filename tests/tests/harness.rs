use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Condvar, Mutex, Once, PoisonError};

use serde_json::Value;
use velo_record::{RunFile, RunWriter, Window};

static FREE: Mutex<usize> = Mutex::new(PLACES);
static FREED: Condvar = Condvar::new();
static BUILT: Once = Once::new();

/// Tests that have the machine at the same time. Most of what they do is to wait.
const PLACES: usize = 4;

/// A place of the machine, held until dropped.
pub(crate) struct Place(());

/// Takes a place as soon as one is free.
pub(crate) fn place() -> Place {
    let free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut free = FREED.wait_while(free, |free| *free == 0).unwrap_or_else(PoisonError::into_inner);
    *free -= 1;
    Place(())
}

impl Drop for Place {
    fn drop(&mut self) {
        *FREE.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        FREED.notify_one();
    }
}

/// The repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// A program of the default members, built if need be.
pub(crate) fn program(name: &str) -> PathBuf {
    BUILT.call_once(|| {
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--bins"]).current_dir(root());
        // Cargo says of this package. Build scripts that look at it (ring's does) would run again, and all that needs them with it.
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"CARGO_PKG_") || name == "CARGO_MANIFEST_DIR" {
                build.env_remove(name);
            }
        }
        assert!(build.status().unwrap().success(), "the programs are built");
    });
    // The test's own program is in <target>/debug/deps.
    let own = std::env::current_exe().unwrap();
    own.parent().unwrap().parent().unwrap().join(name)
}

const VOID_AND_COIN: &str = "[\"void\", \"coin\"]";
const UNPUBLISHED: &str = r#"
[source]
title   = "none"
author  = "nobody"
year    = 2026
command = "none"
machine = "none"
"#;

/// A folder for one test with scripted contenders, removed at its end.
pub(crate) struct Scene {
    pub(crate) dir: tempfile::TempDir,
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn out(&self) -> PathBuf {
        self.dir.path().join("out")
    }

    /// Makes the contender `script/<fault>` and returns its folder.
    pub(crate) fn contender(&self, fault: &str) -> PathBuf {
        let start = format!("exec {} {fault}", program("scripted-server").display());
        self.contender_with(fault, &start, "")
    }

    /// Makes the contender `script/<name>` that is started by a command of its own.
    pub(crate) fn contender_with(&self, name: &str, start: &str, more: &str) -> PathBuf {
        self.contender_of("raw", VOID_AND_COIN, name, start, more)
    }

    /// Makes the contender `script/<fault>` for a workload.
    pub(crate) fn contender_for(&self, workload: &str, fault: &str) -> PathBuf {
        self.contender_on(
            workload,
            fault,
            &format!("exec {} {fault}", program("scripted-server").display()),
            "",
        )
    }

    /// Makes the contender `script/<name>` for a workload, started by a command of its own.
    pub(crate) fn contender_on(&self, workload: &str, name: &str, start: &str, more: &str) -> PathBuf {
        self.contender_of("raw", &format!("[\"{workload}\"]"), name, start, more)
    }

    /// Makes a workload of a test's own and returns its folder. It was published nowhere.
    pub(crate) fn workload(&self, name: &str, definition: &str) -> PathBuf {
        let dir = self.dir.path().join("workloads").join(name);
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("workload.toml"), format!("{definition}{UNPUBLISHED}")).unwrap();
        dir
    }

    /// Makes the task `script/<name>` for the workload users, a program without a server.
    pub(crate) fn task(&self, name: &str, command: &str) -> PathBuf {
        let dir = self.dir.path().join("script").join(name);
        std::fs::create_dir_all(&dir).unwrap();
        let manifest = format!(
            "class = \"raw\"\nworkloads = [\"users\"]\ntask = '{command}'\nversion = \"echo 1.0\"\nready_seconds = 1\n"
        );
        std::fs::write(dir.join("contender.toml"), manifest).unwrap();
        dir
    }

    /// Makes a reference, `script/reference`.
    pub(crate) fn reference(&self) -> PathBuf {
        let start = format!("exec {} none", program("scripted-server").display());
        self.contender_of("reference", VOID_AND_COIN, "reference", &start, "")
    }

    fn contender_of(&self, class: &str, workloads: &str, name: &str, start: &str, more: &str) -> PathBuf {
        let dir = self.dir.path().join("script").join(name);
        std::fs::create_dir_all(&dir).unwrap();
        let manifest = format!(
            "class = \"{class}\"\nworkloads = {workloads}\nstart = '{start}'\nversion = \"echo 1.0\"\n{more}"
        );
        std::fs::write(dir.join("contender.toml"), manifest).unwrap();
        dir
    }

    /// `velo` with the repository as its root.
    pub(crate) fn velo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program("velo"));
        command.arg("--root").arg(root()).args(arguments).stdin(Stdio::null()).current_dir(self.dir.path());
        command
    }

    /// A quick run of scripted contenders alone.
    pub(crate) fn quick_run(&self, workload: &str, faults: &[&str]) -> Command {
        let mut command = self.velo(&[
            "run", workload, "--quick", "--seed", "7", "--only", "script/*", "--skip", "rust/*", "--out",
        ]);
        command.arg(self.out());
        for fault in faults {
            command.arg("--contender").arg(self.contender(fault));
        }
        command
    }

    /// What `velo report` says of the run.
    pub(crate) fn report(&self, flags: &[&str]) -> String {
        text(&Command::new(program("velo")).arg("report").arg(self.out()).args(flags).output().unwrap())
    }

    /// The judged result of a run.
    pub(crate) fn judgement(&self) -> Value {
        read_json(&self.out().join("judgement.json"))
    }
}

pub(crate) fn read_json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap()
}

pub(crate) fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A contender's value in the series of a figure; `None` where it has none.
pub(crate) fn figure(judgement: &Value, of: &str, contender: &str) -> Option<f64> {
    let series = judgement["workloads"][0]["series"].as_array().unwrap().iter();
    let points =
        series.filter(|series| series["of"] == of).flat_map(|series| series["points"].as_array().unwrap());
    points
        .filter(|point| point["contender"] == contender)
        .find_map(|point| point["estimate"]["value"].as_f64())
}

/// The row of a contender in the run's first workload.
pub(crate) fn row<'a>(judgement: &'a Value, contender: &str) -> &'a Value {
    let rows = judgement["workloads"][0]["rows"].as_array().unwrap();
    rows.iter().find(|row| row["contender"] == contender).unwrap_or_else(|| panic!("no row for {contender}"))
}

/// The same, of those that work in the folder of a scene: others may have such processes at the same time.
pub(crate) fn left_running_in(scene: &Scene, mark: &str) -> Vec<u32> {
    let folder = scene.dir.path().canonicalize().unwrap();
    let is_its_own = |pid: &u32| {
        std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|place| place.starts_with(&folder))
    };
    left_running(mark).into_iter().filter(is_its_own).collect()
}

/// Processes with this in their command line, of anybody's.
pub(crate) fn left_running(mark: &str) -> Vec<u32> {
    let mut left = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command).replace('\0', " ");
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let zombie = stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z'));
        if command.contains(mark) && !zombie && pid != std::process::id() {
            left.push(pid);
        }
    }
    left
}

/// The same command where no control group can be made. Whoever may not hide them has none to begin with: `None`.
pub(crate) fn without_control_groups(command: &Command) -> Option<Command> {
    let hidden = "unshare --mount sh -c 'mount -t tmpfs none /sys/fs/cgroup'";
    let may_hide = Command::new("sh").args(["-c", hidden]).stderr(Stdio::null()).status().unwrap().success();
    if !may_hide {
        return None;
    }
    let mut hidden = Command::new("unshare");
    hidden.args(["--mount", "sh", "-c", "mount -t tmpfs none /sys/fs/cgroup && exec \"$@\"", "sh"]);
    hidden.arg(command.get_program()).args(command.get_args()).stdin(Stdio::null());
    if let Some(dir) = command.get_current_dir() {
        hidden.current_dir(dir);
    }
    Some(hidden)
}

/// A simulated run on disk.
pub(crate) fn write_run(dir: &Path, file: &RunFile, windows: &[Window]) {
    let mut writer = RunWriter::create(dir, file).unwrap();
    windows.iter().for_each(|window| writer.append(window).unwrap());
    file.calls.iter().for_each(|block| writer.append_calls(block).unwrap());
}
