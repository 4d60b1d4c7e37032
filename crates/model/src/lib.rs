//! The domain's names, as plain types: what a workload asks, what a contender is, what is claimed, and what is counted. Readers of
//! definitions make them, the load engine counts in them, a run's folder keeps them as they are, and judging and reports read them,
//! so that an old run can be judged without the files it came from.

mod calls;
mod case;
mod claim;
mod coin;
mod contender;
mod data_file;
mod digest;
mod expectation;
mod grpc_calls;
mod grpc_status;
mod link;
mod link_way;
mod load_settings;
mod loads;
mod manner;
mod name;
mod open;
mod outcomes;
mod protocol;
mod published;
mod request;
mod slot;
mod span;
mod statuses;
mod table;
mod template;
mod workload;

pub use calls::{CallCondition, CallConnection, CallProblem, CallSending, CallSettings, CallTls};
pub use case::{Case, CaseRequest, Delivery};
pub use claim::{Bound, Claim, Figure, Side, Subject};
pub use coin::{CoinCounts, LAGS};
pub use contender::{Class, Contender, KNOWN_TOOLCHAINS, Role, Toolchain, Version};
pub use data_file::{DataFile, DataSlot, DataSlotKind};
pub use digest::Digest;
pub use expectation::{BodyExpectation, Coin, Expectation, ExpectedHeader, JsonShape};
pub use grpc_calls::GrpcCalls;
pub use grpc_status::{grpc_status_code, grpc_status_name};
pub use link::{Link, LinkProblem};
pub use link_way::LinkWay;
pub use load_settings::{AsPublished, LoadSettings};
pub use manner::Manner;
pub use name::{ContenderName, NameError};
pub use open::open_file;
pub use outcomes::Outcomes;
pub use protocol::Protocol;
pub use published::{PublishedFigure, PublishedRow};
pub use request::{Header, Request};
pub use slot::{Slot, SlotKind};
pub use span::RequestSpan;
pub use statuses::Statuses;
pub use table::{CsvTable, Pick, Table};
pub use template::{TextPart, TextTemplate};
pub use workload::{Burst, Download, Source, TaskSettings, Workload};
