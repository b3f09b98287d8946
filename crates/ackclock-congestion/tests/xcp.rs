//! XCP's sender: the window by the feedback of routers, and standard TCP without.

use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{Ack, Congestion, CongestionControl, Signal, Start};
use ackclock_units::{Duration, PacketRate, Time};

fn controller(spec: &str, window: f64) -> Box<dyn CongestionControl> {
    let start = Start { initial_window: window, ..Start::default() };
    spec.parse::<ControllerSpec>().unwrap().build(&start)
}

fn acknowledgment(feedback: Option<f64>) -> Ack {
    let srtt = Duration::from_millis(200);
    Ack {
        delivered: 1.0,
        srtt,
        min_rtt: srtt,
        advanced: true,
        window_limited: true,
        feedback: feedback.map(PacketRate),
        ..Ack::default()
    }
}

fn assert_window(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found}, not {expected}");
}

fn lose(controller: &mut dyn CongestionControl, signal: Signal, flight: f64) {
    let restart = signal == Signal::Timeout;
    controller.on_congestion(&Congestion { now: Time::ZERO, signal, flight, restart, repeated: false });
}

/// 50 packets per second more over 200 ms are 10 packets, whatever the window was; less goes down to one packet.
#[test]
fn the_window_follows_the_feedback() {
    for window in [1.0, 10.0, 1000.0] {
        let mut xcp = controller("xcp", window);
        assert_window(xcp.on_ack(&acknowledgment(Some(50.0))).cwnd, window + 10.0);
        assert_window(xcp.on_ack(&acknowledgment(Some(0.0))).cwnd, window + 10.0); // no slow start
        assert_window(xcp.on_ack(&acknowledgment(Some(-50.0))).cwnd, window);
        assert_window(xcp.on_ack(&acknowledgment(Some(-1e9))).cwnd, 1.0);
    }
}

/// Katabi et al., 3.3: a loss is answered as by TCP. Until its round trip is over an increase is left out, a decrease is not.
#[test]
fn a_loss_halves_the_window() {
    let mut xcp = controller("xcp", 40.0);
    lose(&mut *xcp, Signal::Loss, 40.0);
    assert_window(xcp.decision().cwnd, 20.0);
    let suspended = |feedback| Ack { suspended: true, ..acknowledgment(Some(feedback)) };
    assert_window(xcp.on_ack(&suspended(50.0)).cwnd, 20.0);
    assert_window(xcp.on_ack(&suspended(-5.0)).cwnd, 19.0);
    lose(&mut *xcp, Signal::Timeout, 19.0);
    assert_window(xcp.decision().cwnd, 1.0);
    assert_window(xcp.on_ack(&acknowledgment(Some(500.0))).cwnd, 101.0); // and routers give it back at once
}

/// On a path whose routers do not speak it is standard TCP, to the bit.
#[test]
fn without_routers_it_is_standard_tcp() {
    let (mut ours, mut standard) = (controller("xcp", 10.0), controller("reno", 10.0));
    for step in 0..3000 {
        ours.on_ack(&acknowledgment(None));
        standard.on_ack(&acknowledgment(None));
        if step % 500 == 499 {
            let signal = if step % 1000 == 999 { Signal::Timeout } else { Signal::Loss };
            let flight = standard.decision().cwnd.floor();
            lose(&mut *ours, signal, flight);
            lose(&mut *standard, signal, flight);
        }
        assert_eq!(ours.decision().cwnd.to_bits(), standard.decision().cwnd.to_bits(), "step {step}");
    }
}
