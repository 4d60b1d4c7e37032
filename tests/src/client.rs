//! A client that fetches files as it should, until it does not.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What the client does wrong, once it has fetched some files as it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientFault {
    /// Nothing.
    None,
    /// It answers when the file has its length, and fetches the bytes afterwards.
    AnswersEarly,
    /// It saves what it fetched first once more.
    KeepsFile,
    /// It saves all but the last bytes.
    Truncates,
    /// It says that it took a tenth of the time.
    ShortClock,
    /// It leaves a process behind.
    LeavesProcess,
    /// It takes so many per cent longer.
    Slower(u32),
}

impl ClientFault {
    /// All of them by name.
    pub const ALL: [(&'static str, Self); 8] = [
        ("none", Self::None),
        ("twin", Self::None),
        ("answers-early", Self::AnswersEarly),
        ("keeps-file", Self::KeepsFile),
        ("truncates", Self::Truncates),
        ("short-clock", Self::ShortClock),
        ("leaves-process", Self::LeavesProcess),
        ("slower", Self::Slower(4)),
    ];
}

/// More files than it is asked for before it is measured.
const HONEST_FILES: usize = 5;

/// A connection to one server, which is kept.
#[derive(Default)]
struct Connection {
    authority: String,
    open: Option<BufReader<TcpStream>>,
}

impl Connection {
    fn get(&mut self, url: &str) -> io::Result<(Vec<u8>, bool)> {
        let rest = url.strip_prefix("http://").ok_or_else(|| io::Error::other("no http"))?;
        let (authority, path) = rest.split_once('/').ok_or_else(|| io::Error::other("no path"))?;
        if self.open.is_none() || self.authority != authority {
            self.open = Some(BufReader::new(TcpStream::connect(authority)?));
            authority.clone_into(&mut self.authority);
        }
        let result = self.exchange(path);
        if !matches!(result, Ok((_, true))) {
            self.open = None;
        }
        result
    }

    /// The body, and whether the connection may be kept.
    fn exchange(&mut self, path: &str) -> io::Result<(Vec<u8>, bool)> {
        let Some(reader) = &mut self.open else { return Err(io::Error::other("not connected")) };
        // In one piece: the second of two would wait for the first to be acknowledged.
        let request = format!("GET /{path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.authority);
        reader.get_mut().write_all(request.as_bytes())?;
        let (mut length, mut closes, mut line) = (None, false, String::new());
        reader.read_line(&mut line)?;
        if !line.starts_with("HTTP/1.1 200 ") {
            return Err(io::Error::other(format!("status {}", line.split(' ').nth(1).unwrap_or("missing"))));
        }
        loop {
            line.clear();
            if reader.read_line(&mut line)? <= 2 {
                break;
            }
            let lower = line.to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().ok();
            }
            closes |= lower.trim() == "connection: close";
        }
        let length: usize = length.ok_or_else(|| io::Error::other("no length"))?;
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        Ok((body, !closes))
    }
}

/// Answers the lines of an input.
///
/// # Errors
/// When input or output fail.
pub fn serve(input: impl BufRead, mut output: impl Write, fault: ClientFault) -> io::Result<()> {
    let (mut connection, mut kept) = (Connection::default(), Vec::new());
    for (number, line) in input.lines().enumerate() {
        let line = line?;
        let active = if number < HONEST_FILES { ClientFault::None } else { fault };
        let (url, out) = line.split_once('\t').unwrap_or_default();
        let began = Instant::now();
        if active == ClientFault::AnswersEarly {
            let file = File::create(out)?;
            file.set_len(kept_length())?;
            writeln!(output, "{}\t{}", began.elapsed().as_nanos(), kept_length())?;
            output.flush()?;
            std::thread::sleep(Duration::from_millis(20));
            // It may be gone by now.
            let _ = save(&mut connection, url, Path::new(out));
            continue;
        }
        let saved = match active {
            ClientFault::KeepsFile => fs::write(out, &kept),
            ClientFault::Truncates => {
                connection.get(url).and_then(|(body, _)| fs::write(out, &body[1_000..]))
            }
            _ => save(&mut connection, url, Path::new(out)),
        };
        if let Err(error) = saved {
            writeln!(output, "{}\terror: {error}", began.elapsed().as_nanos())?;
            output.flush()?;
            continue;
        }
        if kept.is_empty() {
            File::open(out)?.read_to_end(&mut kept)?;
        }
        if active == ClientFault::LeavesProcess {
            Command::new("sleep").arg("30").stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
        }
        if let ClientFault::Slower(percent) = active {
            let until = began.elapsed() * (100 + percent) / 100;
            while began.elapsed() < until {
                std::hint::spin_loop();
            }
        }
        let took = began.elapsed();
        let said = if active == ClientFault::ShortClock { took / 10 } else { took };
        writeln!(output, "{}\t{}", said.as_nanos(), fs::metadata(out)?.len())?;
        output.flush()?;
    }
    Ok(())
}

/// The length that one who answers early gives its file.
fn kept_length() -> u64 {
    std::env::var("SCRIPTED_BYTES").ok().and_then(|bytes| bytes.parse().ok()).unwrap_or(0)
}

fn save(connection: &mut Connection, url: &str, out: &Path) -> io::Result<()> {
    fs::write(out, connection.get(url)?.0)
}
