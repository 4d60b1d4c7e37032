/// What the server counted, in nanoseconds where a time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Report {
    /// Requests answered or still to be answered.
    pub(crate) requests: u64,
    /// Those among them whose answers were or are sent later.
    pub(crate) delayed: u64,
    /// From waking up to waiting again, without freezes and without what only accepted connections, summed.
    pub(crate) busy_ns: u64,
    /// Requests that came alone, as the only thing to do on waking up, and the part of `busy_ns` that went to them. The
    /// others were handled with the client awake and cost less.
    pub(crate) alone_requests: u64,
    pub(crate) alone_busy_ns: u64,
    /// CPU time of the thread, which includes waiting and waking up.
    pub(crate) cpu_ns: u64,
    /// How long it stood still.
    pub(crate) frozen_ns: u64,
    /// The longest time by which a delayed answer left too late.
    pub(crate) late_ns: u64,
}

impl Report {
    pub(crate) fn to_json(self) -> String {
        let Self { requests, delayed, busy_ns, alone_requests, alone_busy_ns, cpu_ns, frozen_ns, late_ns } =
            self;
        serde_json::json!({
            "requests": requests,
            "delayed": delayed,
            "busy_ns": busy_ns,
            "alone_requests": alone_requests,
            "alone_busy_ns": alone_busy_ns,
            "cpu_ns": cpu_ns,
            "frozen_ns": frozen_ns,
            "late_ns": late_ns,
        })
        .to_string()
    }
}
