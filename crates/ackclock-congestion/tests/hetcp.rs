//! HE-TCP: consequences that he-tcp, 3, states.

use crate::common::{Path, assert_near};
use crate::pipe::Pipe;
use ackclock_congestion::Start;
use ackclock_units::{Duration, Time};

/// 2000 packets per second over 100 ms: 200 packets.
fn pipe(spec: &str, initial_window: f64, initial_ssthresh: f64) -> Pipe {
    let start = Start { initial_window, initial_ssthresh, ..Start::default() };
    Pipe::new(spec, &start, 2000.0, Duration::from_millis(100))
}

fn bandwidth(pipe: &Pipe) -> f64 {
    pipe.gauge("hetcp_bandwidth_packets_per_s")
}

/// (2): the estimate of a rate that stays is that rate, for any number of samples per window.
#[test]
fn the_estimate_is_the_bandwidth_of_a_full_path() {
    for spec in ["hetcp", "hetcp(n=1)", "hetcp(n=50)", "hetcp(smoothed=1)"] {
        let mut pipe = pipe(spec, 250.0, 2.0);
        pipe.run(Duration::from_secs(3));
        assert_near(bandwidth(&pipe), 2000.0, 60.0);
        // (3), and so the threshold is what the path holds.
        assert_near(pipe.controller.ssthresh(), pipe.bdp(), 0.04 * pipe.bdp());
    }
}

/// A window that leaves the path half empty is delivered at half its rate.
#[test]
fn the_estimate_is_the_rate_of_a_window_that_does_not_fill_the_path() {
    let mut pipe = pipe("hetcp", 100.0, 2.0);
    pipe.run(Duration::from_secs(1));
    assert_near(bandwidth(&pipe), pipe.cwnd() / 0.1, 60.0);
    assert!(pipe.controller.ssthresh() <= pipe.cwnd());
}

/// 3.4, figure 1: after a loss the window is halved; acknowledgments still arrive at the path's rate, the threshold
/// rises over the window, and it grows by a packet per acknowledgment until both meet.
#[test]
fn after_a_loss_it_grows_rapidly_up_to_the_estimate() {
    let mut he = pipe("hetcp", 230.0, 2.0);
    he.run(Duration::from_secs(2));
    let (mut reno, bdp) = (pipe("reno", 230.0, 2.0), he.bdp());
    reno.run(Duration::from_secs(2));
    let before = he.cwnd();
    he.loss();
    reno.loss();
    assert_near(he.cwnd(), before / 2.0, 1.0);
    let mut rapid = 0;
    he.until(|pipe| {
        rapid += u32::from(pipe.cwnd() < pipe.controller.ssthresh());
        pipe.now > Time::ZERO + Duration::from_millis(3_000)
    });
    reno.run(he.now.since(reno.now));
    assert!(rapid > 20, "{rapid} acknowledgments found the threshold above the window");
    assert!(he.cwnd() > reno.cwnd() + 20.0, "{} and {}", he.cwnd(), reno.cwnd());
    assert!(he.cwnd() < 1.1 * bdp, "{} packets, which is no overshoot of {bdp}", he.cwnd());
    // And it left the phase at the estimate.
    assert!(he.cwnd() >= he.controller.ssthresh());
    assert_near(he.controller.ssthresh(), bandwidth(&he) * 0.1005, 2.0);
}

/// In the phase it never goes past what is estimated by more than the packet that ends it.
#[test]
fn it_leaves_the_phase_at_the_estimated_bandwidth_delay_product() {
    let mut pipe = pipe("hetcp", 230.0, 2.0);
    pipe.run(Duration::from_secs(2));
    pipe.loss();
    let mut before = (pipe.cwnd(), pipe.controller.ssthresh());
    let mut left = vec![];
    let end = pipe.now + Duration::from_secs(2);
    pipe.until(|pipe| {
        let after = (pipe.cwnd(), pipe.controller.ssthresh());
        let grown = after.0 - before.0;
        assert!(grown <= 1.0 / before.0 + 1e-9 || after.0 <= before.1.max(after.1) + 1e-9);
        if before.0 < before.1 && after.0 >= after.1 {
            left.push(after.0);
        }
        before = after;
        pipe.now >= end
    });
    assert!(!left.is_empty() && left.iter().all(|&cwnd| cwnd <= 1.05 * pipe.bdp()), "{left:?}");
}

