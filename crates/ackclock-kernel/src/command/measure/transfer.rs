//! Bulk transfers between the two name spaces of a link, by sockets of this process.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use ackclock_units::Duration;
use nix::poll::{PollTimeout, poll};
use nix::sched::{CloneFlags, setns};
use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::TcpCongestion;
use nix::time::{ClockId, clock_gettime};

use super::super::kernel::{TcpInfo, real_time, tcp_info};
use super::link::{FAR, Link};

const PORT: u16 = 5301;

/// The time between two samples of the sender's round-trip time, in milliseconds.
const SAMPLED_EVERY: u16 = 10;

/// The measurements of a flow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flow {
    /// In bit/s, at the receiving application, after the beginning.
    pub goodput: f64,
    /// The total number of packets retransmitted.
    pub retransmissions: u32,
    /// The mean of the smoothed round-trip time in seconds, after the beginning.
    pub mean_rtt: f64,
}

/// Sends as fast as possible on several connections, for this long. The time before `from` does not
/// count.
pub(super) fn transfer(
    link: &Link,
    algorithm: &str,
    flows: usize,
    duration: Duration,
    from: Duration,
) -> Result<Vec<Flow>, String> {
    let mut running = connect(link, algorithm, flows).map_err(|error| format!("{algorithm}: {error}"))?;
    let begin = now();
    let (first, last) = (begin + from.as_secs_f64(), begin + duration.as_secs_f64());
    let mut started = None;
    while now() < last {
        let _ = poll(&mut [], PollTimeout::from(SAMPLED_EVERY));
        let time = now();
        if time < first {
            continue;
        }
        started.get_or_insert(time);
        for flow in &mut running {
            flow.sample().map_err(|error| format!("{algorithm}: {error}"))?;
        }
    }
    let span = now() - started.unwrap_or(first);
    Ok(running.into_iter().map(|flow| flow.end(span)).collect())
}

/// Opens connections with this algorithm from the near to the far name space.
fn connect(link: &Link, algorithm: &str, flows: usize) -> io::Result<Vec<Running>> {
    let [near, far] = link.names();
    let listener = within(far, || TcpListener::bind((FAR, PORT)))?;
    let name = OsString::from(algorithm);
    let mut pairs = Vec::new();
    for _ in 0..flows {
        let sender = within(near, || TcpStream::connect((FAR, PORT)))?;
        setsockopt(&sender, TcpCongestion, &name)?;
        pairs.push((sender, listener.accept()?.0));
    }
    pairs.into_iter().map(|(sender, receiver)| Running::start(sender, receiver)).collect()
}

/// Calls a function in a name space. Sockets that it opens stay there.
fn within<T: Send>(name_space: &str, call: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    let file = File::open(Path::new("/run/netns").join(name_space))?;
    // A thread of its own enters the name space, and ends there.
    let called = thread::scope(|scope| {
        scope
            .spawn(|| {
                setns(file, CloneFlags::CLONE_NEWNET)?;
                call()
            })
            .join()
    });
    called.unwrap_or_else(|_| Err(io::Error::other("the thread in the name space failed")))
}

/// A transfer under way.
struct Running {
    sender: TcpStream,
    received: Arc<AtomicU64>,
    /// Bytes received, and the sum and number of round-trip times, counted after the beginning.
    begun: Option<u64>,
    rtts: (f64, u32),
}

impl Running {
    fn start(sender: TcpStream, mut far: TcpStream) -> io::Result<Running> {
        let received = Arc::new(AtomicU64::new(0));
        let (count, mut source) = (Arc::clone(&received), sender.try_clone()?);
        thread::spawn(move || {
            real_time();
            let bytes = vec![0; 1 << 16];
            // Until the socket is shut down.
            while source.write_all(&bytes).is_ok() {}
        });
        thread::spawn(move || {
            real_time();
            let mut bytes = vec![0; 1 << 18];
            while let Ok(length @ 1..) = far.read(&mut bytes) {
                count.fetch_add(length as u64, Ordering::Relaxed);
            }
        });
        Ok(Running { sender, received, begun: None, rtts: (0.0, 0) })
    }

    fn sample(&mut self) -> io::Result<()> {
        self.begun.get_or_insert(self.received.load(Ordering::Relaxed));
        self.rtts.0 += f64::from(tcp_info(&self.sender)?.rtt_us) * 1e-6;
        self.rtts.1 += 1;
        Ok(())
    }

    fn end(self, span: f64) -> Flow {
        let received = self.received.load(Ordering::Relaxed) - self.begun.unwrap_or(0);
        let TcpInfo { retransmissions, .. } = tcp_info(&self.sender).unwrap_or_default();
        let _ = self.sender.shutdown(Shutdown::Both);
        Flow {
            goodput: received as f64 * 8.0 / span,
            retransmissions,
            mean_rtt: self.rtts.0 / f64::from(self.rtts.1.max(1)),
        }
    }
}

/// Seconds of the monotonic clock.
fn now() -> f64 {
    clock_gettime(ClockId::CLOCK_MONOTONIC)
        .map_or(0.0, |time| time.tv_sec() as f64 + time.tv_nsec() as f64 * 1e-9)
}
