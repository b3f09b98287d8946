use std::collections::VecDeque;

use super::super::step_count;
use super::rewind::rewind;

/// Sorted, disjoint, non-adjacent ranges `[start, end)` of sequence numbers: data that a receiver holds out of order,
/// or that a sender has seen selectively acknowledged.
///
/// The highest range is stored inline, since nearly every segment extends it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SequenceRanges {
    /// The highest range; empty only if there is none.
    last: Range,
    /// The ranges below it. Adding or removing a range near either end moves few others, and acknowledgments mostly
    /// come in order.
    below: VecDeque<Range>,
}

type Range = (u64, u64);

/// Only unusually many losses cause more ranges than this at once.
const MANY: usize = 16;

impl SequenceRanges {
    /// Adds `[start, end)` if it lies above all that is held or extends the highest range, which is the usual case.
    /// Returns the range that holds it now.
    #[inline]
    pub fn insert_last(&mut self, start: u64, end: u64) -> Option<Range> {
        step_count::count(1);
        if self.is_empty() || start > self.last.1 {
            self.raise((start, end));
        } else if start < self.last.0 || end <= self.last.1 {
            return None;
        } else {
            self.last.1 = end;
        }
        Some(self.last)
    }

    /// Adds a range above all others.
    #[inline]
    fn raise(&mut self, last: Range) {
        if !self.is_empty() {
            self.below.push_back(self.last);
        }
        self.last = last;
    }

    /// Adds `[start, end)` and reports each part of it that was not held before, in order. Returns the range that
    /// holds it now, and the number of steps taken, which may be as large as the number of ranges.
    pub fn insert(&mut self, start: u64, end: u64, mut newly: impl FnMut(u64, u64)) -> (Range, usize) {
        if start >= end {
            return ((start, end), 0);
        }
        // Moves the highest range to the list, which is searched as a whole.
        self.raise((u64::MAX, u64::MAX));
        let ranges = &mut self.below;
        let first = first_where(ranges, |range| range.1 >= start);
        let mut merged = (start, end);
        let mut uncovered = start;
        let mut after = first;
        while let Some(&(from, to)) = ranges.get(after)
            && from <= end
        {
            if uncovered < from {
                newly(uncovered, from);
            }
            uncovered = uncovered.max(to);
            merged = (merged.0.min(from), merged.1.max(to));
            after += 1;
        }
        if uncovered < end {
            newly(uncovered, end);
        }
        let steps = first.min(ranges.len() - after) + after - first;
        step_count::count(steps);
        if first == after {
            ranges.insert(first, merged);
        } else {
            ranges[first] = merged;
            if first + 1 < after {
                ranges.drain(first + 1..after);
            }
        }
        self.last = self.below.pop_back().unwrap_or_default();
        rewind(&mut self.below);
        (merged, steps)
    }

    /// Forgets `[start, end)`. It takes a step for each range.
    #[cold]
    pub fn remove(&mut self, start: u64, end: u64) {
        if start >= end {
            return;
        }
        step_count::count(self.len());
        let parts = |(from, to): Range| [(from, to.min(start)), (from.max(end), to)];
        let mut kept: VecDeque<Range> = self.iter().flat_map(parts).filter(|(from, to)| from < to).collect();
        self.last = kept.pop_back().unwrap_or_default();
        self.below = kept;
    }

    /// Forgets everything below `bound`.
    pub fn remove_below(&mut self, bound: u64) {
        while let Some(first) = self.below.front_mut() {
            step_count::count(1);
            if first.1 > bound {
                first.0 = first.0.max(bound);
                return;
            }
            self.below.pop_front();
        }
        rewind(&mut self.below);
        step_count::count(1);
        self.last =
            if self.last.1 > bound { (self.last.0.max(bound), self.last.1) } else { Range::default() };
        // Very many losses at once are rare.
        if self.below.capacity() > MANY && self.is_empty() {
            self.below = VecDeque::new();
        }
    }

    /// Releases memory that is not in use.
    pub fn release(&mut self) {
        self.below.shrink_to_fit();
    }

