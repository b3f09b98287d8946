//! A table of per-flow state in bounded memory.

use ackclock_units::Time;

use crate::by_key::ByKey;

/// The state of a bounded number of flows. When the table is full, the quarter of the flows idle longest is removed.
#[derive(Clone, Debug)]
pub(crate) struct FlowTable<T> {
    flows: ByKey<u32, (Time, T)>,
    capacity: usize,
}

impl<T: Clone + Default> FlowTable<T> {
    /// A table of at least one flow.
    pub(crate) fn new(capacity: u32) -> FlowTable<T> {
        FlowTable { flows: ByKey::new(), capacity: capacity.max(1) as usize }
    }

    /// The state of a flow that is active now; the default for a flow that is not in the table.
    pub(crate) fn touch(&mut self, now: Time, flow: u32) -> &mut T {
        if self.flows.len() >= self.capacity && !self.flows.contains(flow) {
            self.remove_idle();
        }
        let (active, state) = self.flows.entry(flow);
        *active = now;
        state
    }

    /// The state of a flow, if it is in the table.
    pub(crate) fn get(&self, flow: u32) -> Option<&T> {
        self.flows.get(flow).map(|(_, state)| state)
    }

    #[cold]
    fn remove_idle(&mut self) {
        let mut idle: Vec<(Time, u32)> =
            self.flows.iter().map(|(flow, (active, _))| (*active, flow)).collect();
        idle.sort_unstable();
        for (_, flow) in &idle[..idle.len().div_ceil(4)] {
            self.flows.remove(*flow);
        }
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.flows.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_is_bounded_and_active_flows_stay() {
        let mut table: FlowTable<u32> = FlowTable::new(8);
        for flow in 0..1000 {
            let now = Time::from_nanos(u64::from(flow));
            *table.touch(now, flow) = flow;
            assert_eq!(*table.touch(now, 0), 0, "a flow that is always active is never removed");
            assert!(table.len() <= 8);
        }
        let now = Time::from_nanos(1000);
        assert_eq!((*table.touch(now, 999), *table.touch(now, 1)), (999, 0));
    }
}
