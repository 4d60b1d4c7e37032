//! TLS of servers that are contenders, with the certificate that they are given.

use std::io;
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// What accepts handshakes with the certificate of `TLS_CERT` and `TLS_KEY`; `None` where they are not set: then it is spoken in clear.
///
/// # Errors
/// When there is no certificate that can be used.
pub(crate) fn of_environment(alpn: &str) -> io::Result<Option<TlsAcceptor>> {
    let file = |name: &str| std::env::var_os(name).map(std::fs::read).transpose();
    let Some(chain) = file("TLS_CERT")? else { return Ok(None) };
    let key = file("TLS_KEY")?.ok_or_else(|| io::Error::other("no TLS_KEY"))?;
    acceptor(&chain, &key, alpn).map(Some)
}

/// What accepts handshakes with a certificate in PEM.
///
/// # Errors
/// When it cannot be used.
pub(crate) fn acceptor(chain: &[u8], key: &[u8], alpn: &str) -> io::Result<TlsAcceptor> {
    let chain: Vec<_> =
        CertificateDer::pem_slice_iter(chain).collect::<Result<_, _>>().map_err(io::Error::other)?;
    let key = PrivateKeyDer::from_pem_slice(key).map_err(io::Error::other)?;
    let config = ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key);
    let mut config = config.map_err(io::Error::other)?;
    config.alpn_protocols = vec![alpn.as_bytes().to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
