//! COBALT: `CoDel` with a gentler end, together with BLUE against senders that do not respond.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Bytes, Duration, Time};

use super::codel::{self, Codel};
use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::queue::arriving::Verdict;
use crate::queue::discipline::{Built, Discipline, Site};
use crate::queue::parts::fifo::Fifo;
use crate::queue::scheduler::Scheduler;
use crate::{BufferSize, DropReason, Ecn, Occupancy, RandomStream};

/// `CoDel` and BLUE alternate: the queue management of CAKE (Linux, `sch_cake`).
///
/// A variant of `CoDel` drops or marks departing packets while they wait too long. Afterwards it forgets step by step
/// how many drops were needed. BLUE drops with a probability that rises while the buffer overflows and falls while it
/// is empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cobalt {
    /// The parameters of `CoDel`.
    pub codel: Codel,
    /// The increment of BLUE's probability when the buffer overflows.
    pub increment: f64,
    /// The decrement of BLUE's probability when the queue is empty.
    pub decrement: f64,
}

impl Discipline for Cobalt {
    const ENTRY: Entry = Entry {
        kind: "queue",
        name: "cobalt",
        title: "CoDel, and BLUE against senders that do not respond",
        source: "Linux sch_cake; Høiland-Jørgensen, Täht and Morton, LANMAN 2018",
        parameters: &[
            codel::TARGET,
            codel::INTERVAL,
            Parameter::new(
                "increment",
                Unit::Number,
                1.0 / 256.0,
                (0.0, 1.0),
                "added to BLUE's probability at an overflow, at most once per target (p_inc)",
            ),
            Parameter::new(
                "decrement",
                Unit::Number,
                1.0 / 4096.0,
                (0.0, 1.0),
                "taken from it when the queue is empty, at most once per target (p_dec)",
            ),
            Parameter::switch("ecn", true, "1: CoDel marks ECN-capable packets; BLUE drops them"),
        ],
        ..Entry::PLAIN
    };

    fn make(values: &Values) -> Cobalt {
        Cobalt {
            codel: Codel::make(values),
            increment: values.get("increment"),
            decrement: values.get("decrement"),
        }
    }

    fn build(&self, site: &Site<'_>) -> Built {
        let frame = site.rate.transmission_time(Bytes::new(FRAME));
        Built::pulled(CobaltQueue::new(*self, site.random(), frame))
    }
}

/// The bytes of an Ethernet frame. A wait of four times its transmission time is not long.
pub(super) const FRAME: u64 = 1514;

/// The rule, and the transmission time of [`FRAME`] bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct CobaltRule {
    pub(super) cobalt: Cobalt,
    pub(super) frame: Duration,
}

/// The state of one queue.
#[derive(Clone, Debug, Default)]
pub(super) struct CobaltState {
    /// `CoDel`: the number of drops that counts, whether it drops now, and when it drops next. While it does not drop,
    /// the last is when an interval will have passed since a packet departed in time.
    count: u32,
    dropping: bool,
    drop_next: Time,
    /// BLUE: the probability, and the time of its last change.
    blue: f64,
    changed: Time,
}

impl CobaltState {
    /// The time of the next drop after one at `from`.
    fn after(&self, rule: &CobaltRule, from: Time) -> Time {
        from + rule.cobalt.codel.interval.mul_f64(1.0 / f64::from(self.count.max(1)).sqrt())
    }

    /// True once per target: BLUE's probability may change.
    fn changes_blue(&mut self, rule: &CobaltRule, now: Time) -> bool {
        let may = now.since(self.changed) > rule.cobalt.codel.target;
        if may {
            self.changed = now;
        }
        may
    }

    /// The buffer overflows.
    pub(super) fn overflow(&mut self, rule: &CobaltRule, now: Time) {
        if self.changes_blue(rule, now) {
            self.blue = (self.blue + rule.cobalt.increment).min(1.0);
        }
        (self.dropping, self.drop_next, self.count) = (true, now, self.count.max(1));
    }

