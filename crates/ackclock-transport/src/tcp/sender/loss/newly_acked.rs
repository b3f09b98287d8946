//! The segments that one acknowledgment newly covers.

use ackclock_units::Time;

use super::super::super::mechanism::retransmission_queue::{RetransmissionQueue, Sent, SentKey};
use crate::facts::{RateState, TxRecord};

/// A summary of the segments that one acknowledgment newly covers.
#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub(in super::super) struct NewlyAcked {
    /// Segments acknowledged cumulatively, including those selectively acknowledged before.
    pub cumulative: u32,
    /// Segments selectively acknowledged for the first time.
    pub selective: u32,
    /// Segments not known to be delivered before.
    pub delivered: u32,
    /// True if a cumulatively acknowledged segment had been sent more than once (Karn's rule).
    pub ambiguous: bool,
    /// The record of the latest-sent segment among those newly delivered.
    pub newest: Option<TxRecord>,
    /// True if that segment had been sent more than once.
    pub newest_again: bool,
    /// The latest transmission time among newly delivered segments that were sent only once.
    pub newest_clean: Option<Time>,
    /// The smallest sequence number after a newly delivered segment that was sent only once; `u64::MAX` for
    /// none.
    pub lowest_once: u64,
    /// True if the recovery judges segments by their times of sending: only then the following is gathered.
    by_time: bool,
    /// Of a segment sent again no later than this, the latest copy arrived.
    certain_until: Time,
    /// The latest-sent segment for which it is certain which copy arrived; zero for none.
    newest_certain: SentKey,
    /// The highest such segment: the sequence number after it, and the time at which it was sent. Those acknowledged cumulatively stand
    /// above all others, as `u64::MAX`. Zero for none.
    highest_certain: (u64, Time),
    /// True if a block covers a part of a segment.
    pub has_parts: bool,
}

/// The summary is passed in as many moves as a compiler makes without a call.
const _: () = assert!(size_of::<NewlyAcked>() <= 128);

impl NewlyAcked {
    /// An acknowledgment of nothing yet. If a segment was sent again no later than `certain_until`, its latest copy arrived; none if
    /// the recovery does not judge segments by their times of sending.
    #[inline]
    pub fn new(certain_until: Option<Time>) -> NewlyAcked {
        NewlyAcked {
            cumulative: 0,
            selective: 0,
            delivered: 0,
            ambiguous: false,
            newest: None,
            newest_again: false,
            newest_clean: None,
            lowest_once: u64::MAX,
            by_time: certain_until.is_some(),
            certain_until: certain_until.unwrap_or(Time::ZERO),
            newest_certain: (Time::ZERO, 0),
            highest_certain: (0, Time::ZERO),
            has_parts: false,
        }
    }

    /// The latest-sent segment for which it is certain which copy arrived.
    #[inline]
    pub fn newest_certain(&self) -> Option<SentKey> {
        (self.newest_certain.1 > 0).then_some(self.newest_certain)
    }

    /// The time at which the highest such segment was sent, of those acknowledged cumulatively if there are any, and else selectively.
    #[inline]
    pub fn highest_sent_at(&self) -> Option<Time> {
        let (end, sent_at) = self.highest_certain;
        (end > 0).then_some(sent_at)
    }

    pub fn take_cumulative(&mut self, sent: &Sent, rate: RateState) {
        self.cumulative += 1;
        self.ambiguous |= sent.is_retransmitted();
        if !sent.is_sacked() && self.take_delivered(sent, rate) {
            self.highest_certain = (u64::MAX, sent.sent_at());
        }
    }

    pub fn take_selective(&mut self, sent: &Sent, rate: RateState) {
        self.selective += 1;
        if self.take_delivered(sent, rate) && sent.end() > self.highest_certain.0 {
            self.highest_certain = (sent.end(), sent.sent_at());
        }
    }

