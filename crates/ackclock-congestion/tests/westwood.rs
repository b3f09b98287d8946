//! Westwood+: consequences that Grieco and Mascolo (2004) state.

use crate::common::{BASE_RTT, Path, assert_near};

/// A path of 100 packets with a window of this, long enough in use for the estimate to settle.
fn settled(spec: &str, window: f64) -> Path {
    let mut path = Path::new(spec, window, 2.0, 100.0);
    let rtt = path.rtt();
    for _ in 0..100 {
        path.round_of(|_| Some(rtt), false);
    }
    path
}

/// The adaptive decrease: whatever stood in the queue, a loss leaves the bandwidth-delay product.
#[test]
fn a_loss_empties_the_queue_and_no_more() {
    for window in [110.0, 150.0, 200.0, 400.0] {
        let mut path = settled("westwood", window);
        path.loss();
        assert_near(path.cwnd(), 100.0, 0.5);
        assert_near(path.controller.ssthresh(), 100.0, 0.5);
    }
}

/// A loss that no queue caused costs nothing: the window was the product of bandwidth and delay.
#[test]
fn a_random_loss_keeps_the_window() {
    let mut path = settled("westwood", 60.0);
    path.loss();
    assert_near(path.cwnd(), 60.0, 1e-6);
}

#[test]
fn a_timeout_starts_over_towards_the_bandwidth_delay_product() {
    let mut path = settled("westwood", 150.0);
    path.timeout();
    assert_near(path.cwnd(), 1.0, 1e-9);
    assert_near(path.controller.ssthresh(), 100.0, 0.5);
}

#[test]
fn it_grows_like_standard_tcp() {
    let mut path = Path::wide("westwood", 50.0, 2.0);
    path.rounds(20);
    let mut reno = Path::wide("reno", 50.0, 2.0);
    reno.rounds(20);
    assert_near(path.cwnd(), reno.cwnd(), 1e-9);
}

/// A filter that keeps 7/8 per round trip: when the rate halves, the estimate goes half of the way in 5.2 round trips
/// (0.875^5.19 = 1/2), and another weight takes its own time.
#[test]
fn the_estimate_follows_in_some_round_trips() {
    for (spec, rounds, product) in
        [("westwood", 5, 75.6), ("westwood", 6, 72.4), ("westwood(smoothing=0.5)", 1, 75.0)]
    {
        let mut path = settled(spec, 100.0);
        path.capacity = 50.0;
        for _ in 0..rounds {
            path.round_of(|_| Some(BASE_RTT * 2), false);
        }
        path.timeout();
        assert_near(path.controller.ssthresh(), product, 0.1);
    }
}

/// The first estimate is the first round trip's rate.
#[test]
fn before_any_estimate_a_loss_takes_half() {
    let mut path = Path::wide("westwood", 40.0, 2.0);
    path.loss();
    assert_near(path.cwnd(), 20.0, 1e-9);
    let mut path = Path::wide("westwood", 40.0, 2.0);
    path.rounds(2);
    path.loss();
    assert!(path.cwnd() > 38.0, "{}", path.cwnd());
}
