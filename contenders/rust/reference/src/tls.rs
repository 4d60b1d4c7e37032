//! TLS between the socket and the protocol.

use std::env;
use std::io::{self, Read, Write};
use std::mem;
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection};

/// What the first record of a client begins with. No method of HTTP does.
pub const HANDSHAKE: u8 = 0x16;

const HTTP2: &[u8] = b"h2";
const HTTP1: &[u8] = b"http/1.1";

/// The settings for all connections, where the environment names a certificate.
pub fn config() -> io::Result<Option<Arc<ServerConfig>>> {
    let (Some(certificate), Some(key)) = (env::var_os("TLS_CERT"), env::var_os("TLS_KEY")) else {
        return Ok(None);
    };
    if certificate.is_empty() || key.is_empty() {
        return Ok(None);
    }
    config_of(certificate.as_ref(), key.as_ref()).map(Some)
}

fn config_of(certificate: &Path, key: &Path) -> io::Result<Arc<ServerConfig>> {
    let named = |name: &str, path: &Path, error: String| {
        io::Error::other(format!("{name}: {}: {error}; expected PEM", path.display()))
    };
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| named("TLS_CERT", certificate, error.to_string()))?;
    let private =
        PrivateKeyDer::from_pem_file(key).map_err(|error| named("TLS_KEY", key, error.to_string()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_no_client_auth()
        .with_single_cert(chain, private)
        .map_err(|error| named("TLS_CERT", certificate, error.to_string()))?;
    config.alpn_protocols = vec![HTTP2.to_vec(), HTTP1.to_vec()];
    Ok(Arc::new(config))
}

/// A connection's records.
pub struct Tls {
    connection: ServerConnection,
    sealed: Vec<u8>,
}

/// The client broke the rules of TLS. The alert is sent with what is sealed next.
#[derive(Debug)]
pub struct Broken;

impl Tls {
    pub fn new(config: Arc<ServerConfig>) -> Result<Tls, rustls::Error> {
        let mut connection = ServerConnection::new(config)?;
        // The caller bounds what it writes.
        connection.set_buffer_limit(None);
        Ok(Tls { connection, sealed: Vec::new() })
    }

    /// Whether the client was told that HTTP/2 is spoken, and nothing else.
    pub fn is_http2(&self) -> bool {
        self.connection.alpn_protocol() == Some(HTTP2)
    }

    /// Appends the plaintext of what has come.
    pub fn open(&mut self, mut records: &[u8], plain: &mut Vec<u8>) -> Result<(), Broken> {
        while !records.is_empty() {
            let read = self.connection.read_tls(&mut records).map_err(|_| Broken)?;
            if read == 0 {
                return Ok(());
            }
            let state = self.connection.process_new_packets().map_err(|_| Broken)?;
            if state.plaintext_bytes_to_read() > 0 {
                let length = plain.len();
                plain.resize(length + state.plaintext_bytes_to_read(), 0);
                self.connection.reader().read_exact(&mut plain[length..]).map_err(|_| Broken)?;
            }
        }
        Ok(())
    }

    /// Replaces what is to be sent by the records that carry it, behind those that TLS itself has to send.
    pub fn seal(&mut self, output: &mut Vec<u8>, is_over: bool) -> io::Result<()> {
        self.connection.writer().write_all(output)?;
        if is_over {
            self.connection.send_close_notify();
        }
        self.sealed.clear();
        while self.connection.wants_write() {
            self.connection.write_tls(&mut self.sealed)?;
        }
        mem::swap(output, &mut self.sealed);
        Ok(())
    }
}
