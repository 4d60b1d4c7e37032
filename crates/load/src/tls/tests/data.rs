use proptest::prelude::*;

use super::super::{TlsError, TlsOptions, TlsVersions};
use super::pair::{Authority, HOST, Pair, Server, WHOLE, options, settings};

const EACH: [TlsVersions; 2] = [TlsVersions::Tls12, TlsVersions::Tls13];

fn sample(length: usize) -> Vec<u8> {
    (0..length).map(|index| (index * 31 % 251) as u8).collect()
}

#[test]
fn data_comes_through_both_ways_in_pieces_of_any_size() {
    for versions in EACH {
        let mut pair = Pair::connected(versions);
        for length in [0, 1, 130, 16384, 16385, 100_000] {
            let data = sample(length);
            for piece in [1, 4, 5, 6, 22, 1000, 16406, WHOLE] {
                let request = pair.client_sends(&data);
                assert_eq!(pair.server_receives(&request), data);
                let answer = pair.server_sends(&data);
                pair.received.clear();
                for part in answer.chunks(piece) {
                    pair.client.receive(part, &mut pair.received).unwrap();
                }
                assert!(pair.received == data, "{versions:?} {length} in {piece}");
            }
        }
        assert_eq!(pair.client_output(), b"");
    }
}

#[test]
fn data_right_behind_the_handshake_is_not_lost() {
    let authority = Authority::new();
    let config = Server::default().config(&authority.issue_for(&[HOST]));
    for versions in EACH {
        let settings = settings(TlsOptions { versions, ..options(&authority) });
        for piece in [1, 100, WHOLE] {
            let mut pair = Pair::new(&settings, &config);
            let hello = pair.client_output();
            pair.server_receives(&hello);
            if versions == TlsVersions::Tls12 {
                let flight = pair.server_output();
                pair.client.receive(&flight, &mut pair.received).unwrap();
                let answer = pair.client_output();
                pair.server_receives(&answer);
            }
            // In TLS 1.3 the server may send before the client's last message.
            let mut last = pair.server_output();
            last.extend(pair.server_sends(b"greeting"));
            for part in last.chunks(piece) {
                pair.client.receive(part, &mut pair.received).unwrap();
            }
            assert_eq!(pair.received, b"greeting");
            // The handshake's last message waits, and goes before the request.
            let request = pair.client_sends(b"request");
            assert_eq!(pair.server_receives(&request), b"request");
        }
    }
}

#[test]
fn many_records_in_one_piece_are_all_opened_and_appended() {
    let mut pair = Pair::connected(TlsVersions::Tls13);
    let mut records = Vec::new();
    for part in 0..50u8 {
        records.extend(pair.server_sends(&[part; 10]));
    }
    let mut plaintext = b"kept".to_vec();
    pair.client.receive(&records, &mut plaintext).unwrap();
    assert_eq!(plaintext.len(), 4 + 500);
    assert_eq!(&plaintext[..5], b"kept\0");
    assert_eq!(plaintext[503], 49);
}

#[test]
fn a_closing_alert_is_a_clean_end() {
    for versions in EACH {
        let mut pair = Pair::connected(versions);
        let mut last = pair.server_sends(b"last");
        pair.server.send_close_notify();
        last.extend(pair.server_output());
        // What follows the alert is ignored, whatever it is.
        last.extend(b"ignored");
        assert!(!pair.client.has_ended_cleanly());
        pair.client.receive(&last, &mut pair.received).unwrap();
        assert_eq!(pair.received, b"last");
        assert!(pair.client.has_ended_cleanly());
        pair.client.receive(b"ignored as well", &mut pair.received).unwrap();
        assert_eq!(pair.received, b"last");
        assert_eq!(pair.client.held_bytes(), 0);
    }
}

#[test]
fn the_client_ends_with_an_alert_too() {
    for versions in EACH {
        let mut pair = Pair::connected(versions);
        let mut output = Vec::new();
        pair.client.close(&mut output);
        let length = output.len();
        pair.client.close(&mut output);
        assert_eq!(output.len(), length);
        pair.server.read_tls(&mut &output[..]).unwrap();
        assert!(pair.server.process_new_packets().unwrap().peer_has_closed());
    }
}

