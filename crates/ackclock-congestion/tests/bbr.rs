//! BBR by hand: what its sources say of recovery, timeouts, undo, bounds and marks. The path delivers 1000 packets per
//! second in 100 ms, a hundred packets.

use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{Ack, Congestion, CongestionControl, Event, LossSample, RateSample, Signal, Start};
use ackclock_units::{Duration, PacketRate, Time};

const RTT: Duration = Duration::from_millis(100);
const RATE: f64 = 1000.0;
const BDP: f64 = 100.0;

struct Path {
    controller: Box<dyn CongestionControl>,
    now: Time,
    delivered: f64,
    lost: f64,
    recovering: bool,
    rtt: Duration,
}

impl Path {
    fn new(spec: &str) -> Path {
        let controller = spec.parse::<ControllerSpec>().unwrap().build(&Start::default());
        Path { controller, now: Time::ZERO, delivered: 0.0, lost: 0.0, recovering: false, rtt: RTT }
    }

    /// A path that has been used for two seconds, in `ProbeBW`.
    fn in_use(spec: &str) -> Path {
        let mut path = Path::new(spec);
        for _ in 0..2000 {
            path.ack(BDP - 1.0, 0.0);
        }
        path
    }

    /// A packet is delivered a millisecond after the last, and was sent a round trip ago with `BDP` in flight.
    fn ack(&mut self, in_flight: f64, lost: f64) {
        self.now += Duration::from_millis(1);
        self.delivered += 1.0;
        self.lost += lost;
        let delivered = self.delivered.min(BDP);
        let tx_in_flight = BDP;
        self.controller.on_ack(&Ack {
            now: self.now,
            delivered: 1.0,
            lost,
            in_flight,
            rtt: Some(self.rtt),
            srtt: self.rtt,
            min_rtt: RTT,
            recovering: self.recovering,
            loss: (lost > 0.0).then_some(LossSample { tx_in_flight, lost: self.lost, app_limited: false }),
            rate: Some(RateSample {
                rate: PacketRate(RATE),
                app_limited: false,
                interval: RTT,
                delivered,
                prior_delivered: self.delivered - delivered,
                lost: self.lost,
                tx_in_flight,
            }),
            ..Ack::default()
        });
    }

    fn signal(&mut self, signal: Signal) {
        let restart = signal == Signal::Timeout;
        let event = Congestion { now: self.now, signal, flight: BDP, restart, repeated: false };
        self.controller.on_congestion(&event);
    }

    fn cwnd(&self) -> f64 {
        self.controller.decision().cwnd
    }

    fn pacing(&self) -> f64 {
        self.controller.decision().pacing_rate.unwrap().0
    }

    fn gauge(&self, name: &str) -> f64 {
        crate::common::gauge(|take| self.controller.observe(take), name)
    }
}

#[track_caller]
fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found}, not {expected} within {tolerance}");
}

/// Ten packets in what is taken for a millisecond, then in the round-trip time that was measured.
#[test]
fn the_first_rate_is_the_initial_window_per_round_trip() {
    for (spec, gain) in [("bbr1", 2.885), ("bbr3", 2.77)] {
        let mut path = Path::new(spec);
        assert_near(path.pacing(), gain * 10.0 / 1e-3, 1e-6);
        path.controller.on_ack(&Ack { srtt: RTT, min_rtt: RTT, rtt: Some(RTT), ..Ack::default() });
        assert_near(path.pacing(), gain * 10.0 / 0.1, 1e-6);
    }
}

/// Two bandwidth-delay products, and three packets for the hosts in version 1.
#[test]
fn the_window_is_two_bandwidth_delay_products() {
    assert_near(Path::in_use("bbr1").cwnd(), 2.0 * BDP + 3.0, 1e-6);
    let window = Path::in_use("bbr3").cwnd();
    assert!((2.0 * BDP..2.0 * BDP + 5.0).contains(&window), "{window}");
}

