//! Limited Transmit (RFC 3042): the first duplicate acknowledgments send new data, which brings further ones.

use ackclock_catalogue::Entry;

use crate::tcp::settings::Settings;

pub(crate) const ENTRY: Entry = Entry {
    kind: "mechanism",
    name: "limited-transmit",
    title: "each of the first two duplicate acknowledgments sends a segment of new data",
    source: "RFC 3042, 2",
    table: "tcp",
    keys: &[Settings::switch("limited_transmit")],
    ..Entry::PLAIN
};

/// New segments that duplicate acknowledgments outside recovery may send.
pub(crate) const SEGMENTS: i32 = 2;
