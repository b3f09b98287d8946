//! The byte counters of Accurate ECN (RFC 9768, 3.2.3): payload bytes by the codepoint with which they arrived, in an
//! option of acknowledgments. They show how often the three-bit counter of packets has cycled.

use ackclock_catalogue::Entry;

use crate::tcp::settings::Settings;
use crate::wire::ByteCounters;

pub(crate) const ENTRY: Entry = Entry {
    kind: "mechanism",
    name: "accecn-option",
    title: "acknowledgments count bytes by codepoint, which resolves a counter of marks that has cycled unseen",
    source: "RFC 9768, 3.2.3 and A.2.2",
    table: "tcp",
    keys: &[Settings::switch("accecn_option")],
    ..Entry::PLAIN
};

/// The marks of a cycle of the counter of packets: DIVACE.
pub(super) const CYCLE: u32 = 8;

/// The initial value of the counter of ECN-capable bytes (3.2.1), which reveals an option that was zeroed. The counter
/// of marked bytes begins at zero.
const INITIAL: u32 = 1;

/// The receiver's counters: `r.e0b` or `r.e1b`, and `r.ceb`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BytesReceived {
    capable: u32,
    /// None before the first marked byte.
    marked: Option<u32>,
    /// True if a counter has changed since the last acknowledgment.
    has_changed: bool,
    /// True if the latest segment has the option.
    is_due: bool,
}

impl Default for BytesReceived {
    fn default() -> BytesReceived {
        BytesReceived { capable: INITIAL, marked: None, has_changed: false, is_due: false }
    }
}

impl BytesReceived {
    /// Data arrives.
    pub fn on_data(&mut self, length: u16, capable: bool, marked: bool) {
        let add = |count: u32| (count + u32::from(length)) % ByteCounters::MODULUS;
        if marked {
            self.marked = Some(add(self.marked.unwrap_or(0)));
        } else if capable {
            self.capable = add(self.capable);
        }
        self.has_changed |= marked || capable;
    }

    /// Notes that an acknowledgment is made. It has the option if any counter has changed since the last
    /// acknowledgment, with every counter that has ever changed (3.2.3.3, recommended simple scheme).
    pub fn on_ack(&mut self) {
        self.is_due = std::mem::take(&mut self.has_changed);
    }

    /// True if the latest segment has the option.
    pub fn is_due(&self) -> bool {
        self.is_due
    }

    /// The option of the latest segment, if it has one, in a flow with ECT(0).
    pub fn take(&mut self) -> Option<ByteCounters> {
        let counters = ByteCounters { capable: self.capable, marked: self.marked, is_ect1: false };
        std::mem::take(&mut self.is_due).then_some(counters)
    }
}

/// The sender's counter of marked bytes (`s.ceb`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BytesReported {
    /// Payload bytes of a full segment.
    mss: u32,
    marked: u32,
    /// Marks counted from acknowledgments without the option, since the last one with it.
    counted: u32,
    /// The counter in the present acknowledgment, if that has the option.
    arrived: Option<u32>,
}

impl BytesReported {
    /// Keeps the counters of an acknowledgment that arrives. Segments have `mss` bytes.
    pub fn keep(&mut self, counters: &ByteCounters, mss: u16) {
        self.mss = u32::from(mss);
        self.arrived = Some(counters.marked.unwrap_or(0));
    }

    /// Discards the counters of an old acknowledgment.
    pub fn discard(&mut self) {
        self.arrived = None;
    }

    /// The marks of an acknowledgment with the option, whose field ACE has moved by `least`: the smallest number that
    /// the field permits and that suffices for the marked bytes. Appendix A.2.2 chooses between the smallest and the
    /// largest number; with nearly full segments this is exact in between, too.
    pub fn resolve(&mut self, least: u32) -> Option<u32> {
        let arrived = self.arrived.take()?;
        let bytes = (arrived + ByteCounters::MODULUS - self.marked) % ByteCounters::MODULUS;
        self.marked = arrived;
        let explained = (std::mem::take(&mut self.counted) + least).saturating_mul(self.mss);
        let cycles = bytes.saturating_sub(explained).div_ceil(CYCLE * self.mss);
        Some(least + cycles * CYCLE)
    }

    /// Notes that an acknowledgment without the option counted as this many marks.
    pub fn count(&mut self, marks: u32) {
        self.counted += marks;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u16 = 1460;

    fn counters(capable: u32, marked: Option<u32>) -> ByteCounters {
        ByteCounters { capable, marked, is_ect1: false }
    }

    fn reported(bytes: u32) -> BytesReported {
        let mut reported = BytesReported::default();
        reported.keep(&counters(1, Some(bytes)), MSS);
        reported
    }

    /// The three examples of A.2.2, with segments of 1460 bytes: no mark by the field cannot be; two suffice; seven suffice.
    #[test]
    fn bytes_say_how_often_the_field_cycled() {
        for (least, bytes, marks) in [(0, 1460, 8), (2, 1460, 2), (7, 10_200, 7), (2, 10 * 1460, 10)] {
            assert_eq!(reported(bytes).resolve(least), Some(marks), "{least} and {bytes} bytes");
        }
        // Between the fewest, 2, and the most that 30 packets permit, 26.
        assert_eq!(reported(18 * 1460).resolve(2), Some(18));
    }

    /// A.1: a counter of 33,554,433 bytes and a field of 1461 are 1460 bytes more.
    #[test]
    fn the_counter_wraps_at_24_bits() {
        let mut bytes = reported(1);
        bytes.resolve(1);
        bytes.keep(&counters(1, Some(1461)), MSS);
        assert_eq!(bytes.resolve(0), Some(8));
        let mut received = BytesReceived::default();
        for _ in 0..(1 << 24) / 1024 {
            received.on_data(1024, true, true);
        }
        received.on_ack();
        assert_eq!(received.take(), Some(counters(1, Some(0))));
    }

    /// 3.2.3.3: one field while nothing was marked, then two; none if nothing has changed.
    #[test]
    fn an_acknowledgment_has_the_counters_that_have_ever_changed() {
        let mut received = BytesReceived::default();
        received.on_data(1000, true, false);
        received.on_ack();
        assert_eq!(received.take(), Some(counters(1001, None)));
        received.on_data(1000, true, true);
        received.on_data(1000, true, false);
        received.on_ack();
        assert_eq!(received.take(), Some(counters(2001, Some(1000))));
        received.on_data(1000, false, false);
        received.on_ack();
        assert_eq!(received.take(), None);
    }
}
