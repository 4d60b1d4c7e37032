use proptest::prelude::*;
use rustls::CipherSuite;
use rustls::version::TLS12;

use super::super::{TlsError, TlsFacts, TlsOptions, TlsSession, TlsVersions};
use super::pair::{Authority, HOST, Identity, Pair, Server, WHOLE, options, settings};

#[test]
fn a_handshake_comes_through_in_pieces_of_any_size() {
    let authority = Authority::new();
    let identity = authority.issue_for(&[HOST]);
    for versions in [TlsVersions::Tls12, TlsVersions::Tls13] {
        let settings = settings(TlsOptions { versions, ..options(&authority) });
        let config = Server::default().config(&identity);
        for piece in [1, 2, 3, 5, 7, 16, 100, 1000, WHOLE] {
            let mut pair = Pair::new(&settings, &config);
            assert!(pair.client.is_handshaking());
            assert_eq!(pair.client.facts(), None);
            pair.exchange(piece).unwrap();
            assert!(!pair.client.is_handshaking() && !pair.server.is_handshaking(), "{versions:?} {piece}");
            assert_eq!(pair.server.alpn_protocol(), Some(&b"http/1.1"[..]));
            assert_eq!(pair.server.server_name(), Some(HOST));
        }
    }
}

#[test]
fn http_2_needs_the_servers_agreement() {
    let authority = Authority::new();
    let identity = authority.issue_for(&[HOST]);
    let agreed = |protocols: &[&[u8]], versions| {
        let settings = settings(TlsOptions { versions, ..options(&authority) }.for_http2());
        let mut config = std::sync::Arc::unwrap_or_clone(Server::default().config(&identity));
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
        let mut pair = Pair::new(&settings, &config.into());
        pair.exchange(WHOLE).map(|()| pair.server.alpn_protocol().map(<[u8]>::to_vec))
    };
    for versions in [TlsVersions::Tls12, TlsVersions::Tls13] {
        assert_eq!(agreed(&[b"http/1.1", b"h2"], versions), Ok(Some(b"h2".to_vec())));
        // A server that knows nothing of ALPN says nothing.
        let silent = agreed(&[], versions).unwrap_err();
        assert_eq!(silent, TlsError::NoProtocol);
        assert!(silent.to_string().contains("--http2"), "{silent}");
        let refused = agreed(&[b"http/1.1"], versions).unwrap_err();
        assert!(refused.to_string().contains("no_application_protocol (it does not speak"), "{refused}");
    }
}

#[test]
fn version_and_cipher_are_named_as_in_the_standard() {
    let authority = Authority::new();
    let identity = authority.issue_for(&[HOST]);
    let agreed = |suite, versions| {
        let settings = settings(TlsOptions { versions, ..options(&authority) });
        let server = Server { suite: Some(suite), ..Server::default() };
        let mut pair = Pair::new(&settings, &server.config(&identity));
        pair.exchange(WHOLE).unwrap();
        let request = pair.client_sends(b"which?");
        assert_eq!(pair.server_receives(&request), b"which?");
        let answer = pair.server_sends(b"this");
        pair.client.receive(&answer, &mut pair.received).unwrap();
        assert_eq!(pair.received, b"this");
        pair.client.facts().unwrap()
    };
    for (suite, version, cipher) in [
        (CipherSuite::TLS13_AES_128_GCM_SHA256, "TLSv1.3", "TLS_AES_128_GCM_SHA256"),
        (CipherSuite::TLS13_AES_256_GCM_SHA384, "TLSv1.3", "TLS_AES_256_GCM_SHA384"),
        (CipherSuite::TLS13_CHACHA20_POLY1305_SHA256, "TLSv1.3", "TLS_CHACHA20_POLY1305_SHA256"),
    ] {
        assert_eq!(agreed(suite, TlsVersions::Tls13), TlsFacts { version, cipher });
    }
    for (suite, cipher) in [
        (CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"),
        (CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"),
        (
            CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
            "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
        ),
    ] {
        assert_eq!(agreed(suite, TlsVersions::Tls12), TlsFacts { version: "TLSv1.2", cipher });
    }
}

#[test]
fn a_second_connection_resumes_unless_told_not_to() {
    let authority = Authority::new();
    let identity = authority.issue_for(&[HOST]);
    for versions in [TlsVersions::Tls12, TlsVersions::Tls13] {
        for resumption in [true, false] {
            let settings = settings(TlsOptions { versions, resumption, ..options(&authority) });
            let config = Server::default().config(&identity);
            let mut first = Pair::new(&settings, &config);
            assert_eq!(first.client.was_resumed(), None);
            first.exchange(WHOLE).unwrap();
            assert_eq!(first.client.was_resumed(), Some(false));
            let mut second = Pair::new(&settings, &config);
            second.exchange(WHOLE).unwrap();
            assert_eq!(second.client.was_resumed(), Some(resumption), "{versions:?}");
        }
    }
}

#[test]
fn many_connections_that_are_opened_together_are_all_resumed() {
    let authority = Authority::new();
    let settings = settings(options(&authority));
    let config = Server::default().config(&authority.issue_for(&[HOST]));
    for round in 0..2 {
        let mut pairs: Vec<Pair> = (0..20).map(|_| Pair::new(&settings, &config)).collect();
        for pair in &mut pairs {
            pair.exchange(WHOLE).unwrap();
            assert_eq!(pair.client.was_resumed(), Some(round == 1));
        }
    }
}

#[test]
fn a_server_without_the_wanted_version_is_named_as_such() {
    let authority = Authority::new();
    let settings = settings(TlsOptions { versions: TlsVersions::Tls13, ..options(&authority) });
    let server = Server { versions: vec![&TLS12], ..Server::default() };
    let mut pair = Pair::new(&settings, &server.config(&authority.issue_for(&[HOST])));
    let error = pair.exchange(WHOLE).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the server refused with the TLS alert protocol_version (it does not speak the TLS versions that were offered)"
    );
}

#[test]
fn an_answer_that_is_not_tls_is_named_as_such() {
    let settings = settings(options(&Authority::new()));
    for answer in [&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], b"220 mail ready\r\n", b"\x16\x03\x03\xff\xff"] {
        let mut client = TlsSession::new(&settings).unwrap();
        let mut received = Vec::new();
        assert_eq!(client.receive(answer, &mut received), Err(TlsError::NotTls));
        // It stays so, whatever comes.
        assert_eq!(client.receive(answer, &mut received), Err(TlsError::NotTls));
        assert_eq!(client.send(b"x", &mut Vec::new()), Err(TlsError::NotTls));
        assert!(received.is_empty() && !client.is_handshaking());
    }
}

