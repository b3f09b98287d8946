// SPDX-License-Identifier: MIT OR GPL-2.0-only
//
// The part of a congestion control that runs in the kernel: a record for each acknowledgment and signal goes to user space by a ring
// buffer, and windows, thresholds and rates come back by a mapped array, a slot for each flow. The answer to a loss, to a mark
// and to idleness is there before the kernel asks for it.
//
// A flow is alone while the controller's heartbeat is older than HEARTBEAT_NS, a record of it did not fit into the ring, or no slot
// was free. It then goes on as Reno (RFC 5681), and begins with a new controller when it is alone no more.
#include "kernel_types.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "Dual MIT/GPL";

#define SLOTS 4096
#define NO_SLOT (~0U)
#define HEARTBEAT_NS 200000000ULL
#define RING_BYTES (4 << 20)
#define READING_ATTEMPTS 4

enum kind { START = 1, ACK, LOSS, TIMEOUT, MARK, UNDO, IDLE, END };
enum flags { ADVANCED = 1, APP_LIMITED = 2, WINDOW_LIMITED = 4, ECN = 8, VALID = 16, REPEATED = 32 };

// Of the kernel, not of its types: states of a connection (enum tcp_ca_state), tcp_sock.ecn_flags, sock.sk_pacing_status.
enum { OPEN, DISORDER, CWR, RECOVERY, AFTER_TIMEOUT };
#define TCP_ECN_OK 1
enum { PACING_NONE, PACING_NEEDED };

// Little endian here and in `event.rs`, which has the same fields in the same order.
struct event {
	__u64 now_us; // The kernel's clock of the connection: equal for a loss and the acknowledgment that shows it.
	__u64 written_ns;
	__u64 prior_us; // The latest delivery when the newest packet delivered was sent,
	__u64 sent_us; // and when it was sent.
	__u32 kind, slot, generation, number;
	__u32 cwnd, ssthresh, outstanding, in_flight, prior_in_flight;
	__u32 srtt_us;
	__s32 rtt_us;
	__u32 delivered, lost, marked; // Since the connection began.
	__u32 prior_delivered, sending_us;
	__s32 interval_us;
	__u32 mss;
	__u16 port;
	__u8 state, flags;
	__u32 unused;
};

// Written by user space alone. `sequence` is odd while it is being written.
struct answer {
	__u32 sequence, generation, number;
	__u32 cwnd, ssthresh;
	__u32 loss_cwnd, loss_ssthresh, mark_cwnd, mark_ssthresh;
	__u32 idle_cwnd; // 0: not known.
	__u64 pacing; // Bytes per second; 0: none.
	__u64 written_ns; // That of the event answered.
	__u32 is_given_up; // The controller of this generation is no more.
	__u32 unused;
};

struct counters {
	__u64 flows, refused, acks, applied, lag_ns, acks_late, alone, dropped, torn;
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RING_BYTES);
} events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, SLOTS);
	__type(key, __u32);
	__type(value, struct answer);
} answers SEC(".maps");

// Free slots. User space fills it once; the slot that has been free for the longest is taken first.
struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, SLOTS);
	__type(value, __u32);
} free_slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} heartbeat SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct counters);
} counted SEC(".maps");

static __u32 generations = 0;

extern void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;

// The flow's own state, in its socket: at most 104 bytes.
struct own {
	__u32 slot, generation, applied, una;
	__u32 number; // Of the latest record,
	__u32 barrier; // and of the latest signal: answers to records before it are out of date.
	__u32 cwnd; // The latest window from the controller; 0: none.
	__u32 repaired; // Packets delivered in this reduction.
	__u32 loss_cwnd, loss_ssthresh, mark_cwnd, mark_ssthresh, idle_cwnd;
	__u8 state, is_alone, is_paced;
};

static __always_inline struct own *own_of(struct sock *sk)
{
	return (struct own *)((struct inet_connection_sock *)sk)->icsk_ca_priv;
}