/// 4 ln 2 = 2.77 times the bandwidth, less a hundredth, before the pipe is full; afterwards 0.9, 1 and 1.25 times that.
#[test]
fn version_3_paces_by_the_gain_of_its_phase() {
    let mut path = Path::new("bbr3");
    for _ in 0..150 {
        path.ack(BDP - 1.0, 0.0);
    }
    assert_near(path.pacing() / RATE, 0.99 * 2.77, 0.02);
    for _ in 0..2000 {
        path.ack(BDP - 1.0, 0.0);
        let gain = path.gauge("bbr3_pacing_gain");
        assert_near(path.pacing() / RATE, 0.99 * gain, 0.02);
    }
    assert!(path.pacing() < 1.3 * RATE, "the pipe is full");
}

/// 4.3.5: no shorter round trip for 10 s, and at most four packets are in flight for 200 ms and a round trip, which is over earlier.
#[test]
fn version_1_probes_the_round_trip_time_for_200_ms() {
    let mut path = Path::in_use("bbr1");
    path.rtt = RTT + Duration::from_millis(1);
    let waits = (0..12_000).take_while(|_| {
        path.ack(BDP - 1.0, 0.0);
        path.cwnd() > 4.0
    });
    assert!((9_900..10_100).contains(&waits.count()));
    let probed = (0..1000).take_while(|_| {
        path.ack(4.0, 0.0);
        path.cwnd() <= 4.0
    });
    assert!((200..210).contains(&probed.count()));
}

/// Version 1: packet conservation for a round trip, and the old window when recovery ends.
#[test]
fn version_1_sends_what_is_delivered_in_the_first_round_of_recovery() {
    let mut path = Path::in_use("bbr1");
    let before = path.cwnd();
    path.signal(Signal::Loss);
    path.recovering = true;
    path.ack(90.0, 1.0);
    assert_near(path.cwnd(), 91.0, 1e-9);
    for _ in 0..90 {
        path.ack(90.0, 0.0);
        assert_near(path.cwnd(), 91.0, 1e-9);
    }
    for _ in 0..30 {
        path.ack(90.0, 0.0);
    }
    assert!(path.cwnd() > 100.0, "it grows by what is delivered after that round: {}", path.cwnd());
    path.recovering = false;
    path.ack(90.0, 0.0);
    assert_near(path.cwnd(), before, 1e-6);
}

/// Version 1: a lost retransmission is another signal in the same recovery, and conservation began once. Linux begins it where the
/// state before was no recovery (`bbr_set_cwnd_to_recover_or_restore`).
#[test]
fn version_1_conserves_packets_once_per_recovery() {
    let mut path = Path::in_use("bbr1");
    let before = path.cwnd();
    path.signal(Signal::Loss);
    path.recovering = true;
    for _ in 0..121 {
        path.ack(90.0, 0.0);
    }
    let after_a_round = path.cwnd();
    assert!(after_a_round > 100.0, "{after_a_round}");
    path.signal(Signal::Loss);
    path.ack(90.0, 0.0);
    assert!(path.cwnd() >= after_a_round, "{} after {after_a_round}", path.cwnd());
    path.recovering = false;
    path.ack(90.0, 0.0);
    assert_near(path.cwnd(), before, 1e-6);
    path.signal(Signal::Loss);
    path.recovering = true;
    path.ack(90.0, 1.0);
    assert_near(path.cwnd(), 91.0, 1e-9);
}

/// Both: data that comes six or eleven seconds after the connection began finds a model to fill, not a `ProbeRTT` to begin with.
#[test]
fn the_first_data_after_a_silence_begins_no_probe_of_the_round_trip_time() {
    for (spec, gauge, probe_rtt) in [("bbr1", "bbr1_state", 3.0), ("bbr3", "bbr3_state", 6.0)] {
        for silence in [6, 11] {
            let mut path = Path::new(spec);
            path.now += Duration::from_secs(silence);
            path.controller.on_event(&Event::IdleRestart { restart_window: 10.0 });
            path.ack(9.0, 0.0);
            assert!((path.gauge(gauge) - probe_rtt).abs() > 0.5, "{spec} after {silence} s");
        }
    }
}

