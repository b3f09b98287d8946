//! TCP of Windows: the template Internet of Windows Server 2019 and later.

use ackclock_catalogue::Entry;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "system",
    name: "windows",
    title: "CUBIC with HyStart++, RACK-TLP, and timers of the template Internet",
    source: "Microsoft, TCP templates for Windows Server 2019 (2018); RFC 9406 (HyStart++)",
    ..Entry::PLAIN
};

/// The keys of `[tcp]`.
pub(super) const KEYS: &str = r#"
algorithm = "rack+hystart+cubic"
mss = "1460 bytes"
header = "40 bytes"
timestamps = false
# InitialCongestionWindow(MSS), DelayedAckFrequency, DelayedAckTimeout(ms), MinRto(ms)
initial_window = "10 packets"
segments_per_ack = 2
ack_delay = "40 ms"
rto_initial = "1 s"
rto_min = "300 ms"
rearm_at_fast_retransmit = true
# CwndRestart
restart_after_idle = false
syn_timeout = "1 s"
# MaxSynRetransmissions
syn_attempts = 5
"#;
