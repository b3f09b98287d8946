//! `HyStart++`: slow start that ends when the round-trip time rises (RFC 9406).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use crate::facts::{Ack, Congestion};
use crate::windowed::{SlowStart, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "slow start",
    name: "hystart",
    title: "HyStart++: slow start that turns conservative when the round-trip time rises",
    source: "RFC 9406, 4",
    parameters: &[
        Parameter::new(
            "min_rtt_thresh",
            Unit::Milliseconds,
            4.0,
            (0.0, f64::INFINITY),
            "the least rise of the round-trip time between rounds that counts (MIN_RTT_THRESH)",
        ),
        Parameter::new(
            "max_rtt_thresh",
            Unit::Milliseconds,
            16.0,
            (0.0, f64::INFINITY),
            "a rise that counts at any round-trip time (MAX_RTT_THRESH)",
        ),
        Parameter::new(
            "min_rtt_divisor",
            Unit::Number,
            8.0,
            (1.0, 1e6),
            "between these two, the rise that counts is the round-trip time divided by this",
        ),
        Parameter::new(
            "n_rtt_sample",
            Unit::Number,
            8.0,
            (1.0, 1e6),
            "samples of a round before its rise is tested",
        ),
        Parameter::new(
            "css_growth_divisor",
            Unit::Number,
            4.0,
            (1.0, 1e6),
            "divisor of the growth in conservative slow start",
        ),
        Parameter::new(
            "css_rounds",
            Unit::RoundTrips,
            5.0,
            (1.0, 1e6),
            "rounds of conservative slow start before avoidance",
        ),
        Parameter::new(
            "limit",
            Unit::Packets,
            8.0,
            (1.0, f64::INFINITY),
            "largest growth per acknowledgment (L; inf with pacing)",
        ),
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> HyStart {
    HyStart::new(values)
}

/// Standard slow start by up to `abc_limit` packets per acknowledgment, until the smallest round-trip time of a
/// round exceeds the one of the round before by an eighth (4 ms at least, 16 ms at most). Then conservative slow
/// start, a quarter as fast, for `css_rounds` rounds; then avoidance. If a round's smallest time falls below the
/// one that raised the alarm, the alarm was false, and slow start goes on.
///
/// Left open in the RFC, and done here:
/// - *Later slow starts* are standard ones (4.3: "SHOULD use `HyStart++` only for the initial slow start"), by a packet
///   per acknowledgment.
/// - *A round* ends with the first acknowledgment of a packet sent after its beginning; that one counts for the next.
/// - *A round without a sample* allows no comparison in the next round.
#[derive(Clone, Copy, Debug)]
pub struct HyStart {
    rule: Rule,
    phase: Phase,
    /// The phase by which this acknowledgment grows the window: its sample is tested after the growth (4.2).
    growth: Phase,
    round: Option<u64>,
    /// The smallest round-trip time of the round before in nanoseconds; infinite if there was no sample.
    last_min: f64,
    /// The smallest of this round.
    current_min: f64,
    samples: f64,
}

/// The parameters: times in nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Rule {
    min_rtt_thresh: f64,
    max_rtt_thresh: f64,
    min_rtt_divisor: f64,
    n_rtt_sample: f64,
    css_growth_divisor: f64,
    css_rounds: f64,
    abc_limit: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    SlowStart,
    /// Conservative slow start: the smallest round-trip time that began it, in nanoseconds, and the rounds so far.
    Conservative {
        baseline: f64,
        rounds: f64,
    },
    /// Its rounds are over: avoidance begins with the next acknowledgment that may grow the window.
    Over,
    /// The initial slow start is past.
    Standard,
}

impl HyStart {
    /// From the registry's values.
    fn new(values: &Values) -> HyStart {
        let rule = Rule {
            min_rtt_thresh: 1e6 * values.get("min_rtt_thresh"),
            max_rtt_thresh: 1e6 * values.get("max_rtt_thresh"),
            min_rtt_divisor: values.get("min_rtt_divisor"),
            n_rtt_sample: values.get("n_rtt_sample"),
            css_growth_divisor: values.get("css_growth_divisor"),
            css_rounds: values.get("css_rounds"),
            abc_limit: values.get("limit"),
        };
        let (last_min, current_min) = (f64::INFINITY, f64::INFINITY);
        HyStart {
            rule,
            phase: Phase::SlowStart,
            growth: Phase::SlowStart,
            round: None,
            last_min,
            current_min,
            samples: 0.0,
        }
    }

    fn begin_round(&mut self, round: u64) {
        let first = self.round.is_none();
        self.round = Some(round);
        if first {
            return;
        }
        (self.last_min, self.current_min, self.samples) = (self.current_min, f64::INFINITY, 0.0);
        if let Phase::Conservative { rounds, .. } = &mut self.phase {
            *rounds += 1.0;
            if *rounds >= self.rule.css_rounds {
                self.phase = Phase::Over;
            }
        }
    }

    /// RFC 9406, 4.2, with the smallest round-trip time of this round until now.
    fn judge(&mut self) {
        let Rule { min_rtt_thresh, max_rtt_thresh, min_rtt_divisor, n_rtt_sample, .. } = self.rule;
        if self.samples < n_rtt_sample || self.current_min.is_infinite() {
            return;
        }
        match self.phase {
            Phase::SlowStart if self.last_min.is_finite() => {
                let rise = (self.last_min / min_rtt_divisor).min(max_rtt_thresh).max(min_rtt_thresh);
                if self.current_min >= self.last_min + rise {
                    self.phase = Phase::Conservative { baseline: self.current_min, rounds: 0.0 };
                }
            }
            Phase::Conservative { baseline, .. } if self.current_min < baseline => {
                self.phase = Phase::SlowStart;
            }
            _ => {}
        }
    }
}

impl SlowStart for HyStart {
    fn measure(&mut self, ack: &Ack, _window: &mut Window) {
        if self.round != Some(ack.round) {
            self.begin_round(ack.round);
        }
        self.growth = self.phase;
        if let Some(rtt) = ack.rtt {
            self.current_min = self.current_min.min(rtt.as_nanos() as f64);
            self.samples += f64::from(ack.acks);
            self.judge();
        }
    }

    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        let Rule { abc_limit, css_growth_divisor, .. } = self.rule;
        let growth = match self.growth {
            Phase::SlowStart => ack.counted(abc_limit),
            Phase::Conservative { .. } => ack.counted(abc_limit) / css_growth_divisor,
            Phase::Standard => ack.counted(1.0),
            Phase::Over => {
                self.phase = Phase::Standard;
                window.ssthresh = window.cwnd;
                return;
            }
        };
        window.cwnd = (window.cwnd + growth).min(window.ssthresh);
    }

    fn on_congestion(&mut self, _event: &Congestion) {
        self.phase = Phase::Standard;
    }

    /// The state has no quantity in packets.
    fn scale(&mut self, _ratio: f64) {}

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        let conservative = matches!(self.phase, Phase::Conservative { .. });
        gauge("hystart_conservative", f64::from(u8::from(conservative)));
    }
}
