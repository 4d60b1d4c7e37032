//! Which certificates are accepted.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

use super::error::{TlsError, is_authority_as_server, pem_problem, unverified};

/// Who is believed about a server's certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// The system's certificate authorities: those of `SSL_CERT_FILE` and `SSL_CERT_DIR` if set, else the
    /// distribution's.
    System,
    /// The certificates in these PEM bytes and no others: authorities, or the server's own.
    Pem(Vec<u8>),
    /// Everybody: neither issuer nor name nor date is checked.
    Anything,
}

impl Trust {
    /// # Errors
    /// When there is no certificate that could be believed.
    pub(super) fn verifier(
        &self,
        provider: &Arc<CryptoProvider>,
    ) -> Result<Arc<dyn ServerCertVerifier>, TlsError> {
        match self {
            Self::System => {
                let found = rustls_native_certs::load_native_certs();
                let reason = found.errors.first().map(|error| format!(" ({error})")).unwrap_or_default();
                let none = || TlsError::NoSystemRoots(reason.clone());
                let inner = issued_by(found.certs, provider, none)?;
                Ok(Arc::new(IssuedByOrNamed { inner, named: Vec::new() }))
            }
            Self::Pem(pem) => {
                let certificates = CertificateDer::pem_slice_iter(pem)
                    .collect::<Result<Vec<_>, _>>()
                    .map_err(|error| TlsError::Authorities(pem_problem(&error)))?;
                let none = || TlsError::Authorities("no certificate found".to_owned());
                let inner = issued_by(certificates.clone(), provider, none)?;
                Ok(Arc::new(IssuedByOrNamed { inner, named: certificates }))
            }
            Self::Anything => Ok(Arc::new(Unchecked { schemes: any_schemes(provider) })),
        }
    }
}

fn issued_by(
    certificates: Vec<CertificateDer<'static>>,
    provider: &Arc<CryptoProvider>,
    none: impl Fn() -> TlsError,
) -> Result<Arc<WebPkiServerVerifier>, TlsError> {
    let mut roots = RootCertStore::empty();
    // A system's bundle may hold old certificates that cannot be parsed; the others are good.
    let (added, _) = roots.add_parsable_certificates(certificates);
    if added == 0 {
        return Err(none());
    }
    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
        .build()
        .map_err(|error| TlsError::Setup(error.to_string()))
}

/// Those that can be checked, and those of certificates that need not be.
fn any_schemes(provider: &CryptoProvider) -> Vec<SignatureScheme> {
    let mut schemes = provider.signature_verification_algorithms.supported_schemes();
    schemes.extend([SignatureScheme::ECDSA_NISTP521_SHA512, SignatureScheme::ED448]);
    schemes
}

/// Checks as [`WebPkiServerVerifier`] does, and accepts a server's own certificate if it was named.
///
/// `openssl req -x509` marks what it makes as an authority's, which WebPKI refuses from a server. OpenSSL does
/// not, so tools built on it accept such a certificate when it is named.
#[derive(Debug)]
struct IssuedByOrNamed {
    inner: Arc<WebPkiServerVerifier>,
    named: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for IssuedByOrNamed {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match self.inner.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            // The dates have been checked before this error is found, the name has not.
            Err(Error::InvalidCertificate(problem))
                if is_authority_as_server(&problem) && self.named.contains(end_entity) =>
            {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
                Ok(ServerCertVerified::assertion())
            }
            verdict => verdict,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner
            .verify_tls12_signature(message, certificate, signature)
            .map_err(|error| unverified(error, signature.scheme, signature.signature().len()))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner
            .verify_tls13_signature(message, certificate, signature)
            .map_err(|error| unverified(error, signature.scheme, signature.signature().len()))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }
}

/// Checks nothing, the signature neither: whoever made it would be believed.
#[derive(Debug)]
struct Unchecked {
    schemes: Vec<SignatureScheme>,
}

impl ServerCertVerifier for Unchecked {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.schemes.clone()
    }
}
