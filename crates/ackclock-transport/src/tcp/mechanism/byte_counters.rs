//! The byte counters of Accurate ECN (RFC 9768, 3.2.3): payload bytes by the codepoint with which they arrived, in an
//! option of acknowledgments. They show how often the three-bit counter of packets has cycled.

use ackclock_catalogue::Entry;

use crate::tcp::settings::{EcnMode, Settings};
use crate::wire::{ByteCounters, Flags, SackBlocks};

pub(crate) const ENTRY: Entry = Entry {
    kind: "mechanism",
    name: "accecn-option",
    title: "acknowledgments count bytes by codepoint, which resolves a counter of marks that has cycled unseen",
    source: "RFC 9768, 3.2.3 and A.2.2",
    table: "tcp",
    keys: &[Settings::switch("accecn_option"), Settings::switch("accecn_option_always")],
    ..Entry::PLAIN
};

/// The marks of a cycle of the counter of packets: DIVACE.
pub(super) const CYCLE: u32 = 8;

/// The initial value of the counters of ECN-capable bytes (3.2.1), which reveals an option that was zeroed. The counter
/// of marked bytes begins at zero.
pub(super) const INITIAL: u32 = 1;

/// The counters of an option.
const FIELDS: usize = 3;

/// The bytes of options in a header, those of timestamps, and those of selective acknowledgments before and in each block, with
/// their padding.
const OPTIONS: usize = 40;
const TIMESTAMPS: usize = 12;
const BLOCKS: usize = 4;
const BLOCK: usize = 8;

/// The fewest blocks that the option leaves room for (3.2.3.3).
const FEWEST_BLOCKS: usize = 2;

/// The receiver's counters: `r.e0b`, `r.e1b` and `r.ceb`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BytesReceived {
    ect0: u32,
    ect1: u32,
    /// None before the first marked byte.
    marked: Option<u32>,
    /// True if a counter has changed since the last acknowledgment.
    has_changed: bool,
    /// True if the latest segment has the option.
    is_due: bool,
    /// Every acknowledgment has the option, as one of QUIC has the counts (RFC 9000, 13.4.1).
    is_in_every_ack: bool,
    /// The state of an option that is in every segment.
    always: Option<Always>,
}

impl Default for BytesReceived {
    fn default() -> BytesReceived {
        BytesReceived {
            ect0: INITIAL,
            ect1: INITIAL,
            marked: None,
            has_changed: false,
            is_due: false,
            is_in_every_ack: false,
            always: None,
        }
    }
}

/// The state of an option that is in every segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Always {
    /// The other side sends the option, too.
    has_come: bool,
    /// A SYN was answered with the option.
    has_answered: bool,
    /// Segments with the option do not arrive at the other side.
    is_stopped: bool,
    /// The fields of the option that is due.
    fields: usize,
    /// The fields that the next option needs, for what has arrived since the last (`accecn_minlen`).
    needed: usize,
    /// Where the data begins that the latest option came together with a report of (`accecn_opt_sent_w_dsack`).
    reported: Option<u64>,
}

impl Always {
    const NEW: Always = Always {
        has_come: true,
        has_answered: false,
        is_stopped: false,
        fields: FIELDS,
        needed: 0,
        reported: None,
    };
}

impl BytesReceived {
    /// None if the settings do not have the option.
    pub fn of(settings: &Settings) -> Option<BytesReceived> {
        let is_in_every_ack = settings.ecn_validation;
        let always = (settings.accecn_option_always && !is_in_every_ack).then_some(Always::NEW);
        let has_option = (settings.accecn_option || is_in_every_ack) && settings.ecn == EcnMode::Accurate;
        has_option.then(|| BytesReceived { is_in_every_ack, always, ..BytesReceived::default() })
    }

    /// The other side carries data and sends the option itself, or has not yet.
    pub fn await_option(&mut self) {
        if let Some(always) = &mut self.always {
            always.has_come = false;
        }
    }

