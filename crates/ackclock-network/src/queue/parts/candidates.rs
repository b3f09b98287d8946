//! A priority queue of the flows from which `budgets` may drop, by the arrival number of their latest packet.

use std::collections::{BinaryHeap, VecDeque};

/// A priority queue of numbers of packets, greatest first, with lazy deletion: a number that is out of date stays until it is the
/// greatest, and the caller removes it then. There are no more numbers than places between the first and the last packet, and in
/// the heap twice as many.
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
    /// Adds a number. All below `first` and above `last` are out of date.
    pub(crate) fn note(&mut self, number: u64, (first, last): (u64, u64)) {
        while self.rising.front().is_some_and(|noted| *noted < first) {
            self.rising.pop_front();
        }
        while self.rising.back().is_some_and(|noted| *noted > last) {
            self.rising.pop_back();
        }
        match self.rising.back() {
            Some(latest) if number == *latest => {}
            Some(latest) if number < *latest => self.note_earlier(number, (first, last)),
            _ => self.rising.push_back(number),
        }
    }

    fn note_earlier(&mut self, number: u64, (first, last): (u64, u64)) {
        self.earlier.push(number);
        if self.earlier.len() > self.many.max(FEW) {
            let mut noted = std::mem::take(&mut self.earlier).into_vec();
            noted.retain(|noted| (first..=last).contains(noted));
            noted.sort_unstable();
            noted.dedup();
            self.many = 2 * noted.len();
            self.earlier = noted.into();
        }
    }

    /// The numbers held, of which many may be out of date.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.rising.len() + self.earlier.len()
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
