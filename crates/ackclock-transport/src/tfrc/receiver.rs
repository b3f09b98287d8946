//! The receiving endpoint: loss event rate, receive rate, and feedback once per round-trip time (RFC 5348, 6).

use std::collections::VecDeque;
use std::sync::Arc;

use ackclock_units::{Duration, Time};

use super::equation::loss_event_rate_for;
use super::intervals::LossIntervals;
use super::packet::{Data, Feedback};
use super::reception::Reception;
use super::settings::Settings;

/// A TFRC receiver: driven by [`on_segment`](Self::on_segment) and [`on_timer`](Self::on_timer), then polled by
/// [`poll_transmit`](Self::poll_transmit) and [`next_wake`](Self::next_wake).
#[derive(Clone, Debug)]
pub struct Receiver {
    settings: Arc<Settings>,
    reception: Reception,
    intervals: LossIntervals,
    /// The arrivals of the last two round-trip times: one is needed, and the other is a reserve in case it grows.
    arrivals: VecDeque<Time>,
    /// The timestamp of the last packet, and the time at which it arrived.
    last: (Time, Time),
    /// The sender's round-trip time, from the packet with the highest number (`R_m`); zero before it has one.
    rtt: Duration,
    loss_event_rate: f64,
    /// The largest receive rate so far, in bytes per second.
    max_rate: f64,
    feedback_due: bool,
    /// The time at which the feedback timer expires; [`Time::MAX`] if it does not run.
    deadline: Time,
    /// True if data arrived since the last feedback.
    has_news: bool,
    delivered: u64,
    delivered_bytes: u64,
}

impl Receiver {
    /// A receiver waiting for its first packet.
    pub fn new(settings: Arc<Settings>) -> Receiver {
        Receiver {
            reception: Reception::new(settings.reordering),
            intervals: LossIntervals::new(
                settings.intervals,
                settings.discounting.then_some(settings.discount_floor),
            ),
            settings,
            arrivals: VecDeque::new(),
            last: (Time::ZERO, Time::ZERO),
            rtt: Duration::ZERO,
            loss_event_rate: 0.0,
            max_rate: 0.0,
            feedback_due: false,
            deadline: Time::MAX,
            has_news: false,
            delivered: 0,
            delivered_bytes: 0,
        }
    }

    /// Takes a data packet that arrived.
    pub fn on_segment(&mut self, now: Time, data: &Data) {
        if !self.reception.arrive(now, data.sequence) {
            return;
        }
        self.delivered += 1;
        self.delivered_bytes += u64::from(data.length);
        self.arrivals.push_back(now);
        self.last = (data.timestamp, now);
        self.has_news = true;
        let had_rtt = !self.rtt.is_zero();
        if data.sequence == self.reception.highest() && !data.rtt.is_zero() {
            self.rtt = data.rtt;
        }
        if self.rtt.is_zero() {
            // 6.3: feedback for every packet until one has a round-trip time.
            self.feedback_due = true;
            return;
        }
        self.forget(now);
        self.find_losses(now, data.sequence, data.marked);
        let previous = self.loss_event_rate;
        self.loss_event_rate = self.intervals.loss_event_rate(self.reception.highest());
        if !had_rtt {
            self.deadline = now + self.rtt;
        }
        // 6.1: at once on a new loss event, or when the timer found nothing to report the last time.
        if self.loss_event_rate > previous || self.deadline == Time::MAX {
            self.feedback_due = true;
        }
    }

    /// Lets time pass: feedback is due once per round-trip time in which data came (6.2).
    pub fn on_timer(&mut self, now: Time) {
        if now >= self.deadline {
            // Without news the next packet is answered at once, and starts the timer again.
            self.deadline = Time::MAX;
            self.feedback_due |= self.has_news;
        }
    }

    /// The feedback packet to send now, if it is due.
    pub fn poll_transmit(&mut self, now: Time) -> Option<Feedback> {
        if !self.feedback_due {
            return None;
        }
        self.feedback_due = false;
        self.has_news = false;
        if !self.rtt.is_zero() {
            self.deadline = now + self.rtt;
        }
        let receive_rate = self.receive_rate(now);
        self.max_rate = self.max_rate.max(receive_rate);
        let (timestamp, arrived) = self.last;
        self.loss_event_rate = self.intervals.loss_event_rate(self.reception.highest());
        Some(Feedback {
            timestamp,
            delay: now.since(arrived),
            receive_rate,
            loss_event_rate: self.loss_event_rate,
        })
    }

    /// The deadline at which [`on_timer`](Self::on_timer) is to be called; [`Time::MAX`] for never.
    pub fn next_wake(&self) -> Time {
        self.deadline
    }

    /// The loss event rate now (`p`).
    pub fn loss_event_rate(&self) -> f64 {
        self.loss_event_rate
    }

    /// Data packets received, each counted once. Packets that arrive after they were counted as lost are left out.
    pub fn delivered_packets(&self) -> u64 {
        self.delivered
    }

    /// Their payload bytes.
    pub fn delivered_bytes(&self) -> u64 {
        self.delivered_bytes
    }

    /// The arrival of the latest packet; time zero before the first.
    pub fn delivered_at(&self) -> Time {
        self.last.1
    }

    /// Finds lost packets by the packets that arrived after them; a mark counts as a loss at its arrival (5.1, 5.2).
    fn find_losses(&mut self, now: Time, sequence: u64, marked: bool) {
        // A mark shows congestion that began with the packets missing before it (5.1).
        let lost_below = if marked { sequence } else { 0 };
        while let Some(gap) = self.reception.next_loss(lost_below) {
            for lost in gap.start..gap.end {
                self.lose(now, lost, gap.nominal_arrival(lost));
            }
        }
        if marked {
            self.lose(now, sequence, now);
        }
    }

    fn lose(&mut self, now: Time, sequence: u64, at: Time) {
        let first = self.intervals.is_empty();
        if self.intervals.lose(sequence, at, self.rtt) && first {
            self.intervals.seed(self.first_interval(now));
        }
    }

    /// The length of the interval before the first loss event. With it the throughput equation yields the largest
    /// receive rate so far, about half of the rate that slow start had reached (6.3.1).
    fn first_interval(&self, now: Time) -> f64 {
        let size = f64::from(self.settings.segment_size);
        let rtt = self.rtt.as_secs_f64();
        let target = self.max_rate.max(self.receive_rate(now)).max(size / (2.0 * rtt));
        1.0 / loss_event_rate_for(size, rtt, self.settings.rto(rtt), target)
    }

    /// The rate of arrivals in the last round-trip time, in bytes per second; 0 before one is known (6.2). A report follows
    /// an arrival, so at least one packet counts.
    fn receive_rate(&self, now: Time) -> f64 {
        if self.rtt.is_zero() {
            return 0.0;
        }
        let recent = self.arrivals.len() - self.arrivals.partition_point(|at| now.since(*at) >= self.rtt);
        recent.max(1) as f64 * f64::from(self.settings.segment_size) / self.rtt.as_secs_f64()
    }

    /// Forgets arrivals more than two round-trip times ago.
    fn forget(&mut self, now: Time) {
        while self.arrivals.front().is_some_and(|at| now.since(*at) >= self.rtt * 2) {
            self.arrivals.pop_front();
        }
    }
}
