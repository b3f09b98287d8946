//! GCC and SCReAMv2: steps of their drafts, by hand.

use ackclock_congestion::media::{MediaControl, MediaReport, MediaSpec, MediaStart, PacketFate};
use ackclock_units::{Duration, Time};

const MS: u64 = 1_000_000;
const SIZE: u32 = 1200;

/// A path on which a packet leaves every 10 ms, 960 kbit/s, and a report comes every 100 ms with a round trip of 100 ms.
struct Path {
    control: Box<dyn MediaControl>,
    sequence: u64,
    /// The one-way delay in milliseconds, and by how much it grows from packet to packet.
    delay: f64,
    growth: f64,
}

impl Path {
    fn new(algorithm: &str, initial_rate: f64, l4s: bool) -> Path {
        let start = MediaStart {
            min_rate: 150e3,
            max_rate: 5e6,
            initial_rate,
            frame_period: Duration::from_millis(40),
            mss: SIZE,
            l4s,
        };
        let control = algorithm.parse::<MediaSpec>().unwrap().build(&start);
        Path { control, sequence: 0, delay: 50.0, growth: 0.0 }
    }

    /// Reports ten packets, of which these are lost or marked.
    fn report(&mut self, lost: &[u64], marked: &[u64]) -> f64 {
        let mut packets = Vec::new();
        for number in 0..10 {
            let sent = self.sequence * 10 * MS;
            let arrived = Time::from_nanos(sent + (self.delay * MS as f64) as u64);
            packets.push(PacketFate {
                sequence: self.sequence,
                size: SIZE,
                sent: Time::from_nanos(sent),
                arrived: (!lost.contains(&number)).then_some(arrived),
                marked: marked.contains(&number),
            });
            self.sequence += 1;
            self.delay += self.growth;
        }
        let report = MediaReport {
            now: Time::from_nanos(self.sequence * 10 * MS + 100 * MS),
            packets: &packets,
            rtt: Some(Duration::from_millis(100)),
            in_flight: 12_000,
            most_in_flight: 12_000,
        };
        self.control.on_report(&report).target
    }

    fn gauge(&self, name: &str) -> f64 {
        crate::common::gauge(|take| self.control.observe(take), name)
    }
}

/// 5.5: far from convergence the estimate grows by 8 % in a second: ten reports after the first.
#[test]
fn gcc_increases_by_eight_per_cent_a_second() {
    let mut path = Path::new("gcc", 500e3, false);
    let target = (0..11).map(|_| path.report(&[], &[])).last().unwrap();
    assert!((target - 540e3).abs() < 1.0, "{target}");
}

/// 5.5: the estimate stays below 1.5 times the incoming rate of 960 kbit/s, and a queue that grows by 5 ms a packet, so that 640 kbit/s
/// arrive, brings it to 0.85 times this.
#[test]
fn gcc_is_bounded_by_the_incoming_rate() {
    let mut path = Path::new("gcc(scaled=1)", 1.4e6, false);
    let highest = (0..30).map(|_| path.report(&[], &[])).last().unwrap();
    assert!((highest - 1.44e6).abs() < 1.0, "{highest}");
    path.growth = 5.0;
    let target = (0..20).map(|_| path.report(&[], &[])).last().unwrap();
    assert!((target - 0.85 * 640e3).abs() < 15e3, "{target}");
}

/// 6: with a fifth lost over a second the rate falls by half of this, to 90 %; with a twentieth it stays.
#[test]
fn gcc_falls_by_half_the_share_lost() {
    let mut path = Path::new("gcc(increase=1)", 1e6, false);
    for _ in 0..11 {
        path.report(&[2, 6], &[]);
    }
    assert!((path.control.decision().target - 900e3).abs() < 10e3);
    let mut path = Path::new("gcc(increase=1)", 1e6, false);
    for report in 0..40 {
        path.report(if report % 2 == 0 { &[2] } else { &[] }, &[]);
    }
    assert!((path.control.decision().target - 1e6).abs() < 1.0);
}

