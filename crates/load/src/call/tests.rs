//! Calls on a scripted server with known delays: lower bounds and exact counts.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::*;
use crate::example::Example;
use crate::mix::Mix;
use crate::mix::testing::{get, only, post};
use crate::protocol::Limits;
use crate::request::{Order, Protocol};
use crate::tls::tests::pair::{Authority, HOST, Server, options, settings};
use crate::tls::{TlsSettings, TlsVersions};

const LONG: Duration = Duration::from_secs(20);
const MS: u64 = 1_000_000;

/// What a server does with each request.
#[derive(Clone, Copy)]
struct Script {
    /// Before the first part of its answer.
    wait_ms: u64,
    /// Between the parts.
    pause_ms: u64,
    /// The parts of an answer.
    parts: &'static [&'static [u8]],
    /// Requests on each connection; then it is closed.
    requests: usize,
}

const PLAIN: Script = Script {
    wait_ms: 0,
    pause_ms: 0,
    parts: &[b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"],
    requests: usize::MAX,
};

/// Serves one connection after the other, with TLS where there is a configuration.
fn serve(script: Script, tls: Option<Arc<ServerConfig>>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            stream.set_nodelay(true).unwrap();
            // A client that goes away ends its connection.
            let _ = match &tls {
                None => answer(stream, script),
                Some(config) => {
                    let session = ServerConnection::new(Arc::clone(config)).unwrap();
                    answer(StreamOwned::new(session, stream), script)
                }
            };
        }
    });
    address
}

fn answer(mut stream: impl Read + Write, script: Script) -> std::io::Result<()> {
    let (mut received, mut buffer) = (Vec::new(), [0; 4096]);
    for _ in 0..script.requests {
        let end = loop {
            if let Some(end) = end_of_request(&received) {
                break end;
            }
            match stream.read(&mut buffer)? {
                0 => return Ok(()),
                read => received.extend_from_slice(&buffer[..read]),
            }
        };
        received.drain(..end);
        thread::sleep(Duration::from_millis(script.wait_ms));
        for (place, part) in script.parts.iter().enumerate() {
            if place > 0 {
                thread::sleep(Duration::from_millis(script.pause_ms));
            }
            stream.write_all(part)?;
            stream.flush()?;
        }
    }
    Ok(())
}

/// Where the first request ends: behind a body of as many bytes as its head says.
fn end_of_request(received: &[u8]) -> Option<usize> {
    let head = received.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let text = String::from_utf8_lossy(&received[..head]).to_ascii_lowercase();
    let length = text.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    let end = head + length.unwrap_or(0);
    (received.len() >= end).then_some(end)
}

fn settings_for(address: SocketAddr, keeps: bool) -> CallSettings {
    CallSettings {
        address,
        protocol: Protocol::Http1,
        tls: None,
        keeps,
        sending: Sending::Whole,
        timeout: LONG,
        limits: Limits::default(),
    }
}

fn example(mix: &Mix) -> Example {
    Example::all(mix, 1).next().unwrap()
}

/// So many calls, of each what it took.
fn calls(settings: CallSettings, mix: &Mix, count: usize) -> Vec<CallTimes> {
    let mut caller = Caller::new(settings);
    let times = (0..count).map(|_| {
        let (response, times) = caller.call(mix, &example(mix)).unwrap();
        assert_eq!((response.status, response.body.as_slice()), (200, &b"ok"[..]));
        times
    });
    let times = times.collect();
    caller.close();
    times
}

