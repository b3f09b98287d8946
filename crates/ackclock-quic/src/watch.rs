//! A view of a connection's controller for programs that run next to the stack.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ackclock_congestion::Decision;
use ackclock_units::{Duration, Time};

use crate::counts::Counts;
use crate::ledger::Ledger;

/// The controller of one connection, shared with the stack that drives it. Its calls hold a lock for some nanoseconds.
#[derive(Clone)]
pub struct Watch(Arc<Mutex<Ledger>>);

impl Watch {
    /// A watch of a connection's ledger, which its adapter shares.
    pub fn new(ledger: Ledger) -> Watch {
        Watch(Arc::new(Mutex::new(ledger)))
    }

    /// The ledger, for its adapter. A panic of a controller has failed its connection already.
    pub fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The decision in force.
    pub fn decision(&self) -> Decision {
        self.ledger().decision()
    }

    /// The slow-start threshold in packets; infinite where there is none.
    pub fn ssthresh(&self) -> f64 {
        self.ledger().controller().ssthresh()
    }

    /// Packets in flight.
    pub fn in_flight(&self) -> f64 {
        self.ledger().in_flight()
    }

    /// The counts so far.
    pub fn counts(&self) -> Counts {
        self.ledger().counts()
    }

    /// The latest, the smoothed and the smallest round-trip time; zero before the first sample.
    pub fn round_trips(&self) -> [Duration; 3] {
        self.ledger().round_trips()
    }

    /// The window integrated over the connection's time until `now`, in packet-seconds.
    pub fn cwnd_seconds(&self, now: Time) -> f64 {
        self.ledger().cwnd_seconds(now)
    }

    /// Shows the controller's internal quantities by name.
    pub fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        self.ledger().controller().observe(gauge);
    }
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Watch").field(&self.counts()).finish()
    }
}