    /// Takes a segment that is newly delivered. Returns true if it matters and is certain which copy arrived.
    fn take_delivered(&mut self, sent: &Sent, rate: RateState) -> bool {
        self.delivered += 1;
        let sent_at = sent.sent_at();
        if self.newest.is_none_or(|known| known.sent_at() <= sent_at) {
            self.newest = Some(sent.record(rate));
            self.newest_again = sent.is_retransmitted();
        }
        if !sent.is_retransmitted() {
            self.newest_clean = self.newest_clean.max(Some(sent_at));
            self.lowest_once = self.lowest_once.min(sent.end());
        }
        let is_certain = self.by_time && (!sent.is_retransmitted() || sent_at <= self.certain_until);
        if is_certain {
            self.newest_certain = self.newest_certain.max((sent_at, sent.end()));
        }
        is_certain
    }
}

impl RetransmissionQueue {
    /// Takes a cumulative acknowledgment; `certain_until` as in [`NewlyAcked::new`].
    #[inline(never)]
    pub(super) fn acknowledge_all(&mut self, acknowledgment: u64, certain_until: Option<Time>) -> NewlyAcked {
        let mut newly = NewlyAcked::new(certain_until);
        self.acknowledge(acknowledgment, |sent, rate| newly.take_cumulative(sent, rate));
        newly
    }

    /// Takes a selective acknowledgment, and adds it to the summary. The summary is passed by value: a reference would keep it in
    /// memory even when this function is not called.
    #[inline(never)]
    pub(super) fn select_all(&mut self, start: u64, end: u64, mut newly: NewlyAcked) -> NewlyAcked {
        let is_whole = self.select(start, end, |sent, rate| newly.take_selective(sent, rate));
        newly.has_parts |= !is_whole;
        newly
    }
}

#[cfg(test)]
mod tests {
    use ackclock_units::Duration;

    use super::*;

    const MSS: u64 = 100;

    fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    /// Five segments sent at 1 to 5 ms.
    fn five() -> RetransmissionQueue {
        let mut queue = RetransmissionQueue::new(0, MSS as u16).with_samples().by_clock();
        for i in 1..=5 {
            queue.push(i * MSS, &TxRecord::new(at(i), 0, RateState::default()));
        }
        queue
    }

    /// The round trip that Linux measures is that of the last segment acknowledged, and of the highest block where none is.
    #[test]
    fn the_highest_segment_is_the_last_acknowledged_or_of_the_highest_block() {
        let nothing = NewlyAcked::new(Some(Time::ZERO));
        assert_eq!((nothing.highest_sent_at(), nothing.newest_certain()), (None, None));
        let mut queue = five();
        let blocks = queue.select_all(4 * MSS, 5 * MSS, nothing);
        let blocks = queue.select_all(2 * MSS, 3 * MSS, blocks);
        assert_eq!(blocks.highest_sent_at(), Some(at(5)), "whichever block comes first");
        let mut queue = five();
        let both = queue.acknowledge_all(2 * MSS, Some(Time::ZERO));
        let both = queue.select_all(4 * MSS, 5 * MSS, both);
        assert_eq!((both.highest_sent_at(), both.newest_certain()), (Some(at(2)), Some((at(5), 5 * MSS))));
    }

    /// A recovery that judges no segment by its time of sending measures none.
    #[test]
    fn without_times_no_segment_is_certain() {
        let counted = five().acknowledge_all(2 * MSS, None);
        assert_eq!((counted.highest_sent_at(), counted.newest_certain()), (None, None));
    }

    /// It is certain which copy arrived if the segment was sent once, or again so long ago that no earlier copy can be meant.
    #[test]
    fn a_copy_sent_again_too_late_is_not_certain() {
        for (certain_until, highest) in [(8, None), (9, Some(at(9)))] {
            let mut queue = five();
            queue.declare_old_lost(at(5), Duration::from_millis(4));
            assert_eq!(queue.resend_lost(&TxRecord::new(at(9), 0, RateState::default())), Some((0, MSS)));
            let acked = queue.acknowledge_all(MSS, Some(at(certain_until)));
            assert_eq!(acked.highest_sent_at(), highest);
        }
    }
}
