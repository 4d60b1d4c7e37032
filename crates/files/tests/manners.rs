//! What each manner sends, byte by byte, and what is noted of it.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use velo_files::{Content, FileServer, Offer, Serving};
use velo_model::Manner;

const LENGTH: u64 = 100_000;

struct Files {
    server: FileServer,
    content: std::sync::Arc<Content>,
    _dir: tempfile::TempDir,
}

/// Each manner at a path of its own.
fn files() -> Files {
    files_to(Serving::Measured)
}

fn files_to(serving: Serving) -> Files {
    let dir = tempfile::tempdir().unwrap();
    let content = std::sync::Arc::new(Content::draw(&dir.path().join("file"), LENGTH, 7).unwrap());
    let file = content.path().to_owned();
    let source = move |path: &str| {
        let manner = Manner::named(path.trim_start_matches('/'))?;
        Some(Offer { file: file.clone(), manner, plain: "/whole".to_owned() })
    };
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let server = FileServer::start(any, &[], serving, Box::new(source)).unwrap();
    Files { server, content, _dir: dir }
}

impl Files {
    fn connect(&self) -> TcpStream {
        let connection = TcpStream::connect(self.server.address()).unwrap();
        connection.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        connection
    }

    fn ask(&self, path: &str) -> TcpStream {
        let mut connection = self.connect();
        write!(connection, "GET /{path} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        connection
    }

    /// All that comes to the end of the connection, and whether that ended well.
    fn all(&self, path: &str) -> (Vec<u8>, bool) {
        let mut connection = self.ask(path);
        let mut bytes = Vec::new();
        let is_ended = connection.read_to_end(&mut bytes).is_ok();
        (bytes, is_ended)
    }

    /// The answer to a request with more lines in its head; the connection is closed behind it.
    fn with(&self, path: &str, lines: &str) -> (String, Vec<u8>) {
        let mut connection = self.connect();
        write!(connection, "GET /{path} HTTP/1.1\r\nConnection: close\r\n{lines}\r\n").unwrap();
        let mut bytes = Vec::new();
        connection.read_to_end(&mut bytes).unwrap();
        (head(&bytes), body(&bytes).to_vec())
    }

    fn file(&self) -> Vec<u8> {
        std::fs::read(self.content.path()).unwrap()
    }
}

fn body(bytes: &[u8]) -> &[u8] {
    let at = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
    &bytes[at + 4..]
}

fn head(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len() - body(bytes).len()]).into_owned()
}

#[test]
fn whole_files_come_one_after_the_other_on_one_connection() {
    let files = files();
    let mut connection = files.connect();
    let began = Instant::now();
    for _ in 0..3 {
        write!(connection, "GET /whole HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        let mut bytes = Vec::new();
        while !bytes.windows(4).any(|four| four == b"\r\n\r\n") {
            let mut one = [0];
            connection.read_exact(&mut one).unwrap();
            bytes.push(one[0]);
        }
        assert!(head(&bytes).contains(&format!("Content-Length: {LENGTH}\r\n")));
        let mut got = vec![0; LENGTH as usize];
        connection.read_exact(&mut got).unwrap();
        assert_eq!(got, files.file());
    }
    let ended = Instant::now();
    // The server notes an answer just after it has given it to the kernel.
    while files.server.sent("/whole").requests < 3 {
        std::thread::yield_now();
    }
    let sent = files.server.take("/whole");
    assert_eq!((sent.requests, sent.bytes), (3, 3 * LENGTH));
    let (first, last) = (sent.first_request.unwrap(), sent.before_last.unwrap());
    assert!(began <= first && first <= last && last <= ended);
    assert!(sent.cpu_ns > 0);
    assert_eq!(files.server.sent("/whole").requests, 0, "it is forgotten once it is taken");
}

#[test]
fn what_is_cut_is_cut_in_the_middle() {
    let files = files();
    let half = &files.file()[..LENGTH as usize / 2];
    let (bytes, is_ended) = files.all("short-body");
    assert!(is_ended && head(&bytes).contains(&format!("Content-Length: {LENGTH}\r\n")));
    assert_eq!(body(&bytes), half);
    let (bytes, is_ended) = files.all("chunked-cut");
    assert!(is_ended && head(&bytes).contains("Transfer-Encoding: chunked\r\n"));
    let chunk = format!("{LENGTH:x}\r\n");
    assert_eq!(body(&bytes), [chunk.as_bytes(), half].concat());
    let (_, is_ended) = files.all("reset");
    assert!(!is_ended, "a reset is an error");
}

#[test]
fn a_stall_keeps_the_connection_and_sends_nothing_more() {
    let files = files();
    let mut connection = files.ask("stall");
    connection.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let mut bytes = Vec::new();
    let error = connection.read_to_end(&mut bytes).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock);
    assert_eq!(body(&bytes).len() as u64, LENGTH / 2);
}

