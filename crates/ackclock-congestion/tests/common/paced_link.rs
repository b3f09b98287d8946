//! A paced sender on a link with one queue, packet by packet.

use std::collections::VecDeque;

use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{Ack, CongestionControl, RateSample, Start};
use ackclock_units::{Duration, PacketRate, Time};

/// Acknowledgments after which a loss is found.
const LATE: usize = 3;

/// A sender that always has more to send, whose controller paces.
pub struct PacedLink {
    pub controller: Box<dyn CongestionControl>,
    /// Packets per second, and packets that may wait.
    pub capacity: f64,
    pub buffer: f64,
    /// a packet of this many is lost, wherever the queue is; none if it is infinite.
    pub one_lost_of: f64,
    pub app_limited: bool,
    base_rtt: f64,
    now: f64,
    next_send: f64,
    /// When the link has sent all that waits.
    idle_from: f64,
    sent: f64,
    /// The times of sending and of acknowledgment of packets in flight.
    in_flight: VecDeque<(f64, f64)>,
    /// When lost packets were sent, and how many acknowledgments of later ones are missing until they are found.
    losses: VecDeque<(f64, usize)>,
    srtt: f64,
    pub delivered: f64,
    /// Pacing rates in their order, each once.
    pub rates: Vec<f64>,
}

impl PacedLink {
    pub fn new(spec: &str, capacity: f64, base_rtt: f64, buffer: f64) -> PacedLink {
        let spec: ControllerSpec = spec.parse().expect("a test's specification");
        PacedLink {
            controller: spec.build(&Start { initial_window: 4.0, ..Start::default() }),
            capacity,
            buffer,
            one_lost_of: f64::INFINITY,
            app_limited: false,
            base_rtt,
            now: 0.0,
            next_send: 0.0,
            idle_from: 0.0,
            sent: 0.0,
            in_flight: VecDeque::new(),
            losses: VecDeque::new(),
            srtt: base_rtt,
            delivered: 0.0,
            rates: Vec::new(),
        }
    }

    pub fn gauge(&self, name: &str) -> f64 {
        super::gauge(|take| self.controller.observe(take), name)
    }

    pub fn queued(&self) -> f64 {
        (self.idle_from - self.now).max(0.0) * self.capacity
    }

    /// Runs for some seconds; returns the packets delivered per second, and the mean number that waits at an acknowledgment.
    pub fn run(&mut self, seconds: f64) -> (f64, f64) {
        let (end, before) = (self.now + seconds, self.delivered);
        let (mut queued, mut acks) = (0.0, 0.0);
        while self.now < end {
            let room = self.controller.decision().cwnd - self.in_flight.len() as f64;
            let next_ack = self.in_flight.front().map_or(f64::INFINITY, |(_, acked)| *acked);
            let can_send = room >= 1.0;
            if can_send && self.next_send.max(self.now) <= next_ack {
                self.now = self.now.max(self.next_send);
                self.send();
            } else {
                assert!(next_ack.is_finite(), "nothing is in flight, and nothing may be sent");
                self.now = next_ack;
                self.acknowledge();
                queued += self.queued();
                acks += 1.0;
            }
        }
        ((self.delivered - before) / seconds, queued / acks)
    }

    fn send(&mut self) {
        self.sent += 1.0;
        let interval = self.controller.decision().pacing_rate.map_or(0.0, |PacketRate(rate)| 1.0 / rate);
        self.next_send = self.now + interval;
        let is_lost = (self.sent / self.one_lost_of).fract() < 1.0 / self.one_lost_of;
        if is_lost && self.one_lost_of.is_finite() || self.queued() > self.buffer {
            self.losses.push_back((self.now, LATE));
            return;
        }
        self.idle_from = self.idle_from.max(self.now) + 1.0 / self.capacity;
        self.in_flight.push_back((self.now, self.idle_from + self.base_rtt));
    }

    fn acknowledge(&mut self) {
        let Some((sent, _)) = self.in_flight.pop_front() else { return };
        self.delivered += 1.0;
        self.losses.iter_mut().filter(|(lost, _)| *lost < sent).for_each(|(_, left)| *left -= 1);
        let found = self.losses.iter().filter(|(_, left)| *left == 0).count();
        self.losses.drain(..found);
        let rtt = self.now - sent;
        self.srtt += (rtt - self.srtt) / 8.0;
        let of = Duration::from_secs_f64;
        let sample = RateSample { app_limited: self.app_limited, ..RateSample::default() };
        let decision = self.controller.on_ack(&Ack {
            now: Time::ZERO + of(self.now),
            delivered: 1.0,
            lost: found as f64,
            in_flight: self.in_flight.len() as f64,
            rtt: Some(of(rtt)),
            srtt: of(self.srtt),
            min_rtt: of(self.base_rtt),
            advanced: true,
            rate: Some(sample),
            ..Ack::default()
        });
        if let Some(PacketRate(rate)) = decision.pacing_rate
            && self.rates.last().is_none_or(|last| (last - rate).abs() > 1e-9 * rate)
        {
            self.rates.push(rate);
        }
    }
}
