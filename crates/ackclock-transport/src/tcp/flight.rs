//! What has been sent and not yet cumulatively acknowledged, segment by segment, and how much of it is still in the
//! network (RFC 6675's pipe, kept up to date instead of recounted).

use std::collections::VecDeque;

use ackclock_units::{Duration, Time};

use super::recovery::SentKey;
use super::sequence_ranges::SequenceRanges;

/// The moment a segment was sent, and what a delivery-rate sample needs to know of it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stamp {
    pub sent_at: Time,
    /// Packets delivered by then.
    pub delivered: u64,
    /// When the latest of those was delivered.
    pub delivered_at: Time,
    /// When the first packet of the flight it closes was sent.
    pub first_sent_at: Time,
    /// Packets declared lost by then. Only differences count, so that it may wrap.
    pub lost: u32,
    /// What was in flight then, and one bit: a stamp is kept for every packet in flight, and so is small.
    in_flight: u32,
}

/// In [`Stamp::in_flight`].
const APP_LIMITED: u32 = 1 << 31;

impl Stamp {
    /// Packets in flight after it was sent, and whether the application had less to send than the window allowed.
    pub fn set(&mut self, in_flight: u32, app_limited: bool) {
        self.in_flight = in_flight & !APP_LIMITED | if app_limited { APP_LIMITED } else { 0 };
    }

    /// Packets in flight when it had been sent, itself included.
    pub fn in_flight(&self) -> u32 {
        self.in_flight & !APP_LIMITED
    }

    /// Whether the application had less to send than the window allowed.
    pub fn is_app_limited(&self) -> bool {
        self.in_flight & APP_LIMITED != 0
    }
}

/// One segment in the retransmission queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    /// The sequence number after it.
    pub end: u64,
    /// The latest time it was sent.
    pub stamp: Stamp,
    state: u8,
}

const SACKED: u8 = 1;
/// Declared lost and not yet sent again.
const LOST: u8 = 2;
const RETRANSMITTED: u8 = 4;
/// Sent again by the retransmission timer.
const TIMED_OUT: u8 = 8;
/// Sent again without being declared lost, so that two copies may be in the network (RFC 6675, `NextSeg` rule 3).
const TWICE: u8 = 16;

impl Sent {
    fn has(self, bits: u8) -> bool {
        self.state & bits != 0
    }

    pub fn is_sacked(self) -> bool {
        self.has(SACKED)
    }

    pub fn is_lost(self) -> bool {
        self.has(LOST)
    }

    pub fn is_retransmitted(self) -> bool {
        self.has(RETRANSMITTED)
    }

    pub fn has_timed_out(self) -> bool {
        self.has(TIMED_OUT)
    }

    /// Copies of it that may be in the network.
    fn copies(self) -> u32 {
        if self.has(SACKED | LOST) { 0 } else { 1 + u32::from(self.has(TWICE)) }
    }
}

/// What a look for late segments found.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Late {
    /// Something was declared lost ...
    pub lost: bool,
    /// ... and a segment sent again among it.
    pub again: bool,
    /// When the latest of those was sent that may become late.
    pub latest_waiting: Option<Time>,
}

/// The retransmission queue and the scoreboard.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flight {
    segments: VecDeque<Sent>,
    /// The first unacknowledged sequence number (SND.UNA).
    una: u64,
    mss: u64,
    /// Copies believed to be in the network.
    pipe: u32,
    /// Segments declared lost that wait to be sent again.
    lost: u32,
    sacked: SequenceRanges,
    /// Below this, losses have been looked for already.
    examined: u64,
    /// The stamp of the latest-sent segment declared lost that nobody has asked for yet.
    latest_lost: Option<Stamp>,
    /// Below this, no segment waits to be sent again (RFC 6675's `HighRxt`, which it never passes).
    resend_from: u64,
}

impl Flight {
    /// An empty queue whose first segment will begin at `una`.
    pub fn new(una: u64, mss: u16) -> Flight {
        Flight { una, mss: u64::from(mss), examined: una, resend_from: una, ..Flight::default() }
    }