    /// Decides on a packet that departs. A wait of twice `frames` transmission times is not long either.
    pub(super) fn judge(
        &mut self,
        rule: &CobaltRule,
        now: Time,
        packet: &QueuedPacket,
        frames: u64,
        random: &mut RandomStream,
    ) -> Verdict {
        let waited = now.since(packet.arrived);
        let is_late = waited > rule.cobalt.codel.target
            && waited > rule.frame.saturating_mul(4)
            && waited > rule.frame.saturating_mul(2 * frames);
        let mut is_due = self.count > 0 && now >= self.drop_next;
        let mut is_past = now > self.drop_next;
        if is_late && !self.dropping {
            self.drop_next = self.after(rule, now);
        }
        self.dropping = is_late;
        self.count = self.count.max(u32::from(is_late));
        let mut verdict = Verdict::Pass;
        if is_due && is_late {
            let can_mark = rule.cobalt.codel.marks && packet.ecn != Ecn::NotCapable;
            verdict = if can_mark { Verdict::MarkOrDrop } else { Verdict::Drop };
            self.count = self.count.saturating_add(1);
            self.drop_next = self.after(rule, self.drop_next);
            is_past = now > self.drop_next;
        } else {
            // A calm queue forgets its drops, at the rate at which further drops would have come.
            while is_due {
                self.forget(rule);
                is_past = now > self.drop_next;
                is_due = self.count > 0 && now >= self.drop_next;
            }
        }
        if self.blue > 0.0 && random.bernoulli(self.blue) {
            verdict = Verdict::Drop;
        }
        if self.count == 0 {
            self.drop_next = now + rule.cobalt.codel.interval;
        } else if is_past && verdict != Verdict::Drop {
            self.drop_next = now;
        }
        verdict
    }

    /// The transmitter finds the queue empty.
    pub(super) fn find_empty(&mut self, rule: &CobaltRule, now: Time) {
        if self.blue > 0.0 && self.changes_blue(rule, now) {
            self.blue = (self.blue - rule.cobalt.decrement).max(0.0);
        }
        self.dropping = false;
        if self.count > 0 && now >= self.drop_next {
            self.forget(rule);
        }
    }

    /// True if nothing is left of earlier drops.
    pub(super) fn is_at_rest(&self, now: Time) -> bool {
        self.blue <= 0.0 && self.count == 0 && now >= self.drop_next
    }

    fn forget(&mut self, rule: &CobaltRule) {
        self.count -= 1;
        self.drop_next = self.after(rule, self.drop_next);
    }
}

/// The state of the discipline.
#[derive(Clone, Debug)]
pub(crate) struct CobaltQueue {
    rule: CobaltRule,
    queue: Fifo,
    state: CobaltState,
    random: RandomStream,
}

impl CobaltQueue {
    /// A queue in front of a transmitter that takes the time `frame` for [`FRAME`] bytes.
    pub(crate) fn new(cobalt: Cobalt, random: RandomStream, frame: Duration) -> CobaltQueue {
        let rule = CobaltRule { cobalt, frame };
        CobaltQueue { rule, queue: Fifo::default(), state: CobaltState::default(), random }
    }
}

impl Scheduler for CobaltQueue {
    fn enqueue(&mut self, now: Time, packet: QueuedPacket, buffer: BufferSize, discards: &mut Vec<Discard>) {
        self.queue.push(packet);
        while buffer.is_exceeded(self.queue.occupancy()) {
            self.state.overflow(&self.rule, now);
            let Some(oldest) = self.queue.pop() else { return };
            discards.push(oldest.discarded_for(&packet));
        }
    }

    fn dequeue(&mut self, now: Time, discards: &mut Vec<Discard>) -> Option<QueuedPacket> {
        while let Some(packet) = self.queue.pop() {
            let verdict = self.state.judge(&self.rule, now, &packet, 0, &mut self.random);
            // The last packet is not dropped: nothing would be left to transmit.
            if verdict == Verdict::Drop && !self.queue.is_empty() {
                discards.push((packet, DropReason::Early));
                continue;
            }
            return Some(QueuedPacket { marked: verdict == Verdict::MarkOrDrop, ..packet });
        }
        None
    }

    fn on_idle(&mut self, since: Time) {
        self.state.find_empty(&self.rule, since);
    }

