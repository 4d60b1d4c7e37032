//! Reflection, against a server of another's HTTP/2.

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use prost::Message as _;
use prost_reflect::prost_types::{FileDescriptorProto, FileDescriptorSet};
use velo_grpc::{Server, reflect};

#[derive(Clone, PartialEq, prost::Message)]
struct Question {
    #[prost(string, optional, tag = "3")]
    file: Option<String>,
    #[prost(string, optional, tag = "4")]
    symbol: Option<String>,
    #[prost(string, optional, tag = "7")]
    list: Option<String>,
}

/// A part of an answer whose number is `tag`, with these parts of its own.
fn part(tag: u8, parts: &[Vec<u8>]) -> Vec<u8> {
    let content = parts.concat();
    let mut bytes = vec![tag << 3 | 2];
    prost::encoding::encode_varint(content.len() as u64, &mut bytes);
    [bytes, content].concat()
}

fn set() -> FileDescriptorSet {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests");
    protox::compile([folder.join("tried.proto")], [folder]).expect("protos that compile")
}

/// What a server of `tried.Tried` says.
fn answer(question: &Question, garbage: bool) -> Vec<u8> {
    // Each file of another service imports one more.
    let imported =
        question.file.as_deref().and_then(|name| name.strip_prefix("endless")).map(str::parse::<u32>);
    let asked = question.symbol.as_deref().filter(|symbol| *symbol == "endless.Service").map(|_| Ok(0));
    if let Some(Ok(number)) = imported.or(asked) {
        thread::sleep(Duration::from_millis(50));
        let file = FileDescriptorProto {
            name: Some(format!("endless{number}")),
            dependency: vec![format!("endless{}", number + 1)],
            ..FileDescriptorProto::default()
        };
        return part(4, &[part(1, &[file.encode_to_vec()])]);
    }
    let file = |name: &str| {
        let set = set();
        let found = set.file.iter().find(|file| file.name() == name).map(prost::Message::encode_to_vec);
        found.map(|bytes| part(4, &[part(1, &[bytes])]))
    };
    let none = || part(7, &[vec![8, 5], part(2, &[b"not found".to_vec()])]);
    if garbage {
        return part(4, &[part(1, &[vec![0xff; 9]])]);
    }
    match question {
        Question { list: Some(_), .. } => part(6, &[part(1, &[part(1, &[b"tried.Tried".to_vec()])])]),
        Question { symbol: Some(symbol), .. } if symbol == "tried.Tried" => {
            file("tried.proto").unwrap_or_else(none)
        }
        // It has only its own file, as some servers do.
        Question { file: Some(name), .. } if name == "tried.proto" => file(name).unwrap_or_else(none),
        _ => none(),
    }
}

/// A server that speaks one version of reflection, or none.
fn serve(version: Option<&'static str>, garbage: bool) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    listener.set_nonblocking(true).expect("a socket");
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
            while let Ok((stream, _)) = listener.accept().await {
                let Ok(mut connection) = h2::server::handshake(stream).await else { continue };
                while let Some(Ok((request, mut respond))) = connection.accept().await {
                    let path = version.map(|version| {
                        format!("/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo")
                    });
                    let head = http::Response::builder().header("content-type", "application/grpc");
                    if Some(request.uri().path()) != path.as_deref() {
                        let head = head.header("grpc-status", "12").body(()).expect("a head");
                        let _ = respond.send_response(head, true);
                        continue;
                    }
                    let mut body = request.into_body();
                    tokio::spawn(async move {
                        let mut sent = Vec::new();
                        while let Some(Ok(bytes)) = body.data().await {
                            let _ = body.flow_control().release_capacity(bytes.len());
                            sent.extend(bytes);
                        }
                        let question = Question::decode(&sent[5..]).expect("a question");
                        let answer = answer(&question, garbage && question.list.is_none());
                        let framed = [&[0][..], &(answer.len() as u32).to_be_bytes(), &answer].concat();
                        let Ok(mut out) = respond.send_response(head.body(()).expect("a head"), false) else {
                            return;
                        };
                        let _ = out.send_data(Bytes::from(framed), false);
                        let mut trailers = http::HeaderMap::new();
                        trailers.insert("grpc-status", http::HeaderValue::from_static("0"));
                        let _ = out.send_trailers(trailers);
                    });
                }
            }
        });
    });
    address
}

fn server(address: SocketAddr) -> Server {
    Server {
        address,
        authority: address.to_string(),
        tls: None,
        metadata: vec![("x-key".to_owned(), "value".to_owned())],
        timeout: Duration::from_secs(20),
        limit: Duration::from_secs(60),
    }
}

#[test]
fn a_server_says_what_it_has_in_either_version() {
    for version in ["v1", "v1alpha"] {
        let server = server(serve(Some(version), false));
        let reflected = reflect(&server, "tried.Tried/Both").expect("a schema");
        assert_eq!(reflected.version, version);
        let method = reflected.schema.method("tried.Tried/Both").expect("a method");
        assert!(method.client_streams() && method.server_streams());
        assert_eq!((method.input(), method.output()), ("tried.All".to_owned(), "tried.All".to_owned()));
        let error = reflect(&server, "tried.Other/Both").expect_err("no such service").to_string();
        assert!(error.contains("tried.Other") && error.contains("there are: tried.Tried"), "{error}");
    }
}

#[test]
fn a_server_that_sends_slowly_is_given_up_in_the_end() {
    let server = server(serve(Some("v1"), false));
    for (limit, shown) in [(Duration::ZERO, "within 0 s"), (Duration::from_millis(1_500), "within 1.5 s")] {
        // All 2,000 that a server may send would take 100 s.
        let error = reflect(&Server { limit, ..server.clone() }, "endless.Service/Call").expect_err("no end");
        let error = error.to_string();
        assert!(error.contains(shown) && error.contains("--proto FILE or --protoset FILE"), "{error}");
    }
}

#[test]
fn a_server_without_reflection_is_named_so() {
    let error = reflect(&server(serve(None, false)), "a.B/C").expect_err("no reflection").to_string();
    assert!(error.contains("--proto") && error.contains("v1alpha"), "{error}");
    let error = reflect(&server(serve(Some("v1"), true)), "a.B/C").expect_err("garbage").to_string();
    assert!(error.contains("no file of protos"), "{error}");
    let closed = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    assert!(reflect(&server(closed), "a.B/C").is_err());
    assert!(
        reflect(&server(closed), "a").expect_err("no method").to_string().contains("package.Service/Method")
    );
}
