//! A table of per-flow state in bounded memory.

use ackclock_memory::{memory_of, prefetch};
use ackclock_units::Time;

use super::flow_hash::mixed;
use crate::queue::scheduler::MANY;

/// No flow.
const NONE: u32 = u32::MAX;

/// The state of a bounded number of flows. When the table is full, the quarter of its flows that has been idle
/// longest is removed.
///
/// A hash table with linear probing, at most half full. Flows are removed many at a time, and then the index
/// is rebuilt; nothing depends on its order.
#[derive(Clone, Debug)]
pub(crate) struct FlowTable<T> {
    flows: Vec<Entry<T>>,
    /// The place of each flow in `flows`, stored at its hash or behind it. The length is a power of two.
    index: Vec<u32>,
    capacity: usize,
}

#[derive(Clone, Debug)]
struct Entry<T> {
    flow: u32,
    active: Time,
    state: T,
}

impl<T: Clone + Default> FlowTable<T> {
    /// A table of at least one flow.
    pub(crate) fn new(capacity: u32) -> FlowTable<T> {
        FlowTable { flows: Vec::new(), index: vec![NONE; 2], capacity: capacity.max(1) as usize }
    }

    /// The state of a flow that is active now; the default for a flow that is not in the table.
    pub(crate) fn touch(&mut self, now: Time, flow: u32) -> &mut T {
        let place = self.place(flow).unwrap_or_else(|| self.add(flow));
        let entry = &mut self.flows[place];
        entry.active = now;
        &mut entry.state
    }

    /// The state of a flow, if it is in the table.
    pub(crate) fn get(&self, flow: u32) -> Option<&T> {
        Some(&self.flows[self.place(flow)?].state)
    }

    /// Prefetches a flow's state, if there are enough flows for this to pay.
    pub(crate) fn prefetch(&self, flow: u32) {
        if self.flows.len() > MANY
            && let Some(place) = self.place(flow)
        {
            prefetch(memory_of(&self.flows[place]));
        }
    }

    fn place(&self, flow: u32) -> Option<usize> {
        let mut at = self.home(flow);
        loop {
            match self.index[at] {
                NONE => return None,
                place if self.flows[place as usize].flow == flow => return Some(place as usize),
                _ => at = (at + 1) & (self.index.len() - 1),
            }
        }
    }

    /// Where the search for a flow begins.
    fn home(&self, flow: u32) -> usize {
        mixed(u64::from(flow)) as usize & (self.index.len() - 1)
    }

    #[inline(never)]
    fn add(&mut self, flow: u32) -> usize {
        if self.flows.len() >= self.capacity {
            self.remove_idle();
        }
        self.flows.push(Entry { flow, active: Time::ZERO, state: T::default() });
        if 2 * self.flows.len() > self.index.len() {
            self.build_index(2 * self.index.len());
        } else {
            self.note(self.flows.len() - 1);
        }
        self.flows.len() - 1
    }

    fn remove_idle(&mut self) {
        let mut latest: Vec<(Time, u32)> =
            self.flows.iter().map(|entry| (entry.active, entry.flow)).collect();
        let removed = latest.len().div_ceil(4);
        let first_kept = (removed < latest.len()).then(|| *latest.select_nth_unstable(removed).1);
        self.flows.retain(|entry| first_kept.is_some_and(|first| (entry.active, entry.flow) >= first));
        self.build_index(self.index.len());
    }

    fn build_index(&mut self, length: usize) {
        self.index.clear();
        self.index.resize(length, NONE);
        (0..self.flows.len()).for_each(|place| self.note(place));
    }

    /// Enters a flow into the index.
    fn note(&mut self, place: usize) {
        let mut at = self.home(self.flows[place].flow);
        while self.index[at] != NONE {
            at = (at + 1) & (self.index.len() - 1);
        }
        self.index[at] = place as u32;
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.flows.len()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against a map from which the quarter with the oldest times is removed.
        #[test]
        fn it_is_a_map_of_the_flows_active_last(
            acts in prop::collection::vec((0_u32..24, any::<bool>()), 0..300),
            capacity in 1_u32..20,
        ) {
            let mut table: FlowTable<u64> = FlowTable::new(capacity);
            let mut known: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
            for (now, (flow, touches)) in (0_u64..).zip(acts) {
                // Incarnations stand in the highest bits.
                let flow = ((flow % 6) << 29) | flow;
                if !touches {
                    prop_assert_eq!(table.get(flow), known.get(&flow).map(|(_, state)| state));
                    continue;
                }
                // Two acts at a time.
                *table.touch(Time::from_nanos(now / 2), flow) += now;
                if known.len() >= capacity as usize && !known.contains_key(&flow) {
                    let mut idle: Vec<(u64, u32)> = known.iter().map(|(flow, (active, _))| (*active, *flow)).collect();
                    idle.sort_unstable();
                    for (_, flow) in &idle[..idle.len().div_ceil(4)] {
                        known.remove(flow);
                    }
                }
                let held = known.entry(flow).or_default();
                *held = (now / 2, held.1 + now);
                prop_assert_eq!(table.len(), known.len());
            }
        }
    }

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
