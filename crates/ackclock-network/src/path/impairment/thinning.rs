//! Thinning: a waiting acknowledgment is replaced by the next one of its flow.

use ackclock_catalogue::{Entry, Values};
use ackclock_units::Time;

use crate::RandomStream;
use crate::by_key::ByKey;
use crate::packet::slot::SlotId;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "impairment",
    name: "thinning",
    title: "loses a pure acknowledgment that still waits when the next of its flow arrives",
    source: "RFC 3449, 5.2.1 (ACK filtering); practice of DOCSIS modems",
    ..Entry::PLAIN
};

/// The state: of each flow, the last pure acknowledgment and the instant at which its transmission begins.
#[derive(Clone, Debug)]
pub(crate) struct Thinning {
    last: ByKey<u32, (SlotId, Time)>,
}

impl Thinning {
    pub(super) fn new(_: &Values, _: RandomStream) -> Thinning {
        Thinning { last: ByKey::new() }
    }

    /// Notes a pure acknowledgment, and returns the one before it if that still waits.
    pub(crate) fn replaced_by(&mut self, now: Time, flow: u32, slot: SlotId, begin: Time) -> Option<SlotId> {
        let before = self.last.insert(flow, (slot, begin));
        before.filter(|(_, begin)| *begin > now).map(|(slot, _)| slot)
    }
}
