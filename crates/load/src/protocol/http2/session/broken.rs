use crate::protocol::http2::frame::code;

/// What the server may not do: the connection is of no use any more.
#[derive(Debug)]
pub(super) struct Broken {
    pub(super) code: u32,
    pub(super) why: &'static str,
    /// The place of the stream that it did it on.
    pub(super) at: Option<usize>,
    /// It did it on a stream that was given up and counted before: no request in flight is to blame.
    pub(super) was_counted: bool,
}

impl Broken {
    pub(super) fn new(code: u32, why: &'static str) -> Self {
        Self { code, why, at: None, was_counted: false }
    }

    pub(super) fn on(at: Option<usize>, code: u32, why: &'static str) -> Self {
        Self { at, ..Self::new(code, why) }
    }

    pub(super) fn of_given_up(why: &'static str) -> Self {
        Self { was_counted: true, ..Self::new(code::ENHANCE_YOUR_CALM, why) }
    }

    pub(super) fn protocol(why: &'static str) -> Self {
        Self::new(code::PROTOCOL_ERROR, why)
    }
}
