//! What a fault is to the matrix, whatever its protocol.

use std::io;
use std::net::SocketAddr;
use std::path::Path;

use super::facts::Facts;

/// A fault that load generators are run against.
pub trait Case: 'static {
    /// Connections of every run.
    const CONNECTIONS: u64;
    /// The server while it runs.
    type Server;

    /// Its name on command lines.
    fn name(&self) -> &'static str;
    /// Its place in the list and what it is, for people.
    fn title(&self) -> String;
    /// Whether it counts among those of which a tool is to get all right.
    fn is_numbered(&self) -> bool;
    /// Requests for a run with a fixed count.
    fn requests(&self) -> u64;
    /// Whether the server is not there, at least for a while.
    fn is_away(&self) -> bool;

    /// Writes the files that tools are given.
    ///
    /// # Errors
    /// When they cannot be written.
    fn prepare(&self, scratch: &Path) -> io::Result<()>;

    /// Starts a server with the fault.
    ///
    /// # Errors
    /// When it cannot listen.
    fn start(&self) -> io::Result<Self::Server>;

    /// Where it listens.
    fn address(server: &Self::Server) -> SocketAddr;

    /// Ends the server, once its clients have gone, and says what it knows.
    fn finish(&self, server: Self::Server) -> Facts;
}