static __always_inline __u8 state_of(struct sock *sk)
{
	return BPF_CORE_READ_BITFIELD((struct inet_connection_sock *)sk, icsk_ca_state);
}

#define COUNT(field, n)                                                        \
	do {                                                                   \
		__u32 first = 0;                                               \
		struct counters *all = bpf_map_lookup_elem(&counted, &first);  \
		if (all)                                                       \
			__sync_fetch_and_add(&all->field, (n));                \
	} while (0)

static __always_inline __u32 in_flight(struct tcp_sock *tp)
{
	return tp->packets_out - tp->sacked_out - tp->lost_out + tp->retrans_out;
}

static __always_inline __u8 is_window_limited(struct tcp_sock *tp)
{
	if (BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited))
		return 1;
	// In slow start the window grows if at least half of it was in use (tcp_is_cwnd_limited).
	return tp->snd_cwnd < tp->snd_ssthresh && tp->snd_cwnd < 2 * tp->max_packets_out;
}

static bool report(struct sock *sk, __u32 kind, const struct rate_sample *rs)
{
	struct own *own = own_of(sk);
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct event *e;

	if (own->slot == NO_SLOT)
		return false;
	e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);
	if (!e) {
		COUNT(dropped, 1);
		own->is_alone = 1;
		return false;
	}
	__builtin_memset(e, 0, sizeof(*e));
	e->now_us = tp->tcp_mstamp;
	e->written_ns = bpf_ktime_get_ns();
	e->kind = kind;
	e->slot = own->slot;
	e->generation = own->generation;
	e->number = ++own->number;
	e->cwnd = tp->snd_cwnd;
	e->ssthresh = tp->snd_ssthresh;
	e->outstanding = tp->packets_out;
	e->in_flight = in_flight(tp);
	e->prior_in_flight = e->in_flight;
	e->srtt_us = tp->srtt_us >> 3;
	e->rtt_us = -1;
	e->delivered = tp->delivered;
	e->lost = tp->lost;
	e->marked = tp->delivered_ce;
	e->mss = tp->mss_cache;
	e->port = sk->__sk_common.skc_num;
	e->state = state_of(sk);
	e->flags = is_window_limited(tp) ? WINDOW_LIMITED : 0;
	if (tp->ecn_flags & TCP_ECN_OK)
		e->flags |= ECN;
	if (kind == TIMEOUT && ((struct inet_connection_sock *)sk)->icsk_retransmits)
		e->flags |= REPEATED;
	if (rs) {
		e->sent_us = tp->first_tx_mstamp;
		e->prior_us = rs->prior_mstamp;
		e->prior_delivered = rs->prior_delivered;
		e->sending_us = rs->snd_interval_us;
		e->interval_us = rs->interval_us;
		e->rtt_us = rs->rtt_us;
		e->prior_in_flight = rs->prior_in_flight;
		if (rs->delivered > 0 && rs->prior_mstamp)
			e->flags |= VALID;
		if (rs->is_app_limited)
			e->flags |= APP_LIMITED;
		if (own->una != tp->snd_una)
			e->flags |= ADVANCED;
	}
	own->una = tp->snd_una;
	bpf_ringbuf_submit(e, 0);
	return true;
}

static __always_inline void set_cwnd(struct tcp_sock *tp, __u32 cwnd)
{
	__u32 clamp = tp->snd_cwnd_clamp;

	tp->snd_cwnd = cwnd < 1 ? 1 : cwnd > clamp ? clamp : cwnd;
}

static void begin(struct sock *sk)
{
	struct own *own = own_of(sk);

	own->generation = __sync_fetch_and_add(&generations, 1) + 1;
	own->applied = own->cwnd = 0;
	own->loss_cwnd = own->loss_ssthresh = own->mark_cwnd = own->mark_ssthresh = own->idle_cwnd = 0;
	own->is_alone = !report(sk, START, 0);
	own->barrier = own->number;
}

