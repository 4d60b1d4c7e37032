/// What a request belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    Settling,
    Window,
    Draining,
}

/// A request that has failed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FailedRequest {
    /// Its place in the counts; `None` for a request of another plan.
    pub(crate) request: Option<usize>,
    pub(crate) intended_ns: u64,
    pub(crate) sent_ns: u64,
    pub(crate) done_ns: u64,
    /// Of an answer that came whole.
    pub(crate) status: Option<u16>,
}
