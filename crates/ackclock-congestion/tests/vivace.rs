//! PCC Vivace: consequences that its paper states.

use crate::common::assert_near;
use crate::common::paced_link::PacedLink;
use ackclock_congestion::{Congestion, Event, Signal};
use ackclock_units::PacketRate;

fn pacing_rate(link: &PacedLink) -> f64 {
    link.controller.decision().pacing_rate.map_or(f64::INFINITY, |PacketRate(rate)| rate)
}

/// Two packets in the first round trip of 50 ms, and twice as many with each result: 40, 80, ... packets per second. At 1280 the queue of a
/// link of 1000 packets per second grows by 0.28 s per second, so the utility falls, and the rate before is the first to be learnt from.
#[test]
fn the_start_doubles_the_rate_until_the_utility_falls() {
    let mut link = PacedLink::new("vivace", 1_000.0, 0.05, 1e4);
    assert!(link.controller.decision().pacing_rate.is_none());
    link.run(0.01);
    while link.gauge("vivace_is_starting") > 0.0 {
        link.run(0.01);
        assert!(link.rates.len() < 10, "{:?}", link.rates);
    }
    let first = link.rates[0];
    assert_near(first, 40.0, 1.0);
    for (doublings, rate) in link.rates[..6].iter().enumerate() {
        assert_near(*rate, first * f64::from(1 << doublings), 1e-6);
    }
    assert_near(link.gauge("vivace_rate_packet_per_s"), 16.0 * first, 1e-6);
    assert_near((pacing_rate(&link) / (16.0 * first) - 1.0).abs(), 0.05, 1e-9);
}

/// "alleviating bufferbloat": a flow alone fills the link, and what waits is a small part of a round trip's packets, of which the buffer
/// holds ten.
#[test]
fn a_link_is_filled_and_its_queue_stays_short() {
    let mut link = PacedLink::new("vivace", 1_000.0, 0.05, 500.0);
    link.run(10.0);
    let (delivered, queued) = link.run(30.0);
    assert!(delivered > 900.0, "{delivered} packets per second");
    assert!(queued < 10.0, "{queued} packets");
}

/// The utility without its delay (b = 0) fills the buffer, down to some losses.
#[test]
fn without_the_delay_the_buffer_fills() {
    let mut link = PacedLink::new("vivace(latency=0)", 1_000.0, 0.05, 100.0);
    link.run(30.0);
    let (delivered, queued) = link.run(20.0);
    assert!(delivered > 950.0, "{delivered} packets per second");
    assert!(queued > 50.0, "{queued} packets");
}

/// Random losses cost c x L: at 46 Mbit/s another Mbit/s is worth 0.61, and costs 0.11 where 1 % are lost.
/// Standard TCP sends 1.22 / sqrt(0.01) packets in a round trip there, 244 per second.
#[test]
fn random_losses_are_borne() {
    let mut link = PacedLink::new("vivace", 4_000.0, 0.05, 500.0);
    link.run(10.0);
    link.one_lost_of = 100.0;
    link.run(10.0);
    let (delivered, _) = link.run(20.0);
    assert!(delivered > 0.7 * 4_000.0, "{delivered} packets per second");
}

/// A timeout halves the rate, and sends from the restart window until something is delivered.
#[test]
fn a_timeout_halves_the_rate() {
    let mut link = PacedLink::new("vivace", 1_000.0, 0.05, 500.0);
    link.run(10.0);
    let before = link.gauge("vivace_rate_packet_per_s");
    let timeout = Congestion { signal: Signal::Timeout, restart: true, ..Congestion::default() };
    assert_near(link.controller.on_congestion(&timeout).cwnd, 1.0, 0.0);
    assert_near(link.gauge("vivace_rate_packet_per_s"), before / 2.0, 1e-9);
    // However many come, two packets leave in a round trip, also while results are awaited.
    for _ in 0..20 {
        link.controller.on_congestion(&Congestion { repeated: true, ..timeout });
    }
    link.rates.clear();
    link.run(2.0);
    let least = link.rates.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(least > 30.0, "{:?}", link.rates);
}

/// A sender that the application limits learns nothing: its rate stays.
#[test]
fn a_limited_sender_keeps_its_rate() {
    let mut link = PacedLink::new("vivace", 1_000.0, 0.05, 500.0);
    link.app_limited = true;
    link.run(5.0);
    assert_near(pacing_rate(&link), 40.0, 1.0);
    link.app_limited = false;
    link.run(1.0);
    assert!(pacing_rate(&link) > 70.0, "{}", pacing_rate(&link));
}

/// Larger packets at as many bytes per second.
#[test]
fn the_utility_is_of_bytes() {
    let mut link = PacedLink::new("vivace", 1_000.0, 0.05, 500.0);
    link.run(5.0);
    let before = link.gauge("vivace_rate_packet_per_s");
    link.controller.on_event(&Event::SegmentSize { from: 1_460, to: 2_920 });
    assert_near(link.gauge("vivace_rate_packet_per_s"), before / 2.0, 1e-9);
}
