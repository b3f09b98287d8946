//! PCC Allegro: consequences that its paper states.

use crate::common::assert_near;
use crate::common::paced_link::PacedLink;

const DECIDING: f64 = 1.0;

/// The rate doubles in each interval. A loss of two hundred packets does not end that, a lower utility does: at 1280 packets per second a
/// link of 1000 loses a fifth, which is known when 2560 are being tried.
#[test]
fn the_start_doubles_the_rate_until_the_utility_falls() {
    let mut link = PacedLink::new("allegro", 1_000.0, 0.05, 10.0);
    link.one_lost_of = 200.0;
    link.run(0.01);
    while link.gauge("allegro_state") < DECIDING {
        link.run(0.01);
        assert!(link.rates.len() < 10, "{:?}", link.rates);
    }
    let first = link.rates[0];
    assert_near(first, 40.0, 1.0);
    for (doublings, rate) in link.rates[..7].iter().enumerate() {
        assert_near(*rate, first * f64::from(1 << doublings), 1e-6);
    }
    // The first trial differs by a hundredth from the rate before.
    assert_near((link.rates[7] / (16.0 * first) - 1.0).abs(), 0.01, 1e-9);
}

/// Losses are tolerated up to the fall of the sigmoid at 5 %; from 7.4 % on what is lost outweighs what is delivered, and no rate is low
/// enough.
#[test]
fn random_losses_are_ignored_up_to_the_cliff() {
    let delivered = [25.0, 10.0].map(|one_lost_of| {
        let mut link = PacedLink::new("allegro", 4_000.0, 0.05, 100.0);
        link.run(20.0);
        link.one_lost_of = one_lost_of;
        link.run(60.0);
        link.run(10.0).0 / 4_000.0
    });
    assert!(delivered[0] > 0.9, "{delivered:?}");
    assert!(delivered[1] < 0.3, "{delivered:?}");
}

/// Only losses hold the rate down: a deep buffer is filled.
#[test]
fn a_deep_buffer_is_filled() {
    let mut link = PacedLink::new("allegro", 1_000.0, 0.05, 200.0);
    link.run(40.0);
    let (delivered, queued) = link.run(20.0);
    assert!(delivered > 990.0, "{delivered} packets per second");
    assert!(queued > 100.0, "{queued} packets");
}
