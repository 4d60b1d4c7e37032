//! nginx as a server of files.

use std::fmt::Write as _;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, bail};
use tempfile::TempDir;

/// Ends with this value.
pub(crate) struct Nginx {
    child: Child,
    address: SocketAddr,
    /// Holds its configuration and its temporary files.
    _dir: TempDir,
}

impl Nginx {
    /// Serves a folder on a CPU, with `sendfile` and one worker.
    pub(crate) fn start(root: &Path, cpu: u32) -> anyhow::Result<Self> {
        let dir = tempfile::tempdir()?;
        // Nobody else wants a port of this range in the moment between.
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        let file = dir.path().join("nginx.conf");
        fs::write(&file, configuration(root, dir.path(), address))?;
        let mut command = Command::new("taskset");
        command.args(["-c", &cpu.to_string(), "nginx", "-e", "stderr", "-c"]).arg(&file);
        let child = command.stdin(Stdio::null()).spawn().context("taskset")?;
        let mut nginx = Self { child, address, _dir: dir };
        for _ in 0..50 {
            if TcpStream::connect(address).is_ok() {
                return Ok(nginx);
            }
            if nginx.child.try_wait()?.is_some() {
                break;
            }
            thread::sleep(Duration::from_millis(100));
        }
        bail!("nginx does not listen on {address}: is it installed (apt-get install nginx-light)?")
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // Its worker ends when it does; it may have ended by itself.
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        let _ = self.child.wait();
    }
}

fn configuration(root: &Path, own: &Path, address: SocketAddr) -> String {
    let (root, own) = (root.display(), own.display());
    let mut text = String::new();
    // The folder is open to this user alone, which as root would not be the worker's. Others cannot choose, and are only warned.
    let _ = writeln!(
        text,
        "user root;\nworker_processes 1;\ndaemon off;\npid {own}/nginx.pid;\nevents {{}}\nhttp {{"
    );
    for of in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"] {
        let _ = writeln!(text, "{of}_temp_path {own}/{of};");
    }
    let _ = writeln!(text, "access_log off;\nsendfile on;\ntcp_nopush on;\nkeepalive_requests 100000;");
    let _ = writeln!(text, "server {{ listen {address}; root {root}; }}\n}}");
    text
}
