//! NADA (RFC 8698): the consequences of its equations, by hand.

use ackclock_congestion::media::{MediaControl, MediaFrame, MediaReport, MediaSpec, MediaStart, PacketFate};
use ackclock_units::{Duration, Time};

const MS: u64 = 1_000_000;
/// Bytes of the packets here, ten every 100 ms: 960 kbit/s.
const SIZE: u32 = 1200;

fn start(initial_rate: f64) -> MediaStart {
    MediaStart {
        min_rate: 150e3,
        max_rate: 1.5e6,
        initial_rate,
        frame_period: Duration::from_millis(40),
        mss: SIZE,
        l4s: false,
    }
}

fn nada(initial_rate: f64) -> Box<dyn MediaControl> {
    "nada".parse::<MediaSpec>().unwrap().build(&start(initial_rate))
}

/// A path with a report every 100 ms about the ten packets before it.
struct Path {
    control: Box<dyn MediaControl>,
    now: u64,
    sequence: u64,
}

impl Path {
    fn new(initial_rate: f64) -> Path {
        Path { control: nada(initial_rate), now: 0, sequence: 0 }
    }

    /// A report about ten packets with this one-way delay, in milliseconds; those of `lost` did not arrive, and those of `marked` were marked.
    /// Returns the target in bit/s.
    fn report(&mut self, delay: u64, lost: &[u64], marked: &[u64]) -> f64 {
        let packet = |number: u64| PacketFate {
            sequence: self.sequence + number,
            size: SIZE,
            sent: Time::from_nanos((self.now + 10 * number) * MS),
            arrived: (!lost.contains(&number))
                .then(|| Time::from_nanos((self.now + 10 * number + delay) * MS)),
            marked: marked.contains(&number),
        };
        let packets: Vec<PacketFate> = (0..10).map(packet).collect();
        self.now += 100;
        self.sequence += 10;
        let report = MediaReport {
            now: Time::from_nanos((self.now + 100) * MS),
            packets: &packets,
            rtt: Some(Duration::from_millis(100)),
            in_flight: 0,
            most_in_flight: 0,
        };
        self.control.on_report(&report).target
    }

    /// This many reports without losses and marks; returns the last target.
    fn reports(&mut self, count: usize, delay: u64) -> f64 {
        (0..count).map(|_| self.report(delay, &[], &[])).last().unwrap_or(f64::NAN)
    }
}

/// Equations 3 and 4 with a round trip of 100 ms: gamma = min(0.5, 50 / (100 + 100 + 120)) = 0.15625 over the receiving rate of 960
/// kbit/s, which the window of 500 ms has from the fifth report on.
#[test]
fn ramp_up_is_bounded_by_the_queue_that_it_may_build() {
    let mut path = Path::new(150e3);
    let target = path.reports(6, 50);
    assert!((target - 1.15625 * 960e3).abs() < 1.0, "{target}");
}

/// Equations 5 to 7 have their equilibrium where `x_curr` = PRIO XREF RMAX / `r_ref`: at 1 Mbit/s, 10 ms * 1.5 = 15 ms.
#[test]
fn the_rate_goes_to_the_equilibrium_of_the_queuing_delay() {
    for initial in [300e3, 1e6, 1.4e6] {
        let mut path = Path::new(initial);
        path.report(50, &[], &[]);
        let to = path.reports(3000, 65);
        assert!((to - 1e6).abs() < 0.01e6, "from {initial} to {to}");
    }
}

/// One gradual step, by hand: at 1.2 Mbit/s the queuing delay has been 20 ms. `x_offset` = 20 - 10 * 1.5 / 1.2 = 7.5 ms and `x_diff` = 0,
/// so `r_ref` falls by 0.5 * (100 / 500) * (7.5 / 500) = 0.15 %.
#[test]
fn a_gradual_step_is_that_of_equation_seven() {
    let mut path = Path::new(1.2e6);
    path.report(50, &[], &[]);
    // Two reports until the minimum filter of 15 packets has no early packet.
    path.reports(3, 70);
    let before = path.control.decision().target;
    let after = path.report(70, &[], &[]);
    let offset = 20.0 - 10.0 * 1.5e6 / before;
    let expected = before * (1.0 - 0.5 * 0.2 * offset / 500.0);
    assert!((after - expected).abs() < 1.0, "from {before} to {after}, expected {expected}");
}

fn gauge(control: &dyn MediaControl, name: &str) -> f64 {
    crate::common::gauge(|take| control.observe(take), name)
}

/// Equation 1: after a loss 150 ms of queuing delay count as 50 exp(-0.5 * 2) = 18.39 ms. Without losses they count in full.
#[test]
fn queuing_delay_is_warped_after_losses_only() {
    let mut path = Path::new(1e6);
    path.report(50, &[], &[]);
    path.reports(5, 200);
    assert!((gauge(&*path.control, "nada_signal_ms") - 150.0).abs() < 1e-6);
    let mut path = Path::new(1e6);
    path.reports(20, 50);
    path.report(200, &[3], &[]);
    // The ratio of lost packets is filtered to near zero, while the loss is within seven loss intervals of 203 packets.
    path.reports(100, 200);
    let signal = gauge(&*path.control, "nada_signal_ms");
    assert!((signal - 50.0 * f64::exp(-1.0)).abs() < 0.01, "{signal}");
    // 7 * 203 packets after the loss it has expired.
    path.reports(45, 200);
    let signal = gauge(&*path.control, "nada_signal_ms");
    assert!((signal - 150.0).abs() < 0.01, "{signal}");
}

/// Equation 2: one of a hundred lost is DLOSS = 10 ms, one of a hundred marked DMARK = 2 ms. Here one of ten, so a hundred times as much.
#[test]
fn losses_and_marks_count_as_delay_with_their_squares() {
    for (lost, marked, per_cent) in [(&[4][..], &[][..], 10.0), (&[][..], &[4][..], 2.0)] {
        let mut path = Path::new(1e6);
        for _ in 0..200 {
            path.report(50, lost, marked);
        }
        let signal = gauge(&*path.control, "nada_signal_ms");
        assert!((signal - 100.0 * per_cent).abs() < 0.5, "{signal}");
    }
}

/// A higher priority has a higher rate at the same signal: with PRIO 2 the equilibrium at 30 ms is that of PRIO 1 at 15 ms (6.4).
#[test]
fn priority_scales_the_rate_at_a_given_signal() {
    let mut path = Path::new(1e6);
    path.control = "nada(priority=2)".parse::<MediaSpec>().unwrap().build(&start(1e6));
    path.report(50, &[], &[]);
    let to = path.reports(600, 80);
    assert!((to - 1e6).abs() < 0.01e6, "{to}");
}

/// 5.2.2: a buffer of 2000 bytes at 25 frames a second slows the encoder and speeds up sending by 0.1 * 16 000 * 25 = 40 kbit/s, and one of 3000
/// bytes by the bound of 5 % instead of 60 kbit/s.
#[test]
fn the_rate_shaping_buffer_drains() {
    for (queued_bytes, by) in [(2000, 40e3), (3000, 50e3)] {
        let mut control = nada(1e6);
        let frame = MediaFrame { now: Time::ZERO, size: 2000, queued: Duration::ZERO, queued_bytes };
        let decision = control.on_frame(&frame);
        assert!((decision.target - (1e6 - by)).abs() < 1.0, "{decision:?}");
        assert!((decision.pacing - (1e6 + by)).abs() < 1.0, "{decision:?}");
    }
}
