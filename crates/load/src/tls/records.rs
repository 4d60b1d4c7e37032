//! Records after the handshake: opened and sealed in the caller's buffers, with rustls' ciphers.

use rustls::client::ClientConnectionData;
use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, Iv, MessageDecrypter, MessageEncrypter, OutboundPlainMessage,
};
use rustls::kernel::KernelConnection;
use rustls::{
    AlertDescription, ConnectionTrafficSecrets, ContentType, ExtractedSecrets, HandshakeType,
    ProtocolVersion, SupportedCipherSuite,
};

use super::error::TlsError;

/// Type, version and length before each record.
pub(super) const HEADER_BYTES: usize = 5;
/// The most plaintext in a record.
const MOST_PLAIN_BYTES: usize = 1 << 14;
/// The most that a cipher may add to it.
const MOST_EXTRA_BYTES: usize = 2048;
/// The longest message about the connection itself, such as a ticket.
const MOST_MESSAGE_BYTES: usize = 1 << 16;
/// What a key keeps back for requests that are sent together: a gibibyte.
const RESERVED_RECORDS: u64 = 1 << 16;
/// Key updates without data between them. A server that sends nothing else is not serving.
const MOST_KEY_UPDATES: u8 = 32;

/// The head of a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    typ: ContentType,
    version: ProtocolVersion,
    /// Bytes after the header.
    length: usize,
}

impl Header {
    /// # Errors
    /// When these bytes begin no record of TLS.
    #[inline]
    pub(super) fn parse(bytes: [u8; HEADER_BYTES]) -> Result<Self, TlsError> {
        let [typ, major, minor, high, low] = bytes;
        let length = usize::from(u16::from_be_bytes([high, low]));
        if !(20..=23).contains(&typ) || major != 3 {
            return Err(TlsError::protocol("a record of unknown type"));
        }
        if length > MOST_PLAIN_BYTES + MOST_EXTRA_BYTES {
            return Err(TlsError::protocol("a record that is too long"));
        }
        let version = ProtocolVersion::from(u16::from_be_bytes([major, minor]));
        Ok(Self { typ: ContentType::from(typ), version, length })
    }

    /// Bytes of the record, its header included.
    #[inline]
    pub(super) fn record_bytes(self) -> usize {
        HEADER_BYTES + self.length
    }
}

/// A connection after its handshake.
pub(super) struct Records {
    /// For what happens seldom: new keys and tickets.
    connection: KernelConnection<ClientConnectionData>,
    suite: SupportedCipherSuite,
    is_tls13: bool,
    encrypter: Box<dyn MessageEncrypter>,
    decrypter: Box<dyn MessageDecrypter>,
    write_sequence: u64,
    read_sequence: u64,
    /// How many records a key may seal.
    records_per_key: u64,
    /// A record of which not all has come.
    partial: Vec<u8>,
    /// A message about the connection of which not all has come.
    message: Vec<u8>,
    key_updates_left: u8,
    /// Whether an answer to a key update waits to be sent; one is enough for all that come meanwhile.
    has_answered_key_update: bool,
    keeps_tickets: bool,
    has_ended: bool,
    has_closed: bool,
}

impl Records {
    pub(super) fn new(
        secrets: ExtractedSecrets,
        connection: KernelConnection<ClientConnectionData>,
        keeps_tickets: bool,
    ) -> Result<Self, TlsError> {
        let suite = connection.negotiated_cipher_suite();
        let (write_sequence, write_secrets) = secrets.tx;
        let (read_sequence, read_secrets) = secrets.rx;
        let common = match suite {
            SupportedCipherSuite::Tls12(suite) => &suite.common,
            SupportedCipherSuite::Tls13(suite) => &suite.common,
        };
        Ok(Self {
            is_tls13: connection.protocol_version() == ProtocolVersion::TLSv1_3,
            encrypter: encrypter(suite, write_secrets)?,
            decrypter: decrypter(suite, read_secrets)?,
            records_per_key: common.confidentiality_limit,
            connection,
            suite,
            write_sequence,
            read_sequence,
            partial: Vec::new(),
            message: Vec::new(),
            key_updates_left: MOST_KEY_UPDATES,
            has_answered_key_update: false,
            keeps_tickets,
            has_ended: false,
            has_closed: false,
        })
    }

