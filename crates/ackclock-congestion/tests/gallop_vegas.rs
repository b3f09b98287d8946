//! Gallop-Vegas: consequences that burst-tcp, 3.3.3, states.

use crate::common::Path;

fn windows(spec: &str, initial: f64, rounds: u32) -> Vec<f64> {
    let mut path = Path::wide(spec, initial, f64::INFINITY);
    (0..rounds)
        .map(|_| {
            path.round();
            path.cwnd()
        })
        .collect()
}

/// "Gallop-Vegas set the initial congestion window to two packets", and a step that grows by a packet per round trip.
#[test]
fn steps_grow_by_a_packet_from_a_window_of_two() {
    assert_eq!(windows("gallop-vegas+vegas", 10.0, 6), [3.0, 5.0, 8.0, 12.0, 17.0, 23.0]);
}

/// The "stable growth, whose increase speed is between exponential increase and linear increase".
#[test]
fn the_growth_is_between_linear_and_exponential() {
    let gallop = windows("gallop-vegas+vegas", 2.0, 12);
    let exponential = windows("", 2.0, 12);
    for (round, pair) in gallop.windows(2).enumerate() {
        let (before, last) = (if round > 0 { pair[0] - gallop[round - 1] } else { 1.0 }, pair[1] - pair[0]);
        assert!(last > before, "linear: {gallop:?}");
    }
    assert!(gallop.iter().zip(&exponential).all(|(gallop, other)| gallop < other));
}

/// It is "to raise the rate to the available bandwidth in shorter time" than Vegas, whose window doubles every other round trip:
/// so it is up to 32 packets; the step that this growth has chosen falls behind a doubling beyond.
#[test]
fn a_window_is_reached_sooner_than_by_vegas() {
    let rounds_to = |spec, packets| {
        let sizes = windows(spec, 2.0, 40);
        sizes.iter().position(|&size| size >= packets).expect("reached")
    };
    for packets in [4.0, 8.0, 16.0, 32.0] {
        let (gallop, vegas) = (rounds_to("gallop-vegas+vegas", packets), rounds_to("vegas", packets));
        assert!(gallop <= vegas, "{packets}: {gallop} and {vegas} round trips");
    }
}

/// In other respects it is Vegas: packets that queue end slow start.
#[test]
fn slow_start_ends_near_the_capacity_of_the_path() {
    for capacity in [10.0, 20.0, 40.0, 100.0] {
        let mut path = Path::new("gallop-vegas+vegas", 2.0, f64::INFINITY, capacity);
        path.rounds(30);
        let ended = path.controller.ssthresh();
        // A round trip is judged at its end, when the window has taken two steps more; a step is about sqrt(2 capacity).
        assert!(
            ended > 0.8 * capacity && ended < capacity + 4.0 * (2.0 * capacity).sqrt(),
            "{capacity}: {ended}"
        );
    }
}

#[test]
fn after_a_timeout_the_steps_begin_with_one_packet() {
    let mut path = Path::wide("gallop-vegas+vegas", 2.0, f64::INFINITY);
    path.rounds(8);
    path.timeout();
    path.round();
    assert_eq!(path.cwnd() as u32, 2);
    path.round();
    assert_eq!(path.cwnd() as u32, 4);
}

/// 6.2: with Burst TCP's steps, large ones come first: 7 packets, 5 and 4 with a factor of 4 and 32 packets.
#[test]
fn burst_tcps_steps_take_the_place_of_those_that_grow() {
    assert_eq!(windows("gallop-vegas(f=4)+vegas", 10.0, 3), [9.0, 14.0, 18.0]);
}
