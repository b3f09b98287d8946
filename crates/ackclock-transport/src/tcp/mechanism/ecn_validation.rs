//! The validation of ECN (RFC 9000, 13.4.2 and A.4): a path carries marks, and its receiver reports them, or no packet is ECN-capable
//! any more.
//!
//! QUIC's counts are numbers of packets; here they are the payload bytes of the `AccECN` option, which every acknowledgment has. A segment
//! that was sent again is no evidence, since it is not known which copy arrived: where it was declared lost, its first copy counts as lost.
//!
//! The RFC leaves these choices open. The test ends after ten packets or three probe timeouts, as the connection knows them when it begins,
//! whichever is first. A path fails where all packets of the test were lost or arrived marked, where a counter exceeds what was sent, and
//! where one goes back. It is not tested again. The RFC says nothing of marks that arrive after a failure; 13.4.2.1 validates counts
//! "before using them", so that they are not used.

use ackclock_catalogue::Entry;
use ackclock_units::{Duration, Time};

use super::byte_counters::{DeliveredBytes, INITIAL};
use super::sequence_ranges::SequenceRanges;
use crate::tcp::settings::Settings;
use crate::wire::{ByteCounters, SackBlocks};

pub(crate) const ENTRY: Entry = Entry {
    kind: "mechanism",
    name: "ecn-validation",
    title: "a sender tests whether its path carries ECN before it uses it",
    source: "RFC 9000, 13.4.2 and A.4",
    table: "tcp",
    keys: &[Settings::switch("ecn_validation")],
    ..Entry::PLAIN
};

/// The packets of a test (13.4.2).
const TEST_PACKETS: u32 = 10;

/// The probe timeouts of a test (13.4.2).
const TEST_TIMEOUTS: u64 = 3;

/// The ECN state of a path (A.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Testing,
    Unknown,
    Failed,
    Capable,
}

/// A segment of data that is sent now, ECN-capable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SentCapable {
    pub start: u64,
    pub end: u64,
    /// It was sent before.
    pub again: bool,
    pub probe_timeout: Duration,
}

/// The validation of one path.
#[derive(Clone, Debug, Default)]
pub(crate) struct EcnValidation {
    state: State,
    /// When the test ends at the latest; none before it has begun.
    test_until: Option<Time>,
    /// The packets of the test.
    tested: u32,
    /// The sequence number after the last packet of the test.
    test_end: u64,
    /// Bytes sent as ECN-capable, each time.
    sent: u64,
    /// The data that was sent once, as ECN-capable, and is not acknowledged.
    outstanding: SequenceRanges,
    /// A packet of the test was declared lost.
    has_lost: bool,
    /// ECN-capable bytes that were acknowledged, and those of the test.
    arrived: u64,
    arrived_in_test: u64,
    /// The highest acknowledgment, cumulative and selective.
    acknowledged: (u64, u64),
    /// The counters of the last acknowledgment that was valid.
    valid: DeliveredBytes,
}

impl EcnValidation {
    /// True if packets are not ECN-capable.
    pub fn withholds(&self) -> bool {
        matches!(self.state, State::Unknown | State::Failed)
    }

    /// Ends a test whose time is over.
    pub fn look(&mut self, now: Time) {
        if self.state == State::Testing && self.test_until.is_some_and(|until| now >= until) {
            self.state = State::Unknown;
        }
    }

    /// A segment is sent as ECN-capable.
    pub fn on_sent(&mut self, now: Time, segment: SentCapable) {
        let SentCapable { start, end, again, probe_timeout } = segment;
        self.sent += end - start;
        if !again {
            self.outstanding.insert(start, end, |_, _| {});
        }
        if self.state == State::Testing {
            self.test_until.get_or_insert(now + probe_timeout.saturating_mul(TEST_TIMEOUTS));
            self.test_end = self.test_end.max(end);
            self.tested += 1;
            if self.tested == TEST_PACKETS {
                self.state = State::Unknown;
            }
        }
    }

    /// A segment is sent again, since it is lost, or as a probe.
    pub fn on_sent_again(&mut self, start: u64, end: u64) {
        self.outstanding.remove(start, end);
    }

    /// A segment was declared lost.
    pub fn on_lost(&mut self, start: u64, end: u64) {
        self.has_lost |= start < self.test_end && self.outstanding.containing(start).is_some();
        self.outstanding.remove(start, end);
        let is_lost = self.has_lost && self.arrived_in_test == 0 && !self.has_test_outstanding();
        if is_lost && self.state == State::Unknown {
            self.state = State::Failed;
        }
    }

