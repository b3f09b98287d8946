//! CUBIC: consequences that RFC 9438 states.

use crate::common::stream::{Stream, mean_window_of};
use crate::common::{BASE_RTT, Path, assert_near};
use ackclock_congestion::Event;
use ackclock_congestion::Signal;
use ackclock_units::Duration;

const TENTH: Duration = Duration::from_millis(100);

/// Seconds from a loss at a thousand packets back to them: the cube root of 300 packets over 0.4.
const K: f64 = 9.086;

/// A flow that lost a packet at a thousand packets, this many seconds ago.
fn after_loss(spec: &str, rtt: Duration, seconds: f64) -> Stream {
    let mut stream = Stream::new(spec, 1_000.0, rtt);
    stream.loss();
    stream.for_seconds(seconds);
    stream
}

/// 4.2: seconds and packets, 0.4 (t - K)^3 + 1000 worked out by hand.
#[test]
fn the_window_is_a_cubic_of_time() {
    for (seconds, window) in [(2.0, 857.7), (5.0, 972.7), (K, 1_000.0), (12.0, 1_009.9), (15.0, 1_082.7)] {
        let found = after_loss("cubic", TENTH, seconds).cwnd();
        assert_near(found, window, 1.0);
    }
}

/// Concave up to the window of the loss, convex beyond: steps of half a second shrink and then grow.
#[test]
fn it_is_concave_and_then_convex() {
    let mut stream = after_loss("cubic", TENTH, 0.5);
    let mut windows = vec![];
    for _ in 0..34 {
        windows.push(stream.cwnd());
        stream.for_seconds(0.5);
    }
    let steps: Vec<f64> = windows.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let turns: Vec<f64> = steps.windows(2).map(|pair| pair[1] - pair[0]).collect();
    // Step i begins half a second after the one before; the turn between i and i + 1 is at 1 + i / 2 seconds.
    let at = |seconds: f64| (2.0 * (seconds - 1.0)) as usize;
    assert!(turns[..at(K - 0.5)].iter().all(|&turn| turn < 0.0), "{turns:?}");
    assert!(turns[at(K + 1.0)..].iter().all(|&turn| turn > 0.0), "{turns:?}");
}

/// 3.3: "window increase .. depends on the time between two consecutive congestion events", not on the round trip.
#[test]
fn the_round_trip_time_does_not_matter() {
    for millis in [20, 50, 200] {
        let found = after_loss("cubic", Duration::from_millis(millis), 5.0).cwnd();
        assert_near(found, 972.7, 2.0);
    }
}

/// The mean window after this many losses, every `spacing`-th packet lost, the first at this window.
fn mean_after(spacing: u32, rtt: Duration, first: f64, losses: u32) -> f64 {
    let mut stream = Stream::new("cubic(fast_convergence=0)", first, rtt);
    stream.loss();
    mean_window_of(&mut stream, spacing, losses, losses / 3)
}

/// Table 1 and its eq. 5: every 1/p-th packet is lost, at the window of the loss before, which is 4 / 3.7 of the mean.
/// A flow that is there stays. From elsewhere it comes near: the plateau is flat, so that what is missing of it shrinks
/// with the root of the number of losses only.
#[test]
fn the_table_of_mean_windows_comes_out() {
    for (spacing, mean) in [(10_000, 187.0), (100_000, 1054.0), (1_000_000, 5926.0)] {
        assert_near(mean_after(spacing, TENTH, mean * 4.0 / 3.7, 6) / mean, 1.0, 0.005);
    }
    for part in [0.5, 2.0] {
        let found = mean_after(10_000, TENTH, part * 187.0, 60);
        assert_near(found / 187.0, 1.0, 0.2);
    }
}

/// Tables 1 and 2 where Reno is faster, from wherever the flow comes. 4.3 promises "approximately the same average
/// window size"; the table's is 1.2 / sqrt(p), Reno's own 1.22 / sqrt(p).
#[test]
fn where_reno_is_faster_the_mean_window_is_renos() {
    for (millis, spacing, mean) in
        [(100, 1_000, 38.0), (10, 1_000, 38.0), (10, 10_000, 120.0), (10, 100_000, 379.0)]
    {
        for part in [0.5, 2.0] {
            let found = mean_after(spacing, Duration::from_millis(millis), part * mean, 60);
            assert_near(found / mean, 1.02, 0.04);
        }
    }
}

/// 4.3: in the Reno-friendly region 3 * 0.3 / 1.7 packets per round trip up to the window of the loss, one beyond.
#[test]
fn on_a_short_path_it_grows_like_reno() {
    let mut stream = Stream::new("cubic", 100.0, Duration::from_millis(5));
    stream.loss();
    stream.for_rounds(20.0);
    let before = stream.cwnd();
    stream.for_rounds(10.0);
    assert_near(stream.cwnd() - before, 5.29, 0.05);
    while stream.cwnd() < 101.0 {
        stream.packet();
    }
    let before = stream.cwnd();
    stream.for_rounds(10.0);
    assert_near(stream.cwnd() - before, 10.0, 0.1);
}

