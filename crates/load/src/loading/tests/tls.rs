//! The loop over TLS, against a rustls server in memory.

use std::io::{Read, Write};

use rustls::{ServerConfig, ServerConnection};

use super::*;
use crate::TlsOptions;
use crate::tls::TlsVersions;
use crate::tls::tests::pair::{Authority, HOST, Server, options, settings};

/// What a server sends right behind an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Behind {
    Nothing,
    CloseNotify,
    FatalAlert,
    Garbage,
}

/// A server of one connection at a time, which answers so many requests of each connection and then sends something behind the
/// last answer, in one piece with it.
struct TlsServer {
    config: Arc<ServerConfig>,
    session: Option<ServerConnection>,
    answers_each: usize,
    behind: Behind,
    received: Vec<u8>,
    answered: usize,
}

impl TlsServer {
    fn take(&mut self, mut bytes: &[u8]) -> Vec<u8> {
        // A handshake record with a hello of the client's: a new connection.
        if bytes.first() == Some(&22) && bytes.get(5) == Some(&1) {
            self.session = Some(ServerConnection::new(Arc::clone(&self.config)).unwrap());
            self.received.clear();
            self.answered = 0;
        }
        let session = self.session.as_mut().unwrap();
        while !bytes.is_empty() {
            session.read_tls(&mut bytes).unwrap();
            let Ok(state) = session.process_new_packets() else { break };
            let start = self.received.len();
            self.received.resize(start + state.plaintext_bytes_to_read(), 0);
            session.reader().read_exact(&mut self.received[start..]).unwrap();
        }
        let mut output = Vec::new();
        let write = |session: &mut ServerConnection, output: &mut Vec<u8>| {
            while session.wants_write() {
                session.write_tls(output).unwrap();
            }
        };
        while let Some(end) = self.received.windows(4).position(|four| four == b"\r\n\r\n") {
            self.received.drain(..end + 4);
            session.writer().write_all(ANSWER).unwrap();
            self.answered += 1;
            if self.answered == self.answers_each {
                match self.behind {
                    Behind::Nothing => {}
                    Behind::CloseNotify => session.send_close_notify(),
                    Behind::FatalAlert => {
                        write(session, &mut output);
                        // What cannot be deciphered ends a session with an alert.
                        session.read_tls(&mut &GARBAGE[..]).unwrap();
                        session.process_new_packets().unwrap_err();
                    }
                    Behind::Garbage => {
                        write(session, &mut output);
                        output.extend_from_slice(GARBAGE);
                    }
                }
                if self.behind != Behind::Nothing {
                    break;
                }
            }
            write(session, &mut output);
        }
        write(session, &mut output);
        output
    }
}

const GARBAGE: &[u8] = b"\x17\x03\x03\x00\x20what nobody's key has ever sealed";

fn over_tls(
    versions: TlsVersions,
    answers_each: usize,
    behind: Behind,
    records_per_key: Option<u64>,
) -> (Scripted, Known<Http1>) {
    let authority = Authority::new();
    let config = Server::default().config(&authority.issue_for(&[HOST]));
    let mut server = TlsServer { config, session: None, answers_each, behind, received: vec![], answered: 0 };
    let driver = Scripted::new(move |request: Request<'_>| {
        let output = server.take(request.bytes);
        let said = (!output.is_empty()).then_some((request.at_ns + MS, Said::Bytes(output)));
        said.into_iter().collect()
    });
    let mut tls = settings(TlsOptions { versions, ..options(&authority) });
    tls.records_per_key = records_per_key;
    (driver, Known { tls: Some(Arc::new(tls)), ..known() })
}

#[test]
fn a_key_that_is_worn_out_makes_the_connection_a_new_one() {
    for (pipelining, schedule) in [(1, closed()), (4, closed()), (64, closed()), (4, even(200.0))] {
        for versions in [TlsVersions::Tls12, TlsVersions::Tls13] {
            // Each connection's key is good for the handshake, for eight sends, and for one alert.
            let (mut driver, mut known) = over_tls(versions, usize::MAX, Behind::Nothing, Some(20));
            let order = WindowOrder { pipelining, most_requests: 200, ..order(1, schedule.clone(), 10 * S) };
            let tally = run_with(&mut driver, &order, &mut known).tally;
            assert_eq!((tally.sent, tally.outcomes.correct), (200, 200), "{:?}", tally.outcomes);
            let reconnects = tally.reconnects;
            match versions {
                TlsVersions::Tls12 if pipelining == 1 => assert_eq!(reconnects, 200 / 9),
                TlsVersions::Tls12 if pipelining == 64 => assert_eq!(reconnects, 0),
                TlsVersions::Tls12 => assert!(reconnects > 0),
                _ => assert_eq!(reconnects, 0, "TLS 1.3 renews its keys"),
            }
        }
    }
}

