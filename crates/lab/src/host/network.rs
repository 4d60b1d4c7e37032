//! The network between load and contenders: this machine's own, or a link with distance.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use velo_link::LinkHandle;
use velo_record::LinkWindow;

/// The network between load and contenders. The address of a contender is the same on either kind: `127.0.0.1`, with its port.
#[derive(Debug, Clone, Default)]
pub(crate) struct Network {
    /// Where there is one; else both sides are on this machine's own network.
    link: Option<Arc<LinkHandle>>,
    /// The load is where contenders are, so that nothing goes over the link.
    is_together: bool,
}

/// What waits for an answer waits so many round trips longer: for TCP, TLS, the request, and one more.
const ROUND_TRIPS: u32 = 6;

impl Network {
    /// With a link.
    pub(crate) fn over(link: LinkHandle) -> Self {
        Self { link: Some(Arc::new(link)), is_together: false }
    }

    /// The same contenders, and the load where they are: the loopback device of the link's far end, without distance.
    pub(crate) fn together(&self) -> Self {
        Self { link: self.link.clone(), is_together: true }
    }

    /// Whether the load is on another network than this machine's own.
    pub(crate) fn is_apart(&self) -> bool {
        self.link.is_some()
    }

    /// Does something where contenders are.
    pub(crate) fn at_contenders<T: Send>(&self, act: impl FnOnce() -> T + Send) -> io::Result<T> {
        match &self.link {
            Some(link) => link.far().within(act),
            None => Ok(act()),
        }
    }

    /// Does something where the load is. Threads that are started there stay there.
    pub(crate) fn at_load<T: Send>(&self, act: impl FnOnce() -> T + Send) -> io::Result<T> {
        match &self.link {
            Some(link) if self.is_together => link.far().within(act),
            Some(link) => link.near().within(act),
            None => Ok(act()),
        }
    }

    /// Puts a process that was just forked where contenders are. Makes one system call at most.
    pub(crate) fn enter_as_contender(&self) -> io::Result<()> {
        self.link.as_ref().map_or(Ok(()), |link| link.far().enter())
    }

    /// Connects to a contender, from where the load is.
    pub(crate) fn connect(&self, address: SocketAddr, limit: Duration) -> io::Result<TcpStream> {
        self.at_load(|| TcpStream::connect_timeout(&address, limit))?
    }

    /// The link that lies between them, where there is one.
    pub(crate) fn link(&self) -> Option<&LinkHandle> {
        self.link.as_deref().filter(|_| !self.is_together)
    }

    /// How much longer than without a link an exchange may take.
    pub(crate) fn allowance(&self) -> Duration {
        let rtt = self.link().map_or(Duration::ZERO, |link| Duration::from_nanos(link.link().rtt_ns));
        rtt * ROUND_TRIPS
    }

    /// What has passed the link, where there is one.
    pub(crate) fn passed(&self) -> Option<LinkWindow> {
        let (up, down) = self.link()?.counts();
        Some(LinkWindow { up, down })
    }
}
