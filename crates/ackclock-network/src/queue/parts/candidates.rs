//! A priority queue of the flows from which `budgets` may drop, by the arrival number of their latest packet.

use std::collections::{BinaryHeap, VecDeque};

/// A priority queue of arrival numbers, greatest first, with lazy deletion: an outdated number stays until it is the
/// greatest, and then the caller removes it.
///
/// Nearly all numbers are added in rising order, as packets arrive; these lie in a list. A flow whose latest packet
/// was dropped is added again under an earlier number; these numbers lie in a heap.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    rising: VecDeque<u64>,
    earlier: BinaryHeap<u64>,
    /// The length of `earlier` at which outdated numbers are removed from it.
    many: usize,
}

/// The least such length.
const FEW: usize = 64;

impl Candidates {
    /// Adds a number. All numbers below `first` are outdated.
    pub(crate) fn note(&mut self, number: u64, first: u64) {
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
    pub(crate) fn greatest(&self) -> Option<u64> {
        self.rising.back().max(self.earlier.peek()).copied()
    }

    /// Removes the greatest number, which is outdated.
    pub(crate) fn forget_greatest(&mut self) {
        if self.rising.back() >= self.earlier.peek() {
            self.rising.pop_back();
        } else {
            self.earlier.pop();
        }
    }
}
