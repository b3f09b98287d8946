//! The flows from which a packet can be dropped, by the number of their latest packet.

use std::collections::{BinaryHeap, VecDeque};

/// Numbers of packets, of which the greatest is asked for. Some may be out of date: whoever asks says so, and goes on with the
/// next.
///
/// Nearly all are noted in rising order, as packets arrive. A flow whose latest packet was dropped is noted again by an earlier
/// number.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    rising: VecDeque<u64>,
    earlier: BinaryHeap<u64>,
    /// With more than this, `earlier` is looked through for those that are out of date.
    many: usize,
}

/// So many earlier numbers are kept whatever becomes of them.
const FEW: usize = 64;

impl Candidates {
    /// Notes a number. All below `first` are out of date.
    pub(super) fn note(&mut self, number: u64, first: u64) {
        while self.rising.front().is_some_and(|noted| *noted < first) {
            self.rising.pop_front();
        }
        if self.rising.back().is_none_or(|last| number > *last) {
            self.rising.push_back(number);
            return;
        }
        self.earlier.push(number);
        if self.earlier.len() > self.many.max(FEW) {
            self.earlier.retain(|noted| *noted >= first);
            self.many = 2 * self.earlier.len();
        }
    }

    /// The greatest number.
    pub(super) fn greatest(&self) -> Option<u64> {
        self.rising.back().max(self.earlier.peek()).copied()
    }

    /// The greatest number is out of date.
    pub(super) fn forget_greatest(&mut self) {
        if self.rising.back() >= self.earlier.peek() {
            self.rising.pop_back();
        } else {
            self.earlier.pop();
        }
    }
}