    /// A segment with the option arrives.
    pub fn note_option(&mut self) {
        if let Some(always) = &mut self.always {
            always.has_come = true;
        }
    }

    /// No segment has the option from now on.
    pub fn stop(&mut self) {
        if let Some(always) = &mut self.always {
            always.is_stopped = true;
        }
    }

    /// Data arrives with this ECN field.
    pub fn on_data(&mut self, length: u16, field: Flags) {
        if length == 0 || field == Flags::default() {
            return;
        }
        let add = |count: u32| (count + u32::from(length)) % ByteCounters::MODULUS;
        // The fields are in order 1: ECT(1), CE, ECT(0).
        let place = match field {
            Flags::CE => {
                self.marked = Some(add(self.marked.unwrap_or(0)));
                2
            }
            Flags::ECT1 => {
                self.ect1 = add(self.ect1);
                1
            }
            _ => {
                self.ect0 = add(self.ect0);
                FIELDS
            }
        };
        self.has_changed = true;
        if let Some(always) = &mut self.always {
            always.needed = always.needed.max(place);
        }
    }

    /// Data that begins here arrives again. If it was reported together with the option, and comes once more, that
    /// acknowledgment was lost, and the option may be the reason (3.2.3.2.2).
    pub fn on_duplicate(&mut self, start: u64) {
        if let Some(always) = &mut self.always {
            always.is_stopped |= always.reported == Some(start);
        }
    }

    /// A SYN is answered: the first answer tests the path with the option (3.2.3.2.1), those after it go without.
    pub fn on_syn_ack(&mut self) {
        if let Some(always) = &mut self.always {
            self.is_due = !std::mem::replace(&mut always.has_answered, true);
            always.fields = FIELDS;
        }
    }

    /// Notes that an acknowledgment is made. It has the option if any counter has changed since the last
    /// acknowledgment, with every counter that has ever changed (3.2.3.3, recommended simple scheme).
    pub fn on_ack(&mut self) {
        let has_changed = std::mem::take(&mut self.has_changed) || self.is_in_every_ack;
        self.is_due = self.always.as_mut().map_or(has_changed, |always| {
            always.fields = FIELDS;
            always.has_come && !always.is_stopped
        });
    }

    /// The selective acknowledgments of the latest segment that leave room for the option, which has as many counters as fit. Where
    /// those that have changed do not fit, blocks give way, but two stay (3.2.3.3); then the option is left out.
    pub fn fit(&mut self, blocks: SackBlocks, timestamps: bool) -> SackBlocks {
        let Some(always) = self.always.as_mut().filter(|_| self.is_due) else {
            // Together with timestamps it takes the room of one block: 40 bytes hold 12, 8 and 18.
            let most = SackBlocks::MAX - usize::from(timestamps) - usize::from(self.is_due);
            return blocks.first(most);
        };
        let room = OPTIONS - if timestamps { TIMESTAMPS } else { 0 };
        let blocks = blocks.first((room - BLOCKS) / BLOCK);
        let wanted = blocks.len();
        let size = |fields: usize| (2 + 3 * fields).next_multiple_of(4);
        let of_blocks = |count: usize| if count == 0 { 0 } else { BLOCKS + BLOCK * count };
        for count in (wanted.min(FEWEST_BLOCKS)..=wanted).rev() {
            let fits = |fields: &usize| size(*fields) + of_blocks(count) <= room;
            if let Some(fields) = (always.needed.max(1)..=FIELDS).rev().find(fits) {
                always.fields = fields;
                return blocks.first(count);
            }
        }
        self.is_due = false;
        blocks
    }

    /// Notes that the latest segment reports data that begins here to have arrived again, or none.
    pub fn note_report(&mut self, duplicate: Option<u64>) {
        if let Some(always) = self.always.as_mut().filter(|_| self.is_due) {
            (always.reported, always.needed) = (duplicate, 0);
        }
    }

