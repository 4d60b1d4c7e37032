//! One connection's TLS.

use std::fmt;
use std::sync::Arc;

use rustls::client::UnbufferedClientConnection;
use rustls::unbuffered::{ConnectionState, EncodeError, EncodeTlsData, UnbufferedStatus};
use rustls::{AlertDescription, HandshakeKind, ProtocolVersion, SupportedCipherSuite};

use super::error::TlsError;
use super::records::{HEADER_BYTES, Header, Records};
use super::settings::TlsSettings;

/// What a server may send in a handshake without bringing it forward; rustls takes messages of up to 64 KiB.
const MOST_HANDSHAKE_BYTES: usize = 1 << 18;

/// What a connection agreed on with the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TlsFacts {
    /// As in `TLSv1.3`.
    pub version: &'static str,
    /// The cipher suite by its registered name, as in `TLS_AES_128_GCM_SHA256`.
    pub cipher: &'static str,
}

/// One connection's TLS, on the client's side.
///
/// After an error it is of no more use; what is left to send then, with [`take_output`](Self::take_output), is the
/// alert that tells the server why.
pub(crate) struct TlsSession {
    state: State,
    /// Records that wait to be sent: of the handshake, alerts, key updates.
    output: Vec<u8>,
    keeps_tickets: bool,
    alpn_required: bool,
    was_resumed: Option<bool>,
    facts: Option<TlsFacts>,
    #[cfg(test)]
    records_per_key: Option<u64>,
}

enum State {
    Handshake(Box<Handshake>),
    Records(Box<Records>),
    Failed(TlsError),
}

impl fmt::Debug for TlsSession {
    /// Without keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsSession")
            .field("is_handshaking", &self.is_handshaking())
            .field("was_resumed", &self.was_resumed)
            .field("facts", &self.facts)
            .finish_non_exhaustive()
    }
}