#[test]
fn redirects_lead_to_the_file_or_nowhere() {
    let files = files();
    let first = |path: &str| {
        let mut connection = files.connect();
        write!(connection, "GET /{path} HTTP/1.1\r\nConnection: close\r\n\r\n").unwrap();
        let mut text = String::new();
        connection.read_to_string(&mut text).unwrap();
        text
    };
    assert!(first("redirect").contains("302 Found\r\nLocation: /whole\r\n"));
    assert!(first("redirect-loop").contains("Location: /redirect-loop?1\r\n"));
    assert!(first("redirect-loop?41").contains("Location: /redirect-loop?42\r\n"));
    let (bytes, _) = files.all("redirect-loop?200");
    assert!(bytes.is_empty(), "it has an end");
}

#[test]
fn statuses_have_bodies_of_their_own() {
    let files = files();
    for (path, status) in [("not-found", "404"), ("server-error", "500"), ("nothing", "404")] {
        let mut connection = files.connect();
        write!(connection, "GET /{path} HTTP/1.1\r\nConnection: close\r\n\r\n").unwrap();
        let mut bytes = Vec::new();
        connection.read_to_end(&mut bytes).unwrap();
        assert!(head(&bytes).starts_with(&format!("HTTP/1.1 {status} ")));
        assert!(!body(&bytes).is_empty());
    }
    let mut connection = files.connect();
    write!(connection, "PUT /whole HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc").unwrap();
    let mut bytes = Vec::new();
    connection.read_to_end(&mut bytes).unwrap();
    assert!(head(&bytes).starts_with("HTTP/1.1 400 "));
}

#[test]
fn whole_files_come_in_other_ways_too() {
    let files = files();
    let file = files.file();
    for path in ["close", "no-length"] {
        let (bytes, is_ended) = files.all(path);
        assert!(is_ended && body(&bytes) == file, "{path}");
        assert_eq!(head(&bytes).contains("Content-Length"), path == "close");
    }
    let (bytes, _) = files.all("long-body");
    assert_eq!(body(&bytes), [file.as_slice(), &[b'x'; 1_000]].concat());
    for (path, status) in [("continue", "100 Continue"), ("early-hints", "103 Early Hints")] {
        let mut connection = files.connect();
        write!(connection, "GET /{path} HTTP/1.1\r\nConnection: close\r\n\r\n").unwrap();
        let mut bytes = Vec::new();
        connection.read_to_end(&mut bytes).unwrap();
        assert!(head(&bytes).starts_with(&format!("HTTP/1.1 {status}\r\n")));
        assert_eq!(body(body(&bytes)), file, "{path}");
    }
    let mut connection = files.connect();
    write!(connection, "HEAD /whole HTTP/1.1\r\nConnection: close\r\n\r\n").unwrap();
    let mut bytes = Vec::new();
    connection.read_to_end(&mut bytes).unwrap();
    assert!(body(&bytes).is_empty() && head(&bytes).contains("Content-Length"));
}

#[test]
fn what_is_compressed_is_the_file() {
    let files = files();
    let mut connection = files.connect();
    write!(connection, "GET /gzip HTTP/1.0\r\n\r\n").unwrap();
    let mut bytes = Vec::new();
    connection.read_to_end(&mut bytes).unwrap();
    assert!(head(&bytes).contains("Content-Encoding: gzip\r\n"));
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(body(&bytes)).read_to_end(&mut plain).unwrap();
    assert_eq!(plain, files.file());
}

#[test]
fn its_end_does_not_wait_for_clients() {
    let files = files();
    let (silent, stalled) = (files.connect(), files.ask("stall"));
    let began = Instant::now();
    drop(files);
    assert!(began.elapsed() < Duration::from_secs(30));
    drop((silent, stalled));
}

/// The value of a line of a head.
fn value<'h>(head: &'h str, name: &str) -> &'h str {
    let line = head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    line.unwrap_or_else(|| panic!("no {name} in {head}"))
}

const HALF: usize = LENGTH as usize / 2;

