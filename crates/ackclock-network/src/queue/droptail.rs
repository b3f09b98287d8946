//! First in, first out, with tail drop.

use ackclock_catalogue::Entry;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "queue",
    name: "droptail",
    title: "first in, first out; what does not fit is dropped",
    source: "common practice",
    ..Entry::PLAIN
};
