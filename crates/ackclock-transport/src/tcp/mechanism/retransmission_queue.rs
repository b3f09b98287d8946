//! The segments sent and not yet cumulatively acknowledged, and the part of them that is still in the
//! network (RFC 6675's pipe, kept up to date instead of recounted).

mod by_clock;
mod late;
mod resend;
mod segments;
mod selected;
mod sent;

use std::collections::VecDeque;
use std::mem::offset_of;
use std::ops::Range;

use super::super::step_count::{self, LongWalks};
use super::sequence_ranges::SequenceRanges;
use crate::facts::{RateState, TxRecord};

use by_clock::ByClock;
use segments::Segments;
use sent::{LOST, RETRANSMITTED, SACKED, TIMED_OUT, TWICE};
pub(crate) use sent::{Sent, SentKey};

/// The room that a ring has for its first segment.
const FEW: usize = 4;

/// Segments outstanding by their state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Selectively acknowledged.
    pub sacked: u32,
    /// Declared lost, and waiting to be sent again.
    pub lost: u32,
    /// Sent again, and neither declared lost since nor selectively acknowledged.
    pub again: u32,
}

/// The retransmission queue and the scoreboard. The fields needed while nothing is lost come first.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(crate) struct RetransmissionQueue {
    segments: Segments,
    /// The first unacknowledged sequence number (SND.UNA).
    una: u64,
    /// Copies believed to be in the network.
    pipe: u32,
    /// The number of segments declared lost that wait to be sent again.
    lost: u32,
    /// Segments by time of sending, for recoveries that judge losses by that time.
    clock: Option<Box<ByClock>>,
    /// The state in which the newest lost segment was sent, until it is taken; kept only when sampling.
    latest_lost: Option<Box<Option<RateState>>>,
    mss: u32,
    walks: LongWalks,
    /// Losses below this sequence number have been found already, unless it is below `una`.
    examined: u64,
    /// No segment below this sequence number waits to be sent again, unless it is below `una`. It never passes RFC
    /// 6675's `HighRxt`.
    resend_from: u64,
    /// Bytes that were sent again unasked (RFC 6675, `NextSeg` rules 3 and 4), and whose first copy was found lost then.
    lost_after_resend: u64,
    sacked: SequenceRanges,
}

impl RetransmissionQueue {
    /// While nothing is lost, only this many bytes at the beginning are needed.
    pub const NEEDED: usize = offset_of!(RetransmissionQueue, clock);

    /// An empty queue whose first segment will begin at `una`.
    pub fn new(una: u64, mss: u16) -> RetransmissionQueue {
        RetransmissionQueue {
            una,
            mss: u32::from(mss),
            examined: una,
            resend_from: una,
            ..RetransmissionQueue::default()
        }
    }

    /// Begins an empty queue at `una`.
    pub fn begin_at(&mut self, una: u64) {
        debug_assert!(self.is_empty());
        (self.una, self.examined, self.resend_from) = (una, una, una);
    }

    /// An empty queue that keeps the state in which each segment is sent.
    pub fn with_samples(self) -> RetransmissionQueue {
        debug_assert!(self.is_empty());
        RetransmissionQueue { segments: Segments::sampled(), latest_lost: Some(Box::default()), ..self }
    }

    /// An empty queue in which late segments can be found.
    pub fn by_clock(self) -> RetransmissionQueue {
        RetransmissionQueue { clock: Some(Box::default()), ..self }
    }

    /// Releases memory after a far larger flight. Shrinking keeps the ring in cache. Otherwise, after a slow start that
    /// overshot by far, every segment would use memory that has long left the cache.
    pub fn tighten(&mut self) {
        let room = 2 * self.segments.len().max(8);
        if self.segments.capacity() > 2 * room {
            self.segments.shrink_to(room);
        }
    }

    /// True if there is room for a few segments at most.
    pub fn is_small(&self) -> bool {
        self.segments.capacity() <= FEW
    }

    /// Releases memory that the outstanding segments do not need: the transfer is over, and the next may be far off.
    pub fn release(&mut self) {
        self.segments.shrink_to(0);
        if let Some(clock) = &mut self.clock {
            clock.again.shrink_to_fit();
        }
        self.sacked.release();
    }