    /// The range that holds `sequence`.
    #[inline]
    pub fn containing(&self, sequence: u64) -> Option<Range> {
        let range = if sequence >= self.last.0 {
            self.last
        } else {
            *self.below.get(first_where(&self.below, |range| range.1 > sequence))?
        };
        (range.0 <= sequence && sequence < range.1).then_some(range)
    }

    /// [`containing`](Self::containing) for one sequence number after another, each above the one before: the search goes on at
    /// `place`, which is none at first.
    #[inline]
    pub fn containing_next(&self, place: &mut Option<usize>, sequence: u64) -> Option<Range> {
        let range = if sequence >= self.last.0 {
            self.last
        } else {
            let place = place.get_or_insert_with(|| first_where(&self.below, |range| range.1 > sequence));
            while self.below.get(*place)?.1 <= sequence {
                step_count::count(1);
                *place += 1;
            }
            self.below[*place]
        };
        (range.0 <= sequence && sequence < range.1).then_some(range)
    }

    /// The ranges, lowest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Range> {
        self.below.iter().copied().chain(self.last())
    }

    /// The highest range.
    #[inline]
    pub fn last(&self) -> Option<Range> {
        (!self.is_empty()).then_some(self.last)
    }

    /// The number of ranges.
    #[inline]
    pub fn len(&self) -> usize {
        self.below.len() + usize::from(!self.is_empty())
    }

    /// True if nothing is held.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.last.1 == 0
    }
}

/// The position of the first range for which `is` holds. `is` must hold for all later ranges, too.
fn first_where(ranges: &VecDeque<Range>, is: impl Fn(&Range) -> bool) -> usize {
    step_count::count(ranges.len().checked_ilog2().map_or(0, |log| log as usize + 1));
    ranges.partition_point(|range| !is(range))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_range_that_bridges_two_reports_only_the_gap() {
        let mut ranges = SequenceRanges::default();
        ranges.insert(10, 20, |_, _| {});
        ranges.insert(30, 40, |_, _| {});
        let mut new = Vec::new();
        ranges.insert(15, 35, |from, to| new.push((from, to)));
        assert_eq!(new, [(20, 30)]);
        assert_eq!(ranges.iter().collect::<Vec<_>>(), [(10, 40)]);
        assert_eq!(ranges.containing(39), Some((10, 40)));
        assert_eq!(ranges.containing(40), None);
        ranges.remove_below(25);
        assert_eq!(ranges.iter().collect::<Vec<_>>(), [(25, 40)]);
    }

    proptest! {
        #[test]
        fn it_is_a_set_of_bytes(operations in prop::collection::vec((0_u64..60, 1_u64..12, 0..4), 1..40)) {
            let mut ranges = SequenceRanges::default();
            let mut bytes = std::collections::BTreeSet::new();
            for (start, length, kind) in operations {
                if kind == 0 {
                    ranges.remove_below(start);
                    bytes.retain(|byte| *byte >= start);
                } else if kind == 1 {
                    ranges.remove(start, start + length);
                    bytes.retain(|byte| !(start..start + length).contains(byte));
                } else {
                    let mut new = Vec::new();
                    let mut copy = ranges.clone();
                    let (range, _) = ranges.insert(start, start + length, |from, to| new.extend(from..to));
                    if let Some(last) = copy.insert_last(start, start + length) {
                        prop_assert_eq!((last, copy), (range, ranges.clone()));
                        prop_assert_eq!(new.last(), Some(&(start + length - 1)));
                    }
                    prop_assert!(range.0 <= start && start + length <= range.1);
                    prop_assert_eq!(ranges.containing(start), Some(range));
                    let mut place = None;
                    let one_by_one = (0..80).step_by(3).map(|at| ranges.containing_next(&mut place, at));
                    prop_assert!(one_by_one.eq((0..80).step_by(3).map(|at| ranges.containing(at))));
                    let expected: Vec<u64> = (start..start + length).filter(|byte| bytes.insert(*byte)).collect();
                    prop_assert_eq!(new, expected);
                }
                let held: Vec<u64> = ranges.iter().flat_map(|range| range.0..range.1).collect();
                prop_assert_eq!(held, bytes.iter().copied().collect::<Vec<_>>());
                prop_assert!(ranges.iter().zip(ranges.iter().skip(1)).all(|(one, next)| one.1 < next.0));
            }
        }
    }
}
