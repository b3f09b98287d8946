//! A path in rounds: the window goes out, waits in one queue, and comes back as acknowledgments.

pub mod paced_link;
pub mod stream;

use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{Ack, Congestion, CongestionControl, Signal, Start};
use ackclock_units::{Duration, Time};

pub const BASE_RTT: Duration = Duration::from_millis(50);

/// A sender's controller on a path that carries `capacity` packets per base round-trip time and queues the others.
pub struct Path {
    pub controller: Box<dyn CongestionControl>,
    pub capacity: f64,
    /// Packets that one acknowledgment acknowledges.
    pub segments_per_ack: u32,
    /// The smoothed round-trip time in acknowledgments.
    pub srtt: Duration,
    now: Time,
    round: u64,
}

impl Path {
    pub fn new(spec: &str, initial_window: f64, initial_ssthresh: f64, capacity: f64) -> Path {
        let spec: ControllerSpec = spec.parse().expect("a test's specification");
        let controller = spec.build(&Start { initial_window, initial_ssthresh, ..Start::default() });
        Path { controller, capacity, segments_per_ack: 1, srtt: BASE_RTT, now: Time::ZERO, round: 0 }
    }

    /// A path that never queues.
    pub fn wide(spec: &str, initial_window: f64, initial_ssthresh: f64) -> Path {
        Path::new(spec, initial_window, initial_ssthresh, f64::INFINITY)
    }

    pub fn cwnd(&self) -> f64 {
        self.controller.decision().cwnd
    }

    /// Packets of the present window that would wait.
    pub fn queued(&self) -> f64 {
        (self.cwnd() - self.capacity).max(0.0)
    }

    /// The round-trip time of the present window.
    pub fn rtt(&self) -> Duration {
        BASE_RTT.mul_f64((self.cwnd() / self.capacity).max(1.0))
    }

    /// One round trip: the whole packets of the window go out, and the last of their acknowledgments comes back.
    pub fn round(&mut self) {
        let rtt = self.rtt();
        self.round_of(|_| Some(rtt), true);
    }

    pub fn rounds(&mut self, count: u32) {
        for _ in 0..count {
            self.round();
        }
    }

    /// One round trip whose acknowledgments, by number, measure these times, and may grow the window or not.
    pub fn round_of(&mut self, rtt: impl Fn(u32) -> Option<Duration>, may_grow: bool) {
        let packets = self.cwnd().floor() as u32;
        self.round += 1;
        self.now += self.rtt();
        for index in 0..packets.div_ceil(self.segments_per_ack) {
            let delivered = self.segments_per_ack.min(packets - index * self.segments_per_ack);
            self.ack(f64::from(delivered), rtt(index), may_grow);
        }
    }

    pub fn advance(&mut self, span: Duration) {
        self.now += span;
    }

    pub fn ack(&mut self, delivered: f64, rtt: Option<Duration>, may_grow: bool) {
        self.controller.on_ack(&Ack {
            now: self.now,
            delivered,
            in_flight: self.cwnd().floor(),
            rtt,
            srtt: self.srtt,
            min_rtt: BASE_RTT,
            round: self.round,
            suspended: !may_grow,
            advanced: true,
            window_limited: true,
            ..Ack::default()
        });
    }

    pub fn congestion(&mut self, signal: Signal, restart: bool) {
        let flight = self.cwnd();
        let now = self.now;
        self.controller.on_congestion(&Congestion { now, signal, flight, restart, repeated: false });
    }

    pub fn loss(&mut self) {
        self.congestion(Signal::Loss, false);
    }

    pub fn timeout(&mut self) {
        self.congestion(Signal::Timeout, true);
    }

    pub fn repeated_timeout(&mut self) {
        let event = Congestion {
            now: self.now,
            signal: Signal::Timeout,
            flight: self.cwnd(),
            restart: true,
            repeated: true,
        };
        self.controller.on_congestion(&event);
    }
}

/// The gauge of this name among those that `observe` tells; NaN if it is none of them.
pub fn gauge(observe: impl FnOnce(&mut dyn FnMut(&'static str, f64)), name: &str) -> f64 {
    let mut found = f64::NAN;
    observe(&mut |known, value| {
        if known == name {
            found = value;
        }
    });
    found
}

#[track_caller]
pub fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found}, not {expected} within {tolerance}");
}