    /// The option of the latest segment, if it has one.
    pub fn take(&mut self) -> Option<ByteCounters> {
        let is_ect1 = self.ect0 == INITIAL && self.ect1 != INITIAL;
        let simple = ByteCounters {
            capable: if is_ect1 { self.ect1 } else { self.ect0 },
            is_ect1,
            marked: self.marked,
            other: (self.ect0 != INITIAL && self.ect1 != INITIAL).then_some(self.ect1),
        };
        let counters = self.always.map_or(simple, |always| ByteCounters {
            capable: self.ect1,
            is_ect1: true,
            marked: (always.fields > 1).then_some(self.marked.unwrap_or(0)),
            other: (always.fields > 2).then_some(self.ect0),
        });
        std::mem::take(&mut self.is_due).then_some(counters)
    }
}

/// Bytes delivered by the codepoint with which they arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DeliveredBytes {
    pub ect0: u64,
    pub ect1: u64,
    pub marked: u64,
}

/// The sender's counters (`s.e0b`, `s.e1b`, `s.ceb`), without their initial values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BytesReported {
    /// Payload bytes of a full segment.
    mss: u32,
    delivered: DeliveredBytes,
    /// Marks counted from acknowledgments without the option, since the last one with it.
    counted: u32,
    /// The counters in the present acknowledgment, if that has the option.
    arrived: Option<ByteCounters>,
}

impl BytesReported {
    /// Keeps the counters of an acknowledgment that arrives. Segments have `mss` bytes.
    pub fn keep(&mut self, counters: &ByteCounters, mss: u16) {
        self.mss = u32::from(mss);
        self.arrived = Some(*counters);
    }

    /// The counters in the present acknowledgment, if that has the option.
    pub fn arrived(&self) -> Option<ByteCounters> {
        self.arrived
    }

    /// Discards the counters of an old acknowledgment.
    pub fn discard(&mut self) {
        self.arrived = None;
    }

    /// The bytes delivered so far.
    pub fn delivered(&self) -> DeliveredBytes {
        self.delivered
    }

    /// The marks of an acknowledgment with the option, whose field ACE has moved by `least`: the smallest number that
    /// the field permits and that suffices for the marked bytes. Appendix A.2.2 chooses between the smallest and the
    /// largest number; with nearly full segments this is exact in between, too.
    pub fn resolve(&mut self, least: u32) -> Option<u32> {
        let ByteCounters { capable, is_ect1, marked, other } = self.arrived.take()?;
        let DeliveredBytes { ect0, ect1, marked: known } = &mut self.delivered;
        let (in_front, behind) = if is_ect1 { (ect1, ect0) } else { (ect0, ect1) };
        advance(in_front, Some(capable), INITIAL);
        advance(behind, other, INITIAL);
        let bytes = advance(known, marked, 0);
        let explained = (std::mem::take(&mut self.counted) + least).saturating_mul(self.mss);
        let cycles = bytes.saturating_sub(explained).div_ceil(CYCLE * self.mss);
        Some(least + cycles * CYCLE)
    }

    /// Notes that an acknowledgment without the option counted as this many marks.
    pub fn count(&mut self, marks: u32) {
        self.counted += marks;
    }
}

