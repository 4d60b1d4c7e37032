//! A server in memory, and a session that talks to it.

use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rcgen::{
    BasicConstraints, Certificate, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, date_time_ymd,
};
use rustls::crypto::ring::{Ticketer, default_provider};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::version::{TLS12, TLS13};
use rustls::{CipherSuite, RootCertStore, ServerConfig, ServerConnection, SupportedProtocolVersion};

use super::super::{TlsError, TlsOptions, TlsSession, TlsSettings, TlsVersions, Trust};

pub(crate) const HOST: &str = "velo.test";
/// Everything at once.
pub(crate) const WHOLE: usize = usize::MAX;

/// An authority and what it issues.
pub(crate) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

/// A certificate with its key.
pub(crate) struct Identity {
    pub(crate) certificate: Certificate,
    pub(crate) key: KeyPair,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        // Two authorities of one name would be told apart by their signatures only.
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("authority {}", COUNT.fetch_add(1, Ordering::Relaxed));
        params.distinguished_name.push(DnType::CommonName, name);
        Self { issuer: CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap() }
    }

    pub(crate) fn certificate(&self) -> CertificateDer<'static> {
        self.issuer.der().clone()
    }

    pub(crate) fn pem(&self) -> Vec<u8> {
        self.issuer.pem().into_bytes()
    }

    pub(crate) fn issue(&self, params: CertificateParams) -> Identity {
        let key = KeyPair::generate().unwrap();
        Identity { certificate: params.signed_by(&key, &self.issuer).unwrap(), key }
    }

    pub(crate) fn issue_for(&self, names: &[&str]) -> Identity {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        self.issue(CertificateParams::new(names).unwrap())
    }

    /// A certificate for [`HOST`] that has been out of date for long.
    pub(crate) fn issue_expired(&self) -> Identity {
        let mut params = CertificateParams::new([HOST.to_owned()]).unwrap();
        params.not_before = date_time_ymd(2001, 1, 1);
        params.not_after = date_time_ymd(2002, 1, 1);
        self.issue(params)
    }

    pub(crate) fn issue_client(&self) -> Identity {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        self.issue(params)
    }
}

impl Identity {
    /// A certificate for [`HOST`] that is its own authority, as `openssl req -x509` makes it.
    pub(crate) fn self_signed() -> Self {
        let mut params = CertificateParams::new([HOST.to_owned()]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        Self { certificate: params.self_signed(&key).unwrap(), key }
    }

    fn private_key(&self) -> PrivateKeyDer<'static> {
        PrivateKeyDer::try_from(self.key.serialize_der()).unwrap()
    }
}

/// How a server is set up.
pub(crate) struct Server {
    pub(crate) versions: Vec<&'static SupportedProtocolVersion>,
    pub(crate) suite: Option<CipherSuite>,
    /// Who issues the certificates that clients must have.
    pub(crate) clients: Option<CertificateDer<'static>>,
}

impl Default for Server {
    fn default() -> Self {
        Self { versions: vec![&TLS13, &TLS12], suite: None, clients: None }
    }
}

impl Server {
    pub(crate) fn config(&self, identity: &Identity) -> Arc<ServerConfig> {
        let mut provider = default_provider();
        provider.cipher_suites.retain(|suite| self.suite.is_none_or(|wanted| suite.suite() == wanted));
        let builder = ServerConfig::builder_with_provider(Arc::new(provider))
            .with_protocol_versions(&self.versions)
            .unwrap();
        let builder = match &self.clients {
            None => builder.with_no_client_auth(),
            Some(authority) => {
                let mut roots = RootCertStore::empty();
                roots.add(authority.clone()).unwrap();
                let provider = Arc::new(default_provider());
                builder.with_client_cert_verifier(
                    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap(),
                )
            }
        };
        let chain = vec![identity.certificate.der().clone()];
        let mut config = builder.with_single_cert(chain, identity.private_key()).unwrap();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        config.send_half_rtt_data = self.clients.is_none();
        config.ticketer = Ticketer::new().unwrap();
        Arc::new(config)
    }
}

/// A session and the server that it talks to.
pub(crate) struct Pair {
    pub(crate) client: TlsSession,
    pub(crate) server: ServerConnection,
    /// What the client has received.
    pub(crate) received: Vec<u8>,
}

impl Pair {
    pub(crate) fn new(settings: &TlsSettings, config: &Arc<ServerConfig>) -> Self {
        Self {
            client: TlsSession::new(settings).unwrap(),
            server: ServerConnection::new(Arc::clone(config)).unwrap(),
            received: Vec::new(),
        }
    }

    /// A connection that is set up, both ends with the versions given.
    pub(crate) fn connected(versions: TlsVersions) -> Self {
        let authority = Authority::new();
        let settings = settings(TlsOptions { versions, ..options(&authority) });
        let mut pair = Self::new(&settings, &Server::default().config(&authority.issue_for(&[HOST])));
        pair.exchange(WHOLE).unwrap();
        assert!(!pair.client.is_handshaking());
        pair
    }

    /// Carries bytes both ways, in pieces of `piece` bytes, until nobody has any.
    pub(crate) fn exchange(&mut self, piece: usize) -> Result<(), TlsError> {
        loop {
            let to_server = self.client_output();
            for part in to_server.chunks(piece) {
                self.server_receives(part);
            }
            let to_client = self.server_output();
            for part in to_client.chunks(piece) {
                self.client.receive(part, &mut self.received)?;
            }
            if to_server.is_empty() && to_client.is_empty() {
                return Ok(());
            }
        }
    }

    pub(crate) fn client_output(&mut self) -> Vec<u8> {
        let mut output = Vec::new();
        self.client.take_output(&mut output);
        output
    }

    pub(crate) fn server_output(&mut self) -> Vec<u8> {
        let mut output = Vec::new();
        while self.server.wants_write() {
            self.server.write_tls(&mut output).unwrap();
        }
        output
    }

    /// What the server got out of `ciphertext`.
    pub(crate) fn server_receives(&mut self, mut ciphertext: &[u8]) -> Vec<u8> {
        let mut data = Vec::new();
        while !ciphertext.is_empty() {
            self.server.read_tls(&mut ciphertext).unwrap();
            // The server may refuse the client; it then has an alert for it.
            let Ok(state) = self.server.process_new_packets() else {
                break;
            };
            let start = data.len();
            data.resize(start + state.plaintext_bytes_to_read(), 0);
            self.server.reader().read_exact(&mut data[start..]).unwrap();
        }
        data
    }

    /// The server's records with `data`.
    pub(crate) fn server_sends(&mut self, data: &[u8]) -> Vec<u8> {
        let mut output = Vec::new();
        for part in data.chunks(1 << 14) {
            self.server.writer().write_all(part).unwrap();
            output.extend(self.server_output());
        }
        output
    }

    /// The client's records with `data`.
    pub(crate) fn client_sends(&mut self, data: &[u8]) -> Vec<u8> {
        let mut output = Vec::new();
        self.client.send(data, &mut output).unwrap();
        output
    }
}

/// Options for [`HOST`] that trust `authority` alone.
pub(crate) fn options(authority: &Authority) -> TlsOptions {
    TlsOptions { trust: Trust::Pem(authority.pem()), ..TlsOptions::new(HOST) }
}

pub(crate) fn settings(options: TlsOptions) -> TlsSettings {
    TlsSettings::new(options).unwrap()
}
