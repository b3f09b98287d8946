//! CDG's end of slow start: `HyStart` at any window, in microseconds, with other bounds. All times are in microseconds.

use super::gradients::Extremes;
use crate::facts::Ack;

/// The largest gap of a train of acknowledgments.
const LARGEST_GAP: i64 = 3_000;
/// The least delay by which slow start ends.
const LEAST_DELAY: i64 = 125;
/// Acknowledgments of a round before its delay is tested.
const MIN_SAMPLES: u32 = 8;

/// The last acknowledgment of a train, and its first.
#[derive(Clone, Copy, Debug)]
struct Train {
    last: i64,
    first: i64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct HybridSlowStart {
    by_train: bool,
    by_delay: bool,
    /// The smallest round-trip time in slow start.
    delay_min: Option<i64>,
    train: Option<Train>,
    samples: u32,
}

impl HybridSlowStart {
    pub fn new(detect: u32) -> HybridSlowStart {
        HybridSlowStart {
            by_train: detect & 1 != 0,
            by_delay: detect & 2 != 0,
            delay_min: None,
            train: None,
            samples: 0,
        }
    }

    /// Forgets the delays.
    pub fn restart(&mut self) {
        self.delay_min = None;
        self.end_round();
    }

    pub fn end_round(&mut self) {
        self.train = None;
        self.samples = 0;
    }

    /// True if slow start ends with this acknowledgment. `round` are the round-trip times of the round so far.
    pub fn ends(&mut self, ack: &Ack, round: Option<Extremes>) -> bool {
        if let Some(Extremes { min, .. }) = round {
            self.delay_min = Some(self.delay_min.map_or(min, |least| least.min(min)));
        }
        let Some(least) = self.delay_min else { return false };
        (self.by_train && self.ends_by_train(ack, least))
            || (self.by_delay && self.ends_by_delay(ack, least, round))
    }

    /// A train of acknowledgments is longer than half the smallest delay.
    fn ends_by_train(&mut self, ack: &Ack, least: i64) -> bool {
        let now = (ack.now.as_nanos() / 1_000).cast_signed();
        match &mut self.train {
            Some(train) if ack.window_limited => {
                if now >= train.last + LARGEST_GAP {
                    return false;
                }
                train.last = now;
                now > train.first + (least / 2).max(LEAST_DELAY)
            }
            _ => {
                self.train = Some(Train { last: now, first: now });
                false
            }
        }
    }

    /// The smallest delay of the round is more than an eighth above the smallest of all.
    fn ends_by_delay(&mut self, ack: &Ack, least: i64, round: Option<Extremes>) -> bool {
        if self.samples < MIN_SAMPLES {
            self.samples += ack.acks;
            return false;
        }
        round.is_some_and(|round| round.min > (least + least / 8).max(LEAST_DELAY))
    }
}
