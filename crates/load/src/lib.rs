//! The load engine: sends requests, checks every answer, counts.
//!
//! The parts meet at narrow borders: [`Schedule`] says when a request is due and has no clock; a session of
//! `protocol` turns requests into bytes and bytes into answers, and has no sockets; `driver` moves bytes;
//! `recorder` counts. A [`Generator`] holds one thread for each CPU that it was given and a set of connections
//! for each [`Target`]; a window of load on a target is one call, [`Generator::window`].

#[cfg(feature = "bench")]
#[doc(hidden)]
pub mod bench;
mod call;
mod check;
mod classifier;
mod connection;
mod descriptors;
mod draws;
mod driver;
mod example;
mod exchange;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
mod generator;
mod hpack;
mod in_flight;
mod known;
mod live;
mod loading;
mod mix;
mod order;
mod pace;
mod protocol;
mod recorder;
mod request;
mod response;
mod rng;
mod schedule;
mod show;
mod target;
mod tls;
mod worker;

pub use call::{Agreed, CallSettings, CallTimes, Caller, ExchangeError, Opening, Packets, Sending};
pub use check::{BodyChecker, Toss};
pub use classifier::FirstAnswer;
pub use descriptors::{TooFewDescriptors, make_room};
pub use driver::DriverChoice;
pub use example::Example;
pub use exchange::{Exchange, Pieces};
pub use generator::{Generator, GeneratorError, TargetId, WindowSettings};
pub use live::{Live, LiveCounts, LiveMoment};
pub use mix::{Mix, MixError, RequestProblem};
pub use order::{Connect, Edge, EdgeHook};
pub use protocol::Limits;
pub use recorder::{MOST_SPANS, PerRequest, Tally, WindowReport};
pub use request::{
    Binary, BodyExpect, Calls, Expect, HeaderExpect, LengthForm, NumberForm, Order, Part, Protocol,
    RequestSpec, Slot, StatusSet, Template,
};
pub use response::Response;
pub use rng::Rng;
pub use schedule::{Arrivals, Intended, Schedule, ScheduleError, Shape, Spacing, Step, Think, WhenFull};
pub use target::{Endpoint, Target};
pub use tls::{TlsError, TlsFacts, TlsOptions, TlsSettings, TlsVersions, Trust};
pub use velo_model::{
    CoinCounts, LAGS, Outcomes, Pick, RequestSpan, Table, grpc_status_code, grpc_status_name,
};