// A signal sets the window at once, whatever answers are under way.
static void signal(struct sock *sk, __u32 kind, __u32 cwnd)
{
	struct own *own = own_of(sk);
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	__u32 flight = in_flight(tp);

	// A retransmission leaves at once, even where a timer found the loss.
	if (cwnd)
		set_cwnd(tp, kind == LOSS && cwnd <= flight ? flight + 1 : cwnd);
	own->cwnd = cwnd;
	own->repaired = 0;
	report(sk, kind, 0);
	own->barrier = own->number;
}

// Reads the latest answer to this flow, unless none is whole; keeps what the kernel may ask for before the next acknowledgment.
static bool read_answer(struct own *own, struct answer *read)
{
	__u32 slot = own->slot;
	struct answer *shared = bpf_map_lookup_elem(&answers, &slot);
	int attempt;

	if (!shared)
		return false;
	for (attempt = 0; attempt < READING_ATTEMPTS; attempt++) {
		// Atomic operations are barriers on every processor; plain loads are not.
		__u32 before = __sync_fetch_and_add(&shared->sequence, 0);

		__builtin_memcpy(read, shared, sizeof(*read));
		if ((before & 1) || __sync_fetch_and_add(&shared->sequence, 0) != before)
			continue;
		if (read->generation != own->generation)
			return false;
		own->loss_cwnd = read->loss_cwnd;
		own->loss_ssthresh = read->loss_ssthresh;
		own->mark_cwnd = read->mark_cwnd;
		own->mark_ssthresh = read->mark_ssthresh;
		own->idle_cwnd = read->idle_cwnd;
		return true;
	}
	COUNT(torn, 1);
	return false;
}

static bool has_controller(struct own *own)
{
	__u32 first = 0, slot = own->slot;
	__u64 *beat = bpf_map_lookup_elem(&heartbeat, &first);
	struct answer *shared;

	if (slot == NO_SLOT || !beat || bpf_ktime_get_ns() - *(volatile __u64 *)beat > HEARTBEAT_NS)
		return false;
	shared = bpf_map_lookup_elem(&answers, &slot);
	return shared && !(*(volatile __u32 *)&shared->is_given_up == 1 && shared->generation == own->generation);
}

static __always_inline void set_rate(struct sock *sk, __u64 rate)
{
	__u64 limit = sk->sk_max_pacing_rate;

	sk->sk_pacing_rate = rate < limit ? rate : limit;
}

// Without a rate from the controller, the kernel's own (tcp_update_pacing_rate): twice the window in a round trip in slow start,
// 1.2 times otherwise. It sizes bursts, and paces only where the queueing discipline fq does.
static void estimate_rate(struct sock *sk)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	__u64 percent = tp->snd_cwnd < tp->snd_ssthresh / 2 ? 200 : 120;
	__u64 window = tp->snd_cwnd > tp->packets_out ? tp->snd_cwnd : tp->packets_out;
	__u64 rate = window * tp->mss_cache * percent * (8 * 10000ULL);

	if (sk->sk_pacing_status == PACING_NEEDED)
		sk->sk_pacing_status = PACING_NONE;
	set_rate(sk, tp->srtt_us ? rate / tp->srtt_us : rate);
}

// Reno, for a flow that is alone.
static void go_on_as_reno(struct sock *sk, __u32 ack, __u32 acked)
{
	struct own *own = own_of(sk);
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	__u8 state = state_of(sk);

	COUNT(alone, 1);
	own->una = tp->snd_una;
	if (own->is_paced) {
		// A controller that sets rates has no threshold: its window is near what the path holds.
		own->is_paced = 0;
		if (tp->snd_ssthresh > tp->snd_cwnd)
			tp->snd_ssthresh = tp->snd_cwnd > 2 ? tp->snd_cwnd : 2;
	}
	if ((state == CWR || state == RECOVERY) && tp->snd_cwnd > tp->snd_ssthresh)
		tp->snd_cwnd = tp->snd_ssthresh;
	if ((state == OPEN || state == DISORDER || state == AFTER_TIMEOUT) && acked && is_window_limited(tp))
		tcp_reno_cong_avoid(sk, ack, acked);
	estimate_rate(sk);
}

