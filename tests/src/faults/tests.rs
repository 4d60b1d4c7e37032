//! Each fault does what it says: seen by a client that only reads bytes.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::fault::{BODY, Fault, Row, WRONG_BODY};
use super::server::{FaultServer, Tuning};
use super::truth::Truth;

const GET: &str = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

struct Client(TcpStream);

impl Client {
    fn of(server: &FaultServer) -> Self {
        let stream = TcpStream::connect(server.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Self(stream)
    }

    fn send(&mut self, request: &str) -> &mut Self {
        self.0.write_all(request.as_bytes()).unwrap();
        self
    }

    /// Reads until the text so far ends like that.
    fn until(&mut self, end: &str) -> String {
        let (mut text, mut byte) = (Vec::new(), [0]);
        while !text.ends_with(end.as_bytes()) {
            assert_eq!(
                self.0.read(&mut byte).unwrap(),
                1,
                "the end after {:?}",
                String::from_utf8_lossy(&text)
            );
            text.push(byte[0]);
        }
        String::from_utf8(text).unwrap()
    }

    /// Reads until the connection ends, and says whether it was reset.
    fn rest(&mut self) -> (Vec<u8>, bool) {
        let mut bytes = Vec::new();
        match self.0.read_to_end(&mut bytes) {
            Ok(_) => (bytes, false),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => (bytes, true),
            Err(error) => panic!("{error}"),
        }
    }

    /// Nothing comes for a while.
    fn assert_silent(&mut self) {
        self.0.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        let error = self.0.read(&mut [0]).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{error}");
    }
}

/// Asks on one connection and reads everything, after which the server has ended the connection.
fn everything(fault: Fault, request: &str) -> (String, bool, Truth) {
    let server = FaultServer::start(fault).unwrap();
    let (bytes, reset) = Client::of(&server).send(request).rest();
    (String::from_utf8(bytes).unwrap(), reset, server.finish())
}

/// Asks so many times on one connection, of which every answer ends like that.
fn answers(fault: Fault, request: &str, times: usize, end: &str) -> (Vec<String>, Truth) {
    let server = FaultServer::start(fault).unwrap();
    let mut client = Client::of(&server);
    let texts = (0..times).map(|_| client.send(request).until(end)).collect();
    drop(client);
    (texts, server.finish())
}

fn assert_accounted(truth: &Truth) {
    assert_eq!(truth.accounted(), truth.requests, "{truth:?}");
}

#[test]
fn every_fault_has_one_row_and_there_are_25() {
    assert_eq!(Fault::ALL.iter().filter(|row| row.is_numbered()).count(), 25);
    for row in Fault::ALL {
        assert_eq!(row.fault.row().name, row.name);
        assert_eq!(Fault::named(row.name).map(|row| row.fault), Some(row.fault));
    }
}

#[test]
fn without_a_fault_every_answer_is_right() {
    let (texts, truth) = answers(Fault::None, GET, 3, BODY);
    let plain = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{BODY}",
        BODY.len()
    );
    assert!(texts.iter().all(|text| *text == plain), "{texts:?}");
    assert_eq!((truth.connections, truth.requests, truth.correct), (1, 3, 3));
    assert_eq!(truth.statuses, [(200, 3)].into());
    assert_accounted(&truth);
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let (texts, truth) = answers(Fault::None, &GET.repeat(3), 1, &format!("{BODY}HTTP/1.1 200 OK\r\n"));
    assert_eq!(texts.len(), 1);
    assert_eq!(truth.requests, 3);
}

#[test]
fn a_client_of_http10_is_answered_as_it_asks() {
    let (text, _, truth) = everything(Fault::None, "GET / HTTP/1.0\r\n\r\n");
    assert!(text.contains("Connection: close\r\n") && text.ends_with(BODY), "{text}");
    assert_eq!((truth.http10_requests, truth.closes), (1, 1));
    let (texts, truth) = answers(Fault::None, "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", 2, BODY);
    assert!(texts[1].contains("Connection: keep-alive\r\n"), "{texts:?}");
    assert_eq!((truth.connections, truth.http10_requests), (1, 2));
}

#[test]
fn every_100th_body_is_wrong_and_as_long() {
    assert_eq!(BODY.len(), WRONG_BODY.len());
    let (texts, truth) = answers(Fault::WrongBody, GET, 200, "}");
    for (number, text) in texts.iter().enumerate() {
        assert!(text.ends_with(if number % 100 == 99 { WRONG_BODY } else { BODY }), "{number}: {text}");
    }
    assert_eq!((truth.correct, truth.wrong_bodies), (198, 2));
    assert_accounted(&truth);
}