fn gauge(stream: &Stream, wanted: &str) -> f64 {
    crate::common::gauge(|take| stream.controller.observe(take), wanted)
}

/// 4.7: a loss below the last maximum sets the next one to 0.85 of the window, unless it is told not to.
#[test]
fn it_gives_way_when_its_share_shrinks() {
    for (spec, part) in [("cubic", 0.85), ("cubic(fast_convergence=0)", 1.0)] {
        let mut stream = after_loss(spec, TENTH, 3.0);
        let second = stream.cwnd();
        stream.loss();
        assert_near(stream.cwnd(), 0.7 * second, 1e-9);
        assert_near(gauge(&stream, "cubic_w_max_packets"), part * second, 1e-9);
        stream.packet();
        let distance = (part - 0.7) * second;
        assert_near(gauge(&stream, "cubic_k_s").powi(3), distance / 0.4, 1e-6 * distance);
    }
}

/// 4.8: the threshold is 0.7 of the window, and from it on the window is 0.4 t^3 higher.
#[test]
fn after_a_timeout_it_is_convex_from_the_threshold_on() {
    let mut path = Path::wide("cubic", 1_000.0, 2.0);
    path.timeout();
    assert_near(path.cwnd(), 1.0, 1e-9);
    assert_near(path.controller.ssthresh(), 700.0, 1e-9);
    while path.cwnd() < 700.0 {
        path.round();
    }
    // The first acknowledgment in avoidance comes in the next round, and t begins with it.
    path.rounds(201);
    assert_near(path.cwnd(), 1_100.0, 10.0);
}

/// 4.10: so it is without any loss before.
#[test]
fn before_the_first_loss_it_is_convex_from_the_beginning_on() {
    let mut stream = Stream::new("cubic", 200.0, TENTH);
    stream.for_seconds(10.0);
    assert_near(stream.cwnd(), 600.0, 6.0);
}

/// 4.2: the target is at most 1.5 times the window, so an acknowledgment adds half a packet at the most.
#[test]
fn it_never_grows_like_slow_start() {
    let mut stream = after_loss("cubic(c=1000)", Duration::from_secs(1), 1.0);
    let mut largest: f64 = 0.0;
    for _ in 0..20_000 {
        let before = stream.cwnd();
        stream.packet();
        largest = largest.max(stream.cwnd() - before);
    }
    assert_near(largest, 0.5, 1e-9);
}

/// 4.2 and 5.8: neither a minute in which the application sends little nor one in which it sends nothing counts.
#[test]
fn time_without_growth_does_not_count() {
    let life = |pause: &dyn Fn(&mut Path)| {
        let mut path = Path::wide("cubic", 1_000.0, 2.0);
        path.loss();
        path.rounds(40);
        pause(&mut path);
        path.rounds(60);
        path.cwnd()
    };
    let whole = life(&|_| ());
    let limited = life(&|path| {
        for _ in 0..600 {
            path.advance(Duration::from_millis(100));
            path.ack(1.0, Some(BASE_RTT), false);
        }
    });
    let idle = life(&|path| path.advance(Duration::from_secs(60)));
    assert_near(limited, whole, 0.5);
    assert_near(idle, whole, 0.5);
    assert_near(whole, 972.7, 5.0);
}

/// 4.6: two packets at the least after a loss, one after an ECN signal.
#[test]
fn the_least_window_depends_on_the_signal() {
    for (signal, least) in [(Signal::Loss, 2.0), (Signal::Ecn, 1.0)] {
        let mut path = Path::wide("cubic", 2.0, 2.0);
        for _ in 0..5 {
            path.congestion(signal, false);
        }
        assert_near(path.cwnd(), least, 1e-9);
    }
}

#[test]
fn an_undo_brings_the_epoch_back() {
    let mut stream = after_loss("cubic", TENTH, 5.0);
    let before = stream.cwnd();
    stream.loss();
    stream.controller.on_event(&Event::Spurious);
    assert_near(stream.cwnd(), before, 1e-9);
    stream.for_seconds(K - 5.0);
    assert_near(stream.cwnd(), 1_000.0, 1.0);
}

/// Windows of Linux are whole packets: what is less than a packet below the last maximum is no lower there. Near the plateau a loss
/// comes within such a difference again and again.
#[test]
fn a_difference_within_the_margin_is_none() {
    for (spec, part) in [("cubic", 0.85), ("cubic(margin=1)", 1.0)] {
        let mut stream = after_loss(spec, TENTH, 0.0);
        let last = gauge(&stream, "cubic_w_max_packets");
        while stream.cwnd() < last - 0.5 {
            stream.packet();
        }
        let used = stream.cwnd();
        assert!(used < last, "{used} is below {last}");
        stream.loss();
        assert_near(gauge(&stream, "cubic_w_max_packets"), part * used, 1e-9);
    }
    let mut stream = after_loss("cubic(margin=1)", TENTH, 3.0);
    let used = stream.cwnd();
    stream.loss();
    assert_near(gauge(&stream, "cubic_w_max_packets"), 0.85 * used, 1e-9);
}
