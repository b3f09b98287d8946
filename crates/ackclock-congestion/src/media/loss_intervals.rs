//! The average loss interval (RFC 5348, 5.4), in packets.

use std::collections::VecDeque;

/// The closed intervals in the average.
const COUNT: usize = 8;

/// The intervals between lost packets. Each lost packet begins one, without the loss events of RFC 5348.
#[derive(Clone, Debug, Default)]
pub(super) struct LossIntervals {
    /// Packets since the latest loss, that one included, or since the beginning.
    open: u64,
    /// The most recent first.
    closed: VecDeque<u64>,
}

/// The weight of the i-th interval, counted from the most recent.
fn weight(i: usize) -> f64 {
    if 2 * i < COUNT { 1.0 } else { 2.0 * (COUNT - i) as f64 / (COUNT as f64 + 2.0) }
}

impl LossIntervals {
    /// The next packet has arrived or is lost.
    pub fn note(&mut self, is_lost: bool) {
        if is_lost {
            self.closed.push_front(self.open);
            self.closed.truncate(COUNT);
            self.open = 0;
        }
        self.open += 1;
    }

    /// The average of the closed intervals; none before any loss. The open one does not count: a loss would never expire.
    pub fn average(&self) -> Option<f64> {
        let (mut sum, mut weights) = (0.0, 0.0);
        for (i, length) in self.closed.iter().enumerate() {
            sum += weight(i) * *length as f64;
            weights += weight(i);
        }
        (weights > 0.0).then(|| sum / weights)
    }

    /// Packets since the latest loss, that one included.
    pub fn open(&self) -> u64 {
        self.open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A packet of a hundred is lost: intervals of a hundred packets.
    #[test]
    fn regular_losses_have_their_distance_as_average() {
        let mut intervals = LossIntervals::default();
        assert_eq!(intervals.average(), None);
        for packet in 1..=2001 {
            intervals.note(packet % 100 == 1 && packet > 1);
        }
        assert_eq!(intervals.average(), Some(100.0));
        assert_eq!(intervals.open(), 1);
        // One of 400 among eight counts with a weight of 1 of 6: (400 + 5 * 100) / 6.
        (1..400).for_each(|_| intervals.note(false));
        intervals.note(true);
        assert!((intervals.average().unwrap() - 150.0).abs() < 1e-9);
    }
}
