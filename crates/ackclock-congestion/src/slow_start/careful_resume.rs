//! Careful Resume: a connection tries half of the window that an earlier one had on its path (RFC 9959).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Duration, PacketRate, Time};

use crate::facts::{Ack, Congestion, Signal};
use crate::windowed::{Reduction, SlowStart, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "slow start",
    name: "careful-resume",
    title: "Careful Resume: slow start that jumps to half of a window of an earlier connection, and retreats at congestion",
    source: "RFC 9959",
    parameters: &[
        Parameter::new(
            "saved_cwnd",
            Unit::Packets,
            0.0,
            (0.0, 1e9),
            "window of the earlier connection; 0: none is known, as in standard slow start",
        ),
        Parameter::new(
            "saved_rtt",
            Unit::Milliseconds,
            0.0,
            (0.0, 1e6),
            "its smallest round-trip time; 0: any confirms the path",
        ),
        Parameter::new(
            "max_jump",
            Unit::Packets,
            f64::INFINITY,
            (1.0, f64::INFINITY),
            "the largest window that is tried",
        ),
        Parameter::new(
            "beta",
            Unit::Number,
            0.5,
            (0.5, 1.0),
            "share of the validated packets that is the threshold after a retreat",
        ),
        Parameter::new(
            "limit",
            Unit::Packets,
            f64::INFINITY,
            (1.0, f64::INFINITY),
            "largest growth per acknowledgment",
        ),
    ],
    ..Entry::PLAIN
};

/// The least window in packets that congestion leaves (RFC 9002, 4.8).
const LEAST: f64 = 2.0;

/// A round-trip time above the saved one times this shows another path (4.2.1).
const MOST_RISE: f64 = 10.0;

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> CarefulResume {
    CarefulResume {
        jump: (values.get("saved_cwnd") / 2.0).min(values.get("max_jump")),
        saved_rtt: Duration::from_secs_f64(values.get("saved_rtt") / 1e3),
        beta: values.get("beta"),
        abc_limit: values.get("limit"),
        initial_window: 0.0,
        delivered: 0.0,
        phase: Phase::Reconnaissance,
    }
}

/// Standard slow start until the initial window is delivered and its round-trip time confirms the path. Then the window is half of the
/// saved one, paced over a round trip, until its first packet is acknowledged. While those packets are in flight any congestion
/// is a sign that the memory is wrong: the window becomes half of what was validated, and the threshold half of all that arrives.
///
/// Without sequence numbers, a packet is known by its place: the packets sent before the jump are those in flight at the jump, and
/// they are delivered first. The validated packets (`PipeSize`) are those in flight at the jump, or all that were delivered since,
/// where these are more.
///
/// Left open in the RFC, and done here:
/// - *The jump* waits until the window holds the sender back, and is left out where slow start is already as far (3.2: MAY).
/// - *Which acknowledgments add to `PipeSize`*: those of packets sent after the jump, as in both examples of appendix B.
/// - *A round trip above ten saved ones* ends it too (4.2.1).
/// - *Loss recovery* is the transport's: growth is suspended until it is over, and then the retreat is.
/// - *The window of a retreat* is at least two packets, and at most what the avoidance would keep.
#[derive(Clone, Copy, Debug)]
pub struct CarefulResume {
    /// The window to try, in packets (`jump_cwnd`).
    jump: f64,
    saved_rtt: Duration,
    beta: f64,
    abc_limit: f64,
    initial_window: f64,
    /// Packets delivered until now.
    delivered: f64,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Reconnaissance,
    Unvalidated {
        jump: Jump,
        since: Time,
        rtt: Duration,
    },
    /// `left` packets of those that were in flight at its beginning are neither delivered nor lost.
    Validating {
        jump: Jump,
        left: f64,
    },
    Retreat {
        jump: Jump,
    },
    /// It is over, or was never begun.
    Normal,
}

/// The account of the packets since the jump.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Jump {
    /// Packets in flight before.
    flight: f64,
    delivered: f64,
    lost: f64,
}

impl Jump {
    fn note(&mut self, ack: &Ack) {
        self.delivered += ack.delivered;
        self.lost += ack.lost;
    }

    /// `PipeSize`.
    fn validated(&self) -> f64 {
        self.flight.max(self.delivered)
    }

    /// A packet sent after the jump is acknowledged.
    fn is_answered(&self) -> bool {
        self.delivered + self.lost > self.flight
    }

    fn scale(&mut self, ratio: f64) {
        self.flight *= ratio;
        self.delivered *= ratio;
        self.lost *= ratio;
    }
}

