//! Limited slow start (RFC 3742).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use crate::facts::Ack;
use crate::windowed::{SlowStart, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "slow start",
    name: "limited",
    title: "Limited slow start: doubling up to a bound, then by half that bound per round trip",
    source: "RFC 3742, 2",
    parameters: &[Parameter::new(
        "max_ssthresh",
        Unit::Packets,
        100.0,
        (2.0, f64::INFINITY),
        "window up to which the growth is a doubling; inf is standard slow start",
    )],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Limited {
    Limited { max_ssthresh: values.get("max_ssthresh") }
}

/// Up to `max_ssthresh` the window grows by the packets acknowledged, at most a packet per acknowledgment; beyond it by
/// `1/K` of that, `K = int(cwnd / (0.5 max_ssthresh))`.
///
/// Beyond the bound a round trip adds exactly `max_ssthresh / 2` packets, wherever it begins: its first part, with the
/// smaller `K`, adds as many more as its second part adds less. Without the rounding it would be less than that, since
/// the window grows during the round trip; that is [`LimitedMesoNet`](super::LimitedMesoNet). The RFC also rounds the
/// increment down to whole bytes, which has no meaning for windows in packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limited {
    /// In packets.
    pub max_ssthresh: f64,
}

impl SlowStart for Limited {
    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        let per_ack = if window.cwnd <= self.max_ssthresh {
            1.0
        } else {
            1.0 / (window.cwnd / (0.5 * self.max_ssthresh)).floor()
        };
        window.cwnd = (window.cwnd + ack.counted(1.0) * per_ack).min(window.ssthresh);
    }

    /// The state has no quantity in packets.
    fn scale(&mut self, _ratio: f64) {}
}
