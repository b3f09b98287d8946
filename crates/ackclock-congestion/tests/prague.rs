//! Prague: consequences that its draft states.

use crate::common::assert_near;
use ackclock_congestion::{Ack, Congestion, CongestionControl, Signal, Start, registry::ControllerSpec};
use ackclock_units::{Duration, PacketRate, Time};

/// A flow with this many milliseconds of round-trip time, in avoidance, acknowledged in bunches of a window.
struct Flow {
    controller: Box<dyn CongestionControl>,
    rtt: Duration,
    now: Time,
    round: u64,
}

impl Flow {
    fn new(spec: &str, window: f64, millis: u64) -> Flow {
        let start = Start { initial_window: window, initial_ssthresh: window, ..Start::default() };
        let controller = spec.parse::<ControllerSpec>().expect("a test's specification").build(&start);
        Flow { controller, rtt: Duration::from_millis(millis), now: Time::ZERO, round: 0 }
    }

    fn cwnd(&self) -> f64 {
        self.controller.decision().cwnd
    }

    fn alpha(&self) -> f64 {
        self.gauge("prague_alpha")
    }

    fn gauge(&self, name: &str) -> f64 {
        let mut found = f64::NAN;
        self.controller.observe(&mut |gauge, value| found = if gauge == name { value } else { found });
        found
    }

    fn signal(&mut self, signal: Signal) {
        let flight = self.cwnd();
        let restart = signal == Signal::Timeout;
        let event = Congestion { now: self.now, signal, flight, restart, repeated: false };
        self.controller.on_congestion(&event);
    }

    /// A packet is acknowledged.
    fn ack(&mut self, is_marked: bool, suspended: bool) {
        self.controller.on_ack(&Ack {
            now: self.now,
            delivered: 1.0,
            ce_marked: f64::from(u8::from(is_marked)),
            rtt: Some(self.rtt),
            srtt: self.rtt,
            min_rtt: self.rtt,
            round: self.round,
            suspended,
            advanced: true,
            window_limited: true,
            ..Ack::default()
        });
    }

    /// A round trip of whole packets, of which the first `marked` carry a mark; these are signalled with the first.
    fn round(&mut self, marked: u32) {
        self.now += self.rtt;
        self.round += 1;
        for packet in 0..self.cwnd().floor() as u32 {
            let is_marked = packet < marked;
            if is_marked && packet == 0 {
                self.signal(Signal::Ecn);
            }
            self.ack(is_marked, marked > 0);
        }
    }

    fn rounds(&mut self, count: u32) {
        for _ in 0..count {
            self.round(0);
        }
    }
}

/// The estimate begins at 1, stays there until a packet is marked, and then falls by a sixteenth per round trip.
#[test]
fn the_first_mark_halves_and_the_estimate_falls_from_there() {
    let mut flow = Flow::new("prague", 40.0, 50);
    flow.rounds(10);
    assert_near(flow.alpha(), 1.0, 1e-12);
    let before = flow.cwnd();
    flow.signal(Signal::Ecn);
    assert_near(flow.cwnd(), before / 2.0, 1e-9);
    flow.rounds(1);
    flow.rounds(3);
    assert_near(flow.alpha(), (15.0_f64 / 16.0).powi(4), 1e-9);
}

/// One packet in four marked: the estimate converges to a quarter, and a mark takes an eighth.
#[test]
fn a_mark_takes_half_the_marked_part() {
    let mut flow = Flow::new("prague", 40.0, 50);
    for _ in 0..400 {
        let packets = flow.cwnd().floor() as u32;
        flow.round(packets / 4);
    }
    // Windows are small by then; the part is that of whole packets.
    assert!((0.15..0.3).contains(&flow.alpha()), "{}", flow.alpha());
    let mut flow = Flow::new("prague", 4_000.0, 50);
    for _ in 0..200 {
        flow.round(0);
        flow.signal(Signal::Ecn);
        let (before, alpha) = (flow.cwnd(), flow.alpha());
        flow.now += Duration::from_millis(1);
        flow.signal(Signal::Ecn);
        assert_near(flow.cwnd(), (before * (1.0 - alpha / 2.0)).max(2.0), 1e-9);
    }
}

