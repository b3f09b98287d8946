//! TCP of FreeBSD 14, its system freebsd.

use ackclock_catalogue::Entry;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "system",
    name: "freebsd",
    title: "CUBIC, SACK with PRR, and timers of FreeBSD 14",
    source: "FreeBSD 14: tcp(4), cc_cubic(4), sys/netinet/tcp_timer.h",
    ..Entry::PLAIN
};

/// The keys of `[tcp]`.
pub(super) const KEYS: &str = r#"
# net.inet.tcp.abc_l_var = 2, net.inet.tcp.do_prr = 1
algorithm = "prr+standard(limit=2)+cubic"
mss = "1448 bytes"
header = "52 bytes"
timestamps = true
# net.inet.tcp.initcwnd_segments, net.inet.tcp.delacktime
initial_window = "10 packets"
segments_per_ack = 2
ack_delay = "40 ms"
# net.inet.tcp.rexmit_initial; rexmit_min of 30 ms, to which rexmit_slop of 200 ms is added; TCPTV_REXMTMAX
rto_initial = "1 s"
rto_min = "230 ms"
rto_max = "64 s"
syn_timeout = "1 s"
# TCPTV_KEEP_INIT: 75 s
syn_attempts = 7
"#;
