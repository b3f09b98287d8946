//! Service classes by the vulnerability of flows to timeouts.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::Time;

use crate::HeaderView;
use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::packet::slot::SlotId;
use crate::queue::discipline::{Built, Discipline, Site};
use crate::queue::parts::by_class::ByClass;
use crate::queue::parts::flow_monitor::{self, FlowMonitor, FlowMonitorState};
use crate::queue::parts::flows_by_class::FlowsByClass;
use crate::queue::scheduler::Scheduler;
use crate::{BufferSize, Occupancy};

/// "Service classes for flows based on the probability of a flow hitting a timeout or a repetitive timeout" (Chen et al.,
/// "TCP Behavior in Sub-Packet Regimes", 6.2).
///
/// "More vulnerable flows are placed in higher service classes", and a full buffer drops "from lower service class
/// flows before going up". With `transmits_by_class`, higher classes are also served first, since the probability may
/// "dictate the priority of a packet drop (or transmission)" (6.2). There are three classes: flows for which the drop
/// of a packet triggers a repetitive timeout with at least a given probability; flows for which it triggers a timeout;
/// and all others. A packet keeps the class of its flow at its arrival; packets of one class are served in order of
/// arrival, and without `transmits_by_class` all packets are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Classes {
    /// The flow monitor that estimates the state of flows.
    pub monitor: FlowMonitor,
    /// The lowest probability at which a flow counts as vulnerable.
    pub threshold: f64,
    /// Packets of more vulnerable flows are transmitted first, too.
    pub transmits_by_class: bool,
}

impl Discipline for Classes {
    const ENTRY: Entry = Entry {
        kind: "queue",
        name: "classes",
        title: "drops first from flows that would not time out, last from those whose timeout would repeat",
        source: "Chen et al., TCP Behavior in Sub-Packet Regimes, 6.1, 6.2",
        parameters: &[
            Parameter::new(
                "threshold",
                Unit::Number,
                0.9,
                (0.0, 1.0),
                "the probability of a timeout from which a flow counts as vulnerable",
            ),
            flow_monitor::EPOCH,
            flow_monitor::FLOWS,
            Parameter::switch(
                "transmission",
                false,
                "1: packets of more vulnerable flows are transmitted first, too; 0: the oldest",
            ),
        ],
        ..Entry::PLAIN
    };

    fn make(values: &Values) -> Classes {
        Classes {
            monitor: flow_monitor::make(values),
            threshold: values.get("threshold"),
            transmits_by_class: values.is_on("transmission"),
        }
    }

    fn build(&self, _: &Site<'_>) -> Built {
        Built::pulled(ClassQueue::new(self))
    }
}

const CLASSES: usize = 3;

/// The waiting packets by class, the least vulnerable first.
#[derive(Clone, Debug)]
enum Waiting {
    /// The oldest is transmitted first.
    Oldest(ByClass<CLASSES>),
    /// The most vulnerable flow is served first.
    MostVulnerable(FlowsByClass<CLASSES>),
}

impl Waiting {
    fn push(&mut self, class: usize, packet: QueuedPacket) {
        match self {
            Waiting::Oldest(waiting) => waiting.push(class, packet),
            Waiting::MostVulnerable(waiting) => waiting.push(class, packet),
        }
    }

    fn pop(&mut self) -> Option<QueuedPacket> {
        match self {
            Waiting::Oldest(waiting) => waiting.pop(),
            Waiting::MostVulnerable(waiting) => waiting.pop(),
        }
    }

    fn pop_lowest(&mut self) -> Option<QueuedPacket> {
        match self {
            Waiting::Oldest(waiting) => waiting.pop_lowest(),
            Waiting::MostVulnerable(waiting) => waiting.pop_lowest(),
        }
    }

    fn occupancy(&self) -> Occupancy {
        match self {
            Waiting::Oldest(waiting) => waiting.occupancy(),
            Waiting::MostVulnerable(waiting) => waiting.occupancy(),
        }
    }
}

