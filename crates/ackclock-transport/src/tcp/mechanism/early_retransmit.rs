//! Early Retransmit (RFC 5827): few outstanding segments cause few duplicates, so fewer duplicates then mean a
//! loss.

use ackclock_catalogue::Entry;

use crate::tcp::settings::Settings;

pub(crate) const ENTRY: Entry = Entry {
    kind: "mechanism",
    name: "early-retransmit",
    title: "one duplicate of two segments outstanding means a loss, and two of three",
    source: "RFC 5827, 2, by segments",
    table: "tcp",
    keys: &[Settings::switch("early_retransmit")],
    ..Entry::PLAIN
};

/// The number of duplicates that means a loss (section 2). With fewer than four segments outstanding, and no
/// new data that may be sent, at most all but one of them cause duplicates, and that many mean a loss.
/// Otherwise it is `usual`.
pub(crate) fn threshold(usual: u32, outstanding: u32, may_send_new: bool) -> u32 {
    match outstanding {
        2..4 if !may_send_new => usual.min(outstanding - 1),
        _ => usual,
    }
}
