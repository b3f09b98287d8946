//! `HyStart` as in Linux: the two ways in which slow start ends, by hand. The smallest delay is 50 ms.

use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{Ack, Congestion, CongestionControl, Signal, Start};
use ackclock_units::{Duration, Time};

/// Acknowledgments of one packet each.
struct Sender {
    controller: Box<dyn CongestionControl>,
    now: Time,
}

impl Sender {
    fn new(spec: &str) -> Sender {
        let spec: ControllerSpec = spec.parse().expect("a test's specification");
        let start = Start { initial_window: 20.0, ..Start::default() };
        let mut sender = Sender { controller: spec.build(&start), now: Time::ZERO };
        sender.ack(0, 0, 50);
        sender
    }

    /// After this many milliseconds an acknowledgment in a round, with a delay; whether slow start is over by it.
    fn ack(&mut self, after: u64, round: u64, rtt: u64) -> bool {
        self.now += Duration::from_millis(after);
        self.controller.on_ack(&Ack {
            now: self.now,
            delivered: 1.0,
            rtt: Some(Duration::from_millis(rtt)),
            round,
            // What is in flight when a round begins is what it lasts for: the first is of one packet.
            in_flight: if round == 0 { 0.0 } else { 1000.0 },
            advanced: true,
            window_limited: true,
            ..Ack::default()
        });
        self.controller.ssthresh().is_finite()
    }

    /// The acknowledgment of a round, counted from 0, by which slow start is over.
    fn end(&mut self, gap: u64, rtt: u64) -> Option<u64> {
        (0..100).find(|index| self.ack(if *index == 0 { 50 } else { gap }, 1, rtt))
    }
}

/// A train goes on for (50 + 1) / 2 = 25.5 ms: the acknowledgment at 26 ms is the first beyond that. A paced one for 51 ms.
#[test]
fn a_train_of_half_a_round_trip_ends_slow_start() {
    assert_eq!(Sender::new("hystart-linux").end(1, 50), Some(26));
    assert_eq!(Sender::new("hystart-linux").end(2, 50), Some(13));
    assert_eq!(Sender::new("hystart-linux(paced=1)").end(1, 50), Some(52));
    assert_eq!(Sender::new("hystart-linux").end(3, 50), None, "a gap above 2 ms");
    assert_eq!(Sender::new("hystart-linux(train=0)").end(1, 50), None);
}

/// An eighth of 50 ms is 6.25 ms: above 56.25 ms, and not before the ninth sample.
#[test]
fn a_rise_of_an_eighth_ends_slow_start() {
    assert_eq!(Sender::new("hystart-linux").end(3, 56), None);
    assert_eq!(Sender::new("hystart-linux").end(3, 57), Some(8));
    assert_eq!(Sender::new("hystart-linux(delay=0)").end(3, 57), None);
    assert_eq!(Sender::new("hystart-linux(min_samples=0)").end(3, 57), Some(0));
}

/// One early packet of the round says that there is no queue.
#[test]
fn the_smallest_delay_of_a_round_counts() {
    let mut sender = Sender::new("hystart-linux");
    sender.ack(50, 1, 52);
    assert!((0..50).all(|_| !sender.ack(3, 1, 80)));
}

/// `hystart_low_window`: 20 packets are not enough where it is 1000. The window is the threshold then, and stays.
#[test]
fn the_window_becomes_the_threshold() {
    assert_eq!(Sender::new("hystart-linux(low_window=1000)").end(1, 90), None);
    let mut sender = Sender::new("hystart-linux");
    sender.end(1, 50);
    // 20, and a packet with each of 27 acknowledgments but the one that ends it.
    assert!((sender.controller.ssthresh() - 47.0).abs() < 1e-9, "{}", sender.controller.ssthresh());
    let (now, flight) = (sender.now, 47.0);
    let timeout = Congestion { now, signal: Signal::Timeout, flight, restart: true, repeated: false };
    sender.controller.on_congestion(&timeout);
    assert!((sender.controller.decision().cwnd - 1.0).abs() < 1e-9);
}

/// A sender of the scripts of Google's packetdrill, `gtests/net/tcp/cubic/`: a window of ten packets, acknowledged after 200 ms. The
/// second flight is of twenty, and each acknowledgment of two of them has a delay. The window and the threshold after each.
fn scripted(delays: [u64; 10]) -> Vec<(f64, f64)> {
    let spec: ControllerSpec = "hystart-linux+cubic".parse().expect("a test's specification");
    let mut controller = spec.build(&Start { initial_window: 10.0, ..Start::default() });
    let mut now = Time::ZERO + Duration::from_millis(400);
    let mut ack = |now: Time, delivered: f64, round: u64, rtt: u64, in_flight: f64| {
        controller.on_ack(&Ack {
            now,
            delivered,
            rtt: Some(Duration::from_millis(rtt)),
            min_rtt: Duration::from_millis(200),
            srtt: Duration::from_millis(200),
            round,
            in_flight,
            advanced: true,
            window_limited: true,
            ..Ack::default()
        });
        (controller.decision().cwnd, controller.ssthresh())
    };
    assert_eq!(ack(now, 10.0, 1, 200, 0.0), (20.0, f64::INFINITY));
    now += Duration::from_millis(delays[0].min(200));
    (0..10)
        .map(|index: u64| {
            now += Duration::from_millis(1);
            ack(now, 2.0, 2, delays[index as usize], (18 - 2 * index) as f64)
        })
        .collect()
}

/// `cubic-hystart-delay-rtt-jumps-upward.pkt`: at delays of 240 ms and more the ninth acknowledgment makes the window of 36 packets
/// the threshold.
#[test]
fn the_script_of_a_delay_that_jumps_upward() {
    let windows = scripted([240, 241, 242, 243, 244, 245, 246, 247, 248, 249]);
    let before: Vec<f64> = (11..=18).map(|half| f64::from(2 * half)).collect();
    assert!(windows[..8].iter().map(|(window, _)| *window).eq(before), "{windows:?}");
    assert!(windows[..8].iter().all(|(_, threshold)| threshold.is_infinite()), "{windows:?}");
    // The script counts whole packets.
    for (window, threshold) in &windows[8..] {
        assert_eq!((window.floor(), *threshold), (36.0, 36.0));
    }
}

/// `cubic-hystart-delay-min-rtt-jumps-downward.pkt`: delays of 200 to 208 ms, then one of 29 ms, which is the smallest of all: slow
/// start goes on, at a window of 40 packets.
#[test]
fn the_script_of_a_smallest_delay_that_jumps_downward() {
    let windows = scripted([200, 201, 202, 203, 204, 205, 206, 207, 208, 29]);
    assert_eq!(windows[9], (40.0, f64::INFINITY));
}
