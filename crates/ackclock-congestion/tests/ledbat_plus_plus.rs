//! LEDBAT++: consequences that its draft states.

use crate::common::{BASE_RTT, Path, assert_near};
use crate::link::Link;
use ackclock_congestion::Start;
use ackclock_units::Duration;

/// Windows after this many round trips without a queue.
fn windows(path: &mut Path, rounds: u32) -> Vec<f64> {
    let after = |_| {
        path.round();
        path.cwnd()
    };
    (0..rounds).map(after).collect()
}

/// By hand: at 50 ms and a target of 60 ms the gain is 1 / ceil(120 / 50) = 1/3; a round trip multiplies the window by 4/3 in
/// slow start.
#[test]
fn slow_start_is_slower_on_short_paths() {
    let mut path = Path::wide("ledbat-plus-plus", 9.0, f64::INFINITY);
    path.round();
    assert_near(path.cwnd(), 12.0, 1e-9);
    path.round();
    assert_near(path.cwnd(), 16.0, 1e-9);
    // At a target of 25 ms the gain is 1, at 1 s a sixteenth.
    for (target, window) in [("25", 18.0), ("1000", 9.0 + 9.0 / 16.0)] {
        let mut path = Path::wide(&format!("ledbat-plus-plus(target={target})"), 9.0, f64::INFINITY);
        path.round();
        assert_near(path.cwnd(), window, 1e-9);
    }
}

/// RFC 6817, 2.4.2: base delays begin at infinity, so that 2 * target / base is at its least: the gain is 1, as in standard slow start.
/// With the first sample of 50 ms it is 1/3.
#[test]
fn before_the_first_sample_slow_start_is_the_standard_one() {
    let mut path = Path::wide("ledbat-plus-plus", 10.0, f64::INFINITY);
    path.ack(1.0, None, true);
    assert_near(path.cwnd(), 11.0, 1e-9);
    path.ack(1.0, Some(Duration::from_millis(50)), true);
    assert_near(path.cwnd(), 11.0 + 1.0 / 3.0, 1e-9);
}

/// Three quarters of the target end the first slow start: 45 ms of delay are 90 packets at 100 packets per 50 ms.
#[test]
fn the_first_slow_start_ends_before_the_target() {
    let mut path = Path::new("ledbat-plus-plus", 10.0, f64::INFINITY, 100.0);
    let mut largest = 0.0_f64;
    for _ in 0..14 {
        path.round();
        largest = largest.max(path.cwnd());
    }
    assert!((190.0..=260.0).contains(&largest), "{largest}");
    assert!(path.cwnd() < 10.0, "{} in the first slowdown", path.cwnd());
}

/// By hand, in round trips of 50 ms with a threshold of 12 packets: slow start reaches it in the first, and the first
/// slowdown begins two round trips later: two packets, held for two round trips. Growth by a third brings 12 packets
/// back, and nine times the duration of all that passes until the next.
#[test]
fn slowdowns_take_a_tenth_of_the_time() {
    let mut path = Path::wide("ledbat-plus-plus", 9.0, 12.0);
    let seen = windows(&mut path, 200);
    let begins: Vec<usize> =
        (1..seen.len()).filter(|&index| seen[index] <= 3.0 && seen[index - 1] > 6.0).collect();
    assert_eq!(begins[0], 2, "{seen:?}");
    assert!(seen[3] <= 2.0 && seen[4] > 2.0, "{seen:?}");
    let back = (4..seen.len()).find(|&index| seen[index] >= 12.0).unwrap();
    assert_eq!(begins[1] - back, 9 * (back - begins[0]), "{seen:?}");
    assert!(seen[begins[1] - 1] > 12.0);
}

/// Above the target a round trip takes W (delay / target - 1) packets less the gain, and at most half the window.
#[test]
fn the_decrease_is_in_proportion_to_the_window() {
    for (queueing, kept) in
        [(60, 40.0 + 1.0 / 3.0), (66, 36.0 + 1.0 / 3.0), (78, 28.0 + 1.0 / 3.0), (300, 20.0)]
    {
        let mut path = Path::wide("ledbat-plus-plus", 40.0, 20.0);
        path.srtt = Duration::from_secs(10);
        // The window is at the threshold: slow start is over, and the first slowdown is 20 s away.
        path.ack(1e-9, Some(BASE_RTT), true);
        let late = Some(BASE_RTT + Duration::from_millis(queueing));
        for _ in 0..4 {
            path.ack(1.0, late, false);
        }
        // One acknowledgment of the whole window.
        path.ack(path.cwnd(), late, true);
        assert_near(path.cwnd(), kept, 1e-6);
    }
}

#[test]
fn a_loss_halves_and_a_timeout_starts_over() {
    let mut path = Path::wide("ledbat-plus-plus", 40.0, f64::INFINITY);
    path.loss();
    assert_near(path.cwnd(), 20.0, 1e-9);
    path.timeout();
    assert_near(path.cwnd(), 1.0, 1e-9);
    assert_near(path.controller.ssthresh(), 10.0, 1e-9);
}

fn mean_windows(specs: &[&str], late: Duration) -> Vec<f64> {
    let start = Start { initial_window: 2.0, ..Start::default() };
    let mut link = Link::new(2_000.0, Duration::from_millis(50), &specs[..1], start);
    link.buffer = 600.0;
    link.run(late);
    let second = Link::new(2_000.0, Duration::from_millis(50), &specs[1..], start);
    link.flows.extend(second.flows);
    link.run(Duration::from_secs(60));
    link.mean_windows(Duration::from_secs(240))
}

/// It yields to standard TCP in a long queue. A late-comer, whose base delay would contain the first one's queue, gets
/// its share, which LEDBAT's does not: there it gets more.
#[test]
fn it_yields_and_shares_with_late_comers() {
    let beside = mean_windows(&["ledbat-plus-plus", "reno"], Duration::ZERO);
    assert!(beside[0] < 0.1 * beside[1], "{beside:?}");
    let late = mean_windows(&["ledbat-plus-plus", "ledbat-plus-plus"], Duration::from_secs(60));
    assert!((0.6..1.7).contains(&(late[0] / late[1])), "{late:?}");
    let first = mean_windows(&["ledbat(target=60)", "ledbat(target=60)"], Duration::from_secs(60));
    assert!(first[1] > 2.0 * first[0], "{first:?}");
}
