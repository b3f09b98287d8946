//! Drops only where flows can sustain them.

use ackclock_catalogue::{Entry, Values};
use ackclock_memory::ByKey;
use ackclock_units::Time;

use crate::HeaderView;
use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::packet::slot::SlotId;
use crate::queue::discipline::{Built, Discipline, Site};
use crate::queue::parts::candidates::Candidates;
use crate::queue::parts::flow_monitor::{self, FlowMonitor, FlowMonitorState};
use crate::queue::parts::numbered::Numbered;
use crate::queue::scheduler::Scheduler;
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

impl Discipline for Budgets {
    const ENTRY: Entry = Entry {
        kind: "queue",
        name: "budgets",
        title: "drops from flows that can sustain another drop in their round-trip time",
        source: "Chen et al., TCP Behavior in Sub-Packet Regimes, 6.1, 6.2",
        parameters: &[flow_monitor::EPOCH, flow_monitor::FLOWS],
        ..Entry::PLAIN
    };

    fn make(values: &Values) -> Budgets {
        Budgets { monitor: flow_monitor::make(values) }
    }

    fn build(&self, _: &Site<'_>) -> Built {
        Built::pulled(BudgetQueue::new(self))
    }
}

/// A packet that waits.
#[derive(Clone, Copy, Debug)]
struct WaitingPacket {
    packet: QueuedPacket,
    /// The place of its flow in the list of flows with packets.
    flow: u32,
    /// The number of the flow's previous packet, if one waits.
    before: u64,
}

/// A flow with packets that wait.
#[derive(Clone, Debug, Default)]
struct WaitingFlow {
    packets: u32,
    /// The number of the latest.
    latest: u64,
    /// The kind of candidate as which the flow is noted, and the number under which it is noted.
    listed: Option<(Kind, u64)>,
}

/// The flows from which a packet can be dropped with little harm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Flows that can sustain a drop.
    Sustaining,
    /// Flows whose timeout is certain, with a timer that is not backed off.
    Doomed,
}

/// The state of the discipline.
#[derive(Clone, Debug)]
pub(crate) struct BudgetQueue {
    monitor: FlowMonitorState,
    /// The packets in the order of their arrival.
    waiting: Numbered<WaitingPacket>,
    flows: ByKey<u32, WaitingFlow>,
    /// The candidates of either kind.
    candidates: [Candidates; 2],
    occupancy: Occupancy,
}

impl BudgetQueue {
    pub(crate) fn new(config: &Budgets) -> BudgetQueue {
        BudgetQueue {
            monitor: FlowMonitorState::new(&config.monitor),
            waiting: Numbered::default(),
            flows: ByKey::new(),
            candidates: Default::default(),
            occupancy: Occupancy::default(),
        }
    }

    /// The kind of candidate that a flow is at present.
    fn kind(&self, flow: u32) -> Option<Kind> {
        let state = self.monitor.state(flow);
        if state.budget() > 0 {
            Some(Kind::Sustaining)
        } else {
            (state.lost > 0 && !state.backed_off).then_some(Kind::Doomed)
        }
    }

    /// Notes the flow at `place` again, after its state or its waiting packets have changed.
    fn list(&mut self, place: u32, flow: u32) {
        let kind = self.kind(flow);
        let Some(waiting) = self.flows.at_mut(place) else { return };
        if waiting.packets == 0 {
            self.flows.remove(flow);
            return;
        }
        let listed = kind.map(|kind| (kind, waiting.latest));
        let before = std::mem::replace(&mut waiting.listed, listed);
        if let Some((kind, latest)) = listed.filter(|_| before != listed) {
            let [first, last] = [self.waiting.first(), self.waiting.last()].map(Option::unwrap_or_default);
            self.candidates[kind as usize].note(latest, (first, last));
        }
    }

