//! The slow start of TCP Hybla (Caini and Firrincieli 2004).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use crate::avoidance::{NormalizedRtt, RTT0};
use crate::facts::Ack;
use crate::windowed::{SlowStart, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "slow start",
    name: "hybla",
    title: "Hybla's slow start: the window doubles in every 25 ms, however long the path is",
    source: "Caini and Firrincieli, Int. J. of Satellite Communications and Networking 22(5), 2004",
    parameters: &[
        RTT0,
        Parameter::new(
            "most",
            Unit::Packets,
            65_535.0,
            (1.0, 1e6),
            "window at which slow start stops growing (Linux: 65535, its largest)",
        ),
        Parameter::new(
            "limit",
            Unit::Packets,
            1.0,
            (1.0, f64::INFINITY),
            "largest count per acknowledgment (1: once per acknowledgment)",
        ),
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Hybla {
    Hybla {
        rho: NormalizedRtt::new(values.get("rtt0")),
        most: values.get("most"),
        abc_limit: values.get("limit"),
    }
}

/// The largest exponent: beyond it the growth of a packet is above any window, and no floating-point number.
const LARGEST_RHO: f64 = 1_000.0;

/// Every acknowledged packet adds 2^rho - 1 packets, which doubles the window rho times in a round trip.
///
/// The source begins with a window of rho packets and a threshold that is rho times as large; here both are the
/// connection's, which are fixed before a round-trip time is known. Where nothing sets the threshold, the growth of a
/// long path would be without bound: 2^rho is 16 million at 600 ms. It stops at `most`, as Linux's windows do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hybla {
    rho: NormalizedRtt,
    most: f64,
    abc_limit: f64,
}

impl SlowStart for Hybla {
    fn measure(&mut self, ack: &Ack, _window: &mut Window) {
        self.rho.measure(ack.min_rtt);
    }

    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        let each = libm::exp2(self.rho.rho.min(LARGEST_RHO)) - 1.0;
        let bound = window.ssthresh.min(self.most).max(window.cwnd);
        window.cwnd = (window.cwnd + ack.counted(self.abc_limit) * each).min(bound);
    }

    /// The state has no quantity in packets.
    fn scale(&mut self, _ratio: f64) {}
}
