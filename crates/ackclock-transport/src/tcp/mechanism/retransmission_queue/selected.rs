//! Selective acknowledgments. A block counts for the whole segments in it, and for no part of another.

use super::super::super::step_count;
use super::segments::Segments;
use super::sent::{LOST, SACKED, Sent, TWICE};
use super::{RateState, RetransmissionQueue, position, position_in};

impl RetransmissionQueue {
    /// Takes a selective acknowledgment of `[start, end)` in the usual case: it newly covers one full segment, above all
    /// data known to have arrived, and no samples are kept. Returns that segment.
    #[inline]
    pub fn select_next(&mut self, start: u64, end: u64) -> Option<Sent> {
        let Segments::Plain(segments) = &mut self.segments else { return None };
        let extended = self.sacked.last().filter(|last| start <= last.1);
        if start < extended.map_or(self.una, |last| last.0) {
            return None;
        }
        let from = extended.map_or(start, |last| last.1);
        if end != from + u64::from(self.mss) {
            return None;
        }
        let index = position_in(segments, from, self.una, self.mss.into(), |sent| sent.end);
        let sent = segments.get_mut(index).filter(|sent| sent.end == end)?;
        note_selected(sent, &mut self.pipe, &mut self.lost);
        let sent = *sent;
        self.sacked.insert_last(start, end);
        Some(sent)
    }

    /// Takes a selective acknowledgment of `[start, end)`; `each` sees every segment it covers for the first time. A segment that
    /// it covers in part stays as it was. Returns true if there is no such segment.
    #[inline]
    pub fn select(&mut self, start: u64, end: u64, mut each: impl FnMut(&Sent, RateState)) -> bool {
        let (whole_start, whole_end) = self.whole_segments(start.max(self.una), end);
        self.select_whole(whole_start, whole_end, &mut each);
        whole_start <= start.max(self.una) && whole_end >= end
    }

    /// The part of `[start, end)` that consists of whole segments.
    fn whole_segments(&self, start: u64, end: u64) -> (u64, u64) {
        let bounds = |sequence| {
            let index = self.index_of(sequence);
            (index < self.segments.len()).then(|| self.bounds(index))
        };
        if start >= end {
            return (start, end);
        }
        let first = bounds(start).map_or(start, |(from, to)| if from < start { to } else { start });
        let last = bounds(end - 1).map_or(end, |(from, to)| if to > end { from } else { end });
        (first, last)
    }

    fn select_whole(&mut self, start: u64, end: u64, each: &mut impl FnMut(&Sent, RateState)) {
        let RetransmissionQueue { sacked, segments, una, mss, pipe, lost, walks, .. } = self;
        let (_, steps) = sacked.insert(start, end, |from, to| {
            let mut index = position(segments, from, *una, (*mss).into());
            while let Some(sent) = segments.get_mut(index)
                && sent.end <= to
            {
                note_selected(sent, pipe, lost);
                each(&segments[index], segments.state(index));
                index += 1;
            }
        });
        walks.add(steps);
    }
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
