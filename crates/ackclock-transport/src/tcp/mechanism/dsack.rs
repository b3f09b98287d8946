//! Detection of needless retransmissions by duplicates reported (RFC 2883, RFC 3708): where every retransmission of an episode
//! is reported to have arrived again, the originals had arrived too, and nothing was lost.

use ackclock_catalogue::{Entry, Key};

pub(crate) const ENTRY: Entry = Entry {
    kind: "mechanism",
    name: "dsack",
    title: "an episode all of whose retransmissions are reported to have arrived again is undone",
    source: "RFC 2883; RFC 3708",
    table: "tcp",
    keys: &[Key::optional("dsack", "true", "whether duplicates are reported and judged")],
    ..Entry::PLAIN
};

/// The retransmissions of the latest episode.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dsack {
    /// An episode waits for its judgement.
    is_armed: bool,
    /// The network makes copies: a report says nothing of retransmissions any more.
    path_duplicates: bool,
    /// The segments sent again since the episode began, once for each copy, without those reported.
    again: Vec<(u64, u64)>,
    /// Above this nothing had been sent again before.
    again_before: u64,
}

impl Dsack {
    /// An episode begins.
    pub fn arm(&mut self) {
        self.is_armed = true;
        self.again_before = self.again.iter().map(|segment| segment.1).fold(self.again_before, u64::max);
        self.again.clear();
    }

    /// The episode is over, judged or not.
    pub fn disarm(&mut self) {
        self.is_armed = false;
    }

    /// The segment `[start, end)` is sent again.
    pub fn on_retransmission(&mut self, start: u64, end: u64) {
        if !self.path_duplicates {
            self.again.push((start, end));
        }
    }

    /// A duplicate is reported: true if all that the episode sent again was needless. A segment that was sent once is a copy
    /// that the network made, and there may be others (RFC 3708, 3): no episode of this connection is judged any more.
    pub fn is_spurious(&mut self, (start, end): (u64, u64)) -> bool {
        let place = self.again.iter().position(|segment| start <= segment.0 && segment.1 <= end);
        let Some(place) = place else {
            self.path_duplicates |= end > self.again_before;
            return false;
        };
        let segment = self.again.swap_remove(place);
        self.again_before = self.again_before.max(segment.1);
        self.is_armed && !self.path_duplicates && self.again.is_empty()
    }
}
