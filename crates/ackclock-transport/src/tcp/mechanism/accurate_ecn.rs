//! Accurate ECN (RFC 9768): a counter of marked packets in the flags AE, CWR and ECE of acknowledgments, the field ACE, and
//! the ECN field of the handshake. The byte counters of acknowledgments are in `byte_counters.rs`.

use super::super::settings::AccecnCycles;
use super::byte_counters::{BytesReported, CYCLE};
use crate::wire::Flags;

/// The initial value of both counters (3.2.1).
const INITIAL: u8 = 5;

/// The largest number of the field, which counts modulo eight.
const LARGEST: u8 = 7;

/// An acknowledgment is due when this many marks have arrived since the last, and data waits for one (3.2.2.5.1,
/// increment-triggered).
const MARKS_PER_ACK: u8 = 2;

/// An acknowledgment of acknowledgments, for which no data waits, is due after this many.
const MARKS_PER_BARE_ACK: u8 = 3;

/// The field ACE that says of a SYN or a SYN-ACK that it arrived with this ECN field (3.1.2, table 2, and 3.2.2.1, table 3).
pub(crate) fn handshake_ace(field: Flags) -> u8 {
    match field {
        Flags::ECT1 => 3,
        Flags::ECT => 4,
        Flags::CE => 6,
        _ => 2,
    }
}

/// The ECN of the handshake, as a receiver has seen it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OfHandshake {
    /// The ECN field of the latest SYN or SYN-ACK that arrived (3.1.5).
    pub field: Flags,
    /// A SYN without ECN came, or a SYN-ACK without ECN was sent: a server never sends ECN-capable packets (3.1.5).
    pub is_without_ecn: bool,
    /// A mark on a SYN-ACK is counted.
    pub is_counted: bool,
    /// The next acknowledgment says with which ECN field the SYN-ACK arrived.
    pub is_due: bool,
}

/// A packet that arrives, as far as it concerns the counter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived {
    /// Its ECN field.
    pub field: Flags,
    pub is_data: bool,
    /// Data waits for an acknowledgment.
    pub data_waits: bool,
    /// Any change of the ECN field is acknowledged at once.
    pub any_change: bool,
}

/// The receiver's counter of marked packets (`r.cep`). The field has its lowest three bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MarksReceived {
    count: u8,
    /// Marks since the latest acknowledgment.
    since_ack: u8,
    /// The ECN field of the latest packet.
    latest: Flags,
}

impl Default for MarksReceived {
    fn default() -> MarksReceived {
        MarksReceived { count: INITIAL, since_ack: 0, latest: Flags::default() }
    }
}

impl MarksReceived {
    /// Counts a packet. Returns true if it is acknowledged at once: marked data after an unmarked packet, and every second
    /// mark, or every third if no data waits (3.2.2.5.1).
    pub fn on_packet(&mut self, packet: Arrived) -> bool {
        let Arrived { field, is_data, data_waits, any_change } = packet;
        let marked = field == Flags::CE;
        let changes = field != self.latest && (marked || any_change);
        self.latest = field;
        self.count = (self.count + u8::from(marked)) & LARGEST;
        self.since_ack = self.since_ack.saturating_add(u8::from(marked));
        let most = if is_data || data_waits { MARKS_PER_ACK } else { MARKS_PER_BARE_ACK };
        (is_data && changes) || self.since_ack >= most
    }

    /// A SYN arrives, which is not counted (3.2.2.2), or a SYN-ACK, of which one is counted if it `counts`.
    pub fn on_handshake(&mut self, field: Flags, counts: bool) {
        self.latest = field;
        self.count = (self.count + u8::from(counts && field == Flags::CE)) & LARGEST;
    }

    /// The field ACE of an acknowledgment that is sent now.
    pub fn on_ack(&mut self) -> u8 {
        self.since_ack = 0;
        self.count
    }
}

/// The feedback of an acknowledgment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Feedback {
    /// The field ACE.
    pub ace: u8,
    /// The packets that it newly acknowledges.
    pub delivered: u32,
    /// It was sent after those before, even if it acknowledges nothing new (A.1).
    pub is_later: bool,
    pub cycles: AccecnCycles,
    /// A first field of zero was changed on its way (3.2.2.4).
    pub tests_zero: bool,
}

/// The mean number of packets that an acknowledgment covers, as Linux takes it (`pkts_acked_ewma`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Coverage(u32);

impl Coverage {
    /// The mean is in parts of a 64th, and so is the weight of the latest acknowledgment.
    const PARTS: u32 = 64;

    /// Acknowledgments that cover more packets than this are thinned out on their way (`ACK_COMP_THRESH`).
    const USUAL: u32 = 4;

