//! The loop that carries packets between the devices and the link, by the host's clock.

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::signalfd::SignalFd;
use nix::sys::time::{TimeSpec, TimeValLike};
use std::os::fd::AsFd;

use ackclock_units::{Duration, Time};

use crate::clock::Clock;
use crate::emulator::{Dropped, Emulator, End};
use crate::host::tun::Tun;
use crate::lateness::Lateness;
use crate::report::{Direction, Report};

/// The devices at the ends, and the signals that end the run.
pub(crate) struct Devices {
    pub tuns: [Tun; 2],
    pub signals: SignalFd,
}

/// The most packets read from a device before the other has its turn.
const BATCH: usize = 64;

/// The longest wait.
const LONGEST: Duration = Duration::from_millis(100);

/// The smallest number of packets in a span of which a hundredth is meaningful.
const ENOUGH: u64 = 100;

/// The run of a link.
pub(crate) struct EventLoop {
    emulator: Emulator,
    devices: Devices,
    spin: Duration,
    tolerance: Duration,
    /// The lateness by the end at which packets come out.
    lateness: [Lateness; 2],
    refused: [u64; 2],
    /// The lateness of the present span, and its end.
    span: Lateness,
    span_end: Time,
    late_spans: u64,
}

impl EventLoop {
    pub fn new(emulator: Emulator, devices: Devices, tolerance: Duration, spin: Duration) -> EventLoop {
        EventLoop {
            emulator,
            devices,
            spin,
            tolerance,
            lateness: [Lateness::default(), Lateness::default()],
            refused: [0; 2],
            span: Lateness::default(),
            span_end: Time::ZERO + Report::SPAN,
            late_spans: 0,
        }
    }

    /// Returns the devices, for another link.
    pub fn into_devices(self) -> Devices {
        self.devices
    }

    /// Carries packets until a signal or the end.
    pub fn run(&mut self, clock: Clock, end: Time, on_drop: &mut dyn FnMut(&Dropped)) -> Result<(), String> {
        let mut buffer = vec![0; 1 << 16];
        loop {
            let mut is_busy = false;
            for from in [End::Near, End::Far] {
                for _ in 0..BATCH {
                    let Some(length) = self.devices.tuns[from as usize].read(&mut buffer)? else { break };
                    self.emulator.offer(clock.now(), from, &buffer[..length]);
                    is_busy = true;
                }
                self.emulator.advance(clock.now());
                self.write(clock);
            }
            while let Some(dropped) = self.emulator.dropped() {
                on_drop(&dropped);
            }
            let now = clock.now();
            if now >= self.span_end {
                self.end_span(now);
            }
            if now >= end || (!is_busy && self.wait(now, end)?) {
                return Ok(());
            }
        }
    }

    /// Writes the packets that have crossed the link.
    fn write(&mut self, clock: Clock) {
        while let Some(packet) = self.emulator.outgoing() {
            let end = packet.end as usize;
            self.refused[end] += u64::from(!self.devices.tuns[end].write(&packet.bytes));
            let late = clock.now().since(packet.due);
            self.lateness[end].record(late);
            self.span.record(late);
        }
    }

    /// Waits until a packet arrives or is due. Returns true if a signal came.
    fn wait(&mut self, now: Time, end: Time) -> Result<bool, String> {
        let due = self.emulator.next_due().map_or(end, |due| due.min(end));
        let left = due.since(now);
        if left <= self.spin {
            return self.is_signalled();
        }
        let Devices { tuns: [near, far], signals } = &self.devices;
        let mut files =
            [near.as_fd(), far.as_fd(), signals.as_fd()].map(|file| PollFd::new(file, PollFlags::POLLIN));
        let timeout = TimeSpec::nanoseconds((left - self.spin).min(LONGEST).as_nanos().cast_signed());
        match ppoll(&mut files, Some(timeout), None) {
            Ok(_) | Err(Errno::EINTR) => self.is_signalled(),
            Err(error) => Err(format!("waiting: {error}")),
        }
    }

    fn is_signalled(&self) -> Result<bool, String> {
        let signal = self.devices.signals.read_signal();
        signal.map(|signal| signal.is_some()).map_err(|error| format!("signals: {error}"))
    }

    /// Checks the lateness of a span, and warns the first time that it is too large.
    fn end_span(&mut self, now: Time) {
        let late = self.span.quantile(0.99);
        if self.span.count() >= ENOUGH && late > self.tolerance {
            if self.late_spans == 0 {
                eprintln!("warning: {}", Report::warning(late, self.tolerance));
            }
            self.late_spans += 1;
        }
        self.span.clear();
        self.span_end = now + Report::SPAN;
    }

    /// The report so far.
    pub fn report(&self, names: [&str; 2]) -> Report {
        let direction = |from: End, out: End| Direction {
            name: format!("{}->{}", names[from as usize], names[out as usize]),
            stats: self.emulator.stats(from),
            lateness: self.lateness[out as usize].clone(),
            refused: self.refused[out as usize],
        };
        Report {
            directions: [direction(End::Near, End::Far), direction(End::Far, End::Near)],
            tolerance: self.tolerance,
            late_spans: self.late_spans,
            host_delay: None,
        }
    }
}
