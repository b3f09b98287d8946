//! C4: consequences that its draft states. Packets are of 1000 bytes, so that 1000 packets per second are 1 MB/s.

use crate::common::assert_near;
use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{Ack, Congestion, CongestionControl, RateSample, Signal, Start};
use ackclock_units::{Duration, PacketRate, Time};

const INITIAL: f64 = 0.0;
const RECOVERY: f64 = 1.0;
const CRUISING: f64 = 2.0;
const PUSHING: f64 = 3.0;

/// A sender that is told of one packet per era.
struct Sender {
    controller: Box<dyn CongestionControl>,
    now: Time,
    delivered: f64,
    /// The next acknowledgment, without its times and its rate.
    ack: Ack,
    app_limited: bool,
}

impl Sender {
    fn new() -> Sender {
        let spec: ControllerSpec = "c4(packet_size=1000)".parse().unwrap();
        let controller = spec.build(&Start { initial_window: 10.0, ..Start::default() });
        let ack = Ack { delivered: 1.0, advanced: true, in_flight: 10.0, ..Ack::default() };
        Sender { controller, now: Time::ZERO, delivered: 0.0, ack, app_limited: false }
    }

    /// In cruising, at 1 MB/s and with a largest round-trip time of 100 ms.
    fn cruising() -> Sender {
        let mut sender = Sender::new();
        // 100 ms are half the window of the initial state, over the rate.
        sender.ack.delivered = 189.0;
        sender.era(1_000.0, 100.0);
        sender.ack.delivered = 1.0;
        sender.eras(4, 1_000.0, 100.0);
        assert_near(sender.gauge("c4_nominal_max_rtt_s"), 0.1, 1e-3);
        assert_near(sender.state(), CRUISING, 0.0);
        sender
    }

    fn gauge(&self, name: &str) -> f64 {
        crate::common::gauge(|take| self.controller.observe(take), name)
    }

    fn state(&self) -> f64 {
        self.gauge("c4_state")
    }

    fn rate(&self) -> f64 {
        self.gauge("c4_nominal_rate_packet_per_s")
    }

    fn pacing_rate(&self) -> f64 {
        self.controller.decision().pacing_rate.map_or(f64::INFINITY, |PacketRate(rate)| rate)
    }

    fn cwnd(&self) -> f64 {
        self.controller.decision().cwnd
    }

    /// An acknowledgment of a packet sent before `prior_delivered` deliveries.
    fn acknowledge(&mut self, rate: f64, rtt_ms: f64, prior_delivered: f64) {
        let rtt = Duration::from_secs_f64(rtt_ms / 1e3);
        self.now += rtt;
        let sample = RateSample {
            rate: PacketRate(rate),
            app_limited: self.app_limited,
            prior_delivered,
            ..RateSample::default()
        };
        let times = Ack { now: self.now, rtt: Some(rtt), srtt: rtt, min_rtt: rtt, ..self.ack };
        self.controller.on_ack(&Ack { rate: Some(sample), ..times });
        self.delivered += self.ack.delivered;
        (self.ack.lost, self.ack.ce_marked) = (0.0, 0.0);
    }

    /// An acknowledgment that ends an era.
    fn era(&mut self, rate: f64, rtt_ms: f64) {
        self.acknowledge(rate, rtt_ms, self.delivered);
    }

    fn eras(&mut self, count: u32, rate: f64, rtt_ms: f64) {
        for _ in 0..count {
            self.era(rate, rtt_ms);
        }
    }

    /// An acknowledgment within an era.
    fn within(&mut self, rate: f64, rtt_ms: f64) {
        self.acknowledge(rate, rtt_ms, -1.0);
    }
}

/// The window grows by what is acknowledged, by an eighth of that after an era without increase, by a 64th after two. Three end the
/// state, of which those that the application limits are omitted. By hand: 10 and 40 packets, then 1, 1/8, 1/8 and 1/64; half of
/// that over 100 packets per second is the largest round-trip time.
#[test]
fn the_initial_state_ends_after_three_eras_without_increase() {
    let mut sender = Sender::new();
    assert_near(sender.cwnd(), 10.0, 0.0);
    assert!(sender.controller.decision().pacing_rate.is_none());
    sender.ack.delivered = 40.0;
    sender.era(100.0, 100.0);
    assert_near(sender.cwnd(), 50.0, 1e-9);
    assert_near(sender.pacing_rate(), 200.0, 1e-9);
    sender.ack.delivered = 1.0;
    sender.era(90.0, 100.0);
    sender.app_limited = true;
    sender.era(90.0, 100.0);
    sender.app_limited = false;
    sender.era(100.0, 100.0);
    assert_near(sender.state(), INITIAL, 0.0);
    sender.era(100.0, 100.0);
    assert_near(sender.state(), RECOVERY, 0.0);
    let window = 10.0 + 40.0 + 1.0 + 0.125 + 0.125 + 1.0 / 64.0;
    assert_near(sender.gauge("c4_nominal_max_rtt_s"), window / 2.0 / 100.0, 1e-9);
    // 15/16 of the rate, for the round-trip time and a margin of 15 ms.
    assert_near(sender.pacing_rate(), 93.75, 1e-9);
    assert_near(sender.cwnd(), 93.75 * (window / 200.0 + 0.015), 1e-9);
}

