//! Shares of a link under each discipline, for flows without congestion control.

use ackclock_network::{Cobalt, Codel, Drr, Ecn, FqCodel, FqPie, Priority, Queue, Sfq, WeightedPriority};
use ackclock_units::Duration;

use crate::senders::{Sender, share, share_in};

/// RFC 8290, 1.3 and 4: flows that send too much have equal shares in bytes, whatever their packets' size, and one that
/// sends little finds an empty queue of its own: it waits for no more than the packet being transmitted.
#[test]
fn flow_queueing_shares_bytes_and_lets_sparse_flows_through() {
    let senders = [Sender::new(1500, 1000), Sender::new(500, 250), Sender::new(100, 50_000)];
    let shares = share(Queue::FqCodel(FqCodel::default()), 1000, &senders);
    let (large, small) = (shares[0].bytes as f64, shares[1].bytes as f64);
    assert!((large / small - 1.0).abs() < 0.02, "{shares:?}");
    assert!(large + small > 1.9e6, "the link is full: {shares:?}");
    assert!(shares[2].delivered + 1 >= shares[2].sent, "{shares:?}");
    assert!(shares[2].longest <= 1500 + 100, "{shares:?}");
}

/// The buffer is the fattest queue's to lose: a flow that floods costs another nothing.
#[test]
fn at_a_full_buffer_flow_queueing_drops_from_the_fattest() {
    let senders = [Sender::new(1000, 100), Sender::new(1000, 2500)];
    let shares = share(Queue::FqCodel(FqCodel::default()), 20, &senders);
    assert!(shares[1].delivered + 1 >= shares[1].sent, "{shares:?}");
}

/// `McKenney` 1990: each bucket has its turn, so that flows that send too much have equal shares, and one that sends less
/// than its share loses nothing, though the buffer is always full.
#[test]
fn stochastic_fairness_gives_equal_shares_and_takes_from_the_longest() {
    let senders = [Sender::new(1000, 1000), Sender::new(1000, 300), Sender::new(1000, 8000)];
    let shares = share(Queue::Sfq(Sfq::default()), 30, &senders);
    let (one, other) = (shares[0].delivered as f64, shares[1].delivered as f64);
    assert!((one / other - 1.0).abs() < 0.02, "{shares:?}");
    assert!(shares[2].delivered + 1 >= shares[2].sent, "{shares:?}");
    // With drop-tail it is the phase of regular arrivals that decides (Floyd and Jacobson 1992).
    let shares = share(Queue::default(), 30, &senders);
    let ratio = shares[0].delivered as f64 / shares[1].delivered as f64;
    assert!(!(0.5..2.0).contains(&ratio), "{shares:?}");
}

/// Linux, `ce_threshold`: what has waited for longer is marked, as a whole flow that sends too much, and a flow that sends little
/// is not; with the selector, packets of L4S alone.
#[test]
fn flow_queueing_marks_above_a_threshold() {
    let patient = Codel { target: Duration::from_secs(100), ..Codel::default() };
    let rule = FqCodel { codel: patient, ce_threshold: Duration::from_millis(5), ..FqCodel::default() };
    let flood = |ecn| Sender { ecn, ..Sender::new(1000, 900) };
    let sparse = Sender { ecn: Ecn::Capable1, ..Sender::new(100, 20_000) };
    for (ecn, only, marked) in [
        (Ecn::Capable0, false, true),
        (Ecn::Capable1, true, true),
        (Ecn::Capable0, true, false),
        (Ecn::NotCapable, false, false),
    ] {
        let queue = Queue::FqCodel(FqCodel { ce_l4s_only: only, ..rule });
        let shares = share_in(queue, 1000, &[flood(ecn), sparse], (200, 1000));
        assert_eq!(
            shares[0].marked,
            if marked { shares[0].delivered } else { 0 },
            "{ecn:?} {only} {shares:?}"
        );
        assert_eq!(shares[1].marked, 0, "{shares:?}");
        assert!(shares[0].delivered > 500 && shares[0].longest > 20_000, "{shares:?}");
    }
    let none = share_in(
        Queue::FqCodel(FqCodel { codel: patient, ..FqCodel::default() }),
        1000,
        &[flood(Ecn::Capable0)],
        (200, 1000),
    );
    assert_eq!(none[0].marked, 0);
}

