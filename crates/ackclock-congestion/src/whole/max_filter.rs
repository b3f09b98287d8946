//! The largest of the samples of the last so many round trips.

use std::collections::VecDeque;

/// A windowed maximum over packet-timed round trips. Only samples that may still become the largest are kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct MaxFilter {
    /// Round and value; rounds rise and values fall from the front to the back.
    samples: VecDeque<(u64, f64)>,
}

impl MaxFilter {
    /// Takes a sample of this round, forgets those more than `window` rounds old, and says which is the largest.
    #[inline]
    pub fn update(&mut self, window: u64, round: u64, value: f64) -> f64 {
        // Most samples are smaller than another of the same round, which lasts as long, and leave the largest as it is.
        if let (Some((first, largest)), Some((then, latest))) = (self.samples.front(), self.samples.back())
            && round - first <= window
            && *then >= round
            && *latest > value
        {
            return *largest;
        }
        self.take(window, round, value)
    }

    /// Takes a sample that may become the largest, or that begins a round.
    #[inline(never)]
    fn take(&mut self, window: u64, round: u64, value: f64) -> f64 {
        while self.samples.front().is_some_and(|(then, _)| round - then > window) {
            self.samples.pop_front();
        }
        if self.samples.back().is_some_and(|(then, latest)| *then >= round && *latest > value) {
            return self.samples[0].1;
        }
        while self.samples.back().is_some_and(|(_, smaller)| *smaller <= value) {
            self.samples.pop_back();
        }
        self.samples.push_back((round, value));
        self.samples[0].1
    }

    /// Multiplies all samples by a positive `ratio`, which keeps their order.
    pub fn scale(&mut self, ratio: f64) {
        self.samples.iter_mut().for_each(|(_, value)| *value *= ratio);
    }
}

#[cfg(test)]
mod tests {
    use super::MaxFilter;

    #[test]
    fn a_maximum_lasts_as_long_as_its_window() {
        let mut filter = MaxFilter::default();
        let found: Vec<f64> = [(0, 5.0), (1, 3.0), (2, 4.0), (3, 1.0), (4, 2.0), (5, 2.0), (6, 1.0)]
            .map(|(round, value)| filter.update(3, round, value))
            .to_vec();
        assert_eq!(found, [5.0, 5.0, 5.0, 5.0, 4.0, 4.0, 2.0]);
    }
}
