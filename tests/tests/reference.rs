//! The reference server, which speaks gRPC in clear and over TLS on one port.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};

use crate::harness::{Scene, root};

const FOLDER: &str = "contenders/rust/reference";
/// Another program may take the port that was found free.
const ATTEMPTS: u32 = 5;
/// How long it may take until it listens, in steps of this length.
const STEP: Duration = Duration::from_millis(20);
const STEPS: u32 = 1_000;

/// The server, ended when it is dropped.
pub(crate) struct Reference {
    child: Child,
    pub(crate) port: u16,
}

impl Drop for Reference {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Reference {
    /// Builds and starts it; `encrypted`: with a certificate of an authority whose own certificate is `authority.pem` in the scene.
    pub(crate) fn start(scene: &Scene, encrypted: bool) -> Self {
        let program = build();
        if encrypted {
            issue(scene);
        }
        for _ in 0..ATTEMPTS {
            let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            let port = free.local_addr().unwrap().port();
            drop(free);
            let mut command = Command::new(&program);
            command.env_clear().env("HOST", "127.0.0.1").env("PORT", port.to_string()).env("CORES", "1");
            command.env("PROTOCOL", if encrypted { "h2" } else { "h2c" }).stdin(Stdio::null());
            if encrypted {
                command.env("TLS_CERT", scene.dir.path().join("server.pem"));
                command.env("TLS_KEY", scene.dir.path().join("key.pem"));
            }
            let mut server = Self { child: command.spawn().unwrap(), port };
            if server.listens() {
                return server;
            }
        }
        panic!("the reference server does not start");
    }

    /// Waits until it listens; `false` when it has ended.
    fn listens(&mut self) -> bool {
        for _ in 0..STEPS {
            if self.child.try_wait().unwrap().is_some() {
                return false;
            }
            if TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).is_ok() {
                return true;
            }
            thread::sleep(STEP);
        }
        panic!("the reference server does not listen");
    }
}

/// The method of that name on its command line: `--grpc`, and where it is defined.
pub(crate) fn method(name: &str) -> Vec<String> {
    let proto = root().join(FOLDER).join("reference.proto");
    let name = format!("velo.reference.v1.Reference/{name}");
    vec!["load".into(), "--grpc".into(), name, "--proto".into(), proto.display().to_string()]
}

/// The program, built where `scripts/test.sh` builds its tests.
fn build() -> PathBuf {
    // The test's own program is in <target>/debug/deps.
    let own = std::env::current_exe().unwrap();
    let target = own.ancestors().nth(3).unwrap().join("reference");
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--locked", "--target-dir"])
        .arg(&target)
        .current_dir(root().join(FOLDER))
        .status()
        .unwrap();
    assert!(status.success(), "the reference server is built");
    target.join("debug/reference-server")
}

/// Writes an authority's certificate, and one that it issues with its key.
fn issue(scene: &Scene) {
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    authority.distinguished_name.push(DnType::CommonName, "an authority of one test");
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let server = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    let certificate = server.signed_by(&key, &authority).unwrap();
    for (name, pem) in [
        ("authority.pem", authority.pem()),
        ("server.pem", certificate.pem()),
        ("key.pem", key.serialize_pem()),
    ] {
        std::fs::write(scene.dir.path().join(name), pem).unwrap();
    }
}
