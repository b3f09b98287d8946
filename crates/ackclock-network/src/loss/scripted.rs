//! Losses of chosen packets.

use ackclock_catalogue::{Entry, Key};

/// Losses of numbered packets, for examples that can be followed by hand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptedLoss {
    /// The flow whose packets are lost.
    pub flow: u32,
    /// The numbers of its lost data packets, counted from 1 as they are offered to this link direction, including
    /// retransmissions and packets that the queue then drops.
    pub packets: Vec<u64>,
}

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "loss",
    name: "scripted",
    title: "loses chosen packets of one flow, for examples that can be followed by hand",
    source: "common practice",
    table: "loss.scripted",
    keys: &[
        Key::required("flow", "0", "the flow's number, from 0 in the order of the file, TCP before UDP"),
        Key::required(
            "packets",
            "[14, 28]",
            "ordinals, from 1, among the data packets of that flow offered to this link direction, retransmissions \
             included",
        ),
    ],
    ..Entry::PLAIN
};

/// The state: the ordinals and the number of packets seen.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    flow: u32,
    ordinals: Vec<u64>,
    next: usize,
    seen: u64,
}

impl Script {
    pub fn new(script: &ScriptedLoss) -> Script {
        let mut ordinals = script.packets.clone();
        ordinals.sort_unstable();
        ordinals.dedup();
        // Packets are counted from 1. A 0 in the script is skipped, so that it does not stop the
        // script.
        let next = usize::from(ordinals.first() == Some(&0));
        Script { flow: script.flow, ordinals, next, seen: 0 }
    }

    /// Counts a packet of flow `of` that is offered now, and decides whether it is due to be lost.
    pub fn is_due(&mut self, of: u32, data: bool) -> bool {
        if !data || of != self.flow {
            return false;
        }
        self.seen += 1;
        let due = self.ordinals.get(self.next) == Some(&self.seen);
        self.next += usize::from(due);
        due
    }
}
