//! A path without queues, acknowledgment by acknowledgment: packets evenly spaced over a fixed round-trip time.

use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{Ack, Congestion, CongestionControl, Signal, Start};
use ackclock_units::{Duration, Time};

/// A controller in avoidance, told of one packet at a time.
pub struct Stream {
    pub controller: Box<dyn CongestionControl>,
    pub rtt: Duration,
    /// Round-trip times passed.
    pub rounds: f64,
}

impl Stream {
    /// Begins at the slow-start threshold.
    pub fn new(spec: &str, window: f64, rtt: Duration) -> Stream {
        let spec: ControllerSpec = spec.parse().expect("a test's specification");
        let start = Start { initial_window: window, initial_ssthresh: window, ..Start::default() };
        Stream { controller: spec.build(&start), rtt, rounds: 0.0 }
    }

    pub fn cwnd(&self) -> f64 {
        self.controller.decision().cwnd
    }

    fn now(&self) -> Time {
        Time::ZERO + self.rtt.mul_f64(self.rounds)
    }

    /// One packet is acknowledged, a window's part of a round trip after the one before.
    pub fn packet(&mut self) {
        self.rounds += 1.0 / self.cwnd();
        let (rtt, cwnd) = (self.rtt, self.cwnd());
        self.controller.on_ack(&Ack {
            now: self.now(),
            delivered: 1.0,
            in_flight: cwnd,
            rtt: Some(rtt),
            srtt: rtt,
            min_rtt: rtt,
            round: self.rounds as u64,
            advanced: true,
            window_limited: true,
            ..Ack::default()
        });
    }

    pub fn packets(&mut self, count: u32) {
        for _ in 0..count {
            self.packet();
        }
    }

    /// Packets until this many round trips have passed.
    pub fn for_rounds(&mut self, rounds: f64) {
        let end = self.rounds + rounds;
        while self.rounds < end {
            self.packet();
        }
    }

    pub fn for_seconds(&mut self, seconds: f64) {
        self.for_rounds(seconds / self.rtt.as_secs_f64());
    }

    pub fn loss(&mut self) {
        self.signal(Signal::Loss);
    }

    pub fn mark(&mut self) {
        self.signal(Signal::Ecn);
    }

    fn signal(&mut self, signal: Signal) {
        let (now, flight) = (self.now(), self.cwnd());
        self.controller.on_congestion(&Congestion { now, signal, flight, restart: false, repeated: false });
    }
}

/// Packets per round-trip time once every `spacing`-th packet is lost, over the last of this many losses.
pub fn mean_window(spec: &str, spacing: u32, rtt: Duration, start: f64, losses: u32, last: u32) -> f64 {
    mean_window_of(&mut Stream::new(spec, start, rtt), spacing, losses, last)
}

/// As above, from the present state of a stream.
pub fn mean_window_of(stream: &mut Stream, spacing: u32, losses: u32, last: u32) -> f64 {
    let mut begin = 0.0;
    for index in 0..losses {
        if index == losses - last {
            begin = stream.rounds;
        }
        stream.packets(spacing);
        stream.loss();
    }
    f64::from(last) * f64::from(spacing) / (stream.rounds - begin)
}
