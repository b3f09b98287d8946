//! The receiver's loss intervals and their average (RFC 5348, 5.3 to 5.5).

use std::collections::VecDeque;

use ackclock_congestion::interval_weight;
use ackclock_units::{Duration, Time};

/// A loss event: the first lost packet, and the time at which it would have arrived.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Event {
    sequence: u64,
    at: Time,
}

/// A loss interval that a later loss event closed.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Closed {
    /// In packets; the first one need not be whole.
    length: f64,
    /// The factor by which earlier quiet times discounted its weight (`DF_i`).
    discount: f64,
}

/// The loss intervals, the open one and up to `n` before it.
///
/// An interval extends from the first packet lost in one loss event to the first lost in the next.
#[derive(Clone, Debug)]
pub struct LossIntervals {
    count: usize,
    /// The smallest discount factor; none without discounting.
    floor: Option<f64>,
    event: Option<Event>,
    /// The most recent first.
    closed: VecDeque<Closed>,
}

impl LossIntervals {
    /// No loss yet; averages are over `count` intervals, discounted to `floor` at least if it is given.
    pub fn new(count: usize, floor: Option<f64>) -> LossIntervals {
        LossIntervals { count, floor, event: None, closed: VecDeque::new() }
    }

    /// True before the first loss event.
    pub fn is_empty(&self) -> bool {
        self.event.is_none()
    }

    /// Notes that packet `sequence` is lost or marked, at `at`; `rtt` is the sender's. Returns true if that is a
    /// new loss event, more than a round-trip time after the last began (5.2).
    pub fn lose(&mut self, sequence: u64, at: Time, rtt: Duration) -> bool {
        if let Some(event) = self.event {
            if at <= event.at + rtt || sequence <= event.sequence {
                return false;
            }
            self.close((sequence - event.sequence) as f64);
        }
        self.event = Some(Event { sequence, at });
        true
    }

    /// Gives the time before the first loss event a length, in packets (6.3.1).
    pub fn seed(&mut self, length: f64) {
        self.closed.push_front(Closed { length, discount: 1.0 });
    }

    /// The loss event rate `p` when `highest` is the highest sequence number received; 0 before any loss.
    pub fn loss_event_rate(&self, highest: u64) -> f64 {
        let Some(event) = self.event.filter(|_| !self.closed.is_empty()) else { return 0.0 };
        let open = highest.saturating_sub(event.sequence) as f64 + 1.0;
        let (total, weights) = self.with_open(open, self.discount(open));
        let (closed_total, closed_weights) = self.without_open();
        // The open interval counts only if it lowers the rate.
        (weights / total).min(closed_weights / closed_total).min(1.0)
    }

    /// Closes the open interval after `length` packets, at a loss event. Earlier intervals keep the discount
    /// that it caused (5.5).
    fn close(&mut self, length: f64) {
        let discount = self.discount(length);
        for older in &mut self.closed {
            older.discount *= discount;
        }
        self.closed.push_front(Closed { length, discount: 1.0 });
        self.closed.truncate(self.count);
    }

    /// The general discount factor `DF`: below 1 when the open interval is over twice the average of the others.
    fn discount(&self, open: f64) -> f64 {
        let Some(floor) = self.floor else { return 1.0 };
        let (total, weights) = self.without_open();
        let mean = total / weights;
        if open > 2.0 * mean { (2.0 * mean / open).max(floor) } else { 1.0 }
    }

    /// Sums of weighted lengths and of weights, from the open interval on (`I_tot0`, `W_tot0`).
    fn with_open(&self, open: f64, discount: f64) -> (f64, f64) {
        let recent = self.closed.iter().take(self.closed.len() - 1).zip(1..);
        recent.fold(
            (open * interval_weight(0, self.count), interval_weight(0, self.count)),
            |(total, weights), (interval, i)| {
                let share = interval_weight(i, self.count) * interval.discount * discount;
                (total + interval.length * share, weights + share)
            },
        )
    }

    /// The same sums from the latest closed interval on (`I_tot1`, `W_tot1`).
    fn without_open(&self) -> (f64, f64) {
        self.closed.iter().zip(0..).fold((0.0, 0.0), |(total, weights), (interval, i)| {
            let share = interval_weight(i, self.count) * interval.discount;
            (total + interval.length * share, weights + share)
        })
    }
}
