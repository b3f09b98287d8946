//! Shares of a link under each discipline, for flows without congestion control.

use ackclock_network::{FqCodel, Queue, Sfq};

use crate::senders::{Sender, share};

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
    let shares = share(Queue::DropTail, 30, &senders);
    let ratio = shares[0].delivered as f64 / shares[1].delivered as f64;
    assert!(!(0.5..2.0).contains(&ratio), "{shares:?}");
}