impl TlsSession {
    /// A connection that has not begun; [`take_output`](Self::take_output) has what to send first.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub(crate) fn new(settings: &TlsSettings) -> Result<Self, TlsError> {
        let config = Arc::clone(&settings.config);
        let connection = UnbufferedClientConnection::new(config, settings.server_name.clone())?;
        let mut output = Vec::new();
        let mut handshake =
            Box::new(Handshake { connection, incoming: Vec::new(), given: 0, has_begun: false });
        handshake.advance(&mut output)?;
        Ok(Self {
            state: State::Handshake(handshake),
            output,
            keeps_tickets: settings.resumption,
            alpn_required: settings.alpn_required,
            was_resumed: None,
            facts: None,
            #[cfg(test)]
            records_per_key: settings.records_per_key,
        })
    }

    /// Takes all of `ciphertext` and appends the data in it to `plaintext`; what is left of a record is kept.
    ///
    /// Then [`take_output`](Self::take_output) may have something to send. What comes after the server's closing
    /// alert is ignored.
    ///
    /// # Errors
    /// When the server is not trusted, refuses, or breaks the protocol. `plaintext` then has what came whole before.
    #[inline]
    pub(crate) fn receive(&mut self, ciphertext: &[u8], plaintext: &mut Vec<u8>) -> Result<(), TlsError> {
        if let State::Records(records) = &mut self.state {
            let received = records.receive(ciphertext, plaintext, &mut self.output);
            return received.or_else(|error| self.fail(error));
        }
        self.receive_handshake(ciphertext, plaintext)
    }

    #[cold]
    fn receive_handshake(&mut self, ciphertext: &[u8], plaintext: &mut Vec<u8>) -> Result<(), TlsError> {
        let handshake = match &mut self.state {
            State::Handshake(handshake) => handshake,
            State::Records(_) => return Ok(()),
            State::Failed(error) => return Err(error.clone()),
        };
        match handshake.receive(ciphertext, &mut self.output) {
            Ok(false) => Ok(()),
            Ok(true) => match self.finish_handshake() {
                Ok(rest) if rest.is_empty() => Ok(()),
                Ok(rest) => self.receive(&rest, plaintext),
                Err(error) => self.fail(error),
            },
            Err(error) => self.fail(error),
        }
    }

    /// Takes the keys over from the handshake; the bytes that came after it.
    fn finish_handshake(&mut self) -> Result<Vec<u8>, TlsError> {
        // The state in between is seen only if taking over fails, and is then replaced by the failure.
        let State::Handshake(handshake) =
            std::mem::replace(&mut self.state, State::Failed(TlsError::Handshaking))
        else {
            return Ok(Vec::new());
        };
        let Handshake { connection, mut incoming, given, .. } = *handshake;
        // One that was not offered ends the handshake.
        if self.alpn_required && connection.alpn_protocol().is_none() {
            return Err(TlsError::NoProtocol);
        }
        self.was_resumed = connection.handshake_kind().map(|kind| kind == HandshakeKind::Resumed);
        let rest = incoming.split_off(given);
        let (secrets, connection) = connection.dangerous_into_kernel_connection()?;
        self.facts = Some(facts(connection.protocol_version(), connection.negotiated_cipher_suite()));
        self.state = State::Records(Box::new(Records::new(secrets, connection, self.keeps_tickets)?));
        #[cfg(test)]
        if let Some(wanted) = self.records_per_key
            && let Some(records) = self.records()
        {
            records.set_records_per_key(wanted);
        }
        Ok(rest)
    }

    #[cold]
    fn fail(&mut self, error: TlsError) -> Result<(), TlsError> {
        if let State::Records(records) = &mut self.state
            && !matches!(error, TlsError::Alert(_))
        {
            // The connection ends in any case; that the server is told why is a courtesy.
            let _ = records.send_last_alert(error.alert(), &mut self.output);
        }
        self.state = State::Failed(error.clone());
        Err(error)
    }

    /// Appends records with `plaintext` to `ciphertext`, after what waits to be sent.
    ///
    /// # Errors
    /// Before the handshake is done, after an error, and when the key cannot seal all of it. Long before that it
    /// [is worn out](Self::is_worn_out).
    #[inline]
    pub(crate) fn send(&mut self, plaintext: &[u8], ciphertext: &mut Vec<u8>) -> Result<(), TlsError> {
        self.take_output(ciphertext);
        match &mut self.state {
            State::Records(records) => records.send(plaintext, ciphertext),
            State::Handshake(_) => Err(TlsError::Handshaking),
            State::Failed(error) => Err(error.clone()),
        }
    }

    /// Appends what waits to be sent to `ciphertext`: of the handshake, alerts, key updates. To be called on a new
    /// session and after each [`receive`](Self::receive).
    #[inline]
    pub(crate) fn take_output(&mut self, ciphertext: &mut Vec<u8>) {
        if !self.output.is_empty() {
            // Given back rather than kept: after the handshake it is hardly used.
            ciphertext.extend_from_slice(&std::mem::take(&mut self.output));
            if let State::Records(records) = &mut self.state {
                records.output_was_taken();
            }
        }
    }

    /// Appends the alert that ends the connection cleanly to `ciphertext`; nothing is to be sent after it.
    pub(crate) fn close(&mut self, ciphertext: &mut Vec<u8>) {
        self.take_output(ciphertext);
        if let State::Records(records) = &mut self.state {
            // With a key that is worn out to the last record the connection ends without it.
            let _ = records.send_last_alert(AlertDescription::CloseNotify, ciphertext);
        }
    }

    /// Whether nothing can be sent yet.
    #[inline]
    pub(crate) fn is_handshaking(&self) -> bool {
        matches!(self.state, State::Handshake(_))
    }

    /// Whether an earlier connection's session was resumed; known after the handshake.
    pub(crate) fn was_resumed(&self) -> Option<bool> {
        self.was_resumed
    }

    /// Whether the server said that it sends no more; a connection that ends without that was cut.
    pub(crate) fn has_ended_cleanly(&self) -> bool {
        matches!(&self.state, State::Records(records) if records.has_ended())
    }

    /// Whether the key has sealed nearly as many records as it may and TLS 1.2 gives no other, as after 2^24 with AES-GCM: the
    /// next request needs a new connection. TLS 1.3 renews its keys by itself.
    #[inline(never)]
    pub(crate) fn is_worn_out(&self) -> bool {
        matches!(&self.state, State::Records(records) if records.is_worn_out())
    }

    /// What was agreed on; known after the handshake.
    pub(crate) fn facts(&self) -> Option<TlsFacts> {
        self.facts
    }

    #[cfg(test)]
    pub(super) fn records(&mut self) -> Option<&mut Records> {
        match &mut self.state {
            State::Records(records) => Some(records),
            _ => None,
        }
    }

    #[cfg(test)]
    pub(super) fn held_bytes(&self) -> usize {
        self.output.capacity()
            + match &self.state {
                State::Handshake(handshake) => handshake.incoming.capacity(),
                State::Records(records) => records.held_bytes(),
                State::Failed(_) => 0,
            }
    }
}

