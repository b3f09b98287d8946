//! Drops only where flows can sustain them.

use std::collections::VecDeque;

use ackclock_catalogue::{Entry, Part, Values};
use ackclock_units::Time;

use super::flow_monitor::{self, FlowMonitor, FlowMonitorState};
use super::scheduler::Scheduler;
use crate::HeaderView;
use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::{BufferSize, Occupancy};

/// A gateway that "keeps track of how many packet drops a flow can sustain without a timeout, and uses this information to
/// make a decision about an impending packet drop" (Chen et al., "TCP Behavior in Sub-Packet Regimes", 6.2).
///
/// At a full buffer it drops the latest packet of a flow that can still sustain a drop in its present epoch. Failing that,
/// it drops from a flow that has already lost more than it can sustain, whose timeout is certain and whose timer is not
/// backed off; failing that too, it drops the arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budgets {
    /// The flow monitor that estimates the state of flows.
    pub monitor: FlowMonitor,
}

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "queue",
    name: "budgets",
    title: "drops from flows that can sustain another drop in their round-trip time",
    source: "Chen et al., TCP Behavior in Sub-Packet Regimes, 6.1, 6.2",
    parameters: &[flow_monitor::EPOCH, flow_monitor::FLOWS],
    ..Entry::PLAIN
};

/// The discipline with these parameters.
pub(super) fn make(values: &Values) -> Budgets {
    Budgets { monitor: flow_monitor::make(values) }
}

impl Default for Budgets {
    /// The defaults of the entry.
    fn default() -> Budgets {
        make(&Part::of(&ENTRY).values())
    }
}

/// The state of the discipline.
#[derive(Clone, Debug)]
pub(crate) struct BudgetQueue {
    monitor: FlowMonitorState,
    waiting: VecDeque<QueuedPacket>,
    occupancy: Occupancy,
    buffer: BufferSize,
}

impl BudgetQueue {
    pub(crate) fn new(config: &Budgets, buffer: BufferSize) -> BudgetQueue {
        BudgetQueue {
            monitor: FlowMonitorState::new(&config.monitor),
            waiting: VecDeque::new(),
            occupancy: Occupancy::default(),
            buffer,
        }
    }

    /// The index of the packet to drop.
    fn victim(&self) -> usize {
        let mut doomed = None;
        for at in (0..self.waiting.len()).rev() {
            let state = self.monitor.state(self.waiting[at].flow);
            if state.budget() > 0 {
                return at;
            }
            if state.lost > 0 && !state.backed_off {
                doomed = doomed.or(Some(at));
            }
        }
        doomed.unwrap_or(self.waiting.len() - 1)
    }
}

impl Scheduler for BudgetQueue {
    /// Protects flows that can sustain no drop and have had none.
    fn protects(&mut self, now: Time, packet: &QueuedPacket, header: &HeaderView) -> bool {
        self.monitor
            .on_packet(now, packet.flow, header)
            .is_some_and(|state| state.budget() == 0 && state.lost == 0)
    }

    fn enqueue(&mut self, now: Time, packet: QueuedPacket, discards: &mut Vec<Discard>) {
        self.waiting.push_back(packet);
        self.occupancy = self.occupancy.with(packet.size);
        while self.buffer.is_exceeded(self.occupancy) {
            let at = self.victim();
            let Some(discarded) = self.waiting.remove(at) else { return };
            self.occupancy = self.occupancy.without(discarded.size);
            self.monitor.on_drop(now, discarded.flow);
            discards.push(discarded.discarded_for(&packet));
        }
    }

    fn dequeue(&mut self, _now: Time, _discards: &mut Vec<Discard>) -> Option<QueuedPacket> {
        let packet = self.waiting.pop_front()?;
        self.occupancy = self.occupancy.without(packet.size);
        Some(packet)
    }

    fn occupancy(&self) -> Occupancy {
        self.occupancy
    }

    fn set_buffer(&mut self, buffer: BufferSize) {
        self.buffer = buffer;
    }

    fn boxed(&self) -> Box<dyn Scheduler> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::testing;

    fn arrive(queue: &mut BudgetQueue, flow: u32, place: u64) -> Vec<(u32, u32)> {
        testing::flows_and_slots(&testing::offer(queue, Time::ZERO, place as u32, flow, place).1)
    }

    /// 6.2: drops hit flows that can sustain one, once per epoch; then flows whose timeout is certain; then arrivals.
    #[test]
    fn drops_are_taken_where_they_are_sustained() {
        let mut queue = BudgetQueue::new(&Budgets::default(), BufferSize::Packets(6));
        (1..=5).for_each(|place| drop(arrive(&mut queue, 0, place)));
        assert!(arrive(&mut queue, 1, 1).is_empty());
        assert_eq!(arrive(&mut queue, 2, 1), [(0, 5)], "the latest of the flow with a window of five");
        // Its budget is used up: it will have to wait for its timer if it loses more, so it may as well lose it all.
        assert_eq!(arrive(&mut queue, 3, 1), [(0, 4)]);
        assert_eq!(arrive(&mut queue, 4, 1), [(0, 3)]);
        assert_eq!(arrive(&mut queue, 5, 1), [(0, 2)]);
        assert_eq!(arrive(&mut queue, 6, 1), [(0, 1)]);
        assert_eq!(arrive(&mut queue, 7, 1), [(7, 1)], "nobody can sustain it");
        assert_eq!(arrive(&mut queue, 7, 2), [(7, 2)], "and this one is lost anyway");
    }
}
