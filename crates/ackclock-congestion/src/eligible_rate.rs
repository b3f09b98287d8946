//! The eligible rate of TCP Westwood, as used in Adaptive Start (burst-tcp, 3.3.3).

use std::collections::VecDeque;

use ackclock_units::{Duration, Time};

use crate::facts::Ack;

/// The packets acknowledged in the last `T` over `T`, filtered.
///
/// - *`T`* is the round-trip time times the part by which the achieved rate falls short of the expected one, cwnd
///   divided by the smallest round-trip time. The achieved rate is a window per round-trip time, so `T` equals the
///   queueing delay. It is at least the time since the previous acknowledgment. On an empty path a sample comes from
///   the spacing of two acknowledgments; on a congested path it is the rate over the time that packets wait.
/// - *The filter* is a first-order low-pass with a time constant of `filter` round-trip times, in its bilinear form.
/// - *Acknowledgments of one instant* count as one. There is no sample before the acknowledgments span `T`.
#[derive(Clone, Debug)]
pub(crate) struct EligibleRate {
    filter: f64,
    /// The times of the acknowledgments of the last round-trip time and the packets they covered, the latest last.
    acks: VecDeque<(Time, f64)>,
    /// In packets per second; none before two acknowledgments.
    rate: Option<f64>,
}

impl EligibleRate {
    /// `filter` in round-trip times.
    pub fn new(filter: f64) -> EligibleRate {
        EligibleRate { filter, acks: VecDeque::new(), rate: None }
    }

    /// Adds the packets that an acknowledgment covers to the estimate. Returns the bandwidth-delay product in packets.
    pub fn sample(&mut self, ack: &Ack) -> Option<f64> {
        if ack.delivered > 0.0 && !ack.srtt.is_zero() && !ack.min_rtt.is_zero() {
            self.take(ack);
        }
        self.rate.map(|rate| rate * ack.min_rtt.as_secs_f64())
    }

    /// The rate, in packets per second; none before two acknowledgments.
    pub fn rate(&self) -> Option<f64> {
        self.rate
    }

    /// Forgets the acknowledgments.
    pub fn clear(&mut self) {
        self.acks.clear();
    }

    /// Scales to segments of another size: multiplies counts in packets by `ratio`.
    pub fn scale(&mut self, ratio: f64) {
        for (_, packets) in &mut self.acks {
            *packets *= ratio;
        }
        self.rate = self.rate.map(|rate| rate * ratio);
    }

    fn take(&mut self, ack: &Ack) {
        let previous = self.acks.back().copied();
        match self.acks.back_mut() {
            Some((time, packets)) if *time == ack.now => {
                *packets += ack.delivered;
                return;
            }
            _ => self.acks.push_back((ack.now, ack.delivered)),
        }
        let Some((before, _)) = previous else { return };
        // Once the second acknowledgment is a round-trip time old, no span begins at the first.
        while self.acks.len() > 2 && ack.now.since(self.acks[1].0) >= ack.srtt {
            self.acks.pop_front();
        }
        let Some(sample) = self.packets_per_second(ack.srtt.saturating_sub(ack.min_rtt)) else { return };
        let tau = self.filter * ack.srtt.as_secs_f64();
        let gap = ack.now.since(before).as_secs_f64();
        let keep = ((2.0 * tau - gap) / (2.0 * tau + gap)).max(0.0);
        self.rate = Some(self.rate.map_or(sample, |past| keep * past + (1.0 - keep) * sample));
    }

    /// The rate of the acknowledgments since the latest one that is at least `span` older than the last; none if no
    /// acknowledgment is that old.
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
