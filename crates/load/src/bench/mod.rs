//! The loop over a driver without sockets, so that its instructions can be counted. For the program `velo-instructions` only.

mod driver;
mod requests;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::classifier::Classifier;
use crate::connection::Connection;
use crate::driver::Driver;
use crate::known::{Known, Plan, Sources};
use crate::loading::Loading;
use crate::mix::Mix;
use crate::order::{Connect, WindowOrder};
use crate::protocol::grpc::Grpc;
use crate::protocol::http1::Http1;
use crate::protocol::http2::Http2;
use crate::protocol::{Limits, Session};
use crate::request::{Calls, Order, Protocol, RequestSpec};
use crate::schedule::{Arrivals, Schedule, Shape, Spacing, Think, WhenFull};
use crate::target::Endpoint;
use driver::{Answers, Delivery, InMemory};
use requests::IsCoin;

/// What can be counted: name, and what it is in a few words.
pub const CASES: [(&str, &str); 10] = [
    ("post-coin", "POST of a bet, the answer's JSON checked; closed loop"),
    ("get-user", "GET of a random id, the answer's body compared with it; closed loop"),
    ("pipelining-16", "post-coin, 16 requests in flight on each connection"),
    ("open-loop", "post-coin at 100,000 Poisson arrivals a second"),
    ("byte-by-byte", "post-coin, each answer in pieces of one byte"),
    ("chunked", "post-coin, each answer in two chunks"),
    ("http2", "post-coin over HTTP/2, one request in flight on each connection"),
    ("http2-16", "post-coin over HTTP/2, 16 requests in flight on each connection"),
    ("grpc", "a bet as a call of gRPC, the answer's message checked, one call in flight on each connection"),
    ("grpc-16", "the same, 16 calls in flight on each connection"),
];

/// Connections in every case.
pub const CONNECTIONS: usize = 64;

const SEED: u64 = 1;
const S: u64 = 1_000_000_000;

/// Sends so many requests of a case through the loop and says how many answers were correct.
///
/// # Panics
/// When there is no case of this name in [`CASES`].
pub fn run(case: &str, requests: u64) -> u64 {
    let closed = || Schedule::Closed { think: Think::None };
    let poisson = || {
        let shape = Shape::Constant { per_s: 100_000.0 };
        Schedule::Open(Arrivals { shape, spacing: Spacing::Poisson, seed: SEED })
    };
    use Delivery::{ByteByByte, Whole};
    let http2 = Protocol::Http2 { is_https: false };
    let (spec, answers, delivery, schedule, pipelining) = match case {
        "post-coin" => (requests::coin(), Answers::Coin, Whole, closed(), 1),
        "get-user" => (requests::user(), Answers::User, Whole, closed(), 1),
        "pipelining-16" => (requests::coin(), Answers::Coin, Whole, closed(), 16),
        "open-loop" => (requests::coin(), Answers::Coin, Whole, poisson(), 1),
        "byte-by-byte" => (requests::coin(), Answers::Coin, ByteByByte, closed(), 1),
        "chunked" => (requests::coin(), Answers::ChunkedCoin, Whole, closed(), 1),
        "http2" => (requests::coin(), Answers::Http2Coin, Whole, closed(), 1),
        "http2-16" => (requests::coin(), Answers::Http2Coin, Whole, closed(), 16),
        "grpc" => (requests::toss(), Answers::GrpcCoin, Whole, closed(), 1),
        "grpc-16" => (requests::toss(), Answers::GrpcCoin, Whole, closed(), 16),
        _ => panic!("no case {case:?}"),
    };
    let order = WindowOrder {
        plan: 0,
        worker: 0,
        workers: 1,
        connections: CONNECTIONS,
        settling_ns: 0,
        duration_ns: u64::MAX,
        drain_limit_ns: S,
        timeout_ns: S,
        schedule,
        when_full: WhenFull::Queue,
        most_requests: requests,
        give_up_ns: u64::MAX,
        give_up_unreached_ns: u64::MAX,
        reached: Arc::default(),
        pipelining,
        requests_per_connection: u32::MAX,
        connect: Connect::Ahead,
        is_burst: false,
        busy_poll: false,
        slowed_ns: 0,
        keeps_first_answer: false,
        live: None,
    };
    let driver = InMemory::new(answers, delivery);
    match answers {
        Answers::Http2Coin => load::<Http2>(driver, &order, spec, http2),
        Answers::GrpcCoin => load::<Grpc<false>>(driver, &order, spec, Protocol::Grpc(Calls::default())),
        _ => load::<Http1>(driver, &order, spec, Protocol::Http1),
    }
}

fn load<S: Session>(mut driver: InMemory, order: &WindowOrder, spec: RequestSpec, protocol: Protocol) -> u64 {
    let mut connections: Vec<Connection<S>> = Vec::new();
    connections.resize_with(CONNECTIONS, Connection::default);
    driver.reserve(CONNECTIONS).expect("memory is all that it needs");
    let mut known = known(spec, protocol);
    let report =
        Loading::new(&mut driver, &mut connections, &mut known, order).run(None, &AtomicBool::new(false));
    report.tally.outcomes.correct
}

fn known<S: Session>(spec: RequestSpec, protocol: Protocol) -> Known<S> {
    let mix = Mix::for_protocol(vec![spec], Order::Weighted, requests::HOST, protocol);
    let mix = Arc::new(mix.expect("a request that can be sent"));
    let needs_bodies = mix.needs_bodies();
    let plan =
        Plan { classifier: Classifier::new(&mix, Arc::new(IsCoin)), drawer: mix.drawer(SEED, 0, 1), mix };
    Known {
        endpoints: vec![Endpoint::Tcp(([127, 0, 0, 1], 1).into())],
        tls: None,
        sources: Sources::default(),
        plans: vec![plan],
        shared: Limits::default().into(),
        needs_bodies,
        seed: SEED,
        opened: 0,
    }
}
