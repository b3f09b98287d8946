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
        let (divisor, unit) = unit(needed);
        let amount = needed.get() as f64 / divisor;
        let message = format!(
            "found a limit of {}; flows, queues and time series take about {amount:.1} {unit} before the first packet is sent. \
             Make them fewer or smaller, or set memory_limit = \"{:.0} {unit}\" if the machine has that much",
            readable(limit),
            amount.ceil()
        );
        Err(Key::top("memory_limit").wrong(limit, message))
    }
}

/// The largest unit of which a size holds one at least, in bytes, and its name.
fn unit(size: Bytes) -> (f64, &'static str) {
    match size.get() {
        0..1_000 => (1.0, "bytes"),
        1_000..1_000_000 => (1e3, "kB"),
        1_000_000..1_000_000_000 => (1e6, "MB"),
        _ => (1e9, "GB"),
    }
}

/// A size as people write it: 2 GB.
fn readable(size: Bytes) -> String {
    let (divisor, unit) = unit(size);
    format!("{} {unit}", size.get() as f64 / divisor)
}