static void apply(struct sock *sk)
{
	struct own *own = own_of(sk);
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct answer answer;

	if (read_answer(own, &answer) && answer.sequence != own->applied &&
	    (__s32)(answer.number - own->barrier) >= 0) {
		own->applied = answer.sequence;
		own->cwnd = answer.cwnd;
		tp->snd_ssthresh = answer.ssthresh;
		own->is_paced = answer.pacing != 0;
		if (own->is_paced) {
			set_rate(sk, answer.pacing);
			if (sk->sk_pacing_status == PACING_NONE)
				sk->sk_pacing_status = PACING_NEEDED;
		}
		COUNT(applied, 1);
		COUNT(lag_ns, bpf_ktime_get_ns() - answer.written_ns);
		COUNT(acks_late, own->number + 1 - answer.number);
	}
	if (!own->is_paced)
		estimate_rate(sk);
}

// Proportional rate reduction (RFC 9937) down to the controller's window, which the kernel leaves to congestion controls that take each
// acknowledgment. A controller that sets rates has its own rule.
static void limit(struct sock *sk, const struct rate_sample *rs, bool advanced)
{
	struct own *own = own_of(sk);
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	__u8 state = state_of(sk);
	__u32 flight = in_flight(tp), delivered = rs->acked_sacked;
	__s32 send;

	if (!own->cwnd)
		return;
	if (own->is_paced || !tp->prior_cwnd || (state != RECOVERY && state != CWR)) {
		set_cwnd(tp, own->cwnd);
		return;
	}
	if (!delivered)
		return;
	own->repaired += delivered;
	if (flight > own->cwnd) {
		__u64 share = (__u64)own->cwnd * own->repaired + tp->prior_cwnd - 1;

		send = (__s32)(share / tp->prior_cwnd) - (__s32)tp->prr_out;
	} else {
		// Slow start while nothing more is lost, packet conservation otherwise.
		send = (__s32)(own->repaired - tp->prr_out);
		if (send < (__s32)delivered)
			send = delivered;
		if (advanced && rs->losses <= 0)
			send++;
		if (send > (__s32)(own->cwnd - flight))
			send = own->cwnd - flight;
	}
	// The first retransmission leaves at once.
	if (send < 1)
		send = tp->prr_out ? 0 : 1;
	set_cwnd(tp, flight + send);
}

static __always_inline void control(struct sock *sk, __u32 ack, const struct rate_sample *rs)
{
	struct own *own = own_of(sk);

	COUNT(acks, 1);
	if (!has_controller(own)) {
		own->is_alone = 1;
		go_on_as_reno(sk, ack, rs->acked_sacked);
	} else if (own->is_alone) {
		begin(sk);
		go_on_as_reno(sk, ack, rs->acked_sacked);
	} else {
		bool advanced = own->una != ((struct tcp_sock *)sk)->snd_una;

		apply(sk);
		report(sk, ACK, rs);
		limit(sk, rs, advanced);
	}
}

SEC("struct_ops")
void BPF_PROG(flow_control, struct sock *sk, __u32 ack, int flag, const struct rate_sample *rs)
{
	control(sk, ack, rs);
}

// Before Linux 6.10.
SEC("struct_ops")
void BPF_PROG(flow_control_6_9, struct sock *sk, const struct rate_sample *rs)
{
	control(sk, ((struct tcp_sock *)sk)->snd_una, rs);
}

SEC("struct_ops")
void BPF_PROG(flow_init, struct sock *sk)
{
	struct own *own = own_of(sk);
	__u32 slot;

	__builtin_memset(own, 0, sizeof(*own));
	COUNT(flows, 1);
	// An earlier algorithm of the socket may have asked for pacing, as bbr does.
	estimate_rate(sk);
	own->una = ((struct tcp_sock *)sk)->snd_una;
	if (bpf_map_pop_elem(&free_slots, &slot)) {
		slot = NO_SLOT;
		COUNT(refused, 1);
	}
	own->slot = slot;
	if (has_controller(own))
		begin(sk);
	else
		own->is_alone = 1;
}