/// The threshold falls towards a small gradient by `K_d` = 0.00018 a millisecond of the difference, to 6 ms at the least: in a second from 12.5 ms to
/// 12.5 exp(-0.18) = 10.44 ms.
#[test]
fn gccs_threshold_adapts() {
    let mut path = Path::new("gcc", 500e3, false);
    for _ in 0..10 {
        path.report(&[], &[]);
    }
    let threshold = path.gauge("gcc_threshold_ms");
    assert!((threshold - 10.44).abs() < 0.05, "{threshold}");
    for _ in 0..60 {
        path.report(&[], &[]);
    }
    assert!((path.gauge("gcc_threshold_ms") - 6.0).abs() < 1e-9);
}

/// A loss scales the reference window by `BETA_LOSS` = 0.7, a classic mark by `BETA_ECN` = 0.8, each once in a round trip.
#[test]
fn scream_reduces_by_the_kind_of_congestion() {
    for (lost, marked, scale) in [(&[4][..], &[][..], 0.7), (&[][..], &[4][..], 0.8)] {
        let mut path = Path::new("scream2(mul_increase=0)", 1e6, false);
        for _ in 0..40 {
            path.report(&[], &[]);
        }
        let before = path.gauge("scream_window_bytes");
        assert!(before > 8000.0, "{before}");
        path.report(lost, marked);
        let after = path.gauge("scream_window_bytes");
        // The same report lets the window grow by at most a packet.
        assert!(
            (after - scale * before) >= 0.0 && after - scale * before < 1.3 * f64::from(SIZE),
            "{before} {after}"
        );
    }
}

/// With L4S a share of marks scales by alpha / 2: all marked for long is half a window, spread over the four virtual round trips of 25 ms.
#[test]
fn scream_reduces_by_the_share_of_marks_with_l4s() {
    let mut path = Path::new("scream2(mul_increase=0)", 1e6, true);
    for _ in 0..40 {
        path.report(&[], &[]);
    }
    let before = path.gauge("scream_window_bytes");
    path.report(&[], &[4]);
    // alpha = 0.1 / 8, so the backoff is below a hundredth, while a classic mark would take a fifth.
    assert!(path.gauge("scream_window_bytes") > 0.98 * before);
    assert!((path.gauge("scream_marks") - 0.0125).abs() < 1e-9);
}

/// The window stays below the bytes in flight times 1.5 and a packet: 12 000 * 1.5 + 1200.
#[test]
fn screams_window_is_bounded_by_the_bytes_in_flight() {
    let mut path = Path::new("scream2", 1e6, false);
    for _ in 0..600 {
        path.report(&[], &[]);
    }
    let window = path.gauge("scream_window_bytes");
    assert!(window <= 19_200.0 && window > 17_000.0, "{window}");
    // 8 * window / 100 ms, over 1.2 and for the headers.
    let expected = 8.0 * window / 0.1 / 1.2 * 1200.0 / 1220.0;
    assert!((path.control.decision().target / expected - 1.0).abs() < 0.01);
}

/// A mean queue delay above half the target of 60 ms is a virtual mark: at 60 ms and above the window falls until the least.
#[test]
fn screams_window_falls_with_the_queue_delay() {
    let mut path = Path::new("scream2", 1e6, false);
    for _ in 0..100 {
        path.report(&[], &[]);
    }
    let before = path.gauge("scream_window_bytes");
    path.delay = 130.0;
    for _ in 0..30 {
        path.report(&[], &[]);
    }
    let after = path.gauge("scream_window_bytes");
    assert!(after < 0.5 * before, "from {before} to {after}");
}