/// FQ-PIE: a flow within its share loses nothing and finds an empty queue of its own, whatever others send; what sends a fifth more
/// than its share is held near the target by drops before the buffer is full.
#[test]
fn flow_queueing_with_pie_isolates() {
    for every in [333, 1200] {
        let senders = [Sender::new(1000, every), Sender::new(1000, 3000)];
        let shares = share_in(Queue::FqPie(FqPie::default()), 1000, &senders, (20_000, 40_000));
        assert!(shares[1].delivered + 1 >= shares[1].sent && shares[1].longest <= 3000, "{shares:?}");
        let expected = 1.0 - every as f64 * 0.667 / 1000.0;
        assert!((shares[0].lost() - expected).abs() < 0.02, "{shares:?}");
        if every == 1200 {
            // 15 ms, and the transmission of its packet and one of the other flow.
            assert!((shares[0].mean_delay() - 16.5).abs() < 4.0, "{shares:?}");
        }
    }
}

/// COBALT: where a flood fills most of the buffer under `CoDel`, whose drops become more frequent by and by, BLUE has a probability
/// that leaves it empty within seconds.
#[test]
fn blue_answers_a_flood() {
    let delay = |queue| share_in(queue, 100, &[Sender::new(1000, 500)], (4_000, 8_000))[0].mean_delay();
    let codel = delay(Queue::Codel(Codel::default()));
    let without = delay(Queue::Cobalt(Cobalt { increment: 0.0, ..Cobalt::default() }));
    let cobalt = delay(Queue::Cobalt(Cobalt::default()));
    assert!(cobalt < codel / 3.0 && cobalt < without / 3.0, "{cobalt} with BLUE, {without} without, {codel}");
}

/// Shreedhar and Varghese 1996, theorem 2: flows that send too much have equal shares in bytes, whatever the sizes of their
/// packets, where round robin by packets gives shares by size.
#[test]
fn deficit_round_robin_shares_bytes() {
    let senders = [Sender::new(1500, 700), Sender::new(300, 150), Sender::new(700, 10_000)];
    let ratio = |queue| {
        let shares = share(queue, 200, &senders);
        assert!(
            shares[2].delivered + 1 >= shares[2].sent,
            "a flow within its share loses nothing: {shares:?}"
        );
        shares[0].bytes as f64 / shares[1].bytes as f64
    };
    for quantum in [200, 1500, 3000] {
        let drr = ratio(Queue::Drr(Drr { quantum, ..Drr::default() }));
        assert!((drr - 1.0).abs() < 0.01, "{quantum}: {drr}");
    }
    assert!(ratio(Queue::Sfq(Sfq::default())) > 3.0);
}

/// Strict priority: a higher class waits for the packet being transmitted alone, and starves the lower where it fills the link.
#[test]
fn strict_priority_starves_lower_classes() {
    let high = |every| Sender { class: 5, ..Sender::new(1000, every) };
    let shares = share(Queue::Priority(Priority), 30, &[Sender::new(1000, 900), high(2500)]);
    assert!(shares[1].delivered + 1 >= shares[1].sent && shares[1].longest <= 2000, "{shares:?}");
    assert!((shares[0].bytes as f64 / 1.99e6 - 0.6).abs() < 0.01, "the rest of the link: {shares:?}");
    let shares = share(Queue::Priority(Priority), 30, &[Sender::new(1000, 900), high(950)]);
    assert!(shares[0].delivered < 3 && shares[1].delivered > 1980, "{shares:?}");
}

/// Classes that send too much share the link by their weights in bytes; what one leaves is the others'.
#[test]
fn weights_are_shares_of_the_link() {
    let weights = [1.0, 3.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.5];
    let queue = || Queue::WeightedPriority(WeightedPriority { weights });
    let of = |class, size, every| Sender { class, ..Sender::new(size, every) };
    let senders = [of(0, 1500, 900), of(1, 400, 300), of(7, 1000, 900)];
    let shares = share_in(queue(), 300, &senders, (0, 2000));
    let bytes: Vec<f64> = shares.iter().map(|share| share.bytes as f64 / 2e6 * 4.5).collect();
    for (found, weight) in bytes.iter().zip([1.0, 3.0, 0.5]) {
        assert!((found / weight - 1.0).abs() < 0.03, "{bytes:?}");
    }
    let shares = share(queue(), 300, &[of(0, 1500, 900), of(1, 400, 4000)]);
    assert!(
        shares[1].delivered + 1 >= shares[1].sent && shares[0].bytes as f64 > 0.88 * 1.99e6,
        "{shares:?}"
    );
}
