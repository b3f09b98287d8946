//! The filter of acknowledgments: which waiting one a later one makes superfluous.

use crate::AcknowledgmentView;
use crate::packet::queued_packet::QueuedPacket;
use crate::packet::slot::SlotId;

/// The rule by which waiting acknowledgments are dropped when later ones of their flows arrive.
///
/// Exhaustive: tc-cake(8) has these three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AckFilter {
    /// None is dropped.
    #[default]
    Off,
    /// One is dropped if two wait that say nothing beyond the arriving one: the older.
    On,
    /// One is also dropped if it is the last that waits.
    Aggressive,
}

impl AckFilter {
    pub(super) const NAMES: &[&str] = &["off", "on", "aggressive"];
    pub(super) const ALL: [AckFilter; 3] = [AckFilter::Off, AckFilter::On, AckFilter::Aggressive];
}

/// The acknowledgments of waiting packets.
#[derive(Clone, Debug, Default)]
pub(super) struct Acknowledgments {
    /// By slot. Every packet that waits has written its own place.
    views: Vec<Option<AcknowledgmentView>>,
}

impl Acknowledgments {
    /// Notes the acknowledgment of an arriving packet.
    pub(super) fn note(&mut self, slot: SlotId, view: Option<AcknowledgmentView>) {
        let place = slot as usize;
        if place >= self.views.len() {
            self.views.resize(place + 1, None);
        }
        self.views[place] = view;
    }

    /// The waiting acknowledgment, by its place, that the latest packet of a queue makes superfluous. `waiting` has all packets
    /// of the queue with their places, the oldest first.
    pub(super) fn superfluous<'a>(
        &self,
        is_aggressive: bool,
        waiting: impl Iterator<Item = (u32, &'a QueuedPacket)>,
        latest: &QueuedPacket,
    ) -> Option<u32> {
        let arriving = self.views[latest.slot as usize]?;
        // The oldest that may go, with its flags, and whether it directly precedes the arriving one.
        let mut oldest: Option<(u32, [bool; 2])> = None;
        let mut is_next = false;
        for (place, packet) in waiting.take_while(|(_, packet)| packet.slot != latest.slot) {
            is_next = false;
            let view = self.views[packet.slot as usize].filter(|_| packet.flow == latest.flow);
            let Some(view) = view else { continue };
            // Dropping the one before would lose the change of ECE or CWR.
            oldest = oldest.filter(|(_, flags)| *flags == view.ecn_flags);
            if !says_nothing_beyond(&view, &arriving) {
                continue;
            }
            if let Some((place, _)) = oldest {
                return Some(place);
            }
            (oldest, is_next) = (Some((place, view.ecn_flags)), true);
        }
        oldest
            .filter(|(_, flags)| is_aggressive && is_next && *flags == arriving.ecn_flags)
            .map(|(place, _)| place)
    }
}

/// True if `one` comes after `other`, modulo 2^32.
fn is_after(one: u64, other: u64) -> bool {
    (one as u32).wrapping_sub(other as u32).cast_signed() > 0
}

/// True if a waiting acknowledgment, pure and without a later timestamp, says nothing that the arriving one does not say too.
/// A repeated number is itself news, unless the arriving one also reports more selectively.
fn says_nothing_beyond(waiting: &AcknowledgmentView, arriving: &AcknowledgmentView) -> bool {
    let mut timestamps = waiting.timestamps.into_iter().zip(arriving.timestamps);
    waiting.is_pure
        && !timestamps.any(|(one, other)| is_after(one.into(), other.into()))
        && !is_after(waiting.number, arriving.number)
        && match selective_bytes(waiting, arriving) {
            None => false,
            Some((waiting_bytes, arriving_bytes)) => {
                is_after(arriving.number, waiting.number) || arriving_bytes > waiting_bytes
            }
        }
}

/// The bytes that two acknowledgments report selectively; none if the first reports any that the second does not, or data that
/// arrived again (RFC 2883).
fn selective_bytes(waiting: &AcknowledgmentView, arriving: &AcknowledgmentView) -> Option<(u64, u64)> {
    let bytes = |view: &AcknowledgmentView| view.blocks().map(|(start, end)| end.wrapping_sub(start)).sum();
    let is_covered = |(start, end): (u64, u64)| {
        arriving.blocks().any(|(from, to)| !is_after(from, start) && !is_after(end, to))
    };
    let is_said =
        waiting.blocks().all(|(start, end)| !is_after(waiting.number, start) && is_covered((start, end)));
    is_said.then(|| (bytes(waiting), bytes(arriving)))
}

#[cfg(test)]
mod tests {
    use ackclock_units::Time;

    use super::*;
    use crate::Ecn;
    use crate::queue::testing::queued;

    fn ack(number: u64) -> AcknowledgmentView {
        AcknowledgmentView { number, is_pure: true, ..AcknowledgmentView::default() }
    }