/// The state of the discipline.
#[derive(Clone, Debug)]
pub(crate) struct ClassQueue {
    monitor: FlowMonitorState,
    threshold: f64,
    waiting: Waiting,
    /// The class of the arriving packet.
    class: usize,
}

impl ClassQueue {
    pub(crate) fn new(config: &Classes) -> ClassQueue {
        ClassQueue {
            monitor: FlowMonitorState::new(&config.monitor),
            threshold: config.threshold,
            waiting: if config.transmits_by_class {
                Waiting::MostVulnerable(FlowsByClass::default())
            } else {
                Waiting::Oldest(ByClass::default())
            },
            class: 0,
        }
    }
}

impl Scheduler for ClassQueue {
    fn reads_headers(&self) -> bool {
        true
    }

    /// Protects the highest class.
    fn protects(&mut self, now: Time, packet: &QueuedPacket, header: &HeaderView) -> bool {
        self.class = match self.monitor.on_packet(now, packet.flow, header) {
            None => 0,
            Some(state) => {
                let p = self.monitor.loss_rate();
                usize::from(state.timeout_by_drop(p) >= self.threshold)
                    + usize::from(state.repeated_by_drop(p) >= self.threshold)
            }
        };
        self.class == CLASSES - 1
    }

    fn enqueue(&mut self, now: Time, packet: QueuedPacket, buffer: BufferSize, discards: &mut Vec<Discard>) {
        self.waiting.push(self.class, packet);
        while buffer.is_exceeded(self.waiting.occupancy()) {
            let Some(discarded) = self.waiting.pop_lowest() else { return };
            self.monitor.on_drop(now, discarded.flow);
            discards.push(discarded.discarded_for(&packet));
        }
    }

    fn dequeue(&mut self, _now: Time, _discards: &mut Vec<Discard>) -> Option<QueuedPacket> {
        self.waiting.pop()
    }

    fn prefetch(&self, flow: u32) {
        self.monitor.prefetch(flow);
    }

    fn prefetch_next(&self) -> Option<SlotId> {
        match &self.waiting {
            Waiting::Oldest(waiting) => Some(waiting.first()?.slot),
            Waiting::MostVulnerable(waiting) => {
                waiting.prefetch_first();
                None
            }
        }
    }

    fn occupancy(&self) -> Occupancy {
        self.waiting.occupancy()
    }
}

#[cfg(test)]
mod tests {
    use ackclock_units::Duration;
    use proptest::prelude::*;

    use super::*;
    use crate::Ecn;
    use crate::queue::testing;

    /// Offers a packet with the sequence number `place` at a time in milliseconds to a buffer of six packets. Returns the discards.
    fn arrive(queue: &mut ClassQueue, millis: u64, flow: u32, place: u64) -> Vec<(u32, u32)> {
        let arrived = Time::ZERO + Duration::from_millis(millis);
        testing::flows_and_slots(
            &testing::offer(queue, BufferSize::Packets(6), arrived, place as u32, flow, place).1,
        )
    }

    /// A wide window, a small one, and one after a timeout: drops go up the classes; service keeps the order of arrival.
    #[test]
    fn drops_begin_with_the_least_vulnerable() {
        let mut queue = ClassQueue::new(&Classes::default());
        assert!(queue.reads_headers(), "windows are known from headers");
        // Flow 2 sends a packet, is silent for longer than an epoch, and sends it again.
        assert!(arrive(&mut queue, 0, 2, 1).is_empty());
        assert!(queue.dequeue(Time::ZERO, &mut Vec::new()).is_some());
        (1..=4).for_each(|place| drop(arrive(&mut queue, 1500, 0, place)));
        assert!(arrive(&mut queue, 1500, 1, 1).is_empty());
        assert!(arrive(&mut queue, 1500, 2, 1).is_empty());
        assert!(queue.occupancy().packets == 6 && queue.class == 2);
        // Only the fourth packet of flow 0 found a window that sustains a drop.
        assert_eq!(arrive(&mut queue, 1501, 3, 1), [(0, 4)]);
        // All others are as vulnerable, so it is the latest; the one after the timeout stays.
        assert_eq!(arrive(&mut queue, 1502, 4, 1), [(4, 1)]);
        let order: Vec<u32> = (0..6)
            .filter_map(|_| queue.dequeue(Time::ZERO, &mut Vec::new()))
            .map(|packet| packet.flow)
            .collect();
        assert_eq!(order, [0, 0, 0, 1, 2, 3]);
    }