/// Figure 2: `PreBW` = 0 after a loss; 3.3: 1. Both forget, and differ by no more than that.
#[test]
fn a_loss_begins_the_estimate_again() {
    for (spec, expected) in [("hetcp", 0.0), ("hetcp(loss_estimate=1)", 1.0)] {
        let mut pipe = pipe(spec, 230.0, 2.0);
        pipe.run(Duration::from_secs(2));
        assert!(bandwidth(&pipe) > 1900.0);
        pipe.loss();
        assert_near(bandwidth(&pipe), expected, 0.0);
        assert_near(pipe.controller.ssthresh(), pipe.cwnd(), 0.0);
        // After a round-trip time's acknowledgments at the path's rate: 1 - 1/e of it, or a little less.
        pipe.run(Duration::from_millis(115));
        assert_near(bandwidth(&pipe), 2000.0 * (1.0 - (-1.15_f64).exp()), 0.1 * 2000.0);
    }
}

/// A window that doubles leaves its estimate behind, so the listing has no slow start; figure 1 has.
#[test]
fn slow_start_goes_on_until_its_threshold_unless_the_estimate_moves_it_at_once() {
    let reached = |spec: &str| {
        let mut pipe = pipe(spec, 2.0, 150.0);
        pipe.rounds(9);
        pipe.cwnd()
    };
    assert!(reached("hetcp") >= 150.0);
    assert!(reached("hetcp(from_start=1)") < 30.0, "{}", reached("hetcp(from_start=1)"));
}

#[test]
fn a_timeout_is_followed_by_slow_start() {
    let mut path = Path::wide("hetcp", 100.0, 2.0);
    path.rounds(3);
    let before = path.cwnd();
    path.timeout();
    path.rounds(5);
    assert_near(path.cwnd(), 32.0, 1e-9);
    assert_near(path.controller.ssthresh(), before / 2.0, 1e-9);
}

/// The growth in the phase is the slow start's that it is combined with.
#[test]
fn the_slow_start_beside_it_is_the_growth_of_the_phase() {
    let recovered = |spec: &str| {
        let mut pipe = pipe(spec, 230.0, 2.0);
        pipe.run(Duration::from_secs(2));
        pipe.loss();
        let halved = pipe.cwnd();
        pipe.run(Duration::from_millis(400));
        pipe.cwnd() - halved
    };
    assert!(recovered("standard+hetcp") > 1.5 * recovered("limited-mesonet(max_ssthresh=16)+hetcp"));
    assert!(recovered("base(b=1)+hetcp") < 3.0, "no growth below the threshold, no phase");
}

#[test]
fn a_low_window_keeps_standard_tcp_below_it() {
    let recovered = |spec: &str| {
        let mut pipe = pipe(spec, 230.0, 2.0);
        pipe.run(Duration::from_secs(2));
        pipe.loss();
        pipe.run(Duration::from_secs(1));
        pipe.cwnd()
    };
    assert_near(recovered("hetcp(low_window=300)"), recovered("reno"), 1e-9);
    assert!(recovered("hetcp(low_window=100)") > recovered("reno") + 20.0);
}

/// 3.2: ABE "computes the optimum congestion window once every RTT", TSW "upon each packet arrival", and GTSW a number of times,
/// n, per round.
#[test]
fn estimators_differ_in_their_samples_per_round_trip() {
    for (spec, samples) in [("hetcp(n=1)", 1.0), ("hetcp", 10.0), ("hetcp(n=1000000)", 200.0)] {
        let mut pipe = pipe(spec, 200.0, 2.0);
        pipe.run(Duration::from_secs(2));
        // After a loss the estimate rises with every sample, and a round trip brings 200 packets' acknowledgments.
        pipe.loss();
        let (until, mut last, mut changes) = (pipe.now + Duration::from_secs(1), bandwidth(&pipe), 0);
        pipe.until(|pipe| {
            changes += u32::from(bandwidth(pipe).to_bits() != f64::to_bits(last));
            last = bandwidth(pipe);
            pipe.now > until
        });
        let found = f64::from(changes) / 10.0;
        assert!(
            (0.5 * samples..1.5 * samples + 1.0).contains(&found),
            "{spec}: {found} samples per round trip"
        );
    }
}