    /// Gives back memory that what is under way does not need: the transfer is over, and the next may be far off.
    pub fn release(&mut self) {
        self.segments.shrink_to_fit();
        self.sacked.release();
    }

    pub fn una(&self) -> u64 {
        self.una
    }

    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Segments sent and not cumulatively acknowledged.
    pub fn outstanding(&self) -> u32 {
        self.segments.len() as u32
    }

    /// Segments believed to be in the network.
    pub fn pipe(&self) -> u32 {
        self.pipe
    }

    /// Whether a segment declared lost waits to be sent again.
    pub fn has_lost(&self) -> bool {
        self.lost > 0
    }

    /// The stamp of the last segment declared lost since this was last asked.
    pub fn take_latest_lost(&mut self) -> Option<Stamp> {
        self.latest_lost.take()
    }

    /// The first unacknowledged segment.
    pub fn head(&self) -> Option<Sent> {
        self.segments.front().copied()
    }

    /// A segment that ends before `end` is sent for the first time.
    pub fn push(&mut self, end: u64, stamp: Stamp) {
        self.pipe += 1;
        self.segments.push_back(Sent { end, stamp, state: 0 });
    }

    /// Takes a cumulative acknowledgment; `each` sees every segment it covers.
    pub fn acknowledge(&mut self, acknowledgment: u64, mut each: impl FnMut(&Sent)) {
        while let Some(sent) = self.segments.front()
            && sent.end <= acknowledgment
        {
            self.pipe -= sent.copies();
            self.lost -= u32::from(sent.has(LOST));
            each(sent);
            self.segments.pop_front();
        }
        self.una = acknowledgment;
        self.examined = self.examined.max(acknowledgment);
        self.resend_from = self.resend_from.max(acknowledgment);
        if !self.sacked.is_empty() {
            self.sacked.remove_below(acknowledgment);
        }
    }

    /// Takes a selective acknowledgment of `[start, end)`; `each` sees every segment it covers for the first time.
    pub fn select(&mut self, start: u64, end: u64, mut each: impl FnMut(&Sent)) {
        let mut sacked = std::mem::take(&mut self.sacked);
        sacked.insert(start.max(self.una), end, |from, to| {
            let mut index = self.index_of(from);
            while let Some(sent) = self.segments.get_mut(index)
                && sent.end <= to
            {
                self.pipe -= sent.copies();
                self.lost -= u32::from(sent.has(LOST));
                sent.state = (sent.state | SACKED) & !(LOST | TWICE);
                each(sent);
                index += 1;
            }
        });
        self.sacked = sacked;
    }

    /// What was not selectively acknowledged below this sequence number is lost (RFC 6675, `IsLost`): `threshold`
    /// blocks lie above it, or more than `threshold - 1` segments' worth of bytes. Zero where nothing is lost.
    pub fn lost_below(&self, threshold: u32) -> u64 {
        // A FIN takes a sequence number but is no byte, hence the one.
        let few = u64::from(threshold - 1) * self.mss + 1;
        let mut bytes_above = 0;
        for (blocks, (start, end)) in (1..).zip(self.sacked.as_slice().iter().rev()) {
            bytes_above += end - start;
            if blocks >= threshold || bytes_above > few {
                return *start;
            }
        }
        0
    }

    /// Declares lost what lies below `edge`, as [`lost_below`](Self::lost_below) found it. The evidence is against
    /// the first copy of a segment; one sent again since is not judged by it.
    pub fn declare_lost_below(&mut self, edge: u64) {
        if edge <= self.examined {
            return;
        }
        let mut index = self.index_of(self.examined);
        while let Some(sent) = self.segments.get_mut(index)
            && sent.end <= edge
        {
            if sent.has(TWICE) {
                sent.state &= !TWICE;
                self.pipe -= 1;
            } else if !sent.has(RETRANSMITTED) {
                self.declare_lost_at(index);
            }
            index += 1;
        }
        self.examined = edge;
    }

