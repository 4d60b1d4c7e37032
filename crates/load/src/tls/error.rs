//! What goes wrong with TLS, in words for people.

use std::sync::Arc;

use rustls::pki_types::pem;
use rustls::{
    AlertDescription, CertificateError, Error, OtherError, PeerIncompatible, PeerMisbehaved, SignatureScheme,
};

use crate::show::plain;

/// Why there is no TLS connection, or no longer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TlsError {
    /// A name that no certificate can be checked against.
    #[error(
        "`{0}` is neither a host name nor an IP address; a name with letters outside ASCII is written as xn--.."
    )]
    ServerName(String),
    /// The system has no certificate authorities; the reason, if one is known.
    #[error(
        "the system has no certificate authorities{0}; install the package ca-certificates, set SSL_CERT_FILE, \
         or name a file with --cacert"
    )]
    NoSystemRoots(String),
    /// The certificate authorities that were named cannot be used.
    #[error("the certificate authorities cannot be used: {0}; expected certificates in PEM")]
    Authorities(String),
    /// The client's certificate or key cannot be used.
    #[error(
        "the client's certificate cannot be used: {0}; expected a chain of certificates and its key in PEM"
    )]
    Identity(String),
    /// The settings do not fit together, or the system refuses what TLS needs.
    #[error("TLS cannot be set up: {0}")]
    Setup(String),
    /// The server's certificate is not trusted; why.
    #[error("the certificate is not trusted: {0}; -k accepts it, --cacert FILE trusts its authority")]
    NotTrusted(String),
    /// The server's certificate is no longer valid, or not yet; in days.
    #[error("the certificate {0}; -k accepts it")]
    OutOfDate(String),
    /// The server's certificate is for other names.
    #[error("the certificate is for {}, not `{expected}`; -k accepts it", quoted(.presented))]
    WrongName {
        /// The names in the certificate.
        presented: Vec<String>,
        /// The name that was asked for.
        expected: String,
    },
    /// What answers does not speak TLS.
    #[error("the server does not answer with TLS; is it http:// and not https://?")]
    NotTls,
    /// The server leaves the protocol open that the connection was to agree on.
    #[error("the server does not agree on HTTP/2 by ALPN, so it speaks HTTP/1.1; leave --http2 out")]
    NoProtocol,
    /// No version, cipher or key exchange in common; which.
    #[error("the server and velo have no TLS in common: {0}")]
    Incompatible(String),
    /// The server ended the connection with an alert; its name and what it tends to mean.
    #[error("the server refused with the TLS alert {0}")]
    Alert(String),
    /// A record that was not sealed with the connection's key, or was changed on the way.
    #[error("a TLS record from the server cannot be decrypted")]
    Undecipherable,
    /// The server broke the protocol's rules; which.
    #[error("the server broke the rules of TLS: {0}")]
    Protocol(String),
    /// TLS 1.2 cannot renew its keys, and these have sealed as many records as they may.
    #[error("the connection's TLS 1.2 key has been used as often as it may; open a new connection")]
    KeyWornOut,
    /// Something was to be sent before the handshake was done.
    #[error("nothing can be sent before the TLS handshake is done")]
    Handshaking,
}

impl TlsError {
    pub(super) fn protocol(what: &str) -> Self {
        Self::Protocol(what.to_owned())
    }

    /// The alert that tells the server why the connection ends.
    pub(super) fn alert(&self) -> AlertDescription {
        match self {
            Self::Undecipherable => AlertDescription::BadRecordMac,
            Self::Protocol(_) => AlertDescription::UnexpectedMessage,
            _ => AlertDescription::InternalError,
        }
    }

    /// The error for an alert that the server sent.
    pub(super) fn from_alert(alert: AlertDescription) -> Self {
        let hint = match alert {
            AlertDescription::HandshakeFailure => {
                " (no cipher in common, it wants a client certificate, or its own has a key such as P-521, which velo takes only with --insecure)"
            }
            AlertDescription::ProtocolVersion => " (it does not speak the TLS versions that were offered)",
            AlertDescription::UnrecognisedName => " (it does not know the host name)",
            AlertDescription::NoApplicationProtocol => {
                " (it does not speak the protocol that was offered by ALPN: http/1.1, or with --http2 h2)"
            }
            AlertDescription::CertificateRequired => " (it wants a client certificate)",
            _ => "",
        };
        let name = match alert.as_str() {
            Some(name) => snake_case(name),
            None => format!("{}", u8::from(alert)),
        };
        Self::Alert(format!("{name}{hint}"))
    }
}

