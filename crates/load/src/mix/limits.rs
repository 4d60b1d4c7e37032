//! How much a mix may hold.

/// The most requests of a mix.
pub(super) const MOST_REQUESTS: usize = 1 << 16;
/// The most variants that a request's choices may multiply to.
pub(super) const MOST_VARIANTS: usize = 4096;
/// The most bytes that a request's variants may take together.
pub(super) const MOST_RENDERED_BYTES: usize = 64 << 20;
/// The most slots of a request.
pub(crate) const MOST_SLOTS: usize = 16;
/// The most values of a request that are drawn each time it is sent.
pub(super) const MOST_LIVE: usize = 4;
