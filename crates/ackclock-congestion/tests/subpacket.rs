//! Windows below one packet: what the page of `subpacket` says must follow.

use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{Ack, Congestion, CongestionControl, Signal, Start};
use ackclock_units::{Duration, PacketRate, Time};

const SRTT: Duration = Duration::from_millis(400);

fn controller(spec: &str, window: f64) -> Box<dyn CongestionControl> {
    let start = Start { initial_window: window, initial_ssthresh: 1.0, ..Start::default() };
    spec.parse::<ControllerSpec>().unwrap().build(&start)
}

fn acknowledge(controller: &mut dyn CongestionControl) {
    let ack = Ack {
        delivered: 1.0,
        srtt: SRTT,
        min_rtt: SRTT,
        advanced: true,
        window_limited: true,
        ..Ack::default()
    };
    controller.on_ack(&ack);
}

fn lose(controller: &mut dyn CongestionControl, signal: Signal) {
    let flight = controller.decision().cwnd.ceil();
    let restart = signal == Signal::Timeout;
    controller.on_congestion(&Congestion { now: Time::ZERO, signal, flight, restart, repeated: false });
}

/// With every n-th packet lost a window that gains 1/16 per packet and loses half goes up and down between (n - 1) / 16
/// and twice that: below one packet where more than an eighth is lost.
#[test]
fn the_window_settles_where_loss_says() {
    for n in [3, 5, 9, 17] {
        let mut controller = controller("subpacket", 4.0);
        for _ in 0..200 {
            (1..n).for_each(|_| acknowledge(&mut *controller));
            lose(&mut *controller, Signal::Timeout);
        }
        let expected = f64::from(n - 1) / 16.0;
        assert!(
            (controller.decision().cwnd - expected).abs() < 1e-6,
            "1 in {n}: {}",
            controller.decision().cwnd
        );
    }
}

/// Where nothing is small it is standard TCP, to the bit.
#[test]
fn large_windows_are_standard_tcps() {
    let (mut ours, mut standard) = (controller("subpacket", 40.0), controller("reno", 40.0));
    for step in 0..2000 {
        acknowledge(&mut *ours);
        acknowledge(&mut *standard);
        if step % 700 == 699 {
            lose(&mut *ours, Signal::Loss);
            lose(&mut *standard, Signal::Loss);
        }
        assert!(ours.decision().cwnd > 16.0);
        assert_eq!(ours.decision().cwnd.to_bits(), standard.decision().cwnd.to_bits(), "step {step}");
        assert_eq!(ours.decision().pacing_rate, None);
    }
}

#[test]
fn a_small_window_is_a_rate() {
    let mut controller = controller("subpacket", 8.0);
    acknowledge(&mut *controller);
    for _ in 0..5 {
        let Some(PacketRate(rate)) = controller.decision().pacing_rate else { panic!("not paced") };
        assert!((rate * SRTT.as_secs_f64() / controller.decision().cwnd - 1.0).abs() < 1e-12);
        lose(&mut *controller, Signal::Loss);
    }
    assert!(controller.decision().cwnd < 1.0);
}

/// Timeouts in a row take the window down by halves, to the least there is: at 64 round trips for a packet the wait is as
/// long as the longest timeouts, but it shrinks again packet by packet.
#[test]
fn timeouts_halve_the_rate_to_a_floor() {
    let mut controller = controller("subpacket", 2.0);
    let mut windows = Vec::new();
    for before in 0..9 {
        let event = Congestion {
            now: Time::ZERO,
            signal: Signal::Timeout,
            flight: 1.0,
            restart: true,
            repeated: before > 0,
        };
        controller.on_congestion(&event);
        windows.push(1.0 / controller.decision().cwnd);
    }
    assert_eq!(windows, [2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 64.0, 64.0, 64.0]);
    acknowledge(&mut *controller);
    assert!(
        (controller.decision().cwnd - 5.0 / 64.0).abs() < 1e-12,
        "one packet through: five times the rate"
    );
}
