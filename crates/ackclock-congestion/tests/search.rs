//! SEARCH: where slow start ends, on timelines by hand, and what its implementations' tests state.

use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{Ack, Congestion, CongestionControl, Event, Signal, Start};
use ackclock_units::{Duration, Time};

use crate::common::{Path, assert_near};
use crate::pipe::Pipe;

const EXACT: f64 = 1e-9;

/// A sender that is told at the end of each bin what it sent and what was delivered meanwhile.
struct Timeline {
    controller: Box<dyn CongestionControl>,
    bin: Duration,
    rtt: Duration,
    now: Time,
    in_flight: f64,
}

impl Timeline {
    /// With 20 packets in flight. Its first acknowledgment measures the round-trip time from which the bins follow.
    fn new(spec: &str, (rtt, bin): (u64, u64)) -> Timeline {
        let controller =
            spec.parse::<ControllerSpec>().expect("a test's specification").build(&Start::default());
        let (rtt, bin) = (Duration::from_millis(rtt), Duration::from_millis(bin));
        let mut timeline = Timeline { controller, bin, rtt, now: Time::ZERO, in_flight: 20.0 };
        timeline.ack(0.0, 0.0);
        // An acknowledgment at the very end of a bin does not end it.
        timeline.now += Duration::from_nanos(1);
        timeline
    }

    fn ack(&mut self, sent: f64, delivered: f64) {
        self.in_flight += sent - delivered;
        self.controller.on_ack(&Ack {
            now: self.now,
            delivered,
            in_flight: self.in_flight,
            rtt: Some(self.rtt),
            srtt: self.rtt,
            min_rtt: self.rtt,
            advanced: true,
            window_limited: true,
            ..Ack::default()
        });
    }

    /// Bins in each of which this much is sent and delivered, until slow start is over, or this many; their number.
    fn bins(&mut self, sent: f64, delivered: f64, most: u32) -> Option<u32> {
        (1..=most).find(|_| {
            self.now += self.bin;
            self.ack(sent, delivered);
            self.is_over()
        })
    }

    fn is_over(&self) -> bool {
        self.controller.ssthresh().is_finite()
    }

    fn cwnd(&self) -> f64 {
        self.controller.decision().cwnd
    }
}

/// A window is ten bins and a round trip two. While as much is delivered as was sent, nothing is missing. From some bin on the sender
/// sends twice as much and no more is delivered. With k of these bins in the window a round trip before, 10k of 100 + 10k packets are
/// missing: 3 of 13 are 23 %, 4 of 14 29 %, 5 of 15 33 %, 6 of 16 38 % and 10 of 20 a half. The window a round trip
/// before has its k-th such bin k + 2 bins after the change.
#[test]
fn slow_start_ends_where_a_share_of_what_was_sent_is_missing() {
    for (threshold, bins) in [("", 6), (",threshold=0.35", 8), (",threshold=0.5", 12), (",threshold=0.2", 5)]
    {
        let mut timeline = Timeline::new(&format!("search(window=5,drain=0{threshold})"), (100, 50));
        assert_eq!(timeline.bins(10.0, 10.0, 100), None);
        assert_eq!(timeline.bins(20.0, 10.0, 100), Some(bins), "{threshold}");
    }
    let mut timeline = Timeline::new("search(window=5,drain=0,threshold=0.51)", (100, 50));
    assert_eq!(timeline.bins(10.0, 10.0, 100), None);
    assert_eq!(timeline.bins(20.0, 10.0, 100), None, "no more than a half is ever missing");
}

/// "The delivered bytes should double each RTT": they do on a path without a limit, and slow start never ends.
#[test]
fn without_a_limit_it_is_standard_slow_start() {
    let start = Start::default();
    let mut pipe = Pipe::new("search", &start, 1e6, Duration::from_millis(50));
    let mut standard = Pipe::new("standard", &start, 1e6, Duration::from_millis(50));
    for _ in 0..10 {
        pipe.rounds(1);
        standard.rounds(1);
        assert_near(pipe.cwnd(), standard.cwnd(), EXACT);
    }
    assert!(pipe.controller.ssthresh().is_infinite() && pipe.cwnd() > 5_000.0, "{}", pipe.cwnd());
}

/// By hand, in round trips and bandwidth-delay products: when deliveries reach the capacity, the window is 1.44, since it doubled within
/// the last round trip, and from then on it grows by one in each. A packet sent u later is delivered x = 2u + 1.44 later. Of
/// what was sent in the 3.5 before it, 2 u + 2 (1 - 2^(u - 3.5)) / ln 2, the path delivers 3.5 meanwhile; 26 % are missing at u = 1.22. The window
/// is then 1.44 + 3.88 = 5.3, or up to a bin of 0.35 later 5.7. The drain leaves what the path holds: at 2000 packets/s three bins of 35 ms
/// deliver 210 packets, where a round trip delivers 200.
#[test]
fn the_window_is_what_the_path_holds() {
    let mut pipe = Pipe::new("search", &Start::default(), 2_000.0, Duration::from_millis(100));
    pipe.until(|pipe| pipe.gauge("search_draining") > 0.0);
    let (found, bdp) = (pipe.cwnd(), pipe.bdp());
    assert!((5.2..5.8).contains(&(found / bdp)), "{found} of {bdp}");
    let at = pipe.now;
    pipe.until(|pipe| pipe.controller.ssthresh().is_finite());
    assert_near(pipe.cwnd(), 210.0, 1.0);
    assert_near(pipe.controller.ssthresh(), 210.0, 1.0);
    // Two of three packets leave the queue unanswered.
    let drained = 2_000.0 * pipe.now.since(at).as_secs_f64() * 2.0 / 3.0;
    assert_near(drained, found - 210.0, 5.0);
}

