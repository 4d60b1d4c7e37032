//! Sessions that later connections can resume.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustls::NamedGroup;
use rustls::client::{ClientSessionStore, Tls12ClientSessionValue, Tls13ClientSessionValue};
use rustls::pki_types::ServerName;

/// Tickets kept: one for each of so many connections that are opened at the same time. Each holds the server's
/// certificates, some KiB.
const MOST_TICKETS: usize = 1024;

/// What one server gave for resumption, shared by all connections and locked in handshakes only.
///
/// rustls' own cache keeps eight tickets of a server, and a TLS 1.3 ticket is used once: of more than eight
/// connections that are opened together, the others would not be resumed.
#[derive(Debug, Default)]
pub(super) struct SessionStore {
    sessions: Mutex<Sessions>,
}

#[derive(Debug, Default)]
struct Sessions {
    group: Option<NamedGroup>,
    tls12: Option<Tls12ClientSessionValue>,
    tickets: VecDeque<Tls13ClientSessionValue>,
}

impl SessionStore {
    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The name is not looked at: settings are for one server.
impl ClientSessionStore for SessionStore {
    fn set_kx_hint(&self, _: ServerName<'static>, group: NamedGroup) {
        self.sessions().group = Some(group);
    }

    fn kx_hint(&self, _: &ServerName<'_>) -> Option<NamedGroup> {
        self.sessions().group
    }

    fn set_tls12_session(&self, _: ServerName<'static>, value: Tls12ClientSessionValue) {
        self.sessions().tls12 = Some(value);
    }

    fn tls12_session(&self, _: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.sessions().tls12.clone()
    }

    fn remove_tls12_session(&self, _: &ServerName<'static>) {
        self.sessions().tls12 = None;
    }

    fn insert_tls13_ticket(&self, _: ServerName<'static>, value: Tls13ClientSessionValue) {
        let mut sessions = self.sessions();
        if sessions.tickets.len() == MOST_TICKETS {
            sessions.tickets.pop_front();
        }
        sessions.tickets.push_back(value);
    }

    fn take_tls13_ticket(&self, _: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        self.sessions().tickets.pop_back()
    }
}
