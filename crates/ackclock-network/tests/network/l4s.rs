//! `DualPI2` (RFC 9332) with senders that do not respond: the equilibria that follow from the coupling.

use ackclock_network::{DualOrder, DualPi2, Ecn, Queue};

use crate::senders::{Sender, share_in};

const BUFFER: u32 = 1000;
const SPAN: (u64, u64) = (20_000, 60_000);

fn l4s(size: u32, every: u64) -> Sender {
    Sender { ecn: Ecn::Capable1, ..Sender::new(size, every) }
}

fn dualpi2() -> Queue {
    Queue::DualPi2(DualPi2::default())
}

/// Section 2.1: the controller drops as much of the Classic load as does not fit, whose square root, doubled, is the part of
/// L4S packets that is marked though none of them waits. The Classic queue stands at the target.
#[test]
fn the_excess_of_classic_traffic_marks_l4s_traffic() {
    for (every, excess) in [(980, 0.02), (910, 0.1)] {
        // A link's load by itself, and 0.5 % in addition.
        let shares = share_in(dualpi2(), BUFFER, &[Sender::new(1000, every), l4s(100, 20_000)], SPAN);
        let marked = shares[1].marked as f64 / shares[1].delivered as f64;
        let (lost, expected) = (shares[0].lost(), 2.0 * shares[0].lost().sqrt());
        assert!((lost - excess).abs() < 0.01, "{shares:?}");
        assert!((marked / expected - 1.0).abs() < 0.05, "{marked} for {expected}: {shares:?}");
        assert!((shares[0].mean_delay() - 16.0).abs() < 1.0, "15 ms and a transmission: {shares:?}");
        assert!(shares[1].longest <= 1100 + 100, "at most a packet being transmitted: {shares:?}");
        assert!(shares[1].lost() < 1e-3 && shares[0].marked == 0);
    }
}

/// Section 4.2 and appendix A.2: a flood of L4S packets is held at the target by drops, not at the end of the buffer, and
/// Classic packets pass.
#[test]
fn a_flood_of_l4s_packets_is_dropped_as_classic_ones_are() {
    let shares = share_in(dualpi2(), BUFFER, &[l4s(1000, 667), Sender::new(1000, 20_000)], SPAN);
    // One and a half times the rate, and a twentieth in addition: 1.5 (1 - p) + 0.05 (1 - p) = 1.
    let expected = 1.0 - 1.0 / 1.55;
    assert!((shares[0].lost() - expected).abs() < 0.02, "{shares:?}");
    assert!((shares[1].lost() - expected).abs() < 0.05, "{shares:?}");
    assert!((shares[0].mean_delay() - 16.0).abs() < 2.0, "{shares:?}");
    assert_eq!(shares[0].marked, shares[0].delivered);
}

/// Section 4.2.2: L4S packets do not starve the Classic queue. Classic packets at a twelfth of the link's
/// rate have their turn at once during a flood of L4S packets, if a quarter is theirs; with next to no weight
/// they wait for the target.
#[test]
fn classic_traffic_is_not_starved() {
    let delay = |weight| {
        let rule = DualPi2 { order: DualOrder::Weighted(weight), ..DualPi2::default() };
        let senders = [l4s(1000, 667), Sender::new(1000, 12_500)];
        share_in(Queue::DualPi2(rule), BUFFER, &senders, SPAN)[1].mean_delay()
    };
    assert!(delay(0.25) < 4.0 && delay(0.001) > 10.0, "{} {}", delay(0.25), delay(0.001));
}
