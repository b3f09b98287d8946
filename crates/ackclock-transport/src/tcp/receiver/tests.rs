use ackclock_units::Duration;
use proptest::prelude::*;

use super::*;
use crate::wire::{Segment, Timestamps};

const MSS: u16 = 1000;

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Segments lost, late and twice: data in order and ahead is taken at once, with the results of the general way.
    #[test]
    fn the_short_ways_to_an_answer_lead_to_the_same(
        numbers in prop::collection::vec(0_u64..8, 1..80),
        sack in any::<bool>(),
        timestamps in any::<bool>(),
        segments_per_ack in 1_u32..3,
    ) {
        let settings = Arc::new(Settings { mss: MSS, handshake: false, timestamps, segments_per_ack, ..Settings::default() });
        let mut short = Receiver::new(Arc::clone(&settings), sack);
        let mut long = Receiver::new(settings, sack);
        for (step, ahead) in (0..).zip(numbers) {
            let now = Time::ZERO + Duration::from_millis(u64::from(step));
            let header = Header {
                sequence: 1 + (u64::from(step) / 3 + ahead) * u64::from(MSS),
                acknowledgment: 1,
                length: MSS,
                flags: Flags::ACK,
                timestamps: Timestamps { value: step, echo: 0 },
                ..Header::default()
            };
            short.on_segment(now, &header);
            long.on_other_segment(now, &header);
            long.plain = false;
            prop_assert_eq!(short.poll_transmit(now).map(Segment::from), long.poll_transmit(now).map(Segment::from));
            prop_assert_eq!(short.next_wake(), long.next_wake());
            prop_assert_eq!(short.delivered_segments(), long.delivered_segments());
            prop_assert_eq!(short.delivered_bytes(), long.delivered_bytes());
        }
    }
}
