//! Westwood+ (Grieco and Mascolo 2004).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Duration, Time};

use super::reno::{BYTE_COUNTING, LEAST_KEPT, Reno, half};
use crate::facts::{Ack, Congestion, Signal};
use crate::windowed::{Avoidance, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "avoidance",
    name: "westwood",
    title: "Westwood+: standard growth; a loss leaves what the measured bandwidth fills without a queue",
    source: "Grieco and Mascolo, ACM CCR 34(2), 2004; filter as in Linux",
    parameters: &[
        Parameter::new(
            "smoothing",
            Unit::Number,
            0.875,
            (0.0, 0.999),
            "weight of the past in the bandwidth estimate, which takes one sample per round trip",
        ),
        BYTE_COUNTING,
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Westwood {
    Westwood::new(values.get("smoothing"), values.get("limit"))
}

/// Additive increase and adaptive decrease: a loss sets the window to the bandwidth-delay product, measured
/// from the rate of acknowledgments.
///
/// Points that the source leaves open, and the choices made here:
/// - *A sample* covers a packet-timed round trip: the packets delivered in it, divided by its duration. A
///   round trip shorter than every measured round-trip time is counted together with the next one.
/// - *The first sample* is the first estimate.
/// - *Before it*, or without any round-trip time, a loss leaves half, as in standard TCP.
#[derive(Clone, Copy, Debug)]
pub struct Westwood {
    smoothing: f64,
    standard: Reno,
    /// The estimate in packets per second; none before the first sample.
    bandwidth: Option<f64>,
    min_rtt: Duration,
    /// The round trip being counted, and when it began; none before the first acknowledgment.
    round: Option<(u64, Time)>,
    /// Packets delivered in it.
    delivered: f64,
}

impl Westwood {
    /// `smoothing` is the weight of the past, below one; `abc_limit` in packets per acknowledgment.
    pub fn new(smoothing: f64, abc_limit: f64) -> Westwood {
        Westwood {
            smoothing,
            standard: Reno::counting(abc_limit),
            bandwidth: None,
            min_rtt: Duration::ZERO,
            round: None,
            delivered: 0.0,
        }
    }

    fn sample(&mut self, elapsed: Duration) {
        let sample = self.delivered / elapsed.as_secs_f64();
        let estimate =
            self.bandwidth.map_or(sample, |past| self.smoothing * past + (1.0 - self.smoothing) * sample);
        self.bandwidth = Some(estimate);
    }
}

impl Default for Westwood {
    /// With the filter of Linux, and byte counting.
    fn default() -> Westwood {
        Westwood::new(0.875, f64::INFINITY)
    }
}

impl Avoidance for Westwood {
    fn measure(&mut self, ack: &Ack, _window: &mut Window) {
        self.min_rtt = ack.min_rtt;
        // The packets of the first acknowledgment have no interval, since no acknowledgment precedes it.
        let Some((round, begin)) = self.round else {
            self.round = Some((ack.round, ack.now));
            return;
        };
        self.delivered += ack.delivered;
        let elapsed = ack.now.since(begin);
        if ack.round != round && elapsed >= self.min_rtt && !elapsed.is_zero() {
            self.sample(elapsed);
            self.round = Some((ack.round, ack.now));
            self.delivered = 0.0;
        }
    }

    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        self.standard.adjust(ack, window);
    }

    /// The bandwidth-delay product. After a loss found by acknowledgments the window is set to it, but at
    /// most to the part in use: a loss must not increase the window.
    fn back_off(&mut self, event: &Congestion, used: f64) -> f64 {
        let Some(bandwidth) = self.bandwidth.filter(|_| !self.min_rtt.is_zero()) else {
            return half(used);
        };
        let product = (bandwidth * self.min_rtt.as_secs_f64()).max(LEAST_KEPT);
        match event.signal {
            Signal::Timeout => product,
            Signal::Loss | Signal::Ecn => product.min(used.max(LEAST_KEPT)),
        }
    }

    fn scale(&mut self, ratio: f64) {
        self.bandwidth = self.bandwidth.map(|bandwidth| bandwidth * ratio);
        self.delivered *= ratio;
    }

    fn abc_limit(&self) -> f64 {
        self.standard.abc_limit
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("westwood_bandwidth_packets_per_s", self.bandwidth.unwrap_or(f64::NAN));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of packets half as large twice as many come in a second, and have come.
    #[test]
    fn smaller_packets_are_more() {
        let mut westwood = Westwood { bandwidth: Some(100.0), delivered: 30.0, ..Westwood::new(0.5, 1.0) };
        westwood.scale(2.0);
        assert_eq!(westwood.bandwidth.map(f64::to_bits), Some(200.0_f64.to_bits()));
        assert_eq!(westwood.delivered.to_bits(), 60.0_f64.to_bits());
    }
}
