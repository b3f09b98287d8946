//! A controller that watches its driver and itself.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ackclock_units::{PacketRate, Time};

use super::contract::{Call, Contract};
use crate::control::CongestionControl;
use crate::facts::{Ack, Congestion};

/// What a driver called, in order. Copies show the same record.
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

    /// A panic elsewhere is about to fail the test anyway; the calls up to it are of use.
    fn lock(&self) -> MutexGuard<'_, Vec<Call>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Wraps a controller. The wrapped one panics where its driver breaks the contract, or where the controller answers
/// with what is no window, threshold or rate.
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
    fn call(&mut self, call: Call) {
        self.record.lock().push(call);
        if let Err(problem) = self.contract.accept(&call) {
            panic!("the driver breaks the contract: {problem}, at {call:?}");
        }
        if let Call::Deadline(now) = call {
            let due = self.inner.deadline().is_some_and(|deadline| deadline <= now);
            assert!(due, "the driver breaks the contract: no deadline has passed, at {call:?}");
        }
        call.apply(self.inner.as_mut());
        self.check_answers(&format!("{call:?}"));
    }

    fn check_answers(&self, after: &str) {
        let (cwnd, ssthresh) = (self.inner.cwnd(), self.inner.ssthresh());
        assert!(cwnd.is_finite() && cwnd > 0.0, "a window of {cwnd} after {after}");
        assert!(ssthresh > 0.0, "a threshold of {ssthresh} after {after}");
        if let Some(PacketRate(rate)) = self.inner.pacing_rate() {
            assert!(rate.is_finite() && rate > 0.0, "a pacing rate of {rate} after {after}");
        }
    }
}

impl CongestionControl for Checked {
    fn on_ack(&mut self, ack: &Ack) {
        self.call(Call::Ack(*ack));
    }

    fn on_congestion(&mut self, event: &Congestion) {
        self.call(Call::Congestion(*event));
    }

    fn cwnd(&self) -> f64 {
        self.inner.cwnd()
    }

    fn ssthresh(&self) -> f64 {
        self.inner.ssthresh()
    }

    fn on_spurious(&mut self) {
        self.call(Call::Spurious);
    }

    fn on_idle_restart(&mut self, restart_window: f64) {
        self.call(Call::IdleRestart(restart_window));
    }

    fn deadline(&self) -> Option<Time> {
        self.inner.deadline()
    }

    fn on_deadline(&mut self, now: Time) {
        self.call(Call::Deadline(now));
    }

    fn pacing_rate(&self) -> Option<PacketRate> {
        self.inner.pacing_rate()
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        self.inner.observe(gauge);
    }

    /// The copy writes a record of its own: what it is asked did not happen.
    fn clone_box(&self) -> Box<dyn CongestionControl> {
        let record = Record::default();
        Box::new(Checked { inner: self.inner.clone(), contract: self.contract.clone(), record })
    }
}