    #[test]
    fn transmission_by_class_begins_with_the_most_vulnerable() {
        let config = Classes { transmits_by_class: true, ..Classes::default() };
        let mut queue = ClassQueue::new(&config);
        assert!(arrive(&mut queue, 0, 2, 1).is_empty());
        assert!(queue.dequeue(Time::ZERO, &mut Vec::new()).is_some());
        (1..=4).for_each(|place| drop(arrive(&mut queue, 1500, 0, place)));
        assert!(arrive(&mut queue, 1500, 2, 1).is_empty());
        let leave = |queue: &mut ClassQueue| queue.dequeue(Time::ZERO, &mut Vec::new()).unwrap();
        // The one after a timeout, then those of windows up to three, then the fourth of a window; a flow keeps its order.
        let order: Vec<u32> =
            (0..5).map(|_| leave(&mut queue)).map(|packet| packet.flow * 10 + packet.slot).collect();
        assert_eq!(order, [21, 1, 2, 3, 4]);
    }

    /// The rules as they are stated: all packets in one list in order of arrival, with their classes.
    #[derive(Default)]
    struct Scanned(Vec<(usize, QueuedPacket)>);

    impl Scanned {
        fn pop(&mut self, transmits_by_class: bool) -> Option<QueuedPacket> {
            let highest = self.0.iter().map(|(class, _)| *class).max()?;
            let first = self.0.iter().find(|(class, _)| *class == highest)?.1.flow;
            let of_flow = self.0.iter().position(|(_, packet)| packet.flow == first)?;
            Some(self.0.remove(if transmits_by_class { of_flow } else { 0 }).1)
        }

        fn pop_lowest(&mut self) -> Option<QueuedPacket> {
            let lowest = self.0.iter().map(|(class, _)| *class).min()?;
            let latest = self.0.iter().rposition(|(class, _)| *class == lowest)?;
            Some(self.0.remove(latest).1)
        }
    }

    proptest! {
        /// Packets of few flows in any classes come, are served and are dropped, in either order of service.
        #[test]
        fn what_is_served_and_dropped_is_that_of_a_scan(
            acts in prop::collection::vec((0..CLASSES, 0_u32..5, 0_u8..8), 0..300),
            transmits_by_class in any::<bool>(),
        ) {
            let mut waiting = ClassQueue::new(&Classes { transmits_by_class, ..Classes::default() }).waiting;
            let mut scanned = Scanned::default();
            for (slot, (class, flow, act)) in acts.into_iter().enumerate() {
                match act {
                    0 | 1 => prop_assert_eq!(waiting.pop(), scanned.pop(transmits_by_class)),
                    2 | 3 => prop_assert_eq!(waiting.pop_lowest(), scanned.pop_lowest()),
                    _ => {
                        let packet = testing::queued(slot as u32, Time::ZERO, Ecn::NotCapable);
                        let packet = QueuedPacket { flow, size: 40 + slot as u32, ..packet };
                        waiting.push(class, packet);
                        scanned.0.push((class, packet));
                    }
                }
                let bytes: u64 = scanned.0.iter().map(|(_, packet)| u64::from(packet.size)).sum();
                let occupancy = waiting.occupancy();
                prop_assert_eq!((occupancy.packets as usize, occupancy.bytes.get()), (scanned.0.len(), bytes));
            }
        }
    }
}
