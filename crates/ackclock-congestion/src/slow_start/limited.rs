//! Limited slow start (RFC 3742).

use super::AnySlowStart;
use crate::facts::Ack;
use crate::registry::{Entry, Kind, Make, Parameter};
use crate::windowed::{SlowStart, Window};

pub(crate) const ENTRY: Entry = Entry {
    name: "limited",
    kind: Kind::SlowStart,
    title: "Limited slow start: doubling up to a bound, then by half that bound per round trip",
    source: "RFC 3742, 2",
    parameters: &[Parameter {
        name: "max_ssthresh",
        default: 100.0,
        min: 2.0,
        max: f64::INFINITY,
        meaning: "packets up to which the window doubles; inf is standard slow start",
    }],
    brings: None,
    check: None,
    make: Make::SlowStart(|values| {
        AnySlowStart::Limited(Limited { max_ssthresh: values.get("max_ssthresh") })
    }),
};

/// Up to `max_ssthresh` the window grows by what was acknowledged, at most a packet per acknowledgment; beyond it by
/// `1/K` of that, `K = int(cwnd / (0.5 max_ssthresh))`.
///
/// Beyond the bound a round trip so adds exactly `max_ssthresh / 2` packets, wherever it begins: what the smaller `K` of
/// its first part adds more, its second part adds less. Without the rounding it would be less than that, since the
/// window grows during the round trip; that is [`LimitedMesoNet`](super::LimitedMesoNet). The RFC also rounds the
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

    /// Nothing it remembers is counted in packets.
    fn scale(&mut self, _ratio: f64) {}
}