/// A mark takes a part of the window (section 2.4.2), whatever is in flight: with alpha near zero, a sender that has a packet
/// and a half less in flight loses nothing by it.
#[test]
fn a_mark_takes_its_part_of_the_window() {
    let mut flow = Flow::new("prague", 20.0, 50);
    flow.signal(Signal::Ecn);
    flow.rounds(150);
    let (before, alpha) = (flow.cwnd(), flow.alpha());
    assert!(alpha < 1e-4, "{alpha}");
    let (now, flight) = (flow.now, before - 1.5);
    let mark = Congestion { now, signal: Signal::Ecn, flight, restart: false, repeated: false };
    flow.controller.on_congestion(&mark);
    assert_near(flow.cwnd(), before * (1.0 - alpha / 2.0), 1e-9);
}

/// In steady state a window of W packets with two marks per round trip stays: alpha = 2 / W takes one packet, which
/// the other packets of the round trip add. So p = 2 / W. In DCTCP's growth here, suspended by marks, it would shrink.
#[test]
fn two_marks_per_round_trip_hold_the_window() {
    let mut flow = Flow::new("prague", 200.0, 50);
    flow.round(1);
    for _ in 0..2_000 {
        flow.round(2);
    }
    let settled = flow.cwnd();
    for _ in 0..2_000 {
        flow.round(2);
    }
    assert_near(flow.cwnd(), settled, 0.05 * settled);
    assert_near(flow.alpha(), 2.0 / settled, 0.15 * flow.alpha());
}

/// A round trip of 5 ms after 500 in avoidance: (5 / 25)^2 = 1/25 packet per round trip, so that the rate grows as that of
/// a flow with 25 ms, by 1 / 25 ms^2 = 1600 packets per second in every second. Before, it is a packet per round trip.
#[test]
fn short_round_trips_grow_as_one_of_25_ms() {
    let mut flow = Flow::new("prague", 1_000.0, 5);
    flow.rounds(100);
    assert_near(flow.cwnd(), 1_100.0, 1.0);
    flow.rounds(410);
    let before = flow.cwnd();
    flow.rounds(200);
    let per_second = (flow.cwnd() - before) / 0.005 / 1.0;
    assert_near(per_second, 1_600.0, 20.0);
    let mut reference = Flow::new("prague", 1_000.0, 25);
    reference.rounds(40);
    assert_near((reference.cwnd() - 1_000.0) / 0.025, 1_600.0, 50.0);
}

/// By hand: two marks 10 ms apart, at 5 ms of round-trip time: one reduction in a virtual round trip, another after 25 ms.
#[test]
fn a_virtual_round_trip_has_one_reduction() {
    let mut flow = Flow::new("prague(transition=0)", 1_000.0, 5);
    flow.rounds(10);
    flow.signal(Signal::Ecn);
    let once = flow.cwnd();
    flow.now += Duration::from_millis(10);
    flow.signal(Signal::Ecn);
    assert_near(flow.cwnd(), once, 1e-9);
    flow.now += Duration::from_millis(15);
    flow.signal(Signal::Ecn);
    assert!(flow.cwnd() < once);
}

#[test]
fn losses_halve_and_timeouts_start_over() {
    let mut flow = Flow::new("prague", 40.0, 50);
    flow.signal(Signal::Loss);
    assert_near(flow.cwnd(), 20.0, 1e-9);
    flow.signal(Signal::Timeout);
    assert_near(flow.cwnd(), 1.0, 1e-9);
    assert_near(flow.controller.ssthresh(), 10.0, 1e-9);
}

/// A window per round trip; in slow start twice that, until half the threshold.
#[test]
fn packets_are_paced() {
    let mut flow = Flow::new("prague", 40.0, 50);
    flow.rounds(1);
    let Some(PacketRate(rate)) = flow.controller.decision().pacing_rate else { panic!("not paced") };
    assert_near(rate, flow.cwnd() / 0.05, 1e-6);
    flow.signal(Signal::Timeout);
    flow.rounds(1);
    let Some(PacketRate(rate)) = flow.controller.decision().pacing_rate else { panic!("not paced") };
    assert_near(rate, 2.0 * flow.cwnd() / 0.05, 1e-6);
}

#[test]
fn it_counts_marks_and_identifies_itself_as_l4s() {
    let needs = Flow::new("prague", 10.0, 50).controller.needs();
    assert!(needs.accurate_ecn && needs.l4s && needs.pacing && !needs.samples);
}

