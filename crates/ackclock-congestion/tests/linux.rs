//! Consequences of Linux's rules for Scalable TCP, BIC and H-TCP.

use crate::common::stream::{Stream, mean_window};
use crate::common::{Path, assert_near};
use ackclock_units::Duration;

const EXACT: f64 = 1e-9;
const TENTH: Duration = Duration::from_millis(100);

/// The windows after each of this many round trips.
fn windows(path: &mut Path, rounds: u32) -> Vec<f64> {
    let after = |_| {
        path.round();
        path.cwnd()
    };
    (0..rounds).map(after).collect()
}

/// By hand: 1000 acknowledged packets are ten times a hundred; below a hundred packets, a window is one.
#[test]
fn scalable_adds_a_packet_for_a_hundred_acknowledged() {
    assert_eq!(windows(&mut Path::wide("scalable-linux", 1_000.0, 2.0), 3), [1_010.0, 1_020.0, 1_030.0]);
    assert_eq!(windows(&mut Path::wide("scalable-linux", 40.0, 2.0), 3), [41.0, 42.0, 43.0]);
    assert_eq!(windows(&mut Path::wide("scalable-linux(count=50)", 1_000.0, 2.0), 2), [1_020.0, 1_040.0]);
}

/// From 5.7 on delayed acknowledgments grow the window as undelayed ones do; before, 50 made up for them.
#[test]
fn scalable_grows_alike_with_delayed_acknowledgments() {
    for spec in ["scalable-linux", "scalable-linux(count=50,limit=1)"] {
        let mut path = Path::wide(spec, 1_000.0, 2.0);
        path.segments_per_ack = 2;
        path.round();
        assert_near(path.cwnd(), 1_010.0, EXACT);
    }
}

#[test]
fn scalable_gives_up_an_eighth_at_any_window() {
    for (window, kept) in [(800.0, 700.0), (15.0, 14.0), (7.0, 7.0), (2.0, 2.0)] {
        let mut path = Path::wide("scalable-linux", window, 2.0);
        path.loss();
        assert_near(path.cwnd(), kept, EXACT);
    }
    let mut path = Path::wide("scalable-linux", 800.0, 2.0);
    path.timeout();
    assert_near(path.controller.ssthresh(), 700.0, EXACT);
}

/// From a loss back takes ln(8/7) / ln(1.01) = 13.4 round trips at any window of more than some hundred packets.
#[test]
fn scalable_comes_back_after_equally_many_round_trips() {
    for window in [800.0, 8_000.0] {
        let mut stream = Stream::new("scalable-linux", window, TENTH);
        stream.loss();
        let begun = stream.rounds;
        while stream.cwnd() < window {
            stream.packet();
        }
        assert_near(stream.rounds - begun, 13.4, 0.3);
    }
}

/// If every 1/p-th packet is lost, W/8 packets are gained by W/8 hundreds of packets: 1/p = 100 W/8. The mean over a period
/// from 7/8 W to W that grows with the packets sent is a little more than 7.5/p/100.
#[test]
fn scalable_has_the_response_of_its_paper() {
    let spacing = 10_000;
    let found = mean_window("scalable-linux", spacing, TENTH, 800.0, 40, 10);
    let expected = 0.01 * f64::from(spacing) / (8.0_f64 / 7.0).ln();
    assert_near(found / expected, 1.0, 0.01);
}

/// A path that has lost at 1000 packets: 799 are kept, which is 201 below the target.
fn bic_after_loss(spec: &str, window: f64) -> Path {
    let mut path = Path::wide(spec, window, 2.0);
    // Until the average of packets per acknowledgment has come to rest: one acknowledgment does it.
    path.ack(1.0, None, false);
    path.loss();
    path
}

