//! Published claims and tables against what was measured.

pub(crate) mod claim;
pub(crate) mod published;