/// Both: one packet after a timeout, and the window from before it when all is repaired.
#[test]
fn a_timeout_leaves_one_packet_and_is_forgotten() {
    for spec in ["bbr1", "bbr3"] {
        let mut path = Path::in_use(spec);
        let before = path.cwnd();
        path.signal(Signal::Timeout);
        assert_near(path.cwnd(), 1.0, 1e-9);
        path.recovering = true;
        path.ack(0.0, 0.0);
        assert!(path.cwnd() <= 4.0, "{spec}: {}", path.cwnd());
        path.recovering = false;
        path.ack(3.0, 0.0);
        assert_near(path.cwnd(), before, 5.0);
    }
}

#[test]
fn an_undo_brings_the_window_back() {
    for spec in ["bbr1", "bbr3"] {
        let mut path = Path::in_use(spec);
        let before = path.cwnd();
        path.signal(Signal::Timeout);
        path.controller.on_event(&Event::Spurious);
        assert_near(path.cwnd(), before, 1e-9);
    }
}

/// BBR paces at the bandwidth after a pause instead of starting again (5.4.1).
#[test]
fn idleness_takes_no_window() {
    for spec in ["bbr1", "bbr3"] {
        let mut path = Path::in_use(spec);
        let before = path.cwnd();
        path.controller.on_event(&Event::IdleRestart { restart_window: 10.0 });
        assert_near(path.cwnd(), before, 1e-9);
        assert_near(path.pacing(), RATE, 0.011 * RATE);
        // Before anything was delivered it is about a SYN that was lost.
        let mut path = Path::new(spec);
        path.controller.on_event(&Event::IdleRestart { restart_window: 1.0 });
        assert_near(path.cwnd(), 1.0, 1e-9);
    }
}

/// 5.5.10.3: a round with losses between probes leaves what was delivered of late: here all of the bandwidth, and the
/// flight that was delivered, a hundred of the window's two hundred packets but no less than 0.7 of them.
#[test]
fn version_3_lowers_its_window_after_a_round_with_losses() {
    let mut path = Path::in_use("bbr3");
    assert_near(path.gauge("bbr3_state"), 3.0, 0.0);
    let before = path.cwnd();
    path.ack(98.0, 1.0);
    for _ in 0..110 {
        path.ack(98.0, 0.0);
    }
    assert_near(path.gauge("bbr3_inflight_shortterm_packets"), 0.7 * before, 1.0);
    assert_near(path.gauge("bbr3_bandwidth_packet_per_s"), RATE, 1e-6);
    assert_near(path.cwnd(), 0.7 * before, 1.0);
}

/// 5.5.10.2: in a probe, two losses of a hundred are tolerated and three are not: the third was lost where 2 % of what
/// was in flight had been crossed, 99 + (0.02 * 99 - 2) / 0.98 packets, and no bound falls below 0.7 of the target.
#[test]
fn version_3_ends_a_probe_that_loses_more_than_two_per_cent() {
    let mut path = Path::in_use("bbr3");
    while path.gauge("bbr3_state") < 4.5 {
        path.ack(99.0, 0.0);
    }
    path.ack(99.0, 1.0);
    path.ack(99.0, 1.0);
    assert!(path.gauge("bbr3_inflight_longterm_packets").is_infinite());
    assert_near(path.gauge("bbr3_state"), 5.0, 0.0);
    path.ack(99.0, 1.0);
    assert_near(path.gauge("bbr3_inflight_longterm_packets"), 98.98, 0.01);
    assert_near(path.gauge("bbr3_state"), 2.0, 0.0);
}

/// 3.7: a mark is congestion. It ends a probe of version 3; version 1 knows no marks.
#[test]
fn a_mark_ends_a_probe_of_version_3() {
    let mut path = Path::in_use("bbr3");
    while path.gauge("bbr3_state") < 4.5 {
        path.ack(99.0, 0.0);
    }
    path.signal(Signal::Ecn);
    path.ack(99.0, 0.0);
    assert_near(path.gauge("bbr3_state"), 2.0, 0.0);
    assert_near(path.gauge("bbr3_inflight_longterm_packets"), BDP, 1e-9);

    let mut path = Path::in_use("bbr1");
    let before = (path.cwnd(), path.gauge("bbr1_state"));
    path.signal(Signal::Ecn);
    path.ack(BDP - 1.0, 0.0);
    assert_eq!(
        (path.cwnd().to_bits(), path.gauge("bbr1_state").to_bits()),
        (before.0.to_bits(), before.1.to_bits())
    );
}
