use serde::{Deserialize, Serialize};

/// How a file server answers a request for a file: as it should, or with one of the faults that clients meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Manner {
    /// The whole file with its length.
    Whole,
    /// The connection ends after half of the length that was announced.
    ShortBody,
    /// The body is chunked, and the connection ends within a chunk.
    ChunkedCut,
    /// The connection is reset after half of the file.
    Reset,
    /// Nothing comes after half of the file, and the connection stays open.
    Stall,
    /// Another address has the file.
    Redirect,
    /// Each address names another one.
    RedirectLoop,
    /// There is no such file; the answer has a body of its own.
    NotFound,
    /// The server failed; the answer has a body of its own.
    ServerError,
    /// The body is compressed with gzip, whether or not that was asked for.
    Gzip,
    /// More bytes follow than were announced.
    LongBody,
    /// `100 Continue` comes before the answer, though nobody asked for it.
    Continue,
    /// `103 Early Hints` comes before the answer.
    EarlyHints,
    /// The server says that it closes the connection, and does.
    Close,
    /// No length is announced: the file ends with the connection.
    NoLength,
    /// Half of the file, then the end of the connection; the rest where a part of it is asked for.
    CutOnce,
    /// The same, and the whole file where a part is asked for.
    RangeIgnored,
    /// The same, and a part that begins elsewhere.
    RangeShifted,
    /// The same, and less than the part that was asked for.
    RangeShort,
    /// The same, and the file has changed where a part is asked for.
    ChangedFile,
}

impl Manner {
    /// All of them, as they should come first.
    pub const ALL: [Self; 20] = [
        Self::Whole,
        Self::ShortBody,
        Self::ChunkedCut,
        Self::Reset,
        Self::Stall,
        Self::Redirect,
        Self::RedirectLoop,
        Self::NotFound,
        Self::ServerError,
        Self::Gzip,
        Self::LongBody,
        Self::Continue,
        Self::EarlyHints,
        Self::Close,
        Self::NoLength,
        Self::CutOnce,
        Self::RangeIgnored,
        Self::RangeShifted,
        Self::RangeShort,
        Self::ChangedFile,
    ];

    /// The word that stands for it in an address.
    pub fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::ShortBody => "short-body",
            Self::ChunkedCut => "chunked-cut",
            Self::Reset => "reset",
            Self::Stall => "stall",
            Self::Redirect => "redirect",
            Self::RedirectLoop => "redirect-loop",
            Self::NotFound => "not-found",
            Self::ServerError => "server-error",
            Self::Gzip => "gzip",
            Self::LongBody => "long-body",
            Self::Continue => "continue",
            Self::EarlyHints => "early-hints",
            Self::Close => "close",
            Self::NoLength => "no-length",
            Self::CutOnce => "cut-once",
            Self::RangeIgnored => "range-ignored",
            Self::RangeShifted => "range-shifted",
            Self::RangeShort => "range-short",
            Self::ChangedFile => "changed-file",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|manner| manner.name() == name)
    }

    /// What is sent, for a reader of a table.
    pub fn sends(self) -> &'static str {
        match self {
            Self::Whole => "200, the whole file",
            Self::ShortBody => "200, half of the announced length, then the end of the connection",
            Self::ChunkedCut => "200, chunked, the end of the connection within a chunk",
            Self::Reset => "200, half of the file, then a reset of the connection",
            Self::Stall => "200, half of the file, then nothing",
            Self::Redirect => "302 to the address of the file",
            Self::RedirectLoop => "302 to an address that answers the same, without end",
            Self::NotFound => "404 with a body",
            Self::ServerError => "500 with a body",
            Self::Gzip => "200, Content-Encoding: gzip, whether or not it was asked for",
            Self::LongBody => "200, more bytes than announced, then the end of the connection",
            Self::Continue => "100, then 200 with the whole file",
            Self::EarlyHints => "103, then 200 with the whole file",
            Self::Close => "200 with Connection: close, the whole file, then the end of the connection",
            Self::NoLength => "200 without a length, the whole file, then the end of the connection",
            Self::CutOnce => "short-body; to a request with Range 206, the part",
            Self::RangeIgnored => "short-body; to a request with Range 200, the whole file",
            Self::RangeShifted => {
                "short-body; to a request with Range 206 from half of the offset on, as its Content-Range says"
            }
            Self::RangeShort => {
                "short-body; to a request with Range 206, half of the part, as its Content-Range says"
            }
            Self::ChangedFile => {
                "short-body; to a request with Range 206 of a file with another ETag and other bytes, or 200 with all of it where \
                 If-Range names the first"
            }
        }
    }

    /// What a careful client comes to, in the words in which results are told: it has the file, or it says that it has not.
    pub fn expected(self) -> &'static str {
        match self {
            Self::Whole
            | Self::Redirect
            | Self::Gzip
            | Self::LongBody
            | Self::Continue
            | Self::EarlyHints
            | Self::Close
            | Self::NoLength
            | Self::CutOnce
            | Self::RangeIgnored
            | Self::RangeShort
            | Self::ChangedFile => "whole file",
            Self::ShortBody
            | Self::ChunkedCut
            | Self::Reset
            | Self::Stall
            | Self::RedirectLoop
            | Self::NotFound
            | Self::ServerError
            | Self::RangeShifted => "error",
        }
    }

    /// All that clients are tried with.
    pub fn faults() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|manner| *manner != Self::Whole && !manner.is_of_resuming())
    }

    /// Those that show in a client that resumes what was cut, and in no other.
    pub fn of_resuming() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|manner| manner.is_of_resuming())
    }

    fn is_of_resuming(self) -> bool {
        matches!(
            self,
            Self::CutOnce | Self::RangeIgnored | Self::RangeShifted | Self::RangeShort | Self::ChangedFile
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_a_name_of_its_own() {
        for manner in Manner::ALL {
            assert_eq!(Manner::named(manner.name()), Some(manner));
            assert!(!manner.sends().is_empty());
        }
        assert_eq!(Manner::named("kind"), None);
    }
}