/// Brings a counter up to date by a field that began with this value (A.1). Returns its increase. A field that goes back is not
/// believed.
fn advance(counter: &mut u64, field: Option<u32>, initial: u32) -> u32 {
    let modulus = ByteCounters::MODULUS;
    let known = (*counter % u64::from(modulus)) as u32;
    let more = field.map_or(0, |field| (field + 2 * modulus - initial - known) % modulus);
    let more = if more < modulus / 2 { more } else { 0 };
    *counter += u64::from(more);
    more
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u16 = 1460;

    fn counters(capable: u32, marked: Option<u32>) -> ByteCounters {
        ByteCounters { capable, marked, ..ByteCounters::default() }
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
            received.on_data(1024, Flags::CE);
        }
        received.on_ack();
        assert_eq!(received.take(), Some(counters(1, Some(0))));
    }

    /// 3.2.3.3: one field while nothing was marked, then two; none if nothing has changed.
    #[test]
    fn an_acknowledgment_has_the_counters_that_have_ever_changed() {
        let mut received = BytesReceived::default();
        received.on_data(1000, Flags::ECT);
        received.on_ack();
        assert_eq!(received.take(), Some(counters(1001, None)));
        received.on_data(1000, Flags::CE);
        received.on_data(1000, Flags::ECT);
        received.on_ack();
        assert_eq!(received.take(), Some(counters(2001, Some(1000))));
        received.on_data(1000, Flags::default());
        received.on_ack();
        assert_eq!(received.take(), None);
    }

    fn always() -> BytesReceived {
        BytesReceived { always: Some(Always::NEW), ..BytesReceived::default() }
    }

    /// Table 5, order 1, and 3.2.1.
    #[test]
    fn the_option_of_every_segment_has_three_counters_from_the_syn_ack_on() {
        let mut received = always();
        received.on_syn_ack();
        let first = ByteCounters { capable: 1, is_ect1: true, marked: Some(0), other: Some(1) };
        assert_eq!(received.take(), Some(first));
        received.on_syn_ack();
        assert_eq!(received.take(), None, "a second answer goes without it (3.2.3.2.2)");
        received.on_ack();
        assert_eq!(received.take(), Some(first), "nothing has changed");
        received.await_option();
        received.on_ack();
        assert_eq!(received.take(), None);
    }

    fn blocks(count: u64) -> SackBlocks {
        SackBlocks::of(0, (1..=count).map(|number| (number * 10, number * 10 + 5)))
    }

    /// RFC 9768, 3.2.3.3: where the smallest option leaves no room for two blocks of SACK, the blocks take precedence. Timestamps
    /// have 12 bytes, the blocks 4 and 8 for each, and the counters 2 and 3 for each, in words of 4 bytes.
    #[test]
    fn counters_that_have_not_changed_give_way_then_blocks_then_the_option() {
        let with_timestamps = |field: Option<Flags>, count| {
            let mut received = always();
            if let Some(field) = field {
                received.on_data(1000, field);
            }
            received.on_ack();
            let left = received.fit(blocks(count), true).len();
            let option = received.take().map(|counters| {
                1 + usize::from(counters.marked.is_some()) + usize::from(counters.other.is_some())
            });
            (left, option)
        };
        assert_eq!(with_timestamps(None, 0), (0, Some(3)));
        assert_eq!(with_timestamps(Some(Flags::ECT), 1), (1, Some(3)));
        assert_eq!(with_timestamps(Some(Flags::CE), 2), (2, Some(2)));
        assert_eq!(with_timestamps(Some(Flags::CE), 4), (2, Some(2)));
        assert_eq!(with_timestamps(Some(Flags::ECT), 2), (2, None));
        assert_eq!(with_timestamps(Some(Flags::ECT), 4), (3, None));
    }

    /// 3.2.3.2.2: the data of an acknowledgment with the option comes again, and once more.
    #[test]
    fn an_option_that_does_not_arrive_is_given_up() {
        let mut received = always();
        received.on_ack();
        received.note_report(None);
        received.on_duplicate(1);
        received.on_ack();
        assert!(received.is_due, "the first acknowledgment may have been lost by chance");
        received.note_report(Some(1));
        received.on_duplicate(1);
        received.on_ack();
        assert!(!received.is_due);
    }

    /// Figure 4: which counter comes first.
    #[test]
    fn counters_are_read_in_either_order() {
        let mut reported = BytesReported::default();
        let counters = |capable, is_ect1, marked, other| ByteCounters { capable, is_ect1, marked, other };
        reported.keep(&counters(1001, false, Some(300), Some(201)), MSS);
        reported.resolve(1);
        assert_eq!(reported.delivered(), DeliveredBytes { ect0: 1000, ect1: 200, marked: 300 });
        reported.keep(&counters(401, true, None, None), MSS);
        reported.resolve(0);
        assert_eq!(reported.delivered(), DeliveredBytes { ect0: 1000, ect1: 400, marked: 300 });
    }
}