/// A delay ends the initial state after two eras without increase, losses after 20 packets received. Neither reduces the rate, and
/// the rates of the recovery that follows, of packets from before, raise nothing.
#[test]
fn signals_end_the_initial_state_where_they_are_believed() {
    let mut sender = Sender::new();
    sender.eras(2, 1_000.0, 100.0);
    sender.within(1_000.0, 150.0);
    assert_near(sender.state(), INITIAL, 0.0);
    sender.era(1_000.0, 100.0);
    sender.within(1_000.0, 150.0);
    assert_near(sender.state(), RECOVERY, 0.0);
    assert_near(sender.rate(), 1_000.0, 0.0);
    sender.within(2_000.0, 100.0);
    assert_near(sender.rate(), 1_000.0, 0.0);

    for (received, state) in [(20.0, INITIAL), (21.0, RECOVERY)] {
        let mut sender = Sender::new();
        sender.ack.delivered = received - 1.0;
        sender.within(1_000.0, 100.0);
        sender.ack.delivered = 1.0;
        sender.ack.lost = 12.0;
        sender.within(1_000.0, 100.0);
        assert_near(sender.state(), state, 0.0);
        assert_near(sender.rate(), 1_000.0, 0.0);
    }
}

/// Four eras of cruising, and a push by a sixteenth; one that brings anything is followed by one by a quarter, which has to bring a
/// sixteenth. The third such push comes after one era, and after it the initial state.
#[test]
fn pushes_that_succeed_come_sooner_and_go_further() {
    let mut sender = Sender::cruising();
    let mut rate = 1_000.0;
    for (cruises, alpha, gain) in [(4, 17.0 / 16.0, 1.01), (4, 1.25, 1.07), (1, 1.25, 1.07)] {
        sender.eras(cruises - 1, rate, 100.0);
        assert_near(sender.state(), CRUISING, 0.0);
        assert_near(sender.pacing_rate(), rate, 1e-9);
        sender.era(rate, 100.0);
        assert_near(sender.state(), PUSHING, 0.0);
        assert_near(sender.pacing_rate(), alpha * rate, 1e-9);
        sender.era(rate, 100.0);
        assert_near(sender.state(), RECOVERY, 0.0);
        assert_near(sender.pacing_rate(), 15.0 / 16.0 * rate, 1e-9);
        rate *= gain;
        sender.era(rate, 100.0);
    }
    assert_near(sender.state(), INITIAL, 0.0);
    assert_near(sender.pacing_rate(), 2.0 * rate, 1e-9);
}

/// The level after a push from level 2 by a quarter, whose recovery measures this, and may be limited by the application.
#[test]
fn a_push_that_brings_too_little_is_a_failure() {
    for (gain, app_limited, level) in [(1.07, false, 3.0), (1.06, false, 1.0), (1.06, true, 2.0)] {
        let mut sender = Sender::cruising();
        sender.eras(5, 1_000.0, 100.0);
        sender.era(1_001.0, 100.0);
        assert_near(sender.gauge("c4_probe_level"), 2.0, 0.0);
        sender.eras(5, 1_001.0, 100.0);
        sender.app_limited = app_limited;
        sender.era(1_001.0 * gain, 100.0);
        assert_near(sender.gauge("c4_probe_level"), level, 0.0);
    }
}

/// Cruising lasts while the application limits the sender: nothing is pushed for that is not used.
#[test]
fn no_push_while_the_application_limits() {
    let mut sender = Sender::cruising();
    sender.app_limited = true;
    sender.eras(50, 300.0, 100.0);
    assert_near(sender.state(), CRUISING, 0.0);
    assert_near(sender.rate(), 1_000.0, 0.0);
    sender.app_limited = false;
    sender.era(1_000.0, 100.0);
    assert_near(sender.state(), PUSHING, 0.0);
}

