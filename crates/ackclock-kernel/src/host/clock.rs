//! The clock of the kernel's records.

use nix::time::{ClockId, clock_gettime};

/// Nanoseconds of the monotonic clock, the one of `bpf_ktime_get_ns`.
pub(super) fn now_ns() -> u64 {
    let time = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("Linux has a monotonic clock");
    time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64
}
