//! Flows that share one link, in the fluid picture: what their windows hold beyond the path waits in its queue.

use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{Ack, Congestion, CongestionControl, Signal, Start};
use ackclock_units::{Duration, Time};

/// Acknowledgments arrive in bunches of this much time.
const STEP: Duration = Duration::from_millis(1);

pub struct Link {
    pub flows: Vec<Flow>,
    /// In packets per second.
    pub capacity: f64,
    /// The queue a packet is lost beyond, in packets.
    pub buffer: f64,
    base_rtt: Duration,
    pub now: Time,
}

pub struct Flow {
    pub controller: Box<dyn CongestionControl>,
    pub losses: u32,
    /// Acknowledgments owed, in packets.
    credit: f64,
    srtt: Duration,
    min_rtt: Duration,
    round: u64,
    round_ends: Time,
    suspended: Option<u64>,
}

impl Link {
    pub fn new(capacity: f64, base_rtt: Duration, specs: &[&str], start: Start) -> Link {
        let flow = |spec: &&str| Flow {
            controller: spec.parse::<ControllerSpec>().expect("a test's specification").build(&start),
            losses: 0,
            credit: 0.0,
            srtt: Duration::ZERO,
            min_rtt: Duration::ZERO,
            round: 0,
            round_ends: Time::ZERO,
            suspended: None,
        };
        let flows = specs.iter().map(flow).collect();
        Link { flows, capacity, buffer: f64::INFINITY, base_rtt, now: Time::ZERO }
    }

    /// Packets that the path holds without a queue.
    pub fn bdp(&self) -> f64 {
        self.capacity * self.base_rtt.as_secs_f64()
    }

    /// The sum of the windows less what the path holds.
    pub fn queue(&self) -> f64 {
        (self.flows.iter().map(|flow| flow.controller.decision().cwnd).sum::<f64>() - self.bdp()).max(0.0)
    }

    pub fn run(&mut self, span: Duration) {
        let end = self.now + span;
        while self.now < end {
            self.step();
        }
    }

    /// The mean queue over `span`.
    pub fn mean_queue(&mut self, span: Duration) -> f64 {
        let (end, mut sum, mut count) = (self.now + span, 0.0, 0.0);
        while self.now < end {
            self.step();
            sum += self.queue();
            count += 1.0;
        }
        sum / count
    }

    /// The mean window of each flow over `span`.
    pub fn mean_windows(&mut self, span: Duration) -> Vec<f64> {
        let (end, mut sums, mut count) = (self.now + span, vec![0.0; self.flows.len()], 0.0);
        while self.now < end {
            self.step();
            for (sum, flow) in sums.iter_mut().zip(&self.flows) {
                *sum += flow.controller.decision().cwnd;
            }
            count += 1.0;
        }
        sums.iter().map(|sum| sum / count).collect()
    }

    fn step(&mut self) {
        self.now += STEP;
        let queue = self.queue();
        let overflow = queue > self.buffer;
        let rtt = self.base_rtt + Duration::from_secs_f64(queue.min(self.buffer) / self.capacity);
        for flow in &mut self.flows {
            flow.step(self.now, rtt, overflow);
        }
    }
}

impl Flow {
    /// The value of a gauge.
    pub fn gauge(&self, name: &str) -> f64 {
        crate::common::gauge(|take| self.controller.observe(take), name)
    }

    fn step(&mut self, now: Time, rtt: Duration, overflow: bool) {
        let cwnd = self.controller.decision().cwnd;
        self.srtt = if self.srtt.is_zero() { rtt } else { (self.srtt * 7 + rtt) / 8 };
        self.min_rtt = if self.min_rtt.is_zero() { rtt } else { self.min_rtt.min(rtt) };
        if now >= self.round_ends {
            self.round += 1;
            self.round_ends = now + rtt;
        }
        if self.suspended.is_some_and(|round| self.round > round) {
            self.suspended = None;
        }
        if overflow && self.suspended.is_none() {
            let event =
                Congestion { now, signal: Signal::Loss, flight: cwnd, restart: false, repeated: false };
            self.controller.on_congestion(&event);
            self.suspended = Some(self.round);
            self.losses += 1;
        }
        self.credit += cwnd * STEP.as_secs_f64() / rtt.as_secs_f64();
        while self.credit >= 1.0 {
            self.credit -= 1.0;
            self.controller.on_ack(&Ack {
                now,
                delivered: 1.0,
                in_flight: cwnd - 1.0,
                rtt: Some(rtt),
                srtt: self.srtt,
                min_rtt: self.min_rtt,
                round: self.round,
                suspended: self.suspended.is_some(),
                advanced: true,
                window_limited: true,
                ..Ack::default()
            });
        }
    }
}
