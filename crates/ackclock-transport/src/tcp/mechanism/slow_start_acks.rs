//! Delayed acknowledgments after slow start (Allman 1998): in slow start every segment is acknowledged.

use ackclock_catalogue::Entry;

use crate::tcp::settings::Settings;

pub(crate) const ENTRY: Entry = Entry {
    kind: "mechanism",
    name: "delayed-acks-after-slow-start",
    title: "acknowledgments are delayed once slow start is over, which the sender says in each segment",
    source: "Allman, ACM CCR 28(5), 1998; burst-tcp, 3.3.3",
    table: "tcp",
    keys: &[Settings::switch("delay_acks_after_slow_start")],
    ..Entry::PLAIN
};

/// True if a sender with this window and threshold is in slow start.
pub(crate) fn is_in_slow_start(cwnd: f64, ssthresh: f64) -> bool {
    cwnd < ssthresh
}
