//! TCP Fast Start (Padmanabhan and Katz 1998): the packets of an inherited window are marked to be
//! dropped first, and a loss among them ends it.

use std::fmt;

use ackclock_congestion::CongestionControl;

use crate::wire::Header;

/// The first window of a connection that has inherited it.
#[derive(Clone)]
pub(crate) struct FastStart {
    /// The sequence number after its packets.
    end: u64,
    /// The sequence number after the latest data sent.
    sent: u64,
    /// The controller of a connection that takes nothing over.
    pub fallback: Box<dyn CongestionControl>,
}

impl fmt::Debug for FastStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "fast start to {}", self.end)
    }
}

impl FastStart {
    /// A window whose packets lie below `end`.
    pub fn new(end: u64, fallback: Box<dyn CongestionControl>) -> FastStart {
        FastStart { end, sent: 0, fallback }
    }

    /// True if a segment that is sent now is marked: it belongs to the first window and is sent for
    /// the first time.
    pub fn marks(&mut self, header: &Header) -> bool {
        let is_new = header.length > 0 && header.sequence >= self.sent;
        self.sent = self.sent.max(header.end());
        is_new && header.sequence < self.end
    }

    /// True if packets of the first window are not acknowledged.
    pub fn is_under_way(&self, una: u64) -> bool {
        una < self.end
    }
}
