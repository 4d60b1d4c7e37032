use super::*;
use crate::bet::Coin;
use crate::users::{self, Users};

/// A coin that is as good as known: the tests only look at whether there was a toss. One user, 734512.
fn sources() -> Sources {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/user.json");
    Sources { coin: Coin::new(1), users: Users::new(file.into()), echo: Vec::new() }
}

/// Waits take no time. Serves `stream` as it would come in pieces of the lengths that `next_length` gives.
fn serve_in_pieces(stream: &[u8], mut next_length: impl FnMut() -> usize) -> (Vec<u8>, Status) {
    let (mut session, mut sources) = (Session::new(), sources());
    let (mut waiting, mut output) = (Vec::new(), Vec::new());
    let mut rest = stream;
    while !rest.is_empty() {
        let (piece, tail) = rest.split_at(next_length().clamp(1, rest.len()));
        rest = tail;
        waiting.extend_from_slice(piece);
        loop {
            let used = session.serve(&waiting, &mut sources, &mut output);
            waiting.drain(..used);
            match session.status() {
                Status::Waits(_) => session.end_wait(&mut output),
                _ => break,
            }
        }
        assert!(waiting.len() <= HEAD_LIMIT + CHUNKED_LIMIT + BODY_LIMIT + piece.len());
    }
    (output, session.status())
}

fn serve(stream: impl AsRef<[u8]>) -> (String, Status) {
    let (output, status) = serve_in_pieces(stream.as_ref(), || usize::MAX);
    (text(output), status)
}

fn text(output: Vec<u8>) -> String {
    String::from_utf8(output).expect("these answers are ASCII")
}

fn status_codes(output: &str) -> Vec<&str> {
    output.split("HTTP/1.1 ").skip(1).map(|answer| &answer[..3]).collect()
}

#[track_caller]
fn assert_codes(stream: impl AsRef<[u8]>, codes: &[&str], status: Status) {
    let (output, end) = serve(stream);
    assert_eq!((status_codes(&output), end), (codes.to_vec(), status), "{output}");
}

fn post(path: &str, body: &str) -> String {
    with_body("POST", path, body)
}

fn put(path: &str, body: &str) -> String {
    with_body("PUT", path, body)
}

fn with_body(method: &str, path: &str, body: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n")
}

