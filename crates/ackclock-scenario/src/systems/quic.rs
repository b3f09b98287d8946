//! The recommendations of QUIC's recovery document (RFC 9002), as far as TCP has them.

use ackclock_catalogue::Entry;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "system",
    name: "quic",
    title: "NewReno, loss probes and pacing with the numbers of RFC 9002",
    source: "RFC 9002; RFC 9000 (acknowledgments)",
    ..Entry::PLAIN
};

/// The keys of `[tcp]`.
pub(super) const KEYS: &str = r#"
# 7.2, 7.3: NewReno
algorithm = "rack+standard+reno"
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
rto_min = "200 ms"
# 6.2.1: the back-off ends with any acknowledgment
rto_backoff_until = "any-sample"
rearm_at_fast_retransmit = true
# 6.1.2, 6.2.3: kGranularity
clock_granularity = "1 ms"
# A probe that was not needed changes no window
frto = true
# 7.7
pacing = "rfc9002"
syn_timeout = "999 ms"
"#;