#[test]
fn nothing_is_sent_before_the_handshake_is_done() {
    let mut client = TlsSession::new(&settings(options(&Authority::new()))).unwrap();
    let mut output = Vec::new();
    assert_eq!(client.send(b"early", &mut output), Err(TlsError::Handshaking));
    // The record that begins the handshake is not lost by that.
    assert_eq!(output[0], 22);
}

#[test]
fn a_handshake_without_end_is_an_error_and_not_kept() {
    let mut client = TlsSession::new(&settings(options(&Authority::new()))).unwrap();
    // A message of 16 MiB, in records of 16 KiB.
    let mut record = vec![22, 3, 3, 0x40, 0];
    record.extend([2, 0xff, 0xff, 0xff]);
    record.resize(5 + (1 << 14), 0);
    let error = (0..64).find_map(|_| client.receive(&record, &mut Vec::new()).err());
    assert!(matches!(error, Some(TlsError::Protocol(_))), "{error:?}");
    // What is left are the messages to the server.
    assert!(client.held_bytes() < 1024, "{}", client.held_bytes());
}

#[test]
fn a_client_certificate_is_shown_to_a_server_that_wants_one() {
    let authority = Authority::new();
    let server = Server { clients: Some(authority.certificate()), ..Server::default() };
    let config = server.config(&authority.issue_for(&[HOST]));
    let Identity { certificate, key } = authority.issue_client();
    let client_identity = Some((certificate.pem().into_bytes(), key.serialize_pem().into_bytes()));
    let with = settings(TlsOptions { client_identity, ..options(&authority) });
    let mut pair = Pair::new(&with, &config);
    pair.exchange(WHOLE).unwrap();
    assert_eq!(pair.server.peer_certificates().unwrap(), [certificate.der().clone()]);

    let mut pair = Pair::new(&settings(options(&authority)), &config);
    let error = pair.exchange(WHOLE).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the server refused with the TLS alert certificate_required (it wants a client certificate)"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_handshake_that_is_changed_on_the_way_never_succeeds(
        is_tls13: bool,
        at in 0usize..2000,
        flip in 1u8..,
        piece in 1usize..3000,
    ) {
        let authority = Authority::new();
        let versions = if is_tls13 { TlsVersions::Tls13 } else { TlsVersions::Tls12 };
        let mut pair = Pair::new(
            &settings(TlsOptions { versions, ..options(&authority) }),
            &Server::default().config(&authority.issue_for(&[HOST])),
        );
        let hello = pair.client_output();
        pair.server_receives(&hello);
        let mut answer = pair.server_output();
        let at = at % answer.len();
        answer[at] ^= flip;
        let mut received = Vec::new();
        let outcome = answer.chunks(piece).try_for_each(|part| pair.client.receive(part, &mut received));
        // The version in a record's header means nothing in TLS 1.3.
        let is_version = is_record_version(&answer, at);
        prop_assert!(outcome.is_err() || pair.client.is_handshaking() || is_version);
        prop_assert!(received.is_empty());
    }

    #[test]
    fn garbage_is_an_error_or_waited_for(bytes in prop::collection::vec(any::<u8>(), 0..3000), piece in 1usize..3000) {
        let mut client = TlsSession::new(&settings(options(&Authority::new()))).unwrap();
        let mut received = Vec::new();
        let _ = bytes.chunks(piece).try_for_each(|part| client.receive(part, &mut received));
        prop_assert!(received.is_empty());
        prop_assert_eq!(client.facts(), None);
    }

    #[test]
    fn garbage_in_records_is_an_error_or_waited_for(
        records in prop::collection::vec((20u8..24, prop::collection::vec(any::<u8>(), 0..600)), 0..6),
    ) {
        let mut client = TlsSession::new(&settings(options(&Authority::new()))).unwrap();
        let mut received = Vec::new();
        for (typ, content) in records {
            let [high, low] = (content.len() as u16).to_be_bytes();
            let mut record = vec![typ, 3, 3, high, low];
            record.extend(content);
            if client.receive(&record, &mut received).is_err() {
                break;
            }
        }
        prop_assert!(received.is_empty());
        prop_assert_eq!(client.facts(), None);
    }
}

/// Whether byte `at` is the lower byte of the version in a record's header.
fn is_record_version(mut records: &[u8], mut at: usize) -> bool {
    while let [_, _, _, high, low, ..] = *records {
        let length = 5 + usize::from(u16::from_be_bytes([high, low]));
        if at < length {
            return at == 2;
        }
        at -= length;
        records = records.get(length..).unwrap_or_default();
    }
    false
}