/// The mean rate in Mbit/s, in packets of 1500 bytes, where this share of all packets is marked, as evenly as may be.
fn rate_at(share: f64, millis: u64) -> f64 {
    let mut flow = Flow::new("prague", 50.0, millis);
    let (mut due, mut sent, mut rounds) = (0.0, 0.0, 0);
    let mut part = 0.0;
    while rounds < 6_000 {
        flow.round += 1;
        rounds += 1;
        part += flow.cwnd();
        let packets = part.floor();
        part -= packets;
        let begin = flow.now;
        let mut is_first = true;
        for packet in 0..packets as u32 {
            flow.now = begin
                + Duration::from_nanos((flow.rtt.as_nanos() as f64 * f64::from(packet + 1) / packets) as u64);
            due += share;
            let is_marked = due >= 1.0;
            due -= f64::from(u8::from(is_marked));
            if is_marked && std::mem::take(&mut is_first) {
                flow.signal(Signal::Ecn);
            }
            flow.ack(is_marked, false);
        }
        if rounds > 2_000 {
            sent += packets;
        }
    }
    sent / 4_000.0 * 12_000.0 / (1_000.0 * millis as f64)
}

/// The authors' module for Linux (`tcp_prague.c`, 2024): the rate is very close to 1/p - 1 Mbit/s, times 25 ms / RTT for longer
/// round trips. Shorter ones wait for an acknowledgment after the virtual round trip and are faster, as the page says.
#[test]
fn the_rate_at_a_share_of_marks_is_that_of_the_module() {
    for share in [0.2, 0.1, 0.05, 0.02, 0.01] {
        let stated = 1.0 / share - 1.0;
        assert_near(rate_at(share, 25), stated, 0.06 * stated);
        assert_near(rate_at(share, 50), stated / 2.0, 0.03 * stated);
        let short = rate_at(share, 10) / stated;
        assert!((1.0..1.55).contains(&short), "{short} at {share}");
    }
}

/// A flow of 100 packets and 50 ms, whose queue lets round-trip times swing by `swing` microseconds around `depth` above the
/// smallest, and that halves at a mark of each 20th round trip. Returns the score after `rounds` round trips.
fn score_behind(swing: u64, depth: u64, rounds: u32) -> (f64, Flow) {
    let mut flow = Flow::new("prague(classic_fallback=1, transition=inf)", 100.0, 50);
    for round in 0..rounds {
        flow.round += 1;
        if round % 20 == 0 {
            flow.signal(Signal::Ecn);
        }
        for packet in 0..100_u64 {
            flow.now += Duration::from_micros(500);
            let above = if packet % 2 == 0 { depth + swing } else { depth - swing };
            let rtt = flow.rtt + Duration::from_micros(above);
            flow.controller.on_ack(&Ack {
                now: flow.now,
                delivered: 1.0,
                ce_marked: f64::from(u8::from(round % 20 == 0 && packet == 0)),
                rtt: Some(rtt),
                srtt: rtt,
                min_rtt: flow.rtt,
                round: flow.round,
                advanced: true,
                window_limited: true,
                ..Ack::default()
            });
        }
    }
    let score = flow.gauge("prague_classic_ecn");
    (score, flow)
}

/// The authors' constants: up to 750 us of variation and 2 ms of queue the score stays at zero. Above both it rises to 17, and falls
/// when the variation ends.
#[test]
fn a_delay_that_varies_tells_of_a_classic_queue() {
    let (shallow, _) = score_behind(400, 1_500, 600);
    assert_near(shallow, 0.0, 1e-9);
    let (varying, mut flow) = score_behind(3_000, 4_000, 600);
    assert_near(varying, 17.0, 1e-9);
    for _ in 0..400 {
        flow.round(0);
    }
    assert_near(flow.gauge("prague_classic_ecn"), 0.0, 1e-9);
}

/// A mark takes 5/16 of the window at a score of 9 and above, whatever the marked part, and the marked part alone where the queue is
/// no classic one, or the parameter is off.
#[test]
fn at_a_classic_queue_a_mark_takes_five_sixteenths() {
    let kept = |flow: &mut Flow| {
        let before = flow.cwnd();
        flow.signal(Signal::Ecn);
        flow.cwnd() / before
    };
    let (_, mut flow) = score_behind(3_000, 4_000, 600);
    assert!(flow.alpha() < 0.1, "{}", flow.alpha());
    assert_near(kept(&mut flow), 11.0 / 16.0, 1e-9);
    let (_, mut flow) = score_behind(400, 1_500, 600);
    let alpha = flow.alpha();
    assert_near(kept(&mut flow), 1.0 - alpha / 2.0, 1e-9);
}
