//! Hoe's estimate: a threshold at the bandwidth-delay product, from closely spaced acknowledgments (burst-tcp, 3.3.3).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::Time;

use crate::facts::{Ack, Congestion};
use crate::windowed::{SlowStart, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "slow start",
    name: "hoe",
    title: "Hoe's estimate: the threshold becomes the bandwidth-delay product that three closely spaced ACKs give",
    source: "burst-tcp, 3.3.3, after Hoe, ACM SIGCOMM 1996",
    parameters: &[Parameter::new(
        "acks",
        Unit::Number,
        3.0,
        (2.0, 1000.0),
        "acknowledgments of one round trip that the estimate takes",
    )],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Hoe {
    Hoe { acks: values.get("acks"), line: Line::default(), is_over: false }
}

/// The first `acks` acknowledgments of one round trip lie on a line of packets over time, whose slope by least squares is the
/// bandwidth. The slope times the smallest round-trip time lowers the threshold, once in a connection.
///
/// burst-tcp has the method, "applying the least squares estimation on three closely-spaced ACKs", and no rule for the rest.
/// The choices made here:
/// - *Closely spaced* means: of one round trip. Acknowledgments of another round trip begin anew. Those of
///   one instant count as one.
/// - *The delay* of the product is the smallest round-trip time measured.
/// - *A lower threshold* stays, as in ns-2's `newreno_changes_`: the estimate is to prevent the first overshoot.
#[derive(Clone, Debug)]
pub struct Hoe {
    acks: f64,
    line: Line,
    is_over: bool,
}

impl Hoe {
    /// The least threshold, in packets: RFC 5681's for a congested path.
    const LEAST_SSTHRESH: f64 = 2.0;
}

impl SlowStart for Hoe {
    fn measure(&mut self, ack: &Ack, window: &mut Window) {
        if self.is_over || ack.delivered <= 0.0 {
            return;
        }
        self.line.add(ack);
        if self.line.points < self.acks {
            return;
        }
        if ack.min_rtt.is_zero() {
            self.line = Line::default();
            return;
        }
        let product = self.line.slope() * ack.min_rtt.as_secs_f64();
        window.ssthresh = window.ssthresh.min(product.max(Hoe::LEAST_SSTHRESH));
        self.is_over = true;
    }

    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        window.cwnd = (window.cwnd + ack.counted(1.0)).min(window.ssthresh);
    }

    fn on_congestion(&mut self, _event: &Congestion) {
        self.is_over = true;
    }

    fn scale(&mut self, ratio: f64) {
        self.line.scale(ratio);
    }
}

/// Sums over points of arrival times, in seconds since the first, and packets acknowledged by then.
#[derive(Clone, Debug, Default)]
struct Line {
    round: u64,
    first: Time,
    latest: f64,
    points: f64,
    packets: f64,
    times: f64,
    times_squared: f64,
    sum: f64,
    products: f64,
}

impl Line {
    #[expect(clippy::float_cmp, reason = "times of one instant are made alike")]
    fn add(&mut self, ack: &Ack) {
        if self.points == 0.0 || ack.round != self.round {
            *self = Line { round: ack.round, first: ack.now, ..Line::default() };
        }
        let time = ack.now.since(self.first).as_secs_f64();
        if self.points > 0.0 && time == self.latest {
            self.raise(ack.delivered);
            return;
        }
        self.latest = time;
        self.packets += ack.delivered;
        self.points += 1.0;
        self.times += time;
        self.times_squared += time * time;
        self.sum += self.packets;
        self.products += self.packets * time;
    }

    /// More packets at the time of the latest point.
    fn raise(&mut self, delivered: f64) {
        self.packets += delivered;
        self.sum += delivered;
        self.products += delivered * self.latest;
    }

    /// Packets per second, by least squares; the times of two points differ.
    fn slope(&self) -> f64 {
        (self.points * self.products - self.times * self.sum)
            / (self.points * self.times_squared - self.times * self.times)
    }

    fn scale(&mut self, ratio: f64) {
        self.packets *= ratio;
        self.sum *= ratio;
        self.products *= ratio;
    }
}
