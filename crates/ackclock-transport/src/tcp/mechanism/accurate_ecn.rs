//! Accurate ECN (RFC 9768): a counter of marked packets in the flags AE, CWR and ECE of acknowledgments, the field ACE.
//! The byte counters of acknowledgments are in `byte_counters.rs`.

use super::byte_counters::{BytesReported, CYCLE};

/// The initial value of both counters (3.2.1).
const INITIAL: u8 = 5;

/// The largest number of the field, which counts modulo eight.
const LARGEST: u8 = 7;

/// An acknowledgment is due when this many marks have arrived since the last (3.2.2.5.1, increment-triggered).
const MARKS_PER_ACK: u8 = 2;

/// The receiver's counter of marked packets (`r.cep`). The field has its lowest three bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MarksReceived {
    count: u8,
    /// Marks since the latest acknowledgment.
    since_ack: u8,
    /// True if the latest packet was marked.
    was_marked: bool,
}

impl Default for MarksReceived {
    fn default() -> MarksReceived {
        MarksReceived { count: INITIAL, since_ack: 0, was_marked: false }
    }
}

impl MarksReceived {
    /// Counts data that arrives. Returns true if it is acknowledged at once: the first marked packet after an unmarked
    /// one, and every second marked packet (3.2.2.5.1).
    pub fn on_data(&mut self, marked: bool) -> bool {
        let begins = marked && !self.was_marked;
        self.was_marked = marked;
        self.count = (self.count + u8::from(marked)) & LARGEST;
        self.since_ack = self.since_ack.saturating_add(u8::from(marked));
        begins || self.since_ack >= MARKS_PER_ACK
    }

    /// The field ACE of an acknowledgment that is sent now.
    pub fn on_ack(&mut self) -> u8 {
        self.since_ack = 0;
        self.count
    }
}

/// The sender's counter of marked packets (`s.cep`), modulo eight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MarksReported {
    count: u8,
    /// True if the latest acknowledgment of new data reported marks.
    was_marked: bool,
}

impl Default for MarksReported {
    fn default() -> MarksReported {
        MarksReported { count: INITIAL, was_marked: false }
    }
}

impl MarksReported {
    /// The marks that an acknowledgment with this field reports, which newly acknowledges this many packets.
    ///
    /// With more than seven packets the counter may have cycled, if acknowledgments were lost or thinned out. "The Data
    /// Sender SHOULD deem whether it cycled by taking the safest likely case under the prevailing conditions" (3.2.2.5.2):
    /// while packets are being marked, that is the largest number of marks that the field and the packets permit
    /// (A.2.1). If the acknowledgment has byte counters, they show how often the counter cycled (A.2.2).
    pub fn take(&mut self, ace: u8, delivered: u32, mut bytes: Option<&mut BytesReported>) -> u32 {
        if delivered == 0 {
            // It may be an old acknowledgment that was overtaken (A.1).
            if let Some(bytes) = bytes {
                bytes.discard();
            }
            return 0;
        }
        let least = u32::from(ace.wrapping_sub(self.count) & LARGEST);
        let prevails = least > 0 || self.was_marked;
        (self.count, self.was_marked) = (ace & LARGEST, least > 0);
        if let Some(marks) = bytes.as_mut().and_then(|bytes| bytes.resolve(least)) {
            return marks;
        }
        let hides_cycles = prevails && delivered > u32::from(LARGEST);
        let marks = if hides_cycles { delivered - (delivered - least) % CYCLE } else { least };
        if let Some(bytes) = bytes {
            bytes.count(marks);
        }
        marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::ByteCounters;

    /// Each mark adds one to the field, which begins with five and is zero after seven.
    #[test]
    fn the_field_counts_modulo_eight() {
        let mut received = MarksReceived::default();
        let mut reported = MarksReported::default();
        let mut total = 0;
        for marks in [1, 2, 3, 0, 7, 1] {
            (0..marks).for_each(|_| {
                received.on_data(true);
            });
            total += reported.take(received.on_ack(), 7, None);
        }
        assert_eq!(total, 14);
        assert_eq!(received.on_ack(), (5 + 14) % 8);
    }

    /// The example of A.2: the field has moved by two and the acknowledgment is of ten packets, so that it may have been ten marks.
    #[test]
    fn a_cycle_that_may_have_been_hidden_is_counted() {
        let mut reported = MarksReported::default();
        assert_eq!(reported.take(7, 10, None), 10);
        assert_eq!(reported.take(7, 16, None), 16, "marks prevailed");
        let mut reported = MarksReported::default();
        assert_eq!(reported.take(5, 16, None), 0, "no mark was reported, and none before");
        assert_eq!(reported.take(0, 7, None), 3, "seven packets hide no cycle");
    }

    /// An acknowledgment of nothing new may be old.
    #[test]
    fn an_acknowledgment_of_nothing_new_says_nothing() {
        let mut reported = MarksReported::default();
        assert_eq!(reported.take(6, 2, None), 1);
        assert_eq!(reported.take(5, 0, None), 0);
        assert_eq!(reported.take(7, 1, None), 1);
    }

    /// 3.2.2.5.1: the change to marked packets, and each second mark, are acknowledged at once.
    #[test]
    fn a_change_and_every_second_mark_are_acknowledged_at_once() {
        let mut received = MarksReceived::default();
        let mut at_once = |marked: bool| {
            let due = received.on_data(marked);
            if due {
                received.on_ack();
            }
            due
        };
        let expected =
            [(false, false), (true, true), (true, false), (true, true), (false, false), (true, true)];
        for (marked, due) in expected {
            assert_eq!(at_once(marked), due);
        }
    }

    const MSS: u16 = 1460;

    fn counters(marked: u32) -> ByteCounters {
        ByteCounters { capable: 1, marked: Some(marked), is_ect1: false }
    }

    fn reported_bytes(marked: u32) -> BytesReported {
        let mut reported = BytesReported::default();
        reported.keep(&counters(marked), MSS);
        reported
    }

    /// By A.2.1 an acknowledgment of ten packets with two marks may have ten. With 2920 bytes it has two.
    #[test]
    fn two_marks_of_ten_packets_stay_two() {
        let mut marks = MarksReported::default();
        assert_eq!(marks.take(7, 10, Some(&mut reported_bytes(2 * 1460))), 2);
        let mut marks = MarksReported::default();
        assert_eq!(marks.take(7, 10, Some(&mut BytesReported::default())), 10);
    }

    /// An acknowledgment without the option is taken for three marks by its field. The next counter has their bytes, too.
    #[test]
    fn marks_counted_without_the_option_are_not_counted_again() {
        let (mut marks, mut bytes) = (MarksReported::default(), BytesReported::default());
        assert_eq!(marks.take(0, 5, Some(&mut bytes)), 3);
        bytes.keep(&counters(4 * 1460), MSS);
        assert_eq!(marks.take(1, 5, Some(&mut bytes)), 1);
    }

    /// The option of an acknowledgment older than one before it is ignored (A.1).
    #[test]
    fn an_old_option_is_ignored() {
        let (mut marks, mut bytes) = (MarksReported::default(), reported_bytes(1460));
        assert_eq!(marks.take(6, 0, Some(&mut bytes)), 0);
        bytes.keep(&counters(2920), MSS);
        assert_eq!(marks.take(7, 2, Some(&mut bytes)), 2);
    }
}