#[test]
fn a_part_is_sent_where_one_is_asked_for() {
    let files = files_to(Serving::InParts);
    let file = files.file();
    let (whole, got) = files.with("whole", "");
    assert!(whole.starts_with("HTTP/1.1 200 ") && got == file);
    let (etag, modified) = (value(&whole, "ETag"), value(&whole, "Last-Modified"));
    for of in [String::new(), format!("If-Range: {etag}\r\n"), format!("If-Range: {modified}\r\n")] {
        let (head, got) = files.with("whole", &format!("Range: bytes=50000-\r\n{of}"));
        assert!(head.starts_with("HTTP/1.1 206 "), "{head}");
        assert_eq!(value(&head, "Content-Range"), "bytes 50000-99999/100000");
        assert_eq!((value(&head, "Content-Length"), value(&head, "ETag")), ("50000", etag));
        assert_eq!(got, file[HALF..]);
    }
    let (head, got) = files.with("whole", "Range: bytes=50000-\r\nIf-Range: \"other\"\r\n");
    assert!(head.starts_with("HTTP/1.1 200 ") && got == file);
    let (head, got) = files.with("whole", "Range: bytes=100000-\r\n");
    assert!(head.starts_with("HTTP/1.1 416 ") && got.is_empty());
    assert_eq!(value(&head, "Content-Range"), "bytes */100000");
    for had in [format!("If-None-Match: {etag}\r\n"), format!("If-Modified-Since: {modified}\r\n")] {
        let (head, got) = files.with("whole", &had);
        assert!(head.starts_with("HTTP/1.1 304 ") && got.is_empty(), "{head}");
    }
}

#[test]
fn clients_that_are_measured_get_no_parts() {
    let files = files();
    let (head, got) = files.with("whole", "Range: bytes=50000-\r\nIf-None-Match: *\r\n");
    assert!(head.starts_with("HTTP/1.1 200 ") && got == files.file());
    assert!(!head.contains("ETag") && !head.contains("Accept-Ranges"));
}

#[test]
fn a_resumed_download_is_spoilt_in_the_manner_that_was_asked_for() {
    let files = files_to(Serving::InParts);
    let file = files.file();
    let inverted: Vec<u8> = file.iter().map(|byte| !byte).collect();
    let cases: [(&str, &str, &[u8], &str); 5] = [
        ("cut-once", "206", &file[HALF..], "bytes 50000-99999/100000"),
        ("range-ignored", "200", &file, ""),
        ("range-shifted", "206", &file[HALF / 2..], "bytes 25000-99999/100000"),
        ("range-short", "206", &file[HALF..HALF + HALF / 2], "bytes 50000-74999/100000"),
        ("changed-file", "206", &inverted[HALF..], "bytes 50000-99999/100000"),
    ];
    for (fault, status, bytes, range) in cases {
        let (first, got) = files.with(fault, "");
        assert!(first.starts_with("HTTP/1.1 200 ") && got == file[..HALF], "{fault}: {first}");
        assert_eq!(value(&first, "Content-Length"), "100000");
        let (second, got) = files.with(fault, "Range: bytes=50000-\r\n");
        assert!(second.starts_with(&format!("HTTP/1.1 {status} ")) && got == bytes, "{fault}: {second}");
        assert!(range.is_empty() || value(&second, "Content-Range") == range, "{fault}: {second}");
        let etag = value(&first, "ETag");
        assert_eq!(etag == value(&second, "ETag"), fault != "changed-file");
        if fault == "changed-file" {
            let (careful, got) = files.with(fault, &format!("Range: bytes=50000-\r\nIf-Range: {etag}\r\n"));
            assert!(careful.starts_with("HTTP/1.1 200 ") && got == inverted, "{careful}");
        }
    }
}

#[test]
fn only_what_is_offered_to_measured_clients_is_kept() {
    for (serving, path, requests) in
        [(Serving::InParts, "whole", 0), (Serving::Measured, "whole", 1), (Serving::Measured, "nothing", 0)]
    {
        let files = files_to(serving);
        let mut connection = files.connect();
        // What is noted of a request is noted before the next one of its connection is answered.
        write!(
            connection,
            "GET /{path} HTTP/1.1\r\n\r\nGET /not-found HTTP/1.1\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        connection.read_to_end(&mut Vec::new()).unwrap();
        assert_eq!(files.server.sent(&format!("/{path}")).requests, requests, "{serving:?} of {path}");
    }
}

/// So long that it would be compressed for hours, and would not fit into memory.
#[test]
fn its_end_does_not_wait_for_a_file_that_is_compressed() {
    let files = files_to(Serving::InParts);
    std::fs::OpenOptions::new().write(true).open(files.content.path()).unwrap().set_len(1 << 40).unwrap();
    let mut connection = files.ask("gzip");
    connection.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let error = connection.read(&mut [0]).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock, "it is at work");
    let began = Instant::now();
    drop(files);
    assert!(began.elapsed() < Duration::from_secs(30));
}
