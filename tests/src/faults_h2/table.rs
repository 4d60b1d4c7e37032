//! The faults as data.

use super::fault::Fault;
use super::outcome::{Class, Count};

use Class::{ClosedByServer, Correct, HttpError, Refused, Timeout, Truncated, WrongAnswer};
use Count::{All, Any, Is};

/// A fault with what is asked of a client that meets it, and what it is to make of it.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Its place in the list; 0 for the controls.
    pub number: u32,
    /// The fault.
    pub fault: Fault,
    /// Its name on command lines.
    pub name: &'static str,
    /// What the server does, for people.
    pub does: &'static str,
    /// Requests of a run.
    pub requests: u64,
    /// Requests at once on each connection. Where an answer costs its connection it is one, so that no other request is lost
    /// with it and the counts are exact.
    pub streams: u64,
    /// Bytes of each request's body; without any, it is a GET.
    pub body_bytes: usize,
    /// What the client is told to expect, as options of `velo load`.
    pub arguments: &'static [&'static str],
    /// What comes of the requests. A class that is not named must be empty.
    pub classes: &'static [(Class, Count)],
    /// Nothing that the server sends breaks a rule: every client gets these answers.
    pub is_valid: bool,
    /// Neither side has a reason to end a connection.
    pub keeps_connections: bool,
    /// Only the client's timeout ends it.
    pub waits: bool,
}

type Classes = &'static [(Class, Count)];

const ALL_CORRECT: Classes = &[(Correct, All)];
const ALL_WRONG: Classes = &[(WrongAnswer, All)];
const ALL_TIMEOUT: Classes = &[(Timeout, All)];
const ALL_CLOSED: Classes = &[(ClosedByServer, All)];
const ALL_REFUSED: Classes = &[(Refused, All)];
/// A request behind such an answer is never read: it is given up when the client closes the connection.
const WRONG_THEN_GIVEN_UP: Classes = &[(WrongAnswer, Count::Some), (Timeout, Any)];
/// The first request of each of the four connections is sent before the server has said what it allows.
const FIRST_THEN_TIMEOUT: Classes = &[(Timeout, Is(28)), (Correct, Is(4))];
/// Whether what came beside the answer spoils it is the client's to say.
const EITHER: Classes = &[(Correct, Any), (WrongAnswer, Any)];

/// An answer that costs its connection.
const fn row(number: u32, fault: Fault, name: &'static str, does: &'static str, classes: Classes) -> Row {
    Row {
        number,
        fault,
        name,
        does,
        requests: 64,
        streams: 1,
        body_bytes: 0,
        arguments: &[],
        classes,
        is_valid: false,
        keeps_connections: false,
        waits: false,
    }
}

impl Row {
    /// The connection stays, whatever becomes of the stream.
    const fn keeps(self) -> Self {
        Self { requests: 2_000, streams: 8, keeps_connections: true, ..self }
    }

    /// It is right, and rare.
    const fn valid(self) -> Self {
        Self { is_valid: true, ..self.keeps() }
    }

    const fn waits(self) -> Self {
        Self { requests: 32, waits: true, ..self }
    }

    const fn of(self, requests: u64, streams: u64) -> Self {
        Self { requests, streams, ..self }
    }

    const fn with_body(self, body_bytes: usize) -> Self {
        Self { body_bytes, ..self }
    }

    const fn with(self, arguments: &'static [&'static str]) -> Self {
        Self { arguments, ..self }
    }

    /// Whether answers are those of gRPC.
    pub fn is_grpc(&self) -> bool {
        self.fault.is_grpc()
    }
}

const EXPECT_BODY: &[&str] = &["--expect-body", crate::faults::BODY];

