//! Rapid Start: slow start that triples the window while no queue builds, and finds back by what is delivered
//! (draft-kazuho-ccwg-rapid-start).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Duration, PacketRate};

use crate::facts::{Ack, Congestion, Signal};
use crate::windowed::{Reduction, SlowStart, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "slow start",
    name: "rapid-start",
    title: "Rapid Start: slow start that triples the window while no queue builds, and finds back by what is delivered",
    source: "draft-kazuho-ccwg-rapid-start-02, 3",
    parameters: &[
        Parameter::new(
            "rise",
            Unit::Milliseconds,
            4.0,
            (0.0, f64::INFINITY),
            "a round trip this much above the smallest shows a queue",
        ),
        Parameter::new(
            "factor",
            Unit::Number,
            1.1,
            (1.0, f64::INFINITY),
            "so does one above the smallest times this, where that is less",
        ),
        Parameter::new(
            "pacing",
            Unit::Switch,
            1.0,
            (0.0, 1.0),
            "1: the first flight above standard slow start's is paced over a round trip",
        ),
        Parameter::new(
            "limit",
            Unit::Packets,
            f64::INFINITY,
            (1.0, f64::INFINITY),
            "packets that an acknowledgment counts for, at most",
        ),
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> RapidStart {
    RapidStart {
        rise: 1e6 * values.get("rise"),
        factor: values.get("factor"),
        paces: values.is_on("pacing"),
        abc_limit: values.get("limit"),
        floor: f64::INFINITY,
        min_rtt: f64::INFINITY,
        round: None,
        is_fresh: false,
        srtt: Duration::ZERO,
        phase: Phase::FirstFlight,
    }
}

/// The share of `1 - beta` that a packet acknowledged in recovery takes from the window (`K`).
const K: f64 = 2.0 / 3.0;

/// The largest growth of the window in a round trip, by which losses can have exceeded what the path holds.
const GROWTH: f64 = 3.0;

/// The least window in packets that congestion leaves (RFC 9002, 7.2; RFC 5681, 3.1).
const LEAST: f64 = 2.0;

/// Two packets more for each one acknowledged, while the smallest round-trip time of the round is within 4 ms and 10 % of the
/// connection's smallest; one more where it is above. The first flight that standard slow start would not have sent is paced over a
/// round trip. The first recovery takes a little of the window at once, and the rest as packets are acknowledged or lost, so that it
/// ends with the avoidance's share of what the path and its queue hold. Then Rapid Start is over.
///
/// Left open in the draft, and done here:
/// - *The observation window* is the transport's round, as in `HyStart++`. A round without a sample keeps the last one's time.
/// - *The first flight* begins with the first acknowledgment, since no round-trip time is known before.
/// - *The first recovery* ends when growth is no more suspended. A timeout, and a restart, end Rapid Start.
/// - *Later slow starts* are standard ones.
#[derive(Clone, Copy, Debug)]
pub struct RapidStart {
    /// In nanoseconds, as all times here that are numbers.
    rise: f64,
    factor: f64,
    paces: bool,
    abc_limit: f64,
    /// The smallest round-trip time of the round (`rtt_floor`).
    floor: f64,
    /// The connection's smallest round-trip time.
    min_rtt: f64,
    round: Option<u64>,
    /// The next sample is the first of a round.
    is_fresh: bool,
    srtt: Duration,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// Up to the end of the first round.
    FirstFlight,
    Starting,
    /// The first recovery: what the avoidance keeps of the window, and the least window in packets.
    Recovering {
        beta: f64,
        least: f64,
    },
    /// It is over.
    Standard,
}

impl RapidStart {
    fn is_queueing(&self) -> bool {
        self.floor > (self.min_rtt + self.rise).min(self.min_rtt * self.factor)
    }

    fn begin_round(&mut self, round: u64) {
        if self.round.replace(round).is_some() && self.phase == Phase::FirstFlight {
            self.phase = Phase::Starting;
        }
        self.is_fresh = true;
    }

    /// Takes what an acknowledgment of the recovery says from the window.
    fn recover(&mut self, ack: &Ack, window: &mut Window) {
        let Phase::Recovering { beta, least } = self.phase else { return };
        if ack.suspended {
            let acked = K * (1.0 - beta);
            let less = window.cwnd - acked * ack.delivered - (beta + acked) * ack.lost;
            window.cwnd = less.max(least).min(window.cwnd);
            window.ssthresh = window.cwnd;
        } else {
            self.phase = Phase::Standard;
        }
    }
}

impl SlowStart for RapidStart {
    fn measure(&mut self, ack: &Ack, window: &mut Window) {
        if self.round != Some(ack.round) {
            self.begin_round(ack.round);
        }
        if let Some(rtt) = ack.rtt {
            let rtt = rtt.as_nanos() as f64;
            self.floor = if self.is_fresh { rtt } else { self.floor.min(rtt) };
            self.is_fresh = false;
            self.min_rtt = ack.min_rtt.as_nanos() as f64;
        }
        self.srtt = ack.srtt;
        self.recover(ack, window);
    }

    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        let growth = match self.phase {
            Phase::FirstFlight | Phase::Starting if !self.is_queueing() => GROWTH - 1.0,
            _ => 1.0,
        };
        window.cwnd = (window.cwnd + growth * ack.counted(self.abc_limit)).min(window.ssthresh);
    }

    fn on_congestion(&mut self, event: &Congestion) {
        let is_later = matches!(self.phase, Phase::Recovering { .. });
        if is_later || event.restart || event.signal == Signal::Timeout {
            self.phase = Phase::Standard;
        }
    }

    fn on_reduction(&mut self, reduction: &Reduction, window: &mut Window) {
        let Reduction { before, share } = *reduction;
        let starts = matches!(self.phase, Phase::FirstFlight | Phase::Starting);
        self.phase = Phase::Standard;
        if starts && before.cwnd < before.ssthresh {
            let beta = share.min(1.0);
            let least = (before.cwnd * beta / GROWTH).max(LEAST).min(before.cwnd);
            self.phase = Phase::Recovering { beta, least };
            window.cwnd = (before.cwnd * (beta + K * (1.0 - beta))).max(least);
            window.ssthresh = window.cwnd;
        }
    }

    fn paces(&self) -> bool {
        self.paces
    }

    fn pacing_rate(&self, cwnd: f64) -> Option<PacketRate> {
        let is_paced = self.paces && self.phase == Phase::FirstFlight && !self.srtt.is_zero();
        is_paced.then(|| PacketRate(cwnd / self.srtt.as_secs_f64()))
    }

    fn scale(&mut self, ratio: f64) {
        if let Phase::Recovering { least, .. } = &mut self.phase {
            *least *= ratio;
        }
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        let triples = matches!(self.phase, Phase::FirstFlight | Phase::Starting) && !self.is_queueing();
        let recovers = matches!(self.phase, Phase::Recovering { .. });
        gauge("rapid_start_tripling", f64::from(u8::from(triples)));
        gauge("rapid_start_recovering", f64::from(u8::from(recovers)));
    }
}