impl From<Error> for TlsError {
    fn from(error: Error) -> Self {
        match error {
            Error::InvalidCertificate(problem) => certificate(problem),
            Error::AlertReceived(alert) => Self::from_alert(alert),
            Error::PeerIncompatible(what) => Self::Incompatible(incompatible(&what)),
            Error::PeerMisbehaved(PeerMisbehaved::SelectedUnofferedApplicationProtocol) => Self::NoProtocol,
            Error::DecryptError => Self::Undecipherable,
            Error::FailedToGetRandomBytes | Error::FailedToGetCurrentTime | Error::General(_) => {
                Self::Setup(error.to_string())
            }
            Error::PeerMisbehaved(what) => Self::Protocol(words(&format!("{what:?}"))),
            Error::InvalidMessage(what) => {
                Self::Protocol(format!("a malformed message: {}", words(&format!("{what:?}"))))
            }
            Error::InappropriateMessage { .. } | Error::InappropriateHandshakeMessage { .. } => {
                Self::Protocol("a message that does not belong there".to_owned())
            }
            other => Self::Protocol(words(&format!("{other:?}"))),
        }
    }
}

fn certificate(problem: CertificateError) -> TlsError {
    const DAY_S: u64 = 24 * 60 * 60;
    match problem {
        CertificateError::UnknownIssuer => TlsError::NotTrusted("unknown issuer".to_owned()),
        CertificateError::BadSignature => {
            TlsError::NotTrusted(
                "it is not signed by the issuer that it names, or with an RSA key of fewer than 2048 bits"
                    .to_owned(),
            )
        }
        CertificateError::BadEncoding => TlsError::NotTrusted("it is malformed".to_owned()),
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            TlsError::NotTrusted("it is not for servers".to_owned())
        }
        CertificateError::NotValidForNameContext { expected, presented } => TlsError::WrongName {
            presented: presented.iter().map(|name| bare_name(name).to_owned()).collect(),
            expected: expected.to_str().into_owned(),
        },
        CertificateError::ExpiredContext { time, not_after } => {
            let days = time.as_secs().saturating_sub(not_after.as_secs()) / DAY_S;
            TlsError::OutOfDate(format!("expired {days} days ago"))
        }
        CertificateError::NotValidYetContext { time, not_before } => {
            let days = not_before.as_secs().saturating_sub(time.as_secs()) / DAY_S;
            TlsError::OutOfDate(format!("is valid only in {days} days"))
        }
        other if is_authority_as_server(&other) => {
            TlsError::NotTrusted("it is self-signed".to_owned())
        }
        #[allow(deprecated)]
        CertificateError::UnsupportedSignatureAlgorithm
        | CertificateError::UnsupportedSignatureAlgorithmContext { .. }
        | CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => TlsError::NotTrusted(
            "it is signed in a way that velo cannot check: it can RSA of 2048 to 8192 bits, ECDSA with P-256 \
             or P-384, and Ed25519"
                .to_owned(),
        ),
        CertificateError::Other(other) if other.0.is::<UncheckedKey>() => {
            TlsError::NotTrusted(other.0.to_string())
        }
        CertificateError::Other(other) if other.0.to_string() == "UnsupportedCertVersion" => {
            TlsError::NotTrusted(
                "it is of another version than X.509 v3, as `openssl x509 -req` makes it without -extfile"
                    .to_owned(),
            )
        }
        CertificateError::Other(other) => TlsError::NotTrusted(words(&other.0.to_string())),
        other => TlsError::NotTrusted(words(&format!("{other:?}"))),
    }
}

/// A server's key that has not signed the handshake, as far as can be told.
#[derive(Debug, thiserror::Error)]
enum UncheckedKey {
    #[error("its key is RSA of {bits} bits, and velo can check 2048 to 8192 bits")]
    Rsa { bits: usize },
    #[error("the server does not hold its key")]
    Another,
}

/// Why the signature of a handshake, of so many bytes, was not accepted.
pub(super) fn unverified(error: Error, scheme: SignatureScheme, signature_bytes: usize) -> Error {
    let is_rsa = matches!(
        scheme,
        SignatureScheme::RSA_PKCS1_SHA256
            | SignatureScheme::RSA_PKCS1_SHA384
            | SignatureScheme::RSA_PKCS1_SHA512
            | SignatureScheme::RSA_PSS_SHA256
            | SignatureScheme::RSA_PSS_SHA384
            | SignatureScheme::RSA_PSS_SHA512
    );
    // RSA signs with as many bits as its key has (RFC 8017, 8).
    let bits = 8 * signature_bytes;
    let key = match error {
        _ if is_rsa && !(2048..=8192).contains(&bits) => UncheckedKey::Rsa { bits },
        Error::InvalidCertificate(CertificateError::BadSignature) => UncheckedKey::Another,
        error => return error,
    };
    Error::InvalidCertificate(CertificateError::Other(OtherError(Arc::new(key))))
}

/// What is wrong with a file of certificates or keys.
pub(super) fn pem_problem(error: &pem::Error) -> String {
    let shown = |line: &[u8]| plain(String::from_utf8_lossy(line).trim_end());
    match error {
        pem::Error::MissingSectionEnd { end_marker } => {
            format!("no line `-----END {}-----`", shown(end_marker))
        }
        pem::Error::IllegalSectionStart { line } => format!("a malformed line `{}`", shown(line)),
        pem::Error::Base64Decode(_) => "what stands between BEGIN and END is not base64".to_owned(),
        other => other.to_string(),
    }
}