#[test]
fn a_record_that_was_changed_is_an_error_and_the_server_is_told() {
    for versions in EACH {
        let mut pair = Pair::connected(versions);
        let mut answers = pair.server_sends(b"first");
        let second = answers.len();
        answers.extend(pair.server_sends(b"second"));
        answers[second + 8] ^= 1;
        let error = pair.client.receive(&answers, &mut pair.received).unwrap_err();
        assert_eq!(error.to_string(), "a TLS record from the server cannot be decrypted");
        assert_eq!(pair.received, b"first");
        let alert = pair.client_output();
        pair.server.read_tls(&mut &alert[..]).unwrap();
        let told = pair.server.process_new_packets().unwrap_err();
        assert_eq!(told.to_string(), "received fatal alert: BadRecordMac");
        assert_eq!(pair.client.receive(b"", &mut pair.received), Err(TlsError::Undecipherable));
        assert_eq!(pair.client.send(b"x", &mut Vec::new()), Err(TlsError::Undecipherable));
    }
}

#[test]
fn a_record_that_is_repeated_or_out_of_order_is_an_error() {
    for versions in EACH {
        let mut pair = Pair::connected(versions);
        let first = pair.server_sends(b"first");
        pair.client.receive(&first, &mut pair.received).unwrap();
        assert_eq!(pair.client.receive(&first, &mut pair.received), Err(TlsError::Undecipherable));

        let mut pair = Pair::connected(versions);
        let _lost = pair.server_sends(b"first");
        let second = pair.server_sends(b"second");
        assert_eq!(pair.client.receive(&second, &mut pair.received), Err(TlsError::Undecipherable));
        assert_eq!(pair.received, b"");
    }
}

#[test]
fn records_that_are_none_are_errors() {
    for versions in EACH {
        for bytes in [
            &b"\x17\x03\x03\xff\xff"[..],
            b"HTTP/1.1 200 OK\r\n",
            b"\x18\x03\x03\x00\x01\x00",
            b"\x17\x03\x03\x00\x00",
            b"\x17\x03\x03\x00\x03abc",
            b"\x15\x03\x03\x00\x02\x02\x28",
            b"\x16\x03\x03\x00\x04\x00\x00\x00\x00",
        ] {
            for piece in [1, WHOLE] {
                let mut pair = Pair::connected(versions);
                let outcome =
                    bytes.chunks(piece).try_for_each(|part| pair.client.receive(part, &mut pair.received));
                assert!(outcome.is_err(), "{versions:?} {bytes:?}");
                assert_eq!(pair.received, b"");
            }
        }
    }
}

#[test]
fn the_server_may_renew_its_key_and_ask_for_a_new_one() {
    let mut pair = Pair::connected(TlsVersions::Tls13);
    for round in 0..100u8 {
        pair.server.refresh_traffic_keys().unwrap();
        let mut answer = pair.server_output();
        answer.extend(pair.server_sends(&[round]));
        let (front, back) = answer.split_at(usize::from(round) % answer.len());
        for part in [front, back] {
            pair.client.receive(part, &mut pair.received).unwrap();
        }
        assert_eq!(pair.received.last(), Some(&round));
        // The client's answer is sent before anything under its new key.
        let request = pair.client_sends(&[round]);
        assert_eq!(pair.server_receives(&request), [round]);
    }
}

#[test]
fn key_updates_that_wait_are_answered_once() {
    let mut pair = Pair::connected(TlsVersions::Tls13);
    let before = pair.client.held_bytes();
    for _ in 0..10 {
        pair.server.refresh_traffic_keys().unwrap();
        let update = pair.server_output();
        pair.client.receive(&update, &mut pair.received).unwrap();
    }
    assert_eq!(before, 0);
    assert!(pair.client.held_bytes() < 64, "{}", pair.client.held_bytes());
    let request = pair.client_sends(b"still here");
    assert_eq!(pair.server_receives(&request), b"still here");
}

#[test]
fn key_updates_without_end_are_an_error() {
    let mut pair = Pair::connected(TlsVersions::Tls13);
    let error = (0..100).find_map(|_| {
        pair.server.refresh_traffic_keys().unwrap();
        let update = pair.server_output();
        pair.client.receive(&update, &mut pair.received).err()
    });
    assert_eq!(error.unwrap().to_string(), "the server broke the rules of TLS: key updates without end");
}