/// By hand, where each packet is acknowledged and the correction is 16/31: from 799 packets, d = 50 is above 16, so the
/// window grows by a packet for 799 / 16 = 49, corrected 25. Then 799 acknowledgments give 31 packets; with the window at
/// 830 the next round gives 33, and so on, in whole packets.
#[test]
fn bic_grows_in_a_straight_line_far_from_the_target() {
    let mut path = bic_after_loss("bic-linux", 1_000.0);
    // One acknowledgment outside of recovery settles the ratio at 31/16.
    path.ack(1.0, None, true);
    assert_near(path.cwnd(), 799.0, EXACT);
    let first = windows(&mut path, 2);
    assert!((830.0..=832.0).contains(&first[0]), "{first:?}");
    assert!((861.0..=866.0).contains(&first[1]), "{first:?}");
}

/// Between losses: fast towards the target, slowly from four packets below it to four beyond, and then faster again. Near it
/// a packet takes 5 windows of acknowledgments, corrected by 16/31.
#[test]
fn bic_flattens_at_the_window_of_the_last_loss() {
    let mut path = bic_after_loss("bic-linux", 1_000.0);
    let found = windows(&mut path, 120);
    let reached = |window: f64| found.iter().position(|at| *at >= window).unwrap_or(found.len());
    let (near, past, far) = (reached(996.0), reached(1_004.0), reached(1_060.0));
    assert!((10..=25).contains(&near), "{near} round trips to the target");
    // Eight packets at 31/80 per round trip.
    assert!((18..=23).contains(&(past - near)), "{} round trips near it", past - near);
    assert!((far - past) < 20, "{} round trips beyond it", far - past);
}

/// With 50 packets per loss-free round trip at most: before a loss the window grows by a twentieth, twice that by the correction.
#[test]
fn bic_grows_by_a_part_of_the_window_before_the_first_loss() {
    let mut path = Path::wide("bic-linux", 1_000.0, 2.0);
    path.round();
    // A packet for 20 acknowledgments, corrected 10.
    assert_near(path.cwnd(), 1_100.0, 1.0);
}

#[test]
fn bic_leaves_room_after_two_losses_and_forgets_after_a_timeout() {
    let target = |path: &Path| {
        let mut shown = f64::NAN;
        path.controller.observe(&mut |_, value| shown = value);
        shown
    };
    let mut path = bic_after_loss("bic-linux", 1_000.0);
    assert_near(target(&path), 1_000.0, EXACT);
    path.loss();
    // 799 is below 1000: 799 * (1 + 819/1024) / 2 = 719.02; kept is 799 * 819/1024 = 639.04.
    assert_near(target(&path), 719.0, EXACT);
    assert_near(path.cwnd(), 639.0, EXACT);
    path.timeout();
    assert_near(path.controller.ssthresh(), 511.0, EXACT);
    assert_near(target(&path), 0.0, EXACT);
    let mut small = bic_after_loss("bic-linux", 14.0);
    assert_near(small.cwnd(), 7.0, EXACT);
    assert_eq!(windows(&mut small, 3), [8.0, 9.0, 10.0]);
}

/// Packets gained in the round trip that begins this many seconds after the recovery.
fn htcp_gain(spec: &str, rtt: Duration, seconds: f64) -> f64 {
    let mut stream = Stream::new(spec, 2_000.0, rtt);
    stream.for_seconds(0.5);
    stream.loss();
    stream.for_seconds(seconds);
    let before = stream.cwnd();
    stream.for_rounds(1.0);
    stream.cwnd() - before
}

/// At 100 ms a round trip the scale is 8/8: 1 + the whole part of 10 d + d^2/4 packets, less the acknowledgments not
/// counted. At 40 ms it is 20/8, so 22 packets become 8; at 400 ms it is bounded by 4/8, so they become 44.
#[test]
fn htcp_grows_by_the_time_since_the_recovery() {
    for (spec, milliseconds, seconds, packets) in [
        ("htcp-linux", 100, 0.5, 1.0),
        ("htcp-linux", 100, 3.0, 22.0),
        ("htcp-linux", 40, 3.0, 8.0),
        ("htcp-linux", 400, 3.0, 44.0),
        ("htcp-linux(rtt_scaling=0)", 40, 3.0, 22.0),
    ] {
        let rtt = Duration::from_millis(milliseconds);
        // The round trip is centred on the time, within a tenth.
        let found = htcp_gain(spec, rtt, seconds - rtt.as_secs_f64() / 2.0);
        assert!(
            (found / packets - 1.0).abs() < 0.1 + 0.6 / packets,
            "{spec} at {rtt:?}: {found}, not {packets}"
        );
    }
}

