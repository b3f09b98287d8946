//! One flow, packet by packet, over one link: what it sends waits for the link, crosses the path, and is acknowledged.

use std::collections::VecDeque;

use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{Ack, Congestion, CongestionControl, Signal, Start};
use ackclock_units::{Duration, Time};

pub struct Pipe {
    pub controller: Box<dyn CongestionControl>,
    /// Time the link takes for a packet.
    pub spacing: Duration,
    pub base_rtt: Duration,
    pub now: Time,
    /// Packets acknowledged.
    pub delivered: u64,
    /// Packets on their way: when each was sent and when its acknowledgment arrives.
    flight: VecDeque<(Time, Time)>,
    link_free: Time,
    srtt: Duration,
    min_rtt: Duration,
    round: u64,
    round_ends: u64,
    suspended: Option<u64>,
}

impl Pipe {
    /// `capacity` in packets per second.
    pub fn new(spec: &str, start: &Start, capacity: f64, base_rtt: Duration) -> Pipe {
        let controller = spec.parse::<ControllerSpec>().expect("a test's specification").build(start);
        let mut pipe = Pipe {
            controller,
            spacing: Duration::from_secs_f64(1.0 / capacity),
            base_rtt,
            now: Time::ZERO,
            delivered: 0,
            flight: VecDeque::new(),
            link_free: Time::ZERO,
            srtt: Duration::ZERO,
            min_rtt: Duration::ZERO,
            round: 0,
            round_ends: 0,
            suspended: None,
        };
        pipe.send();
        pipe
    }

    pub fn cwnd(&self) -> f64 {
        self.controller.decision().cwnd
    }

    /// Packets that the path holds without a queue.
    pub fn bdp(&self) -> f64 {
        self.base_rtt.as_secs_f64() / self.spacing.as_secs_f64()
    }

    /// The value of a gauge.
    pub fn gauge(&self, name: &str) -> f64 {
        crate::common::gauge(|take| self.controller.observe(take), name)
    }

    /// Acknowledgments arrive until `done`, which looks after each.
    pub fn until(&mut self, mut done: impl FnMut(&Pipe) -> bool) {
        while !done(self) {
            self.step();
        }
    }

    pub fn run(&mut self, span: Duration) {
        let end = self.now + span;
        self.until(|pipe| pipe.now >= end);
    }

    pub fn rounds(&mut self, count: u64) {
        let end = self.round + count;
        self.until(|pipe| pipe.round >= end);
    }

    /// A loss is noticed: growth rests until everything now in flight is acknowledged.
    pub fn loss(&mut self) {
        let flight = self.flight.len() as f64;
        let event =
            Congestion { now: self.now, signal: Signal::Loss, flight, restart: false, repeated: false };
        self.controller.on_congestion(&event);
        self.suspended = Some(self.delivered + self.flight.len() as u64);
    }

    fn step(&mut self) {
        let (sent, arrives) = self.flight.pop_front().expect("something is in flight");
        self.now = arrives;
        if self.delivered >= self.round_ends {
            self.round += 1;
            self.round_ends = self.delivered + 1 + self.flight.len() as u64;
        }
        self.delivered += 1;
        if self.suspended.is_some_and(|until| self.delivered > until) {
            self.suspended = None;
        }
        let rtt = arrives.since(sent);
        self.srtt = if self.srtt.is_zero() { rtt } else { (self.srtt * 7 + rtt) / 8 };
        self.min_rtt = if self.min_rtt.is_zero() { rtt } else { self.min_rtt.min(rtt) };
        self.controller.on_ack(&Ack {
            now: arrives,
            delivered: 1.0,
            in_flight: self.flight.len() as f64,
            rtt: Some(rtt),
            srtt: self.srtt,
            min_rtt: self.min_rtt,
            round: self.round,
            suspended: self.suspended.is_some(),
            advanced: true,
            window_limited: true,
            ..Ack::default()
        });
        self.send();
    }

    fn send(&mut self) {
        while (self.flight.len() as f64) + 1.0 <= self.controller.decision().cwnd {
            let leaves = self.now.max(self.link_free) + self.spacing;
            self.link_free = leaves;
            self.flight.push_back((self.now, leaves + self.base_rtt));
        }
    }
}
