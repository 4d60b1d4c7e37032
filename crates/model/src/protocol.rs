use serde::{Deserialize, Serialize};

/// What a contender is spoken to in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// HTTP/1.1 in clear.
    #[default]
    Http1,
    /// HTTP/1.1 over TLS.
    Https1,
    /// HTTP/2 in clear, by prior knowledge.
    H2c,
    /// HTTP/2 over TLS, agreed on by ALPN.
    H2,
    /// gRPC in clear.
    Grpc,
    /// gRPC over TLS.
    Grpcs,
}

impl Protocol {
    /// All of them, in the order to show them.
    pub const ALL: [Self; 6] = [Self::Http1, Self::Https1, Self::H2c, Self::H2, Self::Grpc, Self::Grpcs];
    /// Those that a run may ask for. Services of gRPC are measured beside any of them: [`Protocol::as_grpc`].
    pub const OF_RUNS: [Self; 4] = [Self::Http1, Self::Https1, Self::H2c, Self::H2];

    /// Its name in manifests, flags and the contender's `PROTOCOL`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Http1 => "http1",
            Self::Https1 => "https1",
            Self::H2c => "h2c",
            Self::H2 => "h2",
            Self::Grpc => "grpc",
            Self::Grpcs => "grpcs",
        }
    }

    /// The protocol of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|protocol| protocol.name() == name)
    }

    /// The protocol of this name that a run may ask for.
    pub fn of_run(name: &str) -> Option<Self> {
        Self::OF_RUNS.into_iter().find(|protocol| protocol.name() == name)
    }

    /// The names of those that a run may ask for.
    pub fn names_of_runs() -> [&'static str; 4] {
        Self::OF_RUNS.map(Self::name)
    }

    /// The names of all, for messages.
    pub fn names() -> [&'static str; 6] {
        Self::ALL.map(Self::name)
    }

    /// What gRPC is carried by beside it: over TLS where it is.
    pub fn as_grpc(self) -> Self {
        if self.is_encrypted() { Self::Grpcs } else { Self::Grpc }
    }

    /// Whether it is gRPC.
    pub fn is_grpc(self) -> bool {
        matches!(self, Self::Grpc | Self::Grpcs)
    }

    /// Whether connections are encrypted.
    pub fn is_encrypted(self) -> bool {
        matches!(self, Self::Https1 | Self::H2 | Self::Grpcs)
    }

    /// Whether it is HTTP/2, in which a connection has streams.
    pub fn is_http2(self) -> bool {
        matches!(self, Self::H2c | Self::H2 | Self::Grpc | Self::Grpcs)
    }

    /// Whether it is the one that everything is measured over unless said otherwise.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl std::fmt::Display for Protocol {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_and_are_those_on_disk() {
        for protocol in Protocol::ALL {
            assert_eq!(Protocol::named(protocol.name()), Some(protocol));
            assert_eq!(serde_json::to_value(protocol).unwrap(), protocol.name());
        }
        assert_eq!(Protocol::named("http2"), None);
        assert!(Protocol::default().is_default() && !Protocol::H2c.is_default());
    }
}
