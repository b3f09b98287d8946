//! Standard TCP: consequences that RFC 5681, RFC 3465 and the sawtooth's arithmetic state.

use crate::common::{Path, assert_near};
use ackclock_congestion::{Congestion, Event, Signal};
use ackclock_units::Time;

const EXACT: f64 = 1e-9;

#[test]
fn slow_start_doubles_every_round_trip() {
    let mut path = Path::wide("", 1.0, f64::INFINITY);
    for expected in [2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0] {
        path.round();
        assert_near(path.cwnd(), expected, EXACT);
    }
}

/// A receiver that acknowledges every second segment makes it one half more per round trip, and
/// RFC 3465's counting of bytes, with L = 2, makes up for it.
#[test]
fn slow_start_under_delayed_acks_grows_by_half_or_counts_bytes() {
    let mut delayed = Path::wide("", 16.0, f64::INFINITY);
    let mut counted = Path::wide("standard(limit=2)", 16.0, f64::INFINITY);
    (delayed.segments_per_ack, counted.segments_per_ack) = (2, 2);
    for (half_more, double) in [(24.0, 32.0), (36.0, 64.0), (54.0, 128.0)] {
        delayed.round();
        counted.round();
        assert_near(delayed.cwnd(), half_more, EXACT);
        assert_near(counted.cwnd(), double, EXACT);
    }
}

/// RFC 5681, 3.1: by at most one segment for each acknowledgment.
#[test]
fn a_stretched_ack_grows_slow_start_by_one() {
    let mut path = Path::wide("", 10.0, f64::INFINITY);
    path.ack(40.0, None, true);
    assert_near(path.cwnd(), 11.0, EXACT);
    path.ack(0.25, None, true);
    assert_near(path.cwnd(), 11.25, EXACT);
}

#[test]
fn slow_start_stops_at_the_threshold() {
    let mut path = Path::wide("standard(limit=inf)", 16.0, 20.0);
    path.ack(16.0, None, true);
    assert_near(path.cwnd(), 20.0, EXACT);
    let mut path = Path::wide("", 16.0, 20.0);
    path.round();
    assert!(
        path.cwnd() > 20.0 && path.cwnd() < 21.0,
        "{}: four of slow start, twelve of avoidance",
        path.cwnd()
    );
}

/// RFC 5681, 3.1: by roughly one full-sized segment per round-trip time.
#[test]
fn avoidance_adds_one_packet_per_round_trip() {
    let mut path = Path::wide("", 20.0, 20.0);
    path.rounds(40);
    assert_near(path.cwnd(), 60.0, 2.0);
    assert!(path.cwnd() <= 60.0, "never more than one");
}

#[test]
fn avoidance_under_delayed_acks_counts_bytes_or_adds_half() {
    let mut delayed = Path::wide("reno(limit=1)", 20.0, 20.0);
    let mut counted = Path::wide("", 20.0, 20.0);
    (delayed.segments_per_ack, counted.segments_per_ack) = (2, 2);
    delayed.rounds(40);
    counted.rounds(40);
    assert_near(delayed.cwnd(), 40.0, 1.5);
    assert_near(counted.cwnd(), 60.0, 2.0);
}

#[test]
fn a_loss_halves_the_window_and_two_packets_remain() {
    let mut path = Path::wide("", 100.0, 50.0);
    for expected in [50.0, 25.0, 12.5, 6.25, 3.125, 2.0, 2.0] {
        path.loss();
        assert_near(path.cwnd(), expected, EXACT);
        assert_near(path.controller.ssthresh(), expected, EXACT);
    }
}

/// RFC 5681, eq. 4, and the warning after it: `FlightSize`, not cwnd.
#[test]
fn what_was_not_in_flight_is_not_kept() {
    let halved = |flight| {
        let mut path = Path::wide("", 100.0, 50.0);
        let event =
            Congestion { now: Time::ZERO, signal: Signal::Loss, flight, restart: false, repeated: false };
        path.controller.on_congestion(&event);
        path.cwnd()
    };
    assert_near(halved(30.0), 15.0, EXACT);
    assert_near(halved(102.0), 50.0, EXACT);
    assert_near(halved(f64::INFINITY), 50.0, EXACT);
}

