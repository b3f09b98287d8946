//! The protocols that carry the packets of a flow, and the keys by which a scenario selects them.
//!
//! A protocol is a file in `protocols/` with its catalogue entry, and a line in the list below.

mod p_http;
mod quic;
mod sctp;
mod tcp;
mod udp;

use ackclock_catalogue::Entry;

/// The catalogue entries of the protocols.
pub static ENTRIES: &[Entry] = &[tcp::ENTRY, p_http::ENTRY, sctp::ENTRY, quic::QUINN, quic::NOQ, udp::ENTRY];
