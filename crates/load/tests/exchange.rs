//! Exchanges by hand against servers that do not answer as they should.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use velo_load::{
    BodyExpect, Example, Exchange, ExchangeError, Expect, Mix, Order, Part, Pieces, Protocol, RequestSpec,
    Response, StatusSet, Template,
};

const LIMIT: Duration = Duration::from_secs(20);
const SOON: Duration = Duration::from_millis(50);

/// A server that answers whatever comes first with these bytes, and then closes or keeps the connection.
fn server(answer: &'static [u8], closes: bool) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            stream.write_all(answer).unwrap();
            if !closes {
                kept.push(stream);
            }
        }
    });
    address
}

fn mix(protocol: Protocol) -> Mix {
    let spec = RequestSpec {
        name: "root".to_owned(),
        weight: 1,
        method: "GET".to_owned(),
        path: Template(vec![Part::Bytes(b"/".to_vec())]),
        headers: Vec::new(),
        body: None,
        slots: Vec::new(),
        expect: Expect {
            status: StatusSet::from(200),
            content_type: None,
            headers: Vec::new(),
            body: BodyExpect::Any,
            not_before_ms: None,
        },
    };
    Mix::for_protocol(vec![spec], Order::Weighted, "h", protocol).unwrap()
}

fn ask(
    protocol: Protocol,
    address: SocketAddr,
    limit: Duration,
) -> (Exchange, Result<Response, ExchangeError>) {
    let mix = mix(protocol);
    let example = Example::all(&mix, 1).next().unwrap();
    let mut exchange = Exchange::connect(address, protocol, None, LIMIT).unwrap();
    let answer = exchange.send(&mix, &example, Pieces::Whole, limit);
    (exchange, answer)
}

const HTTP2: Protocol = Protocol::Http2 { is_https: false };

#[test]
fn an_answer_that_does_not_come_ends_the_connection() {
    for protocol in [Protocol::Http1, HTTP2] {
        let (mut exchange, answer) = ask(protocol, server(b"", false), SOON);
        assert!(matches!(answer, Err(ExchangeError::Timeout(SOON))), "{answer:?}");
        assert!(!exchange.is_open());
        let mix = mix(protocol);
        let example = Example::all(&mix, 1).next().unwrap();
        let again = exchange.send(&mix, &example, Pieces::Whole, LIMIT);
        assert!(matches!(again, Err(ExchangeError::Closed)), "{again:?}");
    }
}

#[test]
fn the_end_of_the_connection_is_told_from_an_answer() {
    let (_, none) = ask(Protocol::Http1, server(b"", true), LIMIT);
    assert!(matches!(none, Err(ExchangeError::Closed | ExchangeError::Io(_))), "{none:?}");
    let (_, half) =
        ask(Protocol::Http1, server(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", true), LIMIT);
    assert!(matches!(half, Err(ExchangeError::Truncated | ExchangeError::Io(_))), "{half:?}");
    let (kept, whole) =
        ask(Protocol::Http1, server(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", false), LIMIT);
    assert_eq!((whole.unwrap().body, kept.is_open()), (b"ok".to_vec(), true));
}

#[test]
fn http1_is_no_answer_to_http2() {
    let (exchange, answer) =
        ask(HTTP2, server(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", false), LIMIT);
    assert!(matches!(answer, Err(ExchangeError::Malformed(_) | ExchangeError::Closed)), "{answer:?}");
    assert!(!exchange.is_open());
}
