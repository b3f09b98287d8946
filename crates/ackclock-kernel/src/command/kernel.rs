//! System calls that the standard library does not offer: real-time priority and `TCP_INFO`.

use std::io;
use std::mem::{size_of, zeroed};
use std::net::TcpStream;
use std::os::fd::AsRawFd;

/// The priority among real-time threads, of 1 to 99: below the priority of the emulated link.
const PRIORITY: libc::c_int = 40;

/// Requests real-time priority for this thread. Returns false if it is refused.
#[expect(unsafe_code, reason = "no safe binding of sched_setscheduler")]
pub(super) fn real_time() -> bool {
    let parameters = libc::sched_param { sched_priority: PRIORITY };
    // SAFETY: the structure lives during the call, and 0 is this thread.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) == 0 }
}

/// The fields of `TCP_INFO` that a measurement needs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TcpInfo {
    /// The smoothed round-trip time in microseconds.
    pub rtt_us: u32,
    /// The total number of packets retransmitted.
    pub retransmissions: u32,
}

/// Asks the kernel about a connection.
#[expect(unsafe_code, reason = "no safe binding of TCP_INFO")]
pub(super) fn tcp_info(socket: &TcpStream) -> io::Result<TcpInfo> {
    // SAFETY: all zeros is a valid structure of integers.
    let mut info: libc::tcp_info = unsafe { zeroed() };
    let mut length = size_of::<libc::tcp_info>() as libc::socklen_t;
    // SAFETY: the socket is open, and the kernel writes no more than `length` bytes.
    let failed = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            (&raw mut info).cast(),
            &raw mut length,
        )
    };
    if failed != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(TcpInfo { rtt_us: info.tcpi_rtt, retransmissions: info.tcpi_total_retrans })
}