    fn take(&mut self, packets: u32) {
        let packets = packets.min(u32::from(u16::MAX));
        self.0 = match self.0 {
            0 => packets * Coverage::PARTS,
            mean => (mean * (Coverage::PARTS - 1) + packets * Coverage::PARTS) / Coverage::PARTS,
        };
    }

    fn is_large(self) -> bool {
        self.0 > Coverage::USUAL * Coverage::PARTS
    }
}

/// The sender's counter of marked packets (`s.cep`), modulo eight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MarksReported {
    count: u8,
    /// True if the latest acknowledgment of new data reported marks.
    was_marked: bool,
    /// True once new data was acknowledged.
    has_begun: bool,
    /// True if the field is not read: something on the way changes it.
    is_ignored: bool,
    coverage: Coverage,
}

impl Default for MarksReported {
    fn default() -> MarksReported {
        MarksReported {
            count: INITIAL,
            was_marked: false,
            has_begun: false,
            is_ignored: false,
            coverage: Coverage::default(),
        }
    }
}

impl MarksReported {
    /// The marks that an acknowledgment reports.
    ///
    /// With more than seven packets the counter may have cycled, if acknowledgments were lost or thinned out. "The Data
    /// Sender SHOULD deem whether it cycled by taking the safest likely case under the prevailing conditions" (3.2.2.5.2): the
    /// largest number of marks that the field and the packets permit (A.2.1), if that is likely. If the acknowledgment has
    /// byte counters, they show how often the counter cycled (A.2.2).
    pub fn take(&mut self, feedback: Feedback, mut bytes: Option<&mut BytesReported>) -> u32 {
        let Feedback { ace, delivered, .. } = feedback;
        if delivered > 0 && !std::mem::replace(&mut self.has_begun, true) {
            self.is_ignored |= feedback.tests_zero && ace == 0;
        }
        // It may be an old acknowledgment that was overtaken (A.1).
        let is_old = delivered == 0 && !feedback.is_later;
        if is_old || self.is_ignored {
            if let Some(bytes) = bytes {
                bytes.discard();
            }
            return 0;
        }
        let least = u32::from(ace.wrapping_sub(self.count) & LARGEST);
        let prevails = least > 0 || self.was_marked;
        (self.count, self.was_marked) = (ace & LARGEST, least > 0);
        if delivered > 0 {
            self.coverage.take(delivered);
        }
        if let Some(marks) = bytes.as_mut().and_then(|bytes| bytes.resolve(least)) {
            return marks;
        }
        let is_likely = match feedback.cycles {
            AccecnCycles::Prevailing => prevails,
            AccecnCycles::Linux => !self.coverage.is_large(),
        };
        let hides_cycles = is_likely && delivered > u32::from(LARGEST);
        let marks = if hides_cycles { delivered - (delivered - least) % CYCLE } else { least };
        if let Some(bytes) = bytes {
            bytes.count(marks);
        }
        marks
    }

    /// The other side says in its answer to a SYN-ACK that this was marked (3.2.2.2).
    pub fn on_marked_syn_ack(&mut self) {
        self.count += 1;
    }

    /// The field is not read any more.
    pub fn ignore(&mut self) {
        self.is_ignored = true;
    }