/// The gradient that the filter estimates for packets with these times of sending and of arrival.
fn gradient(algorithm: &str, packets: &[(u64, u64)]) -> f64 {
    let mut path = Path::new(algorithm, 500e3, false);
    let fate = |(number, (sent, arrived)): (usize, &(u64, u64))| PacketFate {
        sequence: number as u64,
        size: SIZE,
        sent: Time::from_nanos(*sent),
        arrived: Some(Time::from_nanos(*arrived)),
        marked: false,
    };
    let packets: Vec<PacketFate> = packets.iter().enumerate().map(fate).collect();
    let now = packets.iter().filter_map(|packet| packet.arrived).max().unwrap();
    let rtt = Some(Duration::from_millis(100));
    path.control.on_report(&MediaReport { now, packets: &packets, rtt, in_flight: 0, most_in_flight: 0 });
    path.gauge("gcc_gradient_ms")
}

/// 5.3: the outlier filter is "around the updates of" the variance. The first step, d = 20 ms of groups 10 ms apart: z counts as 3 there, alpha =
/// 0.99^0.3 = 0.9969894, the variance 0.9969894 + 0.0030106 * 9 = 1.0240848, k = 0.101 / 1.1250848 = 0.0897710, and the gradient is 20 k.
#[test]
fn gccs_outliers_count_in_full_in_the_gradient() {
    let found = gradient("gcc", &[(0, 50 * MS), (10 * MS, 80 * MS), (20 * MS, 90 * MS)]);
    assert!((found - 1.795_42).abs() < 1e-5, "{found}");
}

/// 5.1: "any packets received out of order are ignored by the arrival-time model": the second, which comes after the third.
#[test]
fn gcc_ignores_packets_out_of_order() {
    let late = gradient("gcc", &[(0, 50 * MS), (10 * MS, 95 * MS), (20 * MS, 70 * MS), (60 * MS, 110 * MS)]);
    assert!(late.abs() < 1e-9, "{late}");
}

/// 5.2: a packet with the same delay as the one before has a variation of 0, which is not "less than 0", wherever floating point would put it. So groups
/// are of two packets, 4 ms apart. The first d is 0: k = 0.101 / 1.101 = e = 0.0917348. The second is 15 ms, counted as 3: alpha = 0.99^0.24 =
/// 0.9975908, the variance 1.0192737, k = 0.0927348 / 1.1120085, and the gradient is 15 k.
#[test]
fn gcc_groups_by_whole_nanoseconds() {
    let found = gradient(
        "gcc",
        &[
            (1_000_003, 30_999_714),
            (5_000_015, 34_999_726),
            (9_000_027, 38_999_738),
            (13_000_039, 42_999_750),
            (17_000_051, 46_999_762),
            (21_000_063, 65_999_819),
            (25_000_075, 84_999_876),
        ],
    );
    assert!((found - 1.250_91).abs() < 1e-4, "{found}");
}

/// Losses before the first round-trip time count at the first reaction: `BETA_LOSS` = 0.7, and a packet's growth.
#[test]
fn scream_remembers_losses_before_the_first_round_trip() {
    let mut path = Path::new("scream2", 1e6, false);
    let mut report = |at: u64, count: u64, rtt: Option<Duration>| {
        let fate = |sequence| PacketFate {
            sequence,
            size: SIZE,
            sent: Time::from_nanos(at * MS),
            arrived: rtt.map(|_| Time::from_nanos((at + 50) * MS)),
            marked: false,
        };
        let packets: Vec<PacketFate> = (at..at + count).map(fate).collect();
        let now = Time::from_nanos((at + 100) * MS);
        let report = MediaReport { now, packets: &packets, rtt, in_flight: 12_000, most_in_flight: 12_000 };
        path.control.on_report(&report).window / 3.0
    };
    report(0, 10, None);
    let before = report(15, 12, Some(Duration::from_millis(100)));
    let after = report(60, 1, Some(Duration::from_millis(100)));
    assert!(before > 6000.0, "{before}");
    assert!(after >= (0.7 * before).floor() && after < 0.7 * before + 400.0, "from {before} to {after}");
    assert!(after.fract() < 1e-9, "the window grows to whole bytes: {after}");
}
