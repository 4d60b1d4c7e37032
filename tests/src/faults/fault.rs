//! The faults as data.

/// The body that is right.
pub const BODY: &str = "{\"win\": true}";
/// As long, and wrong.
pub const WRONG_BODY: &str = "{\"win\": null}";

/// What a server does wrong, or does rarely enough that clients get it wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Nothing: the control.
    None,
    /// Every 100th body is wrong and of the right length.
    WrongBody,
    /// Every 100th answer has status 500.
    Status500,
    /// Every answer ends halfway through its body.
    Truncated,
    /// Every answer is followed by bytes that are no answer.
    ExtraBytes,
    /// Every answer comes twice.
    TwoAnswers,
    /// Every answer begins with a header line that does not end.
    EndlessHeader,
    /// Every answer has chunks without end.
    EndlessChunks,
    /// Requests are read and never answered.
    NeverAnswers,
    /// The first four connections get five answers each and no more.
    StopsAnswering,
    /// After every 50th answer the connection ends unannounced.
    IdleClose,
    /// Instead of every 50th answer the connection ends.
    RequestLost,
    /// Every answer says `Connection: close` and means it.
    ConnectionClose,
    /// Every 50th connection is reset halfway through a body.
    ResetInBody,
    /// Every answer is HTTP/1.0 without a length and lasts until the connection ends.
    Http10,
    /// 100 and 103 come before every answer.
    InterimAnswers,
    /// Every byte is sent alone.
    ByteByByte,
    /// Bytes that are not HTTP.
    Garbage,
    /// Chunks with extensions, plain and quoted, and trailers.
    ChunkExtensions,
    /// Status 204.
    NoContent,
    /// Status 304 with the length of a body that does not come.
    NotModified,
    /// HEAD is answered with the length of a body that does not come.
    HeadLength,
    /// Nobody listens.
    ClosedPort,
    /// Status 401.
    Unauthorized,
    /// Status 302, to a page that is there.
    Found,
    /// After 500 requests the server dies and is back a second later.
    Outage,
    /// A blank before the `;` of a chunk extension, as the grammar allows.
    BlankInChunkSize,
    /// Every answer has header lines without end.
    EndlessHead,
    /// 100 without end, and never the answer.
    EndlessInterim,
    /// Three early hints with links before every answer.
    EarlyHints,
    /// A share of the answers is delayed.
    Delay,
    /// From time to time everything stands still.
    Freeze,
    /// Long bodies come slowly.
    Bandwidth,
}

/// A fault with what is asked of a client that meets it.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Its place in the list of 25; `-` for the control and `+` for what goes beyond them.
    pub row: &'static str,
    /// The fault.
    pub fault: Fault,
    /// Its name on command lines.
    pub name: &'static str,
    /// What it is, for people.
    pub title: &'static str,
    /// Requests for a run with a fixed count.
    pub requests: u64,
    /// Asked with HEAD.
    pub head: bool,
    /// Means nothing to a client that speaks HTTP/1.0.
    pub needs_http11: bool,
}

impl Row {
    const fn new(row: &'static str, fault: Fault, name: &'static str, title: &'static str) -> Self {
        Self { row, fault, name, title, requests: 2_000, head: false, needs_http11: false }
    }

    const fn few(self) -> Self {
        Self { requests: 64, ..self }
    }

    const fn http11(self) -> Self {
        Self { needs_http11: true, ..self }
    }

    /// One of the 25.
    pub fn is_numbered(&self) -> bool {
        self.row.starts_with(|first: char| first.is_ascii_digit())
    }
}

impl Fault {
    /// All of them.
    pub const ALL: &'static [Row] = &[
        Row::new("-", Self::None, "none", "no fault"),
        Row::new("1", Self::WrongBody, "wrong-body", "wrong body, every 100th"),
        Row::new("2", Self::Status500, "status-500", "status 500, every 100th"),
        Row::new("3", Self::Truncated, "truncated", "truncated"),
        Row::new("4", Self::ExtraBytes, "extra-bytes", "extra bytes"),
        Row::new("5", Self::TwoAnswers, "two-answers", "two answers"),
        Row::new("6", Self::EndlessHeader, "endless-header", "endless header").few(),
        Row::new("7", Self::EndlessChunks, "endless-chunks", "endless chunks").few().http11(),
        Row::new("8", Self::NeverAnswers, "never-answers", "never answers").few(),
        Row::new("9", Self::StopsAnswering, "stops-answering", "4 of 16 connections stop"),
        Row::new("10a", Self::IdleClose, "idle-close", "idle close, every 50th"),
        Row::new("10b", Self::RequestLost, "request-lost", "close, request lost, every 50th"),
        Row::new("11", Self::ConnectionClose, "connection-close", "`Connection: close`"),
        Row::new("12", Self::ResetInBody, "reset-in-body", "reset in the body, every 50th"),
        Row::new("13", Self::Http10, "http-1.0", "HTTP/1.0, until the close"),
        Row::new("14", Self::InterimAnswers, "interim-answers", "100 and 103 first").http11(),
        Row::new("15", Self::ByteByByte, "byte-by-byte", "byte by byte"),
        Row::new("16", Self::Garbage, "garbage", "garbage"),
        Row::new("17", Self::ChunkExtensions, "chunk-extensions", "chunk extensions, trailers").http11(),
        Row::new("18a", Self::NoContent, "status-204", "status 204"),
        Row::new("18b", Self::NotModified, "status-304", "status 304 with a length"),
        Row { head: true, ..Row::new("18c", Self::HeadLength, "head", "HEAD with a length") },
        Row::new("19", Self::ClosedPort, "closed-port", "closed port"),
        Row::new("20a", Self::Unauthorized, "status-401", "status 401"),
        Row::new("20b", Self::Found, "status-302", "status 302"),
        Row::new("21", Self::Outage, "outage", "dies, is back after 1 s"),
        Row::new("+", Self::BlankInChunkSize, "blank-in-chunk-size", "blank before a chunk's `;`").http11(),
        Row::new("+", Self::EndlessHead, "endless-head", "endless head").few(),
        Row::new("+", Self::EndlessInterim, "endless-interim", "100 without end").few().http11(),
        Row::new("+", Self::EarlyHints, "early-hints", "early hints").http11(),
        Row::new("+", Self::Delay, "delay", "a share delayed"),
        Row::new("+", Self::Freeze, "freeze", "everything stands still at times"),
        Row::new("+", Self::Bandwidth, "bandwidth", "long bodies, slowly").few(),
    ];

    /// The fault of that name.
    pub fn named(name: &str) -> Option<&'static Row> {
        Self::ALL.iter().find(|row| row.name == name)
    }

    /// The fault's row.
    pub fn row(self) -> &'static Row {
        let found = Self::ALL.iter().find(|row| row.fault == self);
        found.expect("each fault has a row, as a test shows")
    }

    /// How often it strikes: every so-manieth request.
    pub(super) fn every(self) -> u64 {
        match self {
            Self::WrongBody | Self::Status500 => 100,
            Self::IdleClose | Self::RequestLost | Self::ResetInBody => 50,
            _ => 1,
        }
    }

    /// Whether it strikes the request with this number, from 0.
    pub(super) fn strikes(self, number: u64) -> bool {
        number % self.every() == self.every() - 1
    }
}