#[test]
fn statuses_other_than_200() {
    for (fault, status, every) in
        [(Fault::Status500, 500, 100), (Fault::Unauthorized, 401, 1), (Fault::Found, 302, 1)]
    {
        let (texts, truth) = answers(fault, GET, every, "}");
        assert!(texts[every - 1].starts_with(&format!("HTTP/1.1 {status} ")), "{texts:?}");
        assert_eq!((truth.other_statuses, truth.correct), (1, every as u64 - 1));
        assert_eq!(truth.answers_with(300..600), 1);
        assert_accounted(&truth);
    }
}

#[test]
fn the_redirect_leads_to_a_page() {
    let (texts, _) = answers(Fault::Found, GET, 1, "}");
    let location = texts[0].lines().find_map(|line| line.strip_prefix("Location: ")).unwrap();
    let (texts, truth) = answers(Fault::Found, &format!("GET {location} HTTP/1.1\r\n\r\n"), 1, BODY);
    assert!(texts[0].starts_with("HTTP/1.1 200 "), "{texts:?}");
    assert_eq!(truth.correct, 1);
}

#[test]
fn bodies_cut_short_by_an_end_and_by_a_reset() {
    let (text, reset, truth) = everything(Fault::Truncated, GET);
    assert!(text.contains("Content-Length: 13\r\n") && text.ends_with("\r\n\r\n{\"win\":"), "{text}");
    assert_eq!((reset, truth.truncated, truth.closes), (false, 1, 1));
    assert_accounted(&truth);

    let server = FaultServer::start(Fault::ResetInBody).unwrap();
    let mut client = Client::of(&server);
    for _ in 0..49 {
        client.send(GET).until(BODY);
    }
    client.send(GET).until("\r\n\r\n{\"win\":");
    assert_eq!(client.rest(), (Vec::new(), true));
    let truth = server.finish();
    assert_eq!((truth.correct, truth.truncated, truth.resets, truth.closes), (49, 1, 1, 0));
}

#[test]
fn more_than_was_asked_for() {
    let (texts, truth) = answers(Fault::ExtraBytes, GET, 2, "extra\r\n");
    assert!(texts.iter().all(|text| text.contains(&format!("{BODY}extra"))), "{texts:?}");
    assert_eq!((truth.correct, truth.unasked), (2, 2));
    let (texts, truth) = answers(Fault::TwoAnswers, GET, 1, &format!("{BODY}HTTP/1.1 200 OK\r\n"));
    assert_eq!((texts.len(), truth.correct, truth.unasked), (1, 1, 1));
}

