//! Thinning: an acknowledgment replaces an earlier one of its flow that still waits.

use ackclock_catalogue::{Entry, Values};
use ackclock_memory::ByKey;
use ackclock_units::Time;

use crate::RandomStream;
use crate::packet::slot::SlotId;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "impairment",
    name: "thinning",
    title: "replaces the last waiting acknowledgment of a flow by a new one, if it acknowledges more",
    source: "RFC 3449, 5.2.1 (ACK filtering); practice of DOCSIS modems",
    ..Entry::PLAIN
};

/// The last pure acknowledgment of each flow.
///
/// The place in the queue remains, since its transmission is booked; only the acknowledgment in it is exchanged. An
/// acknowledgment that repeats the previous number takes a place of its own, so that three duplicates arrive as three.
/// So does one of another size, for example with more SACK blocks.
#[derive(Clone, Debug)]
pub(crate) struct Thinning {
    last: ByKey<u32, Place>,
    thinned: u64,
}

/// The place of an acknowledgment in the queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) slot: SlotId,
    /// The instant at which its transmission begins.
    pub(crate) begin: Time,
    /// Its acknowledgment number.
    pub(crate) number: u64,
    pub(crate) size: u32,
}

impl Thinning {
    pub(super) fn new(_: &Values, _: RandomStream) -> Thinning {
        Thinning { last: ByKey::new(), thinned: 0 }
    }

    /// The slot in which an acknowledgment that arrives now replaces another, if it replaces one. Counts the one replaced.
    pub(crate) fn replaces(&mut self, now: Time, flow: u32, number: u64, size: u32) -> Option<SlotId> {
        let last = self.last.get_mut(flow)?;
        if last.begin <= now || last.number >= number || last.size != size {
            return None;
        }
        last.number = number;
        self.thinned += 1;
        Some(last.slot)
    }

    /// Notes the last packet of a flow in the queue: the place of an acknowledgment, or none for any other packet. No
    /// later acknowledgment may overtake such a packet.
    pub(crate) fn note(&mut self, flow: u32, place: Option<Place>) {
        match place {
            Some(place) => self.last.insert(flow, place),
            None => self.last.remove(flow),
        };
    }

    /// Acknowledgments that later ones have replaced.
    pub(crate) fn thinned(&self) -> u64 {
        self.thinned
    }
}
