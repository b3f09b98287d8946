//! The speed of the response to a change of the loss rate: Floyd et al., SIGCOMM 2000, appendix A, with the numbers RFC 5348 repeats.

use ackclock_transport::tfrc::{Settings, throughput};
use ackclock_units::Time;

use super::path::{Fate, Path, RTT, always, seconds};

/// A flow that loses every hundredth packet until 60 s, and from then on what `then` says.
fn after_steady_loss(settings: Settings, then: Fate) -> Path {
    let mut path = Path::new(settings, always());
    path.fate = Box::new(move |number, at| match number % 100 {
        _ if at >= seconds(60.0) => then,
        99 => Fate::Lost,
        _ => Fate::Arrives,
    });
    path.run_until(seconds(60.0));
    path
}

/// The rate in packets per round-trip time after each of `count` round trips.
fn rates(path: &mut Path, count: u64) -> Vec<f64> {
    let start = path.now;
    let after = |path: &mut Path, end: Time| {
        path.run_until(end);
        path.packets_per_rtt()
    };
    (1..=count).map(|round| after(path, start + RTT * round)).collect()
}

#[test]
fn steady_loss_gives_the_rate_of_the_equation() {
    let path = after_steady_loss(Settings::default(), Fate::Arrives);
    // f(0.01) = 0.0890 by hand: 11.2 packets per round-trip time.
    let found = path.packets_per_rtt();
    assert!((found - 11.23).abs() < 0.12, "{found}");
}

/// On a steady path RTTVAR tends to nothing, and TCP's timeout to one round trip: the equation has `t_RTO = R` instead of 4 R.
#[test]
fn with_tcps_timeout_the_rate_is_that_of_the_equation_with_one_round_trip() {
    for (estimated_rto, round_trips) in [(false, 4.0), (true, 1.0)] {
        let mut path = Path::new(Settings { estimated_rto, ..Settings::default() }, always());
        path.fate = Box::new(|number, _| if number % 10 % 3 == 2 { Fate::Lost } else { Fate::Arrives });
        path.run_until(seconds(200.0));
        let p = path.sender.loss_event_rate();
        assert!((0.2..0.4).contains(&p), "three of ten are lost: {p}");
        let share = path.packets_per_rtt() / throughput(1.0, 1.0, round_trips, p);
        assert!((share - 1.0).abs() < 0.01, "{share} of the equation's rate with {round_trips} R");
    }
}

/// The mean increase per round trip once losses have stopped, over each ten of the next 200.
fn increases(settings: Settings) -> Vec<f64> {
    let mut path = after_steady_loss(settings, Fate::Arrives);
    rates(&mut path, 200).windows(11).map(|span| (span[10] - span[0]) / 10.0).collect()
}

fn largest(increases: &[f64]) -> f64 {
    increases.iter().copied().fold(0.0, f64::max)
}

#[test]
fn without_loss_the_rate_grows_by_at_most_0_14_packets_per_round_trip() {
    let found = largest(&increases(Settings::default()));
    assert!((0.10..=0.14).contains(&found), "{found}");
}

#[test]
fn history_discounting_makes_that_0_22_to_0_28() {
    let found = increases(Settings { discounting: true, discount_floor: 0.5, ..Settings::default() });
    // The most while the past is losing weight, then what the open interval's final weight of 1 / 3.5 allows.
    assert!((0.22..=0.28).contains(&largest(&found)), "{}", largest(&found));
    let settled = found[found.len() - 1];
    assert!((0.18..=0.22).contains(&settled), "{settled}");
}

#[test]
fn persistent_congestion_halves_the_rate_in_four_to_eight_round_trips() {
    let mut path = after_steady_loss(Settings::default(), Fate::Marked);
    let before = path.packets_per_rtt();
    let rates = rates(&mut path, 20);
    let round = 1 + rates.iter().position(|rate| *rate <= before / 2.0).expect("it falls to a half");
    assert!((4..=8).contains(&round), "{round} round trips: {rates:.2?}");
}
