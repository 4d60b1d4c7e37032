//! A server for scripts/interop-grpc.sh: tonic. Method One gives x-echo of a call's metadata back. It ends in order on SIGTERM, and then
//! prints how many messages it has received and sent, and how many calls it has ended itself with each status.
//!
//!     server PORT [CERT KEY]

use std::error::Error;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio_stream::{Stream, StreamExt};
use tonic::codec::CompressionEncoding;
use tonic::transport::{Identity, Server, ServerTlsConfig};
use tonic::{Code, Request, Response, Status, Streaming};

use numbers::numbers_server::{Numbers, NumbersServer};
use numbers::{Answer, Ask};

mod numbers {
    tonic::include_proto!("numbers");
}

static ENDED: [AtomicU64; 17] = [const { AtomicU64::new(0) }; 17];
static RECEIVED: AtomicU64 = AtomicU64::new(0);
static SENT: AtomicU64 = AtomicU64::new(0);

fn answer(ask: &Ask) -> Answer {
    Answer { number: ask.number, count: 0, padding: vec![0; ask.padding as usize] }
}

/// Ends a stream of answers, and counts the call when the last was taken.
fn counted(answers: impl Stream<Item = Result<Answer, Status>> + Send + 'static) -> Answers {
    let answers = answers.map(|answer| {
        SENT.fetch_add(1, Relaxed);
        answer
    });
    let end = tokio_stream::once(()).filter_map(|()| {
        ENDED[0].fetch_add(1, Relaxed);
        None
    });
    Box::pin(answers.chain(end))
}

type Answers = Pin<Box<dyn Stream<Item = Result<Answer, Status>> + Send>>;

struct Service;

#[tonic::async_trait]
impl Numbers for Service {
    async fn one(&self, request: Request<Ask>) -> Result<Response<Answer>, Status> {
        let echo = request.metadata().get("x-echo").cloned();
        let ask = request.into_inner();
        RECEIVED.fetch_add(1, Relaxed);
        if ask.wait_ms > 0 {
            tokio::time::sleep(Duration::from_millis(ask.wait_ms as u64)).await;
        }
        ENDED[ask.status as usize].fetch_add(1, Relaxed);
        if ask.status != 0 {
            return Err(Status::new(Code::from(ask.status), "as was asked"));
        }
        SENT.fetch_add(1, Relaxed);
        let mut response = Response::new(answer(&ask));
        if let Some(echo) = echo {
            response.metadata_mut().insert("x-echo", echo);
        }
        Ok(response)
    }

    type DownStream = Answers;

    async fn down(&self, request: Request<Ask>) -> Result<Response<Answers>, Status> {
        let ask = request.into_inner();
        RECEIVED.fetch_add(1, Relaxed);
        let count = ask.count;
        Ok(Response::new(counted(tokio_stream::iter((0..count).map(move |_| Ok(answer(&ask)))))))
    }

    async fn up(&self, request: Request<Streaming<Ask>>) -> Result<Response<Answer>, Status> {
        let (mut asked, mut total) = (request.into_inner(), Answer::default());
        while let Some(ask) = asked.message().await? {
            RECEIVED.fetch_add(1, Relaxed);
            total.number += ask.number;
            total.count += 1;
        }
        ENDED[0].fetch_add(1, Relaxed);
        SENT.fetch_add(1, Relaxed);
        Ok(Response::new(total))
    }

    type BothStream = Answers;

    async fn both(&self, request: Request<Streaming<Ask>>) -> Result<Response<Answers>, Status> {
        let answers = request.into_inner().map(|ask| {
            RECEIVED.fetch_add(1, Relaxed);
            Ok(answer(&ask?))
        });
        Ok(Response::new(counted(answers)))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let address = format!("127.0.0.1:{}", arguments[1]).parse()?;
    let mut server = Server::builder();
    if let [_, _, cert, key] = &arguments[..] {
        let identity = Identity::from_pem(std::fs::read(cert)?, std::fs::read(key)?);
        server = server.tls_config(ServerTlsConfig::new().identity(identity))?;
    }
    let service = NumbersServer::new(Service)
        .accept_compressed(CompressionEncoding::Gzip)
        .send_compressed(CompressionEncoding::Gzip);
    let mut asked = signal(SignalKind::terminate())?;
    let end = async move {
        asked.recv().await;
    };
    server.add_service(service).serve_with_shutdown(address, end).await?;
    print!("counted {} {}", RECEIVED.load(Relaxed), SENT.load(Relaxed));
    for (code, calls) in ENDED.iter().enumerate() {
        let calls = calls.load(Relaxed);
        if calls > 0 {
            print!(" {code}:{calls}");
        }
    }
    println!();
    Ok(())
}