    /// Numbers the packets anew where most numbers are of packets that have been dropped: while none departs, every arrival
    /// may push one out.
    #[cold]
    fn renumber(&mut self) {
        let numbers = self.waiting.make_dense();
        let renumbered = |number| numbers.binary_search(&number).map_or(0, |place| place as u64);
        self.candidates = Default::default();
        let last = numbers.len() as u64;
        for (number, &old) in (0..).zip(&numbers) {
            let Some(packet) = self.waiting.get_mut(number) else { continue };
            packet.before = renumbered(packet.before);
            let Some(flow) = self.flows.at_mut(packet.flow).filter(|flow| flow.latest == old) else {
                continue;
            };
            flow.latest = number;
            if let Some((kind, listed)) = &mut flow.listed {
                *listed = number;
                self.candidates[*kind as usize].note(number, (0, last));
            }
        }
    }

    /// The place of the flow that is noted as a candidate of this kind under this number; none if the note is out of
    /// date.
    fn listed(&self, kind: Kind, number: u64) -> Option<(u32, u32)> {
        let waiting = self.waiting.get(number)?;
        let is_listed = self.flows.at(waiting.flow)?.listed == Some((kind, number));
        is_listed.then_some((waiting.flow, waiting.packet.flow))
    }

    /// The number of the packet to drop.
    fn victim(&mut self) -> Option<u64> {
        for kind in [Kind::Sustaining, Kind::Doomed] {
            while let Some(latest) = self.candidates[kind as usize].greatest() {
                match self.listed(kind, latest) {
                    None => self.candidates[kind as usize].forget_greatest(),
                    Some((_, flow)) if self.kind(flow) == Some(kind) => return Some(latest),
                    // The flow has left the monitor's table in the meantime.
                    Some((place, flow)) => self.list(place, flow),
                }
            }
        }
        self.waiting.last()
    }

    /// Removes a packet, which is the earliest or the latest of its flow.
    fn remove(&mut self, number: u64) -> Option<WaitingPacket> {
        let removed = self.waiting.remove(number)?;
        self.occupancy = self.occupancy.without(removed.packet.size);
        let flow = self.flows.at_mut(removed.flow)?;
        flow.packets -= 1;
        if number == flow.latest {
            flow.latest = removed.before;
        }
        Some(removed)
    }
}

impl Scheduler for BudgetQueue {
    fn reads_headers(&self) -> bool {
        true
    }

    /// Protects flows that can sustain no drop and have had none.
    fn protects(&mut self, now: Time, packet: &QueuedPacket, header: &HeaderView) -> bool {
        self.monitor
            .on_packet(now, packet.flow, header)
            .is_some_and(|state| state.budget() == 0 && state.lost == 0)
    }

    fn enqueue(&mut self, now: Time, packet: QueuedPacket, buffer: BufferSize, discards: &mut Vec<Discard>) {
        if self.waiting.is_sparse() {
            self.renumber();
        }
        let place = self.flows.place_of(packet.flow);
        if let Some(flow) = self.flows.at_mut(place) {
            flow.packets += 1;
            flow.latest = self.waiting.push(WaitingPacket { packet, flow: place, before: flow.latest });
        }
        self.list(place, packet.flow);
        self.occupancy = self.occupancy.with(packet.size);
        while buffer.is_exceeded(self.occupancy) {
            let Some(discarded) = self.victim().and_then(|number| self.remove(number)) else { return };
            self.monitor.on_drop(now, discarded.packet.flow);
            self.list(discarded.flow, discarded.packet.flow);
            discards.push(discarded.packet.discarded_for(&packet));
        }
    }

    fn dequeue(&mut self, _now: Time, _discards: &mut Vec<Discard>) -> Option<QueuedPacket> {
        let number = self.waiting.first()?;
        let WaitingPacket { packet, flow, .. } = self.remove(number)?;
        self.list(flow, packet.flow);
        Some(packet)
    }

    fn prefetch(&self, flow: u32) {
        self.monitor.prefetch(flow);
    }

