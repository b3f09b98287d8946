//! A controller whose packets leave at a constant rate, until there is congestion.

use ackclock_units::PacketRate;

use crate::control::{CongestionControl, Decision};
use crate::facts::{Ack, Congestion, Event, Needs};

/// Adds a rate that the user knows beforehand to a controller that sets none. The rate ends with the first
/// congestion episode or idle time, since the known state is then out of date; the controller continues
/// without it. The window is always the controller's own.
///
/// [`Decision::pacing_rate`] has the rate, and is absent after its end.
#[derive(Clone)]
pub struct ConstantRate {
    inner: Box<dyn CongestionControl>,
    rate: Option<PacketRate>,
}

impl ConstantRate {
    /// `inner` with that rate.
    pub fn new(inner: Box<dyn CongestionControl>, rate: PacketRate) -> ConstantRate {
        ConstantRate { inner, rate: Some(rate) }
    }

    fn with_rate(&self, decision: Decision) -> Decision {
        Decision { pacing_rate: self.rate, ..decision }
    }
}

impl CongestionControl for ConstantRate {
    fn needs(&self) -> Needs {
        Needs { pacing: true, ..self.inner.needs() }
    }

    fn on_ack(&mut self, ack: &Ack) -> Decision {
        let decision = self.inner.on_ack(ack);
        self.with_rate(decision)
    }

    fn on_congestion(&mut self, signal: &Congestion) -> Decision {
        self.rate = None;
        self.inner.on_congestion(signal)
    }

    fn on_event(&mut self, event: &Event) -> Decision {
        match event {
            Event::IdleRestart { .. } | Event::NotValidated { .. } => self.rate = None,
            // The rate in bytes per second does not change.
            Event::SegmentSize { .. } => {
                self.rate = self.rate.map(|PacketRate(rate)| PacketRate(rate * event.scale()));
            }
            Event::Spurious | Event::Deadline { .. } => {}
        }
        let decision = self.inner.on_event(event);
        self.with_rate(decision)
    }

    fn decision(&self) -> Decision {
        self.with_rate(self.inner.decision())
    }

    fn ssthresh(&self) -> f64 {
        self.inner.ssthresh()
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        self.inner.observe(gauge);
    }
}
