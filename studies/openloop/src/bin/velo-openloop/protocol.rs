use crate::Outcome;

/// What server and tools speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    Http1,
    /// HTTP/2 in clear.
    H2c,
}

impl Protocol {
    pub(crate) fn named(name: &str) -> Outcome<Self> {
        match name {
            "http1" => Ok(Self::Http1),
            "h2c" => Ok(Self::H2c),
            _ => Err(format!("no protocol `{name}`; expected http1 or h2c").into()),
        }
    }

    /// As `PROTOCOL` in the environment says.
    pub(crate) fn wanted() -> Outcome<Self> {
        std::env::var("PROTOCOL").map_or(Ok(Self::Http1), |name| Self::named(&name))
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Http1 => "http1",
            Self::H2c => "h2c",
        }
    }
}