    /// Whether the server said that it sends no more.
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Whether the key may seal little more, and there is no way to a new one.
    pub(super) fn is_worn_out(&self) -> bool {
        let reserved = RESERVED_RECORDS.min(self.records_per_key / 2);
        !self.is_tls13 && self.write_sequence.saturating_add(reserved) >= self.records_per_key
    }

    /// Says that what waited to be sent has been taken.
    pub(super) fn output_was_taken(&mut self) {
        self.has_answered_key_update = false;
    }

    /// Appends what the records in `ciphertext` hold to `plaintext`, and records that must be sent to `output`.
    pub(super) fn receive(
        &mut self,
        mut ciphertext: &[u8],
        plaintext: &mut Vec<u8>,
        output: &mut Vec<u8>,
    ) -> Result<(), TlsError> {
        if !self.partial.is_empty() {
            self.complete_partial(&mut ciphertext, plaintext, output)?;
        }
        while !self.has_ended
            && let Some(header) = ciphertext.first_chunk()
        {
            let header = Header::parse(*header)?;
            let Some((record, rest)) = ciphertext.split_at_checked(header.record_bytes()) else {
                self.partial.reserve_exact(header.record_bytes());
                break;
            };
            self.open(header, &record[HEADER_BYTES..], plaintext, output)?;
            ciphertext = rest;
        }
        if !self.has_ended {
            self.partial.extend_from_slice(ciphertext);
        }
        Ok(())
    }

    /// Moves bytes from the front of `ciphertext` to the record that lacks them.
    fn complete_partial(
        &mut self,
        ciphertext: &mut &[u8],
        plaintext: &mut Vec<u8>,
        output: &mut Vec<u8>,
    ) -> Result<(), TlsError> {
        self.fill_partial(HEADER_BYTES, ciphertext);
        let Some(header) = self.partial.first_chunk() else {
            return Ok(());
        };
        let header = Header::parse(*header)?;
        self.fill_partial(header.record_bytes(), ciphertext);
        if self.partial.len() < header.record_bytes() {
            return Ok(());
        }
        // Given back rather than kept: with many connections and long answers these would be the most memory.
        let record = std::mem::take(&mut self.partial);
        self.open(header, &record[HEADER_BYTES..], plaintext, output)
    }

    fn fill_partial(&mut self, length: usize, ciphertext: &mut &[u8]) {
        let missing = length.saturating_sub(self.partial.len());
        let (front, rest) = ciphertext.split_at(missing.min(ciphertext.len()));
        self.partial.reserve_exact(missing);
        self.partial.extend_from_slice(front);
        *ciphertext = rest;
    }

    #[inline]
    fn open(
        &mut self,
        header: Header,
        sealed: &[u8],
        plaintext: &mut Vec<u8>,
        output: &mut Vec<u8>,
    ) -> Result<(), TlsError> {
        let start = plaintext.len();
        let opened = self.decrypt(header, sealed, plaintext, start);
        let (typ, length) = opened.inspect_err(|_| plaintext.truncate(start))?;
        plaintext.truncate(start + length);
        if typ == ContentType::ApplicationData && self.message.is_empty() {
            self.key_updates_left = MOST_KEY_UPDATES;
            return Ok(());
        }
        let content = plaintext.split_off(start);
        self.about_connection(typ, &content, output)
    }

    /// Puts a record's content at the end of `plaintext`; its type, and its length, which may be less than was added.
    #[inline]
    fn decrypt(
        &mut self,
        header: Header,
        sealed: &[u8],
        plaintext: &mut Vec<u8>,
        start: usize,
    ) -> Result<(ContentType, usize), TlsError> {
        if self.is_tls13 && header.typ != ContentType::ApplicationData {
            return Err(TlsError::protocol("a record in the clear after the handshake"));
        }
        plaintext.extend_from_slice(sealed);
        let record = InboundOpaqueMessage::new(header.typ, header.version, &mut plaintext[start..]);
        let opened = self.decrypter.decrypt(record, self.read_sequence)?;
        self.read_sequence += 1;
        Ok((opened.typ, opened.payload.len()))
    }

