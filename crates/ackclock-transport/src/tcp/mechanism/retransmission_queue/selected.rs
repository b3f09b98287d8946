//! Selective acknowledgments. A block counts for the whole segments in it, and for no part of another.

use super::super::super::step_count;
use super::super::sequence_ranges::SequenceRanges;
use super::segments::Segments;
use super::sent::{LOST, SACKED, Sent, TWICE};
use super::{RateState, RetransmissionQueue, position, position_in};

impl RetransmissionQueue {
    /// Takes a selective acknowledgment of `[start, end)` in the usual case: it newly covers one full segment, above all
    /// data known to have arrived, and no samples are kept. Returns that segment.
    #[inline]
    pub fn select_next(&mut self, start: u64, end: u64) -> Option<Sent> {
        let Segments::Plain(segments) = &mut self.segments else { return None };
        let from = start_of_next(&self.sacked, self.una, self.mss, (start, end))?;
        let (index, _) = position_in(segments, from, self.una, self.mss.into(), |sent| sent.end);
        let sent = segments.get_mut(index).filter(|sent| sent.end == end)?;
        note_selected(sent, &mut self.pipe, &mut self.lost);
        let sent = *sent;
        self.sacked.insert_last(start, end);
        Some(sent)
    }

    /// [`select_next`](Self::select_next) where samples are kept. Returns the segment with the state in which it was sent.
    #[inline]
    pub fn select_next_sampled(&mut self, start: u64, end: u64) -> Option<(Sent, RateState)> {
        let Segments::Sampled(segments) = &mut self.segments else { return None };
        let from = start_of_next(&self.sacked, self.una, self.mss, (start, end))?;
        let (index, _) = position_in(segments, from, self.una, self.mss.into(), |(sent, _)| sent.end);
        let (sent, state) = segments.get_mut(index).filter(|(sent, _)| sent.end == end)?;
        note_selected(sent, &mut self.pipe, &mut self.lost);
        let selected = (*sent, *state);
        self.sacked.insert_last(start, end);
        Some(selected)
    }

    /// True if `[start, end)` is known to have arrived.
    #[inline]
    pub fn is_selected(&self, start: u64, end: u64) -> bool {
        let start = start.max(self.una);
        start >= end || self.sacked.containing(start).is_some_and(|known| end <= known.1)
    }

    /// Takes a selective acknowledgment of `[start, end)`; `each` sees every segment it covers for the first time. A segment that
    /// it covers in part stays as it was. Returns true if there is no such segment.
    #[inline]
    pub fn select(&mut self, start: u64, end: u64, mut each: impl FnMut(&Sent, RateState)) -> bool {
        let RetransmissionQueue { sacked, segments, una, mss, pipe, lost, walks, .. } = self;
        let start = start.max(*una);
        let (mut whole_start, mut whole_end) = (start, end);
        let (_, steps) = sacked.insert(start, end, |from, to| {
            let (mut index, begin) = position(segments, from, *una, (*mss).into());
            if begin < from
                && let Some(sent) = segments.get(index)
            {
                whole_start = sent.end;
                index += 1;
            }
            let mut covered = from;
            while let Some(sent) = segments.get_mut(index)
                && sent.end <= to
            {
                note_selected(sent, pipe, lost);
                covered = sent.end;
                each(&segments[index], segments.state(index));
                index += 1;
            }
            if covered < to && index < segments.len() {
                whole_end = covered;
            }
        });
        walks.add(steps);
        let is_whole = whole_start == start && whole_end == end;
        if !is_whole {
            self.sacked.remove(start, whole_start.min(end));
            self.sacked.remove(whole_end.max(start), end);
        }
        is_whole
    }
}

/// The first sequence number that `[start, end)` newly covers, if that is one full segment above all data known to have arrived.
#[inline]
fn start_of_next(sacked: &SequenceRanges, una: u64, mss: u32, (start, end): (u64, u64)) -> Option<u64> {
    let extended = sacked.last().filter(|last| start <= last.1);
    if start < extended.map_or(una, |last| last.0) {
        return None;
    }
    let from = extended.map_or(start, |last| last.1);
    (end == from + u64::from(mss)).then_some(from)
}

/// Notes that a segment is selectively acknowledged for the first time: no copy of it counts as in the network or lost
/// any more.
#[inline]
fn note_selected(sent: &mut Sent, pipe: &mut u32, lost: &mut u32) {
    *pipe -= sent.copies();
    *lost -= u32::from(sent.has(LOST));
    sent.state = (sent.state | SACKED) & !(LOST | TWICE);
    step_count::count(1);
}
