//! The average loss interval (RFC 5348, 5.4), in packets.

use std::collections::VecDeque;

use crate::interval_weight::interval_weight;

/// The closed intervals in the average.
const COUNT: usize = 8;

/// The intervals between lost packets. Each lost packet begins one, without the loss events of RFC 5348.
///
/// Their lengths are differences of sequence numbers, so that packets of which no feedback tells count too.
#[derive(Clone, Debug, Default)]
pub(super) struct LossIntervals {
    /// The first packet of the open interval: the latest lost one, or the first of all.
    begun: Option<u64>,
    highest: u64,
    /// The most recent first.
    closed: VecDeque<u64>,
}

impl LossIntervals {
    /// A packet, higher than those before, has arrived or is lost.
    pub fn note(&mut self, sequence: u64, is_lost: bool) {
        let begun = self.begun.get_or_insert(sequence);
        if is_lost {
            self.closed.push_front(sequence - *begun);
            self.closed.truncate(COUNT);
            *begun = sequence;
        }
        self.highest = sequence;
    }

    /// The average of the closed intervals; none before any loss. The open one does not count: a loss would never expire.
    pub fn average(&self) -> Option<f64> {
        let (mut sum, mut weights) = (0.0, 0.0);
        for (i, length) in self.closed.iter().enumerate() {
            let weight = interval_weight(i, COUNT);
            sum += weight * *length as f64;
            weights += weight;
        }
        (weights > 0.0).then(|| sum / weights)
    }

    /// Packets after the latest lost one.
    pub fn since_loss(&self) -> u64 {
        self.begun.map_or(0, |begun| self.highest - begun)
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
        for packet in 0..2001 {
            intervals.note(packet, packet % 100 == 0 && packet > 0);
        }
        assert_eq!(intervals.average(), Some(100.0));
        assert_eq!(intervals.since_loss(), 0);
        // One of 400 among eight counts with a weight of 1 of 6: (400 + 5 * 100) / 6.
        (2001..2400).for_each(|packet| intervals.note(packet, false));
        assert_eq!(intervals.since_loss(), 399);
        intervals.note(2400, true);
        assert!((intervals.average().unwrap() - 150.0).abs() < 1e-9);
    }

    /// Of packets 11 to 59 no feedback tells, and 60 is lost after 10: RFC 5348, 5.2, counts by sequence numbers.
    #[test]
    fn packets_of_which_no_feedback_tells_count() {
        let mut intervals = LossIntervals::default();
        (0..11).for_each(|packet| intervals.note(packet, packet == 10));
        intervals.note(60, true);
        assert_eq!(intervals.average(), Some(30.0));
    }
}
