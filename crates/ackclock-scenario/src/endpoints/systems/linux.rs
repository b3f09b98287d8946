//! TCP of Linux, version 6.

use ackclock_catalogue::Entry;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "system",
    name: "linux",
    title: "CUBIC with HyStart, RACK-TLP with PRR, and timers of Linux 6",
    source: "Linux 6.x: net/ipv4/tcp*.c, include/net/tcp.h, Documentation/networking/ip-sysctl.rst",
    ..Entry::PLAIN
};

/// The keys of `[tcp]`.
pub(super) const KEYS: &str = r#"
algorithm = "rack+hystart-linux+cubic-linux"
# Timestamps take 12 bytes of each segment.
mss = "1448 bytes"
header = "52 bytes"
timestamps = true
# TCP_INIT_CWND
initial_window = "10 packets"
# TCP_DELACK_MIN; tcp_dsack, tcp_frto
segments_per_ack = 2
ack_delay = "40 ms"
# TCP_MAX_QUICKACKS
quick_acks = 16
dsack = true
frto = true
# TCP_TIMEOUT_INIT, TCP_RTO_MIN, TCP_RTO_MAX
rto_initial = "1 s"
rto_min = "200 ms"
# tcp_rtt_estimator, __tcp_set_rto: RTTVAR is at least TCP_RTO_MIN
rto_min_bounds = "variation"
rto_max = "120 s"
rto_backoff_until = "any-sample"
rearm_at_fast_retransmit = true
reordering_timer_slack = "2 ms"
# tcp_is_cwnd_limited
limited_growth = "linux"
# tcp_may_raise_cwnd
grow_by_sack = true
# tcp_init_cwnd_reduction, cubictcp_recalc_ssthresh: the window; tcp_cwnd_reduction, tcp_enter_cwr; tcp_cong_control; a lost
# retransmission begins no other recovery
reduction_base = "window"
proportional_rate = "linux"
reduction_for_marks = true
growth_at_end_of_recovery = true
reduce_again = false
# tcp_schedule_loss_probe
loss_probe_wait = "linux"
# tcp_rack_advance
rack_rtt = "linux"
# tcp_init_transfer
window_after_lost_syn = "rfc6928"
# tcp_ecn_option = 2, tcp_ecn_fallback; tcp_ecn_received_counters, __tcp_accecn_process, tcp_ecn_send
accecn_option = true
accecn_option_always = true
accecn_ack_changes = true
accecn_cycles = "linux"
ecn_control_packets = true
ecn_fallback = true
# tcp_syn_linear_timeouts = 4, tcp_syn_retries = 6
syn_linear_timeouts = 4
syn_timeout = "1 s"
syn_attempts = 7
"#;
