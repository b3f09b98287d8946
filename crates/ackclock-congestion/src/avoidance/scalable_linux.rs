//! Scalable TCP as in Linux.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use super::reno::LEAST_KEPT;
use super::whole_packets::{LINUX_LIMIT, WholePackets};
use crate::facts::{Ack, Congestion};
use crate::windowed::{Avoidance, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "avoidance",
    name: "scalable-linux",
    title: "Scalable TCP as in Linux: a packet per hundred acknowledged, by whole packets",
    source: "Linux 6, tcp_scalable.c; Kelly, ACM CCR 33(2), 2003",
    parameters: &[
        Parameter::new(
            "count",
            Unit::Count,
            100.0,
            (1.0, 1e6),
            "packets acknowledged for one more, and the window below which it is standard TCP (to Linux 5.6: 50)",
        ),
        LINUX_LIMIT,
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> ScalableLinux {
    ScalableLinux {
        count: values.get("count"),
        abc_limit: values.get("limit"),
        whole: WholePackets::default(),
    }
}

/// The window grows by one packet per `count` packets acknowledged, or per window if that is smaller. Any loss
/// reduces it by an eighth.
///
/// Linux has no low window: a window below `count` packets grows as in standard TCP, and a loss reduces a
/// window of any size by an eighth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScalableLinux {
    count: f64,
    abc_limit: f64,
    whole: WholePackets,
}

impl Avoidance for ScalableLinux {
    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        let each = window.cwnd.floor().min(self.count);
        self.whole.grow(ack.counted(self.abc_limit), each, window);
    }

    fn back_off(&mut self, _event: &Congestion, used: f64) -> f64 {
        self.whole.restart();
        let used = used.floor();
        (used - (used / 8.0).floor()).max(LEAST_KEPT)
    }

    fn scale(&mut self, ratio: f64) {
        self.whole.scale(ratio);
    }

    fn abc_limit(&self) -> f64 {
        self.abc_limit
    }
}
