//! The facts of a step as the sender of a flow sees them, and the quantities that an agent observes of them.

use ackclock_units::Duration;

use crate::facts::{Ack, Congestion, Signal};

/// The facts of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepFacts {
    /// The length of the step.
    pub duration: Duration,
    /// Packets newly known to be delivered.
    pub delivered: f64,
    /// Packets newly declared lost.
    pub lost: f64,
    /// The sum of the round-trip times measured, in seconds.
    pub rtt_sum_s: f64,
    /// Their number.
    pub rtt_count: f64,
    /// The latest of them; of an earlier step where this one has none.
    pub rtt_last: Duration,
    /// The smallest round-trip time since the connection began.
    pub rtt_min: Duration,
    /// The smoothed round-trip time (RFC 6298).
    pub srtt: Duration,
    /// Packets in flight after the latest acknowledgment, or at the latest congestion signal.
    pub in_flight: f64,
    /// True if the latest acknowledgment lets the window grow.
    pub may_grow: bool,
    /// The window in force at the end of the step, in packets.
    pub cwnd: f64,
    /// Congestion episodes that began, timeouts among them.
    pub signals: f64,
    /// Timeouts.
    pub timeouts: f64,
    /// Bytes of data in a full segment.
    pub segment_bytes: f64,
    /// The largest goodput of a step since the connection began, in packets per second.
    pub most_goodput: f64,
    /// The packets by which the requested window exceeds its bound.
    pub excess: f64,
}

/// A quantity that an agent can observe of a step.
#[non_exhaustive]
pub struct Observation {
    /// Its name, which ends in its unit; shares and counts have none.
    pub name: &'static str,
    /// Its meaning in a sentence.
    pub meaning: &'static str,
    /// The largest value that is shown.
    pub largest: f64,
    value: fn(&StepFacts) -> f64,
}

impl Observation {
    /// Its value in a step.
    pub fn of(&self, step: &StepFacts) -> f64 {
        (self.value)(step).min(self.largest)
    }
}

const fn of(
    name: &'static str,
    meaning: &'static str,
    largest: f64,
    value: fn(&StepFacts) -> f64,
) -> Observation {
    Observation { name, meaning, largest, value }
}

/// All quantities that an agent can observe.
pub const OBSERVATIONS: [Observation; 21] = [
    of("duration_s", "The length of the step.", 1e3, |step| step.duration.as_secs_f64()),
    of("delivered_packets", "Packets newly known to be delivered.", 1e9, |step| step.delivered),
    of("lost_packets", "Packets newly declared lost.", 1e9, |step| step.lost),
    of("loss_share", "Packets lost among those lost and delivered.", 1.0, |step| {
        share(step.lost, step.lost + step.delivered)
    }),
    of("goodput_packets_per_s", "Packets delivered per second.", 1e9, StepFacts::goodput),
    of("goodput_bit_per_s", "Bits of data delivered per second.", 1e13, |step| {
        step.goodput() * step.segment_bytes * 8.0
    }),
    of("goodput_share", "The goodput by the largest of the episode so far.", 1.0, |step| {
        share(step.goodput(), step.most_goodput)
    }),
    of(
        "rtt_mean_s",
        "The mean round-trip time; smoothed (RFC 6298) where the step has no sample.",
        1e3,
        StepFacts::rtt_mean_s,
    ),
    of("rtt_last_s", "The latest round-trip time.", 1e3, |step| step.rtt_last.as_secs_f64()),
    of("rtt_min_s", "The smallest round-trip time since the start.", 1e3, |step| step.rtt_min.as_secs_f64()),
    of("srtt_s", "The smoothed round-trip time (RFC 6298).", 1e3, |step| step.srtt.as_secs_f64()),
    of("rtt_share", "The mean round-trip time by the smallest.", 1e6, |step| {
        share(step.rtt_mean_s(), step.rtt_min.as_secs_f64())
    }),
    of("queueing_s", "The mean round-trip time above the smallest.", 1e3, |step| {
        (step.rtt_mean_s() - step.rtt_min.as_secs_f64()).max(0.0)
    }),
    of(
        "in_flight_packets",
        "Packets in flight at the latest acknowledgment or congestion signal.",
        1e9,
        |step| step.in_flight,
    ),
    of(
        "may_grow",
        "1 if the latest acknowledgment lets the window grow, 0 while growth is suspended.",
        1.0,
        |step| f64::from(step.may_grow),
    ),
    of("cwnd_packets", "The congestion window in force.", 1e9, |step| step.cwnd),
    of("congestion_signals", "Congestion episodes that began.", 1e9, |step| step.signals),
    of("timeouts", "Timeouts.", 1e9, |step| step.timeouts),
    of("segment_bytes", "Bytes of data in a full segment.", 1e9, |step| step.segment_bytes),
    of("most_goodput_packets_per_s", "The largest goodput of a step in the episode so far.", 1e9, |step| {
        step.most_goodput
    }),
    of("window_excess_packets", "Packets that the window asked for exceeds its bound by.", 1e9, |step| {
        step.excess
    }),
];

impl StepFacts {
    /// The value of each of [`OBSERVATIONS`].
    pub fn observed(&self) -> [f64; OBSERVATIONS.len()] {
        OBSERVATIONS.each_ref().map(|observation| observation.of(self))
    }

    /// The mean of the round-trip times measured, in seconds; the smoothed one where there is none.
    fn rtt_mean_s(&self) -> f64 {
        if self.rtt_count > 0.0 { self.rtt_sum_s / self.rtt_count } else { self.srtt.as_secs_f64() }
    }

    /// Counts an acknowledgment.
    #[inline]
    pub fn count_ack(&mut self, ack: &Ack) {
        self.delivered += ack.delivered;
        self.lost += ack.lost;
        if let Some(rtt) = ack.rtt {
            self.rtt_sum_s += rtt.as_secs_f64();
            self.rtt_count += 1.0;
            self.rtt_last = rtt;
        }
        self.rtt_min = ack.min_rtt;
        self.srtt = ack.srtt;
        self.in_flight = ack.in_flight;
        self.may_grow = ack.may_grow();
    }

    /// Counts the beginning of a congestion episode.
    pub fn count_signal(&mut self, signal: &Congestion) {
        self.signals += 1.0;
        self.in_flight = signal.flight;
        self.may_grow = false;
        if signal.signal == Signal::Timeout {
            self.timeouts += 1.0;
        }
    }

    /// Ends the step after this time.
    pub fn end(&mut self, duration: Duration) {
        self.duration = duration;
        self.most_goodput = self.most_goodput.max(self.goodput());
    }

    /// Packets delivered per second.
    pub fn goodput(&self) -> f64 {
        share(self.delivered, self.duration.as_secs_f64())
    }

    /// The facts with which a step begins after this one: counts from zero, and the state that remains.
    #[must_use]
    pub fn next(&self) -> StepFacts {
        StepFacts {
            duration: Duration::ZERO,
            delivered: 0.0,
            lost: 0.0,
            rtt_sum_s: 0.0,
            rtt_count: 0.0,
            signals: 0.0,
            timeouts: 0.0,
            excess: 0.0,
            ..*self
        }
    }
}

/// `part / whole`, zero where there is nothing to have a share in.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
