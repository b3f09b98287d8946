//! A controller that checks its driver and the controller it wraps.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ackclock_units::PacketRate;

use super::contract::{Call, Contract};
use crate::control::{CongestionControl, Decision};
use crate::facts::{Ack, Congestion, Event, Needs};

/// The calls of a driver, in order. Clones share one record.
#[derive(Clone, Debug, Default)]
pub struct Record(Arc<Mutex<Vec<Call>>>);

impl Record {
    /// All calls so far.
    pub fn calls(&self) -> Vec<Call> {
        self.lock().clone()
    }

    /// Calls of `on_ack`: one for every acknowledgment that arrived.
    pub fn acks(&self) -> usize {
        self.lock().iter().filter(|call| matches!(call, Call::Ack(_))).count()
    }

    /// The congestion episodes.
    pub fn episodes(&self) -> Vec<Congestion> {
        let congestion = |call: &Call| match call {
            Call::Congestion(event) => Some(*event),
            _ => None,
        };
        self.lock().iter().filter_map(congestion).collect()
    }

    /// A panic elsewhere fails the test anyway; the calls before it remain useful.
    fn lock(&self) -> MutexGuard<'_, Vec<Call>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Wraps a controller. The wrapper panics if its driver breaks the contract, or if the controller
/// returns an invalid window, threshold or rate.
pub fn checked(inner: Box<dyn CongestionControl>) -> (Box<dyn CongestionControl>, Record) {
    let record = Record::default();
    let checked = Checked { inner, contract: Contract::default(), record: record.clone() };
    checked.check_answers("construction");
    (Box::new(checked), record)
}

struct Checked {
    inner: Box<dyn CongestionControl>,
    contract: Contract,
    record: Record,
}

impl Checked {
    fn call(&mut self, call: Call) -> Decision {
        self.record.lock().push(call);
        if let Err(problem) = self.contract.accept(&call) {
            panic!("the driver breaks the contract: {problem}, at {call:?}");
        }
        if let Call::Event(Event::Deadline { now }) = call {
            let due = self.inner.decision().wake.is_some_and(|wake| wake <= now);
            assert!(due, "the driver breaks the contract: no deadline has passed, at {call:?}");
        }
        let decision = call.apply(self.inner.as_mut());
        assert_eq!(decision, self.inner.decision(), "another decision is in force after {call:?}");
        self.check_answers(&format!("{call:?}"));
        decision
    }

    fn check_answers(&self, after: &str) {
        let (Decision { cwnd, pacing_rate, wake }, ssthresh) = (self.inner.decision(), self.inner.ssthresh());
        assert!(cwnd.is_finite() && cwnd > 0.0, "a window of {cwnd} after {after}");
        assert!(ssthresh > 0.0, "a threshold of {ssthresh} after {after}");
        if let Some(PacketRate(rate)) = pacing_rate {
            assert!(rate.is_finite() && rate > 0.0, "a pacing rate of {rate} after {after}");
        }
        let needed = self.inner.needs().pacing || pacing_rate.is_none() && wake.is_none();
        assert!(needed, "a pacing rate or a deadline without the need for it, after {after}");
    }
}

impl CongestionControl for Checked {
    fn needs(&self) -> Needs {
        self.inner.needs()
    }

    fn on_ack(&mut self, ack: &Ack) -> Decision {
        self.call(Call::Ack(*ack))
    }

    fn on_congestion(&mut self, signal: &Congestion) -> Decision {
        self.call(Call::Congestion(*signal))
    }

    fn on_event(&mut self, event: &Event) -> Decision {
        self.call(Call::Event(*event))
    }

    fn decision(&self) -> Decision {
        self.inner.decision()
    }

    fn ssthresh(&self) -> f64 {
        self.inner.ssthresh()
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        self.inner.observe(gauge);
    }
}

impl Clone for Checked {
    /// The copy has a record of its own: its calls ask what would happen, and did not happen.
    fn clone(&self) -> Checked {
        let record = Record::default();
        Checked { inner: self.inner.clone(), contract: self.contract.clone(), record }
    }
}