SEC("struct_ops")
void BPF_PROG(flow_release, struct sock *sk)
{
	struct own *own = own_of(sk);
	__u32 slot = own->slot;

	if (slot == NO_SLOT)
		return;
	report(sk, END, 0);
	bpf_map_push_elem(&free_slots, &slot, 0);
	own->slot = NO_SLOT;
}

SEC("struct_ops")
void BPF_PROG(flow_set_state, struct sock *sk, __u8 state)
{
	struct own *own = own_of(sk);
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	__u8 before = own->state;

	own->state = state;
	if (own->is_alone || !has_controller(own))
		return;
	if (state == AFTER_TIMEOUT) {
		// The kernel has set its window of one packet.
		signal(sk, TIMEOUT, tp->snd_cwnd);
	} else if (state <= before) {
		return;
	} else if (state == CWR && (tp->ecn_flags & TCP_ECN_OK)) {
		if (own->mark_ssthresh)
			tp->snd_ssthresh = own->mark_ssthresh;
		signal(sk, MARK, own->mark_cwnd);
	} else if (before < CWR && state >= CWR) {
		// A loss in the network, or, in the state CWR, in the device's own queue.
		signal(sk, LOSS, own->loss_cwnd);
	}
}

// Asked when an episode begins, before its state is set: a timeout, a loss or a mark. A timeout's threshold is that of a loss.
SEC("struct_ops")
__u32 BPF_PROG(flow_ssthresh, struct sock *sk)
{
	struct own *own = own_of(sk);
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	__u32 half = tp->snd_cwnd >> 1;

	if (!own->is_alone && own->loss_ssthresh && has_controller(own)) {
		struct answer latest;

		read_answer(own, &latest);
		return own->loss_ssthresh;
	}
	return half < 2 ? 2 : half;
}

SEC("struct_ops")
__u32 BPF_PROG(flow_undo, struct sock *sk)
{
	struct own *own = own_of(sk);
	struct tcp_sock *tp = (struct tcp_sock *)sk;

	__u32 restored = tp->snd_cwnd > tp->prior_cwnd ? tp->snd_cwnd : tp->prior_cwnd;

	if (!own->is_alone)
		signal(sk, UNDO, restored);
	return restored;
}

// The kernel restarts no window after idleness where cong_control is set: its rule (RFC 5681, 4.1) stands here.
SEC("struct_ops")
void BPF_PROG(flow_event, struct sock *sk, enum tcp_ca_event event)
{
	struct own *own = own_of(sk);
	struct tcp_sock *tp = (struct tcp_sock *)sk;

	if (event != CA_EVENT_TX_START || own->is_alone || !tp->lsndtime)
		return;
	if ((__s32)((__u32)bpf_jiffies64() - tp->lsndtime) <= (__s32)((struct inet_connection_sock *)sk)->icsk_rto)
		return;
	signal(sk, IDLE, own->idle_cwnd);
}

SEC(".struct_ops.link")
struct tcp_congestion_ops current = {
	.init = (void *)flow_init,
	.release = (void *)flow_release,
	.cong_control = (void *)flow_control,
	.set_state = (void *)flow_set_state,
	.ssthresh = (void *)flow_ssthresh,
	.undo_cwnd = (void *)flow_undo,
	.cwnd_event = (void *)flow_event,
	.name = "ackclock",
};

SEC(".struct_ops.link")
struct tcp_congestion_ops before_6_10 = {
	.init = (void *)flow_init,
	.release = (void *)flow_release,
	.cong_control = (void *)flow_control_6_9,
	.set_state = (void *)flow_set_state,
	.ssthresh = (void *)flow_ssthresh,
	.undo_cwnd = (void *)flow_undo,
	.cwnd_event = (void *)flow_event,
	.name = "ackclock",
};