#[test]
fn answers_without_end() {
    for (fault, start, unit) in [
        (Fault::EndlessHeader, "HTTP/1.1 200 OK\r\nX-Endless: ", "a"),
        (Fault::EndlessHead, "HTTP/1.1 200 OK\r\n", "X-Endless: a\r\n"),
        (Fault::EndlessInterim, "", "HTTP/1.1 100 Continue\r\n\r\n"),
        (
            Fault::EndlessChunks,
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            "10\r\n0123456789abcdef\r\n",
        ),
    ] {
        let server = FaultServer::start(fault).unwrap();
        let mut client = Client::of(&server);
        let mut bytes = vec![0; 300_000];
        client.send(GET).0.read_exact(&mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let rest = text.strip_prefix(start).unwrap();
        let units = rest.len() / unit.len();
        assert_eq!(rest[..units * unit.len()], unit.repeat(units), "{fault:?}");
        drop(client);
        let truth = server.finish();
        assert_eq!((truth.endless, truth.requests), (1, 1), "{fault:?}");
        assert_accounted(&truth);
    }
}

#[test]
fn silence_on_all_connections_or_on_the_first_four() {
    let server = FaultServer::start(Fault::NeverAnswers).unwrap();
    let mut client = Client::of(&server);
    client.send(GET).assert_silent();
    drop(client);
    let truth = server.finish();
    assert_eq!((truth.requests, truth.unanswered, truth.closes), (1, 1, 0));

    let server = FaultServer::start(Fault::StopsAnswering).unwrap();
    let mut clients: Vec<Client> = (0..6).map(|_| Client::of(&server)).collect();
    for client in &mut clients {
        for _ in 0..5 {
            client.send(GET).until(BODY);
        }
    }
    for (number, client) in clients.iter_mut().enumerate() {
        client.send(GET);
        if number < 4 { client.assert_silent() } else { drop(client.until(BODY)) }
    }
    drop(clients);
    let truth = server.finish();
    assert_eq!((truth.correct, truth.unanswered), (32, 4));
    assert_accounted(&truth);
}

#[test]
fn the_end_comes_unannounced_after_an_answer_or_instead_of_one() {
    let server = FaultServer::start(Fault::IdleClose).unwrap();
    let mut client = Client::of(&server);
    for _ in 0..50 {
        let text = client.send(GET).until(BODY);
        assert!(!text.contains("Connection"), "{text}");
    }
    // What comes too late is known to the server, and does not reset the connection.
    client.send(GET);
    assert_eq!(client.rest(), (Vec::new(), false));
    drop(client);
    let truth = server.finish();
    assert_eq!((truth.requests, truth.correct, truth.after_close, truth.closes), (51, 50, 1, 1));
    assert_eq!(truth.unannounced, 1);
    assert_accounted(&truth);

    let server = FaultServer::start(Fault::RequestLost).unwrap();
    let mut client = Client::of(&server);
    for _ in 0..49 {
        client.send(GET).until(BODY);
    }
    assert_eq!(client.send(GET).rest(), (Vec::new(), false));
    drop(client);
    let truth = server.finish();
    assert_eq!((truth.correct, truth.lost, truth.after_close, truth.closes), (49, 1, 0, 1));
}

#[test]
fn the_end_of_the_connection_as_announced() {
    let (text, reset, truth) = everything(Fault::ConnectionClose, GET);
    assert!(text.contains("Connection: close\r\n") && text.ends_with(BODY) && !reset, "{text}");
    assert_eq!((truth.correct, truth.closes), (1, 1));
    let (text, reset, truth) = everything(Fault::Http10, GET);
    assert_eq!(text, format!("HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n{BODY}"));
    assert_eq!((reset, truth.correct, truth.closes), (false, 1, 1));
}

#[test]
fn interim_answers_come_first() {
    let (texts, truth) = answers(Fault::InterimAnswers, GET, 1, BODY);
    let lines: Vec<&str> = texts[0].lines().filter(|line| line.starts_with("HTTP/")).collect();
    assert_eq!(lines, ["HTTP/1.1 100 Continue", "HTTP/1.1 103 Early Hints", "HTTP/1.1 200 OK"]);
    assert_eq!((truth.interim, truth.correct), (2, 1));
    let (texts, truth) = answers(Fault::EarlyHints, GET, 1, BODY);
    assert_eq!((texts[0].matches("103 Early Hints").count(), truth.interim), (3, 3));
}

#[test]
fn bytes_one_by_one_are_an_answer() {
    let (texts, truth) = answers(Fault::ByteByByte, GET, 2, BODY);
    assert!(texts.iter().all(|text| text.starts_with("HTTP/1.1 200 OK\r\n")), "{texts:?}");
    assert_eq!(truth.correct, 2);
}

#[test]
fn garbage_is_no_http_and_the_same_in_each_run() {
    let read = || {
        let server = FaultServer::start(Fault::Garbage).unwrap();
        let mut client = Client::of(&server);
        let mut bytes = [[0; 32]; 2];
        for part in &mut bytes {
            client.send(GET).0.read_exact(part).unwrap();
        }
        drop(client);
        assert_eq!(server.finish().garbage, 2);
        bytes
    };
    let [first, second] = read();
    assert_ne!(first, second);
    assert!(first[..28].iter().all(|byte| !byte.is_ascii()) && first.ends_with(b"\r\n\r\n"));
    assert_eq!([first, second], read());
}

#[test]
fn chunks_add_up_to_the_body() {
    for (fault, mark) in [
        (Fault::ChunkExtensions, ";quoted=\"a;b\\\"\\r\\nc\"\r\n"),
        (Fault::BlankInChunkSize, "\t; flag\r\n"),
    ] {
        let (texts, truth) = answers(fault, GET, 2, "dur=1\r\n\r\n");
        let (head, chunks) = texts[0].split_once("\r\n\r\n").unwrap();
        assert!(head.contains("Transfer-Encoding: chunked") && chunks.contains(mark), "{}", texts[0]);
        let (mut rest, mut body) = (chunks, String::new());
        loop {
            let (size, after) = rest.split_once("\r\n").unwrap();
            let digits = size.split([';', ' ', '\t']).next().unwrap();
            let size = usize::from_str_radix(digits, 16).unwrap();
            if size == 0 {
                break assert!(after.starts_with("X-Trailer: a\r\n"), "{after}");
            }
            body.push_str(&after[..size]);
            rest = after[size..].strip_prefix("\r\n").unwrap();
        }
        assert_eq!(body, BODY);
        assert_eq!(truth.correct, 2);
    }
}

#[test]
fn answers_without_a_body_keep_the_connection() {
    let head = GET.replace("GET", "HEAD");
    for (fault, request, status, length) in [
        (Fault::NoContent, GET, "204 No Content", false),
        (Fault::NotModified, GET, "304 Not Modified", true),
        (Fault::HeadLength, &head, "200 OK", true),
    ] {
        let (texts, truth) = answers(fault, request, 2, "\r\n\r\n");
        for text in &texts {
            assert!(text.starts_with(&format!("HTTP/1.1 {status}\r\n")), "{text}");
            assert_eq!(text.contains("Content-Length: 13\r\n"), length, "{text}");
        }
        assert_eq!((truth.connections, truth.correct), (1, 2), "{fault:?}");
    }
}

#[test]
fn a_closed_port_refuses() {
    let server = FaultServer::start(Fault::ClosedPort).unwrap();
    for _ in 0..3 {
        let error = TcpStream::connect(server.address()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
    }
    assert_eq!(server.finish(), Truth::default());
}

#[test]
fn after_500_requests_the_server_is_away_for_a_while() {
    let tuning = Tuning { outage: Duration::from_secs(1), ..Tuning::default() };
    let server = FaultServer::start_at(([127, 0, 0, 1], 0).into(), Fault::Outage, tuning).unwrap();
    let mut client = Client::of(&server);
    for _ in 0..499 {
        client.send(GET).until(BODY);
    }
    client.send(GET);
    client.rest();
    let gone = Instant::now();
    let mut refused = 0;
    let mut client = loop {
        match TcpStream::connect(server.address()) {
            Ok(stream) => break Client(stream),
            Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionRefused),
        }
        refused += 1;
        assert!(gone.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(10));
    };
    assert!(refused > 0);
    client.send(GET).until(BODY);
    drop(client);
    let truth = server.finish();
    assert_eq!((truth.requests, truth.outages, truth.connections_since), (501, 1, 1));
    assert_accounted(&truth);
}

#[test]
fn a_share_is_delayed() {
    let tuning = Tuning { delay_every: 3, delay: Duration::from_millis(80), ..Tuning::default() };
    let server = FaultServer::start_at(([127, 0, 0, 1], 0).into(), Fault::Delay, tuning).unwrap();
    let mut client = Client::of(&server);
    for number in 0..6 {
        let sent = Instant::now();
        client.send(GET).until(BODY);
        if number % 3 == 2 {
            assert!(sent.elapsed() >= tuning.delay, "{number}: {:?}", sent.elapsed());
        }
    }
    drop(client);
    assert_eq!(server.finish().correct, 6);
}

#[test]
fn everything_stands_still_at_times() {
    let (every, freeze) = (Duration::from_millis(100), Duration::from_millis(60));
    let tuning = Tuning { freeze_every: every, freeze, ..Tuning::default() };
    let server = FaultServer::start_at(([127, 0, 0, 1], 0).into(), Fault::Freeze, tuning).unwrap();
    let mut client = Client::of(&server);
    let (started, mut longest) = (Instant::now(), Duration::ZERO);
    while started.elapsed() < 5 * every {
        let sent = Instant::now();
        client.send(GET).until(BODY);
        longest = longest.max(sent.elapsed());
    }
    // One request is under way when the standstill begins, or is sent soon after.
    assert!(longest >= freeze / 4, "{longest:?}");
}

#[test]
fn long_bodies_come_slowly() {
    let tuning = Tuning { bytes_per_s: 400_000, ..Tuning::default() };
    let server = FaultServer::start_at(([127, 0, 0, 1], 0).into(), Fault::Bandwidth, tuning).unwrap();
    let sent = Instant::now();
    let text = Client::of(&server).send(GET).until(&"x".repeat(64 * 1024));
    assert!(text.contains("Content-Length: 65536\r\n"));
    assert!(sent.elapsed() >= Duration::from_millis(150), "{:?}", sent.elapsed());
}

#[test]
fn a_server_that_ends_ends_its_connections() {
    let server = FaultServer::start(Fault::NeverAnswers).unwrap();
    let mut client = Client::of(&server);
    client.send(GET);
    while server.truth().requests == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(server);
    client.rest();
}

#[test]
fn names_are_distinct() {
    let mut names: Vec<&str> = Fault::ALL.iter().map(|row: &Row| row.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Fault::ALL.len());
}
