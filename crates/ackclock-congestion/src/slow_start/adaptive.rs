//! Adaptive Start: a threshold that follows the estimated bandwidth-delay product (burst-tcp, 3.3.3).

use std::collections::VecDeque;

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Duration, Time};

use crate::facts::{Ack, Congestion};
use crate::windowed::{SlowStart, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "slow start",
    name: "adaptive",
    title: "Adaptive Start: slow start up to the bandwidth-delay product that the eligible rate estimate gives",
    source: "burst-tcp, 3.3.3, after Wang, Pau, Yamada, Sanadidi and Gerla, IEEE INFOCOM 2004",
    parameters: &[
        Parameter::new(
            "ssthresh",
            Unit::Packets,
            4.0,
            (1.0, 1e9),
            "threshold of the beginning, where the connection has none",
        ),
        Parameter::new(
            "filter",
            Unit::Number,
            1.0,
            (0.0, 1000.0),
            "time constant of the estimate's filter, in round-trip times; 0: the latest sample",
        ),
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Adaptive {
    Adaptive::new(values.get("ssthresh"), values.get("filter"))
}

/// Each acknowledgment raises a threshold below the estimated bandwidth-delay product to it: the eligible rate times the
/// smallest round-trip time. Below the threshold the growth is standard slow start's, and from it on the avoidance's, until
/// the threshold rises again.
///
/// burst-tcp has the rule of the threshold, and of the estimate its name and its origin, TCP Westwood. The eligible rate here is
/// the packets acknowledged in the last `T` over `T`, filtered:
/// - *`T`* is the round-trip time times the part by which the rate achieved falls short of the rate expected, cwnd over the
///   smallest round-trip time. A window per round-trip time is achieved, so that `T` is the queueing delay; it is at least the
///   time since the acknowledgment before. On an empty path a sample is thus the spacing of two acknowledgments, on a
///   congested one the rate over the time that packets wait.
/// - *The filter* is a first-order low-pass with a time constant of `filter` round-trip times, in its bilinear form.
/// - *Acknowledgments of one instant* count as one, and there is no sample before the acknowledgments span `T`.
/// - *Until the first congestion*: "Start" is what comes before it; from then on the threshold is the avoidance's.
#[derive(Clone, Debug)]
pub struct Adaptive {
    ssthresh: f64,
    filter: f64,
    /// The times of the acknowledgments of the last round-trip time and the packets they covered, the latest last.
    acks: VecDeque<(Time, f64)>,
    /// The eligible rate, in packets per second; none before two acknowledgments.
    rate: Option<f64>,
    is_over: bool,
}

impl Adaptive {
    /// `ssthresh` in packets, `filter` in round-trip times.
    pub fn new(ssthresh: f64, filter: f64) -> Adaptive {
        Adaptive { ssthresh, filter, acks: VecDeque::new(), rate: None, is_over: false }
    }

    /// Takes the packets that an acknowledgment covers into the estimate.
    fn sample(&mut self, ack: &Ack) {
        let previous = self.acks.back().copied();
        match self.acks.back_mut() {
            Some((time, packets)) if *time == ack.now => {
                *packets += ack.delivered;
                return;
            }
            _ => self.acks.push_back((ack.now, ack.delivered)),
        }
        let Some((before, _)) = previous else { return };
        // The second is the last that a span of a round-trip time can begin with.
        while self.acks.len() > 2 && ack.now.since(self.acks[1].0) >= ack.srtt {
            self.acks.pop_front();
        }
        let Some(sample) = self.packets_per_second(ack.srtt.saturating_sub(ack.min_rtt)) else { return };
        let tau = self.filter * ack.srtt.as_secs_f64();
        let gap = ack.now.since(before).as_secs_f64();
        let keep = ((2.0 * tau - gap) / (2.0 * tau + gap)).max(0.0);
        self.rate = Some(self.rate.map_or(sample, |past| keep * past + (1.0 - keep) * sample));
    }

    /// The rate of the acknowledgments since the latest that is at least `span` older than the last one; none where there is no
    /// such.
    fn packets_per_second(&self, span: Duration) -> Option<f64> {
        let mut acks = self.acks.iter().rev().peekable();
        let (now, _) = **acks.peek()?;
        let mut packets = 0.0;
        loop {
            packets += acks.next()?.1;
            let elapsed = now.since(acks.peek()?.0);
            if elapsed >= span {
                return Some(packets / elapsed.as_secs_f64());
            }
        }
    }
}

impl SlowStart for Adaptive {
    fn begin(&mut self, window: &mut Window) {
        if window.ssthresh.is_infinite() {
            window.ssthresh = self.ssthresh;
        }
    }

    fn measure(&mut self, ack: &Ack, window: &mut Window) {
        if self.is_over || ack.delivered <= 0.0 || ack.srtt.is_zero() || ack.min_rtt.is_zero() {
            return;
        }
        self.sample(ack);
        if let Some(rate) = self.rate {
            window.ssthresh = window.ssthresh.max(rate * ack.min_rtt.as_secs_f64());
        }
    }

    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        window.cwnd = (window.cwnd + ack.counted(1.0)).min(window.ssthresh);
    }

    fn on_congestion(&mut self, _event: &Congestion) {
        self.is_over = true;
        self.acks.clear();
    }

    fn scale(&mut self, ratio: f64) {
        for (_, packets) in &mut self.acks {
            *packets *= ratio;
        }
        self.rate = self.rate.map(|rate| rate * ratio);
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("eligible_rate_packets_per_second", self.rate.unwrap_or_default());
    }
}