    fn occupancy(&self) -> Occupancy {
        self.queue.occupancy()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::testing::{at, queued};

    const UNLIMITED: BufferSize = BufferSize::Unlimited;

    fn queue() -> CobaltQueue {
        CobaltQueue::new(Cobalt::default(), RandomStream::new(1, "test"), Duration::from_millis(1))
    }

    /// The times in milliseconds of drops or marks of a queue in which every packet waits 20 ms and one leaves each
    /// millisecond.
    fn hits(ecn: Ecn, milliseconds: u64) -> Vec<u64> {
        let mut queue = queue();
        let (mut hits, mut discards) = (Vec::new(), Vec::new());
        // A packet that does not wait: without any within an interval, the first late one would begin where drops had ended.
        queue.enqueue(at(19_000), queued(0, at(19_000), ecn), UNLIMITED, &mut discards);
        assert!(queue.dequeue(at(19_000), &mut discards).is_some());
        for millisecond in 0..milliseconds {
            queue.queue = Fifo::default();
            for slot in 0..5 {
                queue.enqueue(at(0), queued(slot, at(millisecond * 1000), ecn), UNLIMITED, &mut discards);
            }
            let given = queue.dequeue(at(millisecond * 1000 + 20_000), &mut discards).unwrap();
            hits.extend(discards.drain(..).map(|_| millisecond));
            hits.extend(given.marked.then_some(millisecond));
        }
        hits
    }

    /// `CoDel`'s part: the first drop or mark an interval after packets are late, the next ones at `interval / sqrt(n)`.
    #[test]
    fn late_packets_are_hit_ever_more_often() {
        for ecn in [Ecn::NotCapable, Ecn::Capable0] {
            let hits = hits(ecn, 1000);
            assert!((99..=101).contains(&hits[0]), "{ecn:?}: {hits:?}");
            let mut expected = hits[0] as f64;
            for (number, hit) in hits.iter().enumerate().skip(1) {
                expected += 100.0 / (number as f64 + 1.0).sqrt();
                assert!((*hit as f64 - expected).abs() < 3.0, "{ecn:?}: {number}: {hits:?}");
            }
        }
    }

    /// BLUE: the probability rises by 1/256 per target of 5 ms at most while the buffer overflows, falls by 1/4096 each time that
    /// the queue is found empty, and spares no ECN-capable packet.
    #[test]
    fn blue_rises_with_overflows_and_falls_with_idleness() {
        let mut queue = queue();
        let mut discards = Vec::new();
        for millisecond in 1..=600 {
            let now = at(millisecond * 1000);
            queue.enqueue(now, queued(1, now, Ecn::Capable0), BufferSize::Packets(3), &mut discards);
        }
        // From the fourth packet on every one overflows the buffer, and each sixth is more than 5 ms after the last change.
        let risen = 100.0 / 256.0;
        assert!((queue.state.blue - risen).abs() < 2.0 / 256.0, "{}", queue.state.blue);
        for millisecond in 0..256 {
            queue.on_idle(at(1_000_000 + millisecond * 6_000));
        }
        assert!((risen - queue.state.blue - 256.0 / 4096.0).abs() < 2.0 / 256.0, "{}", queue.state.blue);
        let mut dropped = 0;
        for number in 0..1000 {
            let now = at(10_000_000 + number * 1000);
            discards.clear();
            queue.enqueue(now, queued(1, now, Ecn::Capable0), UNLIMITED, &mut discards);
            queue.enqueue(now, queued(2, now, Ecn::Capable0), UNLIMITED, &mut discards);
            while queue.dequeue(now, &mut discards).is_some() {}
            dropped += discards.len();
        }
        // The last packet is spared.
        assert!(
            (dropped as f64 / 1000.0 - queue.state.blue).abs() < 0.05,
            "{dropped} for {}",
            queue.state.blue
        );
    }

    /// A calm queue forgets the drops that it had needed: after as long again they begin anew.
    #[test]
    fn a_calm_queue_forgets() {
        let mut queue = queue();
        queue.state.count = 50;
        queue.state.drop_next = at(0);
        let mut discards = Vec::new();
        for millisecond in 0..2000 {
            let now = at(millisecond * 1000);
            queue.enqueue(now, queued(1, now, Ecn::NotCapable), UNLIMITED, &mut discards);
            queue.dequeue(now, &mut discards).unwrap();
        }
        assert!(queue.state.count == 0 && discards.is_empty(), "{}", queue.state.count);
    }
}
