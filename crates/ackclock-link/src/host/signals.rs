//! Ctrl-C and its likes, as something to wait for.

use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};

/// From now on signals that end a program are read, not answered. Threads made later do the same.
pub(crate) fn block() -> Result<SignalFd, String> {
    let mut set = SigSet::empty();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        set.add(signal);
    }
    set.thread_block().map_err(|error| format!("signals: {error}"))?;
    let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
    SignalFd::with_flags(&set, flags).map_err(|error| format!("signals: {error}"))
}
