//! What a queue remembers of flows, in bounded memory.

use std::collections::BTreeMap;

use ackclock_units::Time;

/// A state for each of so many flows. When there is no room for another, the quarter that has been silent longest is
/// forgotten.
#[derive(Clone, Debug)]
pub(crate) struct FlowTable<T> {
    flows: BTreeMap<u32, (Time, T)>,
    capacity: usize,
}

impl<T: Clone + Default> FlowTable<T> {
    /// A table of at least one flow.
    pub(crate) fn new(capacity: u32) -> FlowTable<T> {
        FlowTable { flows: BTreeMap::new(), capacity: capacity.max(1) as usize }
    }

    /// What is remembered of a flow that is heard of now, a default if nothing is.
    pub(crate) fn touch(&mut self, now: Time, flow: u32) -> &mut T {
        if self.flows.len() >= self.capacity && !self.flows.contains_key(&flow) {
            self.forget_the_silent();
        }
        let (heard, state) = self.flows.entry(flow).or_default();
        *heard = now;
        state
    }

    /// What is remembered of a flow, if anything is.
    pub(crate) fn get(&self, flow: u32) -> Option<&T> {
        self.flows.get(&flow).map(|(_, state)| state)
    }

    #[cold]
    fn forget_the_silent(&mut self) {
        let mut silent: Vec<(Time, u32)> =
            self.flows.iter().map(|(flow, (heard, _))| (*heard, *flow)).collect();
        silent.sort_unstable();
        for (_, flow) in &silent[..silent.len().div_ceil(4)] {
            self.flows.remove(flow);
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
    fn the_memory_is_bounded_and_keeps_those_that_are_heard() {
        let mut table: FlowTable<u32> = FlowTable::new(8);
        for flow in 0..1000 {
            let now = Time::from_nanos(u64::from(flow));
            *table.touch(now, flow) = flow;
            assert_eq!(*table.touch(now, 0), 0, "a flow that is heard all the time is never forgotten");
            assert!(table.len() <= 8);
        }
        let now = Time::from_nanos(1000);
        assert_eq!((*table.touch(now, 999), *table.touch(now, 1)), (999, 0));
    }
}
