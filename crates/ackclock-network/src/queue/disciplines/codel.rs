//! Controlled delay (`CoDel`): drops when the queueing delay has exceeded a target for an interval.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Duration, Time};

use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::queue::discipline::{Built, Discipline, Site};
use crate::queue::parts::fifo::{Fifo, Oldest};
use crate::queue::scheduler::Scheduler;
use crate::{BufferSize, DropReason, Ecn, Occupancy};

/// Controlled delay (RFC 8289).
///
/// When every packet of a whole interval has waited longer than the target, packets are dropped (or marked) as they
/// leave the queue. The n-th drop follows `interval / sqrt(n)` after the previous one. Dropping ends when a packet has
/// waited less than the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Codel {
    /// The acceptable standing queueing delay, TARGET.
    pub target: Duration,
    /// INTERVAL: a longer wait counts as a burst for this time. It is a long but usual round-trip time.
    pub interval: Duration,
    /// ECN-capable packets are marked instead of dropped.
    pub marks: bool,
}

impl Discipline for Codel {
    const ENTRY: Entry = Entry {
        kind: "queue",
        name: "codel",
        title: "drops or marks departing packets once the wait has exceeded a target for an interval",
        source: "RFC 8289",
        parameters: &[TARGET, INTERVAL, ECN],
        ..Entry::PLAIN
    };

    fn make(values: &Values) -> Codel {
        Codel {
            target: values.duration("target"),
            interval: values.duration("interval"),
            marks: values.is_on("ecn"),
        }
    }

    fn build(&self, _: &Site<'_>) -> Built {
        Built::pulled(CodelQueue::new(*self))
    }
}

pub(super) const TARGET: Parameter = Parameter::new(
    "target",
    Unit::Milliseconds,
    5.0,
    (0.001, 1e6),
    "the acceptable standing queueing delay (TARGET)",
);
pub(super) const INTERVAL: Parameter = Parameter::new(
    "interval",
    Unit::Milliseconds,
    100.0,
    (0.001, 1e6),
    "the time for which a longer wait counts as a burst (INTERVAL)",
);
pub(super) const ECN: Parameter =
    Parameter::switch("ecn", true, "1: ECN-capable packets are marked, not dropped");

/// No time: the queueing delay is not above the target.
const BELOW: Time = Time::MAX;

/// The state of one queue (section 5.3).
#[derive(Clone, Debug)]
pub(crate) struct CodelState {
    /// The time at which the queueing delay will have been above the target for an interval, or [`BELOW`].
    above_until: Time,
    dropping: bool,
    /// The time of the next drop, while dropping.
    drop_next: Time,
    /// Packets dropped since dropping began, and the count with which it began.
    count: u32,
    last_count: u32,
}

impl Default for CodelState {
    fn default() -> CodelState {
        CodelState { above_until: BELOW, dropping: false, drop_next: Time::ZERO, count: 0, last_count: 0 }
    }
}

impl CodelState {
    /// Dequeues the next packet (section 5.6, `deque`). `largest` is the size of the largest packet so far.
    pub(crate) fn dequeue(
        &mut self,
        rule: &Codel,
        now: Time,
        queue: &mut impl Oldest,
        largest: u32,
        discards: &mut Vec<Discard>,
    ) -> Option<QueuedPacket> {
        let (mut packet, mut late) = self.take(rule, now, queue, largest);
        if self.dropping {
            self.dropping = late;
            while self.dropping && now >= self.drop_next {
                self.count += 1;
                let marked = packet.is_some_and(|packet| rule.marks && packet.ecn != Ecn::NotCapable);
                if marked {
                    self.drop_next = control_law(rule, self.drop_next, self.count);
                    return mark(packet);
                }
                discards.extend(packet.map(|packet| (packet, DropReason::Early)));
                (packet, late) = self.take(rule, now, queue, largest);
                self.dropping = late;
                if late {
                    self.drop_next = control_law(rule, self.drop_next, self.count);
                }
            }
        } else if late {
            let marked = packet.is_some_and(|packet| rule.marks && packet.ecn != Ecn::NotCapable);
            if marked {
                packet = mark(packet);
            } else {
                discards.extend(packet.map(|packet| (packet, DropReason::Early)));
                (packet, _) = self.take(rule, now, queue, largest);
            }
            self.begin_dropping(rule, now);
        }
        packet
    }

    /// The transmitter finds no packet (section 5.6, `deque` of an empty queue).
    pub(crate) fn find_empty(&mut self) {
        self.above_until = BELOW;
        self.dropping = false;
    }

    /// Removes the oldest packet. Returns it with true if a packet is to be dropped now (section 5.6, `dodequeue`).
    fn take(
        &mut self,
        rule: &Codel,
        now: Time,
        queue: &mut impl Oldest,
        largest: u32,
    ) -> (Option<QueuedPacket>, bool) {
        let packet = queue.pop();
        let waited = packet.map(|packet| now.since(packet.arrived));
        if waited.is_none_or(|waited| waited < rule.target) || queue.bytes() <= u64::from(largest) {
            self.above_until = BELOW;
            return (packet, false);
        }
        if self.above_until == BELOW {
            self.above_until = now + rule.interval;
        }
        (packet, now >= self.above_until)
    }

