use super::limits::{MOST_LIVE, MOST_RENDERED_BYTES, MOST_REQUESTS, MOST_SLOTS, MOST_VARIANTS};

/// Why a mix cannot be rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MixError {
    /// No request, or no weight.
    #[error("a mix needs at least one request and, unless they are sent in order, a weight above 0")]
    Empty,
    /// Too many requests.
    #[error("a mix may have at most {MOST_REQUESTS} requests; this one has {0}")]
    TooManyRequests(usize),
    /// The host cannot be a header's value.
    #[error(
        "the host {0:?} has a blank or control character; expected a name or address, with a port if need be"
    )]
    BadHost(String),
    /// A request cannot be rendered.
    #[error("request `{request}`: {problem}")]
    Request {
        /// The request's name.
        request: String,
        /// What is wrong with it.
        problem: RequestProblem,
    },
}

/// What is wrong with a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestProblem {
    /// Too many slots.
    #[error("it has {0} slots; at most {MOST_SLOTS} are possible")]
    TooManySlots(usize),
    /// Too many values that are drawn for each request.
    #[error(
        "{0} of its slots are drawn anew for each request (numbers, counters, rows); at most {MOST_LIVE} are \
         possible: a table gives all cells of a row for one"
    )]
    TooManyLive(usize),
    /// Too many choices.
    #[error("its choices multiply to more than {MOST_VARIANTS} variants; use fewer, or a table")]
    TooManyVariants,
    /// The variants take too much memory.
    #[error(
        "its variants may take {0} bytes, more than {MOST_RENDERED_BYTES}; use fewer choices or a table, or a \
         smaller body"
    )]
    TooLarge(usize),
    /// A choice of nothing.
    #[error("slot {0} is a choice without values")]
    NoChoice(usize),
    /// A range that holds no number.
    #[error("slot {slot} has no number from {min} to {max}")]
    NoNumber {
        /// The slot.
        slot: usize,
        /// The least.
        min: u64,
        /// The greatest.
        max: u64,
    },
    /// A range that holds no number, of those that may be negative.
    #[error("slot {slot} has no number from {min} to {max}")]
    NoSigned {
        /// The slot.
        slot: usize,
        /// The least.
        min: i64,
        /// The greatest.
        max: i64,
    },
    /// A table without rows.
    #[error("the table of slot {0} has no row")]
    NoRow(usize),
    /// Rows of different lengths.
    #[error("row {row} of the table of slot {slot} has {cells} cells; the first row has {columns}")]
    UnevenRow {
        /// The slot.
        slot: usize,
        /// The row, from 1.
        row: usize,
        /// Its cells.
        cells: usize,
        /// The first row's cells.
        columns: usize,
    },
    /// A column that is not there.
    #[error("slot {slot} is column {column} of a table with {columns}, counted from 0")]
    NoColumn {
        /// The slot.
        slot: usize,
        /// Its column, from 0.
        column: usize,
        /// How many there are.
        columns: usize,
    },
    /// A part of a message where there is no message.
    #[error("{0} has a part of a message in binary, which only the body of a call over HTTP/2 may have")]
    Binary(String),
    /// A slot that is not there.
    #[error("{place} uses slot {slot}, but only {slots} are declared")]
    UnknownSlot {
        /// The part of the request.
        place: String,
        /// The slot.
        slot: usize,
        /// How many there are.
        slots: usize,
    },
    /// A method that is no token.
    #[error("the method {0:?} is not a word of letters, digits and !#$%&'*+-.^_`|~")]
    Method(String),
    /// A path that is empty, or may be.
    #[error("the path may be empty; `/` is the shortest")]
    EmptyPath,
    /// A path that would end the request line.
    #[error("the path has a blank or control character in {0}; write it as %20 and the like")]
    Path(String),
    /// A header name that is no token.
    #[error("the header name {0:?} is not a word of letters, digits and !#$%&'*+-.^_`|~")]
    HeaderName(String),
    /// A header value that would end its line.
    #[error("the header `{name}` has a line break or NUL in {value}; remove it")]
    HeaderValue {
        /// The header.
        name: String,
        /// The value or the part of it, quoted.
        value: String,
    },
    /// A header that frames the body.
    #[error("the header `{0}` may not be given: the body's length is written for each request")]
    Framing(String),
    /// A header of the connection, which HTTP/2 has in other ways.
    #[error(
        "the header `{0}` is of HTTP/1.1's connections, and HTTP/2 forbids it; leave it out, or send HTTP/1.1"
    )]
    OfConnection(String),
    /// A method without a path.
    #[error("CONNECT has no path in HTTP/2 and asks for a tunnel, which is not supported")]
    Connect,
    /// A header expectation that no answer can meet.
    #[error("it expects a header named {0:?}, which is not a word of letters, digits and !#$%&'*+-.^_`|~")]
    ExpectedHeader(String),
    /// A length expectation that no answer can meet.
    #[error("it expects a body of at least {min} and at most {max} bytes, which none has")]
    ExpectedLength {
        /// At least.
        min: usize,
        /// At most.
        max: usize,
    },
}