#[test]
fn a_key_is_renewed_before_it_has_sealed_too_much() {
    let mut pair = Pair::connected(TlsVersions::Tls13);
    for request in 0..100u8 {
        pair.client.records().unwrap().set_records_per_key(7);
        assert!(!pair.client.is_worn_out());
        let output = pair.client_sends(&[request]);
        assert_eq!(pair.server_receives(&output), [request]);
        // The server was asked for a new key too.
        let answer = pair.server_sends(&[request]);
        pair.client.receive(&answer, &mut pair.received).unwrap();
    }
    assert_eq!(pair.received.len(), 100);
    // Also within one piece of data.
    let data = sample(20 * (1 << 14));
    let output = pair.client_sends(&data);
    assert!(pair.server_receives(&output) == data);
}

#[test]
fn a_tls_12_key_that_is_worn_out_is_said_and_not_used() {
    let mut pair = Pair::connected(TlsVersions::Tls12);
    pair.client.records().unwrap().set_records_per_key(9);
    let mut sent = 0;
    let sends = |pair: &mut Pair, data: &[u8]| {
        let output = pair.client_sends(data);
        assert_eq!(pair.server_receives(&output), data);
    };
    while !pair.client.is_worn_out() {
        sends(&mut pair, b"x");
        sent += 1;
    }
    // Of nine records the handshake took one, and half of them are kept back.
    assert_eq!(sent, 4);
    // Of four that are left the alert that ends the connection takes one. What needs more is not begun.
    let mut output = Vec::new();
    assert_eq!(pair.client.send(&sample(3 * (1 << 14) + 1), &mut output), Err(TlsError::KeyWornOut));
    assert!(output.is_empty());
    sends(&mut pair, &sample(3 * (1 << 14)));
    assert_eq!(pair.client.send(b"x", &mut output), Err(TlsError::KeyWornOut));
    assert!(output.is_empty());
    pair.client.close(&mut output);
    pair.server.read_tls(&mut &output[..]).unwrap();
    assert!(pair.server.process_new_packets().unwrap().peer_has_closed());
}

#[test]
fn no_memory_is_kept_between_answers() {
    for versions in EACH {
        let mut pair = Pair::connected(versions);
        let answer = pair.server_sends(&sample(1 << 20));
        for part in answer.chunks(10_000) {
            pair.client.receive(part, &mut pair.received).unwrap();
            assert!(pair.client.held_bytes() <= (1 << 14) + 2048 + 5, "{}", pair.client.held_bytes());
        }
        assert_eq!(pair.client.held_bytes(), 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn answers_that_are_changed_on_the_way_give_no_wrong_data(
        is_tls13: bool,
        lengths in prop::collection::vec(0usize..300, 1..8),
        at in 0usize..10_000,
        flip in 1u8..,
        piece in 1usize..400,
    ) {
        let mut pair = Pair::connected(EACH[usize::from(is_tls13)]);
        let (mut data, mut answer) = (Vec::new(), Vec::new());
        for length in lengths {
            let part = sample(length);
            answer.extend(pair.server_sends(&part));
            data.extend(part);
        }
        if !answer.is_empty() {
            let at = at % answer.len();
            answer[at] ^= flip;
        }
        let outcome = answer.chunks(piece).try_for_each(|part| pair.client.receive(part, &mut pair.received));
        prop_assert!(data.starts_with(&pair.received));
        // A longer length in a header is waited for, and a version means nothing in TLS 1.3.
        let is_whole = pair.received == data;
        prop_assert!(outcome.is_err() || pair.client.held_bytes() > 0 || is_whole);
    }

    #[test]
    fn garbage_after_the_handshake_is_an_error_or_waited_for(
        is_tls13: bool,
        typ in 20u8..24,
        content in prop::collection::vec(any::<u8>(), 0..600),
        piece in 1usize..700,
    ) {
        let mut pair = Pair::connected(EACH[usize::from(is_tls13)]);
        let [high, low] = (content.len() as u16).to_be_bytes();
        let mut record = vec![typ, 3, 3, high, low];
        record.extend(content);
        let outcome = record.chunks(piece).try_for_each(|part| pair.client.receive(part, &mut pair.received));
        prop_assert!(outcome.is_err());
        prop_assert!(pair.received.is_empty());
    }
}
