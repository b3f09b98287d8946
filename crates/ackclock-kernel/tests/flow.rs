//! The adapter from the kernel's records to a controller's facts, by timelines worked out by hand.

#![expect(clippy::float_cmp, reason = "counts of packets are exact")]

use ackclock_congestion::conformance::{Call, Record, checked};
use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{Ack, Event as Other, Signal};
use ackclock_kernel::{Event, Flow, Kind, State};

const MS: u64 = 1000;

/// A record of a flow whose kernel delivered the SYN and nothing else.
fn record(kind: Kind, now_us: u64) -> Event {
    Event {
        now_us,
        written_ns: 0,
        prior_us: 0,
        sent_us: 0,
        kind,
        slot: 0,
        generation: 1,
        number: 0,
        cwnd: 10,
        ssthresh: 0x7fff_ffff,
        outstanding: 10,
        in_flight: 10,
        prior_in_flight: 10,
        srtt_us: 0,
        rtt_us: None,
        delivered: 1,
        lost: 0,
        marked: 0,
        prior_delivered: 0,
        sending_us: 0,
        interval_us: None,
        mss: 1448,
        port: 4000,
        state: State::Open,
        advanced: false,
        app_limited: false,
        window_limited: true,
        ecn: false,
        has_newest: false,
        repeated: false,
    }
}

/// An acknowledgment at `now` of a packet sent 40 ms before, when `prior` packets had been delivered.
fn ack(now: u64, delivered: u32, prior: u32) -> Event {
    Event {
        prior_us: now - 40 * MS,
        sent_us: now - 40 * MS,
        srtt_us: 40_000,
        rtt_us: Some(40_000),
        delivered: 1 + delivered,
        prior_delivered: 1 + prior,
        interval_us: Some(40_000),
        advanced: true,
        has_newest: true,
        ..record(Kind::Ack, now)
    }
}

fn flow(spec: &str) -> (Flow, Record) {
    let start = record(Kind::Start, 0);
    let spec: ControllerSpec = spec.parse().unwrap();
    let (controller, calls) = checked(spec.build(&Flow::start(&start)));
    (Flow::new(controller, &start), calls)
}

fn acks(calls: &Record) -> Vec<Ack> {
    let of = |call: &Call| if let Call::Ack(ack) = call { Some(*ack) } else { None };
    calls.calls().iter().filter_map(of).collect()
}

/// Ten packets are sent at once; the next ten as they are acknowledged. A packet of the second ten ends the second round.
#[test]
fn a_round_ends_with_a_packet_sent_after_its_beginning() {
    let (mut flow, calls) = flow("reno");
    for (now, delivered, prior) in [(40, 2, 0), (41, 4, 0), (42, 10, 0), (80, 12, 2), (81, 14, 4)] {
        flow.take(&ack(now * MS, delivered, prior));
    }
    let rounds: Vec<u64> = acks(&calls).iter().map(|ack| ack.round).collect();
    assert_eq!(rounds, [1, 1, 1, 2, 2]);
}

/// The kernel's sample is the same as ours of the same packet: ten packets in 40 ms.
#[test]
fn a_rate_sample_is_that_of_the_kernel() {
    let (mut flow, calls) = flow("bbr3");
    flow.take(&ack(40 * MS, 10, 0));
    flow.take(&ack(80 * MS, 20, 10));
    let rate = acks(&calls)[1].rate.unwrap();
    assert!((rate.rate.0 - 250.0).abs() < 1e-9, "{rate:?}");
    assert_eq!((rate.interval.as_nanos(), rate.delivered, rate.prior_delivered), (40_000_000, 10.0, 10.0));
    flow.take(&Event { interval_us: None, ..ack(120 * MS, 30, 20) });
    assert_eq!(acks(&calls)[2].rate, None, "the kernel takes no sample over less than a round-trip time");
}

/// Reno at a window of 11, with 12 packets outstanding by limited transmit (RFC 3042): half of the window remains.
#[test]
fn a_loss_is_reported_with_the_acknowledgment_that_shows_it() {
    let (mut flow, calls) = flow("reno");
    let before = flow.take(&ack(40 * MS, 2, 0)).unwrap();
    let loss = Event { kind: Kind::Loss, outstanding: 12, state: State::Recovery, ..ack(50 * MS, 2, 0) };
    assert_eq!(flow.take(&loss), None, "the answer published before is in force");
    assert!(calls.episodes().is_empty());
    let shown = Event { lost: 1, state: State::Recovery, advanced: false, ..ack(50 * MS, 5, 0) };
    let after = flow.take(&shown).unwrap();
    let episode = calls.episodes()[0];
    assert_eq!((episode.signal, episode.flight, episode.restart), (Signal::Loss, 12.0, false));
    let last = acks(&calls)[1];
    assert!(last.suspended && last.recovering && !last.advanced);
    assert_eq!((last.delivered, last.lost), (3.0, 1.0));
    assert_eq!((after.now.cwnd, after.now.ssthresh), (5, 5), "half of a window of 11");
    assert_eq!(before.after_loss.cwnd, 5, "ten were outstanding");
}

