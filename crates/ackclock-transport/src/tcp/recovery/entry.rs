//! The entry of a recovery: its place in the catalogue, and its needs of the rest of the connection.

use ackclock_catalogue::Entry;

/// The catalogue entry of a recovery, and its needs.
#[derive(Clone, Copy, Debug)]
pub struct RecoveryEntry {
    /// Its name, title and source.
    pub entry: Entry,
    /// Its needs of the rest of the connection.
    pub(super) needs: Needs,
}

/// The needs of a recovery, fixed for the life of a connection.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a need of its own")]
pub(crate) struct Needs {
    /// True if the receiver reports selective acknowledgments (RFC 2018).
    pub sack: bool,
    /// True if segments are judged by the time at which they were sent: the queue then keeps retransmissions in
    /// that order.
    pub send_times: bool,
    /// True if every sample moves the RTT estimate in full, however many there are in a round trip (RFC 6298
    /// without appendix G of RFC 7323).
    pub full_rtt_gain: bool,
    /// True if the recovery must see every segment sent, because it counts what may be sent in fast recovery or
    /// schedules probes.
    pub sees_sent: bool,
    /// True if its own timer replaces the retransmission timer (RFC 9002, 6.2).
    pub probe_timeouts: bool,
}

impl Needs {
    /// The cumulative acknowledgments of RFC 5681 alone.
    pub(super) const NONE: Needs = Needs {
        sack: false,
        send_times: false,
        full_rtt_gain: false,
        sees_sent: false,
        probe_timeouts: false,
    };
    /// Selective acknowledgments.
    pub(super) const SACK: Needs = Needs { sack: true, ..Needs::NONE };
}