    #[cold]
    fn about_connection(
        &mut self,
        typ: ContentType,
        content: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<(), TlsError> {
        match typ {
            ContentType::Handshake => {
                self.message.extend_from_slice(content);
                self.handle_messages(output)
            }
            _ if !self.message.is_empty() => Err(TlsError::protocol("a message that is interrupted")),
            ContentType::Alert => self.handle_alert(content),
            _ => Err(TlsError::protocol("a record that does not belong after the handshake")),
        }
    }

    fn handle_alert(&mut self, content: &[u8]) -> Result<(), TlsError> {
        const WARNING: u8 = 1;
        let &[level, alert] = content else {
            return Err(TlsError::protocol("an alert of the wrong length"));
        };
        match AlertDescription::from(alert) {
            AlertDescription::CloseNotify => {
                self.has_ended = true;
                Ok(())
            }
            AlertDescription::UserCanceled => Ok(()),
            _ if level == WARNING && !self.is_tls13 => Ok(()),
            alert => Err(TlsError::from_alert(alert)),
        }
    }

    /// Handles the whole messages that have come.
    fn handle_messages(&mut self, output: &mut Vec<u8>) -> Result<(), TlsError> {
        const HEAD_BYTES: usize = 4;
        while let Some(&[typ, high, middle, low]) = self.message.first_chunk::<HEAD_BYTES>() {
            let length = u32::from_be_bytes([0, high, middle, low]) as usize;
            if length > MOST_MESSAGE_BYTES {
                return Err(TlsError::protocol("a message that is too long"));
            }
            if self.message.len() < HEAD_BYTES + length {
                break;
            }
            let rest = self.message.split_off(HEAD_BYTES + length);
            let message = std::mem::replace(&mut self.message, rest);
            self.handle_message(HandshakeType::from(typ), &message[HEAD_BYTES..], output)?;
        }
        Ok(())
    }

    fn handle_message(
        &mut self,
        typ: HandshakeType,
        content: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<(), TlsError> {
        match (typ, content) {
            (HandshakeType::NewSessionTicket, _) if self.is_tls13 => {
                if self.keeps_tickets {
                    self.connection.handle_new_session_ticket(content)?;
                }
                Ok(())
            }
            (HandshakeType::KeyUpdate, &[request @ 0..=1]) if self.is_tls13 && self.message.is_empty() => {
                self.handle_key_update(request == KeyUpdate::Requested as u8, output)
            }
            (HandshakeType::HelloRequest, _) if !self.is_tls13 => {
                Err(TlsError::protocol("it asks for another handshake (renegotiation)"))
            }
            _ => Err(TlsError::protocol("a message that does not belong after the handshake")),
        }
    }

    fn handle_key_update(&mut self, is_answer_due: bool, output: &mut Vec<u8>) -> Result<(), TlsError> {
        let left = self.key_updates_left.checked_sub(1);
        self.key_updates_left = left.ok_or_else(|| TlsError::protocol("key updates without end"))?;
        let (sequence, secrets) = self.connection.update_rx_secret()?;
        self.decrypter = decrypter(self.suite, secrets)?;
        self.read_sequence = sequence;
        if is_answer_due && !self.has_answered_key_update {
            self.has_answered_key_update = true;
            self.update_write_key(KeyUpdate::NotRequested, output)?;
        }
        Ok(())
    }

    /// Tells the server, under the old key, that the next record is under a new one.
    fn update_write_key(&mut self, request: KeyUpdate, output: &mut Vec<u8>) -> Result<(), TlsError> {
        let message = [u8::from(HandshakeType::KeyUpdate), 0, 0, 1, request as u8];
        self.seal(ContentType::Handshake, &message, output)?;
        let (sequence, secrets) = self.connection.update_tx_secret()?;
        self.encrypter = encrypter(self.suite, secrets)?;
        self.write_sequence = sequence;
        Ok(())
    }

    /// Whether the key may seal one more record only; that one is for the key update.
    #[inline]
    fn needs_new_key(&self) -> bool {
        self.write_sequence.saturating_add(1) >= self.records_per_key
    }

    /// Appends records with `plaintext` to `ciphertext`: all of it, or nothing when a worn key cannot seal all.
    #[inline]
    pub(super) fn send(&mut self, plaintext: &[u8], ciphertext: &mut Vec<u8>) -> Result<(), TlsError> {
        if !self.is_tls13 {
            let records = plaintext.len().div_ceil(MOST_PLAIN_BYTES) as u64;
            // The last one is for the closing alert.
            if self.write_sequence.saturating_add(records) >= self.records_per_key {
                return Err(TlsError::KeyWornOut);
            }
        }
        for content in plaintext.chunks(MOST_PLAIN_BYTES) {
            if self.is_tls13 && self.needs_new_key() {
                self.update_write_key(KeyUpdate::Requested, ciphertext)?;
            }
            self.seal(ContentType::ApplicationData, content, ciphertext)?;
        }
        Ok(())
    }

    /// Appends an alert to `output`, unless one has ended the connection already.
    pub(super) fn send_last_alert(
        &mut self,
        alert: AlertDescription,
        output: &mut Vec<u8>,
    ) -> Result<(), TlsError> {
        const WARNING: u8 = 1;
        const FATAL: u8 = 2;
        if std::mem::replace(&mut self.has_closed, true) {
            return Ok(());
        }
        let level = if alert == AlertDescription::CloseNotify { WARNING } else { FATAL };
        self.seal(ContentType::Alert, &[level, u8::from(alert)], output)
    }

    #[inline]
    fn seal(&mut self, typ: ContentType, content: &[u8], ciphertext: &mut Vec<u8>) -> Result<(), TlsError> {
        if self.write_sequence >= self.records_per_key {
            return Err(TlsError::KeyWornOut);
        }
        let plain = OutboundPlainMessage { typ, version: ProtocolVersion::TLSv1_2, payload: content.into() };
        let sealed = self.encrypter.encrypt(plain, self.write_sequence)?;
        self.write_sequence += 1;
        ciphertext.extend_from_slice(&sealed.encode());
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn set_records_per_key(&mut self, records: u64) {
        self.records_per_key = records;
    }

    #[cfg(test)]
    pub(super) fn held_bytes(&self) -> usize {
        self.partial.capacity() + self.message.capacity()
    }
}

/// Whether the receiver of a key update must send one too.
#[derive(Clone, Copy)]
enum KeyUpdate {
    NotRequested = 0,
    Requested = 1,
}

fn encrypter(
    suite: SupportedCipherSuite,
    secrets: ConnectionTrafficSecrets,
) -> Result<Box<dyn MessageEncrypter>, TlsError> {
    let (key, iv) = key_and_iv(secrets)?;
    Ok(match suite {
        SupportedCipherSuite::Tls13(suite) => suite.aead_alg.encrypter(key, iv),
        SupportedCipherSuite::Tls12(suite) => {
            let (fixed, explicit) = iv.as_ref().split_at(suite.aead_alg.key_block_shape().fixed_iv_len);
            suite.aead_alg.encrypter(key, fixed, explicit)
        }
    })
}

fn decrypter(
    suite: SupportedCipherSuite,
    secrets: ConnectionTrafficSecrets,
) -> Result<Box<dyn MessageDecrypter>, TlsError> {
    let (key, iv) = key_and_iv(secrets)?;
    Ok(match suite {
        SupportedCipherSuite::Tls13(suite) => suite.aead_alg.decrypter(key, iv),
        SupportedCipherSuite::Tls12(suite) => {
            let (fixed, _) = iv.as_ref().split_at(suite.aead_alg.key_block_shape().fixed_iv_len);
            suite.aead_alg.decrypter(key, fixed)
        }
    })
}

fn key_and_iv(secrets: ConnectionTrafficSecrets) -> Result<(AeadKey, Iv), TlsError> {
    match secrets {
        ConnectionTrafficSecrets::Aes128Gcm { key, iv }
        | ConnectionTrafficSecrets::Aes256Gcm { key, iv }
        | ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv } => Ok((key, iv)),
        _ => Err(TlsError::Setup("the cipher agreed on is not known".to_owned())),
    }
}