/// neqo ends slow start with the window as it is.
#[test]
fn without_a_drain_the_window_stays() {
    let mut pipe = Pipe::new("search(drain=0)", &Start::default(), 2_000.0, Duration::from_millis(100));
    let mut drained = Pipe::new("search", &Start::default(), 2_000.0, Duration::from_millis(100));
    pipe.until(|pipe| pipe.controller.ssthresh().is_finite());
    drained.until(|pipe| pipe.gauge("search_draining") > 0.0);
    assert_eq!(pipe.now, drained.now);
    assert_near(pipe.controller.ssthresh(), drained.cwnd(), 1.0);
}

/// Three packets delivered let one go; the window follows what is in flight, and never rises.
#[test]
fn the_drain_answers_every_third_packet() {
    let mut timeline = Timeline::new("search(window=5)", (100, 50));
    timeline.bins(10.0, 10.0, 100);
    let before = timeline.cwnd();
    timeline.bins(20.0, 10.0, 6);
    // What found the capacity grows the window no more: five of these bins do.
    assert_near(timeline.cwnd(), before + 50.0, EXACT);
    timeline.in_flight = 203.0;
    for (sent, in_flight, window) in
        [(0.0, 202.0, 202.0), (0.0, 201.0, 201.0), (0.0, 200.0, 201.0), (1.0, 200.0, 200.0)]
    {
        timeline.ack(sent, 1.0);
        assert_near(timeline.in_flight, in_flight, EXACT);
        assert_near(timeline.cwnd(), window, EXACT);
    }
    // A round trip is two bins of ten packets.
    timeline.ack(0.0, 199.0);
    assert_near(timeline.cwnd(), 67.0, EXACT);
    timeline.ack(0.0, 1.0);
    assert_near(timeline.cwnd(), 20.0, EXACT);
    assert_near(timeline.controller.ssthresh(), 20.0, EXACT);
}

/// neqo, `warming_up` and `prev_idx_and_fraction_calculation`: at 100 ms bins are 35 ms, a round trip is two of them and 85 % of one,
/// and the thirteenth is the first that is tested.
#[test]
fn the_first_test_is_at_the_thirteenth_bin() {
    let mut timeline = Timeline::new("search(threshold=0,drain=0)", (100, 35));
    assert_eq!(timeline.bins(10.0, 10.0, 100), Some(13));
}

/// neqo, `inflated_rtt_is_guarded`: round trips of 15 bins and more are not looked back over; 525 ms are fifteen of 35 ms.
#[test]
fn a_round_trip_of_fifteen_bins_is_not_looked_back_over() {
    for (rtt, ends) in [(524, true), (525, false), (600, false)] {
        let mut timeline = Timeline::new("search(threshold=0,drain=0)", (100, 35));
        timeline.bins(10.0, 10.0, 12);
        timeline.rtt = Duration::from_millis(rtt);
        assert_eq!(timeline.bins(10.0, 10.0, 50).is_some(), ends, "{rtt} ms");
    }
}

/// neqo, `reset_and_reinitialize_on_too_many_skipped_bins`: a gap of ten bins is bridged; after one of eleven the bins begin
/// anew, with the present round-trip time: at 200 ms they are 70 ms.
#[test]
fn a_gap_longer_than_a_window_begins_anew() {
    for (skipped, left) in [(10, Some(1)), (11, None)] {
        let mut timeline = Timeline::new("search(threshold=0,drain=0)", (100, 35));
        timeline.bins(10.0, 10.0, 3);
        timeline.now += timeline.bin * (skipped - 1);
        assert_eq!(timeline.bins(10.0, 10.0, 1), left, "a gap of {skipped}");
    }
    let mut timeline = Timeline::new("search(threshold=0,drain=0)", (100, 35));
    timeline.now += Duration::from_millis(350);
    timeline.bins(10.0, 10.0, 1);
    (timeline.rtt, timeline.bin) = (Duration::from_millis(200), Duration::from_millis(70));
    assert_eq!(timeline.bins(10.0, 10.0, 1), None, "the first bin begins");
    timeline.now += Duration::from_nanos(1);
    assert_eq!(timeline.bins(10.0, 10.0, 100), Some(13));
}

/// The kernel module begins anew after a timeout (`TCP_CA_Loss`) and after idleness (`CA_EVENT_CWND_RESTART`).
#[test]
fn a_timeout_and_idleness_begin_anew() {
    for event in ["timeout", "idle"] {
        let mut timeline = Timeline::new("search(window=5)", (100, 50));
        timeline.bins(10.0, 10.0, 30);
        timeline.bins(20.0, 10.0, 6);
        if event == "idle" {
            timeline.controller.on_event(&Event::IdleRestart { restart_window: 10.0 });
        } else {
            let (now, flight) = (timeline.now, timeline.in_flight);
            let signal = Signal::Timeout;
            timeline.controller.on_congestion(&Congestion {
                now,
                signal,
                flight,
                restart: true,
                repeated: false,
            });
        }
        let before = timeline.cwnd();
        timeline.in_flight = before;
        timeline.ack(1.0, 1.0);
        assert_near(timeline.cwnd(), before + 1.0, EXACT);
    }
}

/// Every packet delivered counts, as in Linux and in QUIC, unless there is a limit.
#[test]
fn growth_by_the_packets_delivered() {
    for (spec, grown) in [("search", 20.0), ("search(limit=8)", 8.0)] {
        let mut path = Path::wide(spec, 100.0, f64::INFINITY);
        path.ack(20.0, None, true);
        assert_near(path.cwnd(), 100.0 + grown, EXACT);
    }
}