/// Mathis, Semke, Mahdavi and Ott 1997: a sender that loses a packet at every window W moves between W/2 and W, on
/// average 3/4 W, and sends 3/8 W² packets from loss to loss.
#[test]
fn the_sawtooth_has_its_area() {
    const PEAK: f64 = 200.0;
    let mut path = Path::wide("", PEAK / 2.0, PEAK / 2.0);
    let (mut sent, mut rounds, mut losses) = (0.0, 0.0, 0.0);
    while losses < 10.0 {
        sent += path.cwnd();
        rounds += 1.0;
        path.round();
        if path.cwnd() >= PEAK {
            path.loss();
            losses += 1.0;
        }
    }
    assert_near(sent / rounds / PEAK, 0.75, 0.01);
    assert_near(sent / losses / (PEAK * PEAK), 0.375, 0.01);
}

/// RFC 5681, 3.1: after a timeout one segment, and slow start up to half of what was in flight.
#[test]
fn a_timeout_starts_over_and_avoids_from_half_the_window() {
    let mut path = Path::wide("", 64.0, 10.0);
    path.timeout();
    assert_near(path.cwnd(), 1.0, EXACT);
    path.rounds(5);
    assert_near(path.cwnd(), 32.0, EXACT);
    path.rounds(10);
    assert_near(path.cwnd(), 42.0, 1.0);
}

/// RFC 3465, 2.3, by its example: an acknowledgment that covers three segments after a timeout shows that one has left the network, and
/// adds one packet. In the first slow start it adds L, two. "In any slow start-based loss recovery" (3.2): Tahoe's, too.
#[test]
fn byte_counting_ends_with_the_first_slow_start() {
    let step = |path: &mut Path| {
        let before = path.cwnd();
        path.ack(3.0, None, true);
        path.cwnd() - before
    };
    for spec in ["standard(limit=2)", "standard(limit=inf)"] {
        let mut path = Path::wide(spec, 10.0, f64::INFINITY);
        assert!(step(&mut path) >= 2.0, "{spec}");
        path.timeout();
        assert_near(step(&mut path), 1.0, EXACT);
        path.repeated_timeout();
        assert_near(step(&mut path), 1.0, EXACT);
        let mut path = Path::wide(spec, 64.0, 10.0);
        path.congestion(Signal::Loss, true);
        assert_near(step(&mut path), 1.0, EXACT);
    }
}

/// A slow start after an idle time follows no timeout, although an earlier one did.
#[test]
fn byte_counting_returns_when_losses_are_repaired() {
    let mut path = Path::wide("standard(limit=2)", 64.0, f64::INFINITY);
    path.timeout();
    path.rounds(5);
    assert_near(path.cwnd(), 32.0, EXACT);
    path.controller.on_event(&Event::IdleRestart { restart_window: 10.0 });
    path.ack(2.0, None, true);
    assert_near(path.cwnd(), 12.0, EXACT);
    // An undone timeout has not been one.
    let mut path = Path::wide("standard(limit=2)", 64.0, f64::INFINITY);
    path.timeout();
    path.controller.on_event(&Event::Spurious);
    path.ack(2.0, None, true);
    assert_near(path.cwnd(), 66.0, EXACT);
}

/// Allman (1998), as burst-tcp, 3.3.3, has it: unlimited byte counting adds all that an acknowledgment covers, after a timeout too.
#[test]
fn unlimited_byte_counting_counts_after_a_timeout() {
    let mut path = Path::wide("standard(limit=inf,after_timeout=inf)", 64.0, f64::INFINITY);
    path.timeout();
    path.ack(9.0, None, true);
    assert_near(path.cwnd(), 10.0, EXACT);
}

