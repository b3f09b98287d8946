//! The memory that a run takes before its first event, estimated from its scenario.

use ackclock_units::Bytes;

use super::Settings;
use super::read::error::Checked;
use super::read::key::Key;

/// Bytes of an established flow without packets in flight (docs/scale.md), and of its name and nodes.
const FLOW: u64 = 1_500;

impl Settings {
    /// The memory of flows, of the queues of all link directions, and of the time series. Packets in flight are not in it:
    /// how many there will be is what the run is to find.
    fn memory(&self) -> Bytes {
        let flows = u64::from(self.flow_count());
        let (mut directions, mut queues) = (0_u64, 0_u64);
        self.topology.directions(&mut |_, _, link| {
            directions += 1;
            queues = queues.saturating_add(link.queue.discipline().memory());
        });
        let samples = self.trace.interval.map_or(0.0, |interval| self.duration / interval);
        // The columns of `flow_series` and `link_series`, 8 bytes each at most.
        let sample = (flows * 8 + directions * 5) * 8;
        let series = (samples * sample as f64) as u64;
        Bytes::new((flows * FLOW).saturating_add(queues).saturating_add(series))
    }

    /// Refuses a scenario that would take more than its limit.
    pub(super) fn check_memory(&self) -> Checked {
        let (needed, limit) = (self.memory(), self.memory_limit);
        if needed <= limit {
            return Ok(());
        }
        let gigabytes = |size: Bytes| size.get() as f64 / 1e9;
        let message = format!(
            "found a limit of {limit}; flows, queues and time series take about {:.1} GB before the first packet is sent. Make \
             them fewer or smaller, or set memory_limit = \"{:.0} GB\" if the machine has that much",
            gigabytes(needed),
            gigabytes(needed).ceil()
        );
        Err(Key::top("memory_limit").wrong(limit, message))
    }
}