    fn prefetch_next(&self) -> Option<SlotId> {
        self.waiting.get(self.waiting.first()?).map(|waiting| waiting.packet.slot)
    }

    fn occupancy(&self) -> Occupancy {
        self.occupancy
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::testing;

    /// Offers a packet with the sequence number `place` to a buffer of this many packets. Returns the discards.
    fn arrive(queue: &mut BudgetQueue, room: u32, flow: u32, place: u64) -> Vec<(u32, u32)> {
        testing::flows_and_slots(
            &testing::offer(queue, BufferSize::Packets(room), Time::ZERO, place as u32, flow, place).1,
        )
    }

    /// 6.2: drops hit flows that can sustain one, once per epoch; then flows whose timeout is certain; then arrivals.
    #[test]
    fn drops_are_taken_where_they_are_sustained() {
        let mut queue = BudgetQueue::new(&Budgets::default());
        (1..=5).for_each(|place| drop(arrive(&mut queue, 6, 0, place)));
        assert!(arrive(&mut queue, 6, 1, 1).is_empty());
        assert_eq!(arrive(&mut queue, 6, 2, 1), [(0, 5)], "the latest of the flow with a window of five");
        // Its budget is used up: it will have to wait for its timer if it loses more, so it may as well lose it all.
        assert_eq!(arrive(&mut queue, 6, 3, 1), [(0, 4)]);
        assert_eq!(arrive(&mut queue, 6, 4, 1), [(0, 3)]);
        assert_eq!(arrive(&mut queue, 6, 5, 1), [(0, 2)]);
        assert_eq!(arrive(&mut queue, 6, 6, 1), [(0, 1)]);
        assert_eq!(arrive(&mut queue, 6, 7, 1), [(7, 1)], "nobody can sustain it");
        assert_eq!(arrive(&mut queue, 6, 7, 2), [(7, 2)], "and this one is lost anyway");
    }

    /// A gateway whose link is down: what it notes of packets that it has dropped is bounded by those that wait.
    #[test]
    fn packets_that_were_dropped_take_no_room_while_none_departs() {
        const ROOM: u32 = 100;
        let mut queue = BudgetQueue::new(&Budgets::default());
        let mut random = crate::RandomStream::new(1, "budgets");
        for number in 0..50_000_u64 {
            let flow = (random.bits() % 9) as u32;
            arrive(&mut queue, ROOM, flow, number);
            let held = [queue.waiting.places(), queue.candidates[0].len(), queue.candidates[1].len()];
            let most = 3 * (2 * ROOM as usize + 64);
            assert!(held.iter().all(|places| *places <= most), "{held:?} after {number} arrivals");
        }
        assert_eq!(queue.occupancy().packets, ROOM);
    }

    /// Against a scan of all waiting packets, the latest first, with fewer flows in the monitor's table than wait.
    #[test]
    fn the_victim_is_that_of_a_scan() {
        let scanned = |queue: &BudgetQueue| {
            let latest = |kind| {
                queue.waiting.iter().rev().find(|(_, waiting)| queue.kind(waiting.packet.flow) == Some(kind))
            };
            let last = queue.waiting.iter().next_back();
            let victim = latest(Kind::Sustaining).or_else(|| latest(Kind::Doomed)).or(last);
            victim.map(|(number, _)| number)
        };
        let mut random = crate::RandomStream::new(1, "budgets");
        let monitor = FlowMonitor { flows: 12, ..Budgets::default().monitor };
        let mut queue = BudgetQueue::new(&Budgets { monitor });
        for number in 0..20_000_u64 {
            let flow = (random.bits() % 4 * (random.bits() % 6)) as u32;
            let retransmitted = random.bits() % 50;
            arrive(&mut queue, 40, flow, number.saturating_sub(retransmitted));
            let expected = scanned(&queue);
            assert_eq!(queue.victim(), expected);
            if random.bits().is_multiple_of(3) {
                queue.dequeue(Time::ZERO, &mut Vec::new());
            }
        }
    }
}
