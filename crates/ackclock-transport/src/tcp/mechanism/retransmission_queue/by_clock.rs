//! The order of transmissions, kept in addition to the queue for recoveries that judge segments by
//! the clock. With it an acknowledgment examines few segments instead of all.

use std::collections::VecDeque;

use super::super::rewind::rewind;
use super::segments::Segments;
use super::sent::{RETRANSMITTED, SentKey};

/// Segments in the order in which they were sent. Segments sent once are in that order in the
/// queue; those sent again are listed here.
#[derive(Clone, Debug, Default)]
pub(super) struct ByClock {
    /// Below this, every segment was selectively acknowledged, declared lost or sent again.
    pub once_from: u64,
    /// The retransmissions. Their fate since is not noted here.
    pub again: VecDeque<SentKey>,
}

impl ByClock {
    /// Returns segments declared lost to the undecided ones.
    pub fn begin_anew(&mut self, una: u64, segments: &Segments) {
        self.once_from = una;
        let again = segments.iter().filter(|sent| sent.has(RETRANSMITTED));
        let mut keys: Vec<SentKey> = again.map(|sent| (sent.at, sent.end)).collect();
        keys.sort_unstable();
        self.again = keys.into();
    }

    /// Forgets the first segments sent again, as far as they are acknowledged.
    pub fn forget_below(&mut self, acknowledgment: u64) {
        while self.again.front().is_some_and(|(_, end)| *end <= acknowledgment) {
            self.again.pop_front();
        }
        rewind(&mut self.again);
    }
}
