//! Whether the sender had less to send than it was allowed to (RFC 5348, 8.2.1).

use ackclock_units::Time;

/// Moments at which the rate, and not a lack of data, held the sender back. Two are enough: the first after the
/// interval that the latest feedback covers, and the first after that feedback arrived.
#[derive(Clone, Debug, Default)]
pub(super) struct DataLimited {
    first: Option<Time>,
    second: Option<Time>,
    /// Up to where feedback has covered (`t_new`), and when it came (`t_next`).
    covered: Option<Time>,
    answered: Option<Time>,
}

impl DataLimited {
    /// The sender has sent all it may, and has more.
    pub fn held_back(&mut self, now: Time) {
        if self.first <= self.covered {
            self.first = Some(now);
        } else if self.second <= self.answered {
            self.second = Some(now);
        }
    }

    /// Feedback arrives about the data sent until `sent`: whether the sender was short of data in the whole interval
    /// since what the last one was about.
    pub fn feedback(&mut self, now: Time, sent: Time) -> bool {
        let from = self.covered;
        let sent = Some(sent);
        let within = |moment: Option<Time>| from < moment && moment <= sent;
        let limited = !within(self.first) && !within(self.second);
        if self.first <= sent && self.second > sent {
            self.first = self.second;
        }
        self.covered = sent;
        self.answered = Some(now);
        limited
    }
}