    /// True if the field is not read.
    pub fn is_ignored(self) -> bool {
        self.is_ignored
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::ByteCounters;

    impl MarksReceived {
        fn on_data(&mut self, marked: bool) -> bool {
            let field = if marked { Flags::CE } else { Flags::ECT };
            self.on_packet(Arrived { field, is_data: true, data_waits: true, any_change: false })
        }
    }

    fn feedback(ace: u8, delivered: u32) -> Feedback {
        Feedback { ace, delivered, is_later: false, cycles: AccecnCycles::Prevailing, tests_zero: false }
    }

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
            total += reported.take(feedback(received.on_ack(), 7), None);
        }
        assert_eq!(total, 14);
        assert_eq!(received.on_ack(), (5 + 14) % 8);
    }

    /// The example of A.2: the field has moved by two and the acknowledgment is of ten packets, so that it may have been ten marks.
    #[test]
    fn a_cycle_that_may_have_been_hidden_is_counted() {
        let mut reported = MarksReported::default();
        assert_eq!(reported.take(feedback(7, 10), None), 10);
        assert_eq!(reported.take(feedback(7, 16), None), 16, "marks prevailed");
        let mut reported = MarksReported::default();
        assert_eq!(reported.take(feedback(5, 16), None), 0, "no mark was reported, and none before");
        assert_eq!(reported.take(feedback(0, 7), None), 3, "seven packets hide no cycle");
    }

    /// An acknowledgment of nothing new may be old.
    #[test]
    fn an_acknowledgment_of_nothing_new_says_nothing() {
        let mut reported = MarksReported::default();
        assert_eq!(reported.take(feedback(6, 2), None), 1);
        assert_eq!(reported.take(feedback(5, 0), None), 0);
        assert_eq!(reported.take(feedback(7, 1), None), 1);
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
        ByteCounters { capable: 1, marked: Some(marked), ..ByteCounters::default() }
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
        assert_eq!(marks.take(feedback(7, 10), Some(&mut reported_bytes(2 * 1460))), 2);
        let mut marks = MarksReported::default();
        assert_eq!(marks.take(feedback(7, 10), Some(&mut BytesReported::default())), 10);
    }

    /// An acknowledgment without the option is taken for three marks by its field. The next counter has their bytes, too.
    #[test]
    fn marks_counted_without_the_option_are_not_counted_again() {
        let (mut marks, mut bytes) = (MarksReported::default(), BytesReported::default());
        assert_eq!(marks.take(feedback(0, 5), Some(&mut bytes)), 3);
        bytes.keep(&counters(4 * 1460), MSS);
        assert_eq!(marks.take(feedback(1, 5), Some(&mut bytes)), 1);
    }

    /// The option of an acknowledgment older than one before it is ignored (A.1).
    #[test]
    fn an_old_option_is_ignored() {
        let (mut marks, mut bytes) = (MarksReported::default(), reported_bytes(1460));
        assert_eq!(marks.take(feedback(6, 0), Some(&mut bytes)), 0);
        bytes.keep(&counters(2920), MSS);
        assert_eq!(marks.take(feedback(7, 2), Some(&mut bytes)), 2);
    }

    /// 3.2.2.5.1: "If there is no unacknowledged data at the receiver, 'n' SHOULD be 3", and marks of packets without data trigger
    /// nothing by the change alone.
    #[test]
    fn three_marked_acknowledgments_are_acknowledged() {
        let mut received = MarksReceived::default();
        let bare = Arrived { field: Flags::CE, is_data: false, data_waits: false, any_change: true };
        let due: Vec<bool> = (0..3).map(|_| received.on_packet(bare)).collect();
        assert_eq!(due, [false, false, true]);
        assert_eq!(received.on_ack(), 0, "all of them count");
    }

    /// In Linux each change of the field counts, and data after a SYN that came with another one is a change too.
    #[test]
    fn any_change_is_acknowledged_at_once_if_asked_for() {
        let mut received = MarksReceived::default();
        let fields = [Flags::ECT, Flags::ECT, Flags::ECT1, Flags::CE, Flags::ECT1];
        let data = |field| Arrived { field, is_data: true, data_waits: true, any_change: true };
        let due: Vec<bool> = fields.map(|field| received.on_packet(data(field))).to_vec();
        assert_eq!(due, [true, false, true, true, true]);
    }

    /// 3.2.2.2: marks on SYNs do not count, and one on a SYN-ACK does.
    #[test]
    fn a_marked_syn_ack_counts() {
        let mut received = MarksReceived::default();
        received.on_handshake(Flags::CE, false);
        assert_eq!(received.on_ack(), 5);
        received.on_handshake(Flags::CE, true);
        assert_eq!(received.on_ack(), 6);
    }

    /// 3.2.2.4: a first field of zero is no count, and none after it counts either.
    #[test]
    fn a_first_field_of_zero_is_not_believed() {
        let mut reported = MarksReported::default();
        let zero = Feedback { tests_zero: true, ..feedback(0, 1) };
        assert_eq!(reported.take(zero, None), 0);
        assert!(reported.is_ignored());
        assert_eq!(reported.take(feedback(6, 1), None), 0);
        let mut reported = MarksReported::default();
        assert_eq!(reported.take(feedback(0, 3), None), 3);
    }

    /// A.1: an acknowledgment of nothing new counts if its timestamp shows that it was sent later.
    #[test]
    fn a_later_acknowledgment_of_nothing_new_counts() {
        let mut reported = MarksReported::default();
        assert_eq!(reported.take(Feedback { is_later: true, ..feedback(6, 0) }, None), 1);
    }

    /// `__tcp_accecn_process`: while acknowledgments cover few packets, one of nine with the field as before may hide a cycle. Where
    /// ten are usual it hides none.
    #[test]
    fn in_linux_a_cycle_is_feared_where_acknowledgments_are_usually_small() {
        let linux = |ace, delivered| Feedback { cycles: AccecnCycles::Linux, ..feedback(ace, delivered) };
        let mut reported = MarksReported::default();
        assert_eq!(reported.take(linux(5, 1), None), 0);
        assert_eq!(reported.take(linux(5, 9), None), 8);
        let mut reported = MarksReported::default();
        assert_eq!(reported.take(linux(6, 10), None), 1);
    }
}