/// A timer of the kernel (RACK's) found the loss: nothing of the same time comes.
#[test]
fn a_loss_that_a_timer_found_is_completed_by_an_empty_acknowledgment() {
    let (mut flow, calls) = flow("cubic");
    flow.take(&ack(40 * MS, 2, 0));
    flow.take(&Event { kind: Kind::Loss, state: State::Recovery, ..ack(50 * MS, 2, 0) });
    flow.take(&Event { state: State::Recovery, ..ack(60 * MS, 4, 0) });
    let acks = acks(&calls);
    assert_eq!(acks.len(), 3);
    assert_eq!((acks[1].now.as_nanos(), acks[1].acks, acks[1].delivered), (50_000_000, 0, 0.0));
    assert_eq!(acks[2].delivered, 2.0);
}

#[test]
fn a_second_loss_in_a_round_trip_is_about_the_same_congestion() {
    let (mut flow, calls) = flow("reno");
    flow.take(&ack(40 * MS, 2, 0));
    for now in [50, 52] {
        flow.take(&Event { kind: Kind::Loss, ..ack(now * MS, 2, 0) });
        flow.take(&ack(now * MS, 4, 0));
    }
    assert_eq!(calls.episodes().len(), 1);
    assert_eq!(flow.counts().losses, 1);
}

/// RFC 5681, 3.1: a window of one packet, a threshold of half the flight; the second timeout of a packet holds it.
#[test]
fn a_timeout_restarts_from_one_packet() {
    let (mut flow, calls) = flow("reno");
    flow.take(&ack(40 * MS, 2, 0));
    let timeout = Event {
        kind: Kind::Timeout,
        lost: 12,
        outstanding: 12,
        state: State::AfterTimeout,
        ..ack(400 * MS, 2, 0)
    };
    let answer = flow.take(&timeout).unwrap();
    assert_eq!((answer.now.cwnd, answer.now.ssthresh), (1, 5));
    let again = flow.take(&Event { now_us: 800 * MS, repeated: true, outstanding: 1, ..timeout }).unwrap();
    assert_eq!((again.now.cwnd, again.now.ssthresh), (1, 5));
    assert!(calls.episodes()[1].repeated);
    let grown = flow.take(&Event { lost: 12, state: State::AfterTimeout, ..ack(850 * MS, 3, 2) }).unwrap();
    assert_eq!(grown.now.cwnd, 2, "slow start at once");
    assert_eq!(acks(&calls).last().unwrap().lost, 0.0, "the losses of the timeout were counted by it");
}

#[test]
fn a_spurious_episode_is_undone() {
    let (mut flow, _) = flow("reno");
    let before = flow.take(&ack(40 * MS, 2, 0)).unwrap();
    flow.take(&Event { kind: Kind::Loss, ..ack(50 * MS, 2, 0) });
    flow.take(&Event { state: State::Recovery, ..ack(50 * MS, 4, 0) });
    let after = flow.take(&Event { kind: Kind::Undo, ..ack(60 * MS, 4, 0) }).unwrap();
    assert!(after.now.cwnd >= before.now.cwnd, "{after:?}, {before:?}");
}

/// RFC 5681, 4.1: after idleness from the initial window at most. It is asked for when the last packet is acknowledged.
#[test]
fn the_window_after_idleness_is_known_before() {
    let (mut flow, calls) = flow("reno");
    let busy = flow.take(&ack(40 * MS, 8, 0)).unwrap();
    assert_eq!(busy.idle_cwnd, None);
    let done = flow.take(&Event { in_flight: 0, outstanding: 0, ..ack(41 * MS, 30, 0) }).unwrap();
    assert!(done.now.cwnd > 10);
    assert_eq!(done.idle_cwnd, Some(10));
    let idle = flow.take(&Event { kind: Kind::Idle, ..ack(2000 * MS, 30, 0) }).unwrap();
    assert_eq!(idle.now.cwnd, 10);
    assert!(matches!(calls.calls().last(), Some(Call::Event(Other::IdleRestart { .. }))));
}

#[test]
fn the_answer_to_a_mark_is_there_where_marks_are() {
    let (mut flow, calls) = flow("cubic");
    assert_eq!(flow.take(&ack(40 * MS, 2, 0)).unwrap().after_mark, None);
    assert!(flow.take(&Event { ecn: true, ..ack(41 * MS, 4, 0) }).unwrap().after_mark.is_some());
    flow.take(&Event { kind: Kind::Mark, ecn: true, state: State::Reduced, ..ack(42 * MS, 4, 0) });
    flow.take(&Event { ecn: true, marked: 1, state: State::Reduced, ..ack(42 * MS, 6, 0) });
    assert_eq!(calls.episodes()[0].signal, Signal::Ecn);
    assert_eq!(acks(&calls)[2].ce_marked, 1.0);
}

