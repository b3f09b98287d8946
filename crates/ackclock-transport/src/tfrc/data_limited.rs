//! Data-limited intervals, in which the sender had less to send than its rate allowed (RFC 5348, 4.3 and 8.2.1).

use std::collections::VecDeque;

use ackclock_units::Time;

/// The times at which the rate, and not a lack of data, held the sender back, and which no feedback has covered.
///
/// The RFC keeps two such times. Two can miss the interval that the next feedback covers when few packets are sent
/// in a round-trip time, so here all are kept.
#[derive(Clone, Debug, Default)]
pub(super) struct DataLimited {
    held_back: VecDeque<Time>,
}

impl DataLimited {
    /// The sender has sent all it may, and has more.
    pub fn held_back(&mut self, now: Time) {
        self.held_back.push_back(now);
    }

    /// Feedback arrives about the data sent until `sent`: whether the sender was short of data in the whole interval
    /// since what the last one was about.
    pub fn feedback(&mut self, sent: Time) -> bool {
        let limited = self.held_back.front().is_none_or(|moment| *moment > sent);
        while self.held_back.front().is_some_and(|moment| *moment <= sent) {
            self.held_back.pop_front();
        }
        limited
    }
}
