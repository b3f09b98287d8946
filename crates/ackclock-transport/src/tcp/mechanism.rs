//! The mechanisms of TCP endpoints, one a file, each the owner of its state.

use ackclock_catalogue::Entry;

pub(crate) mod accurate_ecn;
pub(crate) mod byte_counters;
pub(crate) mod dsack;
pub(crate) mod early_retransmit;
pub(crate) mod ecn;
pub(crate) mod ecn_validation;
pub(crate) mod eifel;
pub(crate) mod fast_open;
pub(crate) mod fast_start;
pub(crate) mod frto;
pub(crate) mod handshake;
pub(crate) mod initial_window;
pub(crate) mod limited_growth;
pub(crate) mod limited_transmit;
pub(crate) mod once_time;
pub(crate) mod pacer;
pub(crate) mod persist;
pub(crate) mod pipe_ack;
pub(crate) mod quick_acks;
pub(crate) mod receive_buffer;
pub(crate) mod receive_tuning;
pub(crate) mod retransmission_queue;
pub(crate) mod rewind;
pub(crate) mod rledbat;
pub(crate) mod rtt;
pub(crate) mod sequence_ranges;
pub(crate) mod session;
pub(crate) mod slow_start_acks;
pub(crate) mod smart_framing;
pub(crate) mod spurious_detection;
pub(crate) mod timers;
pub(crate) mod transactions;
pub(crate) mod validation;

/// The congestion controls of receivers.
pub static RECEIVER_CONTROLS: &[Entry] = &[rledbat::ENTRY];

/// The catalogue entries of the mechanisms that keys of `[tcp]` switch on.
pub const ENTRIES: &[Entry] = &[
    initial_window::ENTRY,
    limited_growth::ENTRY,
    limited_transmit::ENTRY,
    early_retransmit::ENTRY,
    smart_framing::ENTRY,
    slow_start_acks::ENTRY,
    fast_open::ENTRY,
    frto::ENTRY,
    dsack::ENTRY,
    byte_counters::ENTRY,
    ecn_validation::ENTRY,
    rledbat::ENTRY,
];
