//! The faults.

/// What a server does wrong, or does rarely enough that clients get it wrong. What it does for each request is said in
/// [`super::Row::does`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is described in its row of the table")]
pub enum Fault {
    None,
    // Sizes and floods.
    LongHeaderList,
    EndlessContinuation,
    EmptyContinuations,
    SettingsFlood,
    PingFlood,
    EmptyDataFlood,
    PaddingFlood,
    EndlessInterim,
    EndlessBody,
    FrameTooLarge,
    // Windows.
    ConnectionWindowOverflow,
    StreamWindowOverflow,
    InitialWindowOverflow,
    ZeroWindow,
    NoWindowUpdate,
    WindowChanges,
    // Bodies.
    DataBeyondLength,
    DataShortOfLength,
    DataAfterEnd,
    DataWithoutHead,
    WrongBody,
    // Streams.
    DataOnUnopenedStream,
    HeadersOnEvenStream,
    HeadersOnOldStream,
    TwoAnswers,
    PushPromise,
    InterleavedContinuation,
    ResetsEveryStream,
    ResetsInBody,
    RefusesStreams,
    OneStreamAtOnce,
    NoStreamsForAWhile,
    // Header blocks.
    HpackBomb,
    IllegalIndex,
    TableTooLarge,
    BadPadding,
    // Heads.
    NoStatus,
    TwoStatuses,
    UpperCaseName,
    ConnectionHeader,
    SwitchingProtocols,
    Status500,
    InterimAnswers,
    Trailers,
    EmptyLastData,
    Padding,
    UnknownFrames,
    ByteByByte,
    NoContent,
    // Settings.
    SettingsOfWrongLength,
    BadFrameSizeSetting,
    // Ends.
    GracefulGoAway,
    GoAwayFromZero,
    GoAwayWithError,
    Http1Answer,
    CutInFrame,
    CutBetween,
    StallsAfterHead,
    NeverAnswers,
    // gRPC.
    GrpcNone,
    GrpcTrailersOnly,
    GrpcStatusInTrailers,
    GrpcNoTrailers,
    GrpcNoStatus,
    GrpcStatusIsNoNumber,
    GrpcLengthLies,
    GrpcCompressedFlag,
    GrpcWrongContentType,
    GrpcTwoMessages,
    GrpcNoMessage,
    GrpcWrongMessage,
    GrpcHttpError,
    GrpcStalls,
    GrpcRefuses,
}

impl Fault {
    /// How often it strikes: every so-manieth request.
    pub(super) fn every(self) -> u64 {
        match self {
            Self::WrongBody | Self::Status500 | Self::GrpcWrongMessage => 100,
            Self::ResetsInBody | Self::CutBetween | Self::NoStreamsForAWhile => 50,
            Self::RefusesStreams | Self::GrpcStatusInTrailers | Self::GrpcRefuses => 10,
            _ => 1,
        }
    }

    /// Whether it strikes the request with this number, from 0.
    pub(super) fn strikes(self, number: u64) -> bool {
        number % self.every() == self.every() - 1
    }

    /// Whether answers are those of gRPC.
    pub(super) fn is_grpc(self) -> bool {
        matches!(
            self,
            Self::GrpcNone
                | Self::GrpcTrailersOnly
                | Self::GrpcStatusInTrailers
                | Self::GrpcNoTrailers
                | Self::GrpcNoStatus
                | Self::GrpcStatusIsNoNumber
                | Self::GrpcLengthLies
                | Self::GrpcCompressedFlag
                | Self::GrpcWrongContentType
                | Self::GrpcTwoMessages
                | Self::GrpcNoMessage
                | Self::GrpcWrongMessage
                | Self::GrpcHttpError
                | Self::GrpcStalls
                | Self::GrpcRefuses
        )
    }
}
