//! Limited slow start: consequences that RFC 3742 and mesonet, 5.1.2.2, state.

use crate::common::{Path, assert_near};

const EXACT: f64 = 1e-9;

/// Windows after each round trip.
fn windows(spec: &str, initial: f64, rounds: u32) -> Vec<f64> {
    let mut path = Path::wide(spec, initial, f64::INFINITY);
    let mut sizes = vec![initial];
    for _ in 0..rounds {
        path.round();
        sizes.push(path.cwnd());
    }
    sizes
}

#[test]
fn both_are_standard_slow_start_up_to_the_bound() {
    for spec in ["limited", "limited-mesonet"] {
        assert_eq!(windows(spec, 2.0, 5), [2.0, 4.0, 8.0, 16.0, 32.0, 64.0], "{spec}");
    }
    for spec in ["limited(max_ssthresh=inf)", "limited-mesonet(max_ssthresh=inf)"] {
        assert_eq!(windows(spec, 2.0, 12), windows("", 2.0, 12), "{spec}");
    }
}

/// RFC 3742, 2: the window grows by at most `max_ssthresh / 2` per round trip. With its rounding by just that.
#[test]
fn a_round_trip_adds_half_the_bound() {
    for initial in [101.0, 120.0, 149.0, 150.0, 777.0] {
        for pair in windows("limited(max_ssthresh=100)", initial, 60).windows(2) {
            // But for windows with a fraction, since acknowledgments are of whole packets.
            assert_near(pair[1] - pair[0], 50.0, 0.5);
        }
    }
}

/// Without it by less: the window that divides the increment grows during the round trip.
#[test]
fn without_the_rounding_a_round_trip_adds_less() {
    for pair in windows("limited-mesonet(max_ssthresh=100)", 100.0, 60).windows(2) {
        let added = pair[1] - pair[0];
        assert!(added < 50.0 - 100.0 / pair[1] && added > 50.0 * (1.0 - 50.0 / pair[1]), "{pair:?}");
    }
}

/// RFC 3742, 2: log2(`max_ssthresh`) + (W - `max_ssthresh`) / (`max_ssthresh` / 2) round trips to a window of W.
#[test]
fn the_number_of_round_trips_is_what_the_rfc_says() {
    for (bound, window, round_trips) in
        [(100.0, 1000.0, 24.6_f64), (100.0, 5000.0, 104.6), (64.0, 2112.0, 70.0)]
    {
        let reached = |name: &str| {
            let spec = format!("{name}(max_ssthresh={bound})");
            let sizes = windows(&spec, 1.0, 200);
            sizes.iter().position(|&size| size >= window).expect("long enough") as f64
        };
        assert_near(reached("limited"), round_trips, 1.0);
        let unrounded = reached("limited-mesonet");
        assert!(unrounded > reached("limited") && unrounded < 1.1 * round_trips + 1.0, "{unrounded}");
    }
}

/// The two rules at the bound itself: `cwnd <= max_ssthresh` in the RFC, `cwnd < sst_MAX` in mesonet.
#[test]
fn the_bound_belongs_to_the_doubling_in_the_rfc_only() {
    for (spec, after) in [("limited(max_ssthresh=16)", 17.0), ("limited-mesonet(max_ssthresh=16)", 16.5)] {
        let mut path = Path::wide(spec, 16.0, f64::INFINITY);
        path.ack(1.0, None, true);
        assert_near(path.cwnd(), after, EXACT);
    }
}

/// Equation 5 of mesonet names no threshold; RFC 5681's slow start ends at it. Half a packet is added at 101.
#[test]
fn the_last_acknowledgment_passes_the_threshold_in_mesonet_only() {
    for (spec, after) in [("limited(max_ssthresh=100)", 101.0), ("limited-mesonet(max_ssthresh=100)", 101.25)]
    {
        let mut path = Path::wide(spec, 100.75, 101.0);
        path.ack(1.0, None, true);
        assert_near(path.cwnd(), after, 0.01);
    }
}

/// Figures 5-4 and 5-5: a window just above 150 packets, 128 of them in slow start, at 30 s and, limited from 16
/// packets on, at about 42 s, with round trips of a second.
#[test]
fn the_schematic_evolution_of_mesonet() {
    let rounds = |slow_start: &str| {
        let mut path = Path::wide(slow_start, 2.0, 128.0);
        (1..100).find(|_| {
            path.round();
            path.cwnd() > 150.0
        })
    };
    assert_eq!(rounds("standard"), Some(29));
    assert_eq!(rounds("limited-mesonet(max_ssthresh=16)"), Some(29 + 12));
    assert_eq!(rounds("limited(max_ssthresh=16)"), Some(29 + 11));
}

#[test]
fn a_receiver_gains_nothing_by_splitting_acknowledgments() {
    for spec in ["limited(max_ssthresh=16)", "limited-mesonet(max_ssthresh=16)"] {
        let grown = |delivered: f64, count: u32| {
            let mut path = Path::wide(spec, 64.0, f64::INFINITY);
            (0..count).for_each(|_| path.ack(delivered, None, true));
            path.cwnd()
        };
        assert!(grown(0.25, 4) <= grown(1.0, 1) + EXACT, "{spec}");
    }
}
