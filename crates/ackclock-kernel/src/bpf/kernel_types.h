// The parts of the kernel's types that the datapath reads, in the kernel's names. Offsets are the running kernel's: libbpf relocates
// every access by BTF (CO-RE), so that neither order nor completeness matters here, and no vmlinux.h is needed to compile.
#pragma once

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef _Bool bool;
#define true 1
#define false 0

// Values of the kernel's user interface (linux/bpf.h).
enum bpf_map_type {
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_QUEUE = 22,
	BPF_MAP_TYPE_RINGBUF = 27,
};
enum {
	BPF_F_MMAPABLE = 1 << 10,
};

#define RELOCATED __attribute__((preserve_access_index))

struct sock_common {
	__u16 skc_num;
} RELOCATED;

struct sock {
	struct sock_common __sk_common;
	unsigned long sk_pacing_rate;
	unsigned long sk_max_pacing_rate;
	__u32 sk_pacing_status;
} RELOCATED;

struct inet_connection_sock {
	__u8 icsk_ca_state : 5;
	__u8 icsk_retransmits;
	__u32 icsk_rto;
	__u64 icsk_ca_priv[13];
} RELOCATED;

struct tcp_sock {
	__u64 tcp_mstamp;
	__u64 first_tx_mstamp;
	__u32 snd_una;
	__u32 snd_cwnd;
	__u32 snd_cwnd_clamp;
	__u32 snd_ssthresh;
	__u32 prior_cwnd;
	__u32 prr_out;
	__u32 packets_out;
	__u32 sacked_out;
	__u32 lost_out;
	__u32 retrans_out;
	__u32 max_packets_out;
	__u32 srtt_us;
	__u32 mss_cache;
	__u32 delivered;
	__u32 delivered_ce;
	__u32 lost;
	__u32 lsndtime;
	__u8 ecn_flags;
	__u8 is_cwnd_limited : 1;
} RELOCATED;

struct rate_sample {
	__u64 prior_mstamp;
	__u32 prior_delivered;
	__s32 delivered;
	long interval_us;
	__u32 snd_interval_us;
	long rtt_us;
	int losses;
	__u32 acked_sacked;
	__u32 prior_in_flight;
	bool is_app_limited;
} RELOCATED;

enum tcp_ca_event {
	CA_EVENT_TX_START,
};

// The operations in the order of Linux 6.18; libbpf matches them by name.
struct tcp_congestion_ops {
	__u32 (*ssthresh)(struct sock *sk);
	void (*set_state)(struct sock *sk, __u8 new_state);
	void (*cwnd_event)(struct sock *sk, enum tcp_ca_event ev);
	void (*cong_control)(struct sock *sk, __u32 ack, int flag, const struct rate_sample *rs);
	__u32 (*undo_cwnd)(struct sock *sk);
	void (*init)(struct sock *sk);
	void (*release)(struct sock *sk);
	char name[16];
};