/// All of them.
pub const ALL: &[Row] = &[
    row(0, Fault::None, "h2-none", "nothing wrong", ALL_CORRECT).valid().with(EXPECT_BODY),
    row(1, Fault::LongHeaderList, "h2-long-header-list", "300 KB of fields in a block that ends", ALL_WRONG),
    row(
        2,
        Fault::EndlessContinuation,
        "h2-endless-continuation",
        "a header block whose CONTINUATION frames do not end",
        ALL_WRONG,
    ),
    row(3, Fault::EmptyContinuations, "h2-empty-continuations", "empty CONTINUATION without end", ALL_WRONG),
    row(
        4,
        Fault::SettingsFlood,
        "h2-settings-flood",
        "SETTINGS without end in place of an answer",
        ALL_WRONG,
    ),
    row(5, Fault::PingFlood, "h2-ping-flood", "PING without end in place of an answer", ALL_WRONG),
    row(6, Fault::EmptyDataFlood, "h2-empty-data-flood", "a head, then empty DATA without end", ALL_WRONG),
    row(7, Fault::PaddingFlood, "h2-padding-flood", "a head, then DATA of nothing but padding", ALL_WRONG),
    row(8, Fault::EndlessInterim, "h2-endless-interim", "status 103 without end", WRONG_THEN_GIVEN_UP),
    row(
        9,
        Fault::EndlessBody,
        "h2-endless-body",
        "a body without end, whatever the windows",
        WRONG_THEN_GIVEN_UP,
    ),
    row(
        10,
        Fault::FrameTooLarge,
        "h2-frame-too-large",
        "DATA one byte longer than the client's SETTINGS_MAX_FRAME_SIZE",
        ALL_WRONG,
    ),
    row(
        11,
        Fault::ConnectionWindowOverflow,
        "h2-connection-window-overflow",
        "WINDOW_UPDATE that makes the connection's window larger than 2^31-1",
        ALL_WRONG,
    ),
    // A client that has sent its whole request may have no window left that could overflow.
    row(
        12,
        Fault::StreamWindowOverflow,
        "h2-stream-window-overflow",
        "the same for the stream, then the answer",
        EITHER,
    ),
    row(
        13,
        Fault::InitialWindowOverflow,
        "h2-initial-window-overflow",
        "SETTINGS_INITIAL_WINDOW_SIZE of 2^31",
        ALL_WRONG,
    ),
    row(
        14,
        Fault::ZeroWindow,
        "h2-zero-window",
        "SETTINGS_INITIAL_WINDOW_SIZE of 0 for ever, so that no body can be sent",
        FIRST_THEN_TIMEOUT,
    )
    .waits()
    .with_body(100),
    row(
        15,
        Fault::NoWindowUpdate,
        "h2-no-window-update",
        "never widens a window, so that a body of 100,000 bytes cannot be sent",
        ALL_TIMEOUT,
    )
    .waits()
    .with_body(100_000),
    row(
        16,
        Fault::WindowChanges,
        "h2-window-changes",
        "changes SETTINGS_INITIAL_WINDOW_SIZE every 10th request, below what was sent already too",
        ALL_CORRECT,
    )
    .valid()
    .of(200, 4)
    .with_body(20_000),
    row(17, Fault::DataBeyondLength, "h2-data-beyond-length", "10 bytes more than content-length", ALL_WRONG)
        .keeps(),
    row(
        18,
        Fault::DataShortOfLength,
        "h2-data-short-of-length",
        "END_STREAM before content-length is reached",
        ALL_WRONG,
    )
    .keeps(),
    row(19, Fault::DataAfterEnd, "h2-data-after-end", "DATA behind END_STREAM", EITHER),
    row(20, Fault::DataWithoutHead, "h2-data-without-head", "DATA without HEADERS", ALL_WRONG),
    row(
        21,
        Fault::WrongBody,
        "h2-wrong-body",
        "every 100th body is wrong and as long as the right one",
        &[(Correct, Is(1_980)), (WrongAnswer, Is(20))],
    )
    .valid()
    .with(EXPECT_BODY),
    row(
        22,
        Fault::DataOnUnopenedStream,
        "h2-data-on-unopened-stream",
        "DATA on a stream that nobody opened",
        ALL_WRONG,
    ),
    row(23, Fault::HeadersOnEvenStream, "h2-headers-on-even-stream", "HEADERS on stream 2", ALL_WRONG),
    row(
        24,
        Fault::HeadersOnOldStream,
        "h2-headers-on-old-stream",
        "the second answer of each connection goes to the first one's stream, which has ended",
        &[(Correct, Count::Some), (Timeout, Count::Some)],
    )
    .waits(),
    row(25, Fault::TwoAnswers, "h2-two-answers", "each answer twice on its stream", EITHER),
    row(26, Fault::PushPromise, "h2-push-promise", "PUSH_PROMISE before the answer", ALL_WRONG),
    row(
        27,
        Fault::InterleavedContinuation,
        "h2-interleaved-continuation",
        "PING between HEADERS and its CONTINUATION",
        ALL_WRONG,
    ),
    row(
        28,
        Fault::ResetsEveryStream,
        "h2-resets-every-stream",
        "RST_STREAM with INTERNAL_ERROR in place of every answer",
        ALL_CLOSED,
    )
    .keeps(),
    row(
        29,
        Fault::ResetsInBody,
        "h2-resets-in-body",
        "RST_STREAM within every 50th body",
        &[(Correct, Is(1_960)), (Truncated, Is(40))],
    )
    .valid(),
    row(
        30,
        Fault::RefusesStreams,
        "h2-refuses-streams",
        "RST_STREAM with REFUSED_STREAM in place of every 10th answer",
        &[(Correct, Is(1_800)), (Refused, Is(200))],
    )
    .valid(),
    row(
        31,
        Fault::OneStreamAtOnce,
        "h2-one-stream-at-once",
        "SETTINGS_MAX_CONCURRENT_STREAMS of 1",
        ALL_CORRECT,
    )
    .valid()
    .of(400, 8),
    row(
        32,
        Fault::NoStreamsForAWhile,
        "h2-no-streams-for-a-while",
        "SETTINGS_MAX_CONCURRENT_STREAMS of 0 for 300 ms with every 50th answer",
        ALL_CORRECT,
    )
    .valid()
    .of(400, 8),
    row(
        33,
        Fault::HpackBomb,
        "h2-hpack-bomb",
        "an entry of 4,000 bytes, referred to 12,000 times in one block",
        ALL_WRONG,
    ),
    row(34, Fault::IllegalIndex, "h2-illegal-index", "an index that no table has", ALL_WRONG),
    row(35, Fault::TableTooLarge, "h2-table-too-large", "a table-size update far above the limit", ALL_WRONG),
    row(
        36,
        Fault::BadPadding,
        "h2-bad-padding",
        "Huffman's code with more than 7 bits of padding",
        ALL_WRONG,
    ),
    row(37, Fault::NoStatus, "h2-no-status", "an answer without :status", ALL_WRONG).keeps(),
    row(38, Fault::TwoStatuses, "h2-two-statuses", ":status twice", ALL_WRONG).keeps(),
    row(39, Fault::UpperCaseName, "h2-upper-case-name", "a name of a field in upper case", ALL_WRONG).keeps(),
    row(40, Fault::ConnectionHeader, "h2-connection-header", "`connection: keep-alive`", ALL_WRONG).keeps(),
    row(41, Fault::SwitchingProtocols, "h2-switching-protocols", "status 101, then the answer", ALL_WRONG)
        .keeps(),
    row(
        42,
        Fault::Status500,
        "h2-status-500",
        "every 100th answer has status 500",
        &[(Correct, Is(1_980)), (HttpError, Is(20))],
    )
    .valid(),
    row(43, Fault::InterimAnswers, "h2-interim-answers", "100 and 103 before each answer", ALL_CORRECT)
        .valid()
        .with(EXPECT_BODY),
    row(44, Fault::Trailers, "h2-trailers", "trailers after each body", ALL_CORRECT)
        .valid()
        .with(EXPECT_BODY),
    row(
        45,
        Fault::EmptyLastData,
        "h2-empty-last-data",
        "a body in pieces of one byte, ended by empty DATA, its head in two CONTINUATION frames",
        ALL_CORRECT,
    )
    .valid()
    .with(EXPECT_BODY),
    row(46, Fault::Padding, "h2-padding", "HEADERS and DATA with padding, and with priority", ALL_CORRECT)
        .valid()
        .with(EXPECT_BODY),
    row(
        47,
        Fault::UnknownFrames,
        "h2-unknown-frames",
        "frames and settings of unknown kinds, and PING, around each answer",
        ALL_CORRECT,
    )
    .valid()
    .with(EXPECT_BODY),
    row(48, Fault::ByteByByte, "h2-byte-by-byte", "each byte in a packet of its own", ALL_CORRECT)
        .valid()
        .of(400, 2)
        .with(EXPECT_BODY),
    row(49, Fault::NoContent, "h2-status-204", "no body and no length", ALL_CORRECT)
        .valid()
        .with(&["--expect-status", "204"]),
    row(
        50,
        Fault::SettingsOfWrongLength,
        "h2-settings-of-wrong-length",
        "SETTINGS with a payload of 5 bytes",
        ALL_WRONG,
    ),
    row(
        51,
        Fault::BadFrameSizeSetting,
        "h2-bad-frame-size-setting",
        "SETTINGS_MAX_FRAME_SIZE of 16,383",
        ALL_WRONG,
    ),
    row(
        52,
        Fault::GracefulGoAway,
        "h2-graceful-goaway",
        "GOAWAY with every 100th request of a connection; no later ones are answered on it",
        &[(Correct, Count::Some), (Refused, Any)],
    )
    .of(2_000, 8),
    row(
        53,
        Fault::GoAwayFromZero,
        "h2-goaway-from-zero",
        "three GOAWAY with stream 0 as the last, in place of any answer, and the end",
        ALL_REFUSED,
    ),
    row(
        54,
        Fault::GoAwayWithError,
        "h2-goaway-with-error",
        "GOAWAY with INTERNAL_ERROR in place of any answer, and the end",
        ALL_CLOSED,
    ),
    row(55, Fault::Http1Answer, "h2-http1-answer", "answers the preface in HTTP/1.1", ALL_WRONG),
    row(
        56,
        Fault::CutInFrame,
        "h2-cut-in-frame",
        "a head, half a DATA frame, and the end of the connection",
        &[(Truncated, All)],
    ),
    row(
        57,
        Fault::CutBetween,
        "h2-cut-between",
        "ends the connection in place of every 50th answer",
        &[(Correct, Is(1_960)), (ClosedByServer, Is(40))],
    )
    .of(2_000, 1),
    row(58, Fault::StallsAfterHead, "h2-stalls-after-head", "a head and nothing more", ALL_TIMEOUT).waits(),
    row(59, Fault::NeverAnswers, "h2-never-answers", "reads and says nothing", ALL_TIMEOUT).waits(),
    row(0, Fault::GrpcNone, "grpc-none", "nothing wrong", ALL_CORRECT).valid(),
    row(
        60,
        Fault::GrpcTrailersOnly,
        "grpc-trailers-only",
        "grpc-status 5 in a head that is all there is",
        &[(HttpError, All)],
    )
    .valid(),
    row(
        61,
        Fault::GrpcStatusInTrailers,
        "grpc-status-in-trailers",
        "grpc-status 5 behind the message of every 10th answer",
        &[(Correct, Is(1_800)), (HttpError, Is(200))],
    )
    .valid(),
    row(
        62,
        Fault::GrpcNoTrailers,
        "grpc-no-trailers",
        "status 200 and a message, and no trailers",
        ALL_WRONG,
    )
    .keeps(),
    row(63, Fault::GrpcNoStatus, "grpc-no-status", "trailers without grpc-status", ALL_WRONG).keeps(),
    row(
        64,
        Fault::GrpcStatusIsNoNumber,
        "grpc-status-is-no-number",
        "a grpc-status that is no number",
        ALL_WRONG,
    )
    .keeps(),
    row(65, Fault::GrpcLengthLies, "grpc-length-lies", "a message shorter than its prefix says", ALL_WRONG)
        .keeps(),
    row(
        66,
        Fault::GrpcCompressedFlag,
        "grpc-compressed-flag",
        "a message that says it is compressed, without grpc-encoding",
        ALL_WRONG,
    )
    .keeps(),
    row(67, Fault::GrpcWrongContentType, "grpc-wrong-content-type", "content-type text/html", ALL_WRONG)
        .keeps(),
    row(68, Fault::GrpcTwoMessages, "grpc-two-messages", "two messages for a unary call", ALL_WRONG).keeps(),
    row(69, Fault::GrpcNoMessage, "grpc-no-message", "grpc-status 0 and no message", ALL_WRONG).keeps(),
    row(
        70,
        Fault::GrpcWrongMessage,
        "grpc-wrong-message",
        "every 100th message is another one, as long as the right one",
        &[(Correct, Is(1_980)), (WrongAnswer, Is(20))],
    )
    .valid(),
    row(
        71,
        Fault::GrpcHttpError,
        "grpc-http-error",
        "status 503 with a page, as a proxy answers",
        &[(HttpError, All)],
    )
    .keeps(),
    row(72, Fault::GrpcStalls, "grpc-stalls", "a message and no trailers, and nothing more", ALL_TIMEOUT)
        .waits(),
    row(
        73,
        Fault::GrpcRefuses,
        "grpc-refuses-calls",
        "RST_STREAM with REFUSED_STREAM in place of every 10th answer",
        &[(Correct, Is(1_800)), (Refused, Is(200))],
    )
    .valid(),
];

/// The row of that name.
pub fn named(name: &str) -> Option<&'static Row> {
    ALL.iter().find(|row| row.name == name)
}