impl CarefulResume {
    /// Jumps if the path is the saved one and the sender has use for it, or gives up. True if the window is settled.
    fn reconnoitre(&mut self, ack: &Ack, window: &mut Window) -> bool {
        let Some(rtt) = ack.rtt.filter(|_| self.delivered >= self.initial_window) else { return false };
        let (smallest, saved) = (ack.min_rtt.as_nanos() as f64, self.saved_rtt.as_nanos() as f64);
        let is_path = self.saved_rtt.is_zero() || (saved / 2.0 < smallest && smallest <= MOST_RISE * saved);
        let target = self.jump.min(window.ssthresh);
        if !is_path || window.cwnd >= target {
            self.phase = Phase::Normal;
            return false;
        }
        let jump = Jump { flight: ack.in_flight, delivered: 0.0, lost: 0.0 };
        self.phase = Phase::Unvalidated { jump, since: ack.now, rtt };
        window.cwnd = target;
        true
    }

    /// The window after the jump was used: what is in flight, or what was validated where no more is in flight.
    fn validate(&mut self, jump: Jump, flight: f64, window: &mut Window) {
        if flight < self.initial_window || flight <= jump.validated() {
            self.phase = Phase::Normal;
            window.cwnd = window.cwnd.min(jump.validated().max(self.initial_window));
        } else {
            self.phase = Phase::Validating { jump, left: flight };
            window.cwnd = window.cwnd.min(flight);
        }
    }
}

impl SlowStart for CarefulResume {
    fn begin(&mut self, window: &mut Window) {
        self.initial_window = window.cwnd;
    }

    fn measure(&mut self, ack: &Ack, window: &mut Window) {
        self.delivered += ack.delivered;
        match &mut self.phase {
            Phase::Reconnaissance | Phase::Normal => {}
            Phase::Unvalidated { jump, since, rtt } => {
                jump.note(ack);
                let is_full = ack.in_flight + ack.delivered + ack.lost > window.cwnd - 1.0;
                if is_full || jump.is_answered() || ack.now.since(*since) > *rtt {
                    let jump = *jump;
                    self.validate(jump, ack.in_flight, window);
                }
            }
            Phase::Validating { jump, left } => {
                jump.note(ack);
                *left -= ack.delivered + ack.lost;
                if *left <= 0.0 {
                    self.phase = Phase::Normal;
                }
            }
            Phase::Retreat { jump } => {
                jump.note(ack);
                if !ack.suspended {
                    window.ssthresh = (self.beta * jump.validated()).max(LEAST);
                    self.phase = Phase::Normal;
                }
            }
        }
    }

    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        let is_settled = match self.phase {
            Phase::Reconnaissance => self.reconnoitre(ack, window),
            Phase::Unvalidated { .. } | Phase::Retreat { .. } => true,
            Phase::Validating { .. } | Phase::Normal => false,
        };
        if !is_settled {
            window.cwnd = (window.cwnd + ack.counted(self.abc_limit)).min(window.ssthresh);
        }
    }

    fn on_congestion(&mut self, event: &Congestion) {
        let restarts = event.restart || event.signal == Signal::Timeout;
        self.phase = match self.phase {
            Phase::Unvalidated { jump, .. } | Phase::Validating { jump, .. } if !restarts => {
                Phase::Retreat { jump }
            }
            _ => Phase::Normal,
        };
    }

    fn on_reduction(&mut self, _reduction: &Reduction, window: &mut Window) {
        if let Phase::Retreat { jump } = self.phase {
            window.cwnd = window.cwnd.min((jump.validated() / 2.0).max(LEAST));
        }
    }

    fn paces(&self) -> bool {
        self.jump > 0.0
    }

    fn pacing_rate(&self, cwnd: f64) -> Option<PacketRate> {
        let Phase::Unvalidated { rtt, .. } = self.phase else { return None };
        Some(PacketRate(cwnd / rtt.as_secs_f64()))
    }

    fn scale(&mut self, ratio: f64) {
        self.jump *= ratio;
        self.initial_window *= ratio;
        self.delivered *= ratio;
        match &mut self.phase {
            Phase::Reconnaissance | Phase::Normal => {}
            Phase::Unvalidated { jump, .. } | Phase::Retreat { jump } => jump.scale(ratio),
            Phase::Validating { jump, left } => {
                jump.scale(ratio);
                *left *= ratio;
            }
        }
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        let (phase, jump) = match self.phase {
            Phase::Reconnaissance => (1.0, None),
            Phase::Unvalidated { jump, .. } => (2.0, Some(jump)),
            Phase::Validating { jump, .. } => (3.0, Some(jump)),
            Phase::Retreat { jump } => (4.0, Some(jump)),
            Phase::Normal => (0.0, None),
        };
        gauge("careful_resume_phase", phase);
        gauge("careful_resume_pipe_size", jump.map_or(0.0, |jump| jump.validated()));
    }
}
