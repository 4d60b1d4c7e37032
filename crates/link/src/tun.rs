//! TUN devices: what the kernel sends to one is read from its descriptor, and what is written there the kernel receives.

use std::fs::{self, OpenOptions};
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::OpenOptionsExt as _;

use rustix::net::{AddressFamily, SocketType, socket};

/// The longest packet, as on an Ethernet.
pub(crate) const MTU: usize = 1_500;
/// Packets that the kernel keeps for the reader; more than any queue of a link holds for long.
const QUEUE: libc::c_int = 10_000;

/// A device, gone once its descriptor is closed.
#[derive(Debug)]
pub(crate) struct Tun {
    pub(crate) descriptor: OwnedFd,
    name: [libc::c_char; libc::IFNAMSIZ],
}

impl Tun {
    /// Makes one in the calling thread's network namespace; a `%d` in its name becomes a number.
    pub(crate) fn new(name: &str) -> io::Result<Self> {
        let file =
            OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK).open("/dev/net/tun")?;
        let mut request = request(&characters(name));
        // Packets as they are, without a header of the kernel's before each. No offload is asked for.
        let flags = libc::IFF_TUN | libc::IFF_NO_PI;
        request.ifr_ifru.ifru_flags = flags as libc::c_short;
        // SAFETY: the kernel reads and writes one `ifreq`, which lives as long as the call.
        let done = unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &raw mut request) };
        if done < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { descriptor: file.into(), name: request.ifr_name })
    }

    /// Gives it its addresses and lets packets pass. To be called in its namespace. What has a loopback address may come and go
    /// through it: that is how both ends call the contender by one.
    pub(crate) fn set_up(&self, own: Ipv4Addr, peer: Ipv4Addr, takes_loopback: bool) -> io::Result<()> {
        let name: String =
            self.name.iter().take_while(|c| **c != 0).map(|c| char::from(c.to_ne_bytes()[0])).collect();
        // Nothing of IPv6 passes; where there is none there is nothing to switch off.
        let _ = fs::write(format!("/proc/sys/net/ipv6/conf/{name}/disable_ipv6"), "1");
        if takes_loopback {
            fs::write(format!("/proc/sys/net/ipv4/conf/{name}/route_localnet"), "1")?;
            for whose in ["all", &name] {
                fs::write(format!("/proc/sys/net/ipv4/conf/{whose}/rp_filter"), "0")?;
            }
        }
        self.ask(libc::SIOCSIFMTU, |request| request.ifr_ifru.ifru_mtu = MTU as libc::c_int)?;
        // Only root of the whole machine may; without, it is the kernel's 500.
        let _ = self.ask(libc::SIOCSIFTXQLEN, |request| request.ifr_ifru.ifru_mtu = QUEUE);
        self.ask(libc::SIOCSIFADDR, |request| request.ifr_ifru.ifru_addr = address(own))?;
        // With it comes the route to the peer.
        self.ask(libc::SIOCSIFDSTADDR, |request| request.ifr_ifru.ifru_dstaddr = address(peer))?;
        self.ask(libc::SIOCSIFFLAGS, is_up)
    }

    fn ask(&self, what: libc::c_ulong, fill: impl FnOnce(&mut libc::ifreq)) -> io::Result<()> {
        ask(&self.name, what, fill)
    }
}

/// Lets the loopback device of the calling thread's namespace work.
pub(crate) fn loopback_up() -> io::Result<()> {
    ask(&characters("lo"), libc::SIOCSIFFLAGS, is_up)
}

fn is_up(request: &mut libc::ifreq) {
    let flags = libc::IFF_UP | libc::IFF_RUNNING;
    request.ifr_ifru.ifru_flags = flags as libc::c_short;
}

fn ask(
    name: &[libc::c_char; libc::IFNAMSIZ],
    what: libc::c_ulong,
    fill: impl FnOnce(&mut libc::ifreq),
) -> io::Result<()> {
    let socket = socket(AddressFamily::INET, SocketType::DGRAM, None)?;
    let mut request = request(name);
    fill(&mut request);
    // SAFETY: the kernel reads and writes one `ifreq`, which lives as long as the call.
    let done = unsafe { libc::ioctl(socket.as_raw_fd(), what as libc::Ioctl, &raw mut request) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn request(name: &[libc::c_char; libc::IFNAMSIZ]) -> libc::ifreq {
    // SAFETY: it is of numbers, and a pointer that nobody follows; zeros are a value of each.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    request.ifr_name = *name;
    request
}

/// A device's name as the kernel takes it; what is too long is cut.
fn characters(name: &str) -> [libc::c_char; libc::IFNAMSIZ] {
    let mut characters = [0; libc::IFNAMSIZ];
    for (place, byte) in characters.iter_mut().take(libc::IFNAMSIZ - 1).zip(name.bytes()) {
        *place = libc::c_char::from_ne_bytes([byte]);
    }
    characters
}

/// `sockaddr_in` in the place of a `sockaddr`: family, port, address.
fn address(address: Ipv4Addr) -> libc::sockaddr {
    let mut data = [0; 14];
    for (place, byte) in data[2..6].iter_mut().zip(address.octets()) {
        *place = libc::c_char::from_ne_bytes([byte]);
    }
    libc::sockaddr { sa_family: libc::AF_INET as libc::sa_family_t, sa_data: data }
}
