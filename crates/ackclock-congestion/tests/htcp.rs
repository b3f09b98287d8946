//! H-TCP: consequences that mesonet, 5.2.5, and Shorten and Leith (2004) state.

mod common;

use ackclock_units::Duration;
use common::stream::{Stream, mean_window};
use common::{BASE_RTT, Path, assert_near};

const TENTH: Duration = Duration::from_millis(100);

/// A stream, this many seconds after its first loss.
fn after_loss(spec: &str, window: f64, seconds: f64) -> Stream {
    let mut stream = Stream::new(spec, window, TENTH);
    stream.for_seconds(1.0);
    stream.loss();
    stream.for_seconds(seconds);
    stream
}

/// Packets gained in the round trip whose middle is this many seconds after the loss.
fn gain(spec: &str, window: f64, seconds: f64) -> f64 {
    let mut stream = after_loss(spec, window, seconds - 0.05);
    let before = stream.cwnd();
    stream.for_rounds(1.0);
    stream.cwnd() - before
}

/// 1 + 10 (t - 1) + (t - 1)^2 / 4 for times t in seconds, worked out by hand.
const GROWTH: [(f64, f64); 5] = [(2.0, 11.25), (3.0, 22.0), (5.0, 45.0), (11.0, 126.0), (21.0, 301.0)];

/// This many packets per round trip, 2 (1 - beta) being one after the first loss; in mesonet times the round-trip time,
/// but at least one. Packets, whatever their size: where as many bytes are added, the gain is a thousandth of it.
#[test]
fn it_gains_packets_by_the_time_since_the_loss() {
    for (seconds, growth) in GROWTH {
        for window in [500.0, 2_000.0] {
            assert_near(gain("htcp(rtt_scaling=0)", window, seconds) / growth, 1.0, 0.01);
            assert_near(gain("htcp", window, seconds) / (0.1 * growth).max(1.0), 1.0, 0.01);
            // Linux's unit is a round trip of a tenth of a second, which is what these have.
            assert_near(gain("htcp(rtt_scaling=10)", window, seconds) / growth, 1.0, 0.01);
        }
    }
}

/// As above, integrated over ten seconds by the primitive t + 5 t^2 + t^3 / 12: the first second and nine more.
#[test]
fn it_gains_the_sum_over_the_seconds() {
    let gained = 10.0 * (1.0 + 9.0 + 5.0 * 81.0 + 729.0 / 12.0);
    let begin = after_loss("htcp(rtt_scaling=0)", 1_000.0, 0.0).cwnd();
    assert_near((after_loss("htcp(rtt_scaling=0)", 1_000.0, 10.0).cwnd() - begin) / gained, 1.0, 0.005);
}

#[test]
fn in_the_first_second_it_is_standard_tcp() {
    for seconds in [0.1, 0.5, 0.9] {
        assert_near(gain("htcp", 500.0, seconds), 1.0, 0.01);
    }
    assert_near(gain("htcp(delta_l=5,rtt_scaling=0)", 500.0, 4.9), 1.0, 0.01);
}

/// Not on the window: that is what makes flows of all sizes grow alike, and converge.
#[test]
fn the_gain_does_not_depend_on_the_window() {
    let small = gain("htcp", 100.0, 8.0);
    assert_near(gain("htcp", 10_000.0, 8.0) / small, 1.0, 0.01);
}

/// The fraction kept after a loss on a path in equilibrium, where the window makes the queue this long.
fn kept(spec: &str, capacity: f64, window: f64) -> f64 {
    let mut path = Path::new(spec, window, 2.0, capacity);
    for _ in 0..3 {
        while path.cwnd() < window {
            path.round();
        }
        path.rounds(10);
        path.loss();
    }
    let rtt = path.rtt();
    for _ in 0..400 {
        path.round_of(|_| Some(rtt), false);
    }
    let before = path.cwnd();
    path.loss();
    path.cwnd() / before
}

/// Text at eq. 34: "the H-TCP algorithm varies the back-off fraction between 0.5 and 0.8", by the part of the round
/// trip that was not queueing.
#[test]
fn a_loss_empties_the_queue() {
    // A window of 1.5 times the path makes round-trip times of that, plus what ten rounds add.
    for (over, low, high) in [(1.1, 0.8, 0.8), (1.5, 0.62, 0.667), (3.0, 0.5, 0.5)] {
        let found = kept("htcp(delta_b=100)", 400.0, 400.0 * over);
        assert!((low - 1e-9..=high + 1e-9).contains(&found), "{found} at {over} of the path");
    }
    assert_near(kept("htcp(delta_b=100,beta_max=0.6)", 400.0, 440.0), 0.6, 1e-9);
    let found = kept("htcp(delta_b=100,beta_min=0.2)", 400.0, 1_200.0);
    assert!((0.29..0.334).contains(&found), "{found} at three times the path");
}

/// A stream that gets this many packets per second for two seconds, and then a loss; twice.
fn kept_after_change(first: u32, second: u32) -> f64 {
    let mut path = Path::wide("htcp", 1_000.0, 2.0);
    let mut kept = 0.0;
    for packets in [first, first, second] {
        for _ in 0..200 {
            path.advance(Duration::from_millis(10));
            path.ack(f64::from(packets) / 100.0, Some(BASE_RTT), false);
        }
        let before = path.cwnd();
        path.loss();
        kept = path.cwnd() / before;
    }
    kept
}

