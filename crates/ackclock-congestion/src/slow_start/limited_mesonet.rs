//! Limited slow start without RFC 3742's rounding (mesonet, 5.1.2.2).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use crate::facts::Ack;
use crate::windowed::{SlowStart, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "slow start",
    name: "limited-mesonet",
    title: "MesoNet's limited slow start: doubling up to a bound, then by nearly half that bound per round trip",
    source: "mesonet, 5.1.2.2, eq. 5",
    parameters: &[Parameter::new(
        "max_ssthresh",
        Unit::Packets,
        100.0,
        (2.0, f64::INFINITY),
        "window (sst_MAX) from which growth is limited; inf is standard slow start",
    )],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> LimitedMesoNet {
    LimitedMesoNet { max_ssthresh: values.get("max_ssthresh") }
}

/// Below `max_ssthresh` the window grows by the packets acknowledged, at most a packet per acknowledgment; from there
/// on by `0.5 max_ssthresh / cwnd` of that: nearly half the bound per round trip, the nearer the larger the window.
///
/// Equation 5 differs from RFC 3742 ([`Limited`](super::Limited)) in two points: it does not round, and it limits the
/// growth at `max_ssthresh` already, where the RFC still adds a whole packet. It also lets the last acknowledgment
/// carry the window past the threshold, by less than a packet, where the other slow starts stop at it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitedMesoNet {
    /// In packets.
    pub max_ssthresh: f64,
}

impl SlowStart for LimitedMesoNet {
    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        let per_ack =
            if window.cwnd < self.max_ssthresh { 1.0 } else { 0.5 * self.max_ssthresh / window.cwnd };
        window.cwnd += ack.counted(1.0) * per_ack;
    }

    /// The state has no quantity in packets.
    fn scale(&mut self, _ratio: f64) {}
}