    fn with_block(number: u64, block: (u64, u64)) -> AcknowledgmentView {
        AcknowledgmentView { sack: [block, (0, 0), (0, 0), (0, 0)], ..ack(number) }
    }

    fn with_ece(number: u64) -> AcknowledgmentView {
        AcknowledgmentView { ecn_flags: [true, false], ..ack(number) }
    }

    /// The place among waiting segments, of this flow or another, that the last makes superfluous: normally and aggressively.
    fn dropped(segments: &[(u32, AcknowledgmentView)]) -> [Option<u32>; 2] {
        let mut all = Acknowledgments::default();
        let packets: Vec<QueuedPacket> = (0..)
            .zip(segments)
            .map(|(slot, (flow, view))| {
                all.note(slot, Some(*view));
                QueuedPacket { flow: *flow, ..queued(slot, Time::ZERO, Ecn::NotCapable) }
            })
            .collect();
        [false, true]
            .map(|is_aggressive| all.superfluous(is_aggressive, (0..).zip(&packets), packets.last().unwrap()))
    }

    /// Linux 4.19, which added the filter: "always keep at least two redundant ACKs in the queue, while in 'aggressive' mode, it
    /// will filter down to a single ACK".
    #[test]
    fn two_stay_or_one() {
        assert_eq!(dropped(&[(0, ack(1))]), [None, None]);
        assert_eq!(dropped(&[(0, ack(1)), (0, ack(2))]), [None, Some(0)]);
        assert_eq!(dropped(&[(0, ack(1)), (0, ack(2)), (0, ack(3))]), [Some(0), Some(0)]);
    }

    #[test]
    fn other_flows_and_data_stay() {
        let data = AcknowledgmentView { is_pure: false, ..ack(1) };
        assert_eq!(dropped(&[(1, ack(1)), (1, ack(2)), (0, ack(3))]), [None, None]);
        assert_eq!(dropped(&[(0, data), (0, data), (0, ack(3))]), [None, None]);
        // Data acknowledges too, and an acknowledgment between the two is none that directly precedes.
        assert_eq!(
            dropped(&[(0, ack(1)), (0, ack(2)), (0, AcknowledgmentView { number: 3, ..data })]),
            [Some(0); 2]
        );
        assert_eq!(dropped(&[(0, ack(1)), (1, ack(2)), (0, ack(3))]), [None, None]);
    }

    /// Three duplicates are a signal (RFC 5681, 3.2).
    #[test]
    fn duplicates_and_later_numbers_stay() {
        assert_eq!(dropped(&[(0, ack(5)), (0, ack(5)), (0, ack(5))]), [None, None]);
        assert_eq!(dropped(&[(0, ack(6)), (0, ack(7)), (0, ack(5))]), [None, None]);
        assert_eq!(
            dropped(&[(0, ack(u64::from(u32::MAX) - 1)), (0, ack(0)), (0, ack(1))]),
            [Some(0); 2],
            "numbers wrap"
        );
    }

    #[test]
    fn selective_reports_go_if_they_are_repeated_whole() {
        let growing = [(0, with_block(5, (7, 8))), (0, with_block(5, (7, 9))), (0, with_block(5, (7, 10)))];
        assert_eq!(dropped(&growing), [Some(0), Some(0)]);
        let apart = [(0, with_block(5, (7, 8))), (0, with_block(5, (9, 10))), (0, with_block(5, (11, 12)))];
        assert_eq!(dropped(&apart), [None, None]);
        let again = [(0, with_block(5, (3, 4))), (0, with_block(5, (3, 4))), (0, with_block(6, (3, 4)))];
        assert_eq!(dropped(&again), [None, None], "D-SACK");
        assert_eq!(
            dropped(&[(0, with_block(5, (7, 8))), (0, with_block(5, (7, 8))), (0, ack(9))]),
            [None, None]
        );
    }

    /// RFC 3168, 6.1.3: the first acknowledgment without ECE answers CWR, and the first with it reports a mark.
    #[test]
    fn changes_of_ece_stay() {
        assert_eq!(dropped(&[(0, ack(1)), (0, with_ece(2)), (0, with_ece(3))]), [None, Some(1)]);
        assert_eq!(dropped(&[(0, with_ece(1)), (0, with_ece(2)), (0, ack(3))]), [Some(0), Some(0)]);
        assert_eq!(dropped(&[(0, with_ece(1)), (0, ack(2))]), [None, None]);
    }

    #[test]
    fn later_timestamps_stay() {
        let stamped = |number, value, echo| AcknowledgmentView { timestamps: [value, echo], ..ack(number) };
        let all = |last| [(0, stamped(1, 10, 5)), (0, stamped(2, 11, 5)), (0, last)];
        assert_eq!(dropped(&all(stamped(3, 12, 5))), [Some(0), Some(0)]);
        assert_eq!(dropped(&all(stamped(3, 12, 4))), [None, None]);
        assert_eq!(dropped(&all(stamped(3, 9, 5))), [None, None]);
    }
}
