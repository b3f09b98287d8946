//! Overtaking: packets on the wire do not keep their order.

use ackclock_catalogue::{Entry, Values};

use crate::RandomStream;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "impairment",
    name: "overtaking",
    title: "lets packets overtake each other wherever delays allow it: where a delay falls, or where it varies at random",
    source: "RFC 4737 (reordering)",
    ..Entry::PLAIN
};

/// The impairment, which has no state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Overtaking;

impl Overtaking {
    pub(super) fn new(_: &Values, _: RandomStream) -> Overtaking {
        Overtaking
    }
}
