//! Whatever is lost, a flow ends, and every loss costs one packet.

use ackclock_transport::acknak::{Kind, Sender};
use proptest::prelude::*;

use crate::common::{Scene, at};

proptest! {
    #[test]
    fn a_flow_ends_and_every_loss_costs_one_packet(
        packets in 1_u64..300,
        lost in proptest::collection::vec(proptest::bool::weighted(0.15), 1..2000),
        algorithm in proptest::sample::select(vec!["reno", "vegas", "bic", "htcp", "hstcp", "scalable"]),
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
