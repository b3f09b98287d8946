//! Whatever is lost, a flow ends, and every loss costs one packet.

use ackclock_congestion::conformance::{compositions, drawn};
use ackclock_transport::Variant;
use ackclock_transport::acknak::{Kind, Sender};
use proptest::prelude::*;

use crate::common::{Scene, at};

/// What the transport takes of everything that is registered.
fn taken() -> Vec<String> {
    let is_taken = |name: &String| format!("acknak+{name}").parse::<Variant>().is_ok();
    compositions().into_iter().filter(is_taken).collect()
}

/// Any of it, with its defaults and with others.
fn controller() -> impl Strategy<Value = String> {
    let parameters = prop_oneof![Just(Vec::new()), proptest::collection::vec(any::<u8>(), 0..40)];
    (proptest::sample::select(taken()), parameters).prop_map(|(name, bytes)| drawn(&name, &bytes))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_flow_ends_and_every_loss_costs_one_packet(
        packets in 1_u64..300,
        lost in proptest::collection::vec(proptest::bool::weighted(0.15), 1..2000),
        algorithm in controller(),
    ) {
        let mut draws = lost.into_iter();
        let story = Scene::flow(packets)
            .set(|scene| scene.algorithm = algorithm)
            .lose(move |message, _| {
                // Connections are another story.
                !matches!(message.kind, Kind::Syn | Kind::SynAck) && draws.next().unwrap_or(false)
            })
            .play();
        prop_assert!(story.sender.finished_at().is_some());
        prop_assert_eq!(story.sender.delivered(), packets);
        prop_assert_eq!(story.record.acks() as u64, packets);
        let losses = story.log.iter().filter(|entry| entry.lost).count();
        prop_assert_eq!(story.sent(), packets as usize + losses);
        let counters = story.sender.counters(at(1_000_000_000));
        prop_assert_eq!(counters.retransmissions, losses as u64);
    }
}

#[test]
fn a_source_is_small() {
    assert!(size_of::<Sender>() <= 384, "{}", size_of::<Sender>());
}