/// tcp-variants, 2.1: Tahoe begins again with slow start after every loss.
#[test]
fn a_restart_after_a_loss_is_tahoe() {
    let mut path = Path::wide("", 64.0, 10.0);
    path.congestion(Signal::Loss, true);
    assert_near(path.cwnd(), 1.0, EXACT);
    assert_near(path.controller.ssthresh(), 32.0, EXACT);
}

/// RFC 5681, 3.1: ssthresh is held when the timer expires again for the same segment.
#[test]
fn a_repeated_timeout_holds_the_threshold() {
    let mut path = Path::wide("", 64.0, 10.0);
    path.timeout();
    path.repeated_timeout();
    path.repeated_timeout();
    assert_near(path.controller.ssthresh(), 32.0, EXACT);
    assert_near(path.cwnd(), 1.0, EXACT);
}

#[test]
fn an_undo_returns_to_before_the_first_timeout_and_only_once() {
    let mut path = Path::wide("", 64.0, 10.0);
    path.timeout();
    path.repeated_timeout();
    path.controller.on_event(&Event::Spurious);
    assert_near(path.cwnd(), 64.0, EXACT);
    assert_near(path.controller.ssthresh(), 10.0, EXACT);
    path.controller.on_event(&Event::IdleRestart { restart_window: 4.0 });
    path.controller.on_event(&Event::Spurious);
    assert_near(path.cwnd(), 4.0, EXACT);
}

#[test]
fn an_undo_of_a_timeout_in_recovery_keeps_the_loss() {
    let mut path = Path::wide("", 64.0, 10.0);
    path.loss();
    path.timeout();
    path.controller.on_event(&Event::Spurious);
    assert_near(path.cwnd(), 32.0, EXACT);
}

#[test]
fn an_undo_does_not_take_back_what_grew_since() {
    let mut path = Path::wide("", 4.0, 4.0);
    path.loss();
    path.rounds(10);
    let grown = path.cwnd();
    assert!(grown > 4.0);
    path.controller.on_event(&Event::Spurious);
    assert_near(path.cwnd(), grown, EXACT);
}

/// RFC 5681, 4.1: the restart window bounds cwnd, and the threshold stays.
#[test]
fn idleness_bounds_the_window() {
    let mut path = Path::wide("", 64.0, 20.0);
    path.controller.on_event(&Event::IdleRestart { restart_window: 10.0 });
    assert_near(path.cwnd(), 10.0, EXACT);
    path.controller.on_event(&Event::IdleRestart { restart_window: 30.0 });
    assert_near(path.cwnd(), 10.0, EXACT);
    assert_near(path.controller.ssthresh(), 20.0, EXACT);
}

/// RFC 7661, 4.4.3: of a window of 64 packets half is left, and the threshold is 3/4 of it, so that slow start follows. "Not greater than":
/// a smaller window stays. Of the 32 acknowledgments of a round, 16 grow the window in slow start, and 16 by its inverse.
#[test]
fn a_window_that_is_not_validated_is_bounded_with_its_threshold() {
    let mut path = Path::wide("", 64.0, 20.0);
    path.controller.on_event(&Event::NotValidated { window: 32.0, ssthresh: 48.0 });
    assert_near(path.cwnd(), 32.0, EXACT);
    assert_near(path.controller.ssthresh(), 48.0, EXACT);
    path.rounds(1);
    assert_near(path.cwnd(), 48.0 + 16.0 / 48.0, 0.01);
    path.controller.on_event(&Event::NotValidated { window: 60.0, ssthresh: 48.0 });
    assert_near(path.cwnd(), 48.0 + 16.0 / 48.0, 0.01);
}

#[test]
fn suspended_acks_grow_nothing() {
    let mut path = Path::wide("", 10.0, 20.0);
    path.round_of(|_| None, false);
    assert_near(path.cwnd(), 10.0, EXACT);
}

#[test]
#[should_panic(expected = "initial window")]
fn a_controller_cannot_start_with_nothing() {
    Path::wide("", 0.5, 20.0);
}
