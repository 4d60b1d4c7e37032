//! Seen by another implementation: it gets right answers where no rule is broken, and complains where one is.

use std::time::Duration;

use h2::client::{self, SendRequest};
use h2::{Reason, RecvStream};
use http::Request;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use super::super::fault::Fault;
use super::super::outcome::{Class, Count};
use super::super::server::Server;
use super::super::table::{ALL, Row};
use super::super::truth::Truth;
use crate::faults::{BODY, WRONG_BODY};

/// What came of a request: an answer, or in words what was wrong.
type Answer = Result<Answered, String>;

#[derive(Debug, Clone)]
struct Answered {
    status: u16,
    body: Vec<u8>,
    grpc_status: Option<String>,
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

async fn connected(server: &Server) -> SendRequest<bytes::Bytes> {
    let stream = TcpStream::connect(server.address()).await.unwrap();
    let (client, connection) = client::Builder::new()
        .enable_push(false)
        .max_header_list_size(65_536)
        .handshake(stream)
        .await
        .unwrap();
    tokio::spawn(async move {
        // What ends the connection ends its requests too, and those tell.
        let _ = connection.await;
    });
    client
}

async fn ask(client: &SendRequest<bytes::Bytes>, body_bytes: usize) -> Answer {
    let words = |error: h2::Error| error.to_string();
    let mut client = client.clone().ready().await.map_err(words)?;
    let method = if body_bytes > 0 { "POST" } else { "GET" };
    let request = Request::builder().method(method).uri("http://x/").body(()).unwrap();
    let (answer, mut sending) = client.send_request(request, body_bytes == 0).map_err(words)?;
    if body_bytes > 0 {
        sending.send_data(vec![b'x'; body_bytes].into(), true).map_err(words)?;
    }
    let (head, body) = answer.await.map_err(words)?.into_parts();
    let header_status = head.headers.get("grpc-status").map(|value| value.to_str().unwrap().to_owned());
    let (body, trailers_status) = read(body).await.map_err(words)?;
    Ok(Answered { status: head.status.as_u16(), body, grpc_status: trailers_status.or(header_status) })
}

async fn read(mut body: RecvStream) -> Result<(Vec<u8>, Option<String>), h2::Error> {
    let mut bytes = Vec::new();
    while let Some(data) = body.data().await {
        let data = data?;
        body.flow_control().release_capacity(data.len())?;
        bytes.extend_from_slice(&data);
        if bytes.len() > 1_000_000 {
            return Err(Reason::CANCEL.into());
        }
    }
    let trailers = body.trailers().await?;
    let status = trailers.and_then(|fields| Some(fields.get("grpc-status")?.to_str().ok()?.to_owned()));
    Ok((bytes, status))
}

/// Asks on one connection as often and as many at once as the row says, or fewer times.
fn answers(row: &Row, most: u64) -> (Vec<Answer>, Truth) {
    let server = Server::start(row.fault).unwrap();
    let answers = runtime().block_on(async {
        let client = connected(&server).await;
        let mut answers = Vec::new();
        while (answers.len() as u64) < row.requests.min(most) {
            let asked: Vec<_> = (0..row.streams)
                .map(|_| {
                    let (client, body_bytes) = (client.clone(), row.body_bytes);
                    tokio::spawn(async move { ask(&client, body_bytes).await })
                })
                .collect();
            for asked in asked {
                let answer = timeout(Duration::from_secs(60), asked).await;
                let in_time = answer.unwrap_or_else(|_| panic!("{}: {:?}", row.name, server.truth()));
                answers.push(in_time.unwrap());
            }
        }
        answers
    });
    (answers, server.finish())
}

#[test]
fn what_breaks_no_rule_is_an_answer() {
    for row in ALL.iter().filter(|row| row.is_valid) {
        let (answers, truth) = answers(row, u64::MAX);
        let count = |is: &dyn Fn(&Answer) -> bool| answers.iter().filter(|answer| is(answer)).count() as u64;
        let message: &[u8] = &[0, 0, 0, 0, 2, 8, 1];
        let is_right = |answer: &Answered| {
            let body = match row.fault {
                Fault::NoContent => b"",
                _ if row.is_grpc() => message,
                _ => BODY.as_bytes(),
            };
            let is_ok = answer.grpc_status.as_deref().unwrap_or("0") == "0";
            matches!(answer.status, 200 | 204) && answer.body == body && is_ok
        };
        let correct = count(&|answer| answer.as_ref().is_ok_and(is_right));
        let expected =
            row.classes.iter().find(|(class, _)| *class == Class::Correct).map(|(_, count)| *count);
        let expected = expected.unwrap_or(Count::Is(0));
        assert!(expected.holds(correct, row.requests), "{}: {correct} {:?}", row.name, answers.last());
        assert_eq!(correct, truth.correct, "{}", row.name);
        assert_eq!((truth.connections, truth.requests), (1, row.requests), "{}", row.name);
        assert_eq!((truth.over_limit, truth.window_violations), (0, 0), "{}", row.name);
        assert_eq!(truth.accounted(), truth.requests, "{}", row.name);
        let failed = count(&|answer| answer.is_err());
        assert_eq!(failed, truth.reset + truth.refused + truth.truncated, "{}: {answers:?}", row.name);
        let others = count(&|answer| answer.as_ref().is_ok_and(|answer| answer.status >= 400));
        let of_grpc = count(&|answer| {
            answer.as_ref().is_ok_and(|answer| answer.grpc_status.as_deref().unwrap_or("0") != "0")
        });
        assert_eq!(others + of_grpc, truth.other_statuses, "{}", row.name);
        let wrong = count(&|answer| answer.as_ref().is_ok_and(|answer| answer.body == WRONG_BODY.as_bytes()));
        assert!(row.is_grpc() || wrong == truth.wrong_bodies, "{}", row.name);
    }
}

#[test]
fn what_breaks_a_rule_is_none() {
    for row in ALL.iter().filter(|row| !row.is_valid && !row.is_grpc()) {
        // This implementation takes floods with patience, which the tests of raw bytes look at, and may see what comes
        // behind an answer or not.
        let is_flood = matches!(
            row.fault,
            Fault::SettingsFlood
                | Fault::PingFlood
                | Fault::EmptyDataFlood
                | Fault::PaddingFlood
                | Fault::EmptyContinuations
                | Fault::EndlessContinuation
                | Fault::EndlessInterim
        );
        let is_doubtful = row.classes.iter().any(|(_, count)| *count == Count::Any);
        let is_rare = row.classes.iter().any(|(class, _)| *class == Class::Correct);
        if is_flood || is_doubtful || is_rare || row.waits {
            continue;
        }
        let (answers, truth) = answers(&Row { streams: 1, ..*row }, 1);
        let accepted =
            matches!(row.fault, Fault::TwoStatuses | Fault::SwitchingProtocols | Fault::StreamWindowOverflow);
        assert!(accepted || answers[0].is_err(), "{}: {answers:?}", row.name);
        assert_eq!(truth.correct, 0, "{}", row.name);
    }
}
