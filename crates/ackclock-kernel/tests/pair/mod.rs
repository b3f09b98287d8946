//! Two network name spaces without names, joined by a pair of devices. They are gone with this process, however it ends.

use std::fs::File;
use std::io;
use std::process::Command;
use std::sync::OnceLock;
use std::thread;

use nix::sched::{CloneFlags, setns, unshare};

/// The address of the receiving end.
pub const FAR: &str = "10.78.0.2";

const NEAR: &str = "10.78.0.1";

/// The name spaces, as open files.
pub struct Pair {
    near: File,
    far: File,
}

impl Pair {
    /// The name spaces of this process, made by the first call; a sentence where the machine gives none.
    pub fn get() -> Result<&'static Pair, String> {
        static PAIR: OnceLock<Result<Pair, String>> = OnceLock::new();
        PAIR.get_or_init(Pair::make).as_ref().map_err(String::clone)
    }

    fn make() -> Result<Pair, String> {
        let wrong = |error: io::Error| format!("Tests need two network name spaces: {error}.");
        let pair = Pair { near: name_space().map_err(wrong)?, far: name_space().map_err(wrong)? };
        let far = format!("/proc/{}/fd/{}", std::process::id(), std::os::fd::AsRawFd::as_raw_fd(&pair.far));
        let near = ["link", "add", "veth0", "type", "veth", "peer", "name", "veth0", "netns", &far];
        pair.near(|| ip(&near).and_then(|()| up(NEAR))).map_err(wrong)?;
        pair.far(|| up(FAR)).map_err(wrong)?;
        Ok(pair)
    }

    /// Calls a function in the sender's name space. What it opens stays there.
    pub fn near<T: Send>(&self, call: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        within(&self.near, call)
    }

    /// Calls a function in the receiver's name space.
    pub fn far<T: Send>(&self, call: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        within(&self.far, call)
    }
}

/// A new name space: that of a thread, which ends and leaves the open file.
fn name_space() -> io::Result<File> {
    let made = thread::spawn(|| {
        unshare(CloneFlags::CLONE_NEWNET)?;
        File::open("/proc/thread-self/ns/net")
    });
    made.join().unwrap_or_else(|_| Err(io::Error::other("the thread that makes it failed")))
}

fn within<T: Send>(name_space: &File, call: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    let called = thread::scope(|scope| {
        let in_it = || {
            setns(name_space, CloneFlags::CLONE_NEWNET)?;
            call()
        };
        scope.spawn(in_it).join()
    });
    called.unwrap_or_else(|_| Err(io::Error::other("the thread in the name space failed")))
}

/// An address, and devices that are up.
fn up(address: &str) -> io::Result<()> {
    ip(&["address", "add", &format!("{address}/24"), "dev", "veth0"])?;
    ip(&["link", "set", "veth0", "up"])?;
    ip(&["link", "set", "lo", "up"])
}

fn ip(arguments: &[&str]) -> io::Result<()> {
    let output = Command::new("ip").args(arguments).output()?;
    let message = String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(()) } else { Err(io::Error::other(message.trim().to_owned())) }
}
