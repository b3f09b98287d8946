//! The largest of the samples of the last `n` round trips.

use std::collections::VecDeque;

/// A round and a value.
type Sample = (u64, f64);

/// A windowed maximum over packet-timed round trips. Only samples that may still become the largest are kept: from the first to
/// the last, rounds rise and values fall.
#[derive(Clone, Debug)]
pub(crate) struct MaxFilter {
    first: Sample,
    /// The latest sample, which is also the first if there is only one.
    last: Sample,
    /// The samples between the two ends. Few windows have any, so only the ends are stored inline.
    between: VecDeque<Sample>,
}

impl Default for MaxFilter {
    fn default() -> MaxFilter {
        let none = (0, f64::NEG_INFINITY);
        MaxFilter { first: none, last: none, between: VecDeque::new() }
    }
}

impl MaxFilter {
    /// Takes a sample of this round, forgets samples more than `window` rounds old, and returns the largest.
    #[inline]
    pub fn update(&mut self, window: u64, round: u64, value: f64) -> f64 {
        // Fast path: a smaller sample of the same round cannot become the maximum.
        if round - self.first.0 <= window && self.last.0 >= round && self.last.1 >= value {
            return self.first.1;
        }
        self.take(window, (round, value))
    }

    /// Takes a sample that may become the largest, or that begins a round.
    #[inline(never)]
    fn take(&mut self, window: u64, sample: Sample) -> f64 {
        let (round, value) = sample;
        while round - self.first.0 > window && self.first.1 > self.last.1 {
            self.first = self.between.pop_front().unwrap_or(self.last);
        }
        let is_expired = round - self.first.0 > window;
        if !is_expired && self.last.0 >= round && self.last.1 >= value {
            return self.first.1;
        }
        if is_expired || self.first.1 <= value {
            self.between.clear();
            self.first = sample;
        } else if self.last.1 > value {
            if self.first.1 > self.last.1 {
                self.between.push_back(self.last);
            }
        } else {
            while self.between.back().is_some_and(|(_, smaller)| *smaller <= value) {
                self.between.pop_back();
            }
        }
        self.last = sample;
        self.first.1
    }

    /// Multiplies all samples by a positive `ratio`, which keeps their order.
    pub fn scale(&mut self, ratio: f64) {
        let ends = [&mut self.first, &mut self.last];
        self.between.iter_mut().chain(ends).for_each(|(_, value)| *value *= ratio);
    }
}

#[cfg(test)]
mod tests {
    use core::cmp::Ordering;

    use proptest::prelude::*;

    use super::MaxFilter;

    #[test]
    fn a_maximum_lasts_as_long_as_its_window() {
        let mut filter = MaxFilter::default();
        let found: Vec<f64> = [(0, 5.0), (1, 3.0), (2, 4.0), (3, 1.0), (4, 2.0), (5, 2.0), (6, 1.0)]
            .map(|(round, value)| filter.update(3, round, value))
            .to_vec();
        assert_eq!(found, [5.0, 5.0, 5.0, 5.0, 4.0, 4.0, 2.0]);
    }

    proptest! {
        /// The largest of the samples whose rounds are in the window.
        #[test]
        fn no_sample_of_the_window_is_larger(
            steps in prop::collection::vec((0..3_u64, 0..20_u8), 1..200),
            window in 0..10_u64,
        ) {
            let (mut filter, mut samples, mut round) = (MaxFilter::default(), Vec::new(), 0);
            for (later, value) in steps {
                round += later;
                samples.push((round, f64::from(value)));
                let recent = samples.iter().filter(|(then, _)| round - then <= window);
                let largest = recent.map(|(_, value)| *value).fold(f64::NEG_INFINITY, f64::max);
                let kept = filter.update(window, round, f64::from(value));
                prop_assert_eq!(kept.total_cmp(&largest), Ordering::Equal, "{} for {}", kept, largest);
            }
        }
    }
}