/// A name of the library's as words: `NoCipherSuitesInCommon` without what it holds.
fn words(name: &str) -> String {
    let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
    snake_case(&name[..end]).replace('_', " ")
}

/// Whether the certificate was refused because it is marked as an authority's, as `openssl req -x509` does.
pub(super) fn is_authority_as_server(problem: &CertificateError) -> bool {
    // rustls hands the verifier's own error on as text only, unless its crate became a dependency for one name.
    matches!(problem, CertificateError::Other(other) if other.0.to_string() == "CaUsedAsEndEntity")
}

fn incompatible(what: &PeerIncompatible) -> String {
    match what {
        PeerIncompatible::ServerDoesNotSupportTls12Or13 => "it speaks none newer than 1.1".to_owned(),
        PeerIncompatible::ServerTlsVersionIsDisabledByOurConfig => {
            "it speaks another version than was asked for".to_owned()
        }
        other => words(&format!("{other:?}")),
    }
}

/// The name within what the verifier writes: `DnsName("a")`, `IpAddress(::1)`.
fn bare_name(name: &str) -> &str {
    let inner = name.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')')).unwrap_or(name);
    inner.trim_matches('"')
}

fn quoted(names: &[String]) -> String {
    const MOST_NAMES: usize = 5;
    let shown: Vec<String> = names.iter().take(MOST_NAMES).map(|name| format!("`{name}`")).collect();
    match names.len().saturating_sub(MOST_NAMES) {
        _ if shown.is_empty() => "no name".to_owned(),
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    let mut after_lower = false;
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && after_lower {
            snake.push('_');
        }
        after_lower = letter.is_ascii_lowercase();
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alerts_have_the_names_of_the_standard() {
        assert_eq!(
            TlsError::from_alert(AlertDescription::UnknownCA).to_string(),
            "the server refused with the TLS alert unknown_ca"
        );
        assert_eq!(
            TlsError::from_alert(AlertDescription::CertificateRequired).to_string(),
            "the server refused with the TLS alert certificate_required (it wants a client certificate)"
        );
        assert_eq!(
            TlsError::from_alert(AlertDescription::Unknown(200)).to_string(),
            "the server refused with the TLS alert 200"
        );
    }

    #[test]
    fn a_key_that_cannot_be_checked_is_not_taken_for_a_wrong_issuer() {
        let bad = || Error::InvalidCertificate(CertificateError::BadSignature);
        let told = |error, scheme, bytes| TlsError::from(unverified(error, scheme, bytes)).to_string();
        let untrusted = |why: &str| TlsError::NotTrusted(why.to_owned()).to_string();
        assert_eq!(
            told(bad(), SignatureScheme::RSA_PSS_SHA256, 128),
            untrusted("its key is RSA of 1024 bits, and velo can check 2048 to 8192 bits")
        );
        let not_its_key = untrusted("the server does not hold its key");
        assert_eq!(told(bad(), SignatureScheme::RSA_PSS_SHA256, 256), not_its_key);
        assert_eq!(told(bad(), SignatureScheme::ECDSA_NISTP256_SHA256, 72), not_its_key);
    }

    #[test]
    fn no_name_of_the_library_is_shown_as_it_is_written_there() {
        let other = |name: &'static str| {
            let error: Box<dyn std::error::Error + Send + Sync> = name.into();
            Error::InvalidCertificate(CertificateError::Other(OtherError(Arc::from(error))))
        };
        let cases = [
            (other("UnsupportedCertVersion"), "of another version than X.509 v3"),
            (other("PathLenConstraintViolated"), "path len constraint violated"),
            (CertificateError::Revoked.into(), "not trusted: revoked;"),
            (
                CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext {
                    signature_algorithm_id: vec![1],
                    public_key_algorithm_id: vec![2],
                }
                .into(),
                "signed in a way that velo cannot check",
            ),
            (PeerIncompatible::NoCipherSuitesInCommon.into(), "in common: no cipher suites in common"),
            (PeerMisbehaved::DuplicateServerHelloExtensions.into(), "duplicate server hello extensions"),
        ];
        for (error, wanted) in cases {
            let text = TlsError::from(error).to_string();
            assert!(text.contains(wanted), "{text}");
        }
    }

    #[test]
    fn a_certificate_with_many_names_is_not_printed_whole() {
        let names: Vec<String> = (0..8).map(|n| format!("h{n}")).collect();
        assert_eq!(quoted(&names), "`h0`, `h1`, `h2`, `h3`, `h4` and 3 more");
        assert_eq!(quoted(&names[..1]), "`h0`");
        assert_eq!(quoted(&[]), "no name");
        assert_eq!(bare_name("DnsName(\"*.a.b\")"), "*.a.b");
        assert_eq!(bare_name("IpAddress(::1)"), "::1");
    }
}
