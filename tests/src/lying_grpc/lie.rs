//! The lies.

/// What the service does wrong, once it has answered some calls as it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lie {
    /// Nothing.
    None,
    /// Another message than the answer, with status 0.
    WrongMessage,
    /// The same, once in a thousand calls.
    SeldomWrong,
    /// The answer, and a field that its type does not have.
    UnknownField,
    /// The answer to the call before, of whatever connection.
    KeepsMessage,
    /// Every bet wins.
    AlwaysWins,
    /// Status 0 and an answer where the call is to be refused.
    NeverRefuses,
    /// Status 0 in the head, and no message.
    NoMessage,
    /// Status 0 in the head, and a message behind it.
    StatusFirst,
    /// The message ends the answer: no trailers.
    NoTrailers,
    /// Trailers that do not tell a status.
    NoStatus,
    /// The prefix promises a byte more than there is.
    PrefixTooLong,
    /// The prefix leaves out the last byte of the message.
    PrefixTooShort,
    /// Some bytes behind the message, which no prefix counts.
    BytesBehind,
    /// The message twice.
    TwoMessages,
    /// The prefix says that the message is compressed, which nobody agreed on and is not so.
    CompressedFlag,
    /// The message is compressed with gzip, which the head says and the call did not accept.
    Gzip,
}

impl Lie {
    /// All of them by name.
    pub const ALL: [(&'static str, Self); 17] = [
        ("none", Self::None),
        ("wrong-message", Self::WrongMessage),
        ("seldom-wrong", Self::SeldomWrong),
        ("unknown-field", Self::UnknownField),
        ("keeps-message", Self::KeepsMessage),
        ("always-wins", Self::AlwaysWins),
        ("never-refuses", Self::NeverRefuses),
        ("no-message", Self::NoMessage),
        ("status-first", Self::StatusFirst),
        ("no-trailers", Self::NoTrailers),
        ("no-status", Self::NoStatus),
        ("prefix-too-long", Self::PrefixTooLong),
        ("prefix-too-short", Self::PrefixTooShort),
        ("bytes-behind", Self::BytesBehind),
        ("two-messages", Self::TwoMessages),
        ("compressed-flag", Self::CompressedFlag),
        ("gzip", Self::Gzip),
    ];
}
