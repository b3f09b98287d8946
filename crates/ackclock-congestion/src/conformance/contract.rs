//! The obligations of a driver to a controller.

use ackclock_units::Time;

use crate::control::{CongestionControl, Decision};
use crate::facts::{Ack, Congestion, Event, Signal};

/// One call of a driver.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Call {
    /// [`CongestionControl::on_ack`]
    Ack(Ack),
    /// [`CongestionControl::on_congestion`]
    Congestion(Congestion),
    /// [`CongestionControl::on_event`]
    Event(Event),
}

impl Call {
    /// Makes the call.
    pub fn apply(&self, controller: &mut dyn CongestionControl) -> Decision {
        match self {
            Call::Ack(ack) => controller.on_ack(ack),
            Call::Congestion(signal) => controller.on_congestion(signal),
            Call::Event(event) => controller.on_event(event),
        }
    }
}

/// Follows a driver's calls and says where they break the contract.
#[derive(Clone, Debug, Default)]
pub struct Contract {
    now: Time,
    round: u64,
    /// A congestion signal whose acknowledgment has not arrived yet.
    pending: Option<Congestion>,
    /// The round of the latest `Loss` or `Ecn`, while growth is suspended for it.
    suspended: Option<u64>,
    /// The round of the latest `Loss` or `Ecn`, until a timeout.
    latest: Option<u64>,
    timed_out: bool,
    sampled: bool,
    /// Packets delivered so far.
    delivered: f64,
}

impl Contract {
    /// Checks the next call.
    ///
    /// # Errors
    /// The obligation that the call violates.
    pub fn accept(&mut self, call: &Call) -> Result<(), String> {
        match call {
            Call::Ack(ack) => {
                self.pass(ack.now)?;
                self.ack(ack)
            }
            Call::Congestion(event) => {
                self.pass(event.now)?;
                self.congestion(event)
            }
            Call::Event(event) => self.event(event),
        }
    }

    fn event(&mut self, event: &Event) -> Result<(), String> {
        match *event {
            Event::Spurious => {
                self.suspended = None;
                // An undone timeout does not count: the next one is a first timeout.
                self.timed_out = false;
                Ok(())
            }
            Event::IdleRestart { restart_window } => {
                // Persistent congestion ends the recovery period that its signal began (RFC 9002, B.8): the window grows at once.
                if let Some(signal) = &mut self.pending {
                    signal.restart = true;
                }
                ensure(restart_window.is_finite() && restart_window > 0.0, "a restart window of nothing")
            }
            Event::NotValidated { window, ssthresh } => {
                ensure(window.is_finite() && window > 0.0, "a window of nothing")?;
                ensure(ssthresh > 0.0, "a slow-start threshold of nothing")
            }
            Event::Deadline { now } => self.pass(now),
            Event::SegmentSize { from, to } => {
                ensure(from > 0 && to > 0, "segments of no size")?;
                self.delivered *= event.scale();
                Ok(())
            }
        }
    }

    fn pass(&mut self, now: Time) -> Result<(), String> {
        ensure(now >= self.now, "time runs backwards")?;
        self.now = now;
        Ok(())
    }

    fn ack(&mut self, ack: &Ack) -> Result<(), String> {
        for (count, name) in [
            (ack.delivered, "delivered"),
            (ack.lost, "lost"),
            (ack.ce_marked, "ce_marked"),
            (ack.in_flight, "in_flight"),
        ] {
            ensure(count.is_finite() && count >= 0.0, &format!("{name} is no count"))?;
        }
        ensure(ack.feedback.is_none_or(|change| change.0.is_finite()), "feedback that is no number")?;
        ensure(ack.round >= self.round, "rounds run backwards")?;
        ensure(ack.acks > 0 || ack.delivered <= 0.0, "a delivery that no acknowledgment reports")?;
        self.round = ack.round;
        self.delivered += ack.delivered;
        self.times(ack)?;
        self.samples(ack)?;

        if let Some(event) = self.pending.take() {
            ensure(ack.suspended, "growth on the acknowledgment that found the congestion")?;
            ensure(ack.now == event.now, "a congestion signal, and not its acknowledgment next")?;
            ensure(self.latest != Some(ack.round), "two congestion signals in one round trip")?;
            self.latest = Some(ack.round);
            // After a restart the window grows again at once, because slow start follows.
            self.suspended = if event.restart { None } else { Some(ack.round) };
        }
        if self.suspended.is_some_and(|round| ack.round > round) {
            self.suspended = None;
        }
        ensure(self.suspended.is_none() || ack.suspended, "growth in the round trip of a congestion signal")
    }

    /// A sample is positive and both estimates contain it; an estimate, once known, remains known.
    fn times(&mut self, ack: &Ack) -> Result<(), String> {
        if let Some(rtt) = ack.rtt {
            self.sampled = true;
            ensure(!rtt.is_zero(), "a round trip in no time")?;
            ensure(ack.min_rtt <= rtt, "min_rtt does not know the sample of its own acknowledgment")?;
        }
        let known = !ack.srtt.is_zero() && !ack.min_rtt.is_zero();
        ensure(known || !self.sampled, "srtt or min_rtt is zero after a sample")
    }

    /// Samples count no more packets than were delivered or lost.
    fn samples(&self, ack: &Ack) -> Result<(), String> {
        let is_count = |count: f64| count.is_finite() && count >= 0.0;
        if let Some(loss) = ack.loss {
            ensure(
                is_count(loss.lost) && is_count(loss.tx_in_flight),
                "a lost packet's facts are no counts",
            )?;
        }
        let Some(sample) = ack.rate else { return Ok(()) };
        ensure(sample.rate.0.is_finite() && sample.rate.0 > 0.0, "a delivery rate of nothing")?;
        for count in [sample.delivered, sample.prior_delivered, sample.lost, sample.tx_in_flight] {
            ensure(is_count(count), "a rate sample's facts are no counts")?;
        }
        // Sums of fractions of packets are not exact.
        let all = sample.prior_delivered + sample.delivered;
        ensure(all <= self.delivered * (1.0 + 1e-9), "a rate sample of more packets than were delivered")
    }

    fn congestion(&mut self, event: &Congestion) -> Result<(), String> {
        ensure(event.flight >= 0.0, "flight is no count")?;
        ensure(self.pending.is_none(), "a second congestion signal before the acknowledgment of the first")?;
        if event.signal == Signal::Timeout {
            ensure(event.restart, "a timeout without a restart")?;
            ensure(self.timed_out || !event.repeated, "a repeated timeout without a first")?;
            self.timed_out = true;
            self.suspended = None;
            self.latest = None;
            return Ok(());
        }
        ensure(!event.repeated, "only timeouts are repeated")?;
        self.pending = Some(*event);
        Ok(())
    }
}

fn ensure(holds: bool, otherwise: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise.to_owned()) }
}
