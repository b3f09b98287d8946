//! Adaptive Start: a threshold that follows the estimated bandwidth-delay product (burst-tcp, 3.3.3).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use super::btcp::step;
use crate::eligible_rate::EligibleRate;
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
        Parameter::new(
            "f",
            Unit::Number,
            0.0,
            (0.0, 1e6),
            "smoothing-out factor of Burst TCP's steps towards the threshold, instead of doubling; 0: doubling",
        ),
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Adaptive {
    Adaptive::new(values.get("ssthresh"), values.get("filter"), values.get("f"))
}

/// Each acknowledgment raises a threshold below the estimated bandwidth-delay product to it: the eligible rate times the
/// smallest round-trip time. Below the threshold the growth is standard slow start's, and from it on the avoidance's, until
/// the threshold rises again. With `f` a round trip below the threshold adds what Burst TCP adds, whose mice threshold is then
/// the estimate (burst-tcp, 6.2).
///
/// burst-tcp has the rule of the threshold, and of the estimate its name and its origin, TCP Westwood: `EligibleRate` has the
/// choices made here. Until the first congestion is "Start"; from then on the threshold is the avoidance's.
#[derive(Clone, Debug)]
pub struct Adaptive {
    ssthresh: f64,
    f: f64,
    eligible: EligibleRate,
    is_over: bool,
}

impl Adaptive {
    /// `ssthresh` in packets, `filter` in round-trip times; `f` is the smoothing-out factor, 0 for doubling.
    pub fn new(ssthresh: f64, filter: f64, f: f64) -> Adaptive {
        Adaptive { ssthresh, f, eligible: EligibleRate::new(filter), is_over: false }
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
        if let Some(product) = self.eligible.sample(ack) {
            window.ssthresh = window.ssthresh.max(product);
        }
    }

    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        let packet =
            if self.f > 0.0 { step(window.ssthresh, window.cwnd, self.f) / window.cwnd } else { 1.0 };
        window.cwnd = (window.cwnd + packet * ack.counted(1.0)).min(window.ssthresh);
    }

    fn on_congestion(&mut self, _event: &Congestion) {
        self.is_over = true;
        self.eligible.clear();
    }

    fn scale(&mut self, ratio: f64) {
        self.eligible.scale(ratio);
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("eligible_rate_packets_per_second", self.eligible.rate().unwrap_or_default());
    }
}
