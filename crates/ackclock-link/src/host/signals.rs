//! Ctrl-C and similar signals, as a descriptor to wait for.

use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};

/// Blocks the signals that end a program. They are read from the returned descriptor from now on,
/// by threads made later too.
pub(crate) fn block() -> Result<SignalFd, String> {
    let mut set = SigSet::empty();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        set.add(signal);
    }
    set.thread_block().map_err(|error| format!("signals: {error}"))?;
    let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
    SignalFd::with_flags(&set, flags).map_err(|error| format!("signals: {error}"))
}