/// A connection until it is set up.
struct Handshake {
    connection: UnbufferedClientConnection,
    incoming: Vec<u8>,
    /// Bytes of `incoming`, whole records, that rustls has seen and still works on.
    given: usize,
    /// Whether the server has sent a whole record.
    has_begun: bool,
}

impl Handshake {
    /// Whether the handshake is done; `incoming` after `given` is then what came behind it.
    ///
    /// rustls is given one record at a time, so that it does not open those after the handshake.
    fn receive(&mut self, ciphertext: &[u8], output: &mut Vec<u8>) -> Result<bool, TlsError> {
        self.incoming.extend_from_slice(ciphertext);
        while let Some(record_bytes) = self.next_record()? {
            self.has_begun = true;
            self.given += record_bytes;
            self.advance(output)?;
            if !self.connection.is_handshaking() {
                return Ok(true);
            }
        }
        if self.incoming.len() > MOST_HANDSHAKE_BYTES {
            return Err(TlsError::protocol("a handshake that is too long"));
        }
        Ok(false)
    }

    /// The length of the next record, if all of it has come.
    fn next_record(&self) -> Result<Option<usize>, TlsError> {
        let next = &self.incoming[self.given..];
        let Some(header) = next.first_chunk::<HEADER_BYTES>() else {
            return Ok(None);
        };
        let not_tls = |error| if self.has_begun { error } else { TlsError::NotTls };
        let record_bytes = Header::parse(*header).map_err(not_tls)?.record_bytes();
        Ok((next.len() >= record_bytes).then_some(record_bytes))
    }

    /// Lets rustls work until it needs more bytes.
    fn advance(&mut self, output: &mut Vec<u8>) -> Result<(), TlsError> {
        loop {
            let UnbufferedStatus { discard, state } =
                self.connection.process_tls_records(&mut self.incoming[..self.given]);
            let is_done = match state {
                Ok(ConnectionState::EncodeTlsData(mut data)) => {
                    encode(&mut data, output)?;
                    false
                }
                Ok(ConnectionState::TransmitTlsData(data)) => {
                    data.done();
                    false
                }
                Ok(ConnectionState::BlockedHandshake | ConnectionState::WriteTraffic(_)) => true,
                Ok(_) => return Err(TlsError::protocol("it closed the connection in the handshake")),
                Err(error) => {
                    self.write_alerts(output)?;
                    return Err(error.into());
                }
            };
            self.incoming.drain(..discard);
            self.given -= discard;
            if is_done {
                return Ok(());
            }
        }
    }

    /// Writes what rustls has to say after an error.
    fn write_alerts(&mut self, output: &mut Vec<u8>) -> Result<(), TlsError> {
        // Asked for more than it has to write, rustls would look at records again, which may be gone.
        while self.connection.wants_write() {
            match self.connection.process_tls_records(&mut []).state {
                Ok(ConnectionState::EncodeTlsData(mut data)) => encode(&mut data, output)?,
                _ => break,
            }
        }
        Ok(())
    }
}

fn encode<Data>(data: &mut EncodeTlsData<'_, Data>, output: &mut Vec<u8>) -> Result<(), TlsError> {
    let start = output.len();
    if let Err(EncodeError::InsufficientSize(size)) = data.encode(&mut []) {
        output.resize(start + size.required_size, 0);
        data.encode(&mut output[start..]).map_err(|error| TlsError::Setup(error.to_string()))?;
    }
    Ok(())
}

fn facts(version: ProtocolVersion, suite: SupportedCipherSuite) -> TlsFacts {
    // rustls writes TLS13_ before the suites that the standard names without the version.
    let cipher = match suite.suite().as_str() {
        Some("TLS13_AES_128_GCM_SHA256") => "TLS_AES_128_GCM_SHA256",
        Some("TLS13_AES_256_GCM_SHA384") => "TLS_AES_256_GCM_SHA384",
        Some("TLS13_CHACHA20_POLY1305_SHA256") => "TLS_CHACHA20_POLY1305_SHA256",
        Some(name) => name,
        None => "unknown",
    };
    TlsFacts { version: version_name(version), cipher }
}

/// As in `TLSv1.3`; the others are not spoken.
pub(crate) fn version_name(version: ProtocolVersion) -> &'static str {
    if version == ProtocolVersion::TLSv1_3 { "TLSv1.3" } else { "TLSv1.2" }
}