    /// The memory of the first segment, and that of the next one to be added.
    #[inline]
    pub fn ends(&self) -> [Range<*const u8>; 2] {
        let last = self.segments.memory(self.segments.len().wrapping_sub(1));
        let after = last.end.wrapping_add(last.end.addr() - last.start.addr());
        [self.segments.memory(0), last.start..after]
    }

    /// The memory of the order of sending, if it is kept.
    #[inline]
    pub fn clock(&self) -> Range<*const u8> {
        let start = self.clock.as_deref().map_or(std::ptr::null(), std::ptr::from_ref).cast::<u8>();
        start..start.wrapping_add(if self.clock.is_some() { size_of::<ByClock>() } else { 0 })
    }

    #[inline]
    pub fn una(&self) -> u64 {
        self.una
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Segments sent and not cumulatively acknowledged.
    #[inline]
    pub fn outstanding(&self) -> u32 {
        self.segments.len() as u32
    }

    /// Segments believed to be in the network.
    #[inline]
    pub fn pipe(&self) -> u32 {
        self.pipe
    }

    /// True if a segment declared lost waits to be sent again.
    #[inline]
    pub fn has_lost(&self) -> bool {
        self.lost > 0
    }

    /// Bytes whose first copy was found lost after they had been sent again.
    pub fn lost_after_resend(&self) -> u64 {
        self.lost_after_resend
    }

    /// The facts of the last segment declared lost since the last call, if samples are kept.
    pub fn take_latest_lost(&mut self) -> Option<RateState> {
        self.latest_lost.as_mut()?.take()
    }

    /// How many of the segments outstanding are in which state. It takes a step for each.
    pub fn counts(&self) -> Counts {
        let count =
            |is_it: &dyn Fn(&Sent) -> bool| self.segments.iter().filter(|sent| is_it(sent)).count() as u32;
        Counts {
            sacked: count(&|sent| sent.has(SACKED)),
            lost: count(&|sent| sent.has(LOST) && !sent.has(SACKED)),
            again: count(&|sent| sent.has(RETRANSMITTED) && !sent.has(LOST | SACKED)),
        }
    }

    /// The first unacknowledged segment.
    pub fn head(&self) -> Option<Sent> {
        self.segments.front().copied()
    }

    /// Adds a segment that ends before `end` and is sent for the first time.
    #[inline]
    pub fn push(&mut self, end: u64, record: &TxRecord) {
        self.pipe += 1;
        self.segments.push_back(Sent::first(end, record), record.rate());
    }

    /// Takes a cumulative acknowledgment in the plain case: it covers at most `most` segments, up to the end of the
    /// last, and each was sent once. Returns their number, and the record of the last. In any other case it returns
    /// none and changes nothing. To be called while nothing is selectively acknowledged. `may_have_samples` is false
    /// only if certainly no samples are kept.
    #[expect(clippy::inline_always, reason = "what is kept is known where it is called")]
    #[inline(always)]
    pub fn acknowledge_plain(
        &mut self,
        acknowledgment: u64,
        most: u32,
        may_have_samples: bool,
    ) -> Option<(u32, TxRecord)> {
        debug_assert!(!self.has_sacked());
        let (covered, last, state) = match &mut self.segments {
            Segments::Plain(ring) => {
                let (covered, last) = covered_plainly(ring, acknowledgment, most, |sent| *sent)?;
                pop_first(ring, covered);
                (covered, last, RateState::default())
            }
            Segments::Sampled(ring) if may_have_samples => {
                let (covered, last) = covered_plainly(ring, acknowledgment, most, |(sent, _)| *sent)?;
                let state = ring[covered - 1].1;
                pop_first(ring, covered);
                (covered, last, state)
            }
            Segments::Sampled(_) => return None,
        };
        step_count::count(covered);
        self.pipe -= covered as u32;
        self.una = acknowledgment;
        Some((covered as u32, last.record(state)))
    }

    /// Takes a cumulative acknowledgment; `each` sees every segment it covers.
    pub fn acknowledge(&mut self, acknowledgment: u64, mut each: impl FnMut(&Sent, RateState)) {
        while let Some(sent) = self.segments.front()
            && sent.end <= acknowledgment
        {
            self.pipe -= sent.copies();
            self.lost -= u32::from(sent.has(LOST));
            each(sent, self.segments.state(0));
            self.segments.pop_front();
            step_count::count(1);
        }
        self.una = acknowledgment;
        if !self.sacked.is_empty() {
            self.sacked.remove_below(acknowledgment);
        }
        if let Some(clock) = &mut self.clock {
            clock.forget_below(acknowledgment);
        }
    }

    /// Segments below this sequence number that are not selectively acknowledged are lost (RFC 6675, `IsLost`): `threshold`
    /// blocks lie above it, or more than `threshold - 1` segments' worth of bytes. Zero if nothing is lost.
    pub fn lost_below(&self, threshold: u32) -> u64 {
        // One more, since a FIN takes a sequence number but is not a byte.
        let few = u64::from(threshold - 1) * u64::from(self.mss) + 1;
        let mut bytes_above = 0;
        for (blocks, (start, end)) in (1..).zip(self.sacked.iter().rev()) {
            step_count::count(1);
            bytes_above += end - start;
            if blocks >= threshold || bytes_above > few {
                return start;
            }
        }
        0
    }

    /// Declares the segments below `edge` lost, which [`lost_below`](Self::lost_below) found. The evidence concerns the
    /// first copy of a segment, so segments sent again since are not judged by it.
    pub fn declare_lost_below(&mut self, edge: u64) {
        let examined = self.examined.max(self.una);
        if edge <= examined {
            return;
        }
        let mut index = self.index_of(examined);
        while let Some(sent) = self.segments.get_mut(index)
            && sent.end <= edge
        {
            step_count::count(1);
            if sent.has(TWICE) {
                sent.state &= !TWICE;
                self.pipe -= 1;
                let (start, end) = self.bounds(index);
                self.lost_after_resend += end - start;
            } else if !sent.has(RETRANSMITTED) {
                self.declare_lost_at(index);
            }
            index += 1;
        }
        self.examined = edge;
    }

    /// True if a retransmission is outstanding whose loss may be detected by the time of its sending.
    #[inline]
    pub fn has_sent_again(&self) -> bool {
        self.clock.as_ref().is_some_and(|clock| !clock.again.is_empty())
    }

    /// True if something is selectively acknowledged.
    #[inline]
    pub fn has_sacked(&self) -> bool {
        !self.sacked.is_empty()
    }

    /// True if at least this many segments are selectively acknowledged. A shorter last segment counts in full.
    #[inline]
    pub fn has_sacked_segments(&self, least: u32) -> bool {
        // One more, since a FIN takes a sequence number but is not a byte.
        let segments = |range: (u64, u64)| (range.1 - range.0 - 1).div_ceil(self.mss.into()).max(1);
        let mut found = 0;
        self.sacked.iter().any(|range| {
            step_count::count(1);
            found += segments(range);
            found >= u64::from(least)
        })
    }

    /// The highest sequence number acknowledged, cumulatively or selectively.
    pub fn highest_acknowledged(&self) -> u64 {
        self.sacked.last().map_or(self.una, |range| range.1)
    }

    /// Declares the first unacknowledged segment lost, even one that was sent again before.
    pub fn declare_head_lost(&mut self) {
        self.declare_lost_at(0);
    }

    /// True if the segment that ends there has arrived.
    pub fn is_delivered(&self, end: u64) -> bool {
        end <= self.una || self.sacked.containing(end - 1).is_some()
    }

    /// Declares a transmission lost. Its segment is lost too if this was its latest transmission, unless the segment
    /// arrived or is lost already.
    pub fn declare_lost(&mut self, (sent_at, end): SentKey) {
        if end <= self.una {
            return;
        }
        let index = self.index_of(end - 1);
        let Some(sent) = self.segments.get_mut(index).filter(|sent| sent.end == end) else { return };
        if sent.at == sent_at {
            self.declare_lost_at(index);
        } else if sent.has(TWICE) && !sent.has(SACKED | LOST) {
            sent.state &= !TWICE;
            self.pipe -= 1;
        }
    }

    /// Declares everything lost that was not selectively acknowledged (after a timeout: RFC 6675, 5.1).
    pub fn declare_all_lost(&mut self) {
        // Without a copy in the network nothing is left to declare. In a row of timeouts, that is so after the first.
        let mut index = 0;
        while self.pipe > 0 && index < self.segments.len() {
            self.declare_lost_at(index);
            index += 1;
        }
        self.walk(index);
        self.examined = self.segments.back().map_or(self.una, |sent| sent.end);
    }

    /// Marks the first segment as sent again by the timer.
    pub fn mark_head_timed_out(&mut self) {
        if let Some(head) = self.segments.get_mut(0) {
            head.state |= TIMED_OUT;
        }
    }

    /// Withdraws all losses, since a segment thought lost was not. New evidence is needed to declare a loss again.
    pub fn forget_losses(&mut self) {
        self.walk(self.segments.len());
        for index in 0..self.segments.len() {
            let sent = &mut self.segments[index];
            if sent.has(LOST) {
                sent.state &= !LOST;
                self.pipe += sent.copies();
            }
        }
        self.lost = 0;
        self.examined = self.una;
        if let Some(clock) = &mut self.clock {
            clock.begin_anew(self.una, &self.segments);
        }
    }

    fn declare_lost_at(&mut self, index: usize) {
        let Some(sent) = self.segments.get_mut(index).filter(|sent| !sent.has(SACKED | LOST)) else {
            return;
        };
        self.pipe -= sent.copies();
        sent.state = (sent.state | LOST) & !TWICE;
        self.lost += 1;
        self.note_latest_lost(index);
        self.resend_from = self.resend_from.max(self.una).min(self.bounds(index).0);
    }

    /// Counts the steps of a walk that may be as long as the window.
    #[inline]
    fn walk(&mut self, steps: usize) {
        step_count::count(steps);
        self.walks.add(steps);
    }

    /// The steps of long walks since the last call.
    #[inline]
    pub fn take_walked(&mut self) -> u32 {
        self.walks.take()
    }

    fn note_latest_lost(&mut self, index: usize) {
        if let Some(latest_lost) = &mut self.latest_lost {
            **latest_lost = Some(self.segments.state(index));
        }
    }

    /// The position of the segment that holds `sequence`.
    fn index_of(&self, sequence: u64) -> usize {
        position(&self.segments, sequence, self.una, self.mss.into()).0
    }

    fn bounds(&self, index: usize) -> (u64, u64) {
        let start = if index == 0 { self.una } else { self.segments[index - 1].end };
        (start, self.segments[index].end)
    }
}

/// The position of the segment that holds `sequence`, and its first sequence number; the first segment begins at `una`. Usually all
/// segments but the last are full-sized, and the position is computed. Otherwise it is searched for.
fn position(segments: &Segments, sequence: u64, una: u64, mss: u64) -> (usize, u64) {
    match segments {
        Segments::Plain(ring) => position_in(ring, sequence, una, mss, |sent| sent.end),
        Segments::Sampled(ring) => position_in(ring, sequence, una, mss, |(sent, _)| sent.end),
    }
}

/// [`position`] in a ring of elements; `end` returns the end of a segment.
#[inline]
fn position_in<T>(
    ring: &VecDeque<T>,
    sequence: u64,
    una: u64,
    mss: u64,
    end: impl Fn(&T) -> u64,
) -> (usize, u64) {
    let begin_of = |index: usize| if index == 0 { Some(una) } else { ring.get(index - 1).map(&end) };
    let guess = ((sequence - una) / mss) as usize;
    if let Some(begin) = begin_of(guess).filter(|begin| *begin <= sequence)
        && ring.get(guess).is_none_or(|sent| end(sent) > sequence)
    {
        return (guess, begin);
    }
    step_count::count(ring.len().ilog2() as usize + 1);
    let found = ring.partition_point(|sent| end(sent) <= sequence);
    (found, begin_of(found).unwrap_or(sequence))
}

/// Removes a small number of elements at the beginning of a ring.
#[inline]
fn pop_first<T: Copy>(ring: &mut VecDeque<T>, count: usize) {
    for _ in 0..count {
        ring.pop_front();
    }
}

/// The number of segments at the beginning of a ring that an acknowledgment covers, at most `most`, and the last of
/// them. None unless all were sent once, none was acknowledged or declared lost, and the last ends at the
/// acknowledgment.
#[inline]
fn covered_plainly<T>(
    ring: &VecDeque<T>,
    acknowledgment: u64,
    most: u32,
    of: impl Fn(&T) -> Sent,
) -> Option<(usize, Sent)> {
    let mut covered = 0;
    let last = loop {
        let sent = of(ring.get(covered)?);
        covered += 1;
        if !sent.is_plain() || covered > most as usize {
            return None;
        }
        if sent.end >= acknowledgment {
            break sent;
        }
    };
    (last.end == acknowledgment).then_some((covered, last))
}

#[cfg(test)]
mod tests;
