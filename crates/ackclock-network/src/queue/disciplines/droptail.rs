//! First in, first out, with tail drop.

use ackclock_catalogue::{Entry, Values};

use crate::queue::discipline::{Built, Discipline, Site};

/// First in, first out; a packet that does not fit is dropped. The link itself is such a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DropTail;

impl Discipline for DropTail {
    const ENTRY: Entry = Entry {
        kind: "queue",
        name: "droptail",
        title: "first in, first out; what does not fit is dropped",
        source: "common practice",
        ..Entry::PLAIN
    };

    const ON_ARRIVAL: bool = true;

    fn make(_: &Values) -> DropTail {
        DropTail
    }

    fn build(&self, _: &Site<'_>) -> Built {
        Built::DropTail
    }
}
