//! TCP Veno as in Linux.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::Duration;

use super::reno::LEAST_KEPT;
use super::whole_packets::WholePackets;
use crate::facts::{Ack, Congestion, Signal};
use crate::windowed::{Avoidance, Window};

/// The round-trip time without a sample, in microseconds.
const NO_SAMPLE: u64 = 0x7fff_ffff;

/// The smallest window in packets.
const LEAST_WINDOW: f64 = 2.0;

/// With at most this many samples in the connection, the window grows as in standard TCP.
const TOO_FEW: u16 = 2;

pub(crate) const ENTRY: Entry = Entry {
    kind: "avoidance",
    name: "veno-linux",
    title: "TCP Veno as in Linux: by the latest round-trip time, in whole packets, and any loss may be a random one",
    source: "Linux 6, tcp_veno.c; Fu and Liew, IEEE JSAC 21(2), 2003",
    parameters: &[Parameter::new(
        "beta",
        Unit::Packets,
        3.0,
        (0.0, f64::INFINITY),
        "queued data from which on the network counts as congested",
    )],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> VenoLinux {
    VenoLinux {
        halves: 2.0 * values.get("beta"),
        whole: WholePackets::default(),
        base_rtt: NO_SAMPLE,
        least_rtt: NO_SAMPLE,
        samples: 0,
        backlog: 0.0,
        grows: true,
        emptied: false,
    }
}

/// Veno with windows of whole packets and a backlog in half packets. From `beta` packets on, the window grows in every
/// other round trip; below `beta` any congestion signal leaves four fifths.
///
/// - *The backlog* is estimated at each acknowledgment that may grow the window, from the smallest round-trip time
///   since the previous estimate; without a sample all packets count as queued.
/// - *The base round-trip time* is forgotten when a packet is sent while nothing is in flight, as after a timeout; a loss leaves it.
/// - *The acknowledgment that completes a window* in the congested state is not counted itself.
#[derive(Clone, Copy, Debug)]
pub struct VenoLinux {
    /// `beta` in half packets.
    halves: f64,
    whole: WholePackets,
    /// In microseconds plus one, like all round-trip times here.
    base_rtt: u64,
    least_rtt: u64,
    /// Round-trip time samples of the whole connection, counted in 16 bits.
    samples: u16,
    /// In half packets.
    backlog: f64,
    /// True if the next window of acknowledgments in the congested state adds a packet.
    grows: bool,
    /// True if nothing is in flight when the next packet is sent.
    emptied: bool,
}

impl VenoLinux {
    fn begin_anew(&mut self) {
        (self.base_rtt, self.least_rtt) = (NO_SAMPLE, NO_SAMPLE);
        self.grows = true;
    }

    fn take_sample(&mut self, rtt: Duration, acks: u32) {
        let rtt = rtt.as_nanos() / 1_000 + 1;
        self.base_rtt = self.base_rtt.min(rtt);
        self.least_rtt = self.least_rtt.min(rtt);
        self.samples = self.samples.wrapping_add(acks as u16);
    }

    fn estimate(&mut self, cwnd: f64) {
        if self.samples > TOO_FEW {
            let halves = 2 * cwnd as u64;
            self.backlog = (halves - halves * self.base_rtt / self.least_rtt) as f64;
        }
        self.least_rtt = NO_SAMPLE;
    }

    fn has_short_queue(&self) -> bool {
        self.backlog < self.halves
    }
}

impl Avoidance for VenoLinux {
    fn measure(&mut self, ack: &Ack, window: &mut Window) {
        if std::mem::replace(&mut self.emptied, ack.in_flight <= 0.0) {
            self.begin_anew();
        }
        if let Some(rtt) = ack.rtt {
            self.take_sample(rtt, ack.acks);
        }
        if ack.suspended {
            self.least_rtt = NO_SAMPLE;
        } else if ack.may_grow() {
            self.estimate(window.cwnd);
        }
    }

    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        let each = window.cwnd.floor();
        let is_estimated = self.samples > TOO_FEW;
        if !is_estimated || self.has_short_queue() {
            self.whole.grow(ack.delivered, each, window);
        } else if self.whole.completes(ack.delivered, each) {
            window.cwnd += f64::from(u8::from(self.grows));
            self.grows = !self.grows;
        }
        if is_estimated {
            window.cwnd = window.cwnd.max(LEAST_WINDOW);
        }
    }

    fn back_off(&mut self, event: &Congestion, used: f64) -> f64 {
        self.whole.restart();
        // The segment that timed out is sent again while nothing is in flight.
        self.emptied |= event.signal == Signal::Timeout;
        let used = used.floor();
        let kept = if self.has_short_queue() { 4.0 * used / 5.0 } else { used / 2.0 };
        kept.floor().max(LEAST_KEPT)
    }

    fn scale(&mut self, ratio: f64) {
        self.whole.scale(ratio);
        self.backlog *= ratio;
    }

    fn on_idle_restart(&mut self) {
        self.begin_anew();
    }

    fn abc_limit(&self) -> f64 {
        f64::INFINITY
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("veno_backlog_packets", self.backlog / 2.0);
    }
}
