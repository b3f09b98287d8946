//! TUN devices: packets that a name space sends into one are read here, and packets written here
//! arrive there.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::thread;

use nix::sched::{CloneFlags, setns};

use super::namespace::{NameSpace, ip};

/// The packets that the kernel keeps until they are read: a tenth of a second at a gigabit per
/// second.
const QUEUE: &str = "10000";

nix::ioctl_write_ptr_bad!(set_interface, libc::TUNSETIFF, libc::ifreq);

/// A TUN device in a name space. It disappears when it is closed.
#[derive(Debug)]
pub(crate) struct Tun {
    file: File,
    name: String,
}

impl Tun {
    /// Makes a device in a name space, with an address.
    pub fn open(name_space: &NameSpace, address: &str, mtu: u32) -> Result<Tun, String> {
        let place = name_space.file()?;
        let (address, mtu) = (address.to_owned(), mtu.to_string());
        // A separate thread enters the name space and ends there. The open file remains.
        let made = thread::spawn(move || {
            setns(place, CloneFlags::CLONE_NEWNET).map_err(|error| format!("name space: {error}"))?;
            let tun = create()?;
            let name = tun.name.as_str();
            // The device gets no address of its own, for which the kernel would send packets.
            ip(&["link", "set", "dev", name, "addrgenmode", "none"])?;
            ip(&["address", "add", &address, "dev", name])?;
            ip(&["link", "set", "dev", name, "mtu", &mtu, "txqueuelen", QUEUE, "up"])?;
            Ok(tun)
        });
        made.join().unwrap_or_else(|_| Err("the thread that makes a device has failed".to_owned()))
    }

    /// The name of the device.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads a packet; none if there is none yet.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<Option<usize>, String> {
        match self.file.read(buffer) {
            Ok(length) => Ok(Some(length)),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(None),
            Err(error) => Err(format!("{}: {error}", self.name)),
        }
    }

    /// Writes a packet. Returns false if the host does not take it.
    pub fn write(&mut self, packet: &[u8]) -> bool {
        self.file.write(packet).is_ok()
    }
}

impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// A device with the next free name in the name space of this thread.
#[expect(unsafe_code, reason = "a device is attached by an ioctl")]
fn create() -> Result<Tun, String> {
    let wrong = |error: &dyn std::fmt::Display| format!("/dev/net/tun: {error}");
    let options =
        OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK).open("/dev/net/tun");
    let file = options.map_err(|error| wrong(&error))?;
    // SAFETY: all zeros is a valid request; the name's bytes beyond the text stay zero.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(b"ackclock%d") {
        *to = libc::c_char::from_ne_bytes([*from]);
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short;
    // SAFETY: the file is open and the request lives during the call, which writes the name into it.
    unsafe { set_interface(file.as_raw_fd(), &raw const request) }.map_err(|error| wrong(&error))?;
    let name = request
        .ifr_name
        .iter()
        .map(|byte| byte.to_ne_bytes()[0])
        .take_while(|byte| *byte != 0)
        .map(char::from);
    Ok(Tun { name: name.collect(), file })
}