    /// Declares lost what was sent before `newest`, which was delivered, and longer than `wait` ago (RFC 8985, 6.2, step
    /// 5); a segment sent again is judged by its latest copy.
    pub fn declare_late_lost(&mut self, newest: SentKey, now: Time, wait: Duration) -> Late {
        let mut late = Late::default();
        let mut index = 0;
        while let Some(sent) = self.segments.get(index) {
            let (sent_at, is_again) = (sent.stamp.sent_at, sent.has(RETRANSMITTED));
            if (sent_at, sent.end) >= newest {
                if !is_again {
                    // Whatever lies above it was sent later still.
                    break;
                }
            } else if !sent.has(SACKED | LOST) {
                if sent_at + wait <= now {
                    late.lost = true;
                    late.again |= is_again;
                    self.declare_lost_at(index);
                } else {
                    late.latest_waiting = late.latest_waiting.max(Some(sent_at));
                }
            }
            index += 1;
        }
        late
    }

    /// The last segment once more, as a loss probe (RFC 8985, 7.3).
    pub fn resend_tail(&mut self, stamp: Stamp) -> Option<(u64, u64)> {
        let index = self.segments.len().checked_sub(1)?;
        if self.segments[index].has(SACKED | LOST) {
            return None;
        }
        Some(self.resend_unasked(index, stamp))
    }

    /// Whether something is selectively acknowledged.
    pub fn has_sacked(&self) -> bool {
        !self.sacked.is_empty()
    }

    /// Segments selectively acknowledged; a shorter last one counts in full.
    pub fn sacked_segments(&self) -> u32 {
        // A FIN takes a sequence number but is no byte, hence the one.
        let segments = |range: &(u64, u64)| (range.1 - range.0 - 1).div_ceil(self.mss).max(1) as u32;
        self.sacked.as_slice().iter().map(segments).sum()
    }

    /// The highest sequence number acknowledged, cumulatively or selectively.
    pub fn highest_acknowledged(&self) -> u64 {
        self.sacked.as_slice().last().map_or(self.una, |range| range.1)
    }

    /// Declares the first unacknowledged segment lost, even one that was sent again before.
    pub fn declare_head_lost(&mut self) {
        self.declare_lost_at(0);
    }

    /// Declares everything lost that was not selectively acknowledged (after a timeout: RFC 6675, 5.1).
    pub fn declare_all_lost(&mut self) {
        for index in 0..self.segments.len() {
            self.declare_lost_at(index);
        }
        self.examined = self.segments.back().map_or(self.una, |sent| sent.end);
    }

    /// Marks the first segment as sent again by the timer.
    pub fn mark_head_timed_out(&mut self) {
        if let Some(head) = self.segments.front_mut() {
            head.state |= TIMED_OUT;
        }
    }

    /// A segment thought lost was not: nothing is lost any more, unless new evidence says so.
    pub fn forget_losses(&mut self) {
        for sent in &mut self.segments {
            if sent.has(LOST) {
                sent.state &= !LOST;
                self.pipe += sent.copies();
            }
        }
        self.lost = 0;
        self.examined = self.una;
    }

    /// The first segment that was declared lost, to be sent again now: its sequence number and the sequence number
    /// after it.
    pub fn resend_lost(&mut self, stamp: Stamp) -> Option<(u64, u64)> {
        if self.lost == 0 {
            return None;
        }
        let mut index = self.index_of(self.resend_from);
        while !self.segments.get(index)?.has(LOST) {
            index += 1;
        }
        let bounds = self.bounds(index);
        let sent = &mut self.segments[index];
        sent.state = (sent.state & !LOST) | RETRANSMITTED;
        sent.stamp = stamp;
        self.lost -= 1;
        self.pipe += 1;
        self.resend_from = bounds.1;
        Some(bounds)
    }

    /// `NextSeg` rule 3 (RFC 6675): the first segment below the highest selective acknowledgment that was neither
    /// selectively acknowledged nor sent again, to be sent again though it is not declared lost.
    pub fn resend_unsacked(&mut self, stamp: Stamp) -> Option<(u64, u64)> {
        if self.has_lost() {
            return None;
        }
        let highest = self.sacked.as_slice().last()?.1;
        let mut index = self.index_of(self.resend_from);
        while self.segments.get(index)?.has(SACKED | RETRANSMITTED) {
            index += 1;
        }
        if self.segments[index].end > highest {
            return None;
        }
        let bounds = self.resend_unasked(index, stamp);
        self.resend_from = bounds.1;
        Some(bounds)
    }