#[test]
fn phases_are_no_shorter_than_what_the_server_does() {
    let script = Script {
        wait_ms: 30,
        pause_ms: 40,
        parts: &[b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", b"ok"],
        ..PLAIN
    };
    for keeps in [false, true] {
        for times in calls(settings_for(serve(script, None), keeps), &only(get("/", vec![])), 2) {
            assert!(times.first_byte_ns >= 30 * MS, "{times:?}");
            // Its first part may be read late, when the pause has begun.
            assert!(times.first_byte_ns + times.rest_ns >= 70 * MS, "{times:?}");
            let connect_ns = times.opening.as_ref().map_or(0, |opening| opening.connect_ns);
            assert_eq!(times.whole_ns(), connect_ns + times.first_byte_ns + times.rest_ns);
        }
    }
}

#[test]
fn bytes_round_trips_and_packets_are_counted_exactly() {
    let mix = only(get("/", vec![]));
    let request = example(&mix).bytes.len() as u64;
    let answer = PLAIN.parts[0].len() as u64;
    let address = serve(PLAIN, None);
    let anew = calls(settings_for(address, false), &mix, 3);
    for times in &anew {
        assert_eq!((times.sent_bytes, times.received_bytes, times.round_trips), (request, answer, 2));
        assert!(times.opening.as_ref().is_some_and(|opening| opening.tls.is_none()));
        assert!(times.packets.is_none_or(|packets| packets.sent >= 3 && packets.received >= 2), "{times:?}");
    }
    let kept = calls(settings_for(address, true), &mix, 3);
    let opened: Vec<bool> = kept.iter().map(|times| times.opening.is_some()).collect();
    assert_eq!(opened, [true, false, false]);
    for times in &kept[1..] {
        assert_eq!((times.sent_bytes, times.received_bytes, times.round_trips), (request, answer, 1));
    }
}

#[test]
fn a_connection_that_the_server_has_closed_is_opened_anew() {
    let closing = Script {
        parts: &[b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"],
        requests: 1,
        ..PLAIN
    };
    let kept = calls(settings_for(serve(closing, None), true), &only(get("/", vec![])), 3);
    assert!(kept.iter().all(|times| times.opening.is_some()), "{kept:?}");
    // One that is closed without a word fails the next call, and only that.
    let mut caller = Caller::new(settings_for(serve(Script { requests: 1, ..PLAIN }, None), true));
    let mix = only(get("/", vec![]));
    let mut outcomes = Vec::new();
    for _ in 0..3 {
        outcomes.push(caller.call(&mix, &example(&mix)).is_ok());
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(outcomes, [true, false, true]);
}

/// A server with TLS, and how to trust it.
fn over_tls(versions: TlsVersions, resumption: bool) -> (SocketAddr, Arc<TlsSettings>) {
    let authority = Authority::new();
    let config = Server::default().config(&authority.issue_for(&[HOST]));
    let made = settings(options(&authority));
    let client = made.other(versions, resumption).unwrap();
    (serve(PLAIN, Some(config)), Arc::new(client))
}

#[test]
fn each_handshake_has_its_round_trips_and_says_what_it_was() {
    let mix = only(get("/", vec![]));
    for (versions, version, full, resumed) in
        [(TlsVersions::Tls13, "TLSv1.3", 3, 3), (TlsVersions::Tls12, "TLSv1.2", 4, 3)]
    {
        for resumption in [false, true] {
            let (address, tls) = over_tls(versions, resumption);
            let anew = CallSettings { tls: Some(tls), ..settings_for(address, false) };
            let found: Vec<(u32, bool)> = calls(anew, &mix, 3)
                .into_iter()
                .map(|times| {
                    let (ns, agreed) = times.opening.and_then(|opening| opening.tls).unwrap();
                    assert!(ns > 0);
                    assert_eq!((agreed.version, agreed.alpn.as_deref()), (version, Some(&b"http/1.1"[..])));
                    (times.round_trips, agreed.is_resumed)
                })
                .collect();
            let later = if resumption { (resumed, true) } else { (full, false) };
            assert_eq!(found, [(full, false), later, later], "{version}");
        }
        let (address, tls) = over_tls(versions, false);
        let kept = CallSettings { tls: Some(tls), ..settings_for(address, true) };
        let trips: Vec<u32> = calls(kept, &mix, 3).iter().map(|times| times.round_trips).collect();
        assert_eq!(trips, [full, 1, 1], "{version}");
    }
}

#[test]
fn sessions_are_resumed_within_settings_and_not_across() {
    let (address, tls) = over_tls(TlsVersions::Tls13, true);
    let mix = only(get("/", vec![]));
    let is_resumed = |tls: Arc<TlsSettings>| {
        let settings = CallSettings { tls: Some(tls), ..settings_for(address, false) };
        let times = calls(settings, &mix, 1).remove(0);
        times.opening.and_then(|opening| opening.tls).unwrap().1.is_resumed
    };
    assert!(!is_resumed(Arc::clone(&tls)));
    assert!(is_resumed(Arc::clone(&tls)));
    assert!(!is_resumed(Arc::new(tls.other(TlsVersions::Tls13, true).unwrap())));
}

#[test]
fn head_and_body_may_be_written_apart() {
    let mix = only(post("a body of some bytes", vec![]));
    let whole = example(&mix).bytes.len() as u64;
    let address = serve(PLAIN, None);
    for sending in [Sending::Whole, Sending::Apart, Sending::ApartWithNagle] {
        for keeps in [false, true] {
            let settings = CallSettings { sending, ..settings_for(address, keeps) };
            for times in calls(settings, &mix, 3) {
                assert_eq!(times.sent_bytes, whole, "{sending:?}");
                let opening = u32::from(times.opening.is_some());
                assert_eq!(times.round_trips, 1 + opening, "{sending:?}");
            }
        }
    }
}

#[test]
fn what_goes_wrong_is_told_and_the_next_call_goes() {
    let mix = only(get("/", vec![]));
    let fails = |settings: CallSettings| {
        let mut caller = Caller::new(settings);
        caller.call(&mix, &example(&mix)).unwrap_err()
    };
    let silent = Script { parts: &[], ..PLAIN };
    let soon = Duration::from_millis(30);
    let silent = CallSettings { timeout: soon, ..settings_for(serve(silent, None), true) };
    assert!(matches!(fails(silent), ExchangeError::Timeout(limit) if limit == soon));
    let cut = Script { parts: &[b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok"], requests: 1, ..PLAIN };
    assert!(matches!(fails(settings_for(serve(cut, None), true)), ExchangeError::Truncated));
    let odd = Script { parts: &[b"220 mail\r\n\r\n"], ..PLAIN };
    assert!(matches!(fails(settings_for(serve(odd, None), true)), ExchangeError::Malformed(_)));
    let unused = TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = unused.local_addr().unwrap();
    drop(unused);
    assert!(matches!(fails(settings_for(nobody, false)), ExchangeError::Io(_)));
    // No TLS where it is expected.
    let authority = Authority::new();
    let tls = Arc::new(settings(options(&authority)));
    let in_clear = serve(PLAIN, None);
    let not_tls = CallSettings { tls: Some(tls), timeout: soon, ..settings_for(in_clear, false) };
    fails(not_tls);
}

/// A server of another make, which answers each request with its body `ok`.
fn serve_http2() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    listener.set_nonblocking(true).unwrap();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            while let Ok((stream, _)) = listener.accept().await {
                stream.set_nodelay(true).unwrap();
                tokio::spawn(async move {
                    let Ok(mut connection) = h2::server::handshake(stream).await else { return };
                    while let Some(Ok((_, mut respond))) = connection.accept().await {
                        let head = http::Response::builder().header("content-length", 2).body(()).unwrap();
                        if let Ok(mut body) = respond.send_response(head, false) {
                            let _ = body.send_data(bytes::Bytes::from_static(b"ok"), true);
                        }
                    }
                });
            }
        });
    });
    address
}

#[test]
fn settings_of_http2_are_no_round_trip() {
    let protocol = Protocol::Http2 { is_https: false };
    let address = serve_http2();
    let mix = Mix::for_protocol(vec![post("body", vec![])], Order::Weighted, "h:1", protocol).unwrap();
    for sending in [Sending::Whole, Sending::Apart] {
        for (keeps, later) in [(false, 2), (true, 1)] {
            let settings = CallSettings { protocol, sending, ..settings_for(address, keeps) };
            let trips: Vec<u32> = calls(settings, &mix, 4).iter().map(|times| times.round_trips).collect();
            assert_eq!(trips, [2, later, later, later], "{sending:?}");
        }
    }
}

#[test]
fn nobody_listens_at_a_stream_that_is_gone() {
    // A listener whose backlog takes the connection, and then goes away.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        drop::<TcpStream>(stream);
    });
    let mix = only(get("/", vec![]));
    let mut caller = Caller::new(settings_for(address, true));
    let error = caller.call(&mix, &example(&mix)).unwrap_err();
    assert!(matches!(error, ExchangeError::Closed | ExchangeError::Io(_)), "{error:?}");
}
