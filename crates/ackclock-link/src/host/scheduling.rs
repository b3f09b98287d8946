//! Wakes that are on time.

use nix::sys::prctl;

/// The priority of the link among real-time threads, of 1 to 99.
pub(crate) const LINK: libc::c_int = 50;

/// The priority of programs at its ends, for which probes stand.
pub(crate) const PROGRAM: libc::c_int = 20;

/// Requests real-time priority and exact timers. Returns false if the priority is refused.
#[expect(unsafe_code, reason = "no safe binding of sched_setscheduler")]
pub(crate) fn real_time(priority: libc::c_int) -> bool {
    // Otherwise timers may be late by 50 us, since the kernel joins wakes.
    let _ = prctl::set_timerslack(1);
    let parameters = libc::sched_param { sched_priority: priority };
    // SAFETY: the structure lives during the call, and 0 is this thread.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) == 0 }
}
