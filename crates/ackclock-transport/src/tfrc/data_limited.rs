//! Data-limited intervals, in which the sender had less to send than its rate allowed (RFC 5348, 4.3 and 8.2.1).

use std::collections::VecDeque;

use ackclock_units::Time;

/// The times at which the rate, not a lack of data, held the sender back, and which no feedback has covered yet.
///
/// The RFC keeps two such times. Two can miss the interval that the next feedback covers when few packets are sent
/// in a round-trip time, so here all are kept.
#[derive(Clone, Debug, Default)]
pub(super) struct DataLimited {
    held_back: VecDeque<Time>,
}

impl DataLimited {
    /// Notes that the sender has sent all that it may, and has more.
    pub fn held_back(&mut self, now: Time) {
        self.held_back.push_back(now);
    }

    /// Takes feedback about the data sent until `sent`. Returns true if the sender lacked data during the whole
    /// interval since the data of the previous feedback.
    pub fn feedback(&mut self, sent: Time) -> bool {
        let limited = self.held_back.front().is_none_or(|moment| *moment > sent);
        while self.held_back.front().is_some_and(|moment| *moment <= sent) {
            self.held_back.pop_front();
        }
        limited
    }
}