    /// `NextSeg` rule 4 (RFC 6675): the last unacknowledged segment once more, as a rescue. It says nothing of those
    /// before it, which may be declared lost later.
    ///
    /// Narrower than the RFC: not if that segment was sent again already, by rule 3, or for the first time after
    /// `recover`, in this recovery. The acknowledgements that a rescue is to bring are on their way then.
    pub fn resend_last(&mut self, recover: u64, stamp: Stamp) -> Option<(u64, u64)> {
        let index = self.segments.iter().rposition(|sent| !sent.has(SACKED))?;
        let last = self.segments[index];
        if last.has(LOST | RETRANSMITTED) || last.end > recover {
            return None;
        }
        Some(self.resend_unasked(index, stamp))
    }

    fn resend_unasked(&mut self, index: usize, stamp: Stamp) -> (u64, u64) {
        let sent = &mut self.segments[index];
        if !sent.has(TWICE) {
            self.pipe += 1;
        }
        sent.state |= RETRANSMITTED | TWICE;
        sent.stamp = stamp;
        self.bounds(index)
    }

    fn declare_lost_at(&mut self, index: usize) {
        let Some(sent) = self.segments.get_mut(index).filter(|sent| !sent.has(SACKED | LOST)) else {
            return;
        };
        self.pipe -= sent.copies();
        sent.state = (sent.state | LOST) & !TWICE;
        self.lost += 1;
        self.latest_lost = Some(sent.stamp);
        self.resend_from = self.resend_from.min(self.bounds(index).0);
    }

    /// The position of the segment that holds `sequence`. All segments but the last are full-sized as a rule, so the
    /// position can be computed; where it cannot, it is searched for.
    fn index_of(&self, sequence: u64) -> usize {
        let guess = ((sequence - self.una) / self.mss) as usize;
        let starts_here =
            guess == 0 || self.segments.get(guess - 1).is_some_and(|before| before.end <= sequence);
        if starts_here && self.segments.get(guess).is_none_or(|sent| sent.end > sequence) {
            return guess;
        }
        self.segments.partition_point(|sent| sent.end <= sequence)
    }