/// Eq. 33 and 34: half if the throughput changed by more than a fifth since the loss before, up or down.
#[test]
fn a_change_of_the_throughput_takes_half() {
    for (second, expected) in [(1_000, 0.8), (1_150, 0.8), (850, 0.8), (1_250, 0.5), (750, 0.5)] {
        assert_near(kept_after_change(1_000, second), expected, 1e-9);
    }
}

#[test]
fn the_first_loss_and_timeouts_keep_half() {
    let mut path = Path::wide("htcp", 100.0, 2.0);
    path.rounds(20);
    let before = path.cwnd();
    path.loss();
    assert_near(path.cwnd(), before / 2.0, 1e-9);
    path.rounds(20);
    let before = path.cwnd();
    path.timeout();
    assert_near(path.cwnd(), 1.0, 1e-9);
    assert_near(path.controller.ssthresh(), before / 2.0, 1e-9);
}

/// Eq. 36 runs on acknowledgments that may not grow the window, too, and waits for 250 ms.
#[test]
fn throughput_is_measured_while_growth_is_suspended() {
    let mut path = Path::wide("htcp", 100.0, 2.0);
    for _ in 0..100 {
        path.advance(Duration::from_millis(10));
        path.ack(1.0, Some(BASE_RTT), false);
    }
    path.loss();
    // Within 240 ms nothing is sampled: the next loss finds the throughput unchanged, whatever arrives.
    for _ in 0..24 {
        path.advance(Duration::from_millis(10));
        path.ack(5.0, Some(BASE_RTT), false);
    }
    let before = path.cwnd();
    path.loss();
    assert_near(path.cwnd() / before, 0.8, 1e-9);
    path.advance(Duration::from_millis(20));
    path.ack(5.0, Some(BASE_RTT), false);
    let before = path.cwnd();
    path.loss();
    assert_near(path.cwnd() / before, 0.5, 1e-9);
}

/// If every 1/p-th packet is lost, T seconds after the one before, the window at the loss is G / (1 - beta), where G
/// is the gain over T; and 1/p is the window summed over T. All of these are polynomials.
#[test]
fn the_response_function_follows_from_the_gain() {
    let (rtt, beta) = (0.1, 0.8);
    for seconds in [3.0_f64, 6.0, 10.0] {
        let x = seconds - 1.0;
        let speed = 2.0 * (1.0 - beta) / rtt;
        let gain = speed * (1.0 + x + 5.0 * x.powi(2) + x.powi(3) / 12.0);
        let area = speed * (0.5 + x + x.powi(2) / 2.0 + 5.0 * x.powi(3) / 3.0 + x.powi(4) / 48.0);
        let packets = (beta * gain / (1.0 - beta) * seconds + area) / rtt;
        let expected = packets * rtt / seconds;
        let found = mean_window("htcp(rtt_scaling=0)", packets as u32, TENTH, expected, 30, 10);
        assert_near(found / expected, 1.0, 0.01);
    }
}

/// The fraction kept at each of this many losses of a window that is never small, where round trips take 1.1 times the base and one,
/// before the second loss, takes 2.2 times.
fn kept_after_a_delayed_acknowledgment(spec: &str, losses: usize) -> Vec<f64> {
    let mut path = Path::wide(spec, 1e12, 2.0);
    let mut all = vec![];
    for loss in 0..losses {
        for index in 0..100 {
            let times = match (loss, index) {
                (_, 0) => 1.0,
                (1, 50) => 2.2,
                _ => 1.1,
            };
            path.advance(Duration::from_millis(10));
            path.ack(10.0, Some(BASE_RTT.mul_f64(times)), false);
        }
        let before = path.cwnd();
        path.loss();
        all.push(path.cwnd() / before);
    }
    all
}

/// 2.2 times the base round trip once makes 1 / 2.2, which is below a half; without it 1 / 1.1 is above 0.8.
#[test]
fn one_delayed_acknowledgment_counts_for_good_unless_it_fades() {
    let all = kept_after_a_delayed_acknowledgment("htcp(delta_b=100,beta_min=0.1)", 20);
    assert!(all[1..].iter().all(|kept| (kept - 1.0 / 2.2).abs() < 1e-6), "{all:?}");
    // After n losses the longest queueing delay is 1.2 times 0.95^n base round trips.
    let faded = kept_after_a_delayed_acknowledgment("htcp(delta_b=100,beta_min=0.1,fade=0.05)", 20);
    for (n, kept) in (0..).zip(&faded[1..]) {
        assert_near(*kept, (1.0 / (1.0 + 1.2 * 0.95_f64.powi(n))).min(0.8), 1e-6);
    }
    // 110 ms are longer than 55 by more than 20.
    let step = kept_after_a_delayed_acknowledgment("htcp(delta_b=100,rtt_step=0.02)", 20);
    assert!(step[1..].iter().all(|kept| (kept - 0.8).abs() < 1e-9), "{step:?}");
}