/// In cruising a loss takes a quarter of the rate, half marks a quarter, and a delay its excess over the threshold: at 1 MB/s
/// (1/16 + 0.08 * 3/16) * 100 ms = 7.75 ms. While pushing the same signals take nothing.
#[test]
fn congestion_reduces_the_rate_in_cruising_alone() {
    for (lost, marked, rtt_ms, kept, level) in [
        (1.0, 0.0, 100.0, 0.75, 1.0),
        (0.0, 1.0, 100.0, 0.75, 0.0),
        (0.0, 0.0, 109.3, 0.8, 1.0),
        (0.0, 0.0, 107.5, 1.0, 1.0),
    ] {
        let mut cruising = Sender::cruising();
        let max_rtt = cruising.gauge("c4_nominal_max_rtt_s") * 1e3;
        (cruising.ack.lost, cruising.ack.ce_marked) = (lost, marked);
        let rtt_ms = max_rtt * rtt_ms / 100.0;
        cruising.within(1_000.0, rtt_ms);
        assert_near(cruising.rate(), kept * 1_000.0, 1e-4);
        assert_near(cruising.state(), if kept < 1.0 { RECOVERY } else { CRUISING }, 0.0);
        let max_kept = if lost > 0.0 { 0.75 } else { 1.0 };
        assert_near(cruising.gauge("c4_nominal_max_rtt_s") * 1e3, max_kept * max_rtt, 1e-9);

        let mut pushing = Sender::cruising();
        pushing.eras(4, 1_000.0, max_rtt);
        assert_near(pushing.state(), PUSHING, 0.0);
        (pushing.ack.lost, pushing.ack.ce_marked) = (lost, marked);
        pushing.within(1_000.0, 2.0 * max_rtt);
        assert_near(pushing.rate(), 1_000.0, 0.0);
        assert_near(pushing.state(), RECOVERY, 0.0);
        pushing.era(2_000.0, max_rtt);
        let level = if lost > 0.0 { 0.0 } else { level };
        assert_near(pushing.gauge("c4_probe_level"), level, 0.0);
    }
}

/// Round-trip times of packets sent at the nominal rate or below raise the largest one at once, by 250 ms of jitter at most, and lower
/// it by an eighth. Those of a push, which recovery measures, do not count.
#[test]
fn the_largest_round_trip_time_is_that_without_a_push() {
    let mut sender = Sender::cruising();
    let before = sender.gauge("c4_nominal_max_rtt_s");
    sender.era(1_000.0, 90.0);
    let lower = (7.0 * before + 0.09) / 8.0;
    assert_near(sender.gauge("c4_nominal_max_rtt_s"), lower, 1e-9);
    sender.eras(3, 1_000.0, 1e3 * lower);
    assert_near(sender.state(), PUSHING, 0.0);
    sender.era(1_000.0, 1e3 * lower);
    sender.era(1_000.0, 120.0);
    assert_near(sender.state(), CRUISING, 0.0);
    assert_near(sender.gauge("c4_nominal_max_rtt_s"), lower, 1e-9);
    // The first of 5 s enters a recovery, whose era measures the second. The smallest one is between 90 and 100 ms.
    sender.within(1_000.0, 5_000.0);
    sender.within(1_000.0, 5_000.0);
    sender.era(1_000.0, 90.0);
    let max = sender.gauge("c4_nominal_max_rtt_s");
    assert!((0.340..0.350).contains(&max), "{max}");
}

/// A smallest round-trip time below two fifths of the largest, at the end of a recovery, begins the initial state again: once.
#[test]
fn high_jitter_begins_again_once() {
    let mut sender = Sender::cruising();
    for state in [INITIAL, CRUISING] {
        // The delay enters a recovery, whose era measures the jitter.
        while sender.state() != CRUISING {
            sender.era(1_000.0, 100.0);
        }
        sender.within(1_000.0, 400.0);
        assert_near(sender.state(), RECOVERY, 0.0);
        sender.within(1_000.0, 400.0);
        sender.era(1_000.0, 100.0);
        assert_near(sender.state(), state, 0.0);
    }
}

/// QUIC stacks report no number of marks and refuse what needs it: without ECN there is no such need, and no response.
#[test]
fn without_ecn_marks_mean_nothing() {
    for (spec, uses_ecn, state) in [("c4", true, RECOVERY), ("c4(ecn=0)", false, INITIAL)] {
        let mut sender = Sender::new();
        sender.controller = spec.parse::<ControllerSpec>().unwrap().build(&Start::default());
        let needs = sender.controller.needs();
        assert_eq!((needs.accurate_ecn, needs.l4s, needs.pacing), (uses_ecn, uses_ecn, true));
        sender.eras(3, 1_000.0, 100.0);
        sender.ack.ce_marked = 1.0;
        sender.within(1_000.0, 100.0);
        assert_near(sender.state(), state, 0.0);
    }
}

/// A timer signals no congestion ("a robust signal" are gaps alone); TCP still begins again from one packet.
#[test]
fn a_timeout_is_no_loss() {
    let mut sender = Sender::cruising();
    let (before, now) = (sender.cwnd(), sender.now);
    let timeout = Congestion { now, signal: Signal::Timeout, flight: 100.0, restart: true, repeated: false };
    sender.controller.on_congestion(&timeout);
    assert_near(sender.cwnd(), 1.0, 0.0);
    sender.ack.lost = 100.0;
    sender.within(10.0, 100.0);
    assert_near(sender.cwnd(), before, 1e-9);
    assert_near(sender.rate(), 1_000.0, 0.0);
}
