//! What is measured: workloads and contenders, read from TOML and validated.
//!
//! The validated types are what the rest of the workspace sees; they are written into a run's folder as
//! they were, so that an old run can be judged without the files it came from.

mod calls;
mod case;
mod claim;
mod contender;
mod grpc;
mod hash;
mod link;
mod loads;
mod manner;
mod name;
mod protocol;
mod workload;

pub mod read;

pub use calls::{CallCondition, CallConnection, CallProblem, CallSending, CallSettings, CallTls};
pub use case::{Case, CaseRequest, Delivery};
pub use claim::{Bound, Claim, Figure, Side, Subject};
pub use contender::{Class, Contender, KNOWN_TOOLCHAINS, Role, Toolchain, Version};
pub use grpc::GrpcCalls;
pub use link::{Link, LinkProblem};
pub use manner::Manner;
pub use name::{ContenderName, NameError};
pub use protocol::Protocol;
pub use velo_request::{
    BodyExpectation, Definition, Digest, Expectation, Request, Slot, SlotKind, SpecError, Statuses, TextPart,
    TextTemplate, open_file,
};
pub use workload::{
    AsPublished, Burst, DataFile, DataSlot, DataSlotKind, Download, LoadSettings, PublishedFigure,
    PublishedRow, Source, TaskSettings, Workload,
};
