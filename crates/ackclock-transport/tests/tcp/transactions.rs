//! T/TCP's accelerated open (RFC 1644) against timelines made by hand: 100 ms each way.

use ackclock_transport::tcp::{ConnectionCount, CountCache, Recovery};
use ackclock_units::Time;

use crate::common::{MSS, Pair, Scene, What};

fn file(packets: u64) -> Scene {
    Scene::connection(Recovery::Sack, packets).set(|settings| settings.initial_window = 4.0)
}

/// A connection with this count, to a server that the client knows.
fn play(scene: Scene, count: u32, cache: &CountCache) -> Pair {
    let mut pair = scene.open();
    let count = ConnectionCount::new(count, true, cache);
    pair.sender.transact(count.clone());
    pair.receiver.transact(count);
    pair.run_until(Time::MAX);
    pair
}

/// The cache of a server that has had a connection with this count.
fn cached(count: u32) -> CountCache {
    let cache = CountCache::default();
    play(file(1), count, &cache).assert_complete(1);
    cache
}

fn finished_ms(pair: &Pair) -> u64 {
    pair.sender.finished_at().unwrap().as_nanos() / 1_000_000
}

/// RFC 1644, 2.1: the SYN of a count above the cached one is new: its data is delivered at 100 ms, and its acknowledgment is
/// there at 200 ms.
#[test]
fn a_count_above_the_cached_one_opens_at_once() {
    let cache = cached(1);
    let pair = play(file(1), 2, &cache);
    pair.assert_complete(1);
    assert_eq!((finished_ms(&pair), pair.log[0].segment.length), (200, MSS as u16));
    assert_eq!(pair.log[1].segment.acknowledgment, 1001, "of the SYN and its data");
    assert_eq!(pair.counters().segments_sent, 1);
}

/// RFC 1644, 2.1: "the server host does not know whether the SYN segment is an old duplicate or was simply delivered out of order;
/// it therefore executes a normal" handshake: the SYN alone is acknowledged at 200 ms, and the data, which comes after it, at 400.
#[test]
fn any_other_count_needs_a_handshake() {
    for count in [4, 5] {
        let cache = cached(5);
        let pair = play(file(1), count, &cache);
        pair.assert_complete(1);
        assert_eq!((finished_ms(&pair), pair.data()[0]), (400, (200, 0)), "{count}");
        assert_eq!(pair.log[1].segment.acknowledgment, 1, "of the SYN");
        // The handshake leaves the larger count in the cache.
        assert_eq!(finished_ms(&play(file(1), 6, &cache)), 200);
    }
}

/// A server that has had no connection from the host has no count to compare.
#[test]
fn without_a_cached_count_there_is_a_handshake() {
    let pair = play(file(1), 7, &CountCache::default());
    assert_eq!(finished_ms(&pair), 400);
}

/// With CC.NEW the SYN goes without data, which would wait for the handshake.
#[test]
fn the_first_syn_to_a_server_has_no_data() {
    let cache = CountCache::default();
    let mut pair = file(1).open();
    let count = ConnectionCount::new(1, false, &cache);
    pair.sender.transact(count.clone());
    pair.receiver.transact(count);
    pair.run_until(Time::MAX);
    assert_eq!((finished_ms(&pair), pair.log[0].segment.length), (400, 0));
}

/// The SYN is lost: the same segment goes after the timeout of a second, with its data, and passes the test.
#[test]
fn a_lost_syn_is_sent_again_with_its_data() {
    let pair = play(file(1).lose([What::Syn(1)]), 2, &cached(1));
    pair.assert_complete(1);
    assert_eq!(finished_ms(&pair), 1200);
    assert_eq!((pair.counters().segments_sent, pair.counters().retransmissions), (2, 1));
}

/// The SYN-ACK is lost: the SYN that comes again is of the same connection and gets the same answer.
#[test]
fn data_is_accepted_once() {
    let pair = play(file(1).lose([What::SynAck(1)]), 2, &cached(1));
    pair.assert_complete(1);
    assert_eq!((finished_ms(&pair), pair.data()), (1200, vec![]));
}
