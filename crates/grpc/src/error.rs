/// Why there is no method to call.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// Protos that cannot be compiled, a set that is none.
    #[error("{0}")]
    Unusable(String),
    /// A method that is not written as one.
    #[error("`{0}` is no method\n  expected package.Service/Method")]
    NotAMethod(String),
    /// A service that is not there.
    #[error("there is no service `{service}`{}", nearby(known))]
    NoService {
        /// What was asked for.
        service: String,
        /// The services that there are.
        known: Vec<String>,
    },
    /// A method that the service does not have.
    #[error("`{service}` has no method `{method}`{}", nearby(known))]
    NoMethod {
        /// The service.
        service: String,
        /// What was asked for.
        method: String,
        /// The methods that there are.
        known: Vec<String>,
    },
    /// The server does not say what it has.
    #[error("{0}")]
    Reflection(String),
}

fn nearby(known: &[String]) -> String {
    const MOST: usize = 8;
    let (shown, more) = (&known[..known.len().min(MOST)], known.len().saturating_sub(MOST));
    match (shown, more) {
        ([], _) => String::new(),
        (_, 0) => format!("\n  there are: {}", shown.join(", ")),
        _ => format!("\n  there are: {} and {more} more", shown.join(", ")),
    }
}

impl SchemaError {
    /// Whether a name is written as a method's, and there is none of it.
    pub fn is_unknown_method(&self) -> bool {
        matches!(self, Self::NoService { .. } | Self::NoMethod { .. })
    }
}

/// Why JSON is no message.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{what}\n  {expected}", if place.is_empty() { String::new() } else { format!("`{place}`: ") })]
pub struct EncodeError {
    /// Where in the JSON, as in `user.name`; empty for the whole.
    pub place: String,
    /// What is wrong.
    pub what: String,
    /// What was expected.
    pub expected: String,
}

impl EncodeError {
    pub(crate) fn new(place: &str, what: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { place: place.to_owned(), what: what.into(), expected: expected.into() }
    }
}
