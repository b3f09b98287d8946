//! The reassembly queue: data that arrived beyond a gap, and the blocks of it that acknowledgments report.

use crate::wire::SackBlocks;

use super::super::mechanism::sequence_ranges::SequenceRanges;
use super::super::step_count::LongWalks;

/// The data held out of order. A receiver has it from its first gap on.
#[derive(Clone, Debug, Default)]
pub(super) struct Reassembly {
    held: SequenceRanges,
    /// The sequence numbers that it holds.
    bytes: u64,
    /// The blocks changed lately, the latest first (RFC 2018, 4: repeat the most recent blocks); `(0, 0)` for none.
    recent: [(u64, u64); SackBlocks::MAX],
    /// The number of blocks in `recent`.
    noted: u8,
    walks: LongWalks,
}

impl Reassembly {
    /// Holds `[start, end)` if it lies above all that is held or extends the highest block, which is the usual
    /// case.
    #[inline]
    pub fn hold_last(&mut self, start: u64, end: u64) -> bool {
        let top = self.held.last().map_or(start, |(_, top)| top.max(start));
        let Some(block) = self.held.insert_last(start, end) else { return false };
        self.bytes += end - top;
        if self.recent[0].0 == block.0 {
            self.recent[0] = block;
        } else {
            self.remember(block);
        }
        true
    }

    /// Holds `[start, end)`. Returns the number of its parts that are new.
    pub fn hold(&mut self, start: u64, end: u64) -> u64 {
        let (mut parts, mut bytes) = (0, 0);
        let (block, steps) = self.held.insert(start, end, |from, to| {
            parts += 1;
            bytes += to - from;
        });
        self.bytes += bytes;
        self.walks.add(steps);
        self.remember(block);
        parts
    }

    /// The steps of long walks since the last call.
    pub fn take_walked(&mut self) -> u32 {
        self.walks.take()
    }

    /// True if nothing is held.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// True if all of `[start, end)` is held.
    pub fn contains(&self, start: u64, end: u64) -> bool {
        self.held.containing(start).is_some_and(|block| end <= block.1)
    }

    /// The bytes that are held; a FIN counts as one.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Removes the data that is in order from `next` on. Returns the next byte expected behind it.
    pub fn take(&mut self, next: u64) -> u64 {
        let next = self.held.containing(next).map_or(next, |(_, end)| end);
        let taken = self.held.iter().take_while(|(start, _)| *start < next);
        self.bytes -= taken.map(|(start, end)| end - start).sum::<u64>();
        self.held.remove_below(next);
        self.forget_below(next);
        next
    }

    /// The blocks to report above an acknowledgment, each once: the latest first, and if fewer were noted
    /// than fit into `room`, the lowest of the others (RFC 2018, 4: as many as possible). A report of data
    /// that arrived again comes first (RFC 2883, 4).
    #[inline]
    pub fn sack_blocks(&self, acknowledgment: u64, room: usize, duplicate: Option<(u64, u64)>) -> SackBlocks {
        let noted = usize::from(self.noted);
        if let Some(duplicate) = duplicate {
            let recent = self.recent[..noted].iter().copied();
            return SackBlocks::with_duplicate(acknowledgment, duplicate, recent.take(room - 1));
        }
        let recent = self.recent[..noted.min(room)].iter().copied();
        if noted >= room.min(self.held.len()) {
            return SackBlocks::of(acknowledgment, recent);
        }
        let others = self.held.iter().filter(|block| !self.recent.contains(block));
        SackBlocks::of(acknowledgment, recent.chain(others).take(room))
    }

    /// Notes a block as the latest, and drops the notes of blocks that are part of it now.
    fn remember(&mut self, block: (u64, u64)) {
        let mut kept = [(0, 0); SackBlocks::MAX];
        kept[0] = block;
        let mut count = 1;
        for old in self.recent {
            let is_part = block.0 <= old.0 && old.1 <= block.1;
            if count < kept.len() && old.1 > 0 && !is_part {
                kept[count] = old;
                count += 1;
            }
        }
        self.recent = kept;
        self.noted = count as u8;
    }

    /// Drops the notes of blocks below `bound`.
    fn forget_below(&mut self, bound: u64) {
        let mut count = 0;
        for index in 0..self.recent.len() {
            if self.recent[index].1 > bound {
                self.recent[count] = self.recent[index];
                count += 1;
            }
        }
        self.recent[count..].fill((0, 0));
        self.noted = count as u8;
    }
}
