//! What is measured: workloads and contenders, read from TOML and validated.
//!
//! The validated types are what the rest of the workspace sees; they are written into a run's folder as
//! they were, so that an old run can be judged without the files it came from.

mod claim;
mod contender;
mod error;
mod expect;
mod hash;
mod json;
mod name;
mod request;
mod workload;

pub mod read;

pub use claim::{Bound, Claim, Figure, Side, Subject};
pub use contender::{Class, Contender, Toolchain, Version};
pub use error::{Definition, SpecError};
pub use expect::{
    BodyExpectation, CheckedBody, Coin, Digest, EARLY_NS, Expectation, JsonShape, StatusExpectation,
    content_type_matches,
};
pub use json::{parse as parse_json, same_number as same_json_number};
pub use name::{ContenderName, NameError};
pub use request::{Request, Slot, SlotKind, SlotValue, TextPart, TextTemplate};
pub use workload::{
    AsPublished, Burst, Case, CaseRequest, DataFile, DataSlot, DataSlotKind, Delivery, LoadSettings,
    PublishedFigure, PublishedRow, Source, TaskSettings, Workload,
};