    /// Begins to drop, at the last rate if dropping ended recently (section 5.4).
    fn begin_dropping(&mut self, rule: &Codel, now: Time) {
        self.dropping = true;
        let before = self.count - self.last_count;
        let recent = now < self.drop_next + rule.interval.saturating_mul(16);
        self.count = if before > 1 && recent { before } else { 1 };
        self.drop_next = control_law(rule, now, self.count);
        self.last_count = self.count;
    }
}

/// The time of the next drop after the `count`-th. The rate of drops rises until it has an effect on TCP, whose throughput
/// falls with its square root (section 3.2).
fn control_law(rule: &Codel, from: Time, count: u32) -> Time {
    from + rule.interval.mul_f64(1.0 / f64::from(count).sqrt())
}

fn mark(packet: Option<QueuedPacket>) -> Option<QueuedPacket> {
    packet.map(|packet| QueuedPacket { marked: true, ..packet })
}

/// A queue with `CoDel`.
#[derive(Clone, Debug)]
pub(crate) struct CodelQueue {
    rule: Codel,
    state: CodelState,
    queue: Fifo,
    largest: u32,
}

impl CodelQueue {
    pub(crate) fn new(rule: Codel) -> CodelQueue {
        CodelQueue { rule, state: CodelState::default(), queue: Fifo::default(), largest: 0 }
    }
}

impl Scheduler for CodelQueue {
    fn enqueue(&mut self, _now: Time, packet: QueuedPacket, buffer: BufferSize, discards: &mut Vec<Discard>) {
        if buffer.is_exceeded(self.queue.occupancy().with(packet.size)) {
            discards.push((packet, DropReason::Queue));
            return;
        }
        self.largest = self.largest.max(packet.size);
        self.queue.push(packet);
    }

    fn dequeue(&mut self, now: Time, discards: &mut Vec<Discard>) -> Option<QueuedPacket> {
        self.state.dequeue(&self.rule, now, &mut self.queue, self.largest, discards)
    }

    fn occupancy(&self) -> Occupancy {
        self.queue.occupancy()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::testing::{at, queued};

    /// The times of drops or marks, in microseconds, of a queue in which every packet waits `wait` and one leaves every
    /// millisecond.
    fn hits(wait: u64, ecn: Ecn, milliseconds: u64) -> Vec<u64> {
        let mut queue = CodelQueue::new(Codel::default());
        let (mut hits, mut discards) = (Vec::new(), Vec::new());
        for millisecond in 0..milliseconds {
            queue.queue = Fifo::default();
            for number in 0..5 {
                queue.enqueue(
                    at(0),
                    queued(number, at(millisecond * 1000), ecn),
                    BufferSize::Unlimited,
                    &mut discards,
                );
            }
            let given = queue.dequeue(at(millisecond * 1000 + wait), &mut discards).unwrap();
            hits.extend(discards.drain(..).map(|_| millisecond * 1000));
            hits.extend(given.marked.then_some(millisecond * 1000));
        }
        hits
    }

    /// Section 4.2: the first drop comes an interval after the queueing delay has risen above the target,
    /// each next one `interval / sqrt(count)` after the previous one, to the millisecond in which a packet
    /// leaves.
    #[test]
    fn the_time_between_drops_shrinks_with_the_square_root_of_their_number() {
        let mut expected = vec![100.0];
        let mut next = 100.0;
        for count in 1..20 {
            next += 100.0 / f64::from(count).sqrt();
            expected.push(next);
        }
        for ecn in [Ecn::NotCapable, Ecn::Capable0] {
            let times = hits(20_000, ecn, 1200);
            assert!(times.len() >= 20, "{times:?}");
            for (time, right) in times.iter().zip(&expected) {
                let late = *time as f64 / 1000.0 - right;
                assert!((-1e-6..1.0).contains(&late), "{time} µs, expected {right} ms");
            }
        }
    }

    #[test]
    fn nothing_is_dropped_that_has_waited_less_than_the_target() {
        assert_eq!(hits(4_999, Ecn::NotCapable, 2000), Vec::<u64>::new());
        assert!(!hits(5_000, Ecn::NotCapable, 2000).is_empty());
    }

    /// Section 5.4: a queue that exceeds the target again soon resumes the last rate of drops.
    #[test]
    fn dropping_goes_on_where_it_ended_if_that_is_not_long_ago() {
        let rule = Codel::default();
        let mut state =
            CodelState { count: 30, last_count: 1, drop_next: at(1_000_000), ..CodelState::default() };
        state.begin_dropping(&rule, at(2_000_000));
        assert_eq!(state.count, 29);
        let mut state =
            CodelState { count: 30, last_count: 1, drop_next: at(1_000_000), ..CodelState::default() };
        state.begin_dropping(&rule, at(2_700_000));
        assert_eq!(state.count, 1);
    }

    /// Section 5.3: at most one packet is no standing queue, however long it waited.
    #[test]
    fn the_last_packet_is_spared() {
        let mut queue = CodelQueue::new(Codel::default());
        let mut discards = Vec::new();
        for number in 0..100 {
            queue.enqueue(
                at(0),
                queued(number, at(0), Ecn::NotCapable),
                BufferSize::Unlimited,
                &mut discards,
            );
            let second = u64::from(number + 1);
            assert!(queue.dequeue(at(second * 1_000_000), &mut discards).is_some());
        }
        assert!(discards.is_empty());
    }
}
