//! The servers that are loaded, and their own counts of what they were asked.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use velo_tests::child::{bound, on_cpu, wait_until_end};

use crate::Outcome;
use crate::settings::SERVER_CPU;

const START_LIMIT: Duration = Duration::from_secs(10);
const END_LIMIT: Duration = Duration::from_secs(10);

/// What a server says of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Requests read.
    pub(crate) requests: u64,
    /// Of these, answered wrongly on purpose.
    pub(crate) wrong: u64,
}

/// A server that counts run by run.
pub(crate) trait Server {
    /// A run begins; what it loads, without a path.
    fn begin(&mut self) -> Outcome<String>;
    /// The run's counts.
    fn end(&mut self) -> Outcome<Counts>;
}

/// The reference server with its wrong answers: a new process for each run.
pub(crate) struct Reference {
    program: String,
    process: Option<Process>,
}

impl Reference {
    pub(crate) fn new(program: &str) -> Self {
        Self { program: program.to_owned(), process: None }
    }
}

impl Server for Reference {
    fn begin(&mut self) -> Outcome<String> {
        let address = free_address()?;
        let mut command = Command::new(&self.program);
        command.env("HOST", address.ip().to_string()).env("PORT", address.port().to_string());
        command.env("CORES", "1").stdin(Stdio::piped()).stdout(Stdio::piped());
        self.process = Some(Process::start(&mut command, address)?);
        Ok(format!("http://{address}"))
    }

    fn end(&mut self) -> Outcome<Counts> {
        let mut process = self.process.take().ok_or("the server was not started")?;
        // The end of its input is the server's order to report and end.
        drop(process.0.stdin.take());
        if !wait_until_end(&process.0, END_LIMIT)? {
            return Err(
                "the reference server does not end; was it built with --features wrong-answers?".into()
            );
        }
        let mut output = String::new();
        process.0.stdout.take().ok_or("no output")?.read_to_string(&mut output)?;
        counts(&output).ok_or_else(|| format!("the reference server reported no counts: {output:?}").into())
    }
}

/// `requests 1200000 wrong 12`.
fn counts(output: &str) -> Option<Counts> {
    let mut words = output.lines().last()?.split(' ');
    let (requests, wrong) = (words.nth(1)?, words.nth(1)?);
    Some(Counts { requests: requests.parse().ok()?, wrong: wrong.parse().ok()? })
}

/// nginx with one process: TLS 1.3, one cipher suite for all clients, a fixed body, and a status page without TLS.
pub(crate) struct Nginx {
    _process: Process,
    address: SocketAddr,
    status: SocketAddr,
    before: u64,
}

impl Nginx {
    /// `folder` is for its certificate and its files.
    pub(crate) fn start(folder: &Path) -> Outcome<Self> {
        let folder = folder.join("nginx");
        std::fs::create_dir_all(&folder)?;
        make_certificate(&folder)?;
        let (address, status) = (free_address()?, free_address()?);
        let configuration = folder.join("nginx.conf");
        std::fs::write(&configuration, nginx_configuration(&folder, address, status))?;
        let mut command = Command::new("nginx");
        command.arg("-p").arg(&folder).arg("-e").arg(folder.join("error.log")).arg("-c").arg(&configuration);
        let process = Process::start(command.stdin(Stdio::null()), status)?;
        Ok(Self { _process: process, address, status, before: 0 })
    }

    /// Requests so far, that for the status page included.
    fn requests(&self) -> Outcome<u64> {
        let mut stream = TcpStream::connect(self.status)?;
        stream.set_read_timeout(Some(END_LIMIT))?;
        stream.write_all(b"GET / HTTP/1.0\r\n\r\n")?;
        let mut page = String::new();
        stream.read_to_string(&mut page)?;
        status_page(&page).ok_or_else(|| format!("nginx's status page is not understood: {page:?}").into())
    }
}

impl Server for Nginx {
    fn begin(&mut self) -> Outcome<String> {
        self.before = self.requests()?;
        Ok(format!("https://{}", self.address))
    }

    fn end(&mut self) -> Outcome<Counts> {
        // One request more is the status page's own.
        Ok(Counts { requests: self.requests()?.saturating_sub(self.before + 1), wrong: 0 })
    }
}

/// The third number under `server accepts handled requests`.
fn status_page(page: &str) -> Option<u64> {
    let numbers = page.lines().skip_while(|line| !line.starts_with("server accepts")).nth(1)?;
    numbers.split_whitespace().nth(2)?.parse().ok()
}

fn nginx_configuration(folder: &Path, address: SocketAddr, status: SocketAddr) -> String {
    let folder = folder.display();
    format!(
        r#"daemon off; master_process off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
  access_log off; keepalive_requests 1000000000; keepalive_timeout 600s;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{
    listen {address} ssl backlog=4096;
    ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/key.pem;
    ssl_protocols TLSv1.3; ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;
    location / {{ default_type application/json; return 200 '{{"win":false}}'; }}
  }}
  server {{ listen {status}; location / {{ stub_status; }} }}
}}
"#
    )
}

fn make_certificate(folder: &Path) -> Outcome<()> {
    let mut command = Command::new("openssl");
    command.args([
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-days",
        "2",
    ]);
    command.args(["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]);
    command.arg("-keyout").arg(folder.join("key.pem")).arg("-out").arg(folder.join("cert.pem"));
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("openssl: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("openssl made no certificate:\n{}", String::from_utf8_lossy(&output.stderr)).into())
}

fn free_address() -> Outcome<SocketAddr> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?)
}

/// A child that is ended when it goes out of scope.
struct Process(Child);

impl Process {
    /// Starts it, and waits until it takes connections.
    fn start(command: &mut Command, address: SocketAddr) -> Outcome<Self> {
        let program = command.get_program().to_string_lossy().into_owned();
        let child =
            bound(on_cpu(command, SERVER_CPU)).spawn().map_err(|error| format!("{program}: {error}"))?;
        let mut process = Self(child);
        let deadline = Instant::now() + START_LIMIT;
        while TcpStream::connect(address).is_err() {
            if let Some(status) = process.0.try_wait()? {
                return Err(format!("{program} ended before it listened on {address}: {status}").into());
            }
            if Instant::now() > deadline {
                return Err(format!("{program} does not listen on {address}").into());
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(process)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to end.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_servers_counts() {
        let expected = Some(Counts { requests: 1_200_000, wrong: 12 });
        assert_eq!(counts("requests 1200000 wrong 12\n"), expected);
        assert_eq!(counts(""), None);
        assert_eq!(counts("requests many wrong 12\n"), None);
        let page = "HTTP/1.1 200 OK\r\n\r\nActive connections: 1 \nserver accepts handled requests\n 16 16 3161 \nReading: 0 \n";
        assert_eq!(status_page(page), Some(3161));
        assert_eq!(status_page("HTTP/1.1 404 Not Found\r\n\r\n"), None);
    }
}