#[test]
fn answers_the_routes() {
    assert_eq!(serve(get("/")).0, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(serve(post("/user", "")).0, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    let user = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 12\r\n\r\nabcdef-12345";
    assert_eq!(serve(get("/user/abcdef-12345")).0, user);
    assert_eq!(serve(get("/user/abcdef-12345?q=/")).0, user);
    assert_eq!(serve(get("/user/%61bcdef%2D12345")).0, user);
    assert_eq!(serve("GET http://host:80/user/abcdef-12345 HTTP/1.1\r\nhost:host\r\n\r\n").0, user);
    let coin = serve(post("/coin", r#"{"bet": true}"#)).0;
    assert!(coin.ends_with("{\"win\":true}") || coin.ends_with("{\"win\":false}"), "{coin}");
}

#[test]
fn echoes() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ";
    let answered = |path: &str| serve(get(path)).0;
    assert_eq!(
        answered("/Perf/Echo?name=hogehoge&x=10&y=20&e=2"),
        format!("{head}28\r\n\r\n{{\"Name\":\"hogehoge\",\"Sum\":60}}")
    );
    assert_eq!(
        answered("http://h/Perf/Echo?e=3&name=a&y=-2&x=1"),
        format!("{head}21\r\n\r\n{{\"Name\":\"a\",\"Sum\":-3}}")
    );
    let two = get("/Perf/Echo?name=longer&x=1&y=1&e=2") + &get("/Perf/Echo?name=b&x=1&y=1&e=2");
    assert!(serve(two).0.ends_with("{\"Name\":\"b\",\"Sum\":4}"));
    for path in ["/Perf/Echo", "/Perf/Echo?", "/Perf/Echo?name=a&x=1&y=1&e=5"] {
        assert_codes(get(path) + &get("/"), &["400", "200"], Status::Open);
    }
    assert_codes(get("/Perf/Echo/"), &["404"], Status::Open);
}

#[test]
fn answers_after_a_wait_in_order() {
    for (milliseconds, answer) in [
        ("0", "Content-Length: 8\r\n\r\nwaited 0"),
        ("9", "Content-Length: 8\r\n\r\nwaited 9"),
        ("10", "Content-Length: 9\r\n\r\nwaited 10"),
        ("%310", "Content-Length: 9\r\n\r\nwaited 10"),
        ("60000", "Content-Length: 12\r\n\r\nwaited 60000"),
    ] {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n";
        assert_eq!(serve(get(&format!("/wait/{milliseconds}"))).0, format!("{head}{answer}"));
    }

    let stream = get("/") + &get("/wait/30") + &get("/wait/20") + &get("/user/1");
    let (mut session, mut sources, mut output) = (Session::new(), sources(), Vec::new());
    let mut rest = stream.as_bytes();
    for (status, answered) in [(Status::Waits(30), 1), (Status::Waits(20), 2), (Status::Open, 4)] {
        rest = &rest[session.serve(rest, &mut sources, &mut output)..];
        assert_eq!((session.status(), status_codes(&text(output.clone())).len()), (status, answered));
        assert_eq!(session.serve(rest, &mut sources, &mut output), 0, "nothing is served before its time");
        session.end_wait(&mut output);
    }
    assert!(rest.is_empty());
    let output = text(output);
    assert!(output.find("waited 30") < output.find("waited 20"), "{output}");

    let last = "GET /wait/5 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".to_owned();
    assert_codes(last + &get("/"), &["200"], Status::Done);
}

#[test]
fn hashes_passwords_of_users() {
    let (output, status) = serve(put("/users/734512", r#"{"password": "p\u00e4"}"#));
    let (head, body) = output.split_once("\r\n\r\n").expect("a head has an end");
    assert_eq!(head, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 139");
    let hash = std::str::from_utf8(&users::hash("pä")).expect("digits").to_owned();
    assert_eq!((body, status), (format!("{{\"hash\":\"{hash}\"}}").as_str(), Status::Open));
    assert_eq!(body.len(), 139);
}

#[test]
fn errors_that_leave_the_connection_open() {
    for path in [
        "/nowhere",
        "/users",
        "/user/",
        "/user/1/2",
        "//",
        "/coin/",
        "/Coin",
        "/wait",
        "/wait/",
        "/wait/1/",
        "/users/",
    ] {
        assert_codes(get(path) + &get("/"), &["404", "200"], Status::Open);
    }
    for path in ["/", "/user/1", "/wait/1", "/wait/x", "/users/1", "/Perf/Echo"] {
        assert_codes(post(path, "body") + &get("/"), &["405", "200"], Status::Open);
    }
    for path in ["/user", "/coin", "/coin?bet=true", "/users/734512", "/users/x"] {
        assert_codes(get(path) + &get("/"), &["405", "200"], Status::Open);
    }
    for body in ["", "{}", "{\"bet\":", "{\"bet\":\"maybe\"}", "{\"bet\":1}"] {
        assert_codes(post("/coin", body) + &get("/"), &["400", "200"], Status::Open);
    }
    assert_codes(get("/user/%6") + &get("/user/%zz"), &["400", "400"], Status::Open);
    for milliseconds in ["x", "-1", "+1", "1.0", "%", "60001", "65536", "99999999999999999999"] {
        assert_codes(get(&format!("/wait/{milliseconds}")) + &get("/"), &["400", "200"], Status::Open);
    }
    for id in ["x", "-734512", "734512.0", "99999999999999999999"] {
        assert_codes(
            put(&format!("/users/{id}"), r#"{"password":"a"}"#) + &get("/"),
            &["400", "200"],
            Status::Open,
        );
    }
    for (id, body, code) in [
        ("73451", r#"{"password":"a"}"#, "404"),
        ("734512", r#"{"password":1}"#, "400"),
        ("734512", "{}", "400"),
        ("734512", "", "400"),
    ] {
        assert_codes(put(&format!("/users/{id}"), body) + &get("/"), &[code, "200"], Status::Open);
    }
}

#[test]
fn errors_that_end_the_connection() {
    for (request, code) in [
        ("\0", "400"),
        ("\x16\x03\x01", "400"),
        ("GET / HTTP/1.1\n", "400"),
        ("GET /\r\n\r\n", "400"),
        ("GET  / HTTP/1.1\r\nHost: x\r\n\r\n", "400"),
        ("GET / HTTP/1.1 \r\nHost: x\r\n\r\n", "400"),
        ("GET x HTTP/1.1\r\nHost: x\r\n\r\n", "400"),
        ("G@T / HTTP/1.1\r\nHost: x\r\n\r\n", "400"),
        ("GET /\u{e9} HTTP/1.1\r\nHost: x\r\n\r\n", "400"),
        ("GET / HTTP/1.1\rHost: x\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost : x\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: x\r\n: nameless\r\n\r\n", "400"),
        ("GET / HTTP/2.0\r\nHost: x\r\n\r\n", "505"),
        ("GET / http/1.1\r\nHost: x\r\n\r\n", "400"),
        ("POST /user HTTP/1.1\r\nHost: x\r\nContent-Length: \r\n\r\n", "400"),
        ("POST /user HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", "400"),
        ("POST /user HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 1\r\n\r\n", "400"),
        ("POST /user HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", "400"),
        ("POST /user HTTP/1.1\r\nHost: x\r\nContent-Length: 65537\r\n\r\n", "413"),
        ("POST /user HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999999\r\n\r\n", "413"),
        ("POST /user HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "400"),
        ("POST /user HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", "400"),
        ("POST /user HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", "501"),
        ("POST /user HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n;\r\n", "400"),
        ("POST /user HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", "400"),
        ("POST /user HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\nx", "400"),
        ("POST /user HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxyz", "400"),
        ("POST /user HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n10001\r\n", "413"),
        ("POST /user HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffff\r\n", "400"),
        ("POST /user HTTP/1.1\r\nHost: x\r\nExpect: a miracle\r\n\r\n", "417"),
    ] {
        let stream = request.to_owned() + &get("/");
        assert_codes(&stream, &[code], Status::Broken);
        assert!(serve(&stream).0.contains("Connection: close\r\n"), "{request}");
    }
}

#[test]
fn a_head_is_bounded() {
    let padded = |length: usize| {
        let head = "GET / HTTP/1.1\r\nHost: x\r\nPad: ";
        format!("{head}{}\r\n\r\n", "p".repeat(length - head.len() - 4))
    };
    assert_codes(padded(HEAD_LIMIT), &["200"], Status::Open);
    assert_codes(padded(HEAD_LIMIT + 1), &["431"], Status::Broken);
    assert_codes("x".repeat(HEAD_LIMIT - 1), &[], Status::Open);
    assert_codes("x".repeat(HEAD_LIMIT), &["431"], Status::Broken);
}

#[test]
fn a_body_is_bounded() {
    assert_codes(post("/user", &"b".repeat(BODY_LIMIT)), &["200"], Status::Open);
    let chunked = |chunk: &str, times: usize| {
        let head = "POST /user HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
        format!("{head}{}0\r\n\r\n", chunk.repeat(times))
    };
    assert_codes(chunked("1\r\nb\r\n", 1000), &["200"], Status::Open);
    assert_codes(chunked("1\r\nb\r\n", BODY_LIMIT), &["413"], Status::Broken);
    assert_codes(chunked(&format!("1;{}\r\nb\r\n", "e".repeat(200)), 1000), &["413"], Status::Broken);
    assert_codes(chunked(&format!("1;{}\r\nb\r\n", "e".repeat(300)), 1), &["400"], Status::Broken);
}

#[test]
fn chunked_bodies_and_trailers() {
    let request = "POST /coin HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n\
                   7 ; a=b\r\n{\"bet\":\r\nA\r\n     true}\r\n0\r\nTrailer: t\r\n\r\n";
    assert_codes(request.to_owned() + &get("/"), &["200", "200"], Status::Open);
    assert!(serve(request).0.contains("win"));
}

#[test]
fn keeps_or_ends_the_connection_as_asked() {
    let with =
        |version: &str, field: &str| format!("GET / HTTP/{version}\r\nHost: x\r\n{field}\r\n") + &get("/");
    assert_codes(with("1.1", ""), &["200", "200"], Status::Open);
    assert_codes(with("1.1", "Connection: upgrade, Close\r\n"), &["200"], Status::Done);
    assert_codes(with("1.0", ""), &["200"], Status::Done);
    assert_codes(with("1.0", "Connection: Keep-Alive\r\n"), &["200", "200"], Status::Open);
    let (output, _) = serve("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    assert_eq!(output, "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n");
    assert!(serve(with("1.1", "Connection: close\r\n")).0.contains("Connection: close\r\n"));
}

#[test]
fn says_continue_only_while_the_body_is_missing() {
    let head = "POST /user HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n";
    assert_codes(head, &["100"], Status::Open);
    assert_codes(head.to_owned() + "abc", &["200"], Status::Open);
    let whole = head.to_owned() + "abc";
    let (output, _) = serve_in_pieces(whole.as_bytes(), || 1);
    assert_eq!(status_codes(&text(output)), ["100", "200"]);
}

#[test]
fn how_a_stream_is_cut_changes_nothing() {
    let stream = [
        get("/"),
        "\r\n\r\n".into(),
        get("/user/42"),
        post("/user", ""),
        post("/coin", "{\"bet\" : false}"),
        post("/coin", "{}"),
        get("/nowhere"),
        post("/", "ignored"),
        get("/wait/7"),
        put("/users/734512", "{\"password\" : \"secret\"}"),
        get("/wait/0"),
        get("/wait/60000"),
        "POST /coin HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3;e\r\n{\"b\r\n9\r\net\":true}\r\n0\r\nT: u\r\n\r\n".into(),
        get("/user/%41"),
        "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".into(),
    ]
    .concat();
    let whole = serve_in_pieces(stream.as_bytes(), || usize::MAX);
    assert_eq!(status_codes(&text(whole.0.clone())).len(), 14);
    assert_eq!(whole.1, Status::Done);
    for length in 1..stream.len() {
        assert_eq!(serve_in_pieces(stream.as_bytes(), || length), whole, "pieces of {length}");
    }
}

#[test]
fn garbage_is_answered_or_waited_for_but_never_kills() {
    let alphabet: &[&[u8]] = &[
        b"GET ",
        b"POST ",
        b"/",
        b"/user/1",
        b"/coin",
        b"/wait/5",
        b"PUT /users/",
        b" HTTP/1.1\r\n",
        b"Host: x\r\n",
        b"Content-Length: ",
        b"5",
        b"0",
        b"\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"Connection: close\r\n",
        b"\r",
        b"\n",
        b"%",
        b"{\"bet\":true}",
        b":",
        b" ",
        b"\xff",
        b"?",
        b"http://",
        b"Expect: 100-continue\r\n",
    ];
    let mut state = 88_172_645_463_325_252_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as usize % below
    };
    for round in 0..20_000 {
        let mut stream = Vec::new();
        if round % 2 == 0 {
            stream.extend_from_slice(b"POST /coin HTTP/1.1\r\nHost: x\r\n");
        }
        for _ in 0..random(40) {
            match random(8) {
                0 => stream.push(random(256) as u8),
                _ => stream.extend_from_slice(alphabet[random(alphabet.len())]),
            }
        }
        let whole = serve_in_pieces(&stream, || usize::MAX);
        let pieces = serve_in_pieces(&stream, || 1 + random(12));
        assert_eq!(whole.1, pieces.1, "{}", stream.escape_ascii());
    }
}
