//! DCTCP's consequences, as the paper (Alizadeh et al. 2010) and RFC 8257 state them.

mod common;

use ackclock_congestion::{Ack, Signal};
use common::{BASE_RTT, Path, assert_near};

/// The estimate, as the controller shows it.
fn alpha(path: &Path) -> f64 {
    let mut alpha = f64::NAN;
    path.controller.observe(&mut |name, value| {
        if name == "dctcp_alpha" {
            alpha = value;
        }
    });
    alpha
}

/// Round trips of 40 packets, of which this many are marked; nothing grows meanwhile.
fn observe(path: &mut Path, marked: u32, first_round: u64, rounds: u64) {
    for round in first_round..first_round + rounds {
        for packet in 0..40 {
            path.controller.on_ack(&Ack {
                delivered: 1.0,
                ce_marked: f64::from(u8::from(packet < marked)),
                min_rtt: BASE_RTT,
                srtt: BASE_RTT,
                round,
                ..Ack::default()
            });
        }
    }
}

/// The estimate converges to the marked part. Its error falls by g = 1/16 per round trip, so that ten and a half round
/// trips halve it: (15/16)^10.74 = 1/2.
#[test]
fn the_estimate_converges_to_the_marked_part() {
    for (marked, part) in [(0, 0.0), (10, 0.25), (40, 1.0)] {
        let mut path = Path::wide("dctcp", 40.0, 20.0);
        observe(&mut path, marked, 1, 400);
        assert_near(alpha(&path), part, 1e-9);
    }
    let mut path = Path::wide("dctcp", 40.0, 20.0);
    observe(&mut path, 0, 1, 11);
    assert!(alpha(&path) > 0.5, "{}", alpha(&path));
    observe(&mut path, 0, 12, 2);
    assert!(alpha(&path) < 0.5, "{}", alpha(&path));
}

/// Section 3.3 of the RFC: the estimate begins at 1, so the first mark halves the window, as conventional TCP's would.
#[test]
fn the_first_mark_halves() {
    let mut path = Path::wide("dctcp", 40.0, f64::INFINITY);
    path.congestion(Signal::Ecn, false);
    assert_near(path.cwnd(), 20.0, 1e-9);
    assert_near(path.controller.ssthresh(), 20.0, 1e-9);
}

/// The paper, 3.1: "when alpha is near 0 (low congestion), the window is only slightly reduced"; with every packet
/// marked "the window size is cut in half", just like TCP.
#[test]
fn the_reduction_is_in_proportion_to_the_marks() {
    for (marked, kept) in [(0, 40.0), (4, 38.0), (20, 30.0), (40, 20.0)] {
        let mut path = Path::wide("dctcp", 40.0, 20.0);
        observe(&mut path, marked, 1, 400);
        path.congestion(Signal::Ecn, false);
        assert_near(path.cwnd(), kept, 1e-6);
    }
}

/// With every packet marked it is Reno, from one acknowledgment to the next.
#[test]
fn with_every_packet_marked_it_is_reno() {
    let (mut dctcp, mut reno) = (Path::wide("dctcp", 30.0, 15.0), Path::wide("reno", 30.0, 15.0));
    for round in 1..60_u64 {
        for path in [&mut dctcp, &mut reno] {
            let signalled = round % 7 == 0;
            if signalled {
                path.congestion(Signal::Ecn, false);
            }
            for _ in 0..path.cwnd() as u32 {
                let ack = Ack {
                    delivered: 1.0,
                    ce_marked: 1.0,
                    round,
                    suspended: signalled,
                    advanced: true,
                    window_limited: true,
                    ..Ack::default()
                };
                path.controller.on_ack(&ack);
            }
        }
        assert_near(dctcp.cwnd(), reno.cwnd(), 1e-9);
    }
    assert!(reno.cwnd() < 20.0, "and there were reductions");
}

/// RFC 8257, 3.5: a loss is a loss, whatever the estimate.
#[test]
fn a_loss_is_conventional() {
    let mut path = Path::wide("dctcp", 40.0, 20.0);
    observe(&mut path, 0, 1, 400);
    assert_near(alpha(&path), 0.0, 1e-9);
    path.loss();
    assert_near(path.cwnd(), 20.0, 1e-9);
    path.timeout();
    assert_near(path.cwnd(), 1.0, 1e-9);
    assert_near(path.controller.ssthresh(), 10.0, 1e-9);
}

/// Only DCTCP has to know how many packets were marked.
#[test]
fn it_asks_for_accurate_echoes() {
    assert!(Path::wide("dctcp", 10.0, 10.0).controller.needs().accurate_ecn);
    assert!(!Path::wide("reno", 10.0, 10.0).controller.needs().accurate_ecn);
}