    fn bounds(&self, index: usize) -> (u64, u64) {
        let start = if index == 0 { self.una } else { self.segments[index - 1].end };
        (start, self.segments[index].end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MSS: u64 = 100;

    fn flight(count: u64) -> Flight {
        let mut flight = Flight::new(0, MSS as u16);
        for i in 1..=count {
            flight.push(i * MSS, Stamp::default());
        }
        flight
    }

    fn sack(flight: &mut Flight, segments: std::ops::Range<u64>) {
        flight.select(segments.start * MSS, segments.end * MSS, |_| {});
    }

    /// Declares lost what the scoreboard says is lost; how many segments that were.
    fn declare(flight: &mut Flight) -> u32 {
        let before = flight.lost;
        flight.declare_lost_below(flight.lost_below(3));
        flight.lost - before
    }

    #[test]
    fn three_segments_above_a_hole_declare_it_lost() {
        let mut flight = flight(10);
        sack(&mut flight, 1..3);
        assert_eq!(declare(&mut flight), 0, "two segments above are not more than (3 - 1) * SMSS");
        sack(&mut flight, 3..4);
        assert_eq!(declare(&mut flight), 1);
        assert_eq!(flight.pipe(), 10 - 3 - 1);
        assert_eq!(flight.resend_lost(Stamp::default()), Some((0, MSS)));
        assert_eq!(flight.pipe(), 7, "the retransmission is in the network");
        assert_eq!(flight.resend_lost(Stamp::default()), None);
    }

    #[test]
    fn three_blocks_above_a_hole_declare_it_lost() {
        let mut flight = flight(12);
        sack(&mut flight, 2..3);
        sack(&mut flight, 5..6);
        sack(&mut flight, 8..9);
        assert_eq!(declare(&mut flight), 2, "segments 0 and 1 lie below three blocks; 3, 4 below two");
    }

    #[test]
    fn a_fin_is_no_byte_above_a_hole() {
        let mut flight = flight(4);
        flight.push(5 * MSS + 1, Stamp::default());
        flight.select(3 * MSS, 5 * MSS + 1, |_| {});
        assert_eq!(flight.lost_below(3), 0, "two segments, the second with the FIN");
        sack(&mut flight, 2..3);
        assert_eq!(flight.lost_below(3), 2 * MSS);
    }

    #[test]
    fn a_rescue_does_not_hide_losses_before_it() {
        let mut flight = flight(10);
        sack(&mut flight, 1..2);
        assert_eq!(flight.resend_last(20 * MSS, Stamp::default()), Some((9 * MSS, 10 * MSS)));
        sack(&mut flight, 5..9);
        assert_eq!(declare(&mut flight), 4);
        assert_eq!(flight.resend_lost(Stamp::default()), Some((0, MSS)));
        assert_eq!(flight.resend_lost(Stamp::default()), Some((2 * MSS, 3 * MSS)));
    }

    #[test]
    fn of_two_copies_the_evidence_is_against_the_first() {
        let mut flight = flight(10);
        sack(&mut flight, 1..2);
        assert_eq!(flight.resend_unsacked(Stamp::default()), Some((0, MSS)));
        assert_eq!(flight.pipe(), 10, "two of segment 0, none of 1");
        sack(&mut flight, 2..5);
        assert_eq!(declare(&mut flight), 0);
        assert_eq!(
            (flight.pipe(), flight.has_lost()),
            (6, false),
            "one copy is left, and need not be sent again"
        );
    }

    #[test]
    fn what_was_sent_again_is_not_lost_by_the_old_evidence() {
        let mut flight = flight(10);
        sack(&mut flight, 1..4);
        assert_eq!(declare(&mut flight), 1);
        flight.resend_lost(Stamp::default());
        sack(&mut flight, 5..9);
        assert_eq!(declare(&mut flight), 1, "the hole at 4, and not the retransmission of 0");
        assert_eq!(flight.resend_lost(Stamp::default()), Some((4 * MSS, 5 * MSS)));
        flight.forget_losses();
        assert_eq!(declare(&mut flight), 0, "nor after an undo");
    }

    #[test]
    fn a_timeout_declares_all_but_the_sacked_lost() {
        let mut flight = flight(5);
        sack(&mut flight, 2..4);
        flight.declare_all_lost();
        assert_eq!(flight.pipe(), 0);
        let mut resent = Vec::new();
        while let Some((start, _)) = flight.resend_lost(Stamp::default()) {
            resent.push(start / MSS);
        }
        assert_eq!(resent, [0, 1, 4]);
    }

    proptest! {
        /// The pipe kept up to date is the pipe recounted by RFC 6675's definition.
        #[test]
        fn the_pipe_is_what_a_recount_gives(operations in prop::collection::vec((0_u8..11, 0_u64..20, 1_u64..6), 1..60)) {
            let mut flight = flight(20);
            for (operation, from, length) in operations {
                let from = from.max(flight.una() / MSS).min(19);
                match operation {
                    0 => flight.acknowledge(from * MSS, |_| {}),
                    1 | 2 => sack(&mut flight, from..(from + length).min(20)),
                    3 => drop(declare(&mut flight)),
                    4 => flight.declare_head_lost(),
                    5 | 6 => drop(flight.resend_lost(Stamp::default())),
                    7 => drop(flight.resend_unsacked(Stamp::default())),
                    8 => drop(flight.resend_last(20 * MSS, Stamp::default())),
                    9 => flight.forget_losses(),
                    _ => flight.declare_all_lost(),
                }
                let recount: u32 = flight.segments.iter().map(|sent| sent.copies()).sum();
                prop_assert_eq!(flight.pipe(), recount);
                let lost = flight.segments.iter().filter(|sent| sent.has(LOST)).count();
                prop_assert_eq!(flight.lost as usize, lost);
                if flight.has_lost() {
                    prop_assert!(flight.clone().resend_lost(Stamp::default()).is_some(), "a lost segment can be found");
                }
            }
        }
    }
}