    /// Takes an acknowledgment up to `una` with these blocks and counters, on a flow whose packets are ECT(1) or ECT(0). Returns true if
    /// its counts may be used.
    pub fn on_ack(
        &mut self,
        una: u64,
        sack: &SackBlocks,
        counters: Option<&ByteCounters>,
        is_ect1: bool,
    ) -> bool {
        let newly = self.take_acknowledged(una, sack);
        let highest = sack.iter(una).map(|(_, end)| end).max().unwrap_or(una).max(una);
        let is_latest = una > self.acknowledged.0 || highest > self.acknowledged.1;
        // 13.4.2.1: one that does not increase the largest acknowledged packet may be old, and fails nothing.
        if self.state == State::Failed || !is_latest {
            return false;
        }
        self.acknowledged = (una, highest.max(self.acknowledged.1));
        let Some(counters) = counters else {
            if newly > 0 {
                self.state = State::Failed;
            }
            return false;
        };
        if !self.takes_counts(counters, newly, is_ect1) {
            self.state = State::Failed;
            return false;
        }
        if self.state == State::Unknown && self.arrived > 0 {
            self.state = State::Capable;
        }
        // A.4: a path may be "failed" where all marked packets are "ECN-CE marked".
        let is_over = self.state != State::Testing && !self.has_test_outstanding();
        let is_all_marked = self.valid.ect0 == 0 && self.valid.ect1 == 0;
        if is_over && self.arrived_in_test > 0 && is_all_marked {
            self.state = State::Failed;
        }
        self.state != State::Failed
    }

    /// Removes what an acknowledgment covers. Returns the ECN-capable bytes that it newly acknowledges.
    fn take_acknowledged(&mut self, una: u64, sack: &SackBlocks) -> u64 {
        let before = self.outstanding_bytes();
        self.outstanding.remove_below(una);
        for (start, end) in sack.iter(una).filter(|(start, end)| *start >= una && start < end) {
            self.outstanding.remove(start, end);
        }
        let (whole, of_test) = self.outstanding_bytes();
        self.arrived += before.0 - whole;
        self.arrived_in_test += before.1 - of_test;
        before.0 - whole
    }

    /// The bytes outstanding, and those of the test among them.
    fn outstanding_bytes(&self) -> (u64, u64) {
        let below = |(start, end): (u64, u64)| end.min(self.test_end).saturating_sub(start);
        let sum = |(whole, of_test): (u64, u64), range: (u64, u64)| {
            (whole + range.1 - range.0, of_test + below(range))
        };
        self.outstanding.iter().fold((0, 0), sum)
    }

    fn has_test_outstanding(&self) -> bool {
        self.outstanding.iter().next().is_some_and(|(start, _)| start < self.test_end)
    }

    /// Takes the counters of an acknowledgment that newly acknowledges `newly` ECN-capable bytes. False if they are not valid
    /// (13.4.2.1).
    fn takes_counts(&mut self, counters: &ByteCounters, newly: u64, is_ect1: bool) -> bool {
        let ByteCounters { capable, is_ect1: begins_with_ect1, marked, other } = *counters;
        let (ect0, ect1) = if begins_with_ect1 { (other, Some(capable)) } else { (Some(capable), other) };
        let (Some(ect0), Some(ect1), Some(marked)) = (
            advanced(self.valid.ect0, ect0, INITIAL),
            advanced(self.valid.ect1, ect1, INITIAL),
            advanced(self.valid.marked, marked, 0),
        ) else {
            return false;
        };
        let (ours, others) = if is_ect1 { (ect1, ect0) } else { (ect0, ect1) };
        let known = if is_ect1 { self.valid.ect1 } else { self.valid.ect0 };
        let covered = ours - known + marked - self.valid.marked;
        self.valid = DeliveredBytes { ect0, ect1, marked };
        covered >= newly && ours <= self.sent && others == 0
    }
}

/// A counter after a field that began with `initial`, which is left out where it never changed; none if it goes back.
fn advanced(known: u64, field: Option<u32>, initial: u32) -> Option<u64> {
    let Some(field) = field else { return Some(known) };
    let modulus = ByteCounters::MODULUS;
    let more = (field + 2 * modulus - initial - (known % u64::from(modulus)) as u32) % modulus;
    (more < modulus / 2).then(|| known + u64::from(more))
}
