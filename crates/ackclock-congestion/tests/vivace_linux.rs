//! PCC Vivace as in Linux: consequences of the module's rules.

use crate::common::assert_near;
use crate::common::paced_link::PacedLink;
use ackclock_congestion::{Ack, Congestion, Event, Signal};
use ackclock_units::{Duration, PacketRate, Time};

/// Packets of 1024 bytes: the first rate is 512 of them per second.
const SPEC: &str = "vivace-linux(packet_size=1024)";
const RTT: f64 = 0.05;

fn link(capacity: f64) -> PacedLink {
    PacedLink::new(SPEC, capacity, RTT, 1e4)
}

fn rate(link: &PacedLink) -> f64 {
    link.gauge("vivace_linux_rate_packet_per_s")
}

fn pacing_rate(link: &PacedLink) -> f64 {
    link.controller.decision().pacing_rate.map_or(f64::INFINITY, |PacketRate(rate)| rate)
}

fn until_state(link: &mut PacedLink, state: f64) {
    for _ in 0..3_000 {
        if (link.gauge("vivace_linux_state") - state).abs() < 0.5 {
            return;
        }
        link.run(0.005);
    }
    panic!("no state {state}, but {}, in 15 s", link.gauge("vivace_linux_state"));
}

/// 512, 768, 1152, 1728, 2592 packets per second. At the last the queue of a link of 2000 grows by 0.3 s per second, so the utility falls,
/// and the trials are 5 % above and below 1728.
#[test]
fn the_start_grows_by_half_until_the_utility_falls() {
    let mut link = link(2_000.0);
    assert!(link.controller.decision().pacing_rate.is_none());
    until_state(&mut link, 1.0);
    for (rate, expected) in link.rates.iter().zip([512.0, 768.0, 1_152.0, 1_728.0, 2_592.0]) {
        assert_near(*rate, expected, 1e-6);
    }
    assert_near(rate(&link), 1_728.0, 1e-6);
    assert_near((pacing_rate(&link) / 1_728.0 - 1.0).abs(), 0.05, 1e-9);
}

/// Of 30 packets or more at most a fifteenth is lost, which does not end the start, or at least a tenth, which costs more than the rate gives.
#[test]
fn the_start_forgives_a_tenth() {
    for (one_of, grows) in [(16.0, true), (8.0, false)] {
        let mut link = link(1e6);
        link.one_lost_of = one_of;
        link.run(1.5);
        // With an eighth lost the utility is -0.375 times the rate, and falls where the rate grows.
        let found = rate(&link);
        assert!(if grows { found > 5_000.0 } else { found < 800.0 }, "{found} with one of {one_of} lost");
    }
}

/// Where nothing waits and nothing is lost the faster trials win, and their rate is moved to; the first step knows no gradient, and is
/// 2.2 % up, as any least step.
#[test]
fn the_winner_of_both_pairs_is_moved_to() {
    let mut link = link(2_000.0);
    until_state(&mut link, 1.0);
    let before = rate(&link);
    link.capacity = 1e6;
    until_state(&mut link, 2.0);
    assert_near(rate(&link), 1.05 * before, 1e-6);
    let moved = rate(&link);
    while (rate(&link) - moved).abs() < 1.0 {
        link.run(0.001);
    }
    assert_near(rate(&link), 1.022 * moved, 1e-6);
}

/// A link alone is filled. A queue that stays as it is costs nothing, so it may be longer than the one of the paper's rule.
#[test]
fn a_link_is_filled() {
    let mut link = link(2_000.0);
    link.run(10.0);
    let (delivered, queued) = link.run(30.0);
    assert!(delivered > 1_900.0, "{delivered} packets per second");
    assert!(queued < 200.0, "{queued} packets");
}

/// The module knows neither that an application limits, nor a receiver: the rate grows.
#[test]
fn a_limited_sender_is_not_told_apart() {
    let [limited, free] = [true, false].map(|app_limited| {
        let mut link = link(1e6);
        link.app_limited = app_limited;
        link.run(2.0);
        rate(&link)
    });
    assert_near(limited, free, 0.0);
}

/// A timeout leaves the rate. Nothing is measured until all is repaired; then four trials begin anew.
#[test]
fn a_timeout_leaves_the_rate_and_measures_again() {
    let mut link = link(2_000.0);
    until_state(&mut link, 1.0);
    let before = rate(&link);
    let timeout = Congestion { signal: Signal::Timeout, restart: true, ..Congestion::default() };
    let decision = link.controller.on_congestion(&timeout);
    assert_near(decision.cwnd, 1.0, 0.0);
    assert_near(pacing_rate(&link), before, 1e-6);
    let mut ack = |seconds: f64, recovering| {
        let rtt = Duration::from_secs_f64(RTT);
        let now = Time::ZERO + Duration::from_secs_f64(100.0 + seconds);
        let ack = Ack {
            now,
            delivered: 100.0,
            rtt: Some(rtt),
            srtt: rtt,
            in_flight: 100.0,
            recovering,
            ..Ack::default()
        };
        link.controller.on_ack(&ack);
        (pacing_rate(&link) / before, link.controller.decision().cwnd)
    };
    // Two round trips at 1728 packets per second, 172.8 packets.
    for seconds in [0.0, 0.1, 0.2, 0.3, 0.4] {
        let (pace, cwnd) = ack(seconds, true);
        assert_near(pace, 1.0, 1e-9);
        assert_near(cwnd, 172.8, 1e-6);
    }
    let pace = ack(0.5, false).0;
    assert_near((pace - 1.0).abs(), 0.05, 1e-9);
    assert_near(rate(&link), before, 1e-6);
}

/// After an idle time the window is what the transport says, until something is delivered.
#[test]
fn an_idle_time_bounds_the_window() {
    let mut link = link(2_000.0);
    link.run(3.0);
    let before = rate(&link);
    assert_near(link.controller.on_event(&Event::IdleRestart { restart_window: 10.0 }).cwnd, 10.0, 0.0);
    assert_near(rate(&link), before, 0.0);
    link.run(0.1);
    assert!(link.controller.decision().cwnd > 50.0);
}

/// Larger packets at as many bytes per second.
#[test]
fn rates_are_of_bytes() {
    let mut link = link(2_000.0);
    link.run(2.0);
    let (before, paced) = (rate(&link), pacing_rate(&link));
    link.controller.on_event(&Event::SegmentSize { from: 1_024, to: 2_048 });
    assert_near(rate(&link), before / 2.0, 1e-9);
    assert_near(pacing_rate(&link), paced / 2.0, 1e-9);
}