/// The first loss keeps half, and so does one after the throughput has changed; in between the ratio of round-trip times
/// decides, here 50/60: above 102/128, which is kept then.
#[test]
fn htcp_keeps_half_until_two_losses_agree() {
    let mut path = Path::new("htcp-linux", 1_200.0, 2.0, 1_000.0);
    let mut kept = vec![];
    for _ in 0..4 {
        while path.cwnd() < 1_200.0 {
            path.round();
        }
        // So that each loss follows the same throughput, measured over several samples.
        for _ in 0..6 {
            let rtt = path.rtt();
            path.round_of(|_| Some(rtt), false);
        }
        let before = path.cwnd();
        path.loss();
        kept.push(path.cwnd() / before);
    }
    assert_near(kept[0], 0.5, 0.001);
    assert_near(kept[3], 102.0 / 128.0, 0.001);
    assert!(kept[1] < 0.51, "{kept:?}");
}

/// A timeout keeps what a loss keeps.
#[test]
fn htcp_treats_a_timeout_as_a_loss() {
    let mut path = Path::wide("htcp-linux", 100.0, 2.0);
    path.timeout();
    assert_near(path.controller.ssthresh(), 50.0, EXACT);
    assert_near(path.cwnd(), 1.0, EXACT);
}

/// Before the first loss a packet for 20 acknowledged: 50 for a window of 1000.
#[test]
fn cubic_grows_by_a_twentieth_before_the_first_loss() {
    let mut path = Path::wide("cubic-linux", 1_000.0, 2.0);
    path.round();
    assert_near(path.cwnd(), 1_050.0, 1.0);
}

/// 1000 * 717 / 1024 = 700.2 are kept. 700 is below 1000: 700 * 1741 / 2048 = 595.1 is the next origin. A timeout keeps
/// 490 * 717 / 1024 = 343.1, and forgets the origin.
#[test]
fn cubic_keeps_whole_packets_and_leaves_room() {
    let origin = |path: &Path| {
        let mut shown = f64::NAN;
        path.controller.observe(&mut |name, value| {
            if name == "cubic_w_max_packets" {
                shown = value;
            }
        });
        shown
    };
    let mut path = Path::wide("cubic-linux", 1_000.0, 2.0);
    path.loss();
    assert_near(path.cwnd(), 700.0, EXACT);
    assert_near(origin(&path), 1_000.0, EXACT);
    path.loss();
    assert_near(path.cwnd(), 490.0, EXACT);
    assert_near(origin(&path), 595.0, EXACT);
    path.timeout();
    assert_near(path.controller.ssthresh(), 343.0, EXACT);
    assert_near(origin(&path), 0.0, EXACT);
}

/// K = cbrt(2^40 / 410 * 300) / 1024 = 9.08 s after a loss at 1000 packets. The cubic is a whole packet below that until cbrt(1 / 0.4) =
/// 1.36 s before K, and one above it from 1.36 s after K on.
#[test]
fn cubic_is_back_at_the_window_of_the_last_loss_after_k() {
    let mut stream = Stream::new("cubic-linux", 1_000.0, TENTH);
    stream.loss();
    stream.for_seconds(7.0);
    assert!(stream.cwnd() < 1_000.0, "{}", stream.cwnd());
    stream.for_seconds(5.0);
    assert!((995.0..1_030.0).contains(&stream.cwnd()), "{}", stream.cwnd());
}

/// Over 1 ms the cubic stands still. The window of standard TCP with the same reduction grows by 3 (1 - 0.7) / (1 + 0.7) = 0.53 packets
/// per round trip: by 21 in 40 of them.
#[test]
fn cubic_is_no_slower_than_standard_tcp() {
    let mut stream = Stream::new("cubic-linux", 100.0, Duration::from_millis(1));
    stream.loss();
    assert_near(stream.cwnd(), 70.0, EXACT);
    stream.for_rounds(40.0);
    assert_near(stream.cwnd(), 91.0, 3.0);
}
