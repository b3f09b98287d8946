//! Decreasing Byte Counting: consequences that burst-tcp, 3.3.3, states.

use crate::common::{Path, assert_near};

/// The window after each round trip, with an acknowledgment for every two packets.
fn windows(spec: &str, rounds: u32) -> Vec<f64> {
    let mut path = Path::wide(spec, 2.0, f64::INFINITY);
    path.segments_per_ack = 2;
    (0..rounds)
        .map(|_| {
            path.round();
            path.cwnd()
        })
        .collect()
}

/// By hand: a limit of 3 at one packet and of 1 at five. Two packets acknowledged at a window of 2 find a limit of 2.5, and add 2;
/// at 4 the limit is 1.5, at 5.5 it is 1.
#[test]
fn the_limit_falls_with_the_window() {
    assert_eq!(windows("decreasing(limit=3, window=5)", 2), [4.0, 6.5]);
}

/// Allman's "negative impact of delayed ACKs": a round trip multiplies standard slow start's window by 1.5, and doubles that
/// of byte counting. The decreasing limit nearly doubles small windows (an odd packet costs the smallest some), and multiplies
/// large ones by 1.5.
#[test]
fn small_windows_double_and_large_ones_do_not() {
    let sizes = windows("decreasing(window=1000)", 14);
    let factors: Vec<f64> = sizes.windows(2).map(|pair| pair[1] / pair[0]).collect();
    assert!(factors[3] > 1.94, "{factors:?}");
    assert_near(*factors.last().expect("some"), 1.5, 0.01);
}

/// "This slight increase [of burstiness and loss] can become a high increase when routers' buffers become small": the round
/// trip that first exceeds what the network holds adds less than unlimited and limited byte counting do.
#[test]
fn the_burst_beyond_the_network_is_smaller_than_byte_countings() {
    let last_step = |spec| {
        let sizes = windows(spec, 13);
        let first = sizes.iter().position(|size| *size > 100.0).expect("it grows");
        sizes[first] / sizes[first - 1]
    };
    assert_near(last_step("decreasing"), last_step("standard"), 0.02);
    assert!(last_step("standard(limit=2)") > last_step("decreasing") + 0.4);
}

/// It reaches a window sooner than standard slow start, and later than byte counting.
#[test]
fn it_takes_fewer_round_trips_than_standard_slow_start() {
    let rounds = |spec| windows(spec, 13).iter().position(|size| *size >= 32.0).expect("it grows");
    let (counting, decreasing, standard) =
        (rounds("standard(limit=2)"), rounds("decreasing"), rounds("standard"));
    assert!(counting < decreasing && decreasing < standard, "{counting}, {decreasing}, {standard}");
}

/// At a limit of one it is standard slow start.
#[test]
fn without_a_limit_above_one_it_is_standard() {
    assert_eq!(windows("decreasing(limit=1)", 12), windows("standard", 12));
}
