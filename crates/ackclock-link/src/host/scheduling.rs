//! Wakes that are on time.

use nix::sys::prctl;

/// The priority of the link among real-time threads, of 1 to 99.
pub(crate) const LINK: libc::c_int = 50;

/// That of programs at its ends, which probes stand for.
pub(crate) const PROGRAM: libc::c_int = 20;

/// Asks for real-time priority and exact timers. False where the priority is not given.
#[expect(unsafe_code, reason = "no safe binding of sched_setscheduler")]
pub(crate) fn real_time(priority: libc::c_int) -> bool {
    // Timers may be late by 50 us otherwise, so that wakes can be joined.
    let _ = prctl::set_timerslack(1);
    let parameters = libc::sched_param { sched_priority: priority };
    // SAFETY: the structure lives during the call, and 0 is this thread.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) == 0 }
}