/// A controller that comes later, after the flow was alone, begins with the window in force, and counts from there.
#[test]
fn a_controller_that_comes_later_counts_from_there() {
    let start = Event { cwnd: 33, ssthresh: 20, delivered: 901, lost: 7, ..record(Kind::Start, 9000 * MS) };
    let spec: ControllerSpec = "bbr3".parse().unwrap();
    let (controller, calls) = checked(spec.build(&Flow::start(&start)));
    assert_eq!((Flow::start(&start).initial_window, Flow::start(&start).initial_ssthresh), (33.0, 20.0));
    let mut flow = Flow::new(controller, &start);
    flow.take(&Event { lost: 7, ..ack(9010 * MS, 902, 870) });
    flow.take(&Event { lost: 7, ..ack(9050 * MS, 910, 901) });
    let acks = acks(&calls);
    assert_eq!((acks[0].delivered, acks[0].lost, acks[0].rate), (2.0, 0.0, None), "sent before");
    assert_eq!(acks[1].rate.unwrap().prior_delivered, 1.0);
}

/// Counts wrap after 2^32 packets.
#[test]
fn counts_may_wrap() {
    let start = Event { delivered: u32::MAX - 1, ..record(Kind::Start, 0) };
    let spec: ControllerSpec = "bbr3".parse().unwrap();
    let (controller, calls) = checked(spec.build(&Flow::start(&start)));
    let mut flow = Flow::new(controller, &start);
    let wrapping = |now, delivered: u32, prior: u32| Event {
        delivered: start.delivered.wrapping_add(delivered),
        prior_delivered: start.delivered.wrapping_add(prior),
        ..ack(now, 0, 0)
    };
    flow.take(&wrapping(40 * MS, 10, 0));
    flow.take(&wrapping(80 * MS, 20, 10));
    assert_eq!(acks(&calls)[1].rate.unwrap().prior_delivered, 10.0);
    assert_eq!(acks(&calls)[1].delivered, 10.0);
}

/// With segments of half the size, a window of the same number of bytes has twice the number of packets, and
/// so have the packets delivered.
#[test]
fn a_change_of_segment_size_keeps_bytes() {
    let (mut flow, calls) = flow("bbr3");
    flow.take(&ack(40 * MS, 10, 0));
    flow.take(&Event { mss: 724, ..ack(80 * MS, 20, 5) });
    flow.take(&Event { mss: 724, ..ack(120 * MS, 30, 20) });
    let size = |call: &Call| matches!(call, Call::Event(Other::SegmentSize { from: 1448, to: 724 }));
    assert!(calls.calls().iter().any(size));
    let acks = acks(&calls);
    assert_eq!(acks[1].rate, None, "it spans the change");
    assert_eq!(acks[2].rate.unwrap().prior_delivered, 30.0, "ten of them counted twice");
}

/// A receiver that merges packets acknowledges many at once; rules that count acknowledgments count those it replaces.
#[test]
fn a_stretch_acknowledgment_stands_for_those_it_replaces() {
    let (mut flow, calls) = flow("reno");
    flow.take(&ack(40 * MS, 8, 0));
    flow.take(&ack(41 * MS, 9, 0));
    let counted: Vec<u32> = acks(&calls).iter().map(|ack| ack.acks).collect();
    assert_eq!(counted, [4, 1]);
}

/// A record is missing: that of packets 11 to 20, delivered at 80 ms. A packet sent just afterwards is delivered at 120 ms, and
/// ten packets in those 40 ms are a rate of 250 packets/s.
#[test]
fn a_packet_sent_after_a_missing_record_has_a_rate() {
    let (mut flow, calls) = flow("bbr3");
    flow.take(&ack(40 * MS, 10, 0));
    flow.take(&ack(120 * MS, 30, 20));
    let last = acks(&calls)[1];
    let rate = last.rate.unwrap();
    assert!((rate.rate.0 - 250.0).abs() < 1e-9, "{rate:?}");
    assert_eq!((rate.delivered, rate.prior_delivered), (10.0, 20.0));
    assert_eq!(last.delivered, 20.0, "nothing is left out");
}

/// The next acknowledgment tells of packets that had arrived when the timer expired.
#[test]
fn what_arrives_before_a_timeout_is_not_left_out() {
    let (mut flow, calls) = flow("bbr3");
    flow.take(&ack(40 * MS, 10, 0));
    flow.take(&Event { kind: Kind::Timeout, state: State::AfterTimeout, ..ack(80 * MS, 20, 10) });
    flow.take(&ack(120 * MS, 30, 20));
    let last = acks(&calls)[1];
    let rate = last.rate.unwrap();
    assert!((rate.rate.0 - 250.0).abs() < 1e-9, "{rate:?}");
    assert_eq!((rate.delivered, rate.prior_delivered, last.delivered), (10.0, 20.0, 20.0));
}
