//! The flows that are active at a link: those from which a packet arrived recently.

use ackclock_catalogue::{Parameter, Unit};
use ackclock_memory::ByKey;
use ackclock_units::{Duration, Time};

/// The memory as a parameter of a discipline, with its default in seconds.
pub(crate) const fn memory(seconds: f64) -> Parameter {
    Parameter::new(
        "memory",
        Unit::Seconds,
        seconds,
        (0.001, 1e6),
        "the time without a packet after which a flow is no longer active",
    )
}

/// Counts are updated this many times per `memory`, so a flow is forgotten after 1 to 1.1 times
/// `memory`.
const COUNTS_PER_MEMORY: u64 = 10;

/// The active flows with their latest arrivals.
#[derive(Clone, Debug)]
pub(crate) struct ActiveFlows {
    memory: Duration,
    latest: ByKey<u32, Time>,
    counted: Time,
}

impl ActiveFlows {
    /// No active flows yet. A flow is active until `memory` after its latest packet.
    pub(crate) fn new(memory: Duration) -> ActiveFlows {
        ActiveFlows { memory, latest: ByKey::new(), counted: Time::ZERO }
    }

    /// Forgets the flows that are no longer active.
    pub(crate) fn forget(&mut self, now: Time) {
        let period = Duration::from_nanos(self.memory.as_nanos() / COUNTS_PER_MEMORY);
        if now >= self.counted + period {
            let memory = self.memory;
            self.latest.retain(|_, latest| now.since(*latest) < memory);
            self.counted = now;
        }
    }

    /// Notes that a packet of a flow arrives.
    pub(crate) fn note(&mut self, flow: u32, now: Time) {
        self.latest.insert(flow, now);
    }

    /// Forgets a flow at once.
    pub(crate) fn remove(&mut self, flow: u32) {
        self.latest.remove(flow);
    }

    pub(crate) fn contains(&self, flow: u32) -> bool {
        self.latest.contains(flow)
    }

    pub(crate) fn count(&self) -> u32 {
        self.latest.len() as u32
    }
}
