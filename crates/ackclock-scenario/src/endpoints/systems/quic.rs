//! The recommendations of QUIC's recovery document (RFC 9002) on TCP's segments.

use ackclock_catalogue::Entry;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "system",
    name: "quic",
    title: "NewReno, QUIC's loss detection and pacing with the numbers of RFC 9002",
    source: "RFC 9002; RFC 9000 (acknowledgments)",
    ..Entry::PLAIN
};

/// The keys of `[tcp]`.
pub(super) const KEYS: &str = r#"
# 6: packet and time thresholds, probe timeouts; 7.2, 7.3: NewReno
algorithm = "rfc9002+standard+reno"
# A datagram of 1200 bytes (RFC 9000, 14): a short header of 11 bytes, a tag of 16, a frame's header of 8; UDP and IPv4 have 28
mss = "1165 bytes"
header = "63 bytes"
timestamps = false
# 7.2: kInitialWindow
initial_window = "10 packets"
# RFC 9000, 13.2.2 and 18.2: every second packet, max_ack_delay
segments_per_ack = 2
ack_delay = "25 ms"
# 6.2.2: kInitialRtt of 333 ms, a variation of half of that
rto_initial = "999 ms"
# 6.1.2, 6.2.1: kGranularity
clock_granularity = "1 ms"
# 7.8 has nothing on idle times
restart_after_idle = false
# 7.7
pacing = "rfc9002"
syn_timeout = "999 ms"
# RFC 9002 has no rule for a packet of the handshake that is lost
window_after_lost_syn = "kept"
"#;
