//! How connections to a server are encrypted.

use std::sync::Arc;

use rustls::ClientConfig;
use rustls::ClientConnection;
use rustls::SupportedProtocolVersion;
use rustls::client::Resumption;
use rustls::crypto::CryptoProvider;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::{Error as PemError, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::version::{TLS12, TLS13};
use rustls::{Error, InconsistentKeys};

use super::error::{TlsError, pem_problem};
use super::store::SessionStore;
use super::trust::Trust;

/// Versions of TLS that are offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TlsVersions {
    /// 1.2 alone.
    Tls12,
    /// 1.3 alone.
    Tls13,
    /// Both: the server takes the newest that it speaks.
    #[default]
    Both,
}

impl TlsVersions {
    fn supported(self) -> Vec<&'static SupportedProtocolVersion> {
        match self {
            Self::Tls12 => vec![&TLS12],
            Self::Tls13 => vec![&TLS13],
            Self::Both => vec![&TLS13, &TLS12],
        }
    }
}

/// What is asked of TLS.
#[derive(Clone)]
pub struct TlsOptions {
    /// The host name or IP address that the server's certificate must be for; a host name is also sent (SNI).
    pub server_name: String,
    /// Who is believed about certificates.
    pub trust: Trust,
    /// Versions to offer.
    pub versions: TlsVersions,
    /// Whether later connections resume the sessions of earlier ones.
    pub resumption: bool,
    /// Protocols to offer (ALPN), the preferred first.
    pub alpn: Vec<Vec<u8>>,
    /// Whether a connection on which none of them was agreed on is of no use. Else the server may leave the choice out.
    pub alpn_required: bool,
    /// The client's certificate chain and its key, each as PEM bytes, for servers that want one.
    pub client_identity: Option<(Vec<u8>, Vec<u8>)>,
}

impl TlsOptions {
    /// Offers HTTP/2 alone, and takes nothing else.
    #[must_use]
    pub fn for_http2(mut self) -> Self {
        self.alpn = vec![b"h2".to_vec()];
        self.alpn_required = true;
        self
    }

    /// The system's authorities, both versions, HTTP/1.1, resumption, no certificate of the client's own.
    pub fn new(server_name: &str) -> Self {
        Self {
            server_name: server_name.to_owned(),
            trust: Trust::System,
            versions: TlsVersions::Both,
            resumption: true,
            alpn: vec![b"http/1.1".to_vec()],
            alpn_required: false,
            client_identity: None,
        }
    }
}

/// How connections to a server are encrypted; shared by all of them.
pub struct TlsSettings {
    /// What they were made of.
    options: TlsOptions,
    pub(super) config: Arc<ClientConfig>,
    pub(super) server_name: ServerName<'static>,
    pub(super) resumption: bool,
    /// A connection needs a protocol that was offered.
    pub(super) alpn_required: bool,
    /// How many records a key may seal, in place of what its cipher allows.
    #[cfg(test)]
    pub(crate) records_per_key: Option<u64>,
}

impl TlsSettings {
    /// Reads the certificates; the system's are read from disk here.
    ///
    /// # Errors
    /// When the server's name, the certificates or the key cannot be used.
    pub fn new(options: TlsOptions) -> Result<Self, TlsError> {
        // As in a URL, an IPv6 address may stand in brackets.
        let bare = options.server_name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let bare = bare.unwrap_or(&options.server_name).to_owned();
        let server_name =
            ServerName::try_from(bare).map_err(|_| TlsError::ServerName(options.server_name.clone()))?;

        let made_of = options.clone();
        let provider = Arc::new(default_provider());
        let verifier = options.trust.verifier(&provider)?;
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&options.versions.supported())
            .map_err(|error| TlsError::Setup(error.to_string()))?
            .dangerous()
            .with_custom_certificate_verifier(verifier);
        let mut config = match options.client_identity {
            None => builder.with_no_client_auth(),
            Some((certificates, key)) => {
                let identity = identity(&certificates, &key, &provider).map_err(TlsError::Identity)?;
                builder.with_client_cert_resolver(Arc::new(SingleCertAndKey::from(identity)))
            }
        };
        config.alpn_protocols = options.alpn;
        config.resumption = match options.resumption {
            true => Resumption::store(Arc::new(SessionStore::default())),
            false => Resumption::disabled(),
        };
        // The data phase is done with the handshake's keys; see the module's head.
        config.enable_secret_extraction = true;
        Ok(Self {
            options: made_of,
            config: Arc::new(config),
            server_name,
            resumption: options.resumption,
            alpn_required: options.alpn_required,
            #[cfg(test)]
            records_per_key: None,
        })
    }

    /// Others that offer these versions, and keep sessions of their own to resume or none.
    ///
    /// # Errors
    /// As [`TlsSettings::new`], for what it reads again.
    pub fn other(&self, versions: TlsVersions, resumption: bool) -> Result<Self, TlsError> {
        Self::new(TlsOptions { versions, resumption, ..self.options.clone() })
    }

    /// One connection's TLS for who reads and writes it by hand.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub(crate) fn blocking(&self) -> Result<ClientConnection, TlsError> {
        Ok(ClientConnection::new(Arc::clone(&self.config), self.server_name.clone())?)
    }

    /// # Errors
    /// When a protocol was to be agreed on and none was. One that was not offered has ended the handshake.
    pub(crate) fn check_alpn(&self, agreed: Option<&[u8]>) -> Result<(), TlsError> {
        if self.alpn_required && agreed.is_none() { Err(TlsError::NoProtocol) } else { Ok(()) }
    }
}

impl std::fmt::Debug for TlsSettings {
    /// Without the client's key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TlsSettings")
            .field("server_name", &self.server_name)
            .field("versions", &self.options.versions)
            .field("resumption", &self.resumption)
            .finish_non_exhaustive()
    }
}

/// The client's chain and key, or what is wrong with them.
fn identity(certificates: &[u8], key: &[u8], provider: &CryptoProvider) -> Result<CertifiedKey, String> {
    let chain = CertificateDer::pem_slice_iter(certificates)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| format!("the chain: {}", pem_problem(&error)))?;
    if chain.is_empty() {
        return Err("no certificate found".to_owned());
    }
    // As PKCS #8 has it, and as older files do.
    let is_encrypted = ["ENCRYPTED PRIVATE KEY", "Proc-Type: 4,ENCRYPTED"]
        .iter()
        .any(|mark| memchr::memmem::find(key, mark.as_bytes()).is_some());
    if is_encrypted {
        return Err("the key is encrypted: `openssl pkey -in KEY -out PLAIN` writes it without its password"
            .to_owned());
    }
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| match error {
        PemError::NoItemsFound => "no private key found".to_owned(),
        error => format!("the key: {}", pem_problem(&error)),
    })?;
    let key = provider.key_provider.load_private_key(key).map_err(|_| {
        "the key is of a kind that velo cannot sign with: it can RSA of 2048 to 4096 bits, ECDSA with P-256 or P-384, and Ed25519"
            .to_owned()
    })?;
    let identity = CertifiedKey::new(chain, key);
    // What cannot be compared is sent as it is: whether a certificate is well-formed is for the server to say.
    match identity.keys_match() {
        Err(Error::InconsistentKeys(InconsistentKeys::KeyMismatch)) => {
            Err("the key is not that of the first certificate".to_owned())
        }
        _ => Ok(identity),
    }
}