#[test]
fn a_request_that_no_key_can_seal_is_not_the_servers_timeout() {
    let (mut driver, mut known) = over_tls(TlsVersions::Tls12, usize::MAX, Behind::Nothing, Some(6));
    let long = RequestSpec {
        name: "long".into(),
        weight: 1,
        method: "POST".into(),
        path: Template(vec![Part::Bytes(b"/".to_vec())]),
        headers: vec![],
        body: Some(Template(vec![Part::Bytes(vec![b'x'; 6 << 14])])),
        slots: vec![],
        expect: Expect {
            status: StatusSet::range(200, 299),
            content_type: None,
            headers: vec![],
            body: BodyExpect::Any,
            not_before_ms: None,
        },
    };
    let mix = Arc::new(Mix::new(vec![long], Order::Weighted, "h").unwrap());
    known.plans = vec![Plan {
        classifier: Classifier::new(&mix, Arc::new(Anything)),
        drawer: mix.drawer(1, 0, 1),
        mix,
    }];
    for pipelining in [1, 2] {
        let order = WindowOrder { pipelining, most_requests: 4, ..order(1, closed(), 10 * S) };
        let tally = run_with(&mut driver, &order, &mut known).tally;
        assert_eq!((tally.outcomes.connect_error, tally.outcomes.timeout), (4, 0), "{:?}", tally.outcomes);
        assert!(tally.wrong_examples.iter().any(|text| text.starts_with("not sent: ")), "{tally:?}");
        assert_eq!(tally.in_flight_request_ns, tally.clipped_service_ns);
    }
}

#[test]
fn an_alert_behind_a_whole_answer_does_not_make_it_wrong() {
    for versions in [TlsVersions::Tls12, TlsVersions::Tls13] {
        for behind in [Behind::CloseNotify, Behind::FatalAlert] {
            for answers_each in [1, 5] {
                let (mut driver, mut known) = over_tls(versions, answers_each, behind, None);
                let order = WindowOrder { most_requests: 20, ..order(1, closed(), 10 * S) };
                let tally = run_with(&mut driver, &order, &mut known).tally;
                assert_eq!(
                    (tally.sent, tally.outcomes.correct),
                    (20, 20),
                    "{behind:?}: {:?}",
                    tally.outcomes
                );
                assert_eq!(tally.outcomes.wrong_answer, 0);
                assert_eq!(tally.handshake_time.count(), 20 / answers_each as u64);
                assert_eq!(tally.wrong_examples, [""; 0]);
            }
        }
    }
}

#[test]
fn in_a_pipeline_an_alert_is_the_end_of_the_first_request_that_is_not_answered() {
    for versions in [TlsVersions::Tls12, TlsVersions::Tls13] {
        // Three of four are answered, and then comes the alert instead of an answer.
        let (mut driver, mut known) = over_tls(versions, 3, Behind::FatalAlert, None);
        let order = WindowOrder { pipelining: 4, most_requests: 4, ..order(1, closed(), 10 * S) };
        let tally = run_with(&mut driver, &order, &mut known).tally;
        assert_eq!((tally.outcomes.correct, tally.outcomes.wrong_answer), (3, 1), "{:?}", tally.outcomes);
        assert!(tally.wrong_examples[0].contains("alert"), "{:?}", tally.wrong_examples);
    }
}

#[test]
fn what_cannot_be_deciphered_behind_an_answer_makes_that_one_wrong_and_none_before_it() {
    for versions in [TlsVersions::Tls12, TlsVersions::Tls13] {
        let (mut driver, mut known) = over_tls(versions, 4, Behind::Garbage, None);
        let order = WindowOrder { pipelining: 4, most_requests: 4, ..order(1, closed(), 10 * S) };
        let tally = run_with(&mut driver, &order, &mut known).tally;
        assert_eq!((tally.outcomes.correct, tally.outcomes.wrong_answer), (3, 1), "{:?}", tally.outcomes);
        assert_eq!(tally.wrong_examples, ["a TLS record from the server cannot be decrypted"]);
    }
}
