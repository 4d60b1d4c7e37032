use crate::protocol::http2::frame::code;

/// What the server may not do: the connection is of no use any more.
#[derive(Debug)]
pub(super) struct Broken {
    pub(super) code: u32,
    pub(super) why: &'static str,
    /// The place of the stream that it did it on.
    pub(super) at: Option<usize>,
    /// It did it on a stream that is closed, whose request was counted before: none in flight is to blame.
    pub(super) was_counted: bool,
}

impl Broken {
    pub(super) fn new(code: u32, why: &'static str) -> Self {
        Self { code, why, at: None, was_counted: false }
    }

    pub(super) fn on(at: usize, code: u32, why: &'static str) -> Self {
        Self { at: Some(at), ..Self::new(code, why) }
    }

    pub(super) fn of_closed(why: &'static str) -> Self {
        Self { was_counted: true, ..Self::new(code::ENHANCE_YOUR_CALM, why) }
    }

    /// Whether it is a limit of this side's own, and not a rule of the protocol, that ends the connection.
    pub(super) fn is_own_choice(&self) -> bool {
        self.code == code::ENHANCE_YOUR_CALM
    }

    pub(super) fn protocol(why: &'static str) -> Self {
        Self::new(code::PROTOCOL_ERROR, why)
    }
}
